//! Why a collection cannot be fetched.

use std::{io, path::PathBuf};

/// Why a collection cannot be fetched.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No collection has this name.
    #[error("there is no collection \"{name}\"; {remedy}")]
    Name {
        /// The name as given.
        name: String,
        /// Which names there are.
        remedy: String,
    },
    /// The address cannot be used.
    #[error("{address}: {what}; check the address (--from)")]
    Address {
        /// The address.
        address: String,
        /// What is wrong with it.
        what: String,
    },
    /// The server cannot prove who it is.
    #[error(
        "{address}: {what}; check the clock of this machine, and whether the network puts \
         certificates of its own in between"
    )]
    Certificate {
        /// The address.
        address: String,
        /// What is wrong with its certificate.
        what: String,
    },
    /// The server does not have the file.
    #[error("{address}: not found; {hint}")]
    NotFound {
        /// The address.
        address: String,
        /// What to check.
        hint: &'static str,
    },
    /// The server does not send the file.
    #[error(
        "{address}: the server answers {status}; try again later, or another server with --from"
    )]
    Refused {
        /// The address.
        address: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The server cannot be reached, or not any more.
    #[error("{address}: {what}; check the connection and run the same command again{kept}")]
    Connection {
        /// The address.
        address: String,
        /// What happened.
        what: String,
        /// What is kept for the next run.
        kept: String,
    },
    /// The file on the server is not the one whose beginning was read.
    #[error(
        "{0}: the file has changed on the server; run the same command again to start from its beginning"
    )]
    Changed(String),
    /// The server has another number of bytes than it announced.
    #[error("{address}: the server announces {announced} bytes and has {found}; try again later")]
    Size {
        /// The address.
        address: String,
        /// The bytes announced.
        announced: u64,
        /// The bytes there are.
        found: u64,
    },
    /// The bytes are not the published ones.
    #[error(
        "{address}: the SHA-256 checksum is {found}, and {expected} is published; \
         the download is removed; run the same command again to fetch the file"
    )]
    Checksum {
        /// The address.
        address: String,
        /// The published checksum.
        expected: String,
        /// That of the download.
        found: String,
    },
    /// Another process fetches the same file.
    #[error("another process is fetching {0}; wait until it has finished")]
    Locked(PathBuf),
    /// The user stopped it.
    #[error("stopped")]
    Stopped,
    /// The system refused something.
    #[error("{path}: {what}")]
    Io {
        /// The file or folder in question.
        path: PathBuf,
        /// What the system said.
        what: String,
    },
}

impl FetchError {
    pub(crate) fn io(path: &std::path::Path) -> impl Fn(io::Error) -> FetchError + '_ {
        |error| FetchError::Io {
            path: path.to_owned(),
            what: error.to_string(),
        }
    }
}
