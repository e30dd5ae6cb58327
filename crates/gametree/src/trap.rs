//! Forced wins: whether the player to move can end the game or win material
//! whatever the other does. A trap is a move that allows one.
//!
//! Two searches. [`Mate`] proves a win of the game within a number of moves by
//! trying everything, or everything but a few quiet moves. [`Chase`] finds the
//! material that can be won within a number of plies, by alpha-beta with a
//! quiescence search. Both stop at a limit of visited positions and then prove
//! nothing; neither is a playing engine.

use crate::Game;

/// Rules under which it can be said who is ahead.
pub trait Stakes: Game {
    /// Whether the player to move must first meet a threat to the game itself (in
    /// chess: is in check).
    fn is_threatened(&self, position: &Self::Position) -> bool;

    /// Appends legal moves among which are all that threaten the game itself or
    /// end it at once.
    fn threats(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// Appends the legal moves that change the balance at once.
    fn exchanges(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// How much more the player to move has than the other.
    fn balance(&self, position: &Self::Position) -> i32;

    /// How early a move should be tried: the greater, the earlier. Changes the
    /// cost of a search, not its result.
    fn promise(&self, position: &Self::Position, mv: Self::Move) -> i32;
}

/// The score of having won the game at once; less by one for each ply it takes.
pub const WON: i32 = 1_000_000;

/// A win of the game, or of material, against any defense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForcedWin<M> {
    /// One line of it: the winner's moves and defenses of the greatest length.
    pub line: Vec<M>,
    /// What the winner gains over the balance before the line, [`WON`] less the
    /// number of plies if the game itself is won.
    pub gain: i32,
}

impl<M> ForcedWin<M> {
    /// In how many of the winner's moves the game is won, if it is.
    pub fn moves_to_end(&self) -> Option<usize> {
        (self.gain > WON / 2).then(|| ((WON - self.gain) as usize).div_ceil(2))
    }
}

/// A search for a win of the game itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mate {
    /// Within how many of the winner's own moves.
    pub moves: usize,
    /// How many of them may be other than threats. With as many as `moves` the
    /// search is exhaustive.
    pub quiet: usize,
    /// The greatest number of positions visited; beyond, nothing is proved.
    pub nodes: usize,
}

impl Mate {
    /// The exhaustive search within `moves` moves.
    pub fn within(moves: usize) -> Mate {
        Mate {
            moves,
            quiet: moves,
            nodes: usize::MAX,
        }
    }

    /// The quickest win of the player to move, if there is one.
    pub fn find<G: Stakes>(&self, game: &G, position: &G::Position) -> Option<ForcedWin<G::Move>> {
        let mut search = AndOr {
            game,
            nodes: self.nodes,
        };
        (1..=self.moves).find_map(|moves| {
            let mut line = search.attack(position, moves, self.quiet)?;
            line.reverse();
            Some(ForcedWin {
                gain: WON - line.len() as i32,
                line,
            })
        })
    }
}

/// One search for a win of the game. Lines are kept last move first.
struct AndOr<'g, G> {
    game: &'g G,
    nodes: usize,
}

