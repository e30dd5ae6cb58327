//! Known items: is a position found when it is asked for with changes?
//!
//! No judgments are needed. A position of the collection is disturbed, and the game
//! it came from should stand first among the answers.

use rayon::prelude::*;
use serde::Serialize;
use shakmaty::{
    Bitboard, CastlingMode, Chess, EnPassantMode, FromSetup, Position, PositionError, Role, Setup,
    Square,
};
use tabiya_chess::Symmetry;
use tabiya_gametree::Dice;
use tabiya_retrieval::{Collection, GameNumber, collection::CollectionError, search::SearchError};

use crate::bootstrap::Estimate;
use crate::draw::Draw;
use crate::run_variant::RunVariant;

/// What is done to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disturbance {
    /// Nothing.
    None,
    /// Pieces are shifted to empty squares at most two steps away.
    Shifts(usize),
    /// A pawn is taken off.
    PawnRemoved,
    /// The player to move makes a quiet move and is to move again.
    Tempo,
    /// Left and right are exchanged.
    Mirrored,
    /// Colors are exchanged and the board is turned.
    Swapped,
}

impl Disturbance {
    /// Every kind and strength.
    pub(crate) const ALL: [Disturbance; 9] = [
        Disturbance::None,
        Disturbance::Shifts(1),
        Disturbance::Shifts(2),
        Disturbance::Shifts(4),
        Disturbance::Shifts(6),
        Disturbance::PawnRemoved,
        Disturbance::Tempo,
        Disturbance::Mirrored,
        Disturbance::Swapped,
    ];

    /// The disturbance in words.
    pub(crate) fn name(self) -> String {
        match self {
            Disturbance::None => "as it is".to_owned(),
            Disturbance::Shifts(1) => "1 shift".to_owned(),
            Disturbance::Shifts(count) => format!("{count} shifts"),
            Disturbance::PawnRemoved => "pawn removed".to_owned(),
            Disturbance::Tempo => "tempo inserted".to_owned(),
            Disturbance::Mirrored => "mirrored".to_owned(),
            Disturbance::Swapped => "colors swapped".to_owned(),
        }
    }

    /// The position, disturbed; `None` if nothing that could stand on a board came
    /// of it.
    pub(crate) fn apply(self, position: &Chess, dice: &mut Dice) -> Option<Chess> {
        match self {
            Disturbance::None => Some(position.clone()),
            Disturbance::Shifts(count) => {
                (0..count).try_fold(position.clone(), |it, _| shifted(&it, dice))
            }
            Disturbance::PawnRemoved => attempt(|| without_pawn(position, dice)),
            Disturbance::Tempo => attempt(|| with_tempo(position, dice)),
            Disturbance::Mirrored => standing(Symmetry::Mirror.setup(&setup(position))),
            Disturbance::Swapped => standing(Symmetry::Swap.setup(&setup(position))),
        }
    }
}

/// Random changes may leave a king in check; another try may not.
const TRIES: usize = 40;

fn attempt(mut change: impl FnMut() -> Option<Chess>) -> Option<Chess> {
    (0..TRIES).find_map(|_| change())
}

fn setup(position: &Chess) -> Setup {
    position.to_setup(EnPassantMode::Legal)
}

/// The position, if it could stand on a board. Castling rights that the pieces no
/// longer bear out are dropped.
fn standing(setup: Setup) -> Option<Chess> {
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

fn shifted(position: &Chess, dice: &mut Dice) -> Option<Chess> {
    attempt(|| {
        let mut setup = setup(position);
        let pieces: Vec<Square> = setup.board.occupied().into_iter().collect();
        let from = *dice.choose(&pieces)?;
        let piece = setup.board.remove_piece_at(from)?;
        let near = |to: &Square| (1..=2).contains(&from.distance(*to));
        let fits = |to: &Square| piece.role != Role::Pawn || !Bitboard::BACKRANKS.contains(*to);
        let empty: Vec<Square> = (!setup.board.occupied()).into_iter().collect();
        let targets = empty.into_iter().filter(|it| near(it) && fits(it));
        let to = *dice.choose(&targets.collect::<Vec<_>>())?;
        setup.board.set_piece_at(to, piece);
        setup.ep_square = None;
        standing(setup)
    })
}

fn without_pawn(position: &Chess, dice: &mut Dice) -> Option<Chess> {
    let mut setup = setup(position);
    let pawns: Vec<Square> = setup.board.pawns().into_iter().collect();
    setup.board.discard_piece_at(*dice.choose(&pawns)?);
    setup.ep_square = None;
    standing(setup)
}

fn with_tempo(position: &Chess, dice: &mut Dice) -> Option<Chess> {
    let mut quiet = position.legal_moves();
    quiet.retain(|it| !it.is_capture() && !it.is_promotion());
    let mut next = position.clone();
    next.play_unchecked(*dice.choose(&quiet)?);
    let mut setup = setup(&next);
    setup.turn = position.turn();
    setup.ep_square = None;
    standing(setup)
}

/// A position of the collection that is asked for with changes.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) game: GameNumber,
    pub(crate) position: Chess,
}

