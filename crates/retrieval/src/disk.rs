//! The operations that change the files of a collection. In tests they can be recorded, made to
//! fail, and replayed up to a crash (`disk/crash.rs`).

#[cfg(test)]
pub(crate) mod crash;

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// An operation as tests see it.
#[cfg(test)]
use crash::{Op, Opening, record};

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct File {
    file: fs::File,
    #[cfg(test)]
    handle: Option<crash::Handle>,
}

impl File {
    /// Creates a file that does not exist.
    pub(crate) fn create_new(path: &Path) -> io::Result<File> {
        #[cfg(test)]
        let handle = crash::open(path, Opening::New)?;
        Ok(File {
            file: fs::File::create_new(path)?,
            #[cfg(test)]
            handle,
        })
    }

    /// Creates a file, or empties it.
    pub(crate) fn create(path: &Path) -> io::Result<File> {
        #[cfg(test)]
        let handle = crash::open(path, Opening::Empty)?;
        Ok(File {
            file: fs::File::create(path)?,
            #[cfg(test)]
            handle,
        })
    }

    /// Opens a file to write at its end; creates it if it does not exist.
    pub(crate) fn append(path: &Path) -> io::Result<File> {
        #[cfg(test)]
        let handle = crash::open(path, Opening::Append)?;
        Ok(File {
            file: OpenOptions::new().create(true).append(true).open(path)?,
            #[cfg(test)]
            handle,
        })
    }

    pub(crate) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Cuts the file.
    pub(crate) fn cut(&mut self, length: u64) -> io::Result<()> {
        #[cfg(test)]
        crash::on(self.handle.as_ref(), |it| Op::Cut(it, length))?;
        self.file.set_len(length)
    }

    /// Makes what was written last.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        #[cfg(test)]
        crash::on(self.handle.as_ref(), Op::Sync)?;
        self.file.sync_all()
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(test)]
        crash::on(self.handle.as_ref(), |it| Op::Write(it, bytes.to_vec()))?;
        // All or nothing, as it was recorded.
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives a file the place of another.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    record(to, || Op::Rename(from.to_owned(), to.to_owned()))?;
    fs::rename(from, to)
}

/// Removes a file.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    record(path, || Op::Remove(path.to_owned()))?;
    fs::remove_file(path)
}

/// Makes a folder and those that it lies in, safely on disk.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    create_folder(parent)?;
    #[cfg(test)]
    record(folder, || Op::Folder(folder.to_owned()))?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
            return Err(error);
        }
        _ => {}
    }
    sync_folder(parent)
}

/// Makes new names in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(test)]
    record(folder, || Op::SyncFolder(folder.to_owned()))?;
    if cfg!(unix) {
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}