impl<G: Stakes> AndOr<'_, G> {
    /// The winning line, if the player to move can force the end within `moves`.
    fn attack(
        &mut self,
        position: &G::Position,
        moves: usize,
        quiet: usize,
    ) -> Option<Vec<G::Move>> {
        let mut tries = Vec::new();
        self.game.threats(position, &mut tries);
        let threats = tries.len();
        // The last move must end the game, so it is a threat.
        if quiet > 0 && moves > 1 {
            let mut all = Vec::new();
            self.game.legal_moves(position, &mut all);
            all.retain(|mv| !tries.contains(mv));
            tries.extend(all);
        }
        for (at, &mv) in tries.iter().enumerate() {
            let quiet = if at < threats { quiet } else { quiet - 1 };
            let next = self.visit(position, mv)?;
            if let Some(mut line) = self.defend(&next, moves - 1, quiet) {
                line.push(mv);
                return Some(line);
            }
        }
        None
    }

    /// The longest losing line of the player to move, if every defense loses within
    /// `moves` more moves of the other.
    fn defend(
        &mut self,
        position: &G::Position,
        moves: usize,
        quiet: usize,
    ) -> Option<Vec<G::Move>> {
        let mut defenses = Vec::new();
        self.game.legal_moves(position, &mut defenses);
        if defenses.is_empty() {
            return self.game.is_lost(position).then(Vec::new);
        }
        if moves == 0 {
            return None;
        }
        let mut longest: Option<Vec<G::Move>> = None;
        for mv in defenses {
            let next = self.visit(position, mv)?;
            let mut line = self.attack(&next, moves, quiet)?;
            line.push(mv);
            if longest.as_ref().is_none_or(|it| it.len() < line.len()) {
                longest = Some(line);
            }
        }
        longest
    }

    /// The position after a move, unless the limit is reached.
    fn visit(&mut self, position: &G::Position, mv: G::Move) -> Option<G::Position> {
        self.nodes = self.nodes.checked_sub(1)?;
        Some(self.game.play(position, mv))
    }
}

/// A search for material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// How many plies are searched in full. A ply that answers a threat is free.
    pub plies: usize,
    /// The greatest number of positions visited; beyond, nothing is proved.
    pub nodes: usize,
}

impl Chase {
    /// What the player to move can force, compared with the balance as it is; the
    /// gain may be zero or negative. Nothing if the limit of positions is reached.
    ///
    /// Exact only for gains between `least` and `most`; a narrow window is much
    /// cheaper. Gains outside are bounds: at most `least`, or at least `most`.
    pub fn outcome_within<G: Stakes>(
        &self,
        game: &G,
        position: &G::Position,
        least: i32,
        most: i32,
    ) -> Option<ForcedWin<G::Move>> {
        let balance = game.balance(position);
        let mut search = AlphaBeta {
            game,
            nodes: self.nodes,
            longest: 2 * self.plies + 8,
        };
        let (score, mut line) = search.full(
            position,
            self.plies,
            0,
            least.saturating_add(balance),
            most.saturating_add(balance),
        )?;
        line.reverse();
        let gain = if score.abs() > WON / 2 {
            score
        } else {
            score - balance
        };
        Some(ForcedWin { line, gain })
    }
}

/// One alpha-beta search. Scores are balances of the player to move; a lost game
/// is −[`WON`] plus the ply at which it is lost.
struct AlphaBeta<'g, G> {
    game: &'g G,
    nodes: usize,
    /// Free plies end here, so that perpetual threats do.
    longest: usize,
}

/// A score and the line that leads to it, last move first.
type Scored<M> = (i32, Vec<M>);

