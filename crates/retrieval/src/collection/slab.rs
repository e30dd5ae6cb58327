//! Slabs: the texts of some thousand games, cut from the sources in order.

use std::{io::BufRead, ops::Range, sync::mpsc::SyncSender};

use tabiya_chess::pgn::{Source, Splitter};

use super::Progress;

/// At some eight windows a game, this many nearly fill a segment.
const SLAB_GAMES: usize = 7_000;

/// Annotated games are long; no slab is much longer than this.
const SLAB_BYTES: usize = 48 << 20;

/// The texts of some games from one source.
#[derive(Debug)]
pub(super) struct Slab {
    /// The slab's place among all slabs, counted from zero.
    pub(super) order: u64,
    pub(super) source: String,
    pub(super) text: Vec<u8>,
    pub(super) games: Vec<GameText>,
}

/// Where a game's text lies in its slab, and where its source.
#[derive(Debug)]
pub(super) struct GameText {
    pub(super) range: Range<usize>,
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
        order: 0,
    };
    let mut failed = Vec::new();
    for source in sources {
        let opened = source.open(progress.consumed.clone());
        if let Err(error) = opened.and_then(|text| cutter.cut(&source.name(), text)) {
            failed.push((source.name(), error.to_string()));
        }
    }
    failed
}

struct Cutter<'a> {
    progress: &'a Progress,
    slabs: SyncSender<Slab>,
    order: u64,
}

impl Cutter<'_> {
    fn cut(&mut self, source: &str, text: impl BufRead) -> std::io::Result<()> {
        let mut splitter = Splitter::new(text);
        loop {
            let mut slab = Slab {
                order: self.order,
                source: source.to_owned(),
                text: Vec::new(),
                games: Vec::new(),
            };
            let filled = fill(&mut slab, &mut splitter);
            let is_last = !matches!(filled, Ok(true));
            if self.progress.is_cancelled() {
                return Ok(());
            }
            if !slab.games.is_empty() {
                self.order += 1;
                if self.slabs.send(slab).is_err() {
                    return Ok(());
                }
            }
            if is_last {
                return filled.map(|_| ());
            }
        }
    }
}

/// Fills a slab; false at the end of the source. What was read of a game when
/// the source failed is a game too, and its end will be missed there.
fn fill(slab: &mut Slab, splitter: &mut Splitter<impl BufRead>) -> std::io::Result<bool> {
    while slab.games.len() < SLAB_GAMES && slab.text.len() < SLAB_BYTES {
        let begin = slab.text.len();
        match splitter.next_into(&mut slab.text)? {
            Some(line) => slab.games.push(GameText {
                range: begin..slab.text.len(),
                line,
            }),
            None => return Ok(false),
        }
    }
    Ok(true)
}
