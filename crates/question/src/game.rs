//! A game move by move.

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};
use tabiya_chess::{CompactMove, Game as Played, pgn, position};
use tabiya_retrieval::{GameNumber, search::Cancel};
use utoipa::ToSchema;

use crate::{
    AskError, Question, Scope, Shards,
    shape::{GameHeader, san, uci},
};

/// A game by its number.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Game {
    /// Number of the game in the collection, counted from one
    #[arg(value_name = "N")]
    pub id: GameNumber,
}

impl Question for Game {
    const NAME: &'static str = "game";
    const ABOUT: &'static str = "Show a game by its number";
    const PATH: &'static str = "game/{id}";

    type Part = Part;
    type Answer = Answer;

    fn scope(&self) -> Scope {
        Scope::Holder(self.id)
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Part, AskError> {
        let game = shards.game(self.id)?;
        Ok(Part {
            games: shards.games(),
            found: game.map(|it| Answer::new(self.id, &it)),
        })
    }

    fn merge(&self, parts: Vec<Part>, _: &Cancel) -> Result<Answer, AskError> {
        let games: u64 = parts.iter().map(|it| it.games).sum();
        let found = parts.into_iter().find_map(|it| it.found);
        let missing = || format!("there is no game {}; the last is game {games}", self.id);
        found.ok_or_else(|| AskError::Missing(missing()))
    }
}

/// The game, if a group of shards holds it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    games: u64,
    found: Option<Answer>,
}

/// The tags and moves of a game.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = GameAnswer)]
pub struct Answer {
    /// The tags.
    pub game: GameHeader,
    /// The start position.
    pub fen: String,
    /// What the annotator says before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub moves: Vec<GameMove>,
    /// The game in PGN, with all tags, comments and variations.
    pub pgn: String,
}

/// A move and the position after it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Ply)]
pub struct GameMove {
    /// The move in SAN; `--` for a null move.
    pub san: String,
    /// The move in UCI notation; `0000` for a null move.
    pub uci: String,
    /// The position after the move.
    pub fen: String,
    /// The annotator's glyphs, such as 1 for a good move and 2 for a mistake.
    pub glyphs: Vec<u8>,
    /// What the annotator says after the move.
    pub comments: Vec<String>,
}

impl Answer {
    fn new(id: GameNumber, game: &Played) -> Answer {
        let positions: Vec<Chess> = game.positions().collect();
        let plies = positions.windows(2).zip(&game.moves);
        Answer {
            game: GameHeader::new(id, &game.tags),
            fen: position::to_fen(&game.start()),
            comments: game.annotations.words_at(0).collect(),
            moves: (1..)
                .zip(plies)
                .map(|(ply, (pair, &mv))| GameMove {
                    glyphs: game.annotations.nags_at(ply).collect(),
                    comments: game.annotations.words_at(ply).collect(),
                    ..GameMove::new(&pair[0], mv, &pair[1])
                })
                .collect(),
            pgn: pgn::to_string(game),
        }
    }
}

impl GameMove {
    fn new(before: &Chess, mv: CompactMove, after: &Chess) -> GameMove {
        let mv = mv.to_move(before.board());
        GameMove {
            san: mv.map_or("--".to_owned(), |it| san(before, it)),
            uci: mv.map_or("0000".to_owned(), uci),
            fen: position::to_fen(after),
            glyphs: Vec::new(),
            comments: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_has_its_positions() {
        let game = pgn::read(b"1. e4 -- 2. Nf3 *").game.unwrap();
        let answer = serde_json::to_value(Answer::new(GameNumber(3), &game)).unwrap();
        assert_eq!(answer["game"]["id"], 3);
        let moves = answer["moves"].as_array().unwrap();
        let names: Vec<_> = moves.iter().map(|it| (&it["san"], &it["uci"])).collect();
        assert_eq!(names[0], (&"e4".into(), &"e2e4".into()));
        assert_eq!(names[1], (&"--".into(), &"0000".into()));
        assert_eq!(
            moves[2]["fen"],
            "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 2 2"
        );
    }
}
