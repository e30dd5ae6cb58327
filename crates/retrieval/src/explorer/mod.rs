//! Exact positions: games that had them, and the moves played there.
//!
//! Each segment has a sorted table of all its positions
//! ([`exact`](crate::index::exact)); an answer adds up what the tables say.

mod book;
mod explore;
mod list;
mod near;
mod remark;
mod twin;

pub use book::make_book;
pub use explore::{Continuation, Explored, NotableGame, admitted, explore};
pub use list::{Listed, Listing, Order, Page, list};
pub use near::{Neighbor, count, nearest, rings, steps};
pub use remark::{Comment, Remarks, Suggestion, remarks};
pub use twin::{Twin, twins};

pub use crate::index::exact::Count;
