//! Why a search has no answer.

use tabiya_pattern::TooMuchWork;

use crate::index::FormatError;

/// Why nothing is found.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A segment is damaged.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A pattern takes too long on one game.
    #[error(transparent)]
    TooMuchWork(#[from] TooMuchWork),
}
