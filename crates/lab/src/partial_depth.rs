//! The experiment of the partial-depth paper, repeated.
//!
//! One combination is searched by the paper's own program ([`Bare`] under
//! [`Pace::Appendix`]) over divisors and virtual depths; each run notes the
//! nodes, the longest line and whether the mate was found. The same is then
//! asked of other paces, on that position and on suites of mates.

use serde::Serialize;
use shakmaty::Chess;
use tabiya_engine::Evaluation;
use tabiya_engine::search::{Depth, Pace};

use crate::bare::Bare;
use crate::epd::TestPosition;
use crate::plot::Points;

/// The combination: 1.Qb6+ axb6 2.Bxb6+ and mate at the thirteenth ply.
pub(crate) const COMBINATION: &str = "rn1k1r2/pp2R3/2pP1pqp/6p1/2BQ4/2P1B3/PP4P1/6K1 w - - 0 1";
/// Plies of the mate.
pub(crate) const MATE_PLY: usize = 13;
/// Steps of virtual depth that a quiet ply takes in the paper.
pub(crate) const STEP: i32 = 6;

/// What is searched.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Divisors of the information term.
    pub(crate) divisors: Vec<f64>,
    /// Virtual depths in the paper's steps, rising.
    pub(crate) depths: Vec<i32>,
    /// The longest line in plies.
    pub(crate) longest: usize,
    /// A run that takes more nodes is given up.
    pub(crate) nodes: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            divisors: vec![
                0.4, 0.5, 0.6, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0,
                12.0,
            ],
            depths: (1..=10).map(|it| it * 3).collect(),
            longest: MATE_PLY + 1,
            nodes: 400_000,
        }
    }
}

/// One run, a row of the paper's table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Run {
    /// Counted from 1.
    pub(crate) experiment: usize,
    /// Positions visited.
    pub(crate) nodes: u64,
    /// What divides the information term.
    pub(crate) divisor: f64,
    /// The longest line, in plies.
    pub(crate) greatest_depth: usize,
    /// The virtual depth allowed, in steps.
    pub(crate) virtual_depth: i32,
    /// A mate was found.
    pub(crate) solved: bool,
    /// Steps of a quiet ply.
    pub(crate) step: i32,
    /// The run was not given up.
    pub(crate) complete: bool,
}

/// Runs the plan on a position; calls `progress` after every run.
pub(crate) fn sweep(position: &Chess, plan: &Plan, mut progress: impl FnMut(&Run)) -> Vec<Run> {
    let mut runs = Vec::new();
    for &divisor in &plan.divisors {
        for &virtual_depth in &plan.depths {
            let bare = bare(Pace::Appendix { divisor }, plan.longest, plan.nodes);
            let found = bare.search(
                position,
                Depth::fraction(f64::from(virtual_depth) / f64::from(STEP)),
            );
            let run = Run {
                experiment: runs.len() + 1,
                nodes: found.nodes,
                divisor,
                greatest_depth: found.greatest,
                virtual_depth,
                solved: found.complete && found.score.mate_distance().is_some_and(|it| it > 0),
                step: STEP,
                complete: found.complete,
            };
            progress(&run);
            let give_up = !run.complete;
            runs.push(run);
            // Deeper only takes more.
            if give_up {
                break;
            }
        }
    }
    runs
}

fn bare(pace: Pace, longest: usize, nodes: u64) -> Bare {
    Bare {
        pace,
        evaluation: Evaluation::Standard,
        longest,
        nodes,
        quiescence: false,
    }
}

/// What one pace needs to solve one position, deepening a third of a ply at a time.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Effort {
    /// The pace.
    pub(crate) pace: String,
    /// A mate was found.
    pub(crate) solved: bool,
    /// Nodes of all depths up to the last.
    pub(crate) nodes: u64,
    /// Nodes of the last depth alone, as the paper counts.
    pub(crate) last: u64,
    /// The last depth, in plies.
    pub(crate) depth: f64,
    /// The longest line.
    pub(crate) greatest_depth: usize,
}

/// Deepens until a mate is found or the nodes are spent.
pub(crate) fn effort(position: &Chess, pace: Pace, longest: usize, nodes: u64) -> Effort {
    let mut effort = Effort {
        pace: pace.to_string(),
        solved: false,
        nodes: 0,
        last: 0,
        depth: 0.0,
        greatest_depth: 0,
    };
    for thirds in 1..=3 * longest as i32 {
        let bare = bare(pace, longest, nodes - effort.nodes);
        let found = bare.search(position, Depth::fraction(f64::from(thirds) / 3.0));
        effort.nodes += found.nodes;
        effort.greatest_depth = effort.greatest_depth.max(found.greatest);
        if !found.complete {
            break;
        }
        effort.last = found.nodes;
        effort.depth = f64::from(thirds) / 3.0;
        if found.score.mate_distance().is_some_and(|it| it > 0) {
            effort.solved = true;
            break;
        }
        if effort.nodes >= nodes {
            break;
        }
    }
    effort
}

