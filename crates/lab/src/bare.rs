//! Partial-depth search with nothing added: no table, no killers, no null
//! move, no iterative deepening, and quiescence only if asked for.
//!
//! This is the program of the partial-depth paper: moves are tried in
//! descending order of how much they change the evaluation, checks before all
//! others; a line ends when its depth is spent or when it is as long as
//! allowed. Under any pace it gives the same score as an exhaustive search
//! under that pace, which its tests keep as a twin.

use shakmaty::{Chess, Move, Position};
use tabiya_chess::exchange::exchange_value;
use tabiya_engine::search::{Depth, Pace, Step};
use tabiya_engine::{Evaluation, Score};

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bare {
    /// What moves cost.
    pub(crate) pace: Pace,
    /// What judges the leaves.
    pub(crate) evaluation: Evaluation,
    /// The longest line in plies: the paper's "max extension".
    pub(crate) longest: usize,
    /// Positions visited before giving up.
    pub(crate) nodes: u64,
    /// Follow captures at the leaves.
    pub(crate) quiescence: bool,
}

/// What a bare search found.
#[derive(Clone, Debug)]
pub(crate) struct BareResult {
    /// The best line; empty if the game is over.
    pub(crate) line: Vec<Move>,
    /// For the side to move.
    pub(crate) score: Score,
    /// Positions visited.
    pub(crate) nodes: u64,
    /// The longest line visited, in plies.
    pub(crate) greatest: usize,
    /// False if it gave up for want of nodes.
    pub(crate) complete: bool,
}

impl Bare {
    /// Searches to one depth.
    pub(crate) fn search(&self, position: &Chess, depth: Depth) -> BareResult {
        let mut run = Run {
            bare: self,
            nodes: 0,
            greatest: 0,
            stopped: false,
        };
        let mut line = Vec::new();
        let root = Node::root(position.clone());
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
    pub(crate) fn deepen(&self, position: &Chess) -> BareResult {
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

/// A position and how it was reached.
struct Node {
    position: Chess,
    ply: usize,
    in_check: bool,
    last: Option<Move>,
}

impl Node {
    fn root(position: Chess) -> Node {
        Node {
            in_check: position.is_check(),
            position,
            ply: 0,
            last: None,
        }
    }

    /// The position after a legal move.
    fn after(&self, mv: Move) -> Node {
        let mut position = self.position.clone();
        position.play_unchecked(mv);
        Node {
            ply: self.ply + 1,
            last: Some(mv),
            ..Node::root(position)
        }
    }

    /// Does the move take back what was just taken with?
    fn is_recapture(&self, mv: Move) -> bool {
        let retakes = |it: Move| it.is_capture() && it.to() == mv.to();
        mv.is_capture() && self.last.is_some_and(retakes)
    }

    /// The score if the game is over here: mate or stalemate.
    fn end(&self) -> Score {
        if self.in_check {
            Score::mated_in(self.ply)
        } else {
            Score::DRAW
        }
    }
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
            return node.end();
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
            return node.end();
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
            let gain = |it| 16 * exchange_value(it) - exchange_value(mv.role());
            std::cmp::Reverse(mv.capture().map(gain))
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
    use proptest::prelude::*;
    use tabiya_chess::position::parse;

    /// An opening, a middlegame, a hunted king, an ending and promotions.
    const POSITIONS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rn1k1r2/pp2R3/2pP1pqp/6p1/2BQ4/2P1B3/PP4P1/6K1 w - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "1QQ5/8/8/8/k7/8/7K/4qq2 w - - 0 1",
    ];

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
            return node.end();
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
            let mut here = parse(POSITIONS[start]).unwrap();
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
            prop_assert_eq!(found.score, negamax(&bare, &Node::root(here), depth));
        }
    }

    #[test]
    fn free_checks_find_a_mate_that_a_uniform_ply_does_not() {
        // Queen and rook drive the king to the edge, a check each move.
        let ladder = parse("8/8/8/4k3/8/8/Q7/1R5K w - - 0 1").unwrap();
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
