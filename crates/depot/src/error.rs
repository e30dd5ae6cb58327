//! Why something in a depot could not be done, and what to do next.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use tabiya_retrieval::{CollectionError, index::FormatError};

/// The variables whose values nobody may see.
const SECRETS: [&str; 3] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
];

/// Why something in a depot could not be done. No text of it holds a
/// credential.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DepotError {
    /// The address, or the environment that belongs to it, is wrong.
    #[error("{0}; give the depot as s3://bucket/prefix or file:///folder")]
    Address(String),
    /// The environment does not say who we are.
    #[error(
        "there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY \
         (and AWS_ENDPOINT_URL unless the bucket is Amazon's)"
    )]
    NoCredentials,
    /// The store does not let us in.
    #[error(
        "{0} does not admit these credentials; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, \
         AWS_REGION and what they may do in the bucket"
    )]
    Denied(String),
    /// There is no such bucket.
    #[error(
        "the bucket of {0} does not exist; make it first, or check the address and AWS_ENDPOINT_URL"
    )]
    NoBucket(String),
    /// Nobody answers.
    #[error(
        "{depot} cannot be reached ({what}); check AWS_ENDPOINT_URL and the network, \
         then try again: what has arrived is kept"
    )]
    Unreachable {
        /// The depot.
        depot: String,
        /// What happened.
        what: String,
    },
    /// An object is not there.
    #[error("{depot} has no object {name}")]
    Missing {
        /// The depot.
        depot: String,
        /// The object.
        name: String,
    },
    /// There is no such generation.
    #[error("{}", no_generation(depot, *generation))]
    NoGeneration {
        /// The depot.
        depot: String,
        /// The one that was asked for; the current one if `None`.
        generation: Option<u64>,
    },
    /// An object is not what it should be.
    #[error(
        "{name} in {depot} is damaged ({what}); delete it there and push the collection again, \
         or pull an older generation"
    )]
    Damaged {
        /// The depot.
        depot: String,
        /// The object.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// An object that a generation needs is not there.
    #[error("{name} is missing in {depot}; push the collection again, or pull an older generation")]
    Incomplete {
        /// The depot.
        depot: String,
        /// The object.
        name: String,
    },
    /// An object was written in another version of the format.
    #[error(
        "{name} in {depot} has format {found}, which this program does not read; \
         use the program that wrote it, or pull an older generation"
    )]
    OtherVersion {
        /// The depot.
        depot: String,
        /// The object.
        name: String,
        /// The version.
        found: String,
    },
    /// What was to be published does not fit together.
    #[error("{0}")]
    Inconsistent(String),
    /// The store refused something else.
    #[error("{name} in {depot}: {what}")]
    Store {
        /// The depot.
        depot: String,
        /// The object.
        name: String,
        /// What the store said.
        what: String,
    },
    /// The transfer was called off.
    #[error("stopped; the same command goes on from here")]
    Cancelled,
    /// The collection cannot be used.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// The system refused something.
    #[error("{}", failure(path, error))]
    Io {
        /// The file or folder in question.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

fn no_generation(depot: &str, generation: Option<u64>) -> String {
    match generation {
        None => {
            format!("{depot} holds no collection yet; put one there with: tabiya push DIR {depot}")
        }
        Some(number) => format!(
            "{depot} has no generation {number}; list those it has with: tabiya pull {depot} --list"
        ),
    }
}

/// What the system said of a file, and what to do on a full disk.
fn failure(path: &Path, error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::StorageFull => "; make room and try again: what has arrived is kept",
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
    /// What a store said of an object, in our words. What it answered beside
    /// its code is not repeated: it may hold keys and signatures.
    pub(crate) fn of_store(depot: &str, name: &str, error: &object_store::Error) -> DepotError {
        let depot = depot.to_owned();
        let text = error.to_string();
        let what = without_secrets(&brief(&text));
        match error {
            _ if text.contains("NoSuchBucket") => DepotError::NoBucket(depot),
            object_store::Error::NotFound { .. } => DepotError::Missing {
                depot,
                name: name.to_owned(),
            },
            object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. } => DepotError::Denied(depot),
            // A list that is refused has no kind of its own.
            _ if text.contains("403 Forbidden") || text.contains("401 Unauthorized") => {
                DepotError::Denied(depot)
            }
            _ if is_of_network(error) => DepotError::Unreachable {
                depot,
                what: innermost(error),
            },
            _ => DepotError::Store {
                depot,
                name: name.to_owned(),
                what,
            },
        }
    }
}

/// A text in which no credential of the environment can be read.
pub(crate) fn without_secrets(text: &str) -> String {
    let values = SECRETS.iter().filter_map(|it| env::var(it).ok());
    values
        .filter(|it| !it.is_empty())
        .fold(text.to_owned(), |text, secret| text.replace(&secret, "***"))
}

/// The beginning of a text, before anything that looks like a document, and
/// the code from that document.
fn brief(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let said = line.split('<').next().unwrap_or_default().trim();
    let code = text
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"))
        .map(|(code, _)| format!(" ({code})"));
    format!("{said}{}", code.unwrap_or_default())
}

fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |it| it.source())
}

/// Whether the server could not be talked to at all.
fn is_of_network(error: &object_store::Error) -> bool {
    causes(error).any(|it| it.is::<reqwest::Error>())
}

/// The last of the causes: what the system said.
fn innermost(error: &object_store::Error) -> String {
    let last = causes(error).last().map(ToString::to_string);
    without_secrets(&brief(&last.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_answers_is_not_repeated() {
        let error = object_store::Error::Generic {
            store: "S3",
            source:
                "Server returned 400: <?xml?><Error><Code>Odd</Code><Key>hush</Key></Error>\nhush"
                    .into(),
        };
        let text = DepotError::of_store("s3://bucket", "object", &error).to_string();
        assert_eq!(
            text,
            "object in s3://bucket: Generic S3 error: Server returned 400: (Odd)"
        );
        let error = object_store::Error::Generic {
            store: "S3",
            source: "Server returned non-2xx status code: 403 Forbidden: <Key>hush</Key>".into(),
        };
        let error = DepotError::of_store("s3://bucket", "object", &error);
        assert!(matches!(error, DepotError::Denied(_)), "{error}");
    }
}
