//! The thread of a download: asks for what is missing until it is there.

use std::{
    io::Read,
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{BLOCK, Shared, TICK};
use crate::{
    FetchError,
    catalog::Item,
    checksum,
    client::{Client, Content, Reply, Trouble},
    partial::{Note, Partial},
};

/// Fetches a file, as often as it takes.
pub(super) struct Fetcher {
    pub(super) client: Client,
    pub(super) pauses: Vec<Duration>,
    pub(super) sums: Option<String>,
    pub(super) item: Item,
    pub(super) address: String,
    pub(super) partial: Partial,
    pub(super) shared: Arc<Shared>,
}

impl Fetcher {
    pub(super) fn run(mut self) {
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
            Reply::Whole(content) if is_whole && self.is_same(&content) => {
                self.get_ready();
                drop(content);
                return Ok(());
            }
            Reply::Whole(content) => self.begin_again(content, is_ready)?,
            Reply::Rest { start, content } if start == have && self.is_same(&content) => content,
            Reply::Rest { .. } | Reply::OutOfRange(_) if !is_ready => {
                return self.forget_and_fetch();
            }
            Reply::OutOfRange(Some(found)) if Some(found) != self.partial.note().total => {
                return Err(Trouble::Final(FetchError::Size {
                    address: self.address.clone(),
                    announced: self.partial.note().total.unwrap_or(have),
                    found,
                }));
            }
            Reply::Rest { .. } => return Err(self.changed()),
            Reply::OutOfRange(_) => return Err(Trouble::passing("the server has no more bytes")),
            Reply::NotFound => {
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
