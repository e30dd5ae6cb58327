//! The order of boards in a table: by statistic, then by sixteen bits of a
//! digest of the record.
//!
//! An order is what a look-up compares and what a table stores of a board that
//! occurs once. It does not identify a board: boards of one order differ in their
//! records.

use tabiya_chess::{chi_square::ChiSquare, record::Record};
use xxhash_rust::xxh3::xxh3_64;

/// A statistic and a digest, in this order; less than 2^31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(u32);

impl Order {
    /// The order of a board.
    pub fn of(record: &Record) -> Order {
        let mut bytes = [0; 8 + Record::MAX_PIECES / 2];
        let (mask, value) = bytes.split_at_mut(8);
        mask.copy_from_slice(&record.key().mask());
        value[..record.value().len()].copy_from_slice(record.value());
        let digest = xxh3_64(&bytes) as u16;
        Order(Order::first(record.key().statistic()).0 | u32::from(digest))
    }

    /// The first order with a statistic.
    pub fn first(statistic: ChiSquare) -> Order {
        Order(u32::from(statistic.hundredths()) << 16)
    }

    /// The statistic; `None` if it is out of range.
    pub fn statistic(self) -> Option<ChiSquare> {
        ChiSquare::from_hundredths((self.0 >> 16) as u16)
    }

    /// The number to store.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The order of a stored number.
    pub const fn from_bits(bits: u32) -> Order {
        Order(bits)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Board;

    use super::*;
    use crate::testing::random_board;

    #[test]
    fn orders_follow_the_statistic() {
        let mut orders: Vec<Order> = (0..200)
            .map(|seed| Order::of(&Record::of(&random_board(seed)).unwrap()))
            .collect();
        orders.sort();
        assert!(orders.is_sorted_by_key(|it| it.statistic()));
        for order in orders {
            assert!(order >= Order::first(order.statistic().unwrap()));
            assert_eq!(Order::from_bits(order.to_bits()), order);
        }
    }

    #[test]
    fn stored_orders_stay_what_they_are() {
        let start = Order::of(&Record::of(&Board::new()).unwrap());
        assert_eq!(start.to_bits(), 669 << 16 | 0x2f2a);
    }
}
