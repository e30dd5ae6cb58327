//! A file of records, one JSON line each, that only grows. A record counts once it is synced.
//! A writer that is killed leaves at worst half a line, which readers skip: every record begins
//! with a line break.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};

/// The records of a journal in their order; none if there is no file.
///
/// # Errors
///
/// When the file cannot be read.
pub fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lines = text.split(|&it| it == b'\n').filter(|it| !it.is_empty());
    Ok(lines
        .filter_map(|it| serde_json::from_slice(it).ok())
        .collect())
}

/// Adds a record; it is safe once this returns.
///
/// # Errors
///
/// When the system refuses to write.
pub fn append<T: Serialize>(path: &Path, record: &T) -> io::Result<()> {
    let mut line = vec![b'\n'];
    serde_json::to_writer(&mut line, record)?;
    line.push(b'\n');
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(&line)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert_eq!(read::<(u8, String)>(&path).unwrap(), []);
        for number in 0..3 {
            append(&path, &(number, "word".to_owned())).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            append(&path, &(9, "last".to_owned())).unwrap();
            let records: Vec<(u8, String)> = read(&path).unwrap();
            assert_eq!(records.last().unwrap().0, 9, "cut at {end}");
            assert!(records.len() > end / 14);
        }
    }
}
