//! Partial-depth search with nothing added: no table, no killers, no null
//! move, no iterative deepening, and quiescence only if asked for.
//!
//! This is the program of the partial-depth paper: moves are tried in
//! descending order of how much they change the evaluation, checks before all
//! others; a line ends when its depth is spent or when it is as long as
//! allowed. Under any pace it gives the same score as an exhaustive search
//! under that pace, which its tests keep as a twin.

use shakmaty::{Chess, Move, Position};

use super::node::Node;
use super::{Depth, Pace, Step};
use crate::{Evaluation, Score};

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Bare {
    /// What moves cost.
    pub pace: Pace,
    /// What judges the leaves.
    pub evaluation: Evaluation,
    /// The longest line in plies: the paper's "max extension".
    pub longest: usize,
    /// Positions visited before giving up.
    pub nodes: u64,
    /// Follow captures at the leaves.
    pub quiescence: bool,
}

/// What a bare search found.
#[derive(Clone, Debug)]
pub struct BareResult {
    /// The best line; empty if the game is over.
    pub line: Vec<Move>,
    /// For the side to move.
    pub score: Score,
    /// Positions visited.
    pub nodes: u64,
    /// The longest line visited, in plies.
    pub greatest: usize,
    /// False if it gave up for want of nodes.
    pub complete: bool,
}

impl Bare {
    /// Searches to one depth.
    pub fn search(&self, position: &Chess, depth: Depth) -> BareResult {
        let mut run = Run {
            bare: self,
            nodes: 0,
            greatest: 0,
            stopped: false,
        };
        let mut line = Vec::new();
        let root = Node::root(position.clone(), None);
        let score = run.alpha_beta(&root, -Score::INFINITE, Score::INFINITE, depth, &mut line);
        BareResult {
            line,
            score,
            nodes: run.nodes,
            greatest: run.greatest,
            complete: !run.stopped,
        }
    }

    /// Searches to one ply, two plies and so on until the nodes are spent. The
    /// result is that of the last depth completed, or of the first if none was.
    pub fn deepen(&self, position: &Chess) -> BareResult {
        let mut spent = 0;
        let mut result: Option<BareResult> = None;
        for plies in 1..=self.longest as i32 {
            let rest = Bare {
                nodes: self.nodes.saturating_sub(spent),
                ..*self
            };
            let found = rest.search(position, Depth::plies(plies));
            spent += found.nodes;
            if !found.complete && result.is_some() {
                break;
            }
            let over = !found.complete || found.score.is_mate();
            result = Some(found);
            if over {
                break;
            }
        }
        let mut result = result.unwrap_or_else(|| self.search(position, Depth::PLY));
        result.nodes = spent;
        result
    }
}

struct Run<'a> {
    bare: &'a Bare,
    nodes: u64,
    greatest: usize,
    stopped: bool,
}

/// A move, where it leads and how far it moves the evaluation.
struct Branch {
    child: Node,
    step: Step,
    rank: i32,
}

/// What a check adds to the change of the evaluation when moves are ordered.
const CHECK_RANK: i32 = 10_000;