impl<G: Stakes> AlphaBeta<'_, G> {
    fn full(
        &mut self,
        position: &G::Position,
        plies: usize,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> Option<Scored<G::Move>> {
        // Step 1. Meeting a threat is free: there is no choice to count.
        let free = ply > 0 && ply < self.longest && self.game.is_threatened(position);
        if plies == 0 && !free {
            return self.quiet(position, alpha, beta);
        }

        // Step 2. No move left: the game is over.
        let mut moves = Vec::new();
        self.game.legal_moves(position, &mut moves);
        if moves.is_empty() {
            let lost = self.game.is_lost(position);
            return Some((if lost { ply as i32 - WON } else { 0 }, Vec::new()));
        }

        // Step 3. Try every move.
        let plies = if free { plies } else { plies - 1 };
        self.best_of(
            position,
            moves,
            (-WON - 1, Vec::new()),
            alpha,
            beta,
            |search, next, alpha, beta| search.full(next, plies, ply + 1, alpha, beta),
        )
    }

    /// Follows exchanges only; the player to move may always decline.
    fn quiet(&mut self, position: &G::Position, alpha: i32, beta: i32) -> Option<Scored<G::Move>> {
        let declined = (self.game.balance(position), Vec::new());
        if declined.0 >= beta {
            return Some(declined);
        }
        let mut moves = Vec::new();
        self.game.exchanges(position, &mut moves);
        self.best_of(position, moves, declined, alpha, beta, Self::quiet)
    }

    /// The best of what is had already and of the moves, the promising ones tried
    /// first, each judged by `search`.
    fn best_of(
        &mut self,
        position: &G::Position,
        mut moves: Vec<G::Move>,
        mut best: Scored<G::Move>,
        alpha: i32,
        beta: i32,
        search: impl Fn(&mut Self, &G::Position, i32, i32) -> Option<Scored<G::Move>>,
    ) -> Option<Scored<G::Move>> {
        moves.sort_by_cached_key(|&mv| std::cmp::Reverse(self.game.promise(position, mv)));
        for mv in moves {
            self.nodes = self.nodes.checked_sub(1)?;
            let next = self.game.play(position, mv);
            let (score, mut line) = search(self, &next, -beta, -alpha.max(best.0))?;
            if -score > best.0 {
                line.push(mv);
                best = (-score, line);
            }
            if best.0 >= beta {
                break;
            }
        }
        Some(best)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::toy::{Heaps, Nim, TicTacToe};

    /// Who wins by the definition, without any limit.
    fn wins<G: Stakes>(game: &G, position: &G::Position) -> bool {
        let mut moves = Vec::new();
        game.legal_moves(position, &mut moves);
        if moves.is_empty() {
            return !game.is_lost(position);
        }
        moves
            .into_iter()
            .any(|mv| !wins(game, &game.play(position, mv)))
    }

    proptest! {
        /// In Nim the mover wins unless the heaps' sizes cancel under exclusive or.
        #[test]
        fn heaps_are_won_as_the_theory_says(sizes in prop::collection::vec(0u8..4, 1..4)) {
            let heaps = Heaps::new(&sizes);
            let cancel = sizes.iter().fold(0, |sum, size| sum ^ size) == 0;
            let found = Mate::within(9).find(&Nim, &heaps);
            prop_assert_eq!(found.is_some(), !cancel);
            prop_assert_eq!(wins(&Nim, &heaps), !cancel);
            let chase = Chase { plies: 18, nodes: usize::MAX };
            let chase = chase.outcome_within(&Nim, &heaps, -WON, WON).unwrap();
            prop_assert_eq!(chase.gain > WON / 2, !cancel);
        }
    }

    #[test]
    fn unequal_heaps_are_made_equal() {
        let win = Mate::within(4).find(&Nim, &Heaps::new(&[1, 3])).unwrap();
        assert_eq!(win.moves_to_end(), Some(2));
        assert_eq!(Mate::within(4).find(&Nim, &Heaps::new(&[2, 2])), None);
    }

    #[test]
    fn a_fork_wins_in_two() {
        // X to move; B2 makes two lines at once.
        let fork = TicTacToe::with(&["A1", "C1"], &["B1", "C3"], false).unwrap();
        let win = Mate::within(3).find(&TicTacToe, &fork).unwrap();
        assert_eq!(win.moves_to_end(), Some(2));
        assert_eq!(win.line.len(), 3);
        assert_eq!(Mate::within(1).find(&TicTacToe, &fork), None);
        assert_eq!(Mate::within(5).find(&TicTacToe, &TicTacToe::start()), None);
    }

    #[test]
    fn a_spent_search_proves_nothing() {
        let heaps = Heaps::new(&[3, 2, 2]);
        assert_eq!(
            Mate {
                moves: 9,
                quiet: 9,
                nodes: 3
            }
            .find(&Nim, &heaps),
            None
        );
        let chase = Chase { plies: 9, nodes: 3 };
        assert_eq!(chase.outcome_within(&Nim, &heaps, -WON, WON), None);
    }
}
