//! The tags of a game.

use serde::{Deserialize, Serialize};
use tabiya_chess::Tags;
use tabiya_retrieval::GameNumber;
use utoipa::ToSchema;

/// The tags of a game. Unknown values are `null`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameHeader {
    /// The number of the game in the collection, counted from one.
    #[schema(value_type = u64)]
    pub id: GameNumber,
    /// The name of White.
    pub white: String,
    /// The name of Black.
    pub black: String,
    /// White's rating.
    pub white_elo: Option<u16>,
    /// Black's rating.
    pub black_elo: Option<u16>,
    /// The tournament or match.
    pub event: String,
    /// The place, or a link to the game.
    pub site: String,
    /// The date in PGN notation, such as `1972.07.??`.
    pub date: String,
    /// The year of the date.
    pub year: Option<u16>,
    /// The round of the event.
    pub round: String,
    /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// The ECO code of the opening.
    pub eco: Option<String>,
}

impl GameHeader {
    /// The header of a game by its number.
    pub fn new(id: GameNumber, tags: &Tags) -> GameHeader {
        GameHeader {
            id,
            white: tags.white.clone(),
            black: tags.black.clone(),
            white_elo: tags.white_elo,
            black_elo: tags.black_elo,
            event: tags.event.clone(),
            site: tags.site.clone(),
            date: tags.date.to_string(),
            year: Some(tags.date.year).filter(|&it| it > 0),
            round: tags.round.clone(),
            result: tags.result.as_str().to_owned(),
            eco: tags.eco.map(|it| it.to_string()),
        }
    }
}
