//! Imports games from PGN text and bases into segments, on all cores and in bounded memory.
//!
//! One thread cuts the text into slabs of some thousand games. Workers turn each slab into a
//! segment. The caller's thread adds finished segments to the collection, in the order of the
//! text. So the result does not depend on the number of workers, and a crash loses only unfinished
//! segments. An all-or-nothing import adds its segments when all inputs have been read.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use rayon::prelude::*;
use tabiya_chess::{
    Game, Tags,
    pgn::{self, Fault, Input},
};

use super::{
    BrokenGame, CollectionError, Report, Selection, Writer,
    log::Log,
    slab::{self, GameText, Slab},
    writer::SegmentNames,
};
use crate::index::{FormatError, GameDigest, LONGEST_GAME, SegmentBuilder, Summary};

/// An import: its inputs and settings.
#[derive(Clone, Debug)]
pub struct Import {
    /// The texts, in order.
    pub inputs: Vec<Input>,
    /// The number of opening plies to leave out of the index; `None` means that of the
    /// collection, or 0 for a new one.
    pub skip: Option<u16>,
    /// The number of workers; `None` means all cores.
    pub threads: Option<usize>,
    /// The games to take.
    pub selection: Selection,
    /// Whether to add nothing unless every input can be read to its end. A download, for example,
    /// is checked at its end.
    pub all_or_nothing: bool,
    /// What is done with every game that is taken.
    pub preparation: Option<Preparation>,
}

/// What is done with every game before it is indexed, on all cores.
#[derive(Clone)]
pub struct Preparation(Arc<dyn Fn(&mut Game) + Send + Sync>);

impl Preparation {
    /// A preparation. It must depend on the game alone.
    pub fn new(prepare: impl Fn(&mut Game) + Send + Sync + 'static) -> Preparation {
        Preparation(Arc::new(prepare))
    }
}

impl std::fmt::Debug for Preparation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Preparation")
    }
}

/// The progress of an import, a merge or a verification. Other threads can read it and cancel
/// the work.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes read from the files, before decompression.
    pub consumed: Arc<AtomicU64>,
    /// Games processed.
    pub games: AtomicU64,
    /// Games prepared, if the import prepares them.
    pub prepared: AtomicU64,
    /// Positions indexed.
    pub positions: AtomicU64,
    canceled: AtomicBool,
}

impl Progress {
    /// Asks the work to stop. An import keeps what is finished by then.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// Whether the work was canceled.
    pub fn is_canceled(&self) -> bool {
        self.canceled.load(Ordering::Relaxed)
    }
}

impl Import {
    /// An import with default settings.
    pub fn new(inputs: Vec<Input>) -> Import {
        Import {
            inputs,
            skip: None,
            threads: None,
            selection: Selection::default(),
            all_or_nothing: false,
            preparation: None,
        }
    }

