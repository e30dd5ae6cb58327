//! Test positions at fixed nodes: how many does each searcher solve?
//!
//! Fixed nodes make the counts independent of the machine and its load.

use rayon::prelude::*;
use serde::Serialize;
use shakmaty::Move;
use tabiya_engine::search::{Engine, Limits, Pace, Settings, Signal, Task};
use tabiya_engine::{Evaluation, Score};

use crate::bare::Bare;
use crate::epd::TestPosition;

/// How much of the engine is switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// Alpha-beta and the pace, nothing else.
    Bare,
    /// The same with captures followed at the leaves.
    Quiet,
    /// Everything.
    Strong,
}

/// The engine in a form and at a pace.
#[derive(Clone, Debug)]
pub(crate) struct Searcher {
    /// How much is switched on.
    pub(crate) form: Form,
    /// What moves cost.
    pub(crate) pace: Pace,
    /// Settings of the strong form; evaluation also of the others.
    pub(crate) settings: Settings,
}

/// What a searcher did with a suite.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Tally {
    /// Problems.
    pub(crate) problems: usize,
    /// Best move played, none to avoid played.
    pub(crate) solved: usize,
    /// Points of the suite, of the most to be had.
    pub(crate) points: (u32, u32),
    /// Mates seen, in at most as many moves as the problem says, of those that are mates.
    pub(crate) mates: (usize, usize),
    /// Any mate seen.
    pub(crate) any_mate: usize,
    /// Names of the problems not solved.
    pub(crate) unsolved: Vec<String>,
}

/// Runs a searcher over problems at a number of nodes each, on all cores: each
/// problem is searched by one thread that remembers nothing of the others.
pub(crate) fn run(problems: &[TestPosition], searcher: &Searcher, nodes: u64) -> Tally {
    let settings = Settings {
        pace: searcher.pace,
        ..searcher.settings.clone()
    };
    let engine = || (searcher.form == Form::Strong).then(|| Engine::new(settings.clone()));
    let answers: Vec<_> = problems
        .par_iter()
        .map_init(engine, |engine, problem| match engine {
            Some(engine) => strong(problem, engine, nodes),
            None => bare(problem, searcher, settings.evaluation, nodes),
        })
        .collect();
    let mut tally = Tally::default();
    for (problem, (best, score)) in problems.iter().zip(answers) {
        tally.count(problem, best, score);
    }
    tally
}

fn strong(problem: &TestPosition, engine: &mut Engine, nodes: u64) -> (Option<Move>, Score) {
    engine.clear();
    let task = Task::new(problem.position.clone(), Limits::nodes(nodes));
    let answer = engine.search(&task, &Signal::new(false), &mut |_| {});
    (answer.best, answer.score)
}

fn bare(
    problem: &TestPosition,
    searcher: &Searcher,
    evaluation: Evaluation,
    nodes: u64,
) -> (Option<Move>, Score) {
    let bare = Bare {
        pace: searcher.pace,
        evaluation,
        longest: LONGEST,
        nodes,
        quiescence: searcher.form == Form::Quiet,
    };
    let found = bare.deepen(&problem.position);
    (found.line.first().copied(), found.score)
}

/// Lines of the bare forms end here: free moves could go on for ever.
const LONGEST: usize = 40;

impl Tally {
    fn count(&mut self, problem: &TestPosition, best: Option<Move>, score: Score) {
        self.problems += 1;
        let right = best.is_some_and(|mv| {
            (problem.best.is_empty() || problem.best.contains(&mv)) && !problem.avoid.contains(&mv)
        });
        if right {
            self.solved += 1;
        } else {
            self.unsolved.push(problem.id.clone());
        }
        if let Some(most) = problem.points.iter().map(|it| it.1).max() {
            let gained = problem
                .points
                .iter()
                .find(|it| Some(it.0) == best)
                .map_or(0, |it| it.1);
            self.points = (self.points.0 + gained, self.points.1 + most);
        }
        if let Some(moves) = problem.mate {
            let seen = score.mate_distance().filter(|&it| it > 0);
            self.any_mate += usize::from(seen.is_some());
            self.mates.0 += usize::from(seen.is_some_and(|it| it as u32 <= moves));
            self.mates.1 += 1;
        }
    }

    /// What a table shows: points if there are any, mates if there are any, else solved.
    pub(crate) fn figure(&self) -> String {
        if self.points.1 > 0 {
            format!("{}/{}", self.points.0, self.points.1)
        } else if self.mates.1 > 0 {
            format!("{}/{}", self.any_mate, self.mates.1)
        } else {
            format!("{}/{}", self.solved, self.problems)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_solves_a_plain_mate() {
        let problem =
            TestPosition::from_epd("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; dm 1;").unwrap();
        for form in [Form::Bare, Form::Quiet, Form::Strong] {
            let searcher = Searcher {
                form,
                pace: Pace::Uniform,
                settings: Settings {
                    hash: 1,
                    ..Settings::default()
                },
            };
            let tally = run(std::slice::from_ref(&problem), &searcher, 5_000);
            assert_eq!((tally.solved, tally.mates), (1, (1, 1)), "{form:?}");
        }
    }
}
