//! What can be asked, a question a file. A request is read from parameters as they
//! stand behind the question mark of an address, each by the command line's parser.

mod compare;
mod encode;
mod explain;
mod explore;
mod search;

use std::fmt;

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use shakmaty::Chess;
use utoipa::IntoParams;

pub use compare::{Compare, Depth};
pub use encode::{Encode, Form};
pub use explain::{Explain, Reasons};
pub use explore::{Explore, ShowGames};
pub use search::{Cut, Search};

use crate::{query::parse_fen, text};

/// Why a request makes no sense, in words that tell what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError(String);

impl RequestError {
    fn new(words: impl Into<String>) -> RequestError {
        RequestError(words.into())
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RequestError {}

/// Reads a set of parameters such as `fen=...&top=5`. Those that belong to another
/// set are passed over, so that a request can be made of several.
///
/// ```
/// use tabiya_answer::request::{Cut, read};
///
/// let wrong = read::<Cut>("fen=x&top=many").unwrap_err();
/// assert_eq!(wrong.to_string(), "top: invalid digit found in string");
/// ```
///
/// # Errors
///
/// When a parameter is missing or makes no sense; names it.
pub fn read<T: DeserializeOwned>(parameters: &str) -> Result<T, RequestError> {
    let pairs = form_urlencoded::parse(parameters.as_bytes());
    let pairs = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(pairs).map_err(|error| RequestError(error.to_string()))
}

/// The position that is asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PositionParameters {
    /// The position as a FEN of four or six fields
    #[serde(deserialize_with = "fen")]
    #[param(value_type = String, example = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")]
    pub fen: Chess,
}

/// Two positions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PairParameters {
    /// The first position as a FEN
    #[serde(deserialize_with = "fen")]
    #[param(value_type = String, example = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")]
    pub fen: Chess,

    /// The second position as a FEN
    #[serde(deserialize_with = "fen")]
    #[param(value_type = String, example = "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1")]
    pub other: Chess,
}

/// Reads a FEN.
///
/// # Errors
///
/// When it is no position.
pub fn fen<'de, D: Deserializer<'de>>(from: D) -> Result<Chess, D::Error> {
    text::required(from, parse_fen)
}
