//! An exercise as a learner sees it.

use shakmaty::{Chess, Move};
use tabiya_chess::{Line, Ply, position};
use tabiya_retrieval::{
    Collection, Filter,
    index::{FormatError, GameDigest},
    motif::{Exhibit, exhibits},
};

/// A position with its solution.
pub(super) struct Exercise {
    /// The name of the exercise, or the number of its game.
    pub(super) name: String,
    pub(super) position: Chess,
    pub(super) solution: Vec<Move>,
    pub(super) themes: Vec<String>,
    pub(super) rating: Option<u16>,
    /// The position before the opponent's move, if it is known.
    pub(super) before: Option<Chess>,
    digest: String,
    ply: Ply,
}

impl Exercise {
    /// What the history calls it.
    pub(super) fn key(&self) -> (String, Ply) {
        (self.digest.clone(), self.ply)
    }

    pub(super) fn fen(&self) -> String {
        position::to_fen(&self.position)
    }

    /// The solution in SAN.
    pub(super) fn moves(&self) -> Vec<String> {
        let line = Line::of_moves(self.position.clone(), self.solution.iter().copied());
        line.map_or(Vec::new(), |it| it.to_san())
    }
}

/// The exercises of a collection that a filter admits.
pub(super) fn all(collection: &Collection, filter: &Filter) -> Result<Vec<Exercise>, FormatError> {
    let mut all = Vec::new();
    collection.for_each_game(filter, |number, game| {
        let tag = |name: &str| {
            let mut others = game.tags.others.iter();
            others.find(|it| it.0 == name).map(|it| it.1.clone())
        };
        let themes = tag(Exhibit::THEMES).unwrap_or_default();
        for exhibit in exhibits(&game) {
            let name = tag("PuzzleId").unwrap_or_else(|| format!("game {number}"));
            let ply = usize::from(exhibit.ply);
            all.push(Exercise {
                name,
                themes: themes.split_whitespace().map(str::to_owned).collect(),
                rating: tag(Exhibit::RATING).and_then(|it| it.parse().ok()),
                before: ply.checked_sub(1).and_then(|it| game.position(it)),
                digest: format!("{:?}", GameDigest::of(&game)),
                ply: exhibit.ply,
                position: exhibit.position,
                solution: exhibit.line,
            });
        }
        Ok::<(), FormatError>(())
    })?;
    Ok(all)
}
