//! Principal-variation search with fractional depth.
//!
//! Read it by its steps. What a move costs comes from the [`Pace`](super::Pace); on
//! top of that, late moves are reduced and hopeless ones left out. Each step can
//! be switched off ([`Technique`]); switched off altogether, this is alpha-beta.

use shakmaty::{Move, MoveList, Position};

use super::history::PieceTo;
use super::learning::Tried;
use super::node::Node;
use super::order::{Memory, Order, is_tactical};
use super::packed::PackedMove;
use super::singular::Singularity;
use super::table::{Bound, Entry};
use super::worker::Searcher;
use super::{Depth, Step, Technique};
use crate::Score;
use crate::eval::has_pieces;

/// What is known of a node before its moves are tried.
pub(super) struct Outlook {
    pub(super) evaluation: Score,
    /// The side to move stands better than two plies ago.
    pub(super) improving: bool,
    pub(super) known: Option<Entry>,
}

impl Searcher<'_> {
    /// The worth of a node within a window. `cut` expects a refutation.
    pub(super) fn alpha_beta<const PV: bool>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        mut beta: Score,
        mut depth: Depth,
        cut: bool,
    ) -> Score {
        // Step 1. The depth is spent: judge the position once it is quiet.
        if depth.is_spent() {
            return self.quiescence::<PV>(node, alpha, beta);
        }

        // Step 2. Count the node and obey the limits; drawn games and lines too long.
        if let Some(score) = self.enter_node::<PV>(node) {
            return score;
        }

        // Step 3. Mates shorter than any from here.
        alpha = alpha.max(Score::mated_in(node.ply));
        beta = beta.min(Score::mates_in(node.ply + 1));
        if alpha >= beta {
            return alpha;
        }

        // Step 4. The table may know enough, and in any case a good first move.
        let excluded = self.worker.frames[node.ply].excluded;
        let known = self.look_up(node, excluded);
        if let Some(entry) = known.filter(|it| !PV && it.depth >= depth) {
            let score = entry.score.seen_from_root(node.ply);
            if entry.bound.decides(score, alpha, beta) {
                return score;
            }
        }

        // Step 5. So may a tablebase.
        if let Some(score) = self.probe(node) {
            return score;
        }

        // Step 6. Judge the position as it stands.
        let outlook = self.outlook(node, known);

        // Step 7. A position far outside the window needs no move to be tried.
        if !PV
            && !node.in_check
            && excluded == PackedMove::NONE
            && let Some(score) = self.prune(node, &outlook, alpha, beta, depth, cut)
        {
            return score;
        }

        // Step 8. Without a move from the table the order is poor: search less deep.
        let hash = known.map_or(PackedMove::NONE, |it| it.mv);
        if self.uses(Technique::InternalReduction)
            && hash == PackedMove::NONE
            && excluded == PackedMove::NONE
            && depth >= Depth::plies(4)
            && (PV || cut)
        {
            depth -= Depth::PLY;
        }

        // Step 9. Try the moves.
        let moves = node.position.legal_moves();
        if moves.is_empty() {
            return if node.in_check {
                Score::mated_in(node.ply)
            } else {
                Score::DRAW
            };
        }
        self.try_moves::<PV>(node, &moves, &outlook, alpha, beta, depth, cut)
    }

    fn look_up(&self, node: &Node, excluded: PackedMove) -> Option<Entry> {
        if excluded != PackedMove::NONE || !self.uses(Technique::Table) {
            return None;
        }
        self.table.get(node.key)
    }

    fn outlook(&mut self, node: &Node, known: Option<Entry>) -> Outlook {
        self.worker.frames[node.ply + 1].killers = Default::default();
        if node.in_check {
            self.worker.frames[node.ply].evaluation = None;
            return Outlook {
                evaluation: Score::DRAW,
                improving: false,
                known,
            };
        }
        let standing = self.evaluation(node);
        self.worker.frames[node.ply].evaluation = Some(standing);
        let earlier = |back: usize| {
            node.ply
                .checked_sub(back)
                .and_then(|it| self.worker.frames[it].evaluation)
        };
        let improving = earlier(2)
            .or_else(|| earlier(4))
            .is_none_or(|it| standing > it);
        // A score from the table is a better guess, where its bound allows.
        let mut evaluation = standing;
        if let Some(entry) = known {
            let score = entry.score.seen_from_root(node.ply);
            if entry.bound.informs(score, standing) && !score.is_decided() {
                evaluation = score;
            }
        }
        Outlook {
            evaluation,
            improving,
            known,
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the second half of one function, cut at its widest seam"
    )]
    fn try_moves<const PV: bool>(
        &mut self,
        node: &Node,
        moves: &MoveList,
        outlook: &Outlook,
        mut alpha: Score,
        beta: Score,
        depth: Depth,
        cut: bool,
    ) -> Score {
        let turn = node.position.turn();
        let excluded = self.worker.frames[node.ply].excluded;
        let hash = outlook.known.map_or(PackedMove::NONE, |it| it.mv);
        let hash_captures = moves.iter().any(|&mv| hash.is(mv) && is_tactical(mv));
        let killers = if self.uses(Technique::Killers) {
            self.worker.frames[node.ply].killers
        } else {
            Default::default()
        };
        let before = if self.uses(Technique::History) {
            self.before(node.ply)
        } else {
            [None; 2]
        };
        let mut order = Order::new(moves, hash, killers);
        let window = alpha;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = 0;
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());

        loop {
            let memory = Memory {
                history: &self.worker.history,
                before,
                turn,
            };
            let Some((mv, stage)) = order.next(&node.position, &memory) else {
                break;
            };
            if excluded.is(mv) {
                continue;
            }
            tried += 1;
            let quiet = !is_tactical(mv);
            let experience = if quiet {
                self.worker.history.quiet(turn, mv, &before)
            } else {
                self.worker.history.capture(mv)
            };
            let child = node.after(mv);
            let reduction = self.reduction::<PV>(depth, tried, outlook.improving);

            // Step 9a. Leave out what cannot matter at this depth.
            if best > -Score::GREATEST_EVALUATION
                && has_pieces(&node.position, turn)
                && !child.in_check
            {
                // Late checks are not left out: mates are found through them.
                let hopeless = quiet
                    && (self.is_late(tried, depth, outlook.improving)
                        || self.is_futile(node, outlook, alpha, depth - reduction, experience));
                if hopeless {
                    continue;
                }
                if self.loses_material(node, mv, stage, depth, depth - reduction) {
                    continue;
                }
            }

            // Step 9b. What the move costs.
            let mut cost = self.cost(node, mv, &child, moves.len());
            if hash.is(mv) && excluded == PackedMove::NONE {
                match self.singularity(node, mv, outlook, beta, depth, cut) {
                    Singularity::Extend(by) => cost -= by,
                    Singularity::Reduce => cost += Depth::PLY,
                    Singularity::Cut(score) => return score,
                    Singularity::None => {}
                }
            }
            if node.ply >= 2 * self.iteration {
                cost = cost.at_least(Depth::PLY);
            }
            let left = depth - cost;

            // Step 9c. Search it: late moves less deep, all but the first with an empty window.
            self.worker.frames[node.ply].moved = Some(PieceTo::new(turn, mv));
            self.worker.keys.push(node.key);
            let score = if tried == 1 || !self.uses(Technique::PrincipalVariation) {
                -self.alpha_beta::<PV>(&child, -beta, -alpha, left, !(PV || cut))
            } else {
                let less = self.adjusted(
                    reduction,
                    quiet,
                    stage,
                    experience,
                    cut,
                    child.in_check,
                    hash_captures,
                );
                self.scout::<PV>(&child, alpha, beta, left, less, tried, cut)
            };
            self.worker.keys.pop();
            if self.stopped {
                return Score::DRAW;
            }

            // Step 9d. Keep the best.
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    if PV {
                        self.extend_line(node.ply, mv);
                    }
                    if alpha >= beta {
                        break;
                    }
                }
            }
            if quiet {
                let _ = quiets.try_push(mv);
            } else {
                let _ = captures.try_push(mv);
            }
        }

        // Only the excluded move was legal.
        if tried == 0 {
            return alpha;
        }

        // Step 10. Learn from a cutoff, and remember.
        if let Some(mv) = best_move.filter(|_| best >= beta) {
            self.learn(node, mv, &quiets, &captures, &before, depth);
        }
        if excluded == PackedMove::NONE {
            let bound = Bound::of(best, window, beta);
            self.remember(node, best_move, best, bound, depth);
        }
        best
    }

    /// The pace's price, with the change of the evaluation if it wants that.
    pub(super) fn cost(&mut self, node: &Node, mv: Move, child: &Node, choices: usize) -> Depth {
        let pace = self.settings.pace;
        let change = if pace.looks_at_evaluation() {
            (self.raw_evaluation(child) + self.raw_evaluation(node)).abs()
        } else {
            0
        };
        pace.cost(&Step {
            mv,
            gives_check: child.in_check,
            recaptures: node.is_recapture(mv),
            choices,
            change,
        })
    }

    /// Empty window and less depth first; wider and deeper only if that surprises.
    #[expect(
        clippy::too_many_arguments,
        reason = "window, depths and kind of one node"
    )]
    fn scout<const PV: bool>(
        &mut self,
        child: &Node,
        alpha: Score,
        beta: Score,
        left: Depth,
        less: Depth,
        tried: i32,
        cut: bool,
    ) -> Score {
        let mut score;
        if PV {
            // Only a search with an open window leaves a line; an earlier move's is not this one's.
            self.worker.lines[child.ply].clear();
        }
        let reduced = (left - less).at_least(Depth::PLY.min(left));
        if reduced < left && tried > 1 {
            score = -self.alpha_beta::<false>(child, -alpha - 1, -alpha, reduced, true);
            if score > alpha && !self.stopped {
                score = -self.alpha_beta::<false>(child, -alpha - 1, -alpha, left, !cut);
            }
        } else {
            score = -self.alpha_beta::<false>(child, -alpha - 1, -alpha, left, !cut);
        }
        if PV && score > alpha && score < beta && !self.stopped {
            score = -self.alpha_beta::<true>(child, -beta, -alpha, left, false);
        }
        score
    }

    /// Step 5: a tablebase's answer, once a capture or pawn move made it reliable.
    fn probe(&mut self, node: &Node) -> Option<Score> {
        if node.ply == 0 || node.position.halfmoves() != 0 {
            return None;
        }
        let score = self.tablebases.score(&node.position, node.ply)?;
        self.worker.tablebase_hits += 1;
        Some(score)
    }
}
