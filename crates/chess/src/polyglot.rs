//! Opening books in the Polyglot format: sixteen bytes an entry, sorted by the
//! position's key, all numbers big-endian.
//!
//! The module writes books; the caller decides which moves they have, and with which weights.

use std::io::{self, Write};

use shakmaty::{
    CastlingMode, Chess, EnPassantMode, Move, Position, Role, uci::UciMove, zobrist::Zobrist64,
};

/// The key of a position: the exclusive or of 781 published random numbers.
///
/// En passant counts if a pawn stands ready to capture, whether or not the
/// capture is legal.
///
/// ```
/// use shakmaty::Chess;
/// use tabiya_chess::polyglot::key_of;
///
/// assert_eq!(key_of(&Chess::default()), 0x463b96181691fc9c);
/// ```
pub fn key_of(position: &Chess) -> u64 {
    position
        .zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal)
        .0
}

/// A move as a book holds it: target and origin squares, promotion; castling
/// is the king's capture of its own rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BookMove(u16);

impl BookMove {
    /// The book's form of a legal move; `None` for a drop, which only variants have.
    pub fn of(mv: Move) -> Option<BookMove> {
        let UciMove::Normal {
            from,
            to,
            promotion,
        } = mv.to_uci(CastlingMode::Chess960)
        else {
            return None;
        };
        let promotion = promotion
            .and_then(|role| PROMOTIONS.iter().position(|&it| it == role))
            .map_or(0, |index| index as u16 + 1);
        Some(BookMove(
            u16::from(to) | u16::from(from) << 6 | promotion << 12,
        ))
    }
}

/// One move of one position in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position's key, see [`key_of`].
    pub key: u64,
    /// The move.
    pub mv: BookMove,
    /// How good the move is against the position's other moves.
    pub weight: u16,
    /// For programs that learn; 0 in books as they are made.
    pub learn: u32,
}

#[expect(clippy::big_endian_bytes, reason = "the format is big-endian")]
impl Entry {
    /// The number of bytes of an entry.
    pub const BYTES: usize = 16;

    /// The entry's bytes.
    pub fn to_bytes(self) -> [u8; Entry::BYTES] {
        let mut bytes = [0; Entry::BYTES];
        bytes[..8].copy_from_slice(&self.key.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.mv.0.to_be_bytes());
        bytes[10..12].copy_from_slice(&self.weight.to_be_bytes());
        bytes[12..].copy_from_slice(&self.learn.to_be_bytes());
        bytes
    }
}

/// A whole book, sorted as the format asks: by key, and a position's moves by
/// falling weight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    entries: Vec<Entry>,
}

impl Book {
    /// A book of entries in any order.
    pub fn new(mut entries: Vec<Entry>) -> Book {
        entries.sort_by_key(|it| (it.key, std::cmp::Reverse(it.weight), it.mv));
        Book { entries }
    }

    /// Writes the book.
    ///
    /// # Errors
    ///
    /// What the writer fails with.
    pub fn write(&self, mut writer: impl Write) -> io::Result<()> {
        for entry in &self.entries {
            writer.write_all(&entry.to_bytes())?;
        }
        Ok(())
    }

    /// All entries, sorted.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// The weights of a position's moves from their scores.
///
/// Scores that fit stand as they are; larger ones are scaled down together, and
/// a move that scored at all keeps at least 1.
pub fn weights(scores: &[u64]) -> Vec<u16> {
    let most = u64::from(u16::MAX);
    let greatest = scores.iter().copied().max().unwrap_or(0).max(most);
    let scaled = |score: u64| {
        let scaled = u128::from(score) * u128::from(most) / u128::from(greatest);
        (scaled as u16).max(u16::from(score > 0))
    };
    scores.iter().copied().map(scaled).collect()
}

/// The roles in the order of their codes, from 1.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{position, positions};

    #[track_caller]
    fn check_key(moves: &str, key: u64) {
        let mut position = Chess::default();
        for uci in moves.split_whitespace() {
            let uci: UciMove = uci.parse().unwrap();
            position.play_unchecked(uci.to_move(&position).unwrap());
        }
        assert_eq!(key_of(&position), key, "after {moves:?}");
    }

    #[test]
    fn keys_are_the_published_ones() {
        check_key("", 0x463b96181691fc9c);
        check_key("e2e4", 0x823c9b50fd114196);
        check_key("e2e4 d7d5", 0x0756b94461c50fb0);
        check_key("e2e4 d7d5 e4e5", 0x662fafb965db29d4);
        check_key("e2e4 d7d5 e4e5 f7f5", 0x22a48b5a8e47ff78);
        check_key("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a607ca3f242c1);
        check_key("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fdd303c946bdd9);
        check_key("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c8123ea7b067637);
        check_key("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f9b829b279560);
    }

    #[track_caller]
    fn check_move(fen: &str, uci: &str, code: u16) {
        let position = position(fen);
        let mv = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        assert_eq!(BookMove::of(mv), Some(BookMove(code)));
    }

    #[test]
    fn moves_are_coded_as_published() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check_move(start, "e2e4", 0x031c);
        // Castling is written as the king taking its rook: e1h1, e1a1.
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        check_move(castling, "e1g1", 4 << 6 | 7);
        check_move(castling, "e1c1", 4 << 6);
        let promotion = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        check_move(promotion, "a7a8q", 4 << 12 | 48 << 6 | 56);
        check_move(promotion, "a7a8n", 1 << 12 | 48 << 6 | 56);
    }

    proptest! {
        #[test]
        fn every_legal_move_has_a_code_of_its_own(position in positions()) {
            let legal = position.legal_moves();
            let codes: BTreeSet<_> = legal.iter().filter_map(|&mv| BookMove::of(mv)).collect();
            prop_assert_eq!(codes.len(), legal.len());
        }

        #[test]
        fn weights_keep_order(scores in proptest::collection::vec(any::<u64>(), 0..20)) {
            let weights = weights(&scores);
            for (a, x) in scores.iter().zip(&weights) {
                prop_assert_eq!(*a > 0, *x > 0);
                for (b, y) in scores.iter().zip(&weights) {
                    prop_assert!(a > b || x <= y);
                }
            }
        }
    }

    #[test]
    fn small_scores_are_weights() {
        assert_eq!(weights(&[3, 0, 65_535]), [3, 0, 65_535]);
        assert_eq!(weights(&[131_070, 2, 1, 0]), [65_535, 1, 1, 0]);
        assert_eq!(weights(&[]), []);
    }

    #[test]
    fn a_book_is_sorted_by_key_and_weight() {
        let start = Chess::default();
        let entry = |key, mv, weight| Entry {
            key,
            mv: BookMove(mv),
            weight,
            learn: 0,
        };
        let key = key_of(&start);
        let book = Book::new(vec![
            entry(u64::MAX, 0x031c, 9),
            entry(key, 0x02db, 1),
            entry(key, 0x031c, 7),
            entry(1, 0x031c, 5),
        ]);
        let mut bytes = Vec::new();
        book.write(&mut bytes).unwrap();
        assert_eq!(bytes.len(), 4 * Entry::BYTES);
        assert_eq!(bytes[..8], [0, 0, 0, 0, 0, 0, 0, 1]);
        let weights: Vec<u16> = book.entries().iter().map(|it| it.weight).collect();
        assert_eq!(weights, [5, 7, 1, 9]);
    }
}
