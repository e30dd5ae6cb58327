//! A download: a thread fetches a file, and a reader follows it.
//!
//! The thread appends what arrives to a file on disk, at the speed of the network. The reader
//! begins at the start of that file and waits for more at its end, so a download that continues
//! an earlier one is read like any other. The end of the text is also the verdict: the reader
//! fails there if size or checksum are wrong.

mod fetcher;
mod text;

use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use fetcher::Fetcher;
use text::Text;

use crate::{
    FetchError, Settings,
    catalog::Item,
    client::Client,
    partial::{self, Partial},
};

/// How often a thread that waits looks whether it should stop.
const TICK: Duration = Duration::from_millis(50);

/// How many bytes are taken from the network at once.
const BLOCK: usize = 1 << 16;

/// How far a download is; to be read by another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes on disk, those of earlier runs included.
    pub stored: AtomicU64,
    /// Bytes that arrived in this run.
    pub arrived: AtomicU64,
    /// Bytes that the reader has taken.
    pub read: AtomicU64,
}

/// What a finished download was checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The published SHA-256 checksum.
    Checksum,
    /// The size that the server announced; no checksum is published.
    Size,
    /// Nothing: it was not read to its end, or the server announced no size.
    Nothing,
}

/// A file on its way.
#[derive(Debug)]
pub struct Download {
    shared: Arc<Shared>,
    item: Item,
    whole: PathBuf,
    is_settled: bool,
}

/// What the thread and the reader share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    progress: Arc<Progress>,
    /// Set by the user.
    stop: Arc<AtomicBool>,
    /// Set when nobody wants the file any more.
    is_abandoned: AtomicBool,
    notice: Box<dyn Fn(&str) + Send + Sync>,
}

#[derive(Debug)]
struct State {
    address: String,
    /// Whether the server has answered; from now on the file only grows.
    is_ready: bool,
    total: Option<u64>,
    /// The published checksum.
    expected: Option<String>,
    /// What came of fetching.
    outcome: Option<Result<(), FetchError>>,
    check: Check,
    /// Whether the bytes are useless for a later run.
    is_spoiled: bool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // The state is whole at any time.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    fn go_on(&self) -> Result<(), FetchError> {
        let flags = [&*self.stop, &self.is_abandoned];
        match flags.iter().any(|it| it.load(Ordering::Relaxed)) {
            true => Err(FetchError::Stopped),
            false => Ok(()),
        }
    }

    /// Waits until `look` has something, or the download stops or fails.
    fn wait<T>(&self, mut look: impl FnMut(&State) -> Option<T>) -> Result<T, FetchError> {
        let mut state = self.state();
        loop {
            self.go_on()?;
            if let Some(Err(error)) = &state.outcome {
                return Err(error.clone());
            }
            if let Some(found) = look(&state) {
                return Ok(found);
            }
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Download {
    /// Starts to fetch a file, or continues an earlier run. Returns when the server has answered.
    ///
    /// `base` replaces the beginning of the address. The bytes are kept in `folder`. Setting
    /// `stop` ends the download; what has arrived is kept. `notice` gets a line for each cut
    /// connection and each fresh start.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached or does not have the file, the folder cannot be written
    /// to, or another process fetches the same file.
    pub fn start(
        item: &Item,
        base: Option<&str>,
        folder: &Path,
        settings: &Settings,
        stop: Arc<AtomicBool>,
        notice: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Download, FetchError> {
        let address = item.address(base);
        let partial = Partial::open(folder, item.file(), &address)?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                address: address.clone(),
                is_ready: false,
                total: None,
                expected: None,
                outcome: None,
                check: Check::Nothing,
                is_spoiled: false,
            }),
            changed: Condvar::new(),
            progress: Arc::default(),
            stop,
            is_abandoned: AtomicBool::new(false),
            notice: Box::new(notice),
        });
        let fetcher = Fetcher {
            client: Client::new(settings),
            pauses: settings.pauses.clone(),
            sums: item.sums_address(base),
            item: item.clone(),
            address,
            partial,
            shared: shared.clone(),
        };
        let download = Download {
            shared,
            item: item.clone(),
            whole: folder.join(item.file()),
            is_settled: false,
        };
        let spawned = thread::Builder::new().spawn(|| fetcher.run());
        spawned.map_err(FetchError::io(folder))?;
        download.shared.wait(|it| it.is_ready.then_some(()))?;
        Ok(download)
    }

    /// The bytes of the whole file, if the server announces them.
    pub fn total(&self) -> Option<u64> {
        self.shared.state().total
    }

    /// How far it is.
    pub fn progress(&self) -> Arc<Progress> {
        self.shared.progress.clone()
    }

    /// What it was checked against; complete when its text has been read to the end.
    pub fn check(&self) -> Check {
        self.shared.state().check
    }

    /// The PGN text, as it arrives. Ends with an error if the bytes are not the published ones.
    ///
    /// # Errors
    ///
    /// When the partial file cannot be opened.
    pub fn text(&self) -> Result<impl Read + Send + 'static, FetchError> {
        Text::open(self.path(), self.item.form(), self.shared.clone())
    }

    /// Removes the downloaded file.
    pub fn remove(mut self) {
        self.is_settled = true;
        self.shared.is_abandoned.store(true, Ordering::Relaxed);
        partial::remove(&self.whole);
    }

    /// Keeps the downloaded file and returns its path. A file that is not whole stays a partial one.
    ///
    /// # Errors
    ///
    /// When it cannot be renamed.
    pub fn keep(mut self) -> Result<PathBuf, FetchError> {
        self.is_settled = true;
        if !matches!(self.shared.state().outcome, Some(Ok(()))) {
            return Ok(self.path());
        }
        partial::keep(&self.whole)?;
        Ok(self.whole.clone())
    }

    /// Where the bytes are while they arrive.
    pub fn path(&self) -> PathBuf {
        partial::path(&self.whole)
    }
}

/// A download that is dropped keeps its bytes for the next run, unless they are useless.
impl Drop for Download {
    fn drop(&mut self) {
        self.shared.is_abandoned.store(true, Ordering::Relaxed);
        let is_useless = || self.shared.state().is_spoiled || partial::is_empty(&self.whole);
        if !self.is_settled && is_useless() {
            partial::remove(&self.whole);
        }
    }
}
