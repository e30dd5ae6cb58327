//! What makes two positions alike, as a player sees it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Board};
use tabiya_retrieval::likeness::{GROUPS, Group, Word};
use utoipa::ToSchema;

/// What each group adds to the likeness of two positions, compared with an ordinary hit: squares,
/// pawns, material, kings, threats, lines.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Contributions(BTreeMap<String, f64>);

impl Contributions {
    /// The contributions in the order of the groups.
    pub fn new(groups: &[f64; GROUPS]) -> Contributions {
        let named = Group::ALL.iter().zip(groups);
        Contributions(
            named
                .map(|(it, &part)| (it.name().to_owned(), part))
                .collect(),
        )
    }

    /// The contributions, the greatest first.
    pub fn greatest_first(&self) -> Vec<(&str, f64)> {
        let mut all: Vec<(&str, f64)> = self
            .0
            .iter()
            .map(|(name, &part)| (name.as_str(), part))
            .collect();
        all.sort_by(|one, two| two.1.total_cmp(&one.1));
        all
    }
}

/// Something that a player would say of both positions.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SharedWord {
    /// What it says, such as `knight fork on c7`.
    pub words: String,
    /// The squares to point at in the query.
    pub here: Vec<String>,
    /// The squares to point at in the other position, in the query's view.
    pub there: Vec<String>,
}

impl SharedWord {
    /// A word said of two boards, the second in the view of the first.
    pub fn new(word: &Word, here: &Board, there: &Board) -> SharedWord {
        let squares = |set: Bitboard| set.into_iter().map(|it| it.to_string()).collect();
        SharedWord {
            words: word.to_string(),
            here: squares(word.squares(here)),
            there: squares(word.squares(there)),
        }
    }
}
