//! Files of checked sections: magic bytes, a version, a table of sections,
//! and checksums for the table and for every block of a section.
//!
//! ```text
//! 0   magic        8 bytes
//! 8   version      u32
//! 12  sections     u32, n of them
//! 16  table        n × { kind u32, zero u32, offset u64, length u64, checksum u64 }
//!     checksum     u64 of all before
//!     sections     each on a multiple of 8, followed by the checksums of its blocks of
//!                  4,096 bytes, u64 each; the checksum in the table covers these
//! ```
//! All integers are little-endian. The table is checked when the file is
//! opened, a block when it is first read: a look-up costs what it reads, however
//! large the file, and no damaged byte is ever believed. Before format 3, the
//! checksum in the table covered the section itself: one block as long as the section.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    map::Map,
    section::{BLOCK, Seal, Section, checksums},
};
use crate::disk;

const MAGIC: &[u8; 8] = b"tabiya\0\x1a";
/// The format that is written.
pub const VERSION: u32 = 3;
/// The oldest format that can be read.
const OLDEST: u32 = 1;
const HEAD: usize = 16;
const ENTRY: usize = 32;
/// The first format with checksums by block.
const WITH_BLOCKS: u32 = 3;

/// Why a file of the collection cannot be used. Functions that read a segment return this error
/// when they meet damage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file does not begin with our magic bytes.
    #[error("{0} is not a file of a tabiya collection")]
    Foreign(PathBuf),
    /// The file was written in another version of the format.
    #[error(
        "{path} has format {found}, this program reads formats {OLDEST} to {VERSION}; \
         use the program that wrote it, or index the games again"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version it was written in.
        found: u32,
    },
    /// The file was written before this could be asked of it.
    #[error(
        "{path} has format {found}, which has no {lacks}; renew it with: tabiya merge --db {}",
        path.parent().unwrap_or(Path::new(".")).display()
    )]
    Outdated {
        /// The file.
        path: PathBuf,
        /// The version it was written in.
        found: u32,
        /// What it does not have.
        lacks: &'static str,
    },
    /// A checksum or a length is wrong.
    #[error("{path} is damaged ({what}); restore it from a copy, or index the games again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The file cannot be read or written.
    #[error("{}", failure(path, error))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// What the system said of a file; a missing one is worth more words.
fn failure(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!(
            "{} is missing; restore it from a copy, or index the games again",
            path.display()
        ),
        _ => format!("{}: {error}", path.display()),
    }
}

/// Writes a new file of sections, safely on disk when this returns. Never in
/// place of another.
pub(crate) fn write(path: &Path, sections: &[(u32, Vec<u8>)]) -> Result<u64, FormatError> {
    let failed = |error| FormatError::Io {
        path: path.to_owned(),
        error,
    };
    let file = disk::File::create_new(path).map_err(failed)?;
    write_sections(file, sections).map_err(|error| {
        // Half a file helps nobody, least of all on a full disk.
        let _ = disk::remove(path);
        failed(error)
    })
}

fn write_sections(mut file: disk::File, sections: &[(u32, Vec<u8>)]) -> io::Result<u64> {
    let mut offset = padded(HEAD + sections.len() * ENTRY + 8);
    let mut head = Vec::with_capacity(offset);
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    let mut sums = Vec::with_capacity(sections.len());
    for (kind, bytes) in sections {
        let of_blocks = checksums(bytes);
        head.extend_from_slice(&kind.to_le_bytes());
        head.extend_from_slice(&0u32.to_le_bytes());
        for value in [offset as u64, bytes.len() as u64, xxh3_64(&of_blocks)] {
            head.extend_from_slice(&value.to_le_bytes());
        }
        offset += padded(bytes.len()) + of_blocks.len();
        sums.push(of_blocks);
    }
    head.extend_from_slice(&xxh3_64(&head).to_le_bytes());
    let mut put = |bytes: &[u8]| {
        file.write_all(bytes)?;
        file.write_all(&[0; 8][..padded(bytes.len()) - bytes.len()])
    };
    put(&head)?;
    for ((_, bytes), sums) in sections.iter().zip(&sums) {
        put(bytes)?;
        put(sums)?;
    }
    file.sync()?;
    Ok(offset as u64)
}

const fn padded(length: usize) -> usize {
    length.next_multiple_of(8)
}