impl Run<'_> {
    fn alpha_beta(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
        depth: Depth,
        line: &mut Vec<Move>,
    ) -> Score {
        line.clear();
        if self.nodes >= self.bare.nodes {
            self.stopped = true;
            return Score::DRAW;
        }
        self.nodes += 1;
        self.greatest = self.greatest.max(node.ply);
        if depth.is_spent() || node.ply >= self.bare.longest {
            return self.leaf(node, alpha, beta);
        }
        let branches = self.branches(node);
        if branches.is_empty() {
            return if node.in_check {
                Score::mated_in(node.ply)
            } else {
                Score::DRAW
            };
        }
        let mut best = -Score::INFINITE;
        let mut rest = Vec::new();
        for branch in &branches {
            let left = depth - self.bare.pace.cost(&branch.step);
            let score = -self.alpha_beta(&branch.child, -beta, -alpha, left, &mut rest);
            if self.stopped && !(node.ply == 0 && best == -Score::INFINITE) {
                return best;
            }
            if score > best {
                best = score;
                line.clear();
                line.push(branch.step.mv);
                line.append(&mut rest);
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// A leaf is worth its evaluation, unless the game is over there.
    fn leaf(&mut self, node: &Node, alpha: Score, beta: Score) -> Score {
        if node.position.legal_moves().is_empty() {
            return if node.in_check {
                Score::mated_in(node.ply)
            } else {
                Score::DRAW
            };
        }
        if self.bare.quiescence {
            self.captures(node, alpha, beta)
        } else {
            self.bare.evaluation.evaluate(&node.position)
        }
    }

    fn captures(&mut self, node: &Node, mut alpha: Score, beta: Score) -> Score {
        let mut best = self.bare.evaluation.evaluate(&node.position);
        let mut moves = node.position.capture_moves();
        moves.sort_by_key(|mv| {
            std::cmp::Reverse(mv.capture().map(|it| {
                16 * crate::eval::exchange_value(it) - crate::eval::exchange_value(mv.role())
            }))
        });
        for mv in moves {
            alpha = alpha.max(best);
            if alpha >= beta || self.nodes >= self.bare.nodes {
                break;
            }
            self.nodes += 1;
            best = best.max(-self.captures(&node.after(mv), -beta, -alpha));
        }
        best
    }

    fn branches(&self, node: &Node) -> Vec<Branch> {
        let moves = node.position.legal_moves();
        let choices = moves.len();
        let here = self.bare.evaluation.evaluate(&node.position);
        let mut branches: Vec<Branch> = moves
            .into_iter()
            .map(|mv| {
                let child = node.after(mv);
                let change = (-self.bare.evaluation.evaluate(&child.position) - here).abs();
                let step = Step {
                    mv,
                    gives_check: child.in_check,
                    recaptures: node.is_recapture(mv),
                    choices,
                    change,
                };
                let rank = change + if child.in_check { CHECK_RANK } else { 0 };
                Branch { child, step, rank }
            })
            .collect();
        branches.sort_by_key(|it| std::cmp::Reverse(it.rank));
        branches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::{POSITIONS, position};
    use proptest::prelude::*;

    /// The same tree without a window.
    fn negamax(bare: &Bare, node: &Node, depth: Depth) -> Score {
        let run = Run {
            bare,
            nodes: 0,
            greatest: 0,
            stopped: false,
        };
        let moves = node.position.legal_moves();
        if moves.is_empty() {
            return if node.in_check {
                Score::mated_in(node.ply)
            } else {
                Score::DRAW
            };
        }
        if depth.is_spent() || node.ply >= bare.longest {
            return bare.evaluation.evaluate(&node.position);
        }
        run.branches(node)
            .iter()
            .map(|it| -negamax(bare, &it.child, depth - bare.pace.cost(&it.step)))
            .max()
            .unwrap()
    }

    const PACES: [Pace; 5] = [
        Pace::Uniform,
        Pace::CheckOnly,
        Pace::InformationGain,
        Pace::Appendix { divisor: 1.5 },
        Pace::Forcing,
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn alpha_beta_equals_exhaustive_negamax(start in 0..POSITIONS.len(), walk in prop::collection::vec(0..1000_usize, 0..12), pace in 0..PACES.len(), tenths in 5..16_i32) {
            let mut here = position(POSITIONS[start]);
            for step in walk {
                let moves = here.legal_moves();
                if moves.is_empty() {
                    break;
                }
                here.play_unchecked(moves[step % moves.len()]);
            }
            let bare = Bare { pace: PACES[pace], evaluation: Evaluation::Standard, longest: 3, nodes: u64::MAX, quiescence: false };
            let depth = Depth::fraction(f64::from(tenths) / 10.0);
            let found = bare.search(&here, depth);
            prop_assert_eq!(found.score, negamax(&bare, &Node::root(here, None), depth));
        }
    }

    #[test]
    fn free_checks_find_a_mate_that_a_uniform_ply_does_not() {
        // Queen and rook drive the king to the edge, a check each move.
        let ladder = position("8/8/8/4k3/8/8/Q7/1R5K w - - 0 1");
        let bare = Bare {
            pace: Pace::CheckOnly,
            evaluation: Evaluation::Standard,
            longest: 12,
            nodes: 200_000,
            quiescence: false,
        };
        let by_checks = bare.search(&ladder, Depth::plies(3));
        let uniform = Bare {
            pace: Pace::Uniform,
            ..bare
        }
        .search(&ladder, Depth::plies(3));
        assert!(!uniform.score.is_mate());
        assert!(by_checks.greatest > uniform.greatest);
    }
}
