//! A download: a thread fetches a file, and a reader follows it.
//!
//! The thread appends what arrives to a file on disk, at the speed of the network. The reader
//! begins at the start of that file and waits for more at its end, so a download that continues
//! an earlier one is read like any other. The end of the text is also the verdict: the reader
//! fails there if size or checksum are wrong.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    FetchError, Settings,
    catalog::Item,
    checksum::{self, Sum},
    client::{Answer, Client, Content, Trouble},
    partial::{self, Note, Partial},
    unpack::unpack,
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
        let path = self.path();
        let file = File::open(&path).map_err(FetchError::io(&path))?;
        let tail = Tail(Arc::new(Mutex::new(Follower {
            path,
            file,
            read: 0,
            sum: Sum::new(),
            shared: self.shared.clone(),
        })));
        let form = self.item.form();
        let raw = tail.clone();
        Ok(Text {
            unpacked: None,
            open: Some(Box::new(move || unpack(form, raw))),
            tail,
            shared: self.shared.clone(),
        })
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

/// Fetches a file, as often as it takes.
struct Fetcher {
    client: Client,
    pauses: Vec<Duration>,
    sums: Option<String>,
    item: Item,
    address: String,
    partial: Partial,
    shared: Arc<Shared>,
}

impl Fetcher {
    fn run(mut self) {
        let outcome = self.fetch();
        let shared = self.shared.clone();
        // Gives the lock back before anybody hears of the end.
        drop(self);
        shared.change(|it| {
            it.is_spoiled |= matches!(outcome, Err(FetchError::Changed(_)));
            it.outcome = Some(outcome);
        });
    }

    fn fetch(&mut self) -> Result<(), FetchError> {
        let expected = self.published_checksum()?;
        self.shared.change(|it| it.expected = expected);
        self.persist(Fetcher::fetch_rest)
    }

    fn published_checksum(&mut self) -> Result<Option<String>, FetchError> {
        let Some(address) = self.sums.clone() else {
            return Ok(None);
        };
        let list = self.persist(|it| it.client.get_text(&address))?;
        let sum = list.and_then(|it| checksum::find(&it, self.item.file()));
        if sum.is_none() {
            let file = self.item.file();
            (self.shared.notice)(&format!(
                "{address} has no checksum for {file}; only its size is checked"
            ));
        }
        Ok(sum)
    }

