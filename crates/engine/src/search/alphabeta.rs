//! Principal-variation search with fractional depth.
//!
//! Read it by its steps. What a move costs comes from the [`Pace`](super::Pace); on
//! top of that, late moves are reduced and hopeless ones left out. Each step can
//! be switched off ([`Technique`]); switched off altogether, this is alpha-beta.

use arrayvec::ArrayVec;
use shakmaty::{Move, MoveList, Position};

use super::exchange::wins_at_least;
use super::history::{PieceTo, bonus};
use super::node::Node;
use super::order::{Memory, Order, Stage, capture_score, is_tactical};
use super::packed::PackedMove;
use super::quiescence::{bound_of, cuts};
use super::table::{Bound, Entry};
use super::worker::{Searcher, pawn_key};
use super::{Depth, Step, Technique};
use crate::Score;
use crate::eval::has_pieces;

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

/// Moves remembered for learning from a cutoff.
type Tried = ArrayVec<Move, 64>;

/// What is known of a node before its moves are tried.
struct Outlook {
    evaluation: Score,
    /// The side to move stands better than two plies ago.
    improving: bool,
    known: Option<Entry>,
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

        // Step 2. Count the node and obey the limits.
        if self.enter(node.ply) {
            return Score::DRAW;
        }
        if PV {
            self.worker.lines[node.ply].clear();
        }

        // Step 3. Drawn games, lines too long, and mates shorter than any from here.
        if self.is_draw(node) {
            return Score::DRAW;
        }
        if node.ply >= Score::LONGEST_LINE {
            return self.evaluation(node);
        }
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
            if cuts(entry.bound, score, alpha, beta) {
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
            let tighter = match entry.bound {
                Bound::Lower => score > standing,
                Bound::Upper => score < standing,
                Bound::Exact => true,
            };
            if tighter && !score.is_decided() {
                evaluation = score;
            }
        }
        Outlook {
            evaluation,
            improving,
            known,
        }
    }

    /// Step 7 in its parts; none if the moves must be tried.
    fn prune(
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
            let bound = bound_of(best, window, beta);
            self.remember(node, best_move, best, bound, depth);
        }
        best
    }

    fn is_late(&self, tried: i32, depth: Depth, improving: bool) -> bool {
        let plies = depth.whole().max(0);
        let most = (4 + plies * plies) / if improving { 1 } else { 2 };
        self.uses(Technique::LateMovePruning) && depth < Depth::plies(9) && tried > most.max(2)
    }

    fn is_futile(
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

    fn loses_material(
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

    fn reduction<const PV: bool>(&self, depth: Depth, tried: i32, improving: bool) -> Depth {
        let base = self.reductions.get(depth, tried);
        let mut sum = base;
        if !PV {
            sum += Depth::fraction(0.4);
        }
        if !improving {
            sum += Depth::fraction(0.35);
        }
        sum
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is one reason to reduce more or less"
    )]
    fn adjusted(
        &self,
        mut reduction: Depth,
        quiet: bool,
        stage: Stage,
        experience: i32,
        cut: bool,
        checks: bool,
        hash_captures: bool,
    ) -> Depth {
        if !self.uses(Technique::LateMoveReduction) {
            return Depth::ZERO;
        }
        if cut {
            reduction += Depth::fraction(0.9);
        }
        if !quiet {
            reduction -= if stage == Stage::GoodCaptures {
                Depth::fraction(1.5)
            } else {
                Depth::fraction(0.5)
            };
        } else if hash_captures {
            reduction += Depth::fraction(0.5);
        }
        if stage == Stage::Killers || checks {
            reduction -= Depth::PLY;
        }
        reduction -= Depth::fraction(f64::from(experience) / 12_000.0);
        reduction.at_least(Depth::ZERO)
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

    /// Is the table's move so much better than the rest that it is all but forced?
    fn singularity(
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

    fn learn(
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

    fn remember(
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
        {
            let informs = match bound {
                Bound::Lower => best > standing,
                Bound::Upper => best < standing,
                Bound::Exact => true,
            };
            if informs && self.uses(Technique::Correction) {
                let turn = node.position.turn();
                let key = pawn_key(&node.position);
                let error = best - standing + self.worker.corrections.of(turn, key);
                self.worker.corrections.learn(turn, key, error, depth);
            }
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

/// What became of the question whether a move is singular.
enum Singularity {
    None,
    Extend(Depth),
    Reduce,
    Cut(Score),
}