/// What a pace does with a suite of mates.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SuiteEffort {
    /// The pace.
    pub(crate) pace: String,
    /// Problems.
    pub(crate) problems: usize,
    /// Mates found within the nodes.
    pub(crate) solved: usize,
    /// Median nodes of those solved.
    pub(crate) median_nodes: u64,
}

/// Lines on a suite may be this many plies longer than the mate.
const SLACK: usize = 1;

/// Runs a pace over mates at a number of nodes each.
pub(crate) fn suite(problems: &[TestPosition], pace: Pace, nodes: u64) -> SuiteEffort {
    let mut solved: Vec<u64> = problems
        .iter()
        .filter_map(|it| {
            let plies = it.mate.map_or(MATE_PLY, |moves| 2 * moves as usize - 1);
            let effort = effort(&it.position, pace, plies + SLACK, nodes);
            effort.solved.then_some(effort.nodes)
        })
        .collect();
    solved.sort_unstable();
    let median_nodes = solved.get(solved.len() / 2).copied().unwrap_or(0);
    SuiteEffort {
        pace: pace.to_string(),
        problems: problems.len(),
        solved: solved.len(),
        median_nodes,
    }
}

/// The paper's six plots.
pub(crate) fn plots(runs: &[Run]) -> Vec<Points> {
    let points = |solved: bool, point: fn(&Run) -> (f64, f64)| {
        runs.iter()
            .filter(|it| it.complete && it.solved == solved)
            .map(point)
            .collect()
    };
    let by_divisor: fn(&Run) -> (f64, f64) = |it| (it.divisor, it.nodes as f64);
    let by_depth: fn(&Run) -> (f64, f64) = |it| (f64::from(it.virtual_depth), it.nodes as f64);
    let plot = |name, title, x, y, log, points| Points {
        name,
        title,
        x,
        y,
        log,
        points,
    };
    vec![
        plot(
            "nodes-by-divisor-solved",
            "Nodes by divisor, mate found",
            "divisor",
            "nodes",
            true,
            points(true, by_divisor),
        ),
        plot(
            "nodes-by-divisor-unsolved",
            "Nodes by divisor, mate not found",
            "divisor",
            "nodes",
            true,
            points(false, by_divisor),
        ),
        plot(
            "nodes-by-depth-solved",
            "Nodes by virtual depth, mate found",
            "virtual depth (steps)",
            "nodes",
            true,
            points(true, by_depth),
        ),
        plot(
            "nodes-by-depth-unsolved",
            "Nodes by virtual depth, mate not found",
            "virtual depth (steps)",
            "nodes",
            true,
            points(false, by_depth),
        ),
        plot(
            "depth-needed-by-divisor",
            "Virtual depth needed by divisor",
            "divisor",
            "virtual depth (steps)",
            false,
            needed(runs),
        ),
        plot(
            "greatest-depth-by-divisor",
            "Longest line by divisor",
            "divisor",
            "plies",
            false,
            runs.iter()
                .map(|it| (it.divisor, it.greatest_depth as f64))
                .collect(),
        ),
    ]
}

/// For each divisor the least virtual depth that solves.
fn needed(runs: &[Run]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for it in runs.iter().filter(|it| it.solved) {
        if points.last().is_none_or(|last| last.0 != it.divisor) {
            points.push((it.divisor, f64::from(it.virtual_depth)));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::position;

    fn combination() -> Chess {
        position::parse(COMBINATION).unwrap()
    }

    #[test]
    fn the_mate_is_found_when_information_weighs_most() {
        let plan = Plan {
            divisors: vec![0.5],
            depths: vec![3, 6],
            longest: MATE_PLY + 1,
            nodes: 60_000,
        };
        let runs = sweep(&combination(), &plan, |_| {});
        assert!(runs.iter().any(|it| it.solved), "{runs:?}");
        assert_eq!(plots(&runs).len(), 6);
    }

    #[test]
    fn a_uniform_ply_does_not_get_there() {
        let effort = effort(&combination(), Pace::Uniform, MATE_PLY + 1, 60_000);
        assert!(!effort.solved && effort.greatest_depth < MATE_PLY);
    }

    #[test]
    fn free_checks_alone_solve_a_ladder() {
        let problem = TestPosition::from_epd("7k/8/8/8/8/8/R7/1R4K1 w - - bm Rb7; dm 2;").unwrap();
        let found = suite(&[problem], Pace::CheckOnly, 100_000);
        assert_eq!((found.solved, found.problems), (1, 1));
    }
}
