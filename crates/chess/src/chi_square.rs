//! The statistic of a board: Pearson's χ² over the table of how often each
//! square is attacked, defended or occupied.
//!
//! It is a number in hundredths from 0.00 to 255.99, exact to the last one,
//! and it does not change when the board is mirrored left to right, turned top
//! to bottom, or when the colors trade places. Boards that are twins under
//! those symmetries therefore stand side by side in anything sorted by it. It
//! is not a judgment of the position: unlike boards may share a value.

use std::{fmt, str::FromStr};

use shakmaty::{Bitboard, Board, Color, attacks};

/// A χ² statistic in hundredths, 0.00 to 255.99; 0 also means "unknown".
///
/// ```
/// use shakmaty::Board;
/// use tabiya_chess::chi_square::ChiSquare;
///
/// let statistic = ChiSquare::of(&Board::new());
/// assert_eq!(statistic.to_string(), "6.69");
/// assert_eq!(statistic.to_bytes(), [69, 6]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChiSquare(u16);

impl ChiSquare {
    /// The statistic of an unknown position, and the least one.
    pub const ZERO: ChiSquare = ChiSquare(0);

    /// The greatest statistic that two bytes hold: 255.99.
    pub const MAX: ChiSquare = ChiSquare(255 * 100 + 99);

    /// The statistic of a board, rounded to the nearest hundredth (half up).
    pub fn of(board: &Board) -> ChiSquare {
        let table = Table::of(board);
        let hundredths = table
            .rounded_hundredths()
            .unwrap_or_else(|| table.exact_hundredths());
        ChiSquare::saturating(hundredths)
    }

    /// The statistic of this many hundredths, if it is in range.
    pub fn from_hundredths(hundredths: u16) -> Option<ChiSquare> {
        (hundredths <= ChiSquare::MAX.0).then_some(ChiSquare(hundredths))
    }

    /// The statistic in hundredths.
    pub const fn hundredths(self) -> u16 {
        self.0
    }

    /// The statistic as a fraction.
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// The two bytes of a record: hundredths first, then the integer part.
    ///
    /// The paper puts the hundredths first because its B-tree reserves the
    /// byte 127 at the start of a key. These bytes do not sort by value.
    pub const fn to_bytes(self) -> [u8; 2] {
        [(self.0 % 100) as u8, (self.0 / 100) as u8]
    }

    /// Reads the two bytes of a record.
    pub fn from_bytes([hundredths, integer]: [u8; 2]) -> Result<ChiSquare, ChiSquareRangeError> {
        if hundredths > 99 {
            return Err(ChiSquareRangeError { hundredths });
        }
        Ok(ChiSquare(u16::from(integer) * 100 + u16::from(hundredths)))
    }

    /// The statistic `distance` lower, or zero.
    pub fn saturating_sub(self, distance: ChiSquare) -> ChiSquare {
        ChiSquare(self.0.saturating_sub(distance.0))
    }

    /// The statistic `distance` higher, or the greatest one.
    pub fn saturating_add(self, distance: ChiSquare) -> ChiSquare {
        ChiSquare((self.0 + distance.0).min(ChiSquare::MAX.0))
    }

    fn saturating(hundredths: u64) -> ChiSquare {
        let most = u64::from(ChiSquare::MAX.0);
        ChiSquare(hundredths.min(most) as u16)
    }
}

impl fmt::Display for ChiSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// Reads a decimal number such as `24.53`, rounded to the nearest hundredth.
impl FromStr for ChiSquare {
    type Err = ParseChiSquareError;

    fn from_str(text: &str) -> Result<ChiSquare, ParseChiSquareError> {
        let number: f64 = text.trim().parse().map_err(|_| ParseChiSquareError)?;
        let hundredths = (number * 100.0).round();
        if (0.0..=f64::from(ChiSquare::MAX.0)).contains(&hundredths) {
            Ok(ChiSquare(hundredths as u16))
        } else {
            Err(ParseChiSquareError)
        }
    }
}

/// The first byte of a statistic is not a number of hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "statistic out of range: its first byte, the hundredths, is {hundredths} and must be 0 to 99"
)]
pub struct ChiSquareRangeError {
    hundredths: u8,
}

/// A text is not a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a statistic: write a number from 0 to 255.99")]
pub struct ParseChiSquareError;

/// For each square, the pieces of both colors that attack or defend it, plus
/// one if it is occupied; with the sums of the rows and columns.
struct Table {
    cells: [[u8; 8]; 8],
    rows: [u8; 8],
    columns: [u8; 8],
    total: u32,
}

