//! Which traps a position resembles, and whether they are really there.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position, Role, san::SanPlus};
use tabiya_chess::trap::{Effort, Proof, Trap, refute};
use tabiya_chess::{CompactMove, Symmetry, wire};
use tabiya_chess::{Ply, rules::ChessRules};
use tabiya_gametree::matching::pair_moves;
use tabiya_gametree::similarity::{Continuations, Freedom, Measure, Structural};

use super::MinedTrap;
use crate::index::GameNumber;
use crate::played::turn;
use crate::rerank::{Method, no_lines, play_similarities};
use crate::search::Cancel;
use crate::term::Encoding;

/// A trap to look for: a position and its bait.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pattern {
    /// Where it comes from.
    pub origin: Origin,
    /// The position in which the bait is offered.
    #[serde(with = "wire::position")]
    pub position: Chess,
    /// The losing move.
    pub bait: CompactMove,
    /// The piece that makes the first move of the refutation.
    refuter: Option<CompactRole>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CompactRole(#[serde(with = "wire::role")] Role);

impl Pattern {
    fn new(origin: Origin, position: &Chess, bait: Move, refutation: &[Move]) -> Pattern {
        Pattern {
            origin,
            position: position.clone(),
            bait: bait.into(),
            refuter: refutation.first().map(|it| CompactRole(it.role())),
        }
    }
}

/// Where a trap comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The library; the trap's name.
    Library(String),
    /// A game of the collection, where the bait was really taken.
    Game {
        /// The game.
        number: GameNumber,
        /// How many plies were played before the position.
        ply: Ply,
    },
}

impl From<&Trap> for Pattern {
    fn from(trap: &Trap) -> Pattern {
        let origin = Origin::Library(trap.name.clone());
        Pattern::new(origin, &trap.position, trap.bait, &trap.refutation)
    }
}

impl From<&MinedTrap> for Pattern {
    fn from(trap: &MinedTrap) -> Pattern {
        let origin = Origin::Game {
            number: trap.game,
            ply: trap.ply,
        };
        Pattern::new(origin, &trap.position, trap.bait, &trap.refutation)
    }
}

/// A trap that a position resembles.
#[derive(Clone, Debug)]
pub struct Resemblance {
    /// Where the trap comes from.
    pub origin: Origin,
    /// How the trap was turned to meet the position.
    pub symmetry: Symmetry,
    /// How alike the two play: half freedom, half continuations of two plies.
    pub play: f64,
    /// How alike the two look: the Jaccard index of their encodings.
    pub looks: f64,
    /// The trap's bait, in SAN, as the position's player would see it.
    pub trap_bait: String,
    /// The move in the position that matches the bait, if any.
    pub bait: Option<Move>,
    /// Whether that move is the trap's own: the same piece goes to the same square.
    pub is_own: bool,
    /// The proof that it loses, if search found one.
    pub proof: Option<Proof>,
}

impl Resemblance {
    /// The mean of play and looks, by which traps are ordered.
    pub fn similarity(&self) -> f64 {
        (self.play + self.looks) / 2.0
    }
}

/// How many patterns, of those that look most alike, have their play compared.
const COMPARED: usize = 300;

/// What counts as decisive, in hundredths of a pawn: what the cheapest trap of the
/// library wins.
const DECISIVE: i32 = 200;

/// The `top` patterns most like a position, best first, each with its bait here and
/// the proof if there is one. Traps with the other side to move are turned with
/// colors exchanged.
pub fn near(
    position: &Chess,
    patterns: &[Pattern],
    top: usize,
    effort: Effort,
) -> Vec<Resemblance> {
    let candidates = look(position, patterns);
    judge(position, candidates, top, effort, &Cancel::default())
}

/// A pattern and how much it looks like a position: what a group of shards contributes to
/// [`judge`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    pattern: Pattern,
    looks: f64,
}

