//! A file of records, one JSON line each, that only grows. A record counts once it is synced. Its
//! line ends with a checksum. A writer that is killed leaves at worst half a line, which readers
//! skip: every record begins with a line break.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::xxh3_64;

use crate::disk;

/// What precedes the checksum of a line.
const SUM: &str = ",\"sum\":\"";

/// The line of a record, which is a JSON object, with its checksum.
pub(super) fn seal<T: Serialize>(record: &T) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(record)?;
    line.pop();
    let sum = xxh3_64(&line);
    line.extend(format!("{SUM}{sum:016x}\"}}\n").bytes());
    Ok(line)
}

/// Whether the checksum of a line is right; `None` if it has none.
pub(super) fn is_sealed(line: &str) -> Option<bool> {
    let (before, sum) = line.rsplit_once(SUM)?;
    Some(sum == format!("{:016x}\"}}", xxh3_64(before.as_bytes())))
}

/// The record of a line; nothing if it is damaged.
fn record<T: Serialize + DeserializeOwned>(line: &[u8]) -> Option<T> {
    let text = std::str::from_utf8(line).ok()?;
    let record: T = serde_json::from_str(text).ok()?;
    // Older lines have no checksum, but are as they were written.
    let is_old = || serde_json::to_string(&record).is_ok_and(|it| it == text);
    is_sealed(text).unwrap_or_else(is_old).then_some(record)
}

/// The bytes of a file; empty if the file does not exist.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// The records of a journal in their order; empty if the file does not exist.
///
/// # Errors
///
/// When the file cannot be read.
pub fn read<T: Serialize + DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let text = bytes(path)?;
    Ok(text.split(|&it| it == b'\n').filter_map(record).collect())
}

/// What is wrong with a journal, line by line.
///
/// # Errors
///
/// When the file cannot be read.
pub fn faults<T: Serialize + DeserializeOwned>(path: &Path) -> io::Result<Vec<String>> {
    damaged_lines(path, |it| record::<T>(it).is_some())
}

/// The lines of a file that are not sound.
pub(super) fn damaged_lines(
    path: &Path,
    is_sound: impl Fn(&[u8]) -> bool,
) -> io::Result<Vec<String>> {
    let text = bytes(path)?;
    // The last line of a killed writer was never confirmed.
    let whole = text.iter().rposition(|&it| it == b'\n').unwrap_or(0);
    let lines = (1..).zip(text[..whole].split(|&it| it == b'\n'));
    let damaged = lines.filter(|(_, it)| !it.is_empty() && !is_sound(it));
    let words = |(number, _)| {
        format!(
            "{} is damaged (line {number}); remove the line, or restore the file from a copy",
            path.display()
        )
    };
    Ok(damaged.map(words).collect())
}

/// Adds a record; it is safe once this returns.
///
/// # Errors
///
/// When the system refuses to write.
pub fn append<T: Serialize>(path: &Path, record: &T) -> io::Result<()> {
    let mut line = vec![b'\n'];
    line.extend(seal(record)?);
    let is_new = !path.exists();
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(&line)?;
    file.sync_data()?;
    match path.parent().filter(|_| is_new) {
        Some(folder) => disk::sync_folder(folder),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Entry {
        number: u8,
        word: String,
    }

    fn entry(number: u8) -> Entry {
        let word = "word".to_owned();
        Entry { number, word }
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert_eq!(read::<Entry>(&path).unwrap(), []);
        for number in 0..3 {
            append(&path, &entry(number)).unwrap();
        }
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            append(&path, &entry(9)).unwrap();
            let records: Vec<Entry> = read(&path).unwrap();
            assert_eq!(records.last(), Some(&entry(9)), "cut at {end}");
            assert!(records.len() > end / (whole.len() / 3));
        }
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        (0..3).for_each(|it| append(&path, &entry(it)).unwrap());
        let whole = fs::read(&path).unwrap();
        assert!(faults::<Entry>(&path).unwrap().is_empty());
        let second = whole.len() / 3 + 1..2 * whole.len() / 3 - 1;
        for (at, bit) in second.flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            fs::write(&path, damaged).unwrap();
            let records: Vec<Entry> = read(&path).unwrap();
            assert_eq!(records, [entry(0), entry(2)], "byte {at}, bit {bit}");
            assert!(!faults::<Entry>(&path).unwrap().is_empty());
        }
        // As older programs wrote it.
        fs::write(&path, "\n{\"number\":7,\"word\":\"word\"}\n").unwrap();
        assert_eq!(read::<Entry>(&path).unwrap(), [entry(7)]);
    }
}