impl Table {
    fn of(board: &Board) -> Table {
        let counts = Counts::of(board);
        let lanes: [u64; 8] = std::array::from_fn(|row| counts.row(row));
        // A square is attacked by at most eight lines and eight knights, so a
        // cell is at most 17 and a sum of eight of them fits one byte lane.
        let column_sums: u64 = lanes.iter().sum();
        let rows = lanes.map(|row| (row.wrapping_mul(LOW_BITS) >> 56) as u8);
        Table {
            cells: lanes.map(u64::to_le_bytes),
            rows,
            columns: column_sums.to_le_bytes(),
            total: rows.iter().map(|&it| u32::from(it)).sum(),
        }
    }

    /// χ² in hundredths by floating point, or `None` where the true value is so
    /// near the middle between two hundredths that only exact arithmetic tells
    /// on which side it lies.
    fn rounded_hundredths(&self) -> Option<u64> {
        /// Far above the error of some hundred operations on values below 2^13.
        const DOUBT: f64 = 1e-6;

        let column_weights = self.columns.map(reciprocal);
        let mut sum = 0.0;
        for (cells, &row) in self.cells.iter().zip(&self.rows) {
            let mut inner = 0.0;
            for (&cell, weight) in cells.iter().zip(column_weights) {
                inner += f64::from(u32::from(cell) * u32::from(cell)) * weight;
            }
            sum += inner * reciprocal(row);
        }
        let total = f64::from(self.total);
        let halves_up = 100.0 * (total * sum - total) + 0.5;
        let doubtful = (halves_up - halves_up.round()).abs() < DOUBT;
        (!doubtful).then_some(halves_up as u64)
    }

    /// χ² in hundredths by integers alone, half up.
    ///
    /// χ² = n·Σ o²/(r·c) − n. Over the common denominator d of all r·c the sum
    /// is t/d with t ≤ 8d. Rows and columns of at most 8·17 make d < 2^114, and
    /// taking out whole parts between the factors keeps every product below
    /// 2^128 on any board, legal or not.
    fn exact_hundredths(&self) -> u64 {
        if self.total == 0 {
            return 0;
        }
        let row_multiple = least_common_multiple(self.rows);
        let column_multiple = least_common_multiple(self.columns);
        let denominator = row_multiple * column_multiple;
        let mut numerator = 0;
        for (cells, &row) in self
            .cells
            .iter()
            .zip(&self.rows)
            .filter(|(_, row)| **row > 0)
        {
            let inner: u128 = cells
                .iter()
                .zip(self.columns)
                .filter(|(cell, _)| **cell > 0)
                .map(|(&cell, column)| {
                    u128::from(cell) * u128::from(cell) * (column_multiple / u128::from(column))
                })
                .sum();
            numerator += inner * (row_multiple / u128::from(row));
        }
        let total = u128::from(self.total);
        let scaled = total * (numerator % denominator);
        let whole = total * (numerator / denominator) + scaled / denominator - total;
        let rest = scaled % denominator;
        (100 * whole + (200 * rest + denominator) / (2 * denominator)) as u64
    }
}

/// Sixty-four counters held as bit planes: the k-th plane has the k-th bit of
/// every square's count, so that a whole attack set is added at once.
struct Counts {
    planes: [u64; 5],
}

impl Counts {
    fn of(board: &Board) -> Counts {
        let mut counts = Counts { planes: [0; 5] };
        let occupied = board.occupied();
        counts.add(occupied);
        for color in Color::ALL {
            let pawns = board.pawns() & board.by_color(color);
            let forward = color.fold_wb(8, -8);
            counts.add((pawns & !A_FILE).shift(forward - 1));
            counts.add((pawns & !H_FILE).shift(forward + 1));
        }
        for square in board.knights() {
            counts.add(attacks::knight_attacks(square));
        }
        for square in board.kings() {
            counts.add(attacks::king_attacks(square));
        }
        for square in board.bishops_and_queens() {
            counts.add(attacks::bishop_attacks(square, occupied));
        }
        for square in board.rooks_and_queens() {
            counts.add(attacks::rook_attacks(square, occupied));
        }
        counts
    }

