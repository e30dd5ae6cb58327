//! The reasons why two positions are similar.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Piece, Square};
use tabiya_retrieval::{
    Explanation, explain,
    term::{ByFamily, Family},
};
use utoipa::ToSchema;

/// The shares of a score by family of terms.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Families(BTreeMap<String, f64>);

impl Families {
    /// The shares of the families.
    pub fn new(families: &ByFamily<f64>) -> Families {
        let share = |(family, share): (Family, f64)| (family.name().to_owned(), share);
        Families(families.iter().map(share).collect())
    }

    /// The shares of an explanation, all zero without one.
    pub fn of(why: Option<&Explanation>) -> Families {
        Families::new(&why.map_or(ByFamily::all(0.0), |it| it.families))
    }

    /// The shares in the order of the families.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let share = |it: Family| Some((it.name(), *self.0.get(it.name())?));
        Family::ALL.into_iter().filter_map(share)
    }
}

/// A term that both positions share.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = SharedTerm)]
pub struct Reason {
    /// The term in the paper's notation, such as `b>Nc3`.
    pub term: String,
    /// Its family: place, reach, attack, defence or ray.
    pub family: String,
    /// The weight of the term in the other position.
    pub weight: f64,
    /// Its share of the score.
    pub share: f64,
    /// The term in words.
    pub words: String,
    /// The square of the term, in the query's view.
    pub square: String,
    /// The squares of the acting pieces in the query.
    pub here: Vec<String>,
    /// The squares of the acting pieces in the other position, in the query's view.
    pub there: Vec<String>,
}

/// The strongest shared terms.
pub fn reasons(why: &Explanation, count: usize) -> Vec<Reason> {
    let squares = |set: Bitboard| set.into_iter().map(|it| it.to_string()).collect();
    let reason = |it: &explain::Shared| {
        let (here, there) = why.origins(it);
        Reason {
            term: it.term.to_string(),
            family: it.family.name().to_owned(),
            weight: it.weight.value(),
            share: it.share,
            words: why.words(it),
            square: it.term.square().to_string(),
            here: squares(here),
            there: squares(there),
        }
    };
    why.shared.iter().take(count).map(reason).collect()
}

/// Pieces with their squares, such as `Nc3`.
pub fn piece_names(pieces: &[(Piece, Square)]) -> Vec<String> {
    let name = |(piece, square): &(Piece, Square)| format!("{}{square}", piece.char());
    pieces.iter().map(name).collect()
}
