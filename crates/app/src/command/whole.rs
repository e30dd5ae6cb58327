//! A file that is there whole or not at all: written beside its place, then moved there.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// A file being written. Dropped before [`WholeFile::finish`], it leaves nothing.
pub(crate) struct WholeFile {
    out: Option<BufWriter<File>>,
    path: PathBuf,
    /// Where it is written; the path itself if that is a device or a pipe.
    beside: PathBuf,
}

impl WholeFile {
    pub(crate) fn create(path: &Path) -> io::Result<WholeFile> {
        // A link keeps pointing at the file that it names.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_special = fs::metadata(&path).is_ok_and(|it| !it.is_file());
        let beside = match (is_special, path.file_name()) {
            (false, Some(name)) => {
                let mut name = name.to_owned();
                name.push(format!(".{}.part", std::process::id()));
                path.with_file_name(name)
            }
            _ => path.clone(),
        };
        Ok(WholeFile {
            out: Some(BufWriter::new(File::create(&beside)?)),
            path,
            beside,
        })
    }

    /// Puts the file into its place, safely on disk.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(mut out) = self.out.take() {
            let written = out.flush().and_then(|()| self.settle(out.get_ref()));
            if written.is_err() {
                self.out = Some(out);
            }
            return written;
        }
        Ok(())
    }

    fn settle(&self, file: &File) -> io::Result<()> {
        if self.beside == self.path {
            return Ok(());
        }
        file.sync_all()?;
        fs::rename(&self.beside, &self.path)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Some(out) => out.write(bytes),
            None => Ok(0),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.out.is_some() && self.beside != self.path {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        fs::write(&path, "old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
