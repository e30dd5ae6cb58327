//! Ideas: what a best line does, by names that players know.
//!
//! A name is a claim, so each has a definition that the line itself must meet: a fork is
//! named only if the forking piece later takes a piece that it attacked. What merely looks
//! like an idea has no name.

use std::fmt;

use shakmaty::{Chess, Color, Move, Piece, Position, Role, Square, attacks};

use super::step::{Step, Walk, value};

/// A named idea of a line, seen from the player who moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Idea {
    /// The line ends in mate: the number of the player's moves.
    Mate(usize),
    /// The mated king stands on his first rank behind his own pieces, checked along it.
    BackRankMate,
    /// A knight mates a king whose neighbors are all his own pieces.
    SmotheredMate,
    /// A move checks with two pieces.
    DoubleCheck,
    /// A move checks with a piece that did not move.
    DiscoveredCheck,
    /// A move uncovers an attack on a piece, which the uncovered piece takes later.
    DiscoveredAttack,
    /// A piece attacks two targets and takes one of them with its next move.
    Fork,
    /// A piece attacks another on a line, which moves away, and takes the one behind it.
    Skewer,
    /// An enemy piece may not take the piece that moved, because it is pinned to its king.
    Pin,
    /// The player gives at least two pawns' worth and mates or ends with more than he had.
    Sacrifice,
    /// The first move takes a piece that nothing guards.
    HangingPiece,
    /// A pawn promotes.
    Promotion,
}

impl Idea {
    /// The name in one word, as puzzles of Lichess spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Idea::Mate(_) => "mate",
            Idea::BackRankMate => "backRankMate",
            Idea::SmotheredMate => "smotheredMate",
            Idea::DoubleCheck => "doubleCheck",
            Idea::DiscoveredCheck => "discoveredCheck",
            Idea::DiscoveredAttack => "discoveredAttack",
            Idea::Fork => "fork",
            Idea::Skewer => "skewer",
            Idea::Pin => "pin",
            Idea::Sacrifice => "sacrifice",
            Idea::HangingPiece => "hangingPiece",
            Idea::Promotion => "promotion",
        }
    }
}

/// As a sentence names it, such as `a fork`.
impl fmt::Display for Idea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Idea::Mate(1) => "mate in one move",
            Idea::Mate(moves) => return write!(f, "mate in {moves} moves"),
            Idea::BackRankMate => "a back-rank mate",
            Idea::SmotheredMate => "a smothered mate",
            Idea::DoubleCheck => "a double check",
            Idea::DiscoveredCheck => "a discovered check",
            Idea::DiscoveredAttack => "a discovered attack",
            Idea::Fork => "a fork",
            Idea::Skewer => "a skewer",
            Idea::Pin => "a pin",
            Idea::Sacrifice => "a sacrifice",
            Idea::HangingPiece => "an unguarded piece",
            Idea::Promotion => "a promotion",
        })
    }
}

/// How many plies of a line that does not end in mate are read: later moves of a search are
/// guesses.
const SURE: usize = 7;

/// The ideas of a line, which is read up to its first illegal move.
pub fn ideas(position: &Chess, line: &[Move]) -> Vec<Idea> {
    let length = match ends_in_mate(position, line) {
        true => line.len(),
        false => line.len().min(SURE),
    };
    let mut scene = Scene::new(position.turn());
    let mut walk = Walk::new(position);
    for &mv in &line[..length] {
        let Some(step) = walk.next(mv) else { break };
        match step.is_ours() {
            true => scene.note_ours(&step),
            false => scene.note_theirs(&step),
        }
    }
    scene.finish()
}

/// Whether a line mates the opponent of the player who moves first.
fn ends_in_mate(position: &Chess, line: &[Move]) -> bool {
    let mut here = position.clone();
    for &mv in line {
        if !here.is_legal(mv) {
            return false;
        }
        here.play_unchecked(mv);
    }
    here.is_checkmate() && here.turn() != position.turn()
}

/// A piece of ours and the enemies that it attacks, waiting for a capture.
struct Threat {
    idea: Idea,
    piece: Square,
    targets: Vec<Square>,
    /// Whether the piece must capture with its very next move.
    is_urgent: bool,
}

/// What has happened so far.
struct Scene {
    us: Color,
    ideas: Vec<Idea>,
    threats: Vec<Threat>,
    moves: usize,
    /// The least balance and the last one after a reply, in pawns: what our last move takes
    /// may be taken back.
    lowest: i32,
    balance: i32,
}

