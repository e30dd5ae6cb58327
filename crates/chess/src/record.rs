//! The compact record of a board: 11 to 26 bytes, a fixed key and a value of
//! four bits a piece.
//!
//! | part | bytes | what |
//! |---|---|---|
//! | key | 2 | the statistic χ²: hundredths (0 to 99), then the integer part |
//! | key | 8 | occupied squares, a1, b1 … h8, a1 the highest bit of the first byte |
//! | value | 1 to 16 | the pieces in that order, four bits each, the high nibble first |
//!
//! After C. James, *Chi-square statistics of chess positions in a B-tree*. A
//! record knows the board alone; whose turn it is and what may still be castled
//! or captured en passant is the business of [`Rights`](crate::rights::Rights).

use std::{fmt, str::FromStr};

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use crate::chi_square::{ChiSquare, ChiSquareRangeError};

/// The sorted part of a record: the statistic, then the occupied squares.
///
/// The order is the statistic's (by value, not by its bytes, which begin with
/// the hundredths); keys of one statistic are ordered by their occupancy bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    statistic: ChiSquare,
    occupied: Occupied,
}

impl Key {
    /// The number of bytes of a key.
    pub const BYTES: usize = 10;

    /// The key with this statistic and mask.
    pub const fn new(statistic: ChiSquare, mask: [u8; 8]) -> Key {
        let occupied = Occupied(mask);
        Key {
            statistic,
            occupied,
        }
    }

    /// The statistic.
    pub const fn statistic(self) -> ChiSquare {
        self.statistic
    }

    /// The occupied squares.
    pub fn occupied(self) -> Bitboard {
        self.occupied.squares()
    }

    /// The number of occupied squares.
    pub fn pieces(self) -> usize {
        u64::from_le_bytes(self.occupied.0).count_ones() as usize
    }

    /// The occupied squares as the record has them: a byte a rank, the a-file
    /// the highest bit.
    pub const fn mask(self) -> [u8; 8] {
        self.occupied.0
    }

    /// The bytes of the record, hundredths first. They do not sort as keys do.
    pub fn to_bytes(self) -> [u8; Key::BYTES] {
        self.joined(self.statistic.to_bytes())
    }

    /// The bytes for a sorted store: the integer part first, so that comparing
    /// bytes compares keys.
    pub fn to_sorted_bytes(self) -> [u8; Key::BYTES] {
        let [hundredths, integer] = self.statistic.to_bytes();
        self.joined([integer, hundredths])
    }

    /// Reads what [`Key::to_sorted_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// When the second byte is not a number of hundredths.
    pub fn from_sorted_bytes(bytes: [u8; Key::BYTES]) -> Result<Key, ChiSquareRangeError> {
        let [integer, hundredths, mask @ ..] = bytes;
        Key::from_parts([hundredths, integer], mask)
    }

    fn from_parts(statistic: [u8; 2], mask: [u8; 8]) -> Result<Key, ChiSquareRangeError> {
        Ok(Key::new(ChiSquare::from_bytes(statistic)?, mask))
    }

    fn joined(self, statistic: [u8; 2]) -> [u8; Key::BYTES] {
        let mut bytes = [0; Key::BYTES];
        bytes[..2].copy_from_slice(&statistic);
        bytes[2..].copy_from_slice(&self.occupied.0);
        bytes
    }
}

/// A board in its compact form; equal boards have equal records.
///
/// Ordered by key, then by value.
///
/// ```
/// use shakmaty::Board;
/// use tabiya_chess::record::Record;
///
/// let record = Record::of(&Board::new())?;
/// assert_eq!(record.to_string(), "4506ffff00000000ffff6315213644444444ccccccccadfbefda");
/// assert_eq!(record.board(), Board::new());
/// assert_eq!(record.to_string().parse(), Ok(record));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Record {
    key: Key,
    /// Zero past the record's length, so that derived order and equality hold.
    value: [u8; Record::MAX_PIECES / 2],
}

impl Record {
    /// The most pieces a record holds.
    pub const MAX_PIECES: usize = 32;

    /// The longest record.
    pub const MAX_BYTES: usize = Key::BYTES + Record::MAX_PIECES / 2;

    /// The shortest record.
    pub const MIN_BYTES: usize = Key::BYTES + 1;

    /// The record of a board.
    ///
    /// # Errors
    ///
    /// When the board has no piece, or more than 32.
    pub fn of(board: &Board) -> Result<Record, PieceCountError> {
        let occupied = board.occupied();
        PieceCountError::check(occupied.count())?;
        let key = Key {
            statistic: ChiSquare::of(board),
            occupied: Occupied::of(occupied),
        };
        let planes = code_planes(board);
        let mut value = [0; Record::MAX_PIECES / 2];
        for (index, square) in occupied.into_iter().enumerate() {
            let code = (0..4)
                .map(|k| (planes[k] >> u32::from(square) & 1) << k)
                .sum::<u64>();
            value[index / 2] |= (code as u8) << high_nibble_first(index);
        }
        Ok(Record { key, value })
    }

