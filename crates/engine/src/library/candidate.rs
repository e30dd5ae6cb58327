//! From a recollection to the moves that are searched.

use shakmaty::{Chess, Move, Position};

use super::{Mode, Recollection};
use crate::search::{Candidates, Depth, Favor};

/// How many plies deeper a move is searched that all of the memory speaks for. The
/// figures of this room were set by games; see `docs/experiments.md`.
const DEEPER: f64 = 0.25;

/// A move is preferred to moves that are better by at most this many
/// centipawns: if it is the one most played in exactly this position, and if
/// all cases of other positions speak for it.
const BONUS_OF_THE_SAME: f64 = 50.0;
const BONUS_OF_THE_ALIKE: f64 = 15.0;

/// The same at a level below the engine's own: there the players of that level decide, as long as
/// the search does not see that the move loses something.
const BONUS_AT_A_LEVEL: [f64; 2] = [150.0, 100.0];

/// The part of the time that is saved on a move that is common here, and the
/// share of the games from which on it is.
const SAVED: f64 = 0.85;
const COMMON: f64 = 0.25;

impl Recollection {
    /// The candidates of the search. Without anything that speaks for a move
    /// all moves are.
    pub fn candidates(&self, position: &Chess, mode: Mode) -> Candidates {
        let played = self.supported();
        if !played.iter().any(|it| self.speaks_for(it.0)) {
            return Candidates::All;
        }
        match mode {
            Mode::Restrict => self.only(Vec::new()),
            Mode::RestrictAndTactics => self.only(tactics(position)),
            Mode::Prior => {
                Candidates::Favored(self.favors([BONUS_OF_THE_SAME, BONUS_OF_THE_ALIKE]))
            }
        }
    }

    /// The candidates of a player who plays as others of a level did.
    pub fn candidates_at_a_level(&self) -> Candidates {
        match self.supported().iter().any(|it| self.speaks_for(it.0)) {
            true => Candidates::Favored(self.favors(BONUS_AT_A_LEVEL)),
            false => Candidates::All,
        }
    }

    /// The reactions, but for what the engine has only lost with, and some more
    /// moves.
    fn only(&self, mut moves: Vec<Move>) -> Candidates {
        for reaction in self.reactions.iter().filter(|it| !it.is_own_loss()) {
            if !moves.contains(&reaction.mv) {
                moves.push(reaction.mv);
            }
        }
        Candidates::Only(moves)
    }

    /// The moves that were played here, each with its bonus: `same` is the greatest bonus for games with exactly
    /// this position, `alike` for games with similar ones.
    fn favors(&self, [same, alike]: [f64; 2]) -> Vec<Favor> {
        let shares = self.continuations.iter().map(|it| self.exactly(it.mv).0);
        let most = shares.fold(f64::MIN_POSITIVE, f64::max);
        let favor = |(mv, support): (Move, f64)| {
            let (share, known) = self.exactly(mv);
            let exact = known * share / most;
            let bonus = same * exact + alike * support;
            Favor {
                mv,
                deeper: Depth::fraction(DEEPER * support),
                bonus: bonus.round() as i32,
                trust: SAVED * known * (share / COMMON).min(1.0),
            }
        };
        let mut moves = self.supported();
        moves.retain(|it| self.speaks_for(it.0));
        moves.into_iter().map(favor).collect()
    }
}

