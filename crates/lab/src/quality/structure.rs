//! Structure: do the hits have the query's pawn structure?

use rayon::prelude::*;
use shakmaty::{Bitboard, Chess, Color, Position, Role};
use tabiya_retrieval::{Collection, search::SearchError};

use super::{Ranking, Values, games::answers};
use crate::next_move::Case;

/// How many hits count.
const TOP: usize = 10;

/// The share of the first ten hits with the query's structure.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn structures(
    collection: &Collection,
    cases: &[Case],
    rankings: &[Ranking],
) -> Result<Values, SearchError> {
    let judge = |case: &Case| {
        let own = structure(&case.position);
        let answers = answers(collection, &case.position, rankings)?;
        let share = |hits: &Vec<(crate::candidate::Candidate, f64)>| {
            let same = hits
                .iter()
                .take(TOP)
                .filter(|it| structure(&it.0.turned) == own);
            same.count() as f64 / TOP as f64
        };
        Ok(answers.iter().map(share).collect::<Vec<_>>())
    };
    let found: Vec<Vec<f64>> = cases
        .par_iter()
        .map(judge)
        .collect::<Result<_, SearchError>>()?;
    Ok(Values::new("structure, P@10", found))
}

/// What stands for a named structure: the pawns on files c to f. Named structures can take its
/// place here.
fn structure(position: &Chess) -> [Bitboard; 2] {
    let files = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
    [Color::White, Color::Black].map(|it| position.board().by_piece(Role::Pawn.of(it)) & files)
}
