//! Public collections of games: where they are, how they arrive, and what is in them.
//!
//! [`catalog`] is the table of collections and their addresses. A [`Download`] keeps what arrives
//! in a file, continues after a cut, checks size and checksum, and is read as PGN text while it
//! arrives. This crate knows no terminal; nothing is fetched unless a download is started.
//!
//! ```
//! use tabiya_fetch::catalog;
//!
//! let items = catalog::find("twic-1499..1500")?;
//! let addresses: Vec<String> = items.iter().map(|it| it.address(None)).collect();
//! assert_eq!(addresses[1], "https://theweekinchess.com/zips/twic1500g.zip");
//! # Ok::<(), tabiya_fetch::FetchError>(())
//! ```

pub mod catalog;
mod checksum;
mod client;
mod download;
mod error;
mod partial;
mod unpack;

pub use client::Settings;
pub use download::{Check, Download, Progress};
pub use error::FetchError;
