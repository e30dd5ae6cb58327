//! The queries: positions of the collection's own games, drawn with a seed.

use anyhow::{Context, Result, ensure};
use shakmaty::Chess;
use tabiya_chess::{Game, Symmetry};
use tabiya_retrieval::{Collection, GameNumber, Query};

/// Queries start after the opening, where games repeat each other.
const FIRST_PLY: usize = 24;

/// The symmetries of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Symmetries {
    None,
    Swap,
}

impl Symmetries {
    fn to_vec(self) -> Vec<Symmetry> {
        match self {
            Symmetries::None => vec![Symmetry::None],
            Symmetries::Swap => vec![Symmetry::None, Symmetry::Swap],
        }
    }
}

/// Draws positions: a game, each with equal probability, and a ply in it.
pub(crate) fn draw(collection: &Collection, number: usize, seed: u64) -> Result<Vec<Chess>> {
    let games = collection.games();
    ensure!(
        games > 0,
        "no game was indexed; use a PGN file with longer games"
    );
    let mut random = fastrand::Rng::with_seed(seed);
    let mut positions = Vec::with_capacity(number);
    // Skip short games; give up if there are a hundred of them per query.
    for _ in 0..100 * number {
        let game = collection.game(GameNumber(random.u64(1..=games)))?;
        positions.extend(game.and_then(|it| position_of(&it, &mut random)));
        if positions.len() == number {
            return Ok(positions);
        }
    }
    None.with_context(|| {
        format!("hardly any game has {FIRST_PLY} plies; use a PGN file with longer games")
    })
}

fn position_of(game: &Game, random: &mut fastrand::Rng) -> Option<Chess> {
    (game.moves.len() >= FIRST_PLY)
        .then(|| random.usize(FIRST_PLY..=game.moves.len()))
        .and_then(|ply| game.positions().nth(ply))
}

/// The queries for some positions.
pub(crate) fn all(positions: &[Chess], top: usize, symmetries: Symmetries) -> Vec<Query> {
    let query = |position: &Chess| Query {
        top,
        symmetries: symmetries.to_vec(),
        ..Query::new(position.clone())
    };
    positions.iter().map(query).collect()
}
