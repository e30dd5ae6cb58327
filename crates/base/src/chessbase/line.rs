//! The main line of a game whose moves become unreadable: up to there.

use cbvault_chess::{
    decode::{GameRef, NULL_MOVE, start_as_played},
    start::{Start, start_board},
    tree::MovesBuf,
};
use cbvault_format::cbh::GameMoves;
use shakmaty::{Chess, Position, Role, Square, san::San, uci::UciMove};
use tabiya_chess::{pgn, position};

use crate::text::TextWriter;

/// Writes the start and the sound moves of a game. `tree` holds what the
/// decoder has read of it; the last move may be the one that is not legal.
pub(super) fn write(id: u32, game: &GameMoves<'_>, tree: &MovesBuf, text: &mut TextWriter) {
    let Ok(start) = start_as_played(GameRef::new(id), game) else {
        text.end_tags();
        return;
    };
    let mut position = Chess::default();
    if start != Start::Standard {
        let fen = start_board(&start).map(|it| it.to_fen());
        let fen = fen.unwrap_or_default();
        text.tag(b"FEN", fen.as_bytes());
        match pgn::read_start(&fen) {
            Ok(start) => position = start,
            Err(_) => return text.end_tags(),
        }
    }
    text.end_tags();
    let moves = tree.moves().iter().zip(tree.is_main());
    for (&word, _) in moves.filter(|it| *it.1) {
        let Some((san, next)) = play(&position, word) else {
            return;
        };
        text.word(&san);
        position = next;
    }
}

fn play(position: &Chess, word: u16) -> Option<(String, Chess)> {
    if word == NULL_MOVE {
        return Some(("--".to_owned(), position::pass(position)?));
    }
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    let promotion = match word >> 12 {
        0 => None,
        role => Some(*Role::ALL.get(usize::from(role))?),
    };
    let uci = UciMove::Normal {
        from: square(word),
        to: square(word >> 6),
        promotion,
    };
    let mv = uci.to_move(position).ok()?;
    let san = San::from_move(position, mv).to_string();
    let mut next = position.clone();
    next.play_unchecked(mv);
    Some((san, next))
}
