//! Parameters that several questions share.

mod filter;
mod position;
mod ranking;
mod text;

pub use filter::{GameParameters, PositionFilterParameters};
pub use position::{PairParameters, PositionParameters, parse_fen};
pub use ranking::{RankingParameters, Rerank, SymmetryChoice, run_parser};
