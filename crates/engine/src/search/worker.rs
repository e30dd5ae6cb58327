//! What one thread keeps from node to node and from search to search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arrayvec::ArrayVec;
use shakmaty::{Chess, Color, Move, Position};

use super::history::{Corrections, History, PieceTo};
use super::limits::Watch;
use super::node::Node;
use super::packed::PackedMove;
use super::reduction::Reductions;
use super::table::Table;
use super::tablebase::Tablebases;
use super::{Settings, Technique, Techniques};
use crate::eval::network::Accumulators;
use crate::{Evaluation, Score};

/// Room for the longest line and for looking two plies back from the root.
const FRAMES: usize = Score::LONGEST_LINE + 4;
/// Evaluations remembered; a power of two.
const EVALUATIONS: usize = 1 << 16;

/// What is known of the node at one ply of the current line.
#[derive(Clone, Default)]
pub(super) struct Frame {
    pub(super) killers: [PackedMove; 2],
    /// The static evaluation; none in check.
    pub(super) evaluation: Option<Score>,
    /// The move being searched here.
    pub(super) moved: Option<PieceTo>,
    /// Left out, while the search asks whether it is singular.
    pub(super) excluded: PackedMove,
}

/// A thread's memory.
pub(super) struct Worker {
    pub(super) history: History,
    pub(super) corrections: Corrections,
    evaluations: Vec<(u64, i32)>,
    accumulators: Accumulators,
    pub(super) frames: Vec<Frame>,
    /// The best line found from each ply on.
    pub(super) lines: Vec<ArrayVec<Move, { Score::LONGEST_LINE }>>,
    /// Keys of the game so far and of the current line.
    pub(super) keys: Vec<u64>,
    pub(super) nodes: u64,
    pub(super) tablebase_hits: u64,
    pub(super) longest: usize,
}

impl Worker {
    pub(super) fn new() -> Worker {
        Worker {
            history: History::new(),
            corrections: Corrections::new(),
            evaluations: vec![(0, 0); EVALUATIONS],
            accumulators: Accumulators::new(Score::LONGEST_LINE),
            frames: vec![Frame::default(); FRAMES],
            lines: vec![ArrayVec::new(); FRAMES],
            keys: Vec::new(),
            nodes: 0,
            tablebase_hits: 0,
            longest: 0,
        }
    }

    /// Forgets everything that searches with these techniques have learned, for a new game.
    /// What a board was evaluated at stays true.
    pub(super) fn clear(&mut self, techniques: Techniques) {
        self.history.clear(techniques.has(Technique::History));
        if techniques.has(Technique::Correction) {
            self.corrections.clear();
        }
        self.frames.fill(Frame::default());
    }

    pub(super) fn forget_evaluations(&mut self) {
        self.evaluations.fill((0, 0));
    }

    /// Ready for a search after positions with these keys.
    pub(super) fn begin(&mut self, keys: &[u64]) {
        self.keys.clear();
        self.keys.extend_from_slice(keys);
        self.frames.fill(Frame::default());
        self.nodes = 0;
        self.tablebase_hits = 0;
        self.longest = 0;
    }
}

/// A worker at work: its memory and what it shares with the others.
pub(super) struct Searcher<'a> {
    pub(super) worker: &'a mut Worker,
    pub(super) table: &'a Table,
    pub(super) watch: &'a Watch<'a>,
    pub(super) settings: &'a Settings,
    pub(super) tablebases: &'a Tablebases,
    pub(super) reductions: &'a Reductions,
    pub(super) counter: &'a Counter,
    /// Whether to report the moves of the root that the search begins with.
    pub(super) announces: bool,
    pub(super) stopped: bool,
    /// Full plies of this iteration: no line gets longer than a multiple of it.
    pub(super) iteration: usize,
    /// Number of keys before the root's.
    pub(super) root_keys: usize,
}

/// Nodes of all threads, and the word that the first of them is done.
#[derive(Default)]
pub(super) struct Counter {
    pub(super) total: AtomicU64,
    pub(super) finished: AtomicBool,
    /// One thread counts for itself.
    pub(super) shared: bool,
}

