//! An exact position: a board's record with the rights the board does not show.
//!
//! Two exact positions are equal precisely if the rules of chess call the
//! positions the same; clocks and move numbers do not count. Their order
//! is the record's, so that the statistic comes first.

use shakmaty::{Chess, Position, PositionError};

use crate::{
    record::{PieceCountError, Record},
    rights::Rights,
};

/// A position in the form in which stores keep and compare it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exact {
    /// The board.
    pub record: Record,
    /// Side to move, castling, en passant.
    pub rights: Rights,
}

impl Exact {
    /// The exact form of a position.
    ///
    /// # Errors
    ///
    /// When the board has more pieces than a record holds.
    pub fn of(position: &Chess) -> Result<Exact, PieceCountError> {
        Ok(Exact {
            record: Record::of(position.board())?,
            rights: Rights::of(position),
        })
    }

    /// The position.
    ///
    /// # Errors
    ///
    /// When board and rights do not make a legal position.
    pub fn position(&self) -> Result<Chess, Box<PositionError<Chess>>> {
        self.rights.position(self.record.board())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::lines;

    proptest! {
        #[test]
        fn equal_means_the_same_position(line in lines()) {
            for (a, b) in line.iter().zip(line.iter().skip(1).chain(&line)) {
                prop_assert_eq!(Exact::of(a) == Exact::of(b), a == b);
                let again = Exact::of(a).unwrap().position().unwrap();
                prop_assert_eq!(&again, a);
            }
        }
    }

    #[test]
    fn castling_rights_and_turn_make_a_difference() {
        let fens = [
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1",
        ];
        let mut exact = fens.map(|fen| Exact::of(&crate::testing::position(fen)).unwrap());
        assert!(exact.iter().all(|it| it.record == exact[0].record));
        exact.sort();
        assert!(exact.windows(2).all(|it| it[0] < it[1]));
    }
}
