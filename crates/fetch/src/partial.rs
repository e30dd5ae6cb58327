//! The file in which a download grows, and the note that says what it is a part of.
//!
//! ```text
//! FILE.part    the bytes so far
//! FILE.note    where they come from, as JSON
//! FILE.lock    held by the process that fetches
//! FILE         a whole download that the user keeps
//! ```

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::FetchError;

/// What a partial file is a part of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) address: String,
    /// The bytes of the whole file, if the server announces them.
    pub(crate) total: Option<u64>,
    /// The server's mark for this version of the file: its ETag or date.
    pub(crate) version: Option<String>,
    /// Whether the file is whole.
    pub(crate) is_whole: bool,
}

/// The files of one download.
#[derive(Debug)]
pub(crate) struct Partial {
    whole: PathBuf,
    file: File,
    length: u64,
    note: Note,
    _lock: File,
}

impl Partial {
    /// Opens the partial file of a download from an address. What came from elsewhere is dropped.
    pub(crate) fn open(folder: &Path, name: &str, address: &str) -> Result<Partial, FetchError> {
        fs::create_dir_all(folder).map_err(FetchError::io(folder))?;
        let whole = folder.join(name);
        let lock = lock(&whole)?;
        let path = path(&whole);
        if !path.exists() && whole.exists() {
            // Kept by an earlier run: it may be up to date.
            fs::rename(&whole, &path).map_err(FetchError::io(&whole))?;
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(&path);
        let file = file.map_err(FetchError::io(&path))?;
        let length = file.metadata().map_err(FetchError::io(&path))?.len();
        let note = fs::read(beside(&whole, "note")).ok();
        let note = note.and_then(|it| serde_json::from_slice::<Note>(&it).ok());
        let mut partial = Partial {
            whole,
            file,
            length,
            note: note.unwrap_or_default(),
            _lock: lock,
        };
        let is_sound = partial.note.total.is_none_or(|it| length <= it);
        if partial.note.address != address || !is_sound {
            partial.clear(Note {
                address: address.to_owned(),
                ..Note::default()
            })?;
        }
        Ok(partial)
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn note(&self) -> &Note {
        &self.note
    }

    /// The path of the partial file.
    pub(crate) fn path(&self) -> PathBuf {
        path(&self.whole)
    }

    /// Whether all bytes are there.
    pub(crate) fn is_whole(&self) -> bool {
        self.note.is_whole || self.note.total == Some(self.length)
    }

    /// Drops all bytes and begins a download as noted.
    pub(crate) fn clear(&mut self, note: Note) -> Result<(), FetchError> {
        self.file.set_len(0).map_err(FetchError::io(&self.path()))?;
        self.length = 0;
        self.set_note(note)
    }

    pub(crate) fn set_note(&mut self, note: Note) -> Result<(), FetchError> {
        let path = beside(&self.whole, "note");
        let text = serde_json::to_vec(&note).map_err(|it| FetchError::io(&path)(it.into()))?;
        fs::write(&path, text).map_err(FetchError::io(&path))?;
        self.note = note;
        Ok(())
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        let written = self.file.write_all(bytes);
        written.map_err(FetchError::io(&self.path()))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Reads the file from its beginning, while it grows.
    pub(crate) fn reader(&self) -> Result<File, FetchError> {
        let path = self.path();
        File::open(&path).map_err(FetchError::io(&path))
    }

    /// Whether the file holds the bytes that `expected` returns, in order, as far as it goes.
    pub(crate) fn begins_like(
        &self,
        expected: &mut dyn Read,
    ) -> Result<std::io::Result<bool>, FetchError> {
        let mut file = self.reader()?;
        let (mut ours, mut theirs) = (vec![0; 1 << 16], vec![0; 1 << 16]);
        let mut left = self.length;
        while left > 0 {
            let most = theirs
                .len()
                .min(usize::try_from(left).unwrap_or(usize::MAX));
            let count = match expected.read(&mut theirs[..most]) {
                Ok(0) => return Ok(Err(std::io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) => return Ok(Err(error)),
            };
            let read = file.read_exact(&mut ours[..count]);
            read.map_err(FetchError::io(&self.path()))?;
            if ours[..count] != theirs[..count] {
                return Ok(Ok(false));
            }
            left -= count as u64;
        }
        Ok(Ok(true))
    }
}

/// The path of a partial file, by that of the whole file.
pub(crate) fn path(whole: &Path) -> PathBuf {
    beside(whole, "part")
}

/// Whether a partial file holds nothing.
pub(crate) fn is_empty(whole: &Path) -> bool {
    fs::metadata(path(whole)).is_ok_and(|it| it.len() == 0)
}

/// Removes the files of a download, as far as possible.
pub(crate) fn remove(whole: &Path) {
    for ending in ["part", "note", "lock"] {
        // What stays is found by the next download of the file.
        let _ = fs::remove_file(beside(whole, ending));
    }
}

/// Gives a whole download its name. The note stays, so that the next run knows the file.
pub(crate) fn keep(whole: &Path) -> Result<(), FetchError> {
    let part = path(whole);
    fs::rename(&part, whole).map_err(FetchError::io(&part))?;
    let _ = fs::remove_file(beside(whole, "lock"));
    Ok(())
}

fn beside(whole: &Path, ending: &str) -> PathBuf {
    let mut name = whole.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn lock(whole: &Path) -> Result<File, FetchError> {
    let path = beside(whole, "lock");
    let file = File::create(&path).map_err(FetchError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FetchError::Locked(whole.to_owned())),
        Err(TryLockError::Error(error)) => Err(FetchError::io(&path)(error)),
    }
}
