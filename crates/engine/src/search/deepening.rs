//! Iterative deepening: the root of the search, one ply deeper at a time.

use std::time::Duration;

use shakmaty::Move;

use super::history::PieceTo;
use super::node::Node;
use super::packed::PackedMove;
use super::table::{Bound, Entry};
use super::worker::Searcher;
use super::{Candidates, Depth, Favor, Report, Technique};
use crate::Score;
use shakmaty::Position;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// How much deeper than usual it is searched.
    favor: Depth,
    /// What is added to its score when it is compared with others.
    bonus: i32,
    /// The part of the time that is saved if the move is chosen.
    trust: f64,
    /// With the bonus, from the last search that gave a true score, or minus infinity.
    pub(super) score: Score,
    previous: Score,
    pub(super) line: Vec<Move>,
    longest: usize,
    nodes: u64,
}

impl RootMove {
    /// The score without the bonus.
    pub(super) fn true_score(&self) -> Score {
        self.score.without(self.bonus)
    }
}

/// The legal moves that may be played, favored ones first.
pub(super) fn root_moves(root: &Node, candidates: &Candidates) -> Vec<RootMove> {
    let legal = root.position.legal_moves();
    let plain = |mv: &Move| Favor {
        mv: *mv,
        deeper: Depth::ZERO,
        bonus: 0,
        trust: 0.0,
    };
    let favors: Vec<Favor> = match candidates {
        Candidates::All => Vec::new(),
        Candidates::Only(moves) => moves.iter().map(plain).collect(),
        Candidates::Favored(favors) => favors.clone(),
    };
    let favor = |mv: Move| favors.iter().find(|it| it.mv == mv).copied();
    let restricted =
        matches!(candidates, Candidates::Only(_)) && legal.iter().any(|&mv| favor(mv).is_some());
    let mut moves: Vec<_> = legal
        .into_iter()
        .filter(|&mv| !restricted || favor(mv).is_some())
        .map(|mv| (mv, favor(mv).unwrap_or_else(|| plain(&mv))))
        .map(|(mv, favor)| RootMove {
            mv,
            favor: favor.deeper.clamp(Depth::ZERO, Depth::PLY),
            bonus: favor.bonus.clamp(0, GREATEST_BONUS),
            trust: favor.trust.clamp(0.0, 1.0),
            score: -Score::INFINITE,
            previous: -Score::INFINITE,
            line: vec![mv],
            longest: 0,
            nodes: 0,
        })
        .collect();
    moves.sort_by_key(|it| std::cmp::Reverse(it.favor));
    moves
}

/// After this long a search reports each move of the root that it begins with.
const PATIENCE: Duration = Duration::from_secs(1);

/// No reason outweighs a piece.
const GREATEST_BONUS: i32 = 200;

/// The first half-width of the window around the last score, in centipawns.
const ASPIRATION: i32 = 18;

