//! A position in an answer.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use shakmaty::Chess;
use tabiya_chess::{position, wire};
use utoipa::{PartialSchema, ToSchema, openapi};

/// A position, serialized as a FEN in JSON and packed on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fen(pub Chess);

impl Serialize for Fen {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match to.is_human_readable() {
            true => to.serialize_str(&position::to_fen(&self.0)),
            false => wire::position::serialize(&self.0, to),
        }
    }
}

impl<'de> Deserialize<'de> for Fen {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Fen, D::Error> {
        if !from.is_human_readable() {
            return wire::position::deserialize(from).map(Fen);
        }
        let text = String::deserialize(from)?;
        let position = position::read_back(&text);
        position
            .map(Fen)
            .ok_or_else(|| D::Error::custom("not a FEN"))
    }
}

impl PartialSchema for Fen {
    fn schema() -> openapi::RefOr<openapi::Schema> {
        let text = openapi::ObjectBuilder::new().schema_type(openapi::Type::String);
        text.description(Some("A position as a FEN")).into()
    }
}

impl ToSchema for Fen {}
