//! A game move by move, as JSON.

use serde::Serialize;
use shakmaty::{Chess, san::SanPlus, uci::UciMove};
use tabiya_chess::{Game, position};
use utoipa::ToSchema;

use crate::json;

/// A game's tags and moves.
#[derive(Debug, Serialize, ToSchema)]
pub struct Moves {
    game: json::Game,
    /// The position it began from.
    fen: String,
    moves: Vec<Ply>,
}

/// A half-move, and the position that it leads to.
#[derive(Debug, Serialize, ToSchema)]
struct Ply {
    /// In the notation of players; `--` for a pass.
    san: String,
    /// In the notation of engines; `0000` for a pass.
    uci: String,
    fen: String,
}

impl Moves {
    /// A game by its number in the collection.
    pub fn new(id: u64, game: &Game) -> Moves {
        let positions: Vec<Chess> = game.positions().collect();
        let plies = positions.windows(2).zip(&game.moves);
        let ply = |(pair, mv): (&[Chess], &tabiya_chess::CompactMove)| {
            let before = &pair[0];
            let mv = mv.to_move(shakmaty::Position::board(before));
            Ply {
                san: mv.map_or("--".to_owned(), |it| {
                    SanPlus::from_move(before.clone(), it).to_string()
                }),
                uci: mv.map_or("0000".to_owned(), |it| {
                    UciMove::from_standard(it).to_string()
                }),
                fen: position::to_fen(&pair[1]),
            }
        };
        Moves {
            game: json::Game::new(id, &game.tags),
            fen: position::to_fen(&game.start()),
            moves: plies.map(ply).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::pgn;

    #[test]
    fn a_game_is_told_with_its_positions() {
        let game = pgn::read(b"1. e4 -- 2. Nf3 *").game.unwrap();
        let told = serde_json::to_value(Moves::new(3, &game)).unwrap();
        assert_eq!(told["game"]["id"], 3);
        let moves = told["moves"].as_array().unwrap();
        let names: Vec<_> = moves.iter().map(|it| (&it["san"], &it["uci"])).collect();
        assert_eq!(names[0], (&"e4".into(), &"e2e4".into()));
        assert_eq!(names[1], (&"--".into(), &"0000".into()));
        assert_eq!(
            moves[2]["fen"],
            "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 2 2"
        );
    }
}