/// Moves that a restriction must not lose: checks, captures, promotions, and
/// everything when in check.
fn tactics(position: &Chess) -> Vec<Move> {
    let forced = position.is_check();
    let is_check = |mv: Move| position.clone().play(mv).is_ok_and(|it| it.is_check());
    let is_tactical = |mv: &Move| forced || mv.is_capture() || mv.is_promotion() || is_check(*mv);
    position
        .legal_moves()
        .into_iter()
        .filter(is_tactical)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Continuation;
    use tabiya_chess::position;
    use tabiya_retrieval::case::Reaction;

    fn reaction(mv: Move) -> Reaction {
        Reaction {
            mv,
            cases: 1,
            won: 0,
            drawn: 1,
            lost: 0,
            own_lost: 0,
            weight: 1.0,
            similarity: 1.0,
            games: Vec::new(),
        }
    }

    #[test]
    fn tactics_are_never_left_out_but_by_the_paper() {
        let position = position::parse("4k3/P7/8/3p4/4P3/8/8/R3K3 w Q - 0 1").unwrap();
        let legal = position.legal_moves();
        let king = legal
            .iter()
            .find(|it| it.to() == shakmaty::Square::E2)
            .unwrap();
        let memory = Recollection {
            reactions: vec![reaction(*king)],
            ..Recollection::default()
        };
        let Candidates::Only(paper) = memory.candidates(&position, Mode::Restrict) else {
            panic!("restricted");
        };
        assert_eq!(paper, [*king]);
        let Candidates::Only(joined) = memory.candidates(&position, Mode::RestrictAndTactics)
        else {
            panic!("restricted");
        };
        // Four promotions, a capture, and the reaction.
        assert_eq!(joined.len(), 6, "{joined:?}");
        let checked = position::parse("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").unwrap();
        assert_eq!(tactics(&checked).len(), checked.legal_moves().len());
    }

    #[test]
    fn without_memory_all_moves_are_searched() {
        let position = Chess::default();
        for mode in Mode::ALL {
            let candidates = Recollection::default().candidates(&position, mode);
            assert!(matches!(candidates, Candidates::All));
        }
    }

    #[test]
    fn the_prior_follows_the_evidence() {
        let position = Chess::default();
        let legal = position.legal_moves();
        let memory = Recollection {
            reactions: vec![reaction(legal[3])],
            continuations: vec![Continuation {
                mv: legal[5],
                games: 50,
                won: 20,
                drawn: 20,
                unknown: 0,
                own_lost: 0,
            }],
            ..Recollection::default()
        };
        let Candidates::Favored(favors) = memory.candidates(&position, Mode::Prior) else {
            panic!("favored");
        };
        assert_eq!(
            favors.iter().map(|it| it.mv).collect::<Vec<_>>(),
            [legal[5], legal[3]]
        );
        assert!(favors[0].bonus > favors[1].bonus && favors[0].deeper <= Depth::PLY);
        let Candidates::Favored(at_a_level) = memory.candidates_at_a_level() else {
            panic!("favored");
        };
        assert!(at_a_level[0].mv == legal[5] && at_a_level[0].bonus > 2 * favors[0].bonus);
        let nothing = Recollection::default().candidates_at_a_level();
        assert!(matches!(nothing, Candidates::All));
    }

    /// A reaction and a continuation that the engine has lost with six times.
    fn lost_six_times(mv: Move) -> Recollection {
        Recollection {
            reactions: vec![Reaction {
                cases: 6,
                drawn: 0,
                lost: 6,
                own_lost: 6,
                ..reaction(mv)
            }],
            continuations: vec![Continuation {
                mv,
                games: 6,
                won: 0,
                drawn: 0,
                unknown: 0,
                own_lost: 6,
            }],
            ..Recollection::default()
        }
    }

    #[test]
    fn what_the_engine_has_only_lost_with_is_no_candidate() {
        let position = Chess::default();
        let legal = position.legal_moves();
        let mut memory = lost_six_times(legal[3]);
        for mode in Mode::ALL {
            let candidates = memory.candidates(&position, mode);
            assert!(matches!(candidates, Candidates::All), "{mode}");
        }
        memory.reactions.push(reaction(legal[5]));
        for mode in [Mode::Restrict, Mode::RestrictAndTactics] {
            let Candidates::Only(moves) = memory.candidates(&position, mode) else {
                panic!("restricted");
            };
            assert_eq!(moves, [legal[5]]);
        }
        let Candidates::Favored(favors) = memory.candidates(&position, Mode::Prior) else {
            panic!("favored");
        };
        assert_eq!(
            favors.iter().map(|it| it.mv).collect::<Vec<_>>(),
            [legal[5]]
        );
    }

    #[test]
    fn a_loss_of_our_own_earns_neither_a_bonus_of_the_same_nor_trust() {
        let position = Chess::default();
        let mv = position.legal_moves()[3];
        let mut memory = lost_six_times(mv);
        // Another position in which it was played.
        memory.reactions = vec![reaction(mv)];
        let Candidates::Favored(favors) = memory.candidates(&position, Mode::Prior) else {
            panic!("favored");
        };
        assert!(favors[0].bonus <= BONUS_OF_THE_ALIKE as i32 && favors[0].trust == 0.0);
    }
}
