//! An opening book from the explorer: the moves that were played often enough,
//! weighed by how they scored.

use std::collections::{BTreeSet, VecDeque};

use shakmaty::{Chess, Color, Position};
use tabiya_chess::{
    exact::Exact,
    polyglot::{self, Book, BookMove, Entry},
};

use super::{explore::tally, tally::Count};
use crate::{index::FormatError, search::Shard};

/// Makes a book of all positions that can be reached from the start of the
/// game by moves played in at least `min_games` games each, `max_plies` deep.
///
/// A move's weight is twice its wins plus its draws, for the side that plays
/// it; moves that never scored are left out.
///
/// # Errors
///
/// When a segment is damaged.
pub fn make_book(
    shards: &[Shard<'_>],
    min_games: u32,
    max_plies: u16,
) -> Result<Book, FormatError> {
    let mut entries = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = VecDeque::from([(Chess::default(), 0)]);
    while let Some((position, ply)) = waiting.pop_front() {
        let Ok(exact) = Exact::of(&position) else {
            continue;
        };
        if ply >= max_plies || !seen.insert(exact) {
            continue;
        }
        let played: Vec<_> = tally(shards, &exact)?
            .moves
            .into_iter()
            .filter(|(_, count)| count.games() >= min_games.max(1))
            .filter_map(|(mv, count)| Some((mv?.to_move(position.board())?, count)))
            .filter(|(mv, _)| position.is_legal(*mv))
            .collect();
        let turn = position.turn();
        let scores: Vec<u64> = played.iter().map(|it| score(&it.1, turn)).collect();
        let weights = polyglot::weights(&scores);
        for ((mv, _), weight) in played.into_iter().zip(weights) {
            if let Some(book_move) = BookMove::of(mv).filter(|_| weight > 0) {
                entries.push(Entry {
                    key: polyglot::key_of(&position),
                    mv: book_move,
                    weight,
                    learn: 0,
                });
            }
            let mut next = position.clone();
            next.play_unchecked(mv);
            waiting.push_back((next, ply + 1));
        }
    }
    Ok(Book::new(entries))
}

fn score(count: &Count, turn: Color) -> u64 {
    let wins = turn.fold_wb(count.white, count.black);
    2 * u64::from(wins) + u64::from(count.draws)
}
