//! Importing games: PGN text and bases in, segments out, on all cores and in
//! bounded memory.
//!
//! One thread cuts the text, and takes that of a base, into slabs of some thousand games; workers turn a
//! slab into a segment each; the caller's thread makes finished segments part
//! of the collection, in the order of the text. So the result does not depend
//! on the number of workers, and what was imported before a crash stays.

use std::{
    collections::{BTreeMap, HashSet},
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use tabiya_chess::{
    Game, Tags,
    pgn::{self, Fault, Source},
};

use super::{
    CollectionError, Writer,
    slab::{self, GameText, Slab},
    writer::SegmentNames,
};
use crate::index::{Digest, FormatError, LONGEST_GAME, SegmentBuilder, Summary};

/// Where problems are written down.
const LOG: &str = "import.log";

/// What is to be imported, and how.
#[derive(Clone, Debug)]
pub struct Import {
    /// The texts, in order.
    pub sources: Vec<Source>,
    /// How many plies to leave out at the beginning of a game; as the
    /// collection does, or 24, if not given.
    pub skip: Option<u16>,
    /// How many workers; all cores if not given.
    pub threads: Option<usize>,
}

/// How far an import is; to be read by another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes taken from the files, before decompression.
    pub consumed: Arc<AtomicU64>,
    /// Games made part of a segment.
    pub games: AtomicU64,
    /// Positions made part of a segment.
    pub positions: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// Asks the import to stop; what is finished by then is kept.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// What came of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Games added.
    pub games: u64,
    /// Positions indexed.
    pub positions: u64,
    /// Games left out: unreadable, or variants.
    pub skipped: u64,
    /// Of those, the variants.
    pub variants: u64,
    /// Games left out because they are there already.
    pub duplicates: u64,
    /// Games left out because they are marked as deleted in their bases.
    pub deleted: u64,
    /// Games added up to the point where they become unreadable.
    pub cut_short: u64,
    /// Variations passed over.
    pub variations: u64,
    /// Games whose Result tag disagrees with the end of the moves.
    pub disagreeing_results: u64,
    /// Files that could not be read to their end, with the reason.
    pub failed_sources: Vec<(String, String)>,
    /// The first problems; all are in the log.
    pub problems: Vec<Problem>,
    /// Whether the import was stopped before its end.
    pub cancelled: bool,
}

impl Report {
    /// How many problems are kept in the report.
    pub const PROBLEMS: usize = 20;
}

/// A game that could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub source: String,
    /// The line where the game begins, or in a base the game's number, counted
    /// from one.
    pub line: u64,
    /// The players, if known.
    pub players: String,
    /// What is wrong.
    pub reason: String,
    /// Whether the sound part was kept.
    pub kept: bool,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Problem {
            source,
            line,
            players,
            reason,
            kept,
        } = self;
        let fate = if *kept {
            "kept up to there"
        } else {
            "left out"
        };
        write!(f, "{source}:{line}: {players}: {reason} ({fate})")
    }
}

impl Import {
    /// An import with the usual settings.
    pub fn new(sources: Vec<Source>) -> Import {
        Import {
            sources,
            skip: None,
            threads: None,
        }
    }

    /// Adds the games to the collection in a folder, which is made if it is
    /// not there.
    ///
    /// # Errors
    ///
    /// When the collection cannot be written to. Files that cannot be read
    /// are told in the report; the others are imported all the same.
    pub fn run(&self, folder: &Path, progress: &Progress) -> Result<Report, CollectionError> {
        let mut writer = Writer::open_or_create(folder, self.skip)?;
        let mut log = Log::open(folder)?;
        let digests = known_digests(&writer)?;
        let worker = Worker {
            folder,
            skip: writer.skip(),
            segments: writer.segment_names(),
            digests: Mutex::new(digests),
            turn: Turn::default(),
            progress,
        };
        let (slabs, waiting) = mpsc::sync_channel(1);
        let (results, finished) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
        thread::scope(|scope| {
            let cutter = scope.spawn(|| slab::cut(&self.sources, progress, slabs));
            for number in 0..self.workers() {
                let (waiting, results, worker) = (waiting.clone(), results.clone(), &worker);
                let work = move || worker.run(&waiting, &results);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => {}
                    Err(error) if number == 0 => return Err(CollectionError::io(folder)(error)),
                    // Fewer can do it as well.
                    Err(_) => break,
                }
            }
            // With the workers gone, the cutter must not wait for them.
            drop((waiting, results));
            let mut report = Report::default();
            let committed = commit(finished, &mut writer, &mut report, &mut log);
            if committed.is_err() {
                progress.cancel();
            }
            let remains = cutter.join().unwrap_or_default();
            report.failed_sources = remains.failed;
            report.deleted = remains.deleted;
            report.cancelled = progress.is_cancelled();
            committed.map(|()| report)
        })
    }

    fn workers(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

/// What a worker made of a slab.
type Outcome = Result<Batch, FormatError>;

/// The segments made of a slab, and what happened on the way.
#[derive(Debug, Default)]
struct Batch {
    segments: Vec<(String, Summary)>,
    counts: Report,
    problems: Vec<Problem>,
}

/// Makes finished segments part of the collection, in the order of the text.
fn commit(
    finished: mpsc::Receiver<(u64, Outcome)>,
    writer: &mut Writer,
    report: &mut Report,
    log: &mut Log,
) -> Result<(), CollectionError> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (order, outcome) in finished {
        early.insert(order, outcome);
        while let Some(outcome) = early.remove(&next) {
            let batch = outcome?;
            writer.append(&batch.segments)?;
            log.write(&batch.problems)?;
            report.add(batch);
            next += 1;
        }
    }
    Ok(())
}