/// Draws positions of a collection: a game, every one as likely, and a place in it
/// after the opening. Skips games without one.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn draw(
    collection: &Collection,
    count: usize,
    dice: &mut Dice,
) -> Result<Vec<Item>, CollectionError> {
    let games = collection.games() as usize;
    let mut items = Vec::new();
    for _ in 0..10 * count {
        if items.len() == count || games == 0 {
            break;
        }
        let number = GameNumber(1 + dice.index(games) as u64);
        let Some(game) = collection.game(number)? else {
            continue;
        };
        let indexed: Vec<usize> = (OPENING..=game.moves.len()).collect();
        let position = dice.choose(&indexed).and_then(|&it| game.position(it));
        items.extend(position.map(|position| Item {
            game: number,
            position,
        }));
    }
    Ok(items)
}

/// Positions after fewer plies are in many games.
const OPENING: usize = 25;

/// How often and how high items were found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// The variant of a run that searched.
    #[serde(rename = "way")]
    pub(crate) variant: String,
    /// What was done to the positions.
    pub(crate) disturbance: String,
    /// How many were asked for.
    pub(crate) items: usize,
    /// The share found first.
    pub(crate) first: f64,
    /// The share found among the first ten.
    pub(crate) among_ten: f64,
    /// The mean of one over the rank, 0 beyond the depth.
    pub(crate) reciprocal_rank: Estimate,
}

/// How deep a ranking is read.
const DEPTH: usize = 100;

/// Searches for every item, disturbed alike, by a variant of a run.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn look(
    collection: &Collection,
    items: &[Item],
    variant: &RunVariant,
    disturbance: Disturbance,
    seed: u64,
) -> Result<Row, SearchError> {
    let rank = |(at, item): (usize, &Item)| -> Result<Option<f64>, SearchError> {
        // Every variant gets the same disturbed items.
        let mut dice = Dice::new(seed ^ (at as u64) << 20);
        let Some(position) = disturbance.apply(&item.position, &mut dice) else {
            return Ok(None);
        };
        let hits = collection.search(&variant.query(position, DEPTH))?;
        let at = hits.iter().position(|it| it.game == item.game);
        Ok(Some(at.map_or(0.0, |it| 1.0 / (it + 1) as f64)))
    };
    let found = items.par_iter().enumerate().map(rank);
    let found = found.collect::<Result<Vec<_>, SearchError>>()?;
    let found: Vec<f64> = found.into_iter().flatten().collect();
    let share = |least: f64| {
        let hits = found.iter().filter(|&&it| it >= least).count();
        hits as f64 / found.len().max(1) as f64
    };
    Ok(Row {
        variant: variant.name.clone(),
        disturbance: disturbance.name(),
        items: found.len(),
        first: share(1.0),
        among_ten: share(0.1),
        reciprocal_rank: Estimate::of(&found, seed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Color;
    use tabiya_chess::position;

    const FEN: &str = "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11";

    fn different_squares(one: &Chess, two: &Chess) -> usize {
        let differs = |it: &Square| one.board().piece_at(*it) != two.board().piece_at(*it);
        Square::ALL.iter().filter(|it| differs(it)).count()
    }

    #[test]
    fn disturbances_change_as_much_as_they_say() {
        let position = position::parse(FEN).unwrap();
        for seed in 0..50 {
            let mut dice = Dice::new(seed);
            let mut squares = |it: Disturbance| {
                let disturbed = it.apply(&position, &mut dice).unwrap();
                different_squares(&position, &disturbed)
            };
            assert_eq!(squares(Disturbance::None), 0);
            assert_eq!(squares(Disturbance::Shifts(1)), 2);
            assert!((2..=12).contains(&squares(Disturbance::Shifts(6))));
            assert_eq!(squares(Disturbance::PawnRemoved), 1);
            assert!([2, 4].contains(&squares(Disturbance::Tempo)));
        }
        let turn = |it: Disturbance| it.apply(&position, &mut Dice::new(1)).unwrap().turn();
        assert_eq!(turn(Disturbance::Tempo), Color::White);
        assert_eq!(turn(Disturbance::Swapped), Color::Black);
    }

    #[test]
    fn what_cannot_be_disturbed_is_none() {
        let bare = position::parse("8/8/4k3/8/8/4K3/8/8 w - - 0 1").unwrap();
        let mut dice = Dice::new(1);
        assert!(Disturbance::PawnRemoved.apply(&bare, &mut dice).is_none());
        assert!(Disturbance::Shifts(2).apply(&bare, &mut dice).is_some());
    }
}
