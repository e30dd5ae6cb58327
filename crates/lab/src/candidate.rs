//! The best positions of a first ranking, ready for a second.

use shakmaty::Chess;
use tabiya_retrieval::{
    Collection, GameNumber, Query, played::ResolvedHit, reached::Reached, search::SearchError,
};

/// A position that a first ranking found.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The game.
    pub(crate) game: GameNumber,
    /// The position, turned to the query's view.
    pub(crate) turned: Chess,
    /// How like the query it is by the first ranking.
    pub(crate) similarity: f64,
    /// What was played there.
    pub(crate) reached: Reached,
}

/// The hits of a query with what is behind them.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn candidates(
    collection: &Collection,
    query: &Query,
) -> Result<Vec<Candidate>, SearchError> {
    let mut candidates = Vec::new();
    for hit in collection.search(query)? {
        let game = collection.game(hit.game)?;
        let found = game.and_then(|it| ResolvedHit::new(hit, it));
        candidates.extend(found.map(|it| Candidate {
            game: hit.game,
            reached: Reached::of_found(&it),
            turned: it.turned,
            similarity: hit.similarity,
        }));
    }
    Ok(candidates)
}
