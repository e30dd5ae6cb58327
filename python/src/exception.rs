//! Raises errors as exceptions of `tabiya.errors`, with the messages of the program.

use std::{error::Error, io};

use pyo3::{PyErr, prelude::*};
use tabiya_depot::DepotError;
use tabiya_question::{AskError, Invalid};
use tabiya_retrieval::{
    CollectionError,
    index::{FormatError, StatisticsError},
};

/// An error of the libraries, to be raised in Python.
#[derive(Debug)]
pub(crate) struct Exception {
    /// The name of the exception in `tabiya.errors`.
    class: &'static str,
    message: String,
}

impl Exception {
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Exception {
        Exception {
            class,
            message: message.into(),
        }
    }

    /// An invalid parameter.
    pub(crate) fn query(message: impl Into<String>) -> Exception {
        Exception::new("QueryError", message)
    }

    /// An error of the operating system.
    pub(crate) fn io(place: &str, error: &io::Error) -> Exception {
        Exception::new(class_of(error), format!("{place}: {error}"))
    }
}

fn class_of(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "MissingFileError",
        _ => "StorageError",
    }
}

impl From<Exception> for PyErr {
    fn from(exception: Exception) -> PyErr {
        Python::attach(|py| {
            let class = py
                .import("tabiya.errors")
                .and_then(|it| it.getattr(exception.class));
            match class.and_then(|it| it.call1((exception.message,))) {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        })
    }
}

impl From<Invalid> for Exception {
    fn from(error: Invalid) -> Exception {
        Exception::query(error.to_string())
    }
}

impl From<AskError> for Exception {
    fn from(error: AskError) -> Exception {
        match error {
            AskError::Invalid(invalid) => invalid.into(),
            AskError::Damaged(error) => error.into(),
            AskError::Traps(error) => error.into(),
            AskError::Missing(words) => Exception::new("MissingGameError", words),
            AskError::Part(_) => Exception::query(error.to_string()),
        }
    }
}

impl From<StatisticsError> for Exception {
    fn from(error: StatisticsError) -> Exception {
        Exception::new("DamagedError", error.to_string())
    }
}

impl From<FormatError> for Exception {
    fn from(error: FormatError) -> Exception {
        let class = match &error {
            FormatError::Io { error, .. } => class_of(error),
            _ => "DamagedError",
        };
        Exception::new(class, with_causes(&error))
    }
}

impl From<CollectionError> for Exception {
    fn from(error: CollectionError) -> Exception {
        let class = match &error {
            CollectionError::NotACollection(_) => "NotACollectionError",
            CollectionError::Locked(_) => "LockedError",
            CollectionError::Skip { .. } => "QueryError",
            CollectionError::Format(FormatError::Io { error, .. })
            | CollectionError::Io { error, .. } => class_of(error),
            _ => "DamagedError",
        };
        Exception::new(class, with_causes(&error))
    }
}

impl From<DepotError> for Exception {
    fn from(error: DepotError) -> Exception {
        if let DepotError::Collection(error) = error {
            return error.into();
        }
        let class = match &error {
            DepotError::Address(_) | DepotError::Inconsistent(_) => "QueryError",
            DepotError::Missing { .. } | DepotError::NoGeneration { .. } => "MissingFileError",
            DepotError::Damaged { .. } | DepotError::Incomplete { .. } => "DamagedError",
            _ => "StorageError",
        };
        Exception::new(class, with_causes(&error))
    }
}

/// An error with its causes, as the program prints them.
fn with_causes(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}
