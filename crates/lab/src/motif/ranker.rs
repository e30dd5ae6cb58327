//! The ways to rank that the motif benchmark compares.

use shakmaty::{Chess, Position};
use tabiya_chess::{Symmetry, rules::ChessRules};
use tabiya_engine::shallow;
use tabiya_gametree::{
    mix,
    similarity::{Correlation, Measure},
};
use tabiya_retrieval::{
    Run, exercise,
    motif::{Motif, blend},
    played,
    rerank::{Method, no_lines, play_similarities},
    search::Cancel,
};

use super::Benchmark;
use super::benchmark::ranking;
use crate::position_index::{PositionIndex, PositionQuery};
use crate::run_variant::PAPER;

/// A way to rank puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranker {
    /// Any order is as good as another.
    Chance,
    /// A run as it is defined.
    Run(Run),
    /// `CombAll` also with colors swapped, as `search` does.
    Swapped,
    /// `CombAll` turned in every way, the same player to move.
    Turned,
    /// The share of squares with the same contents, colors swapped where the other
    /// player is to move.
    Correlation,
    /// The best of `Turned` in the order of a game-tree measure.
    Replayed(Method),
    /// The best of `Tabiya` in the order of motif and looks.
    SecondStage,
    /// Everything in the order of motif and looks.
    Motif,
    /// Everything in the order of the words of its solution.
    Solutions,
    /// The best of `Solutions` in the order of `exercises`, which reads the documents' themes.
    Exercises,
}

/// How many hits a second ranking looks at, as in `search`.
const DEPTH: usize = tabiya_retrieval::rerank::DEPTH;

impl Ranker {
    /// All of them, from chance to the best.
    pub(crate) fn all() -> Vec<Ranker> {
        let methods = [
            Method::Continuations,
            Method::Structural,
            Method::Freedom,
            Method::Blend,
        ];
        let mut rankers = vec![Ranker::Chance, Ranker::Correlation];
        rankers.extend(PAPER.map(Ranker::Run));
        rankers.extend([Ranker::Swapped, Ranker::Turned]);
        rankers.extend(methods.map(Ranker::Replayed));
        rankers.extend([Ranker::Run(Run::Tabiya), Ranker::SecondStage]);
        rankers.extend([Ranker::Motif, Ranker::Solutions, Ranker::Exercises]);
        rankers
    }

    /// What tables call it.
    pub(crate) fn name(self) -> String {
        match self {
            Ranker::Chance => "chance".to_owned(),
            Ranker::Run(run) => run.name().to_owned(),
            Ranker::Swapped => "CombAll, swap".to_owned(),
            Ranker::Turned => "CombAll, all, same side".to_owned(),
            Ranker::Correlation => "correlation".to_owned(),
            Ranker::Replayed(method) => format!("… by {}", method_name(method)),
            Ranker::SecondStage => format!("Tabiya, best {DEPTH} by motif"),
            Ranker::Motif => "motif, all documents".to_owned(),
            Ranker::Solutions => "motif, by solutions".to_owned(),
            Ranker::Exercises => "exercises".to_owned(),
        }
    }

    /// Whether the ranker needs best lines.
    pub(crate) fn reads_lines(self) -> bool {
        matches!(
            self,
            Ranker::SecondStage | Ranker::Motif | Ranker::Solutions | Ranker::Exercises
        )
    }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Continuations => "continuations",
        Method::Structural => "structural",
        Method::Freedom => "freedom",
        Method::Blend => "blend",
        Method::Motif => "motif",
    }
}

/// A benchmark with what rankers read of its documents.
pub(crate) struct Study<'a> {
    benchmark: &'a Benchmark,
    index: PositionIndex,
    motifs: Vec<Motif>,
    /// The motifs of the solutions.
    solutions: Vec<Motif>,
}

