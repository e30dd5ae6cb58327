//! Slabs: the texts of some thousand games, cut from the sources in order.

use std::{
    io::{self, BufRead},
    ops::{ControlFlow, Range},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::SyncSender,
    },
};

use tabiya_chess::pgn::{Source, Splitter};

use super::Progress;

/// At some eleven windows a game, this many nearly fill a segment.
const SLAB_GAMES: usize = 5_500;

/// Annotated games are long; no slab is much longer than this.
const SLAB_BYTES: usize = 48 << 20;

/// With this many games, the end of a source ends a slab. Fewer wait for the
/// next source: a folder of single games should not become a segment for each.
const ENOUGH_GAMES: usize = 100;

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
    pub(super) source: Arc<str>,
    /// The first line, counted from one.
    pub(super) line: u64,
    /// Why the text ends before the game does, if its source failed.
    pub(super) failure: Option<String>,
}

/// Cuts the sources into slabs and sends them on, until there are no more,
/// nobody listens, the import is cancelled or has `enough` games. Returns the sources that could
/// not be read to their end, with the reason.
pub(super) fn cut(
    sources: &[Source],
    progress: &Progress,
    enough: &AtomicBool,
    slabs: SyncSender<Slab>,
) -> Vec<(String, String)> {
    let mut cutter = Cutter {
        progress,
        enough,
        slabs,
        slab: Slab::default(),
    };
    let mut failed = Vec::new();
    for source in sources {
        let opened = source.open(progress.consumed.clone());
        match opened.and_then(|text| cutter.cut(&source.name(), text)) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return failed,
            Err(error) => failed.push((source.name(), error.to_string())),
        }
        if cutter.slab.games.len() >= ENOUGH_GAMES && cutter.send().is_break() {
            return failed;
        }
    }
    // If nobody listens any more, nobody wants the rest.
    let _ = cutter.send();
    failed
}

struct Cutter<'a> {
    progress: &'a Progress,
    enough: &'a AtomicBool,
    slabs: SyncSender<Slab>,
    /// The one that is being filled.
    slab: Slab,
}

impl Cutter<'_> {
    /// Cuts a source. If it fails in the middle of a game, what was read of
    /// that game is sent on as well, with the reason.
    fn cut(&mut self, source: &str, text: impl BufRead) -> io::Result<ControlFlow<()>> {
        let source: Arc<str> = source.into();
        let mut splitter = Splitter::new(text);
        loop {
            let begin = self.slab.text.len();
            let read = splitter.next_into(&mut self.slab.text);
            let range = begin..self.slab.text.len();
            if !range.is_empty() {
                self.slab.games.push(GameText {
                    range,
                    source: source.clone(),
                    line: splitter.first_line(),
                    failure: read.as_ref().err().map(ToString::to_string),
                });
            }
            if read?.is_none() {
                return Ok(ControlFlow::Continue(()));
            }
            if self.enough.load(Ordering::Relaxed) {
                return Ok(ControlFlow::Break(()));
            }
            let is_full = self.slab.games.len() >= SLAB_GAMES || self.slab.text.len() >= SLAB_BYTES;
            if is_full && self.send().is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }

    /// Sends the slab on and begins the next; breaks if nobody wants it.
    fn send(&mut self) -> ControlFlow<()> {
        if self.progress.is_cancelled() || self.enough.load(Ordering::Relaxed) {
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
    use std::{
        io::{BufReader, Read},
        sync::mpsc,
    };

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
                (b"[Event \"b\"]\n\n1. d4\n", 5, Some("out of order")),
            ]
        );
    }
}