    /// Adds the games to the collection in a folder, creating it if necessary.
    ///
    /// # Errors
    ///
    /// When the collection cannot be written. Files that cannot be read are listed in the report;
    /// the others are imported, unless the import is all or nothing.
    pub fn run(&self, folder: &Path, progress: &Progress) -> Result<Report, CollectionError> {
        let mut writer = Writer::open_or_create(folder, self.skip)?;
        let mut log = Log::open(folder)?;
        let digests = known_digests(&writer)?;
        let enough = AtomicBool::new(self.selection.limit == Some(0));
        let worker = Worker {
            folder,
            skip: writer.skip(),
            segments: writer.segment_names(),
            selection: &self.selection,
            by_tags: (!self.selection.admits_all()).then(|| self.selection.by_tags()),
            digests: Mutex::new(digests),
            turn: Turn::default(),
            taken: AtomicU64::new(0),
            enough: &enough,
            preparation: self.preparation.as_ref(),
            progress,
        };
        let (slabs, waiting) = mpsc::sync_channel(1);
        let (results, finished) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
        thread::scope(|scope| {
            let cutter = scope.spawn(|| slab::cut(&self.inputs, progress, &enough, slabs));
            for number in 0..self.workers() {
                let (waiting, results, worker) = (waiting.clone(), results.clone(), &worker);
                let work = move || worker.run(&waiting, &results);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => {}
                    Err(error) if number == 0 => return Err(CollectionError::io(folder)(error)),
                    // Go on with fewer workers.
                    Err(_) => break,
                }
            }
            // With the workers gone, the cutter must not wait for them.
            drop((waiting, results));
            let mut committer = Committer {
                writer: &mut writer,
                log: &mut log,
                report: Report::default(),
                held_back: self.all_or_nothing.then(Vec::new),
            };
            let committed = committer.run(finished);
            if committed.is_err() {
                progress.cancel();
            }
            let remains = cutter.join().unwrap_or_default();
            committer.report.failed_inputs = remains.failed;
            committer.report.deleted = remains.deleted;
            committer.report.canceled = progress.is_canceled();
            committed.and_then(|()| committer.finish())
        })
    }

    fn workers(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

/// The result of a slab.
type Outcome = Result<Batch, FormatError>;

/// The segments of a slab, with counts and problems.
#[derive(Debug, Default)]
struct Batch {
    segments: Vec<(String, Summary)>,
    counts: Report,
    problems: Vec<BrokenGame>,
}

/// Adds finished segments to the collection, in the order of the text.
struct Committer<'a> {
    writer: &'a mut Writer,
    log: &'a mut Log,
    report: Report,
    /// The segments so far, if they are added only at the end.
    held_back: Option<Vec<(String, Summary)>>,
}

impl Committer<'_> {
    fn run(&mut self, finished: mpsc::Receiver<(u64, Outcome)>) -> Result<(), CollectionError> {
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (order, outcome) in finished {
            early.insert(order, outcome);
            while let Some(outcome) = early.remove(&next) {
                let batch = outcome?;
                match &mut self.held_back {
                    Some(segments) => segments.extend(batch.segments.iter().cloned()),
                    None => self.writer.append(&batch.segments)?,
                }
                self.log.write(&batch.problems)?;
                self.report.add(batch);
                next += 1;
            }
        }
        Ok(())
    }

    /// Adds the segments that were held back, or drops them if an input failed.
    fn finish(mut self) -> Result<Report, CollectionError> {
        let Some(segments) = self.held_back.take() else {
            return Ok(self.report);
        };
        if self.report.failed_inputs.is_empty() && !self.report.canceled {
            self.writer.append(&segments)?;
        } else {
            (self.report.games, self.report.positions) = (0, 0);
            self.writer.clear_away()?;
        }
        Ok(self.report)
    }
}

impl Report {
    fn add(&mut self, batch: Batch) {
        let counts = batch.counts;
        self.skipped += counts.skipped;
        self.variants += counts.variants;
        self.left_out += counts.left_out;
        self.duplicates += counts.duplicates;
        self.cut_short += counts.cut_short;
        self.variations += counts.variations;
        self.lost_notes += counts.lost_notes;
        self.disagreeing_results += counts.disagreeing_results;
        for (_, summary) in &batch.segments {
            self.games += u64::from(summary.games);
            self.positions += summary.positions;
        }
        let room = Report::PROBLEMS - self.problems.len();
        self.problems.extend(batch.problems.into_iter().take(room));
    }
}

/// Turns slabs into segments. All workers share this value.
struct Worker<'a> {
    folder: &'a Path,
    skip: u16,
    segments: SegmentNames,
    selection: &'a Selection,
    /// The part of the selection that depends on tags alone; `None` if it admits every game.
    by_tags: Option<Selection>,
    /// The digests of all games so far.
    digests: Mutex<HashSet<GameDigest>>,
    /// The worker whose turn it is to look for duplicates. Turns follow the order of the text, so
    /// that the first of two equal games is kept.
    turn: Turn,
    /// Games taken so far, duplicates included; changes with the turn.
    taken: AtomicU64,
    /// Whether the limit is reached.
    enough: &'a AtomicBool,
    preparation: Option<&'a Preparation>,
    progress: &'a Progress,
}

