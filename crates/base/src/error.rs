//! Why a base cannot be read or written.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a base cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaseError {
    /// A file of the base is not beside the others.
    #[error("{} is missing: a base needs all its files in one folder", .0.display())]
    Missing(PathBuf),
    /// A kind of base that this crate cannot read.
    #[error("{what}; {remedy}")]
    Unsupported {
        /// What it is.
        what: String,
        /// What the user can do about it.
        remedy: &'static str,
    },
    /// A file that is not what its name says, or ends too early.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The format has no room for so much.
    #[error("{what}; export in parts, or choose another format")]
    Full {
        /// The limit.
        what: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl BaseError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> BaseError + '_ {
        |error| BaseError::Io {
            path: path.to_owned(),
            error,
        }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> BaseError {
        BaseError::Damaged {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    /// For a kind of base that is known but not read, by its ending.
    pub(crate) fn unsupported(ending: &str) -> BaseError {
        let (what, remedy) = match ending {
            "2cbh" => (
                "a base of ChessBase 17 or later (.2cbh), which only ChessBase can read",
                "in ChessBase, export its games as PGN, or copy them into a base of the older format (.cbh)",
            ),
            "cbz" => (
                "an encrypted ChessBase archive (.cbz)",
                "open it in ChessBase and save it as .cbv without a password",
            ),
            "cbf" => (
                "a base of an early ChessBase (.cbf)",
                "open it in ChessBase and export its games as PGN",
            ),
            _ => (
                "a base of Scid 3 or older (.si3)",
                "open it in Scid 4 once, which converts it to .si4",
            ),
        };
        BaseError::Unsupported {
            what: what.to_owned(),
            remedy,
        }
    }
}
