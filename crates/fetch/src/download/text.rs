//! The text of a download: follows the file that grows, unpacks it, and judges it at its end.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
};

use super::{BLOCK, Check, Shared};
use crate::{
    FetchError,
    checksum::Sum,
    unpack::{Form, unpack},
};

/// Reads the bytes on disk, waits for those that are missing, and judges them all at the end.
struct Follower {
    path: PathBuf,
    file: File,
    read: u64,
    sum: Sum,
    shared: Arc<Shared>,
}

impl Follower {
    fn follow(&mut self, buffer: &mut [u8]) -> Result<usize, FetchError> {
        let (shared, read) = (self.shared.clone(), self.read);
        let stored = || shared.progress.stored.load(Ordering::Relaxed);
        let available = shared.wait(|state| match stored() - read {
            0 => state.outcome.is_some().then_some(0),
            more => Some(more),
        })?;
        if available == 0 {
            return self.judge().map(|()| 0);
        }
        let most = usize::try_from(available).unwrap_or(usize::MAX);
        let most = most.min(buffer.len());
        let count = self.file.read(&mut buffer[..most]);
        let count = count.and_then(|it| match it {
            // Somebody else has cut it.
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        });
        let count = count.map_err(FetchError::io(&self.path))?;
        self.sum.add(&buffer[..count]);
        self.read += count as u64;
        shared.progress.read.store(self.read, Ordering::Relaxed);
        Ok(count)
    }

    fn judge(&self) -> Result<(), FetchError> {
        let mut state = self.shared.state();
        let Some(expected) = state.expected.clone() else {
            state.check = match state.total {
                Some(_) => Check::Size,
                None => Check::Nothing,
            };
            return Ok(());
        };
        let found = self.sum.digits();
        if found == expected {
            state.check = Check::Checksum;
            return Ok(());
        }
        let error = FetchError::Checksum {
            address: state.address.clone(),
            expected,
            found,
        };
        state.is_spoiled = true;
        state.outcome = Some(Err(error.clone()));
        Err(error)
    }
}

/// A follower that the unpacking and the end of the text share.
#[derive(Clone)]
struct Tail(Arc<Mutex<Follower>>);

impl Read for Tail {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut follower = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        follower.follow(buffer).map_err(io::Error::other)
    }
}

type Open = Box<dyn FnOnce() -> io::Result<Box<dyn Read + Send>> + Send>;

/// The text of a download. Its end is the end of the download, not that of what was unpacked.
pub(super) struct Text {
    unpacked: Option<Box<dyn Read + Send>>,
    /// Opens the text when it is first read.
    open: Option<Open>,
    tail: Tail,
    shared: Arc<Shared>,
}

impl Text {
    /// Opens the partial file at a path, which holds something of this form.
    pub(super) fn open(path: PathBuf, form: Form, shared: Arc<Shared>) -> Result<Text, FetchError> {
        let file = File::open(&path).map_err(FetchError::io(&path))?;
        let tail = Tail(Arc::new(Mutex::new(Follower {
            path,
            file,
            read: 0,
            sum: Sum::new(),
            shared: shared.clone(),
        })));
        let raw = tail.clone();
        Ok(Text {
            unpacked: None,
            open: Some(Box::new(move || unpack(form, raw))),
            tail,
            shared,
        })
    }

    fn next(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(open) = self.open.take() {
            self.unpacked = Some(open()?);
        }
        match &mut self.unpacked {
            Some(text) => text.read(buffer),
            None => Err(io::Error::other("the download cannot be read")),
        }
    }

    /// Reads what comes after the text, and so learns the verdict.
    fn finish(&mut self) -> io::Result<usize> {
        let mut rest = vec![0; BLOCK];
        while self.tail.read(&mut rest)? > 0 {}
        Ok(0)
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.next(buffer) {
            Ok(0) if !buffer.is_empty() => self.finish(),
            Ok(count) => Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                // The fault is in the download, or in what it holds.
                self.shared.wait(|_| Some(())).map_err(io::Error::other)?;
                self.shared.change(|it| it.is_spoiled = true);
                let words = "the download is removed; run the same command again to fetch the file";
                Err(io::Error::new(error.kind(), format!("{error}; {words}")))
            }
        }
    }
}