/// The patterns that look most like a position, in the order of their looks.
pub fn look(position: &Chess, patterns: &[Pattern]) -> Vec<Candidate> {
    let own = Encoding::of_document(position.board());
    let looks = |pattern: &Pattern| {
        let (turned, _) = pattern.turned(position)?;
        let looks = own.jaccard(&Encoding::of_document(turned.board()));
        let pattern = pattern.clone();
        Some(Candidate { pattern, looks })
    };
    alike(patterns.par_iter().filter_map(looks).collect())
}

/// Of candidates, those whose play is compared.
fn alike(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by(|one, two| two.looks.total_cmp(&one.looks));
    candidates.truncate(COMPARED);
    candidates
}

/// The `top` candidates that play and look most like a position, with their proofs. Candidates
/// of several groups of shards stand in the order of the groups. The result of a canceled call
/// is meaningless.
pub fn judge(
    position: &Chess,
    candidates: Vec<Candidate>,
    top: usize,
    effort: Effort,
    cancel: &Cancel,
) -> Vec<Resemblance> {
    let traps: Vec<TurnedTrap> = alike(candidates)
        .into_iter()
        .filter_map(|it| TurnedTrap::new(it, position))
        .collect();
    let positions: Vec<&Chess> = traps.iter().map(|it| &it.position).collect();
    let plays = play_similarities(position, &positions, Method::Blend, &no_lines, cancel);
    let mut ranked: Vec<(f64, TurnedTrap)> = plays.into_iter().zip(traps).collect();
    ranked.sort_by(|one, two| (two.0 + two.1.looks).total_cmp(&(one.0 + one.1.looks)));
    ranked.truncate(top);
    ranked
        .into_par_iter()
        .map(|(play, it)| it.judge(position, play, effort, cancel))
        .collect()
}

impl Pattern {
    /// The pattern's position with the same side to move as another.
    fn turned(&self, position: &Chess) -> Option<(Chess, Symmetry)> {
        let same = self.position.turn() == position.turn();
        let symmetry = if same { Symmetry::None } else { Symmetry::Swap };
        Some((turn(&self.position, symmetry)?, symmetry))
    }
}

/// A candidate turned to the position's side to move.
struct TurnedTrap {
    origin: Origin,
    symmetry: Symmetry,
    position: Chess,
    bait: Move,
    refuter: Option<Role>,
    looks: f64,
}

impl TurnedTrap {
    fn new(candidate: Candidate, position: &Chess) -> Option<TurnedTrap> {
        let Candidate { pattern, looks } = candidate;
        let (turned, symmetry) = pattern.turned(position)?;
        let bait = pattern.bait.to_move(pattern.position.board())?;
        Some(TurnedTrap {
            origin: pattern.origin,
            symmetry,
            bait: symmetry.mv(bait),
            refuter: pattern.refuter.map(|it| it.0),
            position: turned,
            looks,
        })
    }

    fn judge(self, position: &Chess, play: f64, effort: Effort, cancel: &Cancel) -> Resemblance {
        let trap_bait = SanPlus::from_move(self.position.clone(), self.bait).to_string();
        let candidates = self.candidates(position);
        let mut wanted = candidates.iter().take_while(|_| !cancel.is_canceled());
        let proved = wanted.find_map(|&bait| {
            let proof = refute(position, bait, effort)?;
            self.is_proved_by(&proof).then_some((bait, proof))
        });
        let (bait, proof) = match proved {
            Some((bait, proof)) => (Some(bait), Some(proof)),
            None => (candidates.first().copied(), None),
        };
        let is_own =
            bait.is_some_and(|it| it.role() == self.bait.role() && it.to() == self.bait.to());
        Resemblance {
            origin: self.origin,
            symmetry: self.symmetry,
            play,
            looks: self.looks,
            trap_bait,
            bait,
            is_own,
            proof,
        }
    }

    /// Whether a proof is one of this trap: decisive, avoidable, and carried out by
    /// the same kind of piece, unless it mates. Any blunder loses something.
    fn is_proved_by(&self, proof: &Proof) -> bool {
        let refuter = proof.line.first().map(|it| it.role());
        proof.gain >= DECISIVE
            && proof.saved_by.is_some()
            && (proof.mate_in().is_some() || refuter == self.refuter)
    }

