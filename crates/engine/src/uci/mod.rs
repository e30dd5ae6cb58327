//! The Universal Chess Interface: text in, text out, and nothing of it elsewhere.
//!
//! ```
//! let input = "uci\nposition startpos moves e2e4\ngo depth 3\n";
//! let output: Vec<u8> = Vec::new();
//! tabiya_engine::uci::converse(input.as_bytes(), output);
//! ```

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod command;
mod format;
mod option;
mod session;

pub use session::converse;