impl Report {
    fn add(&mut self, batch: Batch) {
        let counts = batch.counts;
        self.skipped += counts.skipped;
        self.variants += counts.variants;
        self.duplicates += counts.duplicates;
        self.cut_short += counts.cut_short;
        self.variations += counts.variations;
        self.disagreeing_results += counts.disagreeing_results;
        for (_, summary) in &batch.segments {
            self.games += u64::from(summary.games);
            self.positions += summary.positions;
        }
        let room = Report::PROBLEMS - self.problems.len();
        self.problems.extend(batch.problems.into_iter().take(room));
    }
}

/// Turns slabs into segments. All workers share one of these.
struct Worker<'a> {
    folder: &'a Path,
    skip: u16,
    segments: SegmentNames,
    /// The digests of all games so far.
    digests: Mutex<HashSet<Digest>>,
    /// Whose turn it is to look for duplicates: in the order of the text, so
    /// that the first of two equal games is kept.
    turn: Turn,
    progress: &'a Progress,
}

impl Worker<'_> {
    fn run(&self, waiting: &Mutex<mpsc::Receiver<Slab>>, results: &mpsc::Sender<(u64, Outcome)>) {
        while !self.progress.is_cancelled() {
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
            let mut digests = locked(&self.digests);
            let before = games.len();
            games.retain(|game| digests.insert(Digest::of(game)));
            batch.counts.duplicates = (before - games.len()) as u64;
        });
        self.build(&games, &mut batch)?;
        Ok(batch)
    }

    fn read(&self, slab: &Slab, batch: &mut Batch) -> Vec<Game> {
        let builder = SegmentBuilder::new(self.skip);
        let mut games = Vec::with_capacity(slab.games.len());
        for text in &slab.games {
            let mut reading = pgn::read(&slab.text[text.range.clone()]);
            if let Some(game) = reading
                .game
                .as_mut()
                .filter(|it| it.moves.len() > LONGEST_GAME)
            {
                game.moves.truncate(LONGEST_GAME);
                let what = format!("longer than {LONGEST_GAME} half-moves");
                reading.fault.get_or_insert(Fault::Cut(what));
            }
            if let Some(failure) = &text.failure {
                reading.fault.get_or_insert(Fault::Cut(failure.clone()));
            }
            batch.counts.variations += u64::from(reading.variations);
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
        self.problems.push(Problem {
            source: text.source.to_string(),
            line: text.line,
            players,
            reason,
            kept,
        });
    }
}

/// Lets threads do something one after another, in a given order.
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

/// A worker that panicked is told by the scope it ran in; what it locked is
/// sets and counters, which are whole at any time.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known_digests(writer: &Writer) -> Result<HashSet<Digest>, CollectionError> {
    let collection = writer.collection()?;
    let mut digests = HashSet::with_capacity(collection.games() as usize);
    for segment in collection.segments() {
        digests.extend(segment.digests()?);
    }
    Ok(digests)
}

/// The file in the collection that remembers every problem.
struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    fn open(folder: &Path) -> Result<Log, CollectionError> {
        let path = folder.join(LOG);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(CollectionError::io(&path))?;
        Ok(Log { path, file })
    }

    fn write(&mut self, problems: &[Problem]) -> Result<(), CollectionError> {
        let text: String = problems.iter().map(|it| format!("{it}\n")).collect();
        self.file
            .write_all(text.as_bytes())
            .map_err(CollectionError::io(&self.path))
    }
}
