//! Imports that run beside the server's answers, one after another.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;
use tabiya_chess::pgn::Input;
use tabiya_retrieval::collection::{Import, Progress, Report};
use utoipa::ToSchema;

use super::{Problem, State, work::lower_priority};

/// The number of ended imports to remember, and the number of imports that may wait.
const REMEMBERED: usize = 20;

/// Imports that run or ended, the newest last.
#[derive(Default)]
pub(crate) struct Imports {
    jobs: Mutex<Vec<Arc<Job>>>,
    last: AtomicU64,
    /// Held by the import that runs.
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
}

/// An import.
struct Job {
    id: u64,
    collection: String,
    size: Option<u64>,
    progress: Progress,
    /// Nothing while it waits for its turn.
    begin: OnceLock<Instant>,
    end: Mutex<Option<(Duration, Result<Report, String>)>>,
}

/// The progress of an import.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportProgress {
    /// The number of the import.
    id: u64,
    /// The collection that the games go to.
    collection: String,
    /// `running`, `done`, `canceled` or `failed`.
    state: &'static str,
    /// The bytes read so far, and the bytes of all files.
    bytes: u64,
    size: Option<u64>,
    /// The games and positions indexed so far.
    games: u64,
    positions: u64,
    /// The time since the start, in seconds.
    seconds: f64,
    /// The remaining time as far as the rate tells, in seconds.
    remaining: Option<f64>,
    /// Games that were there already, and games that could not be read.
    duplicates: u64,
    skipped: u64,
    /// What went wrong, one line for a game.
    problems: Vec<String>,
}

impl Imports {
    /// Starts to import the files of a folder, which is deleted in the end.
    pub(crate) fn start(
        &self,
        state: &Arc<State>,
        collection: &str,
        folder: PathBuf,
    ) -> Result<ImportProgress, Problem> {
        let target = state.shelf.folder(collection)?;
        let inputs = Input::at(&folder);
        let inputs = inputs.map_err(|error| Problem::request(error.to_string()))?;
        let job = Arc::new(Job {
            id: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            collection: collection.to_owned(),
            size: inputs.iter().map(Input::size).sum(),
            progress: Progress::default(),
            begin: OnceLock::new(),
            end: Mutex::default(),
        });
        let begun = job.look();
        {
            let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            if jobs.iter().filter(|it| !it.has_ended()).count() >= REMEMBERED {
                return Err(Problem::busy());
            }
            jobs.push(job.clone());
            let mut old = jobs.len().saturating_sub(REMEMBERED);
            jobs.retain(|it| {
                let is_forgotten = old > 0 && it.has_ended();
                old -= usize::from(is_forgotten);
                !is_forgotten
            });
        }
        let (state, turn) = (state.clone(), self.turn.clone());
        std::thread::spawn(move || {
            lower_priority();
            let _turn = turn.blocking_lock();
            job.begin.get_or_init(Instant::now);
            let import = Import {
                threads: Some(half_of_the_cores()),
                ..Import::new(inputs)
            };
            let report = import.run(&target, &job.progress);
            let report = report.map_err(|error| {
                tracing::error!(%error, "import failed");
                "the collection cannot be written; the server's log has the reason".to_owned()
            });
            // Without games there is no collection to open.
            let opened = state.shelf.reopen(&job.collection);
            if report.is_ok() && opened.is_err() {
                tracing::warn!("the imported collection cannot be opened");
            }
            // The files are copies.
            let _ = fs::remove_dir_all(&folder);
            *job.end.lock().unwrap_or_else(PoisonError::into_inner) = Some((job.elapsed(), report));
        });
        Ok(begun)
    }

    pub(crate) fn list(&self) -> Vec<ImportProgress> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.iter().map(|it| it.look()).collect()
    }

    /// Stops an import; what is indexed by then stays.
    pub(crate) fn cancel(&self, id: u64) -> Result<(), Problem> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = jobs.iter().find(|it| it.id == id);
        let job = job.ok_or_else(|| Problem::missing(format!("there is no import {id}")))?;
        job.progress.cancel();
        Ok(())
    }
}

/// Searches need the others.
fn half_of_the_cores() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (cores / 2).max(1)
}

impl Job {
    fn has_ended(&self) -> bool {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.is_some()
    }

    /// The time that it has run.
    fn elapsed(&self) -> Duration {
        self.begin.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    fn look(&self) -> ImportProgress {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = self.progress.consumed.load(Ordering::Relaxed);
        let time = end.as_ref().map_or_else(|| self.elapsed(), |it| it.0);
        let seconds = time.as_secs_f64();
        let left = self.size.map(|it| it.saturating_sub(bytes));
        let remaining = left.filter(|_| bytes > 0 && end.is_none());
        let report = end.as_ref().and_then(|it| it.1.as_ref().ok());
        let mut problems: Vec<String> = report.map_or_else(Vec::new, |it| {
            let files = it.failed_inputs.iter();
            let files = files.map(|(name, reason)| format!("{}: {reason}", file_name(name)));
            let games = it.problems.iter().map(|it| {
                let mut it = it.clone();
                it.input = file_name(&it.input).to_owned();
                it.to_string()
            });
            files.chain(games).collect()
        });
        if let Some((_, Err(words))) = end.as_ref() {
            problems.push(words.clone());
        }
        ImportProgress {
            id: self.id,
            collection: self.collection.clone(),
            state: match end.as_ref() {
                None => "running",
                Some((_, Err(_))) => "failed",
                Some((_, Ok(report))) if report.canceled => "canceled",
                Some(_) => "done",
            },
            bytes,
            size: self.size,
            games: report.map_or_else(
                || self.progress.games.load(Ordering::Relaxed),
                |it| it.games,
            ),
            positions: self.progress.positions.load(Ordering::Relaxed),
            seconds,
            remaining: remaining.map(|it| seconds * it as f64 / bytes as f64),
            duplicates: report.map_or(0, |it| it.duplicates),
            skipped: report.map_or(0, |it| it.skipped),
            problems,
        }
    }
}

/// The name of a file without its folder, which is the server's own business.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