    /// Reads a record.
    ///
    /// The statistic is taken as it stands, for a writer may not have known it
    /// (0) or may have used another definition; [`ChiSquare::of`] the board
    /// shows whether it is ours.
    ///
    /// # Errors
    ///
    /// When the statistic is out of range, the length contradicts the mask, or
    /// a nibble is not a piece.
    pub fn from_bytes(bytes: &[u8]) -> Result<Record, DecodeRecordError> {
        let Some((&[hundredths, integer, ref mask @ ..], nibbles)) =
            bytes.split_first_chunk::<{ Key::BYTES }>()
        else {
            return Err(DecodeRecordError::Short { bytes: bytes.len() });
        };
        Record::from_key(Key::from_parts([hundredths, integer], *mask)?, nibbles)
    }

    /// Reads the value that belongs to a key.
    ///
    /// # Errors
    ///
    /// As [`Record::from_bytes`].
    pub fn from_key(key: Key, nibbles: &[u8]) -> Result<Record, DecodeRecordError> {
        let occupied = key.occupied();
        let pieces = occupied.count();
        PieceCountError::check(pieces)?;
        if nibbles.len() != pieces.div_ceil(2) {
            let bytes = Key::BYTES + nibbles.len();
            return Err(DecodeRecordError::Length { pieces, bytes });
        }
        let mut value = [0; Record::MAX_PIECES / 2];
        value[..nibbles.len()].copy_from_slice(nibbles);
        let record = Record { key, value };
        for (index, square) in occupied.into_iter().enumerate() {
            let code = record.code(index);
            piece_of(code).ok_or(DecodeRecordError::NoPiece { square, code })?;
        }
        if pieces % 2 == 1 && record.code(pieces) != 0 {
            return Err(DecodeRecordError::Padding {
                code: record.code(pieces),
            });
        }
        Ok(record)
    }

    /// The sorted part.
    pub const fn key(&self) -> Key {
        self.key
    }

    /// The pieces, four bits each.
    pub fn value(&self) -> &[u8] {
        &self.value[..self.pieces().div_ceil(2)]
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.key.pieces()
    }

    /// Key and value, 11 to 26 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.key.to_bytes(), self.value()].concat()
    }

    /// The board.
    pub fn board(&self) -> Board {
        let mut board = Board::empty();
        for (index, square) in self.key.occupied().into_iter().enumerate() {
            if let Some(piece) = piece_of(self.code(index)) {
                board.set_piece_at(square, piece);
            }
        }
        board
    }

    fn code(&self, index: usize) -> u8 {
        self.value[index / 2] >> high_nibble_first(index) & 0xf
    }
}

/// Key and value in hex.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_bytes()
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Reads hex; spaces, as between key and value, are skipped.
impl FromStr for Record {
    type Err = DecodeRecordError;

    fn from_str(text: &str) -> Result<Record, DecodeRecordError> {
        let mut nibbles = Vec::with_capacity(2 * Record::MAX_BYTES);
        for found in text.chars().filter(|it| !it.is_whitespace()) {
            let nibble = found
                .to_digit(16)
                .ok_or(DecodeRecordError::NotHex { found })?;
            nibbles.push(nibble as u8);
        }
        let (pairs, []) = nibbles.as_chunks::<2>() else {
            return Err(DecodeRecordError::HalfByte {
                digits: nibbles.len(),
            });
        };
        let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
        Record::from_bytes(&bytes)
    }
}

/// A board with no piece or with more than a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a record holds 1 to {} pieces, the board has {pieces}",
    Record::MAX_PIECES
)]
pub struct PieceCountError {
    pieces: usize,
}

impl PieceCountError {
    fn check(pieces: usize) -> Result<(), PieceCountError> {
        if (1..=Record::MAX_PIECES).contains(&pieces) {
            Ok(())
        } else {
            Err(PieceCountError { pieces })
        }
    }
}