impl Searcher<'_> {
    pub(super) fn uses(&self, technique: Technique) -> bool {
        self.settings.techniques.has(technique)
    }

    /// Counts a node; true if the search must end.
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        let own = self.worker.nodes;
        let (total, finished) = if self.counter.shared {
            (
                self.counter.total.fetch_add(1, Ordering::Relaxed),
                self.counter.finished.load(Ordering::Relaxed),
            )
        } else {
            (own, false)
        };
        if self.stopped || finished || self.watch.must_stop(total, own) {
            self.stopped = true;
            return true;
        }
        self.worker.nodes += 1;
        self.worker.longest = self.worker.longest.max(ply);
        false
    }

    /// Begins a node. Its score, if there is nothing to search: the time is up, the
    /// game is drawn, or the line is as long as lines get.
    pub(super) fn enter_node<const PV: bool>(&mut self, node: &Node) -> Option<Score> {
        if self.enter(node.ply) {
            return Some(Score::DRAW);
        }
        if PV {
            self.worker.lines[node.ply].clear();
        }
        if self.is_draw(node) {
            return Some(Score::DRAW);
        }
        (node.ply >= Score::LONGEST_LINE).then(|| self.evaluation(node))
    }

    /// Is the game drawn here, by repetition, by fifty moves or for want of material?
    ///
    /// A position that occurred once since the root counts as repeated: the
    /// line could go round again. Before the root it must have occurred twice.
    pub(super) fn is_draw(&self, node: &Node) -> bool {
        let since = node.position.halfmoves() as usize;
        if since >= 100 {
            // Mate on the hundredth half move still counts.
            return !node.in_check || !node.position.legal_moves().is_empty();
        }
        if node.position.is_insufficient_material() {
            return true;
        }
        let keys = &self.worker.keys;
        let here = keys.len();
        let mut before_root = 0;
        let mut back = 4;
        while back <= since && back <= here {
            let index = here - back;
            if keys[index] == node.key {
                before_root += 1;
                if index >= self.root_keys || before_root == 2 {
                    return true;
                }
            }
            back += 2;
        }
        false
    }

    /// The evaluation as it is, from the cache if it was asked for lately.
    pub(super) fn raw_evaluation(&mut self, node: &Node) -> i32 {
        let slot = &mut self.worker.evaluations[node.key as usize & (EVALUATIONS - 1)];
        if slot.0 != node.key {
            let value = match self.settings.evaluation {
                Evaluation::Network => self.worker.accumulators.evaluate(&node.position, node.ply),
                other => other.evaluate(&node.position).value(),
            };
            *slot = (node.key, value);
        }
        slot.1
    }

    /// The evaluation corrected by experience, and faded as the fifty-move rule nears.
    pub(super) fn evaluation(&mut self, node: &Node) -> Score {
        let raw = self.raw_evaluation(node);
        let faded = raw * (220 - node.position.halfmoves().min(100) as i32) / 220;
        let correction = if self.uses(Technique::Correction) {
            self.worker
                .corrections
                .of(node.position.turn(), pawn_key(&node.position))
        } else {
            0
        };
        Score::evaluation(faded + correction)
    }

    /// Puts a move before the best line of the next ply.
    pub(super) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (front, back) = self.worker.lines.split_at_mut(ply + 1);
        let line = &mut front[ply];
        line.clear();
        line.push(mv);
        for &next in &back[0] {
            if line.try_push(next).is_err() {
                break;
            }
        }
    }

    /// The two moves before this node: the enemy's and the own one before that.
    pub(super) fn before(&self, ply: usize) -> [Option<PieceTo>; 2] {
        let moved = |back: usize| {
            ply.checked_sub(back)
                .and_then(|it| self.worker.frames[it].moved)
        };
        [moved(1), moved(2)]
    }
}

/// A number for the pawn structure.
pub(super) fn pawn_key(position: &Chess) -> u64 {
    let board = position.board();
    let pawns = |color: Color| (board.pawns() & board.by_color(color)).0;
    let mixed = pawns(Color::White).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ pawns(Color::Black).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    mixed >> 40
}