/// A file of sections, mapped into memory.
#[derive(Debug)]
pub(crate) struct Sections {
    path: PathBuf,
    version: u32,
    bytes: Bytes,
    table: Vec<Entry>,
}

/// The bytes of a file, mapped or read.
#[derive(Debug)]
enum Bytes {
    Mapped(Map),
    Read(Vec<u8>),
}

impl Bytes {
    fn is_cut(&self) -> bool {
        match self {
            Bytes::Mapped(map) => map.is_cut(),
            Bytes::Read(_) => false,
        }
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}

#[derive(Debug)]
struct Entry {
    kind: u32,
    start: usize,
    end: usize,
    seal: Seal,
}

impl Sections {
    pub(crate) fn open(path: &Path) -> Result<Sections, FormatError> {
        let failed = |error| FormatError::Io {
            path: path.to_owned(),
            error,
        };
        let file = File::open(path).map_err(failed)?;
        let map = Map::new(&file).map_err(failed)?;
        Sections::new(path, Bytes::Mapped(map))
    }

    /// A file that is already in memory.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Sections, FormatError> {
        Sections::new(Path::new("memory"), Bytes::Read(bytes))
    }

    fn new(path: &Path, bytes: Bytes) -> Result<Sections, FormatError> {
        let (version, table) = read_table(&bytes, path)?;
        Ok(Sections {
            path: path.to_owned(),
            version,
            bytes,
            table,
        })
    }

    /// Whether the file still has the length that was mapped, and had it whenever it was read. A
    /// file that was removed stays mapped.
    pub(crate) fn uncut(&self) -> Result<(), FormatError> {
        let is_shorter = |it: fs::Metadata| it.len() < self.bytes.len() as u64;
        if self.bytes.is_cut() || fs::metadata(&self.path).is_ok_and(is_shorter) {
            return Err(self.damaged("it was cut while it was in use"));
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The format of the file.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// The error for something that the file's format does not have.
    pub(crate) fn outdated(&self, lacks: &'static str) -> FormatError {
        FormatError::Outdated {
            path: self.path.clone(),
            found: self.version,
            lacks,
        }
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The size of each section, by kind.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.table
            .iter()
            .map(|it| (it.kind, (it.end - it.start) as u64))
    }

    /// A section whose blocks are checked when they are read.
    pub(crate) fn section(&self, kind: u32) -> Result<Section<'_>, FormatError> {
        let entry = self.entry(kind)?;
        let bytes = &self.bytes[entry.start..entry.end];
        let sums = if self.version < WITH_BLOCKS {
            &[]
        } else {
            let start = padded(entry.end);
            let length = 8 * bytes.len().div_ceil(BLOCK);
            self.bytes.get(start..start + length).unwrap_or_default()
        };
        Ok(Section::sealed(bytes, sums, &entry.seal))
    }

    /// All bytes of a section, checked.
    pub(crate) fn whole(&self, kind: u32) -> Result<&[u8], FormatError> {
        let section = self.section(kind)?;
        let bytes = section.get(0..section.len());
        self.sound().map(|()| bytes)
    }

    /// Whether all that was read so far is as it was written. Damaged blocks read as
    /// nothing, so whoever reads asks this before an answer is given.
    pub(crate) fn sound(&self) -> Result<(), FormatError> {
        if self.bytes.is_cut() {
            return self.uncut();
        }
        match self.table.iter().find(|it| it.seal.is_broken()) {
            Some(entry) => {
                Err(self.damaged(format!("the checksum of section {} is wrong", entry.kind)))
            }
            None => Ok(()),
        }
    }

    /// A section whose bytes carry checksums of their own.
    pub(crate) fn unchecked(&self, kind: u32) -> Result<&[u8], FormatError> {
        let entry = self.entry(kind)?;
        Ok(&self.bytes[entry.start..entry.end])
    }

    /// Whether there is such a section.
    pub(crate) fn has(&self, kind: u32) -> bool {
        self.table.iter().any(|it| it.kind == kind)
    }

    fn entry(&self, kind: u32) -> Result<&Entry, FormatError> {
        let entry = self.table.iter().find(|it| it.kind == kind);
        entry.ok_or_else(|| self.damaged(format!("section {kind} is missing")))
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> FormatError {
        FormatError::Damaged {
            path: self.path.clone(),
            what: what.into(),
        }
    }
}

/// The version and the table of a file.
fn read_table(bytes: &[u8], path: &Path) -> Result<(u32, Vec<Entry>), FormatError> {
    let damaged = |what: &str| FormatError::Damaged {
        path: path.to_owned(),
        what: what.to_owned(),
    };
    let head = bytes.get(..HEAD).filter(|it| it.starts_with(MAGIC));
    let head = head.ok_or_else(|| FormatError::Foreign(path.to_owned()))?;
    let version = u32_at(head, 8);
    if !(OLDEST..=VERSION).contains(&version) {
        return Err(FormatError::Version {
            path: path.to_owned(),
            found: version,
        });
    }
    let end = HEAD + u32_at(head, 12) as usize * ENTRY;
    let sum = bytes
        .get(end..end + 8)
        .ok_or_else(|| damaged("it is cut short"))?;
    if xxh3_64(&bytes[..end]) != u64_at(sum, 0) {
        return Err(damaged("the checksum of its table is wrong"));
    }
    let entry = |it: &[u8]| {
        let (offset, length) = (u64_at(it, 8) as usize, u64_at(it, 16) as usize);
        let sums = match version {
            WITH_BLOCKS.. => 8 * length.div_ceil(BLOCK),
            _ => 0,
        };
        let end = offset
            .checked_add(length)
            .filter(|&end| end <= bytes.len() && (sums == 0 || padded(end) + sums <= bytes.len()));
        let end = end.ok_or_else(|| damaged("it is cut short"))?;
        let seal = match version {
            WITH_BLOCKS.. => Seal::of_blocks(length, u64_at(it, 24)),
            _ => Seal::of_whole(length, u64_at(it, 24)),
        };
        Ok(Entry {
            kind: u32_at(it, 0),
            start: offset,
            end,
            seal,
        })
    };
    let table: Result<_, FormatError> = bytes[HEAD..end].chunks_exact(ENTRY).map(entry).collect();
    Ok((version, table?))
}

/// The integer that begins at a byte. Zero past the end, which checked
/// sections of the right length never ask for.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes
        .get(at..)
        .and_then(|it| it.first_chunk())
        .map_or(0, |it| u16::from_le_bytes(*it))
}

/// As [`u16_at`].
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..)
        .and_then(|it| it.first_chunk())
        .map_or(0, |it| u32::from_le_bytes(*it))
}

