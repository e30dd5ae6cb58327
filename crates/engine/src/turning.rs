//! The plies of a game at which something happens, by short searches.
//!
//! Every position gets a very short search. Where the side to move is suddenly much better off
//! than the ply before, because the opponent erred, a search of [`shallow::NODES`] nodes must
//! confirm it; its line says what there was to play. Games that were decided before are left out.

use shakmaty::{Chess, Move, Position};
use tabiya_chess::{Game, Ply};

use crate::{
    Score,
    search::{Engine, Limits, Settings, Signal, Task},
    shallow,
};

/// The nodes of the first look at each position.
const GLANCE: u64 = 300;

/// How much better off the side to move must be, in centipawns.
const TURN: i32 = 150;

/// A position beyond this was decided before.
const DECIDED: i32 = 600;

/// A table for so few nodes need not be large, and is quickly cleared.
const HASH: usize = 1;

/// A position of a game in which the side to move can win something, with its best line.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// How many plies were played before the position.
    pub ply: Ply,
    /// The best line.
    pub line: Vec<Move>,
}

/// Finds the turning points of games; every search begins with an empty table, so that the
/// result depends on the game alone.
pub struct Finder {
    engine: Engine,
}

impl Default for Finder {
    fn default() -> Finder {
        Finder {
            engine: Engine::new(Settings {
                hash: HASH,
                ..Settings::default()
            }),
        }
    }
}

impl Finder {
    /// The turning points of a game, up to its first null move.
    pub fn turns(&mut self, game: &Game) -> Vec<Turn> {
        let mut turns = Vec::new();
        let mut before: Option<Score> = None;
        let moves = game.moves.iter();
        let legal = moves.zip(game.positions()).take_while(|(mv, position)| {
            let mv = mv.to_move(position.board());
            mv.is_some_and(|it| position.is_legal(it))
        });
        for (ply, (_, position)) in (0u16..).zip(legal) {
            let (now, _) = self.search(&position, GLANCE);
            if let Some(before) = before.filter(|it| is_turn(*it, now)) {
                let (score, line) = self.search(&position, shallow::NODES);
                if is_turn(before, score) && !line.is_empty() {
                    let ply = Ply(ply);
                    turns.push(Turn { ply, line });
                }
            }
            before = Some(-now);
        }
        turns
    }

    fn search(&mut self, position: &Chess, nodes: u64) -> (Score, Vec<Move>) {
        self.engine.clear();
        let task = Task::new(position.clone(), Limits::nodes(nodes));
        let found = self.engine.search(&task, &Signal::new(false), &mut |_| {});
        (found.score, found.line)
    }
}

/// Whether the side to move is much better off now, in a game that was open before.
fn is_turn(before: Score, now: Score) -> bool {
    before.value().abs() < DECIDED && now.value() - before.value() >= TURN
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::pgn;

    fn turns(text: &str) -> Vec<(u16, String)> {
        let game = pgn::read(text.as_bytes()).game.unwrap();
        let turns = Finder::default().turns(&game).into_iter();
        turns.map(|it| (it.ply.0, it.line[0].to_string())).collect()
    }

    #[test]
    fn a_blunder_is_a_turning_point_and_good_moves_are_not() {
        assert_eq!(
            turns("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *\n"),
            []
        );
        // The queen is left to the knight, then a mate is allowed.
        let queen = turns("1. e4 e5 2. Nf3 Qg5 3. Nxg5 h6 *\n");
        assert_eq!(queen, [(4, "Nf3xg5".to_owned())]);
        let mate = turns("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n");
        assert_eq!(mate, [(6, "Qh5xf7".to_owned())]);
    }

    #[test]
    fn a_decided_game_and_a_null_move_have_none() {
        // White is two queens ahead before and after Black's move.
        let ahead = "[SetUp \"1\"]\n[FEN \"6k1/5ppp/8/8/8/8/1QQ2PPP/6K1 b - - 0 1\"]\n\n1... h6 2. Qb8+ *\n";
        assert_eq!(turns(ahead), []);
        assert_eq!(turns("1. e4 -- 2. d4 *\n"), []);
    }
}
