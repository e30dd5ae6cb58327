//! A stored game as patterns see it.

use shakmaty::{Board, Chess, Color};
use tabiya_chess::{CompactMove, Ply, Tags};
use tabiya_pattern::Scoresheet;

use crate::index::{GameIndex, GameRecord, Windows};

/// A game or variation of a segment.
pub(super) struct Stored<'a> {
    windows: &'a Windows<'a>,
    games: &'a Windows<'a>,
    record: GameRecord,
    moves: &'a [[u8; 2]],
    game: GameIndex,
    first: Color,
}

impl<'a> Stored<'a> {
    /// A line of `windows`, and the game among `games` that has its tags.
    pub(super) fn new(
        windows: &'a Windows<'a>,
        games: &'a Windows<'a>,
        record: GameRecord,
        game: GameIndex,
    ) -> Stored<'a> {
        Stored {
            windows,
            games,
            moves: windows.stored_moves(&record),
            first: windows.first_turn(&record),
            record,
            game,
        }
    }

    pub(super) fn turn_at_start(&self) -> Color {
        self.first
    }
}

impl Scoresheet for Stored<'_> {
    fn plies(&self) -> usize {
        self.moves.len()
    }

    fn mv(&self, ply: usize) -> CompactMove {
        let bytes = self.moves.get(ply).copied().unwrap_or_default();
        CompactMove::from_bits(u16::from_le_bytes(bytes))
    }

    fn first_turn(&self) -> Color {
        self.first
    }

    fn board_before(&self, ply: usize) -> (usize, Board) {
        let stored = self.windows.board_before(&self.record, Ply::after(ply));
        match stored {
            Some((from, board)) => (from.into(), board),
            None => (ply, Board::empty()),
        }
    }

    fn start(&self) -> Chess {
        self.windows.start(&self.record)
    }

    fn tags(&self) -> Tags {
        self.games.tags(&self.games.record(self.game))
    }
}
