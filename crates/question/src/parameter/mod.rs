//! Parameters that several questions share.

mod filter;
mod pattern;
mod position;
mod ranking;
mod selection;
mod text;

pub use filter::{GameParameters, PositionFilterParameters, SideChoice, TagParameters};
pub use pattern::{PatternParameter, names as pattern_names, read_pattern};
pub use position::{PairParameters, PositionParameters, parse_fen};
pub use ranking::{Grouping, Like, RankingParameters, Rerank, SymmetryChoice, run_parser};
pub use selection::SelectionParameters;
