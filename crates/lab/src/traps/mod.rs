//! Does likeness of game trees find traps? The experiment of Evans and Turrini
//! (Games 14(3):36, 2023, section 4), repeated and carried further.
//!
//! From a known trap all positions two plies on are taken; some are still traps.
//! A measure is good if those are more like the original than the rest
//! ([`detection`]). Beside that: which moves of two positions are matched
//! ([`pairing`]), and what reading only some children costs ([`sampling`]).

mod by_shares;
pub(crate) mod detection;
pub(crate) mod pairing;
pub(crate) mod sampling;
mod survey;

pub(crate) use survey::Survey;