impl<'a> Study<'a> {
    /// Reads the documents; with `lines`, also their best lines; calls `done` after
    /// each.
    pub(crate) fn new(benchmark: &'a Benchmark, lines: bool, done: impl Fn() + Sync) -> Study<'a> {
        let positions = benchmark.positions();
        let lines = match lines {
            true => {
                let goes_on = || {
                    done();
                    true
                };
                shallow::lines(&positions, shallow::NODES, goes_on)
            }
            false => Vec::new(),
        };
        let pairs = positions.iter().zip(&lines);
        Study {
            benchmark,
            index: PositionIndex::new(&positions),
            motifs: pairs.map(|(it, line)| Motif::of(it, line)).collect(),
            solutions: benchmark
                .puzzles
                .iter()
                .map(|it| Motif::of(&it.position, &it.solution))
                .collect(),
        }
    }

    /// The score of every document for a query, itself a document.
    pub(crate) fn scores(&self, ranker: Ranker, query: usize) -> Vec<f64> {
        let turned = [Symmetry::None, Symmetry::Swap];
        match ranker {
            Ranker::Chance => self.chance(query),
            Ranker::Run(run) => self.by_terms(query, run, run.symmetries(), run.same_side()),
            Ranker::Swapped => self.by_terms(query, Run::CombAll, &turned, false),
            Ranker::Turned => self.by_terms(query, Run::CombAll, &Symmetry::ALL, true),
            Ranker::Correlation => self.correlation(query),
            Ranker::Replayed(method) => self.replayed(query, method),
            Ranker::SecondStage => {
                let first = self.scores(Ranker::Run(Run::Tabiya), query);
                let looks = &first;
                let second = |it: usize| blend(self.likeness(query, it), looks[it]);
                second_stage(&first, query, |best| {
                    best.iter().map(|&it| second(it)).collect()
                })
            }
            Ranker::Motif => {
                let first = self.scores(Ranker::Run(Run::Tabiya), query);
                let looks = &first;
                let all = looks.iter().enumerate();
                all.map(|(it, looks)| blend(self.likeness(query, it), *looks))
                    .collect()
            }
            Ranker::Solutions => {
                let asked = &self.motifs[query];
                self.solutions
                    .iter()
                    .map(|it| asked.similarity(it))
                    .collect()
            }
            Ranker::Exercises => {
                let first = self.scores(Ranker::Solutions, query);
                second_stage(&first, query, |best| {
                    let themes = |it: usize| self.benchmark.puzzles[it].themes.clone();
                    let found: Vec<_> = best.iter().map(|&it| (first[it], themes(it))).collect();
                    let mut scores = vec![0.0; found.len()];
                    for (rank, it) in exercise::order(&found).into_iter().enumerate() {
                        scores[it] = 1.0 / (1.0 + rank as f64);
                    }
                    scores
                })
            }
        }
    }

    fn position(&self, document: usize) -> &Chess {
        &self.benchmark.puzzles[document].position
    }

    fn chance(&self, query: usize) -> Vec<f64> {
        let score = |it: usize| mix((query as u64) << 32 ^ it as u64) as f64;
        (0..self.benchmark.puzzles.len()).map(score).collect()
    }

    fn by_terms(&self, query: usize, run: Run, ways: &[Symmetry], same_side: bool) -> Vec<f64> {
        let position = self.position(query);
        self.index.scores(&PositionQuery {
            position,
            ranking: &run.ranking(),
            symmetries: ways,
            same_side,
        })
    }

    fn likeness(&self, query: usize, document: usize) -> f64 {
        match (self.motifs.get(query), self.motifs.get(document)) {
            (Some(one), Some(two)) => one.similarity(two),
            _ => 0.0,
        }
    }

    /// A document with the query's player to move.
    fn facing(&self, query: usize, document: usize) -> Chess {
        let position = self.position(document);
        if position.turn() == self.position(query).turn() {
            return position.clone();
        }
        played::turn(position, Symmetry::Swap).unwrap_or_else(|| position.clone())
    }

    fn correlation(&self, query: usize) -> Vec<f64> {
        let rules = ChessRules::default();
        let asked = self.position(query);
        let score = |it| Correlation.similarity(&rules, asked, &self.facing(query, it));
        (0..self.benchmark.puzzles.len()).map(score).collect()
    }

    fn replayed(&self, query: usize, method: Method) -> Vec<f64> {
        let first = self.scores(Ranker::Turned, query);
        second_stage(&first, query, |best| {
            let positions: Vec<Chess> = best.iter().map(|&it| self.facing(query, it)).collect();
            let positions: Vec<&Chess> = positions.iter().collect();
            let plays = play_similarities(
                self.position(query),
                &positions,
                method,
                &no_lines,
                &Cancel::default(),
            );
            if method != Method::Blend {
                return plays;
            }
            let most = best.first().map_or(1.0, |&it| first[it]);
            let looks = best.iter().map(|&it| first[it] / most);
            plays
                .iter()
                .zip(looks)
                .map(|(play, looks)| play + looks)
                .collect()
        })
    }
}

/// Orders the best of a first ranking anew; the others keep their order behind them.
fn second_stage(
    first: &[f64],
    query: usize,
    second: impl FnOnce(&[usize]) -> Vec<f64>,
) -> Vec<f64> {
    let mut best = ranking(first, query);
    best.truncate(DEPTH);
    let most = first.iter().copied().fold(1.0, f64::max);
    let mut scores: Vec<f64> = first.iter().map(|it| it / most).collect();
    for (at, score) in best.iter().zip(second(&best)) {
        // Above all that was not looked at.
        scores[*at] = 2.0 + score;
    }
    scores
}
