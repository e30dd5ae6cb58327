//! The search: from a position and limits to a move.
//!
//! [`Engine`] is the door. It runs iterative deepening (`deepening`) over
//! principal-variation search (`alphabeta`), on one thread or several that share
//! a table. How deep a line is followed is decided by a [`Pace`]. Nothing here
//! prints, and only [`limits`] reads a clock: progress goes to the caller as
//! [`Report`]s.

mod alphabeta;
mod deepening;
mod depth;
mod history;
mod learning;
pub mod limits;
mod node;
mod order;
mod pace;
mod packed;
mod pruning;
mod quiescence;
mod reduction;
mod singular;
mod table;
mod tablebase;
mod technique;
mod worker;

use std::sync::atomic::Ordering;
use std::time::Duration;

use shakmaty::{Chess, Move};
use tabiya_chess::Line;

pub use depth::Depth;
pub use limits::{Allowance, Limits, Signal};
pub use pace::{Pace, Step, UnknownPace};
pub use table::Bound;
pub use technique::{Technique, Techniques};

use crate::{Evaluation, Score};
use deepening::{RootMove, root_moves};
use limits::Watch;
use node::{Node, key_of};
use reduction::Reductions;
use table::Table;
use tablebase::Tablebases;
use worker::{Counter, Searcher, Worker};

/// How an engine searches.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What judges the leaves.
    pub evaluation: Evaluation,
    /// What moves cost.
    pub pace: Pace,
    /// What else is in use.
    pub techniques: Techniques,
    /// Mebibytes of table.
    pub hash: usize,
    /// Threads that search together.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            evaluation: Evaluation::default(),
            pace: Pace::Forcing,
            techniques: Techniques::ALL,
            hash: 16,
            threads: 1,
        }
    }
}

/// Which moves may be played at the root.
#[derive(Clone, Debug, Default)]
pub enum Candidates {
    /// Every legal move.
    #[default]
    All,
    /// These; all, if none of them is legal.
    Only(Vec<Move>),
    /// Every legal move, but these are favored.
    Favored(Vec<Favor>),
}

/// A move that is preferred before any search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Favor {
    /// The move.
    pub mv: Move,
    /// How much cheaper it is, up to a ply: it comes first and is searched
    /// deeper.
    pub deeper: Depth,
    /// By how many centipawns another move must be better to be chosen
    /// instead. No mate is overlooked for it.
    pub bonus: i32,
    /// The part of the time that is saved if it is chosen, from 0 to 1.
    pub trust: f64,
}

/// What to search.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The game so far; its last position is searched.
    pub line: Line,
    /// When to end.
    pub limits: Limits,
    /// What may be played.
    pub candidates: Candidates,
    /// How many best lines to report; 0 is 1.
    pub lines: usize,
}

impl Task {
    /// A position without a past.
    pub fn new(start: Chess, limits: Limits) -> Task {
        Task {
            line: Line::new(start),
            limits,
            ..Task::default()
        }
    }
}

/// Progress of a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// Full plies of the iteration.
    pub depth: i32,
    /// The longest line looked at.
    pub longest: usize,
    /// 1 for the best line, 2 for the second.
    pub index: usize,
    /// For the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Positions visited so far.
    pub nodes: u64,
    /// Time so far.
    pub elapsed: Duration,
    /// Thousandths of the table in use.
    pub permille_full: usize,
    /// Positions found in tablebases.
    pub tablebase_hits: u64,
    /// The line, beginning with the move itself.
    pub line: Vec<Move>,
    /// If the search only begins with a move of the root: its number, from 1. The line is the move alone, and
    /// the score is that of before.
    pub begins: Option<usize>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The best move; none if the game is over.
    pub best: Option<Move>,
    /// The reply expected.
    pub ponder: Option<Move>,
    /// For the side to move.
    pub score: Score,
    /// Positions visited.
    pub nodes: u64,
    /// The best line.
    pub line: Vec<Move>,
}

/// A searcher with its memory.
///
/// ```
/// use shakmaty::Chess;
/// use tabiya_engine::search::{Engine, Limits, Settings, Signal, Task};
///
/// let mut engine = Engine::new(Settings::default());
/// let task = Task::new(Chess::default(), Limits::nodes(5_000));
/// let result = engine.search(&task, &Signal::new(false), &mut |_| {});
/// assert!(result.best.is_some());
/// ```
pub struct Engine {
    /// Whether a search reports, after a second, each move of the root that it begins with.
    pub announces: bool,
    settings: Settings,
    table: Table,
    workers: Vec<Worker>,
    tablebases: Tablebases,
    reductions: Reductions,
}

