//! Serializes parts for transfer between machines.

use serde::{Serialize, de::DeserializeOwned};

use crate::AskError;

pub(crate) fn pack(part: &impl Serialize) -> Result<Vec<u8>, AskError> {
    postcard::to_stdvec(part).map_err(|error| AskError::Part(error.to_string()))
}

pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, AskError> {
    postcard::from_bytes(bytes).map_err(|error| AskError::Part(error.to_string()))
}
