//! ChessBase bases (`.cbh` with its companions) and archives of them (`.cbv`).
//!
//! The crate `cbvault` knows the format. What is not sound is kept from it:
//! sizes are held against the files, and set-up positions against the rules,
//! since its move generator has room for 256 moves and does not look.

mod archive;
mod line;
mod reader;

pub(crate) use archive::Archive;
pub(crate) use reader::Reader;

use cbvault_format::error::Error;

use crate::BaseError;

/// An error of the reader, in our words where it names a place in a file.
fn reason(error: &Error) -> String {
    match error {
        Error::Move { ply, detail, .. } => format!("{detail} at ply {ply}"),
        Error::Corrupt { detail, .. } => detail.clone(),
        Error::Truncated { .. } => "the data lies beyond the end of the file".to_owned(),
        other => other.to_string(),
    }
}

impl From<Error> for BaseError {
    fn from(error: Error) -> BaseError {
        match error {
            Error::Io { path, source } => BaseError::Io {
                path,
                error: source,
            },
            Error::MissingFile { path, .. } => BaseError::Missing(path),
            error => BaseError::Damaged {
                path: error.path().map(ToOwned::to_owned).unwrap_or_default(),
                what: reason(&error),
            },
        }
    }
}