    /// Tries until it succeeds, fails for good, or fails too often without progress.
    fn persist<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Fetcher) -> Result<T, Trouble>,
    ) -> Result<T, FetchError> {
        let mut failures = 0;
        loop {
            self.shared.go_on()?;
            let before = self.partial.length();
            let (what, after) = match attempt(self) {
                Ok(done) => return Ok(done),
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Passing { what, after }) => (what, after),
                Err(Trouble::Unreachable(what)) if self.shared.state().is_ready => (what, None),
                Err(Trouble::Unreachable(what)) => return Err(self.connection(what)),
            };
            if self.partial.length() > before {
                failures = 0;
            }
            let Some(&pause) = self.pauses.get(failures) else {
                return Err(self.connection(what));
            };
            failures += 1;
            self.pause(&what, after.unwrap_or_default().max(pause))?;
        }
    }

    fn connection(&self, what: String) -> FetchError {
        let kept = match self.partial.length() {
            0 => String::new(),
            bytes => format!(" ({bytes} bytes are kept, and it continues there)"),
        };
        FetchError::Connection {
            address: self.address.clone(),
            what,
            kept,
        }
    }

    fn pause(&self, what: &str, pause: Duration) -> Result<(), FetchError> {
        let message = format!(
            "{}: {what}; trying again in {} s",
            self.item.name,
            pause.as_secs()
        );
        (self.shared.notice)(&message);
        let end = Instant::now() + pause;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            self.shared.go_on()?;
            thread::sleep(left.min(TICK));
        }
        Ok(())
    }

    /// One request for all that is missing.
    fn fetch_rest(&mut self) -> Result<(), Trouble> {
        let have = self.partial.length();
        let is_whole = have > 0 && self.partial.is_whole();
        let from = (have > 0 && !is_whole).then_some(have);
        let version = self.partial.note().version.clone();
        let answer = self.client.get(&self.address, from, version.as_deref())?;
        let is_ready = self.shared.state().is_ready;
        let content = match answer {
            Answer::Whole(content) if is_whole && self.is_same(&content) => {
                self.get_ready();
                drop(content);
                return Ok(());
            }
            Answer::Whole(content) => self.begin_again(content, is_ready)?,
            Answer::Rest { start, content } if start == have && self.is_same(&content) => content,
            Answer::Rest { .. } | Answer::OutOfRange(_) if !is_ready => {
                return self.forget_and_fetch();
            }
            Answer::OutOfRange(Some(found)) if Some(found) != self.partial.note().total => {
                return Err(Trouble::Final(FetchError::Size {
                    address: self.address.clone(),
                    announced: self.partial.note().total.unwrap_or(have),
                    found,
                }));
            }
            Answer::Rest { .. } => return Err(self.changed()),
            Answer::OutOfRange(_) => return Err(Trouble::passing("the server has no more bytes")),
            Answer::NotFound => {
                return Err(Trouble::Final(FetchError::NotFound {
                    address: self.address.clone(),
                    hint: self.item.hint(),
                }));
            }
        };
        self.get_ready();
        self.store(content.body)
    }

    /// Takes a file from its beginning although its first bytes may be there.
    fn begin_again(&mut self, mut content: Content, is_ready: bool) -> Result<Content, Trouble> {
        let is_same = self.is_same(&content);
        if self.partial.length() > 0 {
            let reason = match is_same {
                true => "the server cannot continue a download",
                false => "the file has changed on the server",
            };
            (self.shared.notice)(&format!(
                "{}: {reason}; starting again from its beginning",
                self.item.name
            ));
        }
        if !is_ready {
            self.partial.clear(Note {
                address: self.address.clone(),
                total: content.total,
                version: content.version.clone(),
                is_whole: false,
            })?;
            return Ok(content);
        }
        // The reader has taken what is there: it must be the same again.
        let begins_alike = match is_same {
            true => self.partial.begins_like(&mut content.body)?,
            false => Ok(false),
        };
        match begins_alike {
            Ok(true) => Ok(content),
            Ok(false) => Err(self.changed()),
            Err(error) => Err(Trouble::passing(error)),
        }
    }

    /// Drops a partial file that the server cannot continue, before anybody has read it.
    fn forget_and_fetch(&mut self) -> Result<(), Trouble> {
        (self.shared.notice)(&format!(
            "{}: the file has changed on the server; starting again from its beginning",
            self.item.name
        ));
        self.partial.clear(Note {
            address: self.address.clone(),
            ..Note::default()
        })?;
        // With nothing on disk, no range is asked for.
        self.fetch_rest()
    }

    /// Appends what arrives.
    fn store(&mut self, mut body: Box<dyn Read + Send>) -> Result<(), Trouble> {
        let mut block = vec![0; BLOCK];
        loop {
            self.shared.go_on()?;
            let count = match body.read(&mut block) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => return Err(Trouble::passing(error)),
            };
            self.partial.append(&block[..count])?;
            let progress = &self.shared.progress;
            progress.arrived.fetch_add(count as u64, Ordering::Relaxed);
            self.shared.change(|_| {
                progress
                    .stored
                    .store(self.partial.length(), Ordering::Relaxed)
            });
        }
        let note = self.partial.note().clone();
        match note.total.filter(|&it| it != self.partial.length()) {
            Some(total) if self.partial.length() < total => {
                Err(Trouble::passing("the connection ended early"))
            }
            Some(announced) => Err(Trouble::Final(FetchError::Size {
                address: self.address.clone(),
                announced,
                found: self.partial.length(),
            })),
            None => Ok(self.partial.set_note(Note {
                is_whole: true,
                ..note
            })?),
        }
    }

    /// Lets the reader begin.
    fn get_ready(&self) {
        let (stored, total) = (self.partial.length(), self.partial.note().total);
        self.shared.change(|it| {
            let progress = &self.shared.progress;
            progress.stored.store(stored, Ordering::Relaxed);
            it.total = total;
            it.is_ready = true;
        });
    }

    /// Whether the server still has the file whose beginning is on disk.
    fn is_same(&self, content: &Content) -> bool {
        let note = self.partial.note();
        let is_same_version = match (&note.version, &content.version) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        is_same_version && note.total == content.total
    }

    fn changed(&self) -> Trouble {
        Trouble::Final(FetchError::Changed(self.address.clone()))
    }
}

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
struct Text {
    unpacked: Option<Box<dyn Read + Send>>,
    /// Opens the text when it is first read.
    open: Option<Open>,
    tail: Tail,
    shared: Arc<Shared>,
}

impl Text {
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
                let words = "the download is removed, run the same command again to fetch it anew";
                Err(io::Error::new(error.kind(), format!("{error}; {words}")))
            }
        }
    }
}