/// Why bytes or hex are not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeRecordError {
    /// A character is not a hex digit.
    #[error("{found:?} is not a hex digit: write a record with 0-9 and a-f")]
    NotHex {
        /// The character.
        found: char,
    },
    /// The number of hex digits is odd.
    #[error("{digits} hex digits are not whole bytes: add or remove one")]
    HalfByte {
        /// The number of digits.
        digits: usize,
    },
    /// There is not even a whole key.
    #[error(
        "{bytes} bytes are too few: a record has {} to {}",
        Record::MIN_BYTES,
        Record::MAX_BYTES
    )]
    Short {
        /// The number of bytes.
        bytes: usize,
    },
    /// The statistic is out of range.
    #[error(transparent)]
    Statistic(#[from] ChiSquareRangeError),
    /// The mask has no piece, or too many.
    #[error(transparent)]
    Pieces(#[from] PieceCountError),
    /// The length contradicts the mask.
    #[error("the mask has {pieces} pieces, so the record must have {} bytes, not {bytes}", Key::BYTES + pieces.div_ceil(2))]
    Length {
        /// The pieces in the mask.
        pieces: usize,
        /// The bytes of the record.
        bytes: usize,
    },
    /// A nibble is not a piece.
    #[error(
        "the nibble {code:x} on {square} is not a piece: white pieces are 1 to 6, black a to f"
    )]
    NoPiece {
        /// The square that the nibble is for.
        square: Square,
        /// The nibble.
        code: u8,
    },
    /// The nibble after the last of an odd number of pieces is not zero.
    #[error("the last nibble stands for no square and must be 0, not {code:x}")]
    Padding {
        /// The nibble.
        code: u8,
    },
}

/// Occupied squares as the record's mask: a byte a rank, the a-file the
/// highest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Occupied([u8; 8]);

impl Occupied {
    fn of(squares: Bitboard) -> Occupied {
        Occupied(squares.0.to_le_bytes().map(u8::reverse_bits))
    }

    fn squares(self) -> Bitboard {
        Bitboard(u64::from_le_bytes(self.0.map(u8::reverse_bits)))
    }
}

/// The roles in the order of their codes, 1 to 6 for White.
const CODED: [Role; 6] = [
    Role::Bishop,
    Role::King,
    Role::Knight,
    Role::Pawn,
    Role::Queen,
    Role::Rook,
];

fn piece_of(code: u8) -> Option<Piece> {
    let (color, code) = match code {
        1..=6 => (Color::White, code),
        10..=15 => (Color::Black, 16 - code),
        _ => return None,
    };
    let role = CODED[usize::from(code) - 1];
    Some(Piece { color, role })
}

/// The four bits of every square's code, one board of bits for each.
fn code_planes(board: &Board) -> [u64; 4] {
    let mut planes = [0; 4];
    for (role, white) in CODED.into_iter().zip(1u8..) {
        for (color, code) in [(Color::White, white), (Color::Black, 16 - white)] {
            let squares = board.by_piece(Piece { color, role }).0;
            for (k, plane) in planes.iter_mut().enumerate() {
                *plane |= squares * u64::from(code >> k & 1);
            }
        }
    }
    planes
}