impl Worker<'_> {
    fn run(&self, waiting: &Mutex<mpsc::Receiver<Slab>>, results: &mpsc::Sender<(u64, Outcome)>) {
        while !self.progress.is_canceled() {
            let slab = locked(waiting).recv();
            let Ok(slab) = slab else { return };
            let order = slab.order;
            let outcome = self.work(slab);
            if results.send((order, outcome)).is_err() {
                return;
            }
        }
    }

    fn work(&self, slab: Slab) -> Outcome {
        let order = slab.order;
        let mut batch = Batch::default();
        let mut games = self.read(&slab, &mut batch);
        drop(slab);
        self.turn.take(order, || {
            if self.enough.load(Ordering::Relaxed) {
                // Chance decides whether a slab after the limit is read.
                (games, batch) = (Vec::new(), Batch::default());
                return;
            }
            self.take_up_to_limit(&mut games);
            let mut digests = locked(&self.digests);
            let before = games.len();
            games.retain(|game| digests.insert(GameDigest::of(game)));
            batch.counts.duplicates = (before - games.len()) as u64;
        });
        if self.prepare(&mut games).is_err() {
            // What is missing now is new to the next import.
            return Ok(Batch::default());
        }
        self.build(&games, &mut batch)?;
        Ok(batch)
    }

    /// Prepares the games; fails if the import is canceled meanwhile.
    fn prepare(&self, games: &mut [Game]) -> Result<(), ()> {
        let Some(Preparation(prepare)) = self.preparation else {
            return Ok(());
        };
        games.par_iter_mut().try_for_each(|game| {
            if self.progress.is_canceled() {
                return Err(());
            }
            prepare(game);
            self.progress.prepared.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }

    /// Drops the games beyond the limit.
    fn take_up_to_limit(&self, games: &mut Vec<Game>) {
        let Some(limit) = self.selection.limit else {
            return;
        };
        let left = limit.saturating_sub(self.taken.load(Ordering::Relaxed));
        games.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        let taken = games.len() as u64;
        self.taken.fetch_add(taken, Ordering::Relaxed);
        self.enough.store(taken == left, Ordering::Relaxed);
    }

    /// Whether the selection leaves a game out, as its tags show.
    fn leaves_out(&self, text: &[u8]) -> bool {
        let by_tags = self.by_tags.as_ref();
        by_tags.is_some_and(|it| !it.admits(&pgn::read_tags(text)))
    }

    fn read(&self, slab: &Slab, batch: &mut Batch) -> Vec<Game> {
        let builder = SegmentBuilder::new(self.skip);
        let mut games = Vec::with_capacity(slab.games.len());
        for text in &slab.games {
            let pgn = &slab.text[text.range.clone()];
            if self.leaves_out(pgn) {
                batch.counts.left_out += 1;
                continue;
            }
            let mut reading = pgn::read(pgn);
            let refused = |it: &Game| !self.selection.filter.admits_tags(&it.tags);
            if reading.game.as_ref().is_some_and(refused) {
                batch.counts.left_out += 1;
                continue;
            }
            if let Some(game) = reading
                .game
                .as_mut()
                .filter(|it| it.moves.len() > LONGEST_GAME)
            {
                reading.lost += game.truncate(LONGEST_GAME) as u32;
                let what = format!("longer than {LONGEST_GAME} plies");
                reading.fault.get_or_insert(Fault::Cut(what));
            }
            if let Some(failure) = &text.failure {
                reading.fault.get_or_insert(Fault::Cut(failure.clone()));
            }
            batch.counts.variations += u64::from(reading.variations);
            batch.counts.lost_notes += u64::from(reading.lost);
            batch.counts.disagreeing_results += u64::from(reading.result_disagrees);
            let is_sound = reading.fault.is_none();
            let kept = reading
                .game
                .as_ref()
                .is_some_and(|it| is_sound || builder.positions_of(it) > 0);
            if let Some(fault) = reading.fault {
                let tags = reading.game.as_ref().map(|it| &it.tags);
                let tags = tags.or(reading.refused.as_ref());
                batch.note(&fault, kept, text, tags);
            }
            games.extend(reading.game.filter(|_| kept));
        }
        games
    }

    fn build(&self, games: &[Game], batch: &mut Batch) -> Result<(), FormatError> {
        let mut builder = SegmentBuilder::new(self.skip);
        for game in games {
            if !builder.has_room_for(game) {
                let full = std::mem::replace(&mut builder, SegmentBuilder::new(self.skip));
                batch.segments.push(self.write(full)?);
            }
            let before = builder.summary().positions;
            builder.add(game);
            let added = builder.summary().positions - before;
            self.progress.games.fetch_add(1, Ordering::Relaxed);
            self.progress.positions.fetch_add(added, Ordering::Relaxed);
        }
        if builder.summary().games > 0 {
            batch.segments.push(self.write(builder)?);
        }
        Ok(())
    }

    fn write(&self, builder: SegmentBuilder) -> Result<(String, Summary), FormatError> {
        let name = self.segments.next();
        let summary = builder.write(&self.folder.join(&name))?;
        Ok((name, summary))
    }
}

impl Batch {
    fn note(&mut self, fault: &Fault, kept: bool, text: &GameText, tags: Option<&Tags>) {
        let counts = &mut self.counts;
        counts.cut_short += u64::from(kept);
        counts.skipped += u64::from(!kept);
        counts.variants += u64::from(matches!(fault, Fault::Variant(_)));
        let players = tags.map_or("unknown players".to_owned(), |it| {
            format!("{} - {}", it.white, it.black)
        });
        let reason = fault.to_string();
        self.problems.push(BrokenGame {
            input: text.input.to_string(),
            line: text.line,
            players,
            reason,
            kept,
        });
    }
}

/// Lets threads act one after another, in a given order.
#[derive(Debug, Default)]
struct Turn {
    next: Mutex<u64>,
    changed: Condvar,
}

impl Turn {
    fn take(&self, order: u64, act: impl FnOnce()) {
        let next = locked(&self.next);
        let waited = self.changed.wait_while(next, |next| *next != order);
        let mut next = waited.unwrap_or_else(PoisonError::into_inner);
        act();
        *next += 1;
        self.changed.notify_all();
    }
}

/// The scope reports a worker that panicked; what it locked is
/// sets and counters, which are whole at any time.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known_digests(writer: &Writer) -> Result<HashSet<GameDigest>, CollectionError> {
    let collection = writer.collection()?;
    let mut digests = HashSet::with_capacity(collection.games() as usize);
    for segment in collection.segments() {
        digests.extend(segment.digests()?);
    }
    Ok(digests)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use proptest::prelude::*;
    use tabiya_chess::pgn::Stream;

    use super::*;
    use crate::{
        Collection,
        testing::{Dice, random_game, random_query, random_tags},
    };

    fn random_games(dice: &mut Dice, count: usize) -> Vec<Game> {
        let game = |dice: &mut Dice| Game {
            tags: random_tags(dice),
            ..random_game(dice, 8)
        };
        (0..count).map(|_| game(dice)).collect()
    }

    fn text(games: &[Game]) -> String {
        games.iter().fold(String::new(), |mut text, game| {
            // Writing to a string cannot fail.
            let _ = pgn::write(game, &mut text);
            text
        })
    }

    fn stream(text: &str) -> Vec<Input> {
        let reader = io::Cursor::new(text.to_owned());
        vec![Input::Stream(Stream::new("stream", reader))]
    }

    fn exported(folder: &Path, filter: &crate::Filter) -> String {
        let mut games = Vec::new();
        let collection = Collection::open(folder).unwrap();
        let collected = collection.for_each_game(filter, |_, game| {
            games.push(game);
            Ok::<(), FormatError>(())
        });
        collected.unwrap();
        text(&games)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// To filter while importing and to filter what was imported is the same.
        #[test]
        fn an_import_filters_as_a_search(seed: u64) {
            let mut dice = Dice::new(seed);
            let games = random_games(&mut dice, 30);
            let mut filter = random_query(&mut dice, &games).filter;
            // Tags do not decide these.
            filter.exclude.clear();
            (filter.side_to_move, filter.material) = (None, None);
            filter.pieces = Default::default();
            let folder = tempfile::tempdir().unwrap();
            let [all, some] = ["all", "some"].map(|it| folder.path().join(it));
            let import = Import::new(stream(&text(&games)));
            let whole = import.run(&all, &Progress::default()).unwrap();
            let selection = Selection { filter: filter.clone(), ..Selection::default() };
            let import = Import { selection, ..Import::new(stream(&text(&games))) };
            let part = import.run(&some, &Progress::default()).unwrap();
            prop_assert_eq!(exported(&some, &filter), exported(&all, &filter));
            prop_assert_eq!(exported(&some, &crate::Filter::default()), exported(&all, &filter));
            let counted = part.games + part.duplicates + part.left_out;
            prop_assert_eq!(counted, whole.games + whole.duplicates);
        }
    }

    #[test]
    fn a_limit_takes_the_first_games() {
        let games = random_games(&mut Dice::new(7), 40);
        let limited = |folder: &Path, limit, threads| {
            let import = Import {
                threads: Some(threads),
                selection: Selection {
                    limit: Some(limit),
                    ..Selection::default()
                },
                ..Import::new(stream(&text(&games)))
            };
            import.run(folder, &Progress::default()).unwrap()
        };
        for (limit, threads) in [(1, 1), (13, 3), (40, 2), (1000, 2)] {
            let folder = tempfile::tempdir().unwrap();
            let report = limited(folder.path(), limit, threads);
            let taken = limit.min(40);
            assert_eq!(report.games + report.duplicates, taken);
            let (all, first) = (exported(folder.path(), &Default::default()), &games[0]);
            assert!(all.starts_with(&text(std::slice::from_ref(first))));
            // The same import again takes the same games.
            let again = limited(folder.path(), limit, threads);
            assert_eq!((again.games, again.duplicates), (0, taken));
        }
    }

    /// Gives its text, then fails.
    struct Failing(io::Cursor<String>);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the wrong bytes")),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn all_or_nothing_adds_nothing_if_a_source_fails() {
        // More games than a slab has, so that segments are finished before the end.
        let mut dice = Dice::new(3);
        let games = random_games(&mut dice, 7_200);
        let folder = tempfile::tempdir().unwrap();
        let first = Import::new(stream(&text(&random_games(&mut dice, 5))));
        first.run(folder.path(), &Progress::default()).unwrap();
        let before = exported(folder.path(), &Default::default());
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let files_before = files();
        let reader = Failing(io::Cursor::new(text(&games)));
        let failing = Import {
            all_or_nothing: true,
            ..Import::new(vec![Input::Stream(Stream::new("stream", reader))])
        };
        let report = failing.run(folder.path(), &Progress::default()).unwrap();
        assert_eq!((report.games, report.positions), (0, 0));
        let failed = ("stream".to_owned(), "the wrong bytes".to_owned());
        assert_eq!(report.failed_inputs, [failed]);
        assert!(exported(folder.path(), &Default::default()) == before);
        assert_eq!(files(), files_before, "segments of no use are removed");
        let sound = Import {
            all_or_nothing: true,
            ..Import::new(stream(&text(&games)))
        };
        let report = sound.run(folder.path(), &Progress::default()).unwrap();
        assert!(report.games > 7_000, "{report:?}");
    }

    #[test]
    fn all_or_nothing_adds_nothing_if_it_is_canceled() {
        let games = random_games(&mut Dice::new(5), 10);
        let folder = tempfile::tempdir().unwrap();
        let import = Import {
            all_or_nothing: true,
            ..Import::new(stream(&text(&games)))
        };
        let progress = Progress::default();
        progress.cancel();
        let report = import.run(folder.path(), &progress).unwrap();
        assert_eq!((report.games, report.canceled), (0, true));
        assert_eq!(Collection::open(folder.path()).unwrap().games(), 0);
    }
}