    fn add(&mut self, squares: Bitboard) {
        let mut carry = squares.0;
        for plane in &mut self.planes {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }

    /// The counts of one row, a byte a square.
    fn row(&self, row: usize) -> u64 {
        self.planes
            .iter()
            .enumerate()
            .map(|(k, plane)| spread((plane >> (8 * row)) as u8) << k)
            .sum()
    }
}

const A_FILE: Bitboard = Bitboard::from_file(shakmaty::File::A);
const H_FILE: Bitboard = Bitboard::from_file(shakmaty::File::H);

/// The lowest bit of each byte.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;

/// Eight bits to eight bytes, each 0 or 1, the lowest bit first.
const fn spread(bits: u8) -> u64 {
    // Copy the byte to all lanes, keep the k-th bit in the k-th lane, and
    // carry it to the lane's top, whence it comes down to one.
    let kept = (bits as u64 * LOW_BITS) & 0x8040_2010_0804_0201;
    ((kept + 0x7f7f_7f7f_7f7f_7f7f) | kept) >> 7 & LOW_BITS
}

/// One over the sum of a row or column; nothing for an empty one, which is
/// thereby left out.
fn reciprocal(sum: u8) -> f64 {
    if sum == 0 { 0.0 } else { 1.0 / f64::from(sum) }
}

fn least_common_multiple(sums: [u8; 8]) -> u128 {
    sums.into_iter()
        .filter(|&it| it > 0)
        .map(u128::from)
        .fold(1, |multiple, it| {
            multiple / greatest_common_divisor(multiple, it) * it
        })
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{Piece, Square};

    use super::*;
    use crate::testing::positions;

    /// The table by its definition: ask every square what attacks it.
    fn plain_table(board: &Board) -> [[u8; 8]; 8] {
        let mut cells = [[0; 8]; 8];
        for square in Square::ALL {
            let count: usize = Color::ALL
                .into_iter()
                .map(|color| board.attacks_to(square, color, board.occupied()).count())
                .sum();
            let occupied = usize::from(board.occupied().contains(square));
            cells[square.rank() as usize][square.file() as usize] = (count + occupied) as u8;
        }
        cells
    }

    /// Pearson's formula as textbooks have it: Σ (observed − expected)² / expected.
    fn plain_statistic(cells: &[[u8; 8]; 8]) -> f64 {
        let row = |i: usize| cells[i].iter().map(|&it| f64::from(it)).sum::<f64>();
        let column = |j: usize| cells.iter().map(|it| f64::from(it[j])).sum::<f64>();
        let total: f64 = (0..8).map(row).sum();
        let mut sum = 0.0;
        for i in (0..8).filter(|&i| row(i) > 0.0) {
            for j in (0..8).filter(|&j| column(j) > 0.0) {
                let expected = row(i) * column(j) / total;
                sum += (f64::from(cells[i][j]) - expected).powi(2) / expected;
            }
        }
        sum
    }

    #[track_caller]
    fn check_twins(board: &Board) {
        let table = Table::of(board);
        assert_eq!(table.cells, plain_table(board));
        let exact = table.exact_hundredths();
        if let Some(rounded) = table.rounded_hundredths() {
            assert_eq!(rounded, exact);
        }
        let plain = 100.0 * plain_statistic(&table.cells);
        assert!(
            (plain - exact as f64).abs() < 0.5 + 1e-6,
            "{plain} is not {exact}"
        );
    }

    fn any_board(pieces: impl Strategy<Value = usize>) -> impl Strategy<Value = Board> {
        let squares =
            pieces.prop_flat_map(|it| proptest::sample::subsequence(Square::ALL.to_vec(), it));
        let roles = proptest::collection::vec((any::<bool>(), 0..6usize), 64);
        (squares, roles).prop_map(|(squares, roles)| {
            let mut board = Board::empty();
            for (square, (white, role)) in squares.into_iter().zip(roles) {
                let color = Color::from_white(white);
                let role = shakmaty::Role::ALL[role];
                board.set_piece_at(square, Piece { color, role });
            }
            board
        })
    }

    proptest! {
        #[test]
        fn fast_equals_exact_equals_plain(position in positions()) {
            check_twins(&shakmaty::Position::board(&position).clone());
        }

        #[test]
        fn fast_equals_exact_on_boards_no_game_reaches(board in any_board(0..=64usize)) {
            check_twins(&board);
        }

        #[test]
        fn symmetries_keep_the_statistic(board in any_board(1..=32usize)) {
            let statistic = ChiSquare::of(&board);
            let mut mirrored = board.clone();
            mirrored.flip_horizontal();
            prop_assert_eq!(ChiSquare::of(&mirrored), statistic);
            prop_assert_eq!(ChiSquare::of(&board.clone().into_mirrored()), statistic);
            prop_assert_eq!(ChiSquare::of(&mirrored.into_mirrored()), statistic);
        }

        #[test]
        fn bytes_come_back(hundredths in 0..=ChiSquare::MAX.hundredths()) {
            let statistic = ChiSquare::from_hundredths(hundredths).unwrap();
            prop_assert_eq!(ChiSquare::from_bytes(statistic.to_bytes()), Ok(statistic));
            prop_assert_eq!(statistic.to_string().parse(), Ok(statistic));
        }
    }

    #[test]
    fn spread_puts_a_bit_in_each_byte() {
        for bits in 0..=u8::MAX {
            let lanes: [u8; 8] = std::array::from_fn(|k| bits >> k & 1);
            assert_eq!(spread(bits).to_le_bytes(), lanes);
        }
    }

    #[test]
    fn a_full_board_of_queens_fits_the_counters() {
        let mut board = Board::empty();
        for square in Square::ALL {
            board.set_piece_at(square, Color::White.queen());
        }
        check_twins(&board);
    }

    #[test]
    fn an_empty_board_has_no_statistic() {
        assert_eq!(ChiSquare::of(&Board::empty()), ChiSquare::ZERO);
    }

    fn table(cells: [[u8; 8]; 8]) -> Table {
        let rows = cells.map(|row| row.iter().sum());
        let columns = std::array::from_fn(|j| cells.iter().map(|row| row[j]).sum());
        let total = rows.iter().map(|&it| u32::from(it)).sum();
        Table {
            cells,
            rows,
            columns,
            total,
        }
    }

    /// A table of two rows and two columns, the rest empty.
    fn corner(a: u8, b: u8, c: u8, d: u8) -> Table {
        let mut cells = [[0; 8]; 8];
        (cells[0][0], cells[0][1], cells[1][0], cells[1][1]) = (a, b, c, d);
        table(cells)
    }

    #[test]
    fn small_tables_have_their_textbook_values() {
        // For a 2×2 table χ² is n(ad − bc)² over the product of the margins:
        // 40·(15·11 − 5·9)²/(20·20·24·16) = 3.75 and
        // 16·(4·5 − 4·3)²/(8·8·7·9) = 0.25397, both clear of a half.
        assert_eq!(corner(15, 5, 9, 11).exact_hundredths(), 375);
        assert_eq!(corner(4, 4, 3, 5).exact_hundredths(), 25);
        // 80·(21·17 − 19·23)²/(40·40·44·36) = 0.20202.
        assert_eq!(corner(21, 19, 23, 17).exact_hundredths(), 20);
        // 200·(51·52 − 49·48)²/(100·100·99·101) is 0.18.
        assert_eq!(corner(51, 49, 48, 52).exact_hundredths(), 18);
    }

    #[test]
    fn an_exact_half_is_left_to_integers_and_rounds_up() {
        // 32·(9·9 − 7·7)²/16⁴ = 0.5 and 64·(17·17 − 15·15)²/32⁴ = 0.25;
        // 128·(33·33 − 31·31)²/64⁴ = 0.125 lies in the middle.
        let middle = corner(33, 31, 31, 33);
        assert_eq!(middle.rounded_hundredths(), None);
        assert_eq!(middle.exact_hundredths(), 13);
    }

    #[test]
    fn the_ends_are_zero_and_255_99() {
        assert_eq!(ChiSquare::MAX.to_string(), "255.99");
        assert_eq!(ChiSquare::saturating(25_600), ChiSquare::MAX);
        assert_eq!(ChiSquare::saturating(0), ChiSquare::ZERO);
        assert_eq!(ChiSquare::from_hundredths(25_600), None);
        assert_eq!(ChiSquare::from_bytes([99, 255]), Ok(ChiSquare::MAX));
        // Eight cells on the diagonal depend on each other as much as can be: χ² = 7n.
        let mut cells = [[0; 8]; 8];
        (0..8).for_each(|i| cells[i][i] = 5);
        assert_eq!(table(cells).exact_hundredths(), 7 * 40 * 100);
    }

    #[test]
    fn hundredths_past_99_are_an_error() {
        for byte in 100..=u8::MAX {
            assert!(ChiSquare::from_bytes([byte, 6]).is_err());
        }
    }

    #[test]
    fn text_out_of_range_is_an_error() {
        for text in ["", "six", "-1", "256", "255.996", "NaN", "inf"] {
            assert_eq!(
                text.parse::<ChiSquare>(),
                Err(ParseChiSquareError),
                "{text}"
            );
        }
        assert_eq!("-0.001".parse(), Ok(ChiSquare::ZERO));
    }
}
