//! Numbers in as few bytes as they need: seven bits a byte, the lowest first,
//! the high bit set on all but the last.

/// Appends a number.
pub fn put(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front; `None` if the bytes end in the middle of it or
/// it needs more than 64 bits.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Takes a number that must fit a smaller type.
pub fn take_as<N: TryFrom<u64>>(bytes: &mut &[u8]) -> Option<N> {
    N::try_from(take(bytes)?).ok()
}

/// Takes a number of bytes off the front.
pub fn take_bytes<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec(any::<u64>(), 0..20)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&it| put(it >> (it % 64), &mut bytes));
            let mut rest = bytes.as_slice();
            for &number in &numbers {
                prop_assert_eq!(take(&mut rest), Some(number >> (number % 64)));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_bytes_are_safe(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            let mut rest = bytes.as_slice();
            while take(&mut rest).is_some() {}
        }
    }

    #[test]
    fn small_numbers_take_one_byte() {
        let mut bytes = Vec::new();
        put(127, &mut bytes);
        put(128, &mut bytes);
        assert_eq!(bytes, [127, 128, 1]);
        assert_eq!(take(&mut &[0x80][..]), None);
        assert_eq!(take_as::<u8>(&mut &[0x80, 2][..]), None);
    }
}