impl Searcher<'_> {
    /// Searches deeper and deeper until the limits are reached; the moves come back best first.
    pub(super) fn deepen(
        &mut self,
        root: &Node,
        moves: &mut [RootMove],
        lines: usize,
        first: i32,
        report: &mut dyn FnMut(&Report),
    ) {
        let most = self
            .watch
            .limits()
            .depth
            .unwrap_or(Depth::GREATEST)
            .min(Depth::GREATEST);
        let lines = lines.clamp(1, moves.len().max(1));
        let mut stable = 0;
        let mut plies = first;
        while Depth::plies(plies) <= most && !moves.is_empty() {
            self.iteration = plies as usize;
            let before = moves[0].mv;
            for it in moves.iter_mut() {
                it.previous = it.score;
            }
            for line in 0..lines {
                self.aspire(root, moves, line, Depth::plies(plies), report);
                if self.stopped {
                    break;
                }
                moves[..=line].sort_by_key(|it| std::cmp::Reverse(it.score));
            }
            if self.stopped {
                break;
            }
            for (index, it) in moves[..lines].iter().enumerate() {
                report(&self.report(it, index, plies, Bound::Exact));
            }
            stable = if moves[0].mv == before { stable + 1 } else { 0 };
            if self.is_enough(moves, plies, stable) {
                break;
            }
            plies += 1;
        }
    }

    /// Steps of the window: narrow first, then as wide as it takes.
    fn aspire(
        &mut self,
        root: &Node,
        moves: &mut [RootMove],
        line: usize,
        depth: Depth,
        report: &mut dyn FnMut(&Report),
    ) {
        let last = moves[line].previous;
        let narrow =
            self.uses(Technique::Aspiration) && depth >= Depth::plies(5) && !last.is_decided();
        let mut width = ASPIRATION;
        let (mut alpha, mut beta) = if narrow {
            (last - width, last + width)
        } else {
            (-Score::INFINITE, Score::INFINITE)
        };
        loop {
            let score = self.search_root(root, &mut moves[line..], alpha, beta, depth, report);
            moves[line..].sort_by_key(|it| std::cmp::Reverse(it.score));
            if self.stopped {
                return;
            }
            width *= 2;
            let unbounded = width > 600;
            if score <= alpha {
                report(&self.report(&moves[line], line, depth.whole(), Bound::Upper));
                beta = alpha + (beta - alpha) / 2;
                alpha = if unbounded {
                    -Score::INFINITE
                } else {
                    score - width
                };
            } else if score >= beta {
                report(&self.report(&moves[line], line, depth.whole(), Bound::Lower));
                beta = if unbounded {
                    Score::INFINITE
                } else {
                    score + width
                };
            } else {
                return;
            }
            alpha = alpha.max(-Score::INFINITE);
            beta = beta.min(Score::INFINITE);
        }
    }

    /// One search of the root moves within a window.
    fn search_root(
        &mut self,
        root: &Node,
        moves: &mut [RootMove],
        mut alpha: Score,
        beta: Score,
        depth: Depth,
        report: &mut dyn FnMut(&Report),
    ) -> Score {
        let window = alpha;
        let mut best = -Score::INFINITE;
        self.worker.nodes += 1;
        self.worker.frames[0].evaluation = (!root.in_check).then(|| self.evaluation(root));
        self.worker.frames[1].killers = Default::default();
        let choices = moves.len();
        for (index, it) in moves.iter_mut().enumerate() {
            let RootMove {
                mv, favor, bonus, ..
            } = *it;
            // The move competes with its bonus, so it is searched for less.
            let (low, high) = (alpha.without(bonus), beta.without(bonus));
            if self.announces && self.watch.elapsed() >= PATIENCE {
                let beginning = Report {
                    line: vec![mv],
                    begins: Some(index + 1),
                    ..self.report(it, 0, depth.whole(), Bound::Upper)
                };
                report(&beginning);
            }
            let nodes_before = self.worker.nodes;
            self.worker.longest = 0;
            let child = root.after(mv);
            let cost = self.cost(root, mv, &child, choices) - favor;
            self.worker.frames[0].moved = Some(PieceTo::new(root.position.turn(), mv));
            self.worker.keys.push(root.key);
            let left = depth - cost;
            let score = if index == 0 || !self.uses(Technique::PrincipalVariation) {
                -self.alpha_beta::<true>(&child, -high, -low, left, false)
            } else {
                let reduction = self.root_reduction(depth, index, mv, &child);
                let mut score =
                    -self.alpha_beta::<false>(&child, -low - 1, -low, left - reduction, true);
                if score > low && !reduction.is_spent() && !self.stopped {
                    score = -self.alpha_beta::<false>(&child, -low - 1, -low, left, true);
                }
                if score > low && !self.stopped {
                    score = -self.alpha_beta::<true>(&child, -high, -low, left, false);
                }
                score
            };
            self.worker.keys.pop();
            let spent = self.worker.nodes - nodes_before;
            if self.stopped {
                return best;
            }
            it.nodes += spent;
            let score = score.with(bonus);
            if index == 0 || score > alpha {
                it.score = score;
                it.longest = self.worker.longest;
                it.line.clear();
                it.line.push(mv);
                it.line.extend_from_slice(&self.worker.lines[1]);
            } else {
                it.score = -Score::INFINITE;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        if self.uses(Technique::Table) && best > window {
            let first = moves.iter().max_by_key(|it| it.score);
            let mv = first.map_or(PackedMove::NONE, |it| PackedMove::new(it.mv));
            let bonus = first.map_or(0, |it| it.bonus);
            let bound = if best >= beta {
                Bound::Lower
            } else {
                Bound::Exact
            };
            self.table.put(
                root.key,
                Entry {
                    mv,
                    score: best.without(bonus),
                    depth,
                    bound,
                },
            );
        }
        best
    }

    /// Late quiet moves at the root are reduced by half as much as elsewhere.
    fn root_reduction(&self, depth: Depth, index: usize, mv: Move, child: &Node) -> Depth {
        let quiet = !super::order::is_tactical(mv) && !child.in_check;
        if !self.uses(Technique::LateMoveReduction) || !quiet || index < 3 {
            return Depth::ZERO;
        }
        let full = self.reductions.get(depth, index as i32);
        (full - Depth::PLY).at_least(Depth::ZERO)
    }

    /// Is another iteration not worth its time?
    fn is_enough(&self, moves: &[RootMove], plies: i32, stable: i32) -> bool {
        let best = &moves[0];
        let mate_asked = self.watch.limits().mate.zip(best.score.mate_distance());
        if mate_asked.is_some_and(|(most, distance)| distance > 0 && distance as u32 <= most) {
            return true;
        }
        if !self.watch.has_clock() {
            return false;
        }
        if moves.len() == 1 && plies >= 4 {
            return true;
        }
        let mate_is_near = best
            .score
            .mate_distance()
            .is_some_and(|it| 2 * it.abs() + 4 <= plies);
        if mate_is_near {
            return true;
        }
        // Less time when the choice has not changed and took most of the nodes.
        let total: u64 = moves.iter().map(|it| it.nodes).sum();
        let share = best.nodes as f64 / total.max(1) as f64;
        let steadiness = 1.25 - 0.06 * f64::from(stable.min(8));
        let fall = (best.previous - best.score).clamp(0, 100);
        let alarm = if best.previous == -Score::INFINITE {
            1.0
        } else {
            1.0 + f64::from(fall) / 120.0
        };
        // What memory and search agree upon needs less proof.
        let doubt = 1.0 - best.trust;
        self.watch
            .is_enough(steadiness * (1.7 - share) * alarm * doubt)
    }

    fn report(&self, it: &RootMove, index: usize, plies: i32, bound: Bound) -> Report {
        let nodes = if self.counter.shared {
            self.counter
                .total
                .load(std::sync::atomic::Ordering::Relaxed)
        } else {
            self.worker.nodes
        };
        Report {
            depth: plies,
            longest: it.longest + 1,
            index: index + 1,
            score: it.true_score(),
            bound,
            nodes,
            elapsed: self.watch.elapsed(),
            permille_full: self.table.permille_full(),
            tablebase_hits: self.worker.tablebase_hits,
            line: it.line.clone(),
            begins: None,
        }
    }
}