/// As [`u16_at`].
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..)
        .and_then(|it| it.first_chunk())
        .map_or(0, |it| u64::from_le_bytes(*it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(
            &path,
            &[(1, b"hello".to_vec()), (7, vec![]), (2, vec![9; 10_000])],
        )
        .unwrap();
        (folder, path)
    }

    #[test]
    fn sections_come_back() {
        let (_folder, path) = written();
        let file = Sections::open(&path).unwrap();
        assert_eq!(file.whole(1).unwrap(), b"hello");
        assert_eq!(file.whole(7).unwrap(), b"");
        assert_eq!(file.whole(2).unwrap(), [9; 10_000]);
        assert!(
            file.whole(3)
                .unwrap_err()
                .to_string()
                .contains("section 3 is missing")
        );
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let (_folder, path) = written();
        let sound = std::fs::read(&path).unwrap();
        for at in (0..200).chain((200..sound.len()).step_by(61)) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            let read = Sections::open(&path).and_then(|file| {
                for (kind, expected) in [(1, &b"hello"[..]), (7, b""), (2, &[9; 10_000])] {
                    assert_eq!(file.whole(kind)?, expected);
                }
                Ok(())
            });
            // Only padding may change without harm.
            let is_padding = (125..128).contains(&at);
            assert!(read.is_err() || is_padding, "byte {at}");
        }
        for length in (0..sound.len()).step_by(7) {
            std::fs::write(&path, &sound[..length]).unwrap();
            assert!(Sections::open(&path).is_err(), "cut to {length}");
        }
    }

    #[test]
    fn a_file_that_was_cut_while_open_is_noticed() {
        let (_folder, path) = written();
        let sections = Sections::open(&path).unwrap();
        assert!(sections.uncut().is_ok());
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(5_000).unwrap();
        let error = sections.uncut().unwrap_err().to_string();
        assert!(error.contains("cut while it was in use"), "{error}");
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        let (_folder, path) = written();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[8] = 9;
        std::fs::write(&path, &bytes).unwrap();
        let error = Sections::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("has format 9, this program reads formats 1 to 3"),
            "{error}"
        );
    }
}
