//! The log of a collection: `import.log`, which keeps every problem of its imports.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use super::{BrokenGame, CollectionError, sync_folder};
use crate::disk;

/// The name of the file.
pub(super) const LOG: &str = "import.log";

/// The file in the collection that remembers every problem.
pub(super) struct Log {
    path: PathBuf,
    file: disk::File,
}

impl Log {
    /// Opens the log of the collection in a folder.
    pub(super) fn open(folder: &Path) -> Result<Log, CollectionError> {
        let path = folder.join(LOG);
        let is_new = !path.exists();
        let file = disk::File::append(&path);
        let file = file.map_err(CollectionError::io(&path))?;
        if is_new {
            sync_folder(folder)?;
        }
        Ok(Log { path, file })
    }

    /// Appends problems, and makes sure that they are on disk.
    pub(super) fn write(&mut self, problems: &[BrokenGame]) -> Result<(), CollectionError> {
        if problems.is_empty() {
            return Ok(());
        }
        let text: String = problems.iter().map(|it| format!("{it}\n")).collect();
        let written = self.file.write_all(text.as_bytes());
        let synced = written.and_then(|()| self.file.sync());
        synced.map_err(CollectionError::io(&self.path))
    }
}
