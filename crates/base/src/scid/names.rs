//! The names of players, events, sites and rounds, by their numbers.

use std::path::Path;

use super::Format;
use crate::BaseError;

/// Names as bytes, since older bases are not in UTF-8.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    /// For each kind and number, where the name begins and how long it is.
    places: [Vec<(usize, usize)>; 4],
}

const MAGIC: &[u8] = b"Scid.sn\0";

/// Beginnings that names share are stored once. A sound file does not grow
/// more than this many times when they are put back.
const GROWTH: usize = 16;

/// Smaller files may grow to this.
const FREE_GROWTH: usize = 64 << 20;

impl Names {
    /// The name, or a question mark if there is none.
    pub(super) fn get(&self, kind: usize, number: u32) -> &[u8] {
        let place = self.places[kind].get(number as usize);
        let name = place.map_or(&b""[..], |&(start, length)| {
            &self.bytes[start..start + length]
        });
        if name.is_empty() { b"?" } else { name }
    }

    pub(super) fn read(format: Format, path: &Path) -> Result<Names, BaseError> {
        let bytes = std::fs::read(path).map_err(BaseError::io(path))?;
        let names = match format {
            Format::Si4 => read_si4(&bytes),
            Format::Si5 => read_si5(bytes),
        };
        names.map_err(|what| BaseError::damaged(path, what))
    }
}

/// Takes bytes from the front.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let split = self.0.split_at_checked(count);
        let (taken, rest) = split.ok_or("truncated inside a name")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> Result<usize, String> {
        let taken = self.take(bytes)?;
        Ok(taken.iter().fold(0, |sum, &it| sum << 8 | usize::from(it)))
    }
}

fn read_si4(bytes: &[u8]) -> Result<Names, String> {
    let mut cursor = Cursor(bytes);
    if cursor.take(MAGIC.len())? != MAGIC {
        return Err("not a Scid name file".to_owned());
    }
    cursor.take(4)?;
    let mut counts = [0; 4];
    let mut most_uses = [0; 4];
    for number in counts.iter_mut().chain(&mut most_uses) {
        *number = cursor.number(3)?;
    }
    let limit = FREE_GROWTH.max(bytes.len().saturating_mul(GROWTH));
    let mut names = Names::default();
    for kind in 0..4 {
        let count = counts[kind];
        // Every name takes at least three bytes.
        if count > cursor.0.len() / 3 {
            return Err("truncated before the last name".to_owned());
        }
        names.places[kind] = vec![(0, 0); count];
        let number_size = if count >= 1 << 16 { 3 } else { 2 };
        let uses_size = match most_uses[kind] {
            0..0x100 => 1,
            0x100..0x1_0000 => 2,
            _ => 3,
        };
        let mut last = (0, 0);
        for index in 0..count {
            let number = cursor.number(number_size)?;
            cursor.take(uses_size)?;
            let length = cursor.number(1)?;
            let shared = if index == 0 { 0 } else { cursor.number(1)? };
            if shared > length || shared > last.1 {
                return Err("a name has an invalid prefix".to_owned());
            }
            let suffix = cursor.take(length - shared)?;
            let start = names.bytes.len();
            if start + length > limit {
                return Err("the names expand to an implausible size".to_owned());
            }
            names.bytes.extend_from_within(last.0..last.0 + shared);
            names.bytes.extend(suffix);
            last = (start, length);
            let place = names.places[kind].get_mut(number);
            *place.ok_or("a name's number is out of range")? = last;
        }
    }
    Ok(names)
}

fn read_si5(bytes: Vec<u8>) -> Result<Names, String> {
    let mut places: [Vec<(usize, usize)>; 4] = Default::default();
    let mut at = 0;
    while at < bytes.len() {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let byte = *bytes.get(at).ok_or("truncated inside a name")?;
            at += 1;
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
            if shift > 35 {
                return Err("a name has an invalid length".to_owned());
            }
        }
        let (kind, length) = ((value & 7) as usize, (value >> 3) as usize);
        if length > bytes.len() - at {
            return Err("truncated inside a name".to_owned());
        }
        // Other kinds are notes about the base.
        if let Some(places) = places.get_mut(kind) {
            places.push((at, length));
        }
        at += length;
    }
    Ok(Names { bytes, places })
}

/// The names of si4 as a file: sorted, with shared beginnings stored once.
/// `names` are in the order of their numbers, each with its number of uses.
pub(super) fn write_si4(names: &[Vec<(String, u32)>; 4]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let big = |value: usize, size: usize| (0..size).rev().map(move |it| (value >> (8 * it)) as u8);
    bytes.extend([0; 4]);
    let most_uses = names
        .each_ref()
        .map(|list| list.iter().map(|it| it.1).max().unwrap_or(0) as usize);
    bytes.extend(names.iter().flat_map(|it| big(it.len(), 3)));
    bytes.extend(most_uses.iter().flat_map(|&it| big(it, 3)));
    for (list, most) in names.iter().zip(most_uses) {
        let number_size = if list.len() >= 1 << 16 { 3 } else { 2 };
        let uses_size = match most {
            0..0x100 => 1,
            0x100..0x1_0000 => 2,
            _ => 3,
        };
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_key(|&it| list[it].0.as_bytes());
        let mut last: &[u8] = b"";
        for (index, number) in order.into_iter().enumerate() {
            let (name, uses) = &list[number];
            let name = name.as_bytes();
            let shared = name.iter().zip(last).take_while(|(a, b)| a == b).count();
            bytes.extend(big(number, number_size));
            bytes.extend(big(*uses as usize, uses_size));
            bytes.push(name.len() as u8);
            if index > 0 {
                bytes.push(shared as u8);
            }
            bytes.extend(&name[if index > 0 { shared } else { 0 }..]);
            last = name;
        }
    }
    bytes
}

/// The names of si5 as a file: in the order of their numbers.
pub(super) fn write_si5(names: &[Vec<(String, u32)>; 4]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, list) in names.iter().enumerate() {
        for (name, _) in list {
            let mut value = name.len() << 3 | kind;
            while value >= 128 {
                bytes.push((value & 127) as u8 | 128);
                value >>= 7;
            }
            bytes.push(value as u8);
            bytes.extend(name.as_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_written_and_read_back(list in proptest::collection::vec("[a-cé]{1,90}", 0..300)) {
            let list: Vec<(String, u32)> = list.into_iter().zip(0..).collect();
            let names = [list.clone(), Vec::new(), list.clone(), vec![("1".to_owned(), 70_000)]];
            for read in [read_si4(&write_si4(&names)), read_si5(write_si5(&names))] {
                let read = read.unwrap();
                for (number, (name, _)) in list.iter().enumerate() {
                    prop_assert_eq!(read.get(0, number as u32), name.as_bytes());
                }
                prop_assert_eq!(read.get(3, 0), b"1");
                prop_assert_eq!(read.get(1, 0), b"?");
                prop_assert_eq!(read.get(0, list.len() as u32), b"?");
            }
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_si5(bytes.clone());
            let _ = read_si4(&[MAGIC, &[0; 5], &[9, 0, 0, 2, 0, 0, 1], &bytes].concat());
        }
    }
}
