//! An opening book: the moves played often enough, weighted by their score.

use std::collections::{BTreeSet, VecDeque};

use shakmaty::{Chess, Color, Position};
use tabiya_chess::{
    exact::Exact,
    polyglot::{self, Book, BookMove, Entry},
};

use super::explore::tally;
use crate::index::{FormatError, Shard, exact::Count};

/// Makes a book of all positions within `max_plies` plies of the initial position, reached by
/// moves that were played in at least `min_games` games each.
///
/// The weight of a move is twice its wins plus its draws, for the side that plays it. Moves that
/// never scored are left out.
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

#[cfg(test)]
mod tests {
    use polyglot_book_rs::PolyglotBook;

    use super::*;
    use crate::testing::collection_of;

    const GAMES: &str = r#"
[Round "1"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 1-0

[Round "2"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O d6 1/2-1/2

[Round "3"]
[Result "0-1"]

1. e4 c5 2. Nf3 0-1

[Round "4"]
[Result "0-1"]

1. d4 d5 0-1
"#;

    fn book(min_games: u32, max_plies: u16) -> (tempfile::TempDir, Book) {
        let (folder, collection) = collection_of(GAMES);
        let book = make_book(&collection.shards(), min_games, max_plies).unwrap();
        (folder, book)
    }

    /// What another implementation reads from the file.
    #[track_caller]
    fn check(book: &Book, folder: &tempfile::TempDir, fen: &str, expected: &[(&str, u16)]) {
        let path = folder.path().join("book.bin");
        book.write(std::fs::File::create(&path).unwrap()).unwrap();
        let reader = PolyglotBook::load(path.to_str().unwrap()).unwrap();
        let mut moves: Vec<(String, u16)> = reader
            .get_all_moves_from_fen(fen)
            .into_iter()
            .map(|it| (it.move_string, it.weight))
            .collect();
        moves.sort_by_key(|it| std::cmp::Reverse(it.1));
        let moves: Vec<(&str, u16)> = moves.iter().map(|it| (it.0.as_str(), it.1)).collect();
        assert_eq!(moves, expected, "{fen}");
    }

    #[test]
    fn an_independent_reader_finds_the_moves_and_weights() {
        let (folder, book) = book(1, 40);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        // 1. e4 won once and drew once; 1. d4 never scored.
        check(&book, &folder, start, &[("e2e4", 3)]);
        let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        check(&book, &folder, after_e4, &[("c7c5", 2), ("e7e5", 1)]);
        let italian = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
        check(&book, &folder, italian, &[("e1h1", 3)]);
    }

    #[test]
    fn rare_moves_and_late_ones_are_left_out() {
        let (_folder, twice) = book(2, 40);
        assert_eq!(twice.entries().len(), 7);
        let (_folder, short) = book(1, 1);
        assert_eq!(short.entries().len(), 1);
    }
}
