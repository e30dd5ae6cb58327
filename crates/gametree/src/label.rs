//! The name of a move, small enough to be compared as one integer.
//!
//! A label is a name of at most eight bytes kept in the eight bytes of a `u64`,
//! first letter highest, so that equality and order of labels are equality and
//! byte order of the names. It is not a move: two moves of one position may share
//! a label if the game's naming does not distinguish them.

use std::fmt;

/// The name of a move: at most eight bytes, none of them zero.
///
/// Equality and order are those of the names' bytes.
///
/// ```
/// use tabiya_gametree::Label;
///
/// let label = Label::new("wBxf7+").expect("six bytes");
/// assert_eq!(label.to_string(), "wBxf7+");
/// assert!(Label::new("wa3") < Label::new("wa4"));
/// assert_eq!(Label::new("a name too long"), None);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u64);

impl Label {
    /// The label of `name`, or nothing if it is longer than eight bytes or holds
    /// a zero byte.
    pub fn new(name: &str) -> Option<Label> {
        if name.len() > 8 || name.bytes().any(|it| it == 0) {
            return None;
        }
        Some(
            name.bytes()
                .fold(Spelling::default(), Spelling::push)
                .label(),
        )
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = (0..8).map(|it| (self.0 >> (56 - 8 * it)) as u8);
        let name: Vec<u8> = bytes.take_while(|&it| it != 0).collect();
        formatter.write_str(&String::from_utf8_lossy(&name))
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Label({self})")
    }
}

/// A label being written, letter by letter.
///
/// Only the last eight letters are kept; a game that spells its labels this way
/// promises not to write more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spelling(u64);

impl Spelling {
    /// The spelling with one more letter, which must not be zero.
    #[inline]
    #[must_use]
    pub const fn push(self, letter: u8) -> Spelling {
        debug_assert!(letter != 0 && self.0 >> 56 == 0);
        Spelling(self.0 << 8 | letter as u64)
    }

    /// The label written so far.
    #[inline]
    pub const fn label(self) -> Label {
        if self.0 == 0 {
            return Label(0);
        }
        // Whole empty bytes at the front move to the back: the first letter
        // decides the order.
        Label(self.0 << (self.0.leading_zeros() & !7))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn labels_compare_as_their_names(a in "[!-~]{0,8}", b in "[!-~]{0,8}") {
            let (first, second) = (Label::new(&a).unwrap(), Label::new(&b).unwrap());
            prop_assert_eq!(first.cmp(&second), a.as_bytes().cmp(b.as_bytes()));
            prop_assert_eq!(first.to_string(), a);
        }
    }

    #[test]
    fn a_name_that_does_not_fit_is_no_label() {
        assert_eq!(Label::new("nine lett"), None);
        assert_eq!(Label::new("a\0b"), None);
    }
}
