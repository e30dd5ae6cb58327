//! Errors of depots, with their remedies.

use std::{
    env, fmt, io,
    path::{Path, PathBuf},
};

use tabiya_retrieval::{CollectionError, index::FormatError};

/// Environment variables whose values must never be printed.
const SECRETS: [&str; 3] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
];

/// An object of a depot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) depot: String,
    pub(crate) name: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.name, self.depot)
    }
}

/// An error of a depot. No message contains a credential.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DepotError {
    /// The address or its environment variables are invalid.
    #[error("{0}; give the depot as s3://bucket/prefix or file:///folder")]
    Address(String),
    /// The program was built without S3.
    #[error(
        "this program was built without S3; build it with: cargo build --release --features s3"
    )]
    NoS3,
    /// The environment has no credentials.
    #[error(
        "credentials are missing; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY \
         (and AWS_ENDPOINT_URL for a server other than Amazon's)"
    )]
    NoCredentials,
    /// The store denied access.
    #[error(
        "{0} denied access; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION \
         and the permissions on the bucket"
    )]
    Denied(String),
    /// The bucket does not exist.
    #[error(
        "the bucket of {0} does not exist; create it first, or check the address and AWS_ENDPOINT_URL"
    )]
    NoBucket(String),
    /// The store cannot be reached.
    #[error(
        "cannot reach {depot} ({what}); check AWS_ENDPOINT_URL and the network, \
         then try again: finished shards are kept"
    )]
    Unreachable {
        /// The depot.
        depot: String,
        /// What failed.
        what: String,
    },
    /// An object does not exist.
    #[error("{} has no object {}", .0.depot, .0.name)]
    Missing(Place),
    /// The generation does not exist.
    #[error("{}", no_generation(depot, *generation))]
    NoGeneration {
        /// The depot.
        depot: String,
        /// The requested generation; `None` for the current one.
        generation: Option<u64>,
    },
    /// An object is damaged, in this way.
    #[error(
        "{0} is damaged ({1}); delete it there and push the collection again, \
         or pull an older generation"
    )]
    Damaged(Place, String),
    /// An object of a generation is missing.
    #[error(
        "{} is missing from {}; push the collection again, or pull an older generation",
        .0.name, .0.depot
    )]
    Incomplete(Place),
    /// An object has another format version, this one.
    #[error(
        "{0} has format {1}, which this program cannot read; \
         use the program that wrote it, or pull an older generation"
    )]
    OtherVersion(Place, String),
    /// The shards and statistics to publish do not match.
    #[error("{0}")]
    Inconsistent(String),
    /// Another error of the store, with its message.
    #[error("{0}: {1}")]
    Store(Place, String),
    /// The transfer was canceled.
    #[error("stopped; run the same command again to continue")]
    Canceled,
    /// The collection cannot be used.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// An error of the operating system.
    #[error("{}", failure(path, error))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

fn no_generation(depot: &str, generation: Option<u64>) -> String {
    match generation {
        None => {
            format!(
                "{depot} does not hold a collection yet; upload one with: tabiya push DIR {depot}"
            )
        }
        Some(number) => format!(
            "{depot} has no generation {number}; list its generations with: tabiya pull {depot} --list"
        ),
    }
}

/// The error of the system for a file, with the remedy for a full disk.
fn failure(path: &Path, error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::StorageFull => "; free disk space and try again: finished shards are kept",
        _ => "",
    };
    format!("{}: {error}{advice}", path.display())
}

impl From<FormatError> for DepotError {
    fn from(error: FormatError) -> DepotError {
        DepotError::Collection(error.into())
    }
}

impl DepotError {
    /// The system refused to start threads.
    pub(crate) fn threads(error: io::Error) -> DepotError {
        let path = "threads".into();
        DepotError::Io { path, error }
    }

    /// Translates an error of the store. The message keeps the store's error code but not
    /// its response, which may contain keys and signatures.
    pub(crate) fn of_store(place: Place, error: &object_store::Error) -> DepotError {
        let text = error.to_string();
        let what = without_secrets(&brief(&text));
        match error {
            _ if text.contains("NoSuchBucket") => DepotError::NoBucket(place.depot),
            object_store::Error::NotFound { .. } => DepotError::Missing(place),
            object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. } => DepotError::Denied(place.depot),
            // The library has no error kind for a denied list.
            _ if text.contains("403 Forbidden") || text.contains("401 Unauthorized") => {
                DepotError::Denied(place.depot)
            }
            _ if is_of_network(error) => DepotError::Unreachable {
                depot: place.depot,
                what: innermost(error),
            },
            _ => DepotError::Store(place, what),
        }
    }
}

/// Masks the credentials of the environment in a text.
pub(crate) fn without_secrets(text: &str) -> String {
    let values = SECRETS.iter().filter_map(|it| env::var(it).ok());
    values
        .filter(|it| !it.is_empty())
        .fold(text.to_owned(), |text, secret| text.replace(&secret, "***"))
}

/// The start of a text, up to an XML document, and the error code in that document.
fn brief(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let said = line.split('<').next().unwrap_or_default().trim();
    let code = text
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"))
        .map(|(code, _)| format!(" ({code})"));
    format!("{said}{}", code.unwrap_or_default())
}

/// The error and what caused it.
fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |it| it.source())
}

/// Whether the server could not be reached; a folder has none.
fn is_of_network(error: &object_store::Error) -> bool {
    #[cfg(feature = "s3")]
    let is_of_client = |it: &(dyn std::error::Error + 'static)| it.is::<reqwest::Error>();
    #[cfg(not(feature = "s3"))]
    let is_of_client = |_: &(dyn std::error::Error + 'static)| false;
    causes(error).any(is_of_client)
}

/// The innermost cause: the error of the system.
fn innermost(error: &object_store::Error) -> String {
    let last = causes(error).last().map(ToString::to_string);
    without_secrets(&brief(&last.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_of_a_server_are_not_repeated() {
        let error = object_store::Error::Generic {
            store: "S3",
            source:
                "Server returned 400: <?xml?><Error><Code>Odd</Code><Key>hush</Key></Error>\nhush"
                    .into(),
        };
        let place = || Place {
            depot: "s3://bucket".to_owned(),
            name: "object".to_owned(),
        };
        let text = DepotError::of_store(place(), &error).to_string();
        assert_eq!(
            text,
            "object in s3://bucket: Generic S3 error: Server returned 400: (Odd)"
        );
        let error = object_store::Error::Generic {
            store: "S3",
            source: "Server returned non-2xx status code: 403 Forbidden: <Key>hush</Key>".into(),
        };
        let error = DepotError::of_store(place(), &error);
        assert!(matches!(error, DepotError::Denied(_)), "{error}");
    }
}