    /// The moves that may stand for the bait: the same move, if it is possible, the
    /// same piece going to the same square, and the moves matched with it by
    /// structure and by freedom. A capture stands only for a capture, a quiet move
    /// only for one of the same piece.
    fn candidates(&self, position: &Chess) -> Vec<Move> {
        let rules = ChessRules::default();
        let legal = position.legal_moves();
        let target = |mv: &Move| (mv.role(), mv.to(), mv.promotion());
        let here = |mv: &&Move| target(mv) == target(&self.bait);
        let same = legal
            .iter()
            .filter(here)
            .find(|it| it.from() == self.bait.from());
        let alike = legal.iter().find(here);
        let structural = matched(
            &rules,
            &Structural::over(Continuations::new(2)),
            self,
            position,
        );
        let free = matched(&rules, &Structural::over(Freedom), self, position);
        let moves = same.copied().into_iter().chain(alike.copied());
        let like = |mv: &Move| match (mv.is_capture(), self.bait.is_capture()) {
            (true, true) => true,
            (false, false) => mv.role() == self.bait.role(),
            _ => false,
        };
        once_each(moves.chain(structural).chain(free).filter(like))
    }
}

fn matched<B: Measure<ChessRules>>(
    rules: &ChessRules,
    measure: &Structural<B>,
    trap: &TurnedTrap,
    position: &Chess,
) -> Option<Move> {
    let pairs = pair_moves(rules, measure, &trap.position, position);
    pairs
        .into_iter()
        .find(|it| it.0 == trap.bait)
        .map(|it| it.1)
}

/// The moves in order, each once.
fn once_each(moves: impl Iterator<Item = Move>) -> Vec<Move> {
    let mut once = Vec::new();
    for mv in moves {
        if !once.contains(&mv) {
            once.push(mv);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use tabiya_chess::trap::library;
    use tabiya_gametree::Game;

    use super::*;

    fn patterns() -> Vec<Pattern> {
        library().iter().map(Pattern::from).collect()
    }

    #[test]
    fn a_trap_is_nearest_to_itself_and_proved() {
        for trap in library().iter().take(4) {
            let found = near(&trap.position, &patterns(), 3, Effort::default());
            assert_eq!(found[0].origin, Origin::Library(trap.name.clone()));
            assert_eq!(found[0].bait, Some(trap.bait));
            assert!(
                found[0]
                    .proof
                    .as_ref()
                    .is_some_and(|it| it.mate_in().is_some())
            );
            assert!((found[0].similarity() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn colors_do_not_matter() {
        let legal = &library()[3];
        let twin = turn(&legal.position, Symmetry::Swap).unwrap();
        let found = near(&twin, &patterns(), 1, Effort::default());
        assert_eq!(found[0].symmetry, Symmetry::Swap);
        assert_eq!(found[0].bait, Some(Symmetry::Swap.mv(legal.bait)));
        assert!(found[0].proof.is_some());
    }

    /// After 5.Nxe5 the knight on c6 may take instead; then Légal's mate is gone.
    #[test]
    fn a_resemblance_without_proof_is_no_warning() {
        let rules = ChessRules::default();
        let legal = &library()[3];
        let play = |position: &Chess, san: &str| {
            rules.play(position, rules.find_move(position, san).unwrap())
        };
        let safe = play(&play(&legal.position, "Nxe5"), "Be2");
        let found = near(&safe, &patterns(), 1, Effort::default());
        assert!(found[0].proof.is_none(), "{:?}", found[0]);
    }

    #[test]
    fn a_finished_game_has_no_bait() {
        let mate = tabiya_chess::position::parse(
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        );
        let found = near(&mate.unwrap(), &patterns(), 2, Effort::default());
        assert!(
            found
                .iter()
                .all(|it| it.bait.is_none() && it.proof.is_none())
        );
    }
}
