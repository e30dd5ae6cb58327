//! Reading a request's parameters with the command line's own parsers.

use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer},
};

/// Reads a text by a parser of the command line.
///
/// # Errors
///
/// What the parser says.
pub fn required<'de, D, T>(
    from: D,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    parse(&String::deserialize(from)?).map_err(D::Error::custom)
}

/// The same for what may be left out.
///
/// # Errors
///
/// What the parser says.
pub fn optional<'de, D, T>(
    from: D,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
{
    required(from, parse).map(Some)
}

/// The same for a list with commas.
///
/// # Errors
///
/// What the parser says.
pub fn list<'de, D, T>(
    from: D,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
{
    let text = String::deserialize(from)?;
    let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
    parts
        .map(parse)
        .collect::<Result<_, _>>()
        .map_err(D::Error::custom)
}

/// Reads a name by the names that serde knows.
///
/// # Errors
///
/// What the parser says.
pub fn named<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, String> {
    let read: Result<T, serde::de::value::Error> = T::deserialize(text.into_deserializer());
    read.map_err(|error| error.to_string())
}