impl Engine {
    /// An engine that knows nothing yet.
    pub fn new(settings: Settings) -> Engine {
        let threads = settings.threads.max(1);
        Engine {
            announces: false,
            table: Table::new(settings.hash),
            workers: std::iter::repeat_with(Worker::new).take(threads).collect(),
            tablebases: Tablebases::default(),
            reductions: Reductions::new(),
            settings,
        }
    }

    /// How it searches.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how it searches; what it remembers may be lost. If there is no
    /// memory for the table, the old one stays, and the settings say so.
    pub fn configure(&mut self, mut settings: Settings) {
        if settings.hash != self.settings.hash {
            match Table::of(settings.hash) {
                Some(table) => self.table = table,
                None => settings.hash = self.settings.hash,
            }
        }
        self.workers
            .resize_with(settings.threads.max(1), Worker::new);
        let old = &self.settings;
        if (settings.evaluation, settings.techniques) != (old.evaluation, old.techniques) {
            self.clear();
            for worker in &mut self.workers {
                worker.forget_evaluations();
            }
        }
        self.settings = settings;
    }

    /// Uses the tablebases in these directories, or none; returns the number of tables.
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub fn open_tablebases(&mut self, path: Option<&str>) -> Result<usize, String> {
        self.tablebases = Tablebases::default();
        let Some(path) = path else { return Ok(0) };
        let (tablebases, count) = Tablebases::open(path)?;
        self.tablebases = tablebases;
        Ok(count)
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.table.clear();
        for worker in &mut self.workers {
            worker.clear(self.settings.techniques);
        }
    }

    /// Searches until a limit is reached or the signal says stop.
    pub fn search(
        &mut self,
        task: &Task,
        signal: &Signal,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult {
        let (root, keys) = root(&task.line);
        let known = self
            .tablebases
            .best_move(&root.position)
            .filter(|_| task.lines <= 1);
        let moves = match (known, &task.candidates) {
            (Some(mv), Candidates::All | Candidates::Favored(_)) => {
                root_moves(&root, &Candidates::Only(vec![mv]))
            }
            (_, candidates) => root_moves(&root, candidates),
        };
        if moves.is_empty() {
            let score = if root.in_check {
                Score::mated_in(0)
            } else {
                Score::DRAW
            };
            return SearchResult {
                best: None,
                ponder: None,
                score,
                nodes: 0,
                line: Vec::new(),
            };
        }
        self.table.grow_older();
        let watch = Watch::start(&task.limits, signal);
        let counter = Counter {
            shared: self.workers.len() > 1,
            ..Counter::default()
        };
        let announces = self.announces;
        let (table, settings) = (&self.table, &self.settings);
        let (tablebases, reductions) = (&self.tablebases, &self.reductions);
        let searcher = |worker| Searcher {
            worker,
            table,
            watch: &watch,
            settings,
            tablebases,
            reductions,
            counter: &counter,
            announces: false,
            stopped: false,
            iteration: 1,
            root_keys: keys.len(),
        };
        let Some((first, others)) = self.workers.split_first_mut() else {
            unreachable!("an engine has at least one worker");
        };
        let (best, own) = std::thread::scope(|scope| {
            for (index, worker) in others.iter_mut().enumerate() {
                let mut moves = moves.clone();
                let (root, searcher, keys) = (&root, &searcher, &keys);
                scope.spawn(move || {
                    worker.begin(keys);
                    // Different starting depths keep the threads apart.
                    let start = 1 + (index as i32 + 1) % 2;
                    searcher(worker).deepen(root, &mut moves, 1, start, &mut |_| {});
                });
            }
            let mut moves = moves.clone();
            first.begin(&keys);
            let mut main = searcher(first);
            main.announces = announces;
            main.deepen(&root, &mut moves, task.lines, 1, report);
            let own = main.worker.nodes;
            counter.finished.store(true, Ordering::Relaxed);
            (moves.swap_remove(0), own)
        });
        let nodes = if counter.shared {
            counter.total.load(Ordering::Relaxed)
        } else {
            own
        };
        result(best, nodes)
    }
}

fn result(best: RootMove, nodes: u64) -> SearchResult {
    SearchResult {
        best: Some(best.mv),
        ponder: best.line.get(1).copied(),
        score: best.true_score(),
        nodes,
        line: best.line,
    }
}

/// The last position of a line, and the keys of those before it.
fn root(line: &Line) -> (Node, Vec<u64>) {
    let before = line.positions().take(line.moves().len());
    let keys = before.map(|it| key_of(&it)).collect();
    let last = line.moves().last().copied();
    (Node::root(line.position().clone(), last), keys)
}