/// How far the nibble of the `index`-th piece is shifted in its byte.
const fn high_nibble_first(index: usize) -> u32 {
    if index.is_multiple_of(2) { 4 } else { 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Position;

    use super::*;
    use crate::testing::{lines, position, positions};

    #[track_caller]
    fn check(fen: &str, statistic: &str, key: &str, value: &str) {
        let board = position(fen).board().clone();
        let record = Record::of(&board).unwrap();
        assert_eq!(record.key().statistic().to_string(), statistic);
        assert_eq!(record.to_string(), format!("{key}{value}"));
        assert_eq!(record.to_bytes().len(), (key.len() + value.len()) / 2);
        assert_eq!(format!("{key} {value}").parse(), Ok(record));
        assert_eq!(record.board(), board);
    }

    #[test]
    fn known_answers() {
        check(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "6.69",
            "4506ffff00000000ffff",
            "6315213644444444ccccccccadfbefda",
        );
        check(
            "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
            "0.00",
            "00000000080000080000",
            "2e",
        );
        check(
            "r3kb1r/p4p2/b1pqp2p/3n2p1/6P1/2N4P/PPP2PB1/R1BQR1K1 b kq - 3 13",
            "24.53",
            "3518bae6210212b9848d",
            "6156244441344dcfcbccccaefa",
        );
    }

    #[test]
    fn every_piece_has_its_code() {
        for (code, fen) in (1u8..).zip(["B", "K", "N", "P", "Q", "R"]) {
            let white = Piece::from_char(fen.chars().next().unwrap()).unwrap();
            let black = Piece {
                color: Color::Black,
                ..white
            };
            assert_eq!(piece_of(code), Some(white));
            assert_eq!(piece_of(16 - code), Some(black));
        }
        for code in [0, 7, 8, 9, 16, 255] {
            assert_eq!(piece_of(code), None);
        }
    }

    /// The value by its definition: look at each square in turn.
    fn plain_value(board: &Board) -> Vec<u8> {
        let mut codes: Vec<u8> = Square::ALL
            .into_iter()
            .filter_map(|square| board.piece_at(square))
            .map(|piece| (0..16).find(|&code| piece_of(code) == Some(piece)).unwrap())
            .collect();
        if codes.len() % 2 == 1 {
            codes.push(0);
        }
        codes.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    /// The mask by its definition: the bit of each square, a1 the highest of
    /// the first byte.
    fn plain_mask(board: &Board) -> [u8; 8] {
        let mut mask = [0; 8];
        for square in board.occupied() {
            mask[usize::from(square) / 8] |= 0x80 >> (usize::from(square) % 8);
        }
        mask
    }

    proptest! {
        #[test]
        fn records_come_back(position in positions()) {
            let record = Record::of(position.board()).unwrap();
            prop_assert_eq!(&record.board(), position.board());
            prop_assert_eq!(Record::from_bytes(&record.to_bytes()), Ok(record));
            prop_assert_eq!(record.to_string().parse(), Ok(record));
            prop_assert_eq!(Record::from_key(record.key(), record.value()), Ok(record));
            let sorted = record.key().to_sorted_bytes();
            prop_assert_eq!(Key::from_sorted_bytes(sorted), Ok(record.key()));
        }

        #[test]
        fn bytes_are_as_defined(position in positions()) {
            let board = position.board();
            let record = Record::of(board).unwrap();
            let bytes = record.to_bytes();
            prop_assert_eq!(bytes.len(), 10 + board.occupied().count().div_ceil(2));
            let hundredths = ChiSquare::of(board).hundredths();
            prop_assert_eq!(u16::from(bytes[1]) * 100 + u16::from(bytes[0]), hundredths);
            prop_assert_eq!(&bytes[2..10], &plain_mask(board));
            prop_assert_eq!(&bytes[10..], plain_value(board));
        }

        #[test]
        fn keys_are_ordered_by_statistic(line in lines()) {
            let mut keys: Vec<Key> =
                line.iter().map(|it| Record::of(it.board()).unwrap().key()).collect();
            keys.sort();
            prop_assert!(keys.is_sorted_by_key(|it| it.statistic()));
            prop_assert!(keys.is_sorted_by_key(|it| it.to_sorted_bytes()));
        }

        #[test]
        fn twins_share_the_statistic(position in positions()) {
            let statistic = |board: &Board| Record::of(board).unwrap().key().statistic();
            let board = position.board();
            let mut mirrored = board.clone();
            mirrored.flip_horizontal();
            prop_assert_eq!(statistic(&mirrored), statistic(board));
            prop_assert_eq!(statistic(&board.clone().into_mirrored()), statistic(board));
            prop_assert_eq!(statistic(&mirrored.into_mirrored()), statistic(board));
        }

        #[test]
        fn any_bytes_are_a_record_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..30)) {
            if let Ok(record) = Record::from_bytes(&bytes) {
                prop_assert_eq!(record.to_bytes(), bytes);
            }
        }

        #[test]
        fn any_text_is_a_record_or_an_error(text in "\\PC{0,60}") {
            let _ = text.parse::<Record>();
        }
    }

    #[track_caller]
    fn check_error(hex: &str, expected: &str) {
        assert_eq!(hex.parse::<Record>().unwrap_err().to_string(), expected);
    }

    #[test]
    fn malformed_records_say_what_is_wrong() {
        check_error("", "0 bytes are too few: a record has 11 to 26");
        check_error(
            "45g6",
            "'g' is not a hex digit: write a record with 0-9 and a-f",
        );
        check_error("450", "3 hex digits are not whole bytes: add or remove one");
        check_error(
            "00000000080000080000",
            "the mask has 2 pieces, so the record must have 11 bytes, not 10",
        );
        check_error(
            "000000000800000800002e00",
            "the mask has 2 pieces, so the record must have 11 bytes, not 12",
        );
        check_error(
            "640000000800000800002e",
            "statistic out of range: its first byte, the hundredths, is 100 and must be 0 to 99",
        );
        check_error(
            "0000000000000000000000",
            "a record holds 1 to 32 pieces, the board has 0",
        );
        check_error(
            "0000ffffffffffffffff00",
            "a record holds 1 to 32 pieces, the board has 64",
        );
        for code in ["0", "7", "8", "9"] {
            check_error(
                &format!("000000000800000800002{code}"),
                &format!(
                    "the nibble {code} on e6 is not a piece: white pieces are 1 to 6, black a to f"
                ),
            );
        }
        check_error(
            "0000000008000000000021",
            "the last nibble stands for no square and must be 0, not 1",
        );
    }

    #[test]
    fn boards_without_a_record_are_an_error() {
        let mut board = Board::empty();
        assert!(Record::of(&board).is_err());
        for square in Square::ALL.into_iter().take(33) {
            board.set_piece_at(square, Color::Black.rook());
        }
        assert!(Record::of(&board).is_err());
        board.discard_piece_at(Square::A1);
        assert_eq!(Record::of(&board).unwrap().board(), board);
    }
}
