//! What a node leaves behind: the order of moves, the evaluation's error, the table (step 10).

use arrayvec::ArrayVec;
use shakmaty::{Move, Position};

use super::history::{PieceTo, bonus};
use super::node::Node;
use super::order::is_tactical;
use super::packed::PackedMove;
use super::table::{Bound, Entry};
use super::worker::{Searcher, pawn_key};
use super::{Depth, Technique};
use crate::Score;

/// Moves remembered for learning from a cutoff.
pub(super) type Tried = ArrayVec<Move, 64>;

impl Searcher<'_> {
    pub(super) fn learn(
        &mut self,
        node: &Node,
        best: Move,
        quiets: &Tried,
        captures: &Tried,
        before: &[Option<PieceTo>; 2],
        depth: Depth,
    ) {
        let turn = node.position.turn();
        let bonus = bonus(depth);
        if is_tactical(best) {
            self.worker.history.learn_capture(best, bonus);
        } else {
            let killers = &mut self.worker.frames[node.ply].killers;
            let packed = PackedMove::new(best);
            if killers[0] != packed {
                *killers = [packed, killers[0]];
            }
            if self.uses(Technique::History) {
                self.worker.history.learn_quiet(turn, best, before, bonus);
                for &mv in quiets {
                    self.worker.history.learn_quiet(turn, mv, before, -bonus);
                }
            }
        }
        for &mv in captures {
            self.worker.history.learn_capture(mv, -bonus);
        }
    }

    pub(super) fn remember(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        best: Score,
        bound: Bound,
        depth: Depth,
    ) {
        let quiet = best_move.is_none_or(|mv| !is_tactical(mv));
        if let Some(standing) = self.worker.frames[node.ply]
            .evaluation
            .filter(|_| quiet && !node.in_check && !best.is_decided())
            && bound.informs(best, standing)
            && self.uses(Technique::Correction)
        {
            let turn = node.position.turn();
            let key = pawn_key(&node.position);
            let error = best - standing + self.worker.corrections.of(turn, key);
            self.worker.corrections.learn(turn, key, error, depth);
        }
        if self.uses(Technique::Table) {
            let mv = best_move.map_or(PackedMove::NONE, PackedMove::new);
            self.table.put(
                node.key,
                Entry {
                    mv,
                    score: best.seen_from_here(node.ply),
                    depth,
                    bound,
                },
            );
        }
    }
}
