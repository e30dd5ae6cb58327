//! Captures until the position is quiet enough to be judged.

use shakmaty::Position;

use super::node::Node;
use super::order::by_gain;
use super::packed::PackedMove;
use super::table::{Bound, Entry};
use super::worker::Searcher;
use super::{Depth, Technique};
use crate::Score;
use tabiya_chess::exchange::exchange_value;
use tabiya_chess::exchange::wins_at_least;

/// A capture that leaves the side this far below the window is not tried.
const DELTA_MARGIN: i32 = 150;

impl Searcher<'_> {
    /// The worth of the position once captures are over.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        // Step 1. Count the node; draws and the end of the line.
        if let Some(score) = self.enter_node::<PV>(node) {
            return score;
        }

        // Step 2. The table may know.
        let known = if self.uses(Technique::Table) {
            self.table.get(node.key)
        } else {
            None
        };
        if let Some(entry) = known.filter(|_| !PV) {
            let score = entry.score.seen_from_root(node.ply);
            if entry.bound.decides(score, alpha, beta) {
                return score;
            }
        }

        // Step 3. The side to move need not capture, unless it is in check.
        let mut best = Score::mated_in(node.ply);
        let mut standing = best;
        if !node.in_check {
            standing = self.evaluation(node);
            if let Some(entry) = known {
                let score = entry.score.seen_from_root(node.ply);
                if entry.bound.informs(score, standing) && !score.is_decided() {
                    standing = score;
                }
            }
            best = standing;
            if best >= beta || !self.uses(Technique::Quiescence) {
                return best;
            }
            alpha = alpha.max(best);
        } else if !self.uses(Technique::Quiescence) && !node.position.legal_moves().is_empty() {
            return self.evaluation(node);
        }

        // Step 4. Try captures, best first; in check, everything.
        let hash = known.map_or(PackedMove::NONE, |it| it.mv);
        let moves = by_gain(&node.position, node.in_check, hash, &self.worker.history);
        let mut best_move = PackedMove::NONE;
        let window = alpha;
        for (tried, &mv) in moves.iter().enumerate() {
            if !node.in_check {
                let gain = mv.capture().map_or(0, exchange_value)
                    + mv.promotion().map_or(0, exchange_value);
                let reach = standing + gain + DELTA_MARGIN;
                if reach <= alpha && !mv.is_promotion() {
                    best = best.max(reach);
                    continue;
                }
                if !wins_at_least(&node.position, mv, 0) {
                    continue;
                }
            } else if tried > 2 && best > -Score::GREATEST_EVALUATION && !mv.is_capture() {
                // A few evasions are enough to see that the check does not mate.
                continue;
            }
            let child = node.after(mv);
            self.worker.keys.push(node.key);
            let score = -self.quiescence::<PV>(&child, -beta, -alpha);
            self.worker.keys.pop();
            if self.stopped {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = PackedMove::new(mv);
                    if PV {
                        self.extend_line(node.ply, mv);
                    }
                    if alpha >= beta {
                        break;
                    }
                }
            }
        }

        // Step 5. Remember.
        if self.uses(Technique::Table) {
            let bound = Bound::of(best, window, beta);
            let entry = Entry {
                mv: best_move,
                score: best.seen_from_here(node.ply),
                depth: Depth::ZERO,
                bound,
            };
            self.table.put(node.key, entry);
        }
        best
    }
}
