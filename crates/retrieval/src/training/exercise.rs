//! An exercise as a learner gets it, and where a collection has those of a history.

use std::collections::BTreeMap;

use shakmaty::{Chess, Move, Position};
use tabiya_chess::{CompactMove, Game, Line, Ply, position};

use super::Cards;
use crate::{
    index::{FormatError, GameDigest, GameNumber, Shard},
    motif::{Exhibit, exhibits, ideas, value},
};

/// A position with its solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Exercise {
    /// The game that holds it.
    pub game: GameNumber,
    /// The digest of the game.
    pub digest: GameDigest,
    /// How many plies were played before the position.
    pub ply: Ply,
    /// The name of the exercise, or the number of its game.
    pub name: String,
    /// The position in which the learner moves.
    pub position: Chess,
    /// The moves of the learner and the replies.
    pub solution: Vec<Move>,
    /// The position before, and the move that led here; `None` at the start of a game.
    pub before: Option<(Chess, Move)>,
    /// The themes of an exercise; the ideas of the solution if it has none.
    pub motifs: Vec<String>,
    /// The rating of the exercise.
    pub rating: Option<u16>,
}

impl Exercise {
    /// The exercises of a game, in the order of their plies.
    pub fn all(number: GameNumber, game: &Game) -> Vec<Exercise> {
        let digest = GameDigest::of(game);
        let of = |it: Exhibit| Exercise::of(number, digest, game, it);
        exhibits(game).into_iter().map(of).collect()
    }

    fn of(number: GameNumber, digest: GameDigest, game: &Game, exhibit: Exhibit) -> Exercise {
        let tag = |name: &str| value(&game.tags, name);
        let themes = tag(Exhibit::THEMES).unwrap_or_default();
        let mut motifs: Vec<String> = themes.split_whitespace().map(str::to_owned).collect();
        if motifs.is_empty() {
            let ideas = ideas(&exhibit.position, &exhibit.line);
            motifs.extend(ideas.iter().map(ToString::to_string));
        }
        let ply = usize::from(exhibit.ply);
        let before = ply.checked_sub(1).and_then(|it| {
            let position = game.position(it)?;
            let last: &CompactMove = game.moves.get(it)?;
            let last = last.to_move(position.board())?;
            Some((position, last))
        });
        Exercise {
            game: number,
            digest,
            ply: exhibit.ply,
            name: tag(Exhibit::NAME).map_or_else(|| format!("game {number}"), str::to_owned),
            rating: tag(Exhibit::RATING).and_then(|it| it.parse().ok()),
            position: exhibit.position,
            solution: exhibit.line,
            before,
            motifs,
        }
    }

    /// What the history calls it.
    pub fn key(&self) -> (GameDigest, Ply) {
        (self.digest, self.ply)
    }

    /// What the history calls the position before it, if the learner is asked about that one.
    pub fn herring_key(&self) -> (GameDigest, Ply) {
        (self.digest, Ply(self.ply.0.saturating_sub(1)))
    }

    /// The position as a FEN.
    pub fn fen(&self) -> String {
        position::to_fen(&self.position)
    }

    /// The solution in SAN.
    pub fn moves(&self) -> Vec<String> {
        let line = Line::of_moves(self.position.clone(), self.solution.iter().copied());
        line.map_or(Vec::new(), |it| it.to_san())
    }
}

/// The numbers of the games that a history speaks of. Games that the collection no longer has
/// are left out.
///
/// # Errors
///
/// When a shard is damaged.
pub fn games_of(
    cards: &Cards,
    shards: &[Shard<'_>],
) -> Result<BTreeMap<GameDigest, GameNumber>, FormatError> {
    let mut games = BTreeMap::new();
    if cards.is_empty() {
        return Ok(games);
    }
    let has = |digest: GameDigest| {
        let mut from = cards.range((digest, Ply(0))..);
        from.next().is_some_and(|it| it.0.0 == digest)
    };
    for shard in shards {
        for (number, digest) in (shard.first_game.0..).zip(shard.segment.digests()?) {
            if has(digest) {
                games.entry(digest).or_insert(GameNumber(number));
            }
        }
    }
    Ok(games)
}
