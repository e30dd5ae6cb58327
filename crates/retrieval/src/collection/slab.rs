//! Slabs: the texts of some thousand games, cut from the inputs in order.

use std::{
    fs::File,
    io::{self, BufRead},
    ops::{ControlFlow, Range},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, SyncSender},
    },
    thread,
    time::Duration,
};

use tabiya_base::{Base, BaseError, Record};
use tabiya_chess::pgn::{Input, Splitter, Stream};

use super::Progress;

/// At some eleven windows a game, this many nearly fill a segment.
const SLAB_GAMES: usize = 5_500;

/// Annotated games are long; no slab is much longer than this.
const SLAB_BYTES: usize = 48 << 20;

/// With this many games, the end of an input ends a slab. Fewer wait for the
/// next input: a folder of single games should not become a segment for each.
const ENOUGH_GAMES: usize = 100;

/// How often an import that waits for a named pipe looks whether it is canceled.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether a path is a named pipe.
#[cfg(unix)]
pub fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|it| it.file_type().is_fifo())
}

/// Whether a path is a named pipe.
#[cfg(not(unix))]
pub fn is_pipe(_: &Path) -> bool {
    false
}

/// The texts of some games.
#[derive(Debug, Default)]
pub(super) struct Slab {
    /// The slab's place among all slabs, counted from zero.
    pub(super) order: u64,
    pub(super) text: Vec<u8>,
    pub(super) games: Vec<GameText>,
}

/// Where a game's text lies in its slab, and where it comes from.
#[derive(Debug)]
pub(super) struct GameText {
    pub(super) range: Range<usize>,
    pub(super) input: Arc<str>,
    /// The first line, or in a base the game's number, counted from one.
    pub(super) line: u64,
    /// Why the text ends before the game does, if its input is damaged.
    pub(super) failure: Option<String>,
}

/// What the slabs do not say about the inputs.
#[derive(Debug, Default)]
pub(super) struct Remains {
    /// Sources that could not be read to their end, with the reason.
    pub(super) failed: Vec<(String, String)>,
    /// Games that are marked as deleted in their bases.
    pub(super) deleted: u64,
}

/// Cuts the inputs into slabs and sends them, until there are no more,
/// nobody listens, the import is canceled or has `enough` games.
pub(super) fn cut(
    inputs: &[Input],
    progress: &Progress,
    enough: &AtomicBool,
    slabs: SyncSender<Slab>,
) -> Remains {
    let mut cutter = Cutter {
        progress,
        enough,
        slabs,
        slab: Slab::default(),
        deleted: 0,
    };
    let mut failed = Vec::new();
    for input in inputs {
        let step = match cutter.cut_input(input) {
            Ok(step) => step,
            Err(reason) => {
                failed.push((input.name(), reason));
                ControlFlow::Continue(())
            }
        };
        let has_enough = cutter.slab.games.len() >= ENOUGH_GAMES;
        if step.is_break() || (has_enough && cutter.send().is_break()) {
            break;
        }
    }
    // If nobody listens any more, nobody wants the rest.
    let _ = cutter.send();
    Remains {
        failed,
        deleted: cutter.deleted,
    }
}

struct Cutter<'a> {
    progress: &'a Progress,
    enough: &'a AtomicBool,
    slabs: SyncSender<Slab>,
    /// The one that is being filled.
    slab: Slab,
    deleted: u64,
}

