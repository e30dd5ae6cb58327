//! The board on which a game of a contest is played.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, KnownOutcome, Move, Outcome, Position};

/// The longest game; longer ones are drawn.
const LONGEST: usize = 500;

/// The game so far.
pub(crate) struct Board {
    pub(crate) position: Chess,
    pub(crate) moves: Vec<Move>,
    seen: Vec<Chess>,
}

impl Board {
    pub(crate) fn new(opening: &[Move]) -> Board {
        let mut board = Board {
            position: Chess::default(),
            moves: Vec::new(),
            seen: vec![Chess::default()],
        };
        for &mv in opening {
            board.make(mv);
        }
        board
    }

    fn make(&mut self, mv: Move) {
        if mv.is_zeroing() {
            self.seen.clear();
        }
        self.position.play_unchecked(mv);
        self.moves.push(mv);
        self.seen.push(self.position.clone());
    }

    pub(crate) fn play(&mut self, text: &str) -> bool {
        let mv = text
            .parse::<UciMove>()
            .ok()
            .and_then(|it| it.to_move(&self.position).ok());
        match mv.filter(|&it| self.position.is_legal(it)) {
            Some(mv) => {
                self.make(mv);
                true
            }
            None => false,
        }
    }

    pub(crate) fn outcome(&self) -> Option<KnownOutcome> {
        if let Outcome::Known(outcome) = self.position.outcome() {
            return Some(outcome);
        }
        let times = self.seen.iter().filter(|&it| *it == self.position).count();
        let drawn = times >= 3 || self.position.halfmoves() >= 100 || self.moves.len() >= LONGEST;
        drawn.then_some(KnownOutcome::Draw)
    }

    pub(crate) fn command(&self) -> String {
        let moves: Vec<String> = self
            .moves
            .iter()
            .map(|it| it.to_uci(shakmaty::CastlingMode::Standard).to_string())
            .collect();
        if moves.is_empty() {
            "position startpos".to_owned()
        } else {
            format!("position startpos moves {}", moves.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::opening::read_line;
    use shakmaty::Color;

    #[test]
    fn repetition_and_mate_end_a_game() {
        let mut board = Board::new(&[]);
        for mv in [
            "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8",
        ] {
            assert_eq!(board.outcome(), None);
            assert!(board.play(mv));
        }
        assert_eq!(board.outcome(), Some(KnownOutcome::Draw));
        let mut board = Board::new(&read_line("f3 e5 g4").unwrap());
        assert!(!board.play("d8h9") && board.play("d8h4"));
        assert_eq!(
            board.outcome(),
            Some(KnownOutcome::Decisive {
                winner: Color::Black
            })
        );
    }
}
