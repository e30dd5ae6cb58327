//! Slabs: the texts of some thousand games, cut from the sources in order.

use std::{
    io::{self, BufRead},
    ops::{ControlFlow, Range},
    sync::{Arc, mpsc::SyncSender},
};

use tabiya_chess::pgn::{Source, Splitter};

use super::Progress;

/// At some eight windows a game, this many nearly fill a segment.
const SLAB_GAMES: usize = 7_000;

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
}

/// Cuts the sources into slabs and sends them on, until there are no more,
/// nobody listens, or the import is cancelled. Returns the sources that could
/// not be read to their end, with the reason.
pub(super) fn cut(
    sources: &[Source],
    progress: &Progress,
    slabs: SyncSender<Slab>,
) -> Vec<(String, String)> {
    let mut cutter = Cutter {
        progress,
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
    slabs: SyncSender<Slab>,
    /// The one that is being filled.
    slab: Slab,
}

impl Cutter<'_> {
    /// Cuts a source. If it fails in the middle of a game, that game is left
    /// out: the failure is told anyway.
    fn cut(&mut self, source: &str, text: impl BufRead) -> io::Result<ControlFlow<()>> {
        let source: Arc<str> = source.into();
        let mut splitter = Splitter::new(text);
        loop {
            let begin = self.slab.text.len();
            let Some(line) = splitter.next_into(&mut self.slab.text)? else {
                return Ok(ControlFlow::Continue(()));
            };
            self.slab.games.push(GameText {
                range: begin..self.slab.text.len(),
                source: source.clone(),
                line,
            });
            let is_full = self.slab.games.len() >= SLAB_GAMES || self.slab.text.len() >= SLAB_BYTES;
            if is_full && self.send().is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }

    /// Sends the slab on and begins the next; breaks if nobody wants it.
    fn send(&mut self) -> ControlFlow<()> {
        if self.progress.is_cancelled() {
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