impl Scene {
    fn new(us: Color) -> Scene {
        Scene {
            us,
            ideas: Vec::new(),
            threats: Vec::new(),
            moves: 0,
            lowest: 0,
            balance: 0,
        }
    }

    fn note_ours(&mut self, step: &Step<'_>) {
        self.moves += 1;
        self.pay_off(step);
        self.note_checks(step);
        self.note_threats(step);
        if is_pinned_taker(step, self.us) {
            self.ideas.push(Idea::Pin);
        }
        if step.is_first() && takes_unguarded(step, self.us) {
            self.ideas.push(Idea::HangingPiece);
        }
        if step.mv.is_promotion() {
            self.ideas.push(Idea::Promotion);
        }
        if step.is_first() {
            self.balance = step.balance;
        }
    }

    fn note_theirs(&mut self, step: &Step<'_>) {
        self.balance = step.balance;
        self.lowest = self.lowest.min(step.balance);
        // A taken piece threatens nothing.
        self.threats.retain(|it| it.piece != step.to);
        for threat in &mut self.threats {
            if threat.idea == Idea::Skewer && step.from == threat.targets[0] {
                threat.targets.remove(0);
                threat.is_urgent = true;
            } else if threat.idea != Idea::Skewer {
                threat.targets.retain(|&it| it != step.from);
            }
        }
    }

    /// Whether a threat is carried out; otherwise an urgent one is over.
    fn pay_off(&mut self, step: &Step<'_>) {
        let mut paid = Vec::new();
        self.threats.retain(|it| {
            let carries_out = it.piece == step.from && it.targets.contains(&step.to);
            let is_skewer = it.idea == Idea::Skewer;
            // The front piece of a skewer was taken, not the one behind it.
            let pays = carries_out && step.mv.is_capture() && (!is_skewer || it.is_urgent);
            if pays {
                paid.push(it.idea);
            }
            !pays && it.piece != step.from && !it.is_urgent
        });
        self.ideas.extend(paid);
    }

    fn note_checks(&mut self, step: &Step<'_>) {
        let checkers = step.after.checkers();
        if checkers.count() > 1 {
            self.ideas.push(Idea::DoubleCheck);
        } else if checkers.any() && !checkers.contains(step.to) && !step.mv.is_castle() {
            self.ideas.push(Idea::DiscoveredCheck);
        }
        if step.after.is_checkmate() {
            self.ideas.push(Idea::Mate(self.moves));
            self.ideas.extend(mate_pattern(step.after, self.us));
        }
    }

    fn note_threats(&mut self, step: &Step<'_>) {
        let board = step.after.board();
        let Some(piece) = board.piece_at(step.to) else {
            return;
        };
        let targets = targets(step.after, step.to, piece);
        if targets.len() >= 2 && piece.role != Role::King {
            // The king is a target that only helps to take another.
            self.threats.push(Threat {
                idea: Idea::Fork,
                piece: step.to,
                targets,
                is_urgent: true,
            });
        }
        self.note_skewers(step, piece);
        self.note_discoveries(step);
    }

    fn note_skewers(&mut self, step: &Step<'_>, piece: Piece) {
        if !matches!(piece.role, Role::Bishop | Role::Rook | Role::Queen) {
            return;
        }
        let board = step.after.board();
        let theirs = board.by_color(!self.us);
        let direct = attacks::attacks(step.to, piece, board.occupied());
        for front in direct & theirs {
            let through = attacks::attacks(step.to, piece, board.occupied().without(front));
            let behind = through & !direct & theirs & attacks::ray(step.to, front);
            let roles = |square| board.role_at(square).map_or(0, value);
            for back in behind.into_iter().filter(|&it| roles(front) > roles(it)) {
                if roles(back) > 1 {
                    self.threats.push(Threat {
                        idea: Idea::Skewer,
                        piece: step.to,
                        targets: vec![front, back],
                        is_urgent: false,
                    });
                }
            }
        }
    }

    fn note_discoveries(&mut self, step: &Step<'_>) {
        let board = step.after.board();
        let before = step.before.board();
        for slider in (board.by_color(self.us) & board.sliders()).without(step.to) {
            let Some(piece) = board.piece_at(slider) else {
                continue;
            };
            let was = attacks::attacks(slider, piece, before.occupied());
            let is = attacks::attacks(slider, piece, board.occupied());
            let uncovered = is & !was & attacks::ray(slider, step.from) & board.by_color(!self.us);
            let is_worth = |it: &Square| {
                let role = board.role_at(*it);
                role.is_some_and(|it| it != Role::Pawn && it != Role::King)
            };
            let targets: Vec<Square> = uncovered.into_iter().filter(is_worth).collect();
            if !targets.is_empty() {
                self.threats.push(Threat {
                    idea: Idea::DiscoveredAttack,
                    piece: slider,
                    targets,
                    is_urgent: false,
                });
            }
        }
    }