impl Cutter<'_> {
    /// Cuts an input of any kind; the error is the reason in words.
    fn cut_input(&mut self, input: &Input) -> Result<ControlFlow<()>, String> {
        if let Input::File(path) = input
            && tabiya_base::is_base(path)
        {
            return self.cut_base(path).map_err(|it| it.to_string());
        }
        let opened = match input {
            Input::File(path) if is_pipe(path) => match self.wait_for(path) {
                Some(opened) => opened.map(|it| Input::Stream(Stream::new(&input.name(), it))),
                None => return Ok(ControlFlow::Break(())),
            },
            input => Ok(input.clone()),
        };
        let text = opened.and_then(|it| it.open(self.progress.consumed.clone()));
        let cut = text.and_then(|text| self.cut(&input.name(), text));
        cut.map_err(|it| it.to_string())
    }

    /// Opens a named pipe, which waits for a writer; `None` if the import is canceled before.
    fn wait_for(&self, path: &Path) -> Option<io::Result<File>> {
        let (sender, opened) = mpsc::channel();
        let path = path.to_owned();
        thread::spawn(move || {
            // If nobody waits any more, the pipe is closed again.
            let _ = sender.send(File::open(path));
        });
        loop {
            match opened.recv_timeout(PATIENCE) {
                Ok(opened) => return Some(opened),
                Err(_) if self.progress.is_canceled() => return None,
                Err(_) => {}
            }
        }
    }

    /// Takes the games of a base one by one.
    fn cut_base(&mut self, path: &Path) -> Result<ControlFlow<()>, BaseError> {
        let input: Arc<str> = path.display().to_string().into();
        let size = path.metadata().map_or(0, |it| it.len());
        let is_canceled = || self.progress.is_canceled();
        let mut base = Base::open_unless(path, &is_canceled)?;
        let records = base.records().max(1);
        let mut consumed = 0;
        while !self.progress.is_canceled() {
            let begin = self.slab.text.len();
            let Some(record) = base.next_into(&mut self.slab.text)? else {
                return Ok(ControlFlow::Continue(()));
            };
            match record {
                Record::Game { fault } => self.slab.games.push(GameText {
                    range: begin..self.slab.text.len(),
                    input: input.clone(),
                    line: base.number(),
                    failure: fault,
                }),
                Record::Deleted => self.deleted += 1,
                Record::Other => {}
            }
            // As if the file were read at an even pace.
            let by_now =
                (u128::from(size) * u128::from(base.number()) / u128::from(records)) as u64;
            let step = by_now.saturating_sub(consumed);
            self.progress.consumed.fetch_add(step, Ordering::Relaxed);
            consumed = by_now.max(consumed);
            if self.is_full() && self.send().is_break() {
                break;
            }
        }
        Ok(ControlFlow::Break(()))
    }

    fn is_full(&self) -> bool {
        self.slab.games.len() >= SLAB_GAMES || self.slab.text.len() >= SLAB_BYTES
    }

    /// Cuts an input. If it fails in the middle of a game, what was read of
    /// that game is sent on as well, with the reason.
    fn cut(&mut self, input: &str, text: impl BufRead) -> io::Result<ControlFlow<()>> {
        let input: Arc<str> = input.into();
        let mut splitter = Splitter::new(text);
        loop {
            let begin = self.slab.text.len();
            let read = splitter.next_into(&mut self.slab.text);
            let range = begin..self.slab.text.len();
            if !range.is_empty() {
                self.slab.games.push(GameText {
                    range,
                    input: input.clone(),
                    line: splitter.first_line(),
                    failure: read
                        .as_ref()
                        .err()
                        .map(|it| format!("the input fails in this game ({it})")),
                });
            }
            if read?.is_none() {
                return Ok(ControlFlow::Continue(()));
            }
            let is_over =
                self.enough.load(Ordering::Relaxed) || self.is_full() && self.send().is_break();
            if is_over {
                return Ok(ControlFlow::Break(()));
            }
        }
    }

    /// Sends the slab on and begins the next; breaks if nobody wants it.
    fn send(&mut self) -> ControlFlow<()> {
        if self.progress.is_canceled() || self.enough.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        if self.slab.games.is_empty() {
            return ControlFlow::Continue(());
        }
        let next = Slab {
            order: self.slab.order + 1,
            ..Slab::default()
        };
        match self.slabs.send(std::mem::replace(&mut self.slab, next)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    /// Gives its text, then fails.
    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("out of order")),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn a_game_in_which_its_source_fails_is_sent_with_the_reason() {
        let (slabs, sent) = mpsc::sync_channel(1);
        let progress = Progress::default();
        let mut cutter = Cutter {
            progress: &progress,
            enough: &AtomicBool::new(false),
            slabs,
            slab: Slab::default(),
            deleted: 0,
        };
        let text = b"[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4\nd5 2. c";
        let failed = cutter.cut("file", BufReader::new(Failing(text)));
        assert_eq!(failed.unwrap_err().to_string(), "out of order");
        assert!(cutter.send().is_continue());
        let slab = sent.recv().unwrap();
        let games: Vec<_> = slab
            .games
            .iter()
            .map(|it| (&slab.text[it.range.clone()], it.line, it.failure.as_deref()))
            .collect();
        assert_eq!(
            games,
            [
                (&b"[Event \"a\"]\n\n1. e4 *\n\n"[..], 1, None),
                (
                    b"[Event \"b\"]\n\n1. d4\n",
                    5,
                    Some("the input fails in this game (out of order)")
                ),
            ]
        );
    }
}
