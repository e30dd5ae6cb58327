//! Writes parameters as the text they were read from, so that an answer shows its settings.

use std::fmt::Display;

use serde::Serializer;

pub(super) fn one<S: Serializer>(value: &Option<impl Display>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => to.collect_str(value),
        None => to.serialize_none(),
    }
}

pub(super) fn list<S: Serializer>(values: &[impl Display], to: S) -> Result<S::Ok, S::Error> {
    if values.is_empty() {
        return to.serialize_none();
    }
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    to.serialize_str(&texts.join(","))
}