    fn finish(mut self) -> Vec<Idea> {
        let mates = self.ideas.iter().any(|it| matches!(it, Idea::Mate(_)));
        if self.lowest <= -2 && (mates || self.balance > 0) {
            self.ideas.push(Idea::Sacrifice);
        }
        // An unguarded piece that was bait is not one that was left hanging.
        if mates || self.balance < 2 {
            self.ideas.retain(|it| *it != Idea::HangingPiece);
        }
        self.ideas.sort_unstable();
        self.ideas.dedup();
        self.ideas
    }
}

/// The enemies that a piece attacks and would like to take: the king, what is worth more,
/// and what is not guarded, pawns apart.
fn targets(position: &Chess, square: Square, piece: Piece) -> Vec<Square> {
    let board = position.board();
    let them = !piece.color;
    let is_target = |it: &Square| {
        let Some(role) = board.role_at(*it) else {
            return false;
        };
        let is_guarded = board.attacks_to(*it, them, board.occupied()).any();
        role != Role::Pawn && (value(role) > value(piece.role) || !is_guarded)
    };
    let attacked = attacks::attacks(square, piece, board.occupied()) & board.by_color(them);
    attacked.into_iter().filter(is_target).collect()
}

/// Whether an enemy piece that attacks the moved piece may not take it because of its king.
fn is_pinned_taker(step: &Step<'_>, us: Color) -> bool {
    let board = step.after.board();
    let takers = board.attacks_to(step.to, !us, board.occupied());
    let Some(king) = board.king_of(!us).filter(|_| !step.after.is_check()) else {
        return false;
    };
    let direct = board.attacks_to(king, us, board.occupied());
    (takers & !board.kings()).into_iter().any(|taker| {
        let opened = board.attacks_to(king, us, board.occupied().without(taker));
        let pinning = opened & !direct & board.sliders();
        // Along the line of the pin it may move.
        pinning.any() && !pinning.contains(step.to) && !attacks::ray(king, taker).contains(step.to)
    })
}

fn takes_unguarded(step: &Step<'_>, us: Color) -> bool {
    let is_piece = step.mv.capture().is_some_and(|it| it != Role::Pawn);
    let board = step.after.board();
    is_piece && (board.attacks_to(step.to, !us, board.occupied())).is_empty()
}

