//! Puzzles as queries and documents.

use rayon::prelude::*;
use shakmaty::Chess;
use tabiya_gametree::Dice;

use super::{Grading, MOTIFS, Motifs};
use crate::draw::Draw;
use crate::measure::{Judged, Measure};
use crate::puzzle::Puzzle;
use crate::split::Part;

/// What is drawn from a table of puzzles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    /// From which part of the puzzles.
    pub(crate) part: Part,
    /// How many documents, at most.
    pub(crate) documents: usize,
    /// How many queries for each motif.
    pub(crate) queries: usize,
    /// Decides what is drawn.
    pub(crate) seed: u64,
}

/// A collection of puzzles with queries and grades.
#[derive(Clone, Debug)]
pub(crate) struct Benchmark {
    /// The documents; queries are among them.
    pub(crate) puzzles: Vec<Puzzle>,
    motifs: Vec<Motifs>,
    /// Queries as numbers of documents, with the motif for which each was drawn.
    pub(crate) queries: Vec<(usize, usize)>,
    grading: Grading,
}

/// Motifs of fewer documents have no queries: there is hardly anything to find.
const RAREST: usize = 40;

impl Benchmark {
    /// Draws documents and queries. A motif of which the documents hold too few has
    /// no queries, and neither has "mate", which is too general.
    pub(crate) fn draw(puzzles: Vec<Puzzle>, sampling: &Sampling) -> Benchmark {
        let half: Vec<Puzzle> = puzzles
            .into_iter()
            .filter(|it| sampling.part.holds(it))
            .collect();
        let mut dice = Dice::new(sampling.seed);
        let puzzles = dice.sample(&half, sampling.documents);
        let motifs: Vec<Motifs> = puzzles.iter().map(|it| Motifs::of(&it.themes)).collect();
        let mut queries = Vec::new();
        for motif in (0..MOTIFS.len()).filter(|&it| MOTIFS[it] != "mate") {
            let having: Vec<usize> = (0..puzzles.len())
                .filter(|&it| motifs[it].contains(motif))
                .collect();
            if having.len() >= RAREST {
                let drawn = dice.sample(&having, sampling.queries);
                queries.extend(drawn.into_iter().map(|it| (it, motif)));
            }
        }
        let grading = Grading::weighted(&motifs);
        Benchmark {
            puzzles,
            motifs,
            queries,
            grading,
        }
    }

    /// The same with another rule of grading.
    pub(crate) fn graded(self, grading: Grading) -> Benchmark {
        Benchmark { grading, ..self }
    }

    /// The documents' positions in their order.
    pub(crate) fn positions(&self) -> Vec<Chess> {
        self.puzzles.iter().map(|it| it.position.clone()).collect()
    }

    /// Judges a way to rank: `scores` gives the score of every document for a query,
    /// itself a document, in parallel.
    pub(crate) fn judge(&self, scores: impl Fn(usize) -> Vec<f64> + Sync) -> Vec<Outcome> {
        let judge = |&(query, motif): &(usize, usize)| {
            let ranking = ranking(&scores(query), query);
            self.outcome(query, motif, &ranking)
        };
        self.queries.par_iter().map(judge).collect()
    }

    /// The grade of a document for a query.
    pub(crate) fn grade(&self, query: usize, document: usize) -> i32 {
        self.grading
            .grade(self.motifs[query], self.motifs[document])
    }

    /// The greatest sum of discounted gains that ten documents can have for a query.
    pub(crate) fn ideal(&self, query: usize) -> f64 {
        let others = (0..self.puzzles.len()).filter(|&it| it != query);
        let mut grades: Vec<i32> = others.map(|it| self.grade(query, it)).collect();
        grades.sort_unstable_by(|one, two| two.cmp(one));
        let gains = (2u32..).zip(grades.iter().take(10));
        gains
            .map(|(at, &it)| f64::from(it) / f64::from(at).log2())
            .sum()
    }

    /// The best documents by their scores, without the query itself; ties by number.
    pub(crate) fn ranking(&self, scores: &[f64], query: usize) -> Vec<usize> {
        ranking(scores, query)
    }

    /// Judges one ranking of documents for a query.
    pub(crate) fn outcome(&self, query: usize, motif: usize, ranking: &[usize]) -> Outcome {
        let grades: Vec<i32> = (0..self.puzzles.len())
            .map(|it| self.grade(query, it))
            .collect();
        let found = ranking.iter().map(|&it| Some(grades[it])).collect();
        let others = (0..self.puzzles.len()).filter(|&it| it != query);
        let judged = Judged::new(found, others.map(|it| grades[it]).collect());
        Outcome { motif, judged }
    }
}

/// How a query fared.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The motif for which the query was drawn.
    pub(crate) motif: usize,
    judged: Judged,
}

impl Outcome {
    /// The query by a measure; half of the query's motifs make a document relevant.
    pub(crate) fn measure(&self, measure: Measure) -> f64 {
        measure.of(&self.judged, 2)
    }
}

/// How many documents of a ranking are judged.
const DEPTH: usize = 1000;

/// The best documents by their scores, without the query itself; ties by number.
pub(crate) fn ranking(scores: &[f64], query: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&it| it != query).collect();
    let by_score =
        |one: &usize, two: &usize| scores[*two].total_cmp(&scores[*one]).then(one.cmp(two));
    if order.len() > DEPTH {
        order.select_nth_unstable_by(DEPTH, by_score);
        order.truncate(DEPTH);
    }
    order.sort_unstable_by(by_score);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puzzles of two motifs in turn, all on the same board.
    fn puzzles(count: usize) -> Vec<Puzzle> {
        let row = |number: usize| {
            let theme = ["fork short", "pin endgame"][number % 2];
            let line = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 d1d8 g8h7";
            Puzzle::parse(&format!("{number:05},{line},900,80,90,100,{theme},x,")).unwrap()
        };
        (0..count).map(row).collect()
    }

    fn benchmark() -> Benchmark {
        let sampling = Sampling {
            part: Part::Test,
            documents: 200,
            queries: 5,
            seed: 1,
        };
        Benchmark::draw(puzzles(600), &sampling)
    }

    #[test]
    fn only_one_half_is_drawn_and_every_motif_asks() {
        let benchmark = benchmark();
        assert_eq!(benchmark.puzzles.len(), 200);
        assert!(benchmark.puzzles.iter().all(|it| Part::Test.holds(it)));
        let motifs: Vec<_> = benchmark.queries.iter().map(|it| MOTIFS[it.1]).collect();
        assert_eq!(motifs, [["fork"; 5], ["pin"; 5]].concat());
    }

    #[test]
    fn who_knows_the_motifs_is_perfect_and_who_turns_them_round_is_not() {
        let benchmark = benchmark();
        let like = |query: usize, sign: f64| -> Vec<f64> {
            let motifs = &benchmark.motifs;
            let equal = |it: &Motifs| if *it == motifs[query] { sign } else { 0.0 };
            motifs.iter().map(equal).collect()
        };
        let measure = "nDCG@10".parse().unwrap();
        let mean = |outcomes: Vec<Outcome>| {
            let values = outcomes.iter().map(|it| it.measure(measure));
            values.sum::<f64>() / outcomes.len() as f64
        };
        assert_eq!(mean(benchmark.judge(|it| like(it, 1.0))), 1.0);
        assert_eq!(mean(benchmark.judge(|it| like(it, -1.0))), 0.0);
    }
}
