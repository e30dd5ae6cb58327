//! Singular moves: if every other move falls short of the table's, that one is all
//! but forced and is followed further (Anantharaman, Campbell and Hsu 1990).

use shakmaty::Move;

use super::alphabeta::Outlook;
use super::node::Node;
use super::packed::PackedMove;
use super::table::Bound;
use super::worker::Searcher;
use super::{Depth, Technique};
use crate::Score;

/// What became of the question whether a move is singular.
pub(super) enum Singularity {
    None,
    Extend(Depth),
    Reduce,
    Cut(Score),
}

impl Searcher<'_> {
    /// Is the table's move so much better than the rest that it is all but forced?
    pub(super) fn singularity(
        &mut self,
        node: &Node,
        mv: Move,
        outlook: &Outlook,
        beta: Score,
        depth: Depth,
        cut: bool,
    ) -> Singularity {
        let Some(entry) = outlook.known else {
            return Singularity::None;
        };
        let score = entry.score.seen_from_root(node.ply);
        let trusted = entry.bound != Bound::Upper
            && entry.depth >= depth - Depth::plies(3)
            && !score.is_decided();
        if !self.uses(Technique::Singular)
            || depth < Depth::plies(6)
            || !trusted
            || node.ply == 0
            || node.ply >= 2 * self.iteration
        {
            return Singularity::None;
        }
        let goal = score - depth.times(2);
        let half = depth - Depth::fraction(f64::from(depth.whole() + 1) / 2.0);
        self.worker.frames[node.ply].excluded = PackedMove::new(mv);
        let others = self.alpha_beta::<false>(node, goal - 1, goal, half, cut);
        self.worker.frames[node.ply].excluded = PackedMove::NONE;
        if self.stopped {
            return Singularity::None;
        }
        if others < goal {
            Singularity::Extend(if others < goal - 25 {
                Depth::fraction(1.5)
            } else {
                Depth::PLY
            })
        } else if goal >= beta {
            Singularity::Cut(goal)
        } else if score >= beta {
            Singularity::Reduce
        } else {
            Singularity::None
        }
    }
}
