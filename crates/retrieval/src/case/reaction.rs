//! Reactions: what the cases say, counted by move.

use shakmaty::{Chess, Color, Move, Outcome, Position};
use tabiya_chess::Ply;

use super::Case;
use crate::index::{GameNumber, Source};

/// A move that is possible now, and the cases that speak for it. Results are
/// those of the side that played it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// The move.
    pub mv: Move,
    /// How many cases.
    pub cases: u32,
    /// How many of them were won.
    pub won: u32,
    /// How many were drawn.
    pub drawn: u32,
    /// How many were lost.
    pub lost: u32,
    /// How many of those the engine itself has lost.
    pub own_lost: u32,
    /// The sum of what the cases weigh, see [`Reaction::weight_of`].
    pub weight: f64,
    /// The greatest similarity.
    pub similarity: f64,
    /// The cases' games, with the ply of the reaction, most alike first.
    pub games: Vec<(GameNumber, Ply)>,
}

/// What a game weighs that the side in question won; a drawn one weighs 1.
pub const WIN: f64 = 1.5;
/// What a lost game weighs.
pub const LOSS: f64 = 0.5;
/// What a game weighs that the engine itself has lost: any other outweighs it.
pub const OWN_LOSS: f64 = 0.1;

/// How many games a reaction names.
const NAMED: usize = 8;

impl Reaction {
    /// What a case weighs: its similarity squared, times how well it went.
    ///
    /// A win counts one and a half times, a loss half; what the engine itself
    /// has lost counts a tenth, so that a retained loss speaks against its
    /// repetition, and what it has won no more than a master's game.
    pub fn weight_of(case: &Case, mover: Color) -> f64 {
        let winner = match case.result {
            Outcome::Known(known) => Some(known.winner()),
            Outcome::Unknown => None,
        };
        let success = match (winner.flatten(), case.source) {
            (Some(color), _) if color == mover => WIN,
            (Some(_), Source::Own) => OWN_LOSS,
            (Some(_), Source::Imported) => LOSS,
            (None, _) => 1.0,
        };
        case.similarity * case.similarity * success
    }

    /// Whether nothing more is known of it than that the engine lost with it.
    pub fn is_own_loss(&self) -> bool {
        self.own_lost == self.cases
    }
}

/// Counts the reactions that are legal in a position, by weight. A reaction is
/// the same move of the same piece.
pub fn reactions(position: &Chess, cases: &[Case]) -> Vec<Reaction> {
    let legal = position.legal_moves();
    let mut found: Vec<Reaction> = Vec::new();
    for case in cases {
        let Some(mv) = case.reaction.to_move(position.board()) else {
            continue;
        };
        if mv.role() != case.role || !legal.contains(&mv) {
            continue;
        }
        let at = found.iter().position(|it| it.mv == mv);
        let at = at.unwrap_or_else(|| {
            found.push(Reaction::new(mv));
            found.len() - 1
        });
        found[at].add(case, position.turn());
    }
    // Ties in the order of the cases, which is the same everywhere.
    found.sort_by(|one, two| two.weight.total_cmp(&one.weight));
    found
}

impl Reaction {
    fn new(mv: Move) -> Reaction {
        Reaction {
            mv,
            cases: 0,
            won: 0,
            drawn: 0,
            lost: 0,
            own_lost: 0,
            weight: 0.0,
            similarity: 0.0,
            games: Vec::new(),
        }
    }

    fn add(&mut self, case: &Case, mover: Color) {
        self.cases += 1;
        if let Outcome::Known(known) = case.result {
            match known.winner() {
                Some(winner) if winner == mover => self.won += 1,
                Some(_) => {
                    self.lost += 1;
                    self.own_lost += u32::from(case.source == Source::Own);
                }
                None => self.drawn += 1,
            }
        }
        self.weight += Reaction::weight_of(case, mover);
        self.similarity = self.similarity.max(case.similarity);
        if self.games.len() < NAMED {
            self.games.push((case.game, case.ply));
        }
    }
}
