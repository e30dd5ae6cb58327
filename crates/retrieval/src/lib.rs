//! Similar positions, ranked and explained.
//!
//! A [`Collection`] is a directory of games with an index over their
//! positions. A [`Query`] asks for the positions most like a given one; the
//! answer is a list of [`Hit`]s, exact by the formula of [`rank`]. An
//! [`Explainer`] says why two positions are alike, and [`played`] what
//! followed.
//!
//! ```no_run
//! use std::path::Path;
//! use tabiya_chess::position;
//! use tabiya_retrieval::{Collection, Query};
//!
//! let collection = Collection::open(Path::new("my-games"))?;
//! let position = position::parse("r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11")?;
//! for hit in collection.search(&Query::new(position))? {
//!     println!("{:.1} %: game {} at ply {}", 100.0 * hit.similarity, hit.game, hit.ply);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod case;
pub mod collection;
pub mod comparison;
mod disk;
pub mod exercise;
pub mod explain;
pub mod explorer;
pub mod find;
pub mod index;
pub mod likeness;
pub mod motif;
pub mod played;
pub mod rank;
pub mod reached;
pub mod rerank;
pub mod run;
pub mod search;
pub mod term;
pub mod training;
pub mod trap;

#[cfg(test)]
mod testing;

pub use collection::{Collection, CollectionError, shard};
pub use explain::{Explainer, Explanation};
pub use index::{GameNumber, Statistics, VariationNumber};
pub use run::Run;
pub use search::{Filter, Hit, Query};