fn mate_pattern(position: &Chess, us: Color) -> Option<Idea> {
    let board = position.board();
    let king = board.king_of(!us)?;
    let checkers = position.checkers();
    let around = attacks::king_attacks(king);
    let own = board.by_color(!us);
    let knights = checkers & board.knights();
    if knights == checkers && (around & !own).is_empty() {
        return Some(Idea::SmotheredMate);
    }
    let first_rank = us.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First);
    let ahead = around.into_iter().filter(|it| it.rank() != king.rank());
    let is_walled =
        |it: Square| own.contains(it) && board.attacks_to(it, us, board.occupied()).is_empty();
    let along = checkers & board.rooks_and_queens();
    let is_along = along == checkers && along.into_iter().all(|it| it.rank() == king.rank());
    let is_back_rank = king.rank() == first_rank && is_along && ahead.into_iter().all(is_walled);
    is_back_rank.then_some(Idea::BackRankMate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::san::San;
    use tabiya_chess::position;

    fn of(fen: &str, line: &str) -> Vec<Idea> {
        let start = position::parse(fen).unwrap();
        let (mut here, mut moves) = (start.clone(), Vec::new());
        for word in line.split_ascii_whitespace() {
            let mv = word.parse::<San>().unwrap().to_move(&here).unwrap();
            moves.push(mv);
            here.play_unchecked(mv);
        }
        ideas(&start, &moves)
    }

    #[test]
    fn mates_are_named_by_their_pattern() {
        let back_rank = of("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8");
        assert_eq!(back_rank, [Idea::Mate(1), Idea::BackRankMate]);
        let smothered = of("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "Nf7");
        assert_eq!(smothered, [Idea::Mate(1), Idea::SmotheredMate]);
        // The king is not walled in by his own pieces but by our rook.
        let ladder = of("7k/R7/8/8/8/8/8/1R4K1 w - - 0 1", "Rb8");
        assert_eq!(ladder, [Idea::Mate(1)]);
        // One square beside the knight's king is empty: guarded, not smothered.
        let guarded = of("7k/6pp/8/6N1/8/8/8/6RK w - - 0 1", "Nf7");
        assert!(!guarded.contains(&Idea::SmotheredMate), "{guarded:?}");
    }

    #[test]
    fn a_fork_must_take_what_it_attacks() {
        let fen = "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1";
        assert_eq!(of(fen, "Nc7 Kd7 Nxa8"), [Idea::Fork]);
        // The same attack, but the line does not take the rook.
        assert_eq!(of(fen, "Nc7 Kd7 Nb5"), []);
        // What a search guesses eight plies later is not named.
        let late = "4k2r/8/8/8/8/8/N3P3/4K2R w - - 0 1";
        assert_eq!(of(late, "e3 Kd8 e4 Ke8 Nb4 Kd7 Nd5 Kc6 Nf6"), []);
        // The rook has moved away.
        assert_eq!(of("4k3/8/8/1N6/8/r7/8/4K3 w - - 0 1", "Nc7 Ke7 Nd5"), []);
    }

    #[test]
    fn a_skewer_takes_the_piece_behind() {
        let fen = "8/8/1r6/8/3k4/8/8/4KB2 w - - 0 1";
        let fen_line = of("4q3/8/4k3/8/8/8/8/3KR3 b - - 0 1", "Kd6 Rxe8");
        assert_eq!(fen_line, []);
        assert_eq!(
            of("4q3/8/4k3/8/8/8/8/3K3R w - - 0 1", "Re1 Kd6 Rxe8"),
            [Idea::Skewer]
        );
        // Nothing is behind the king.
        assert_eq!(of(fen, "Bg2 Kc5 Be4"), []);
    }

    #[test]
    fn a_discovered_attack_is_carried_out_by_the_uncovered_piece() {
        let fen = "3q1k2/8/8/8/3N4/8/8/3RK3 w - - 0 1";
        assert_eq!(of(fen, "Ne6 Kf7 Rxd8"), [Idea::DiscoveredAttack]);
        assert!(!of(fen, "Ne6 Kf7 Nxd8").contains(&Idea::DiscoveredAttack));
    }

    #[test]
    fn checks_of_pieces_that_did_not_move_are_discovered() {
        let fen = "4k3/8/8/8/4B3/8/8/4RK2 w - - 0 1";
        assert_eq!(of(fen, "Bd5"), [Idea::DiscoveredCheck]);
        assert_eq!(of(fen, "Bc6"), [Idea::DoubleCheck]);
        assert_eq!(of("4k3/8/8/8/8/8/8/R4K2 w - - 0 1", "Ra8"), []);
    }

    #[test]
    fn a_pinned_piece_may_not_take() {
        // The knight is pinned by the rook, so the bishop is safe on d5.
        let fen = "4k3/4n3/8/8/8/8/6B1/4R1K1 w - - 0 1";
        assert_eq!(of(fen, "Bd5"), [Idea::Pin]);
        // Beside the king it is free to take.
        let free = "3k4/4n3/8/8/8/8/6B1/4R1K1 w - - 0 1";
        assert_eq!(of(free, "Bd5"), []);
    }

    #[test]
    fn a_sacrifice_must_pay() {
        let fen = "6k1/5ppp/8/8/8/8/4Q1PP/4R1K1 w - - 0 1";
        assert_eq!(
            of("r5k1/5ppp/8/8/8/8/4Q1PP/4R1K1 w - - 0 1", "Qe8 Rxe8 Rxe8"),
            [Idea::Mate(2), Idea::BackRankMate, Idea::Sacrifice]
        );
        assert_eq!(of(fen, "Qe6 fxe6"), []);
    }

    #[test]
    fn only_a_piece_without_guards_hangs() {
        assert_eq!(
            of("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "Rxd5"),
            [Idea::HangingPiece]
        );
        assert_eq!(of("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1", "Rxd5 exd5"), []);
    }

    #[test]
    fn a_check_from_the_back_rank_is_no_mate_if_the_king_has_a_square() {
        assert_eq!(of("6k1/5pp1/7p/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8"), []);
    }

    #[test]
    fn only_our_own_pawn_on_the_last_rank_promotes() {
        let promotion = of("8/P5k1/8/8/8/8/8/6K1 w - - 0 1", "a8=Q");
        assert_eq!(promotion, [Idea::Promotion]);
        assert_eq!(of("8/8/P5k1/8/8/8/8/6K1 w - - 0 1", "a7"), []);
        let theirs = of("6k1/8/8/8/8/8/p7/6K1 w - - 0 1", "Kg2 a1=Q");
        assert_eq!(theirs, []);
    }
}
