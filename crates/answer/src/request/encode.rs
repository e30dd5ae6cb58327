//! The terms of a position.

use serde::Deserialize;

use super::{PositionParameters, RequestError, read};
use crate::encoding::{Encoded, encode};

/// As what the position is encoded.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Form {
    /// As a query, without reach; otherwise as a position of the archive.
    pub query: bool,
}

/// A position to encode.
#[derive(Debug)]
pub struct Encode {
    /// The position.
    pub position: PositionParameters,
    /// As what.
    pub form: Form,
}

impl Encode {
    /// Reads the request from parameters.
    ///
    /// # Errors
    ///
    /// When a parameter is missing or makes no sense.
    pub fn read(parameters: &str) -> Result<Encode, RequestError> {
        Ok(Encode {
            position: read(parameters)?,
            form: read(parameters)?,
        })
    }

    /// The answer.
    pub fn answer(&self) -> Encoded {
        let position = &self.position.fen;
        Encoded::new(position, &encode(position, self.form.query))
    }
}
