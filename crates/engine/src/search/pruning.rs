//! What is left out: nodes that need no move to be tried (step 7), and moves that
//! cannot matter at their depth (step 9a).

use arrayvec::ArrayVec;
use shakmaty::{Move, Position};

use super::alphabeta::Outlook;
use super::history::PieceTo;
use super::node::Node;
use super::order::{Stage, capture_score, is_tactical};
use super::packed::PackedMove;
use super::table::{Bound, Entry};
use super::worker::Searcher;
use super::{Depth, Technique};
use crate::Score;
use crate::eval::has_pieces;
use tabiya_chess::exchange::wins_at_least;

/// Margins in centipawns, per ply of depth where they grow with it. Set by
/// suites and games at fixed nodes; see `docs/engine.md`.
mod margin {
    pub(super) const REVERSE_FUTILITY: i32 = 75;
    pub(super) const RAZOR: i32 = 260;
    pub(super) const FUTILITY: i32 = 90;
    pub(super) const FUTILITY_BASE: i32 = 110;
    pub(super) const QUIET_EXCHANGE: i32 = -55;
    pub(super) const CAPTURE_EXCHANGE: i32 = -100;
    pub(super) const PROBCUT: i32 = 180;
}

impl Searcher<'_> {
    /// Step 7 in its parts; none if the moves must be tried.
    pub(super) fn prune(
        &mut self,
        node: &Node,
        outlook: &Outlook,
        alpha: Score,
        beta: Score,
        depth: Depth,
        cut: bool,
    ) -> Option<Score> {
        let Outlook {
            evaluation,
            improving,
            ..
        } = *outlook;

        // Step 7a. So good that the opponent will not allow it.
        let margin = depth.times(margin::REVERSE_FUTILITY)
            - if improving {
                margin::REVERSE_FUTILITY
            } else {
                0
            };
        if self.uses(Technique::ReverseFutility)
            && depth <= Depth::plies(8)
            && evaluation - margin >= beta
            && !beta.is_decided()
        {
            return Some(evaluation - margin);
        }

        // Step 7b. So bad that only captures could help.
        if self.uses(Technique::Razoring)
            && depth <= Depth::plies(3)
            && evaluation + depth.times(margin::RAZOR) < alpha
        {
            let score = self.quiescence::<false>(node, alpha, beta);
            if score <= alpha {
                return Some(score);
            }
        }

        // Step 7c. Good enough even after a pass, zugzwang apart.
        let passed = node.last.is_none() && node.ply > 0;
        if self.uses(Technique::NullMove)
            && !passed
            && depth >= Depth::plies(2)
            && evaluation >= beta
            && !beta.is_decided()
            && has_pieces(&node.position, node.position.turn())
            && let Some(score) = self.pass(node, evaluation, beta, depth, cut)
        {
            return Some(score);
        }

        // Step 7d. A capture that clears the window by a margin at low depth.
        if self.uses(Technique::ProbCut) && depth >= Depth::plies(5) && !beta.is_decided() {
            return self.probcut(node, outlook, beta, depth, cut);
        }
        None
    }

    fn pass(
        &mut self,
        node: &Node,
        evaluation: Score,
        beta: Score,
        depth: Depth,
        cut: bool,
    ) -> Option<Score> {
        let child = node.after_pass()?;
        let surplus = ((evaluation - beta) / 200).clamp(0, 3);
        let reduction = Depth::plies(4 + surplus) + Depth::fraction(f64::from(depth.whole()) / 4.0);
        self.worker.frames[node.ply].moved = None;
        self.worker.keys.push(node.key);
        let score = -self.alpha_beta::<false>(&child, -beta, -beta + 1, depth - reduction, !cut);
        self.worker.keys.pop();
        if self.stopped || score < beta {
            return None;
        }
        // A mate found after a pass is not proven.
        Some(if score.is_decided() { beta } else { score })
    }

    fn probcut(
        &mut self,
        node: &Node,
        outlook: &Outlook,
        beta: Score,
        depth: Depth,
        cut: bool,
    ) -> Option<Score> {
        let goal = beta + margin::PROBCUT;
        let shallow = depth - Depth::plies(4);
        if outlook
            .known
            .is_some_and(|it| it.depth >= shallow && it.score.seen_from_root(node.ply) < goal)
        {
            return None;
        }
        let needed = goal - outlook.evaluation;
        let mut captures: ArrayVec<Move, 270> = node
            .position
            .legal_moves()
            .into_iter()
            .filter(|&mv| is_tactical(mv))
            .collect();
        captures.sort_by_key(|&mv| std::cmp::Reverse(capture_score(mv, &self.worker.history)));
        for mv in captures {
            if !wins_at_least(&node.position, mv, needed) {
                continue;
            }
            let child = node.after(mv);
            self.worker.frames[node.ply].moved = Some(PieceTo::new(node.position.turn(), mv));
            self.worker.keys.push(node.key);
            let mut score = -self.quiescence::<false>(&child, -goal, -goal + 1);
            if score >= goal {
                score = -self.alpha_beta::<false>(&child, -goal, -goal + 1, shallow, !cut);
            }
            self.worker.keys.pop();
            if self.stopped {
                return None;
            }
            if score >= goal {
                let entry = Entry {
                    mv: PackedMove::new(mv),
                    score: score.seen_from_here(node.ply),
                    depth: shallow + Depth::PLY,
                    bound: Bound::Lower,
                };
                self.table.put(node.key, entry);
                return Some(score);
            }
        }
        None
    }

    pub(super) fn is_late(&self, tried: i32, depth: Depth, improving: bool) -> bool {
        let plies = depth.whole().max(0);
        let most = (4 + plies * plies) / if improving { 1 } else { 2 };
        self.uses(Technique::LateMovePruning) && depth < Depth::plies(9) && tried > most.max(2)
    }

    pub(super) fn is_futile(
        &self,
        node: &Node,
        outlook: &Outlook,
        alpha: Score,
        depth: Depth,
        experience: i32,
    ) -> bool {
        let reach = outlook.evaluation
            + margin::FUTILITY_BASE
            + depth.at_least(Depth::ZERO).times(margin::FUTILITY)
            + experience / 256;
        self.uses(Technique::Futility)
            && !node.in_check
            && depth < Depth::plies(7)
            && reach <= alpha
    }

    pub(super) fn loses_material(
        &self,
        node: &Node,
        mv: Move,
        stage: Stage,
        depth: Depth,
        reduced: Depth,
    ) -> bool {
        if !self.uses(Technique::ExchangePruning)
            || stage <= Stage::Killers
            || depth > Depth::plies(8)
        {
            return false;
        }
        let threshold = if is_tactical(mv) {
            depth.times(margin::CAPTURE_EXCHANGE)
        } else {
            reduced.at_least(Depth::PLY).times(margin::QUIET_EXCHANGE)
        };
        !wins_at_least(&node.position, mv, threshold)
    }
}
