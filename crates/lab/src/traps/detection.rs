//! Detection: are positions that are still traps more like the original?
//!
//! The paper's table 2, with the measures it leaves out, the area under the ROC
//! curve beside errors at the mean, and further traps that had no part in finding
//! the measures of our own.

use serde::Serialize;
use tabiya_chess::trap::Trap;
use tabiya_gametree::similarity::{
    Blend, Continuations, Correlation, Freedom, OrderedEdit, Sequences, Structural, UnorderedEdit,
};

use super::Survey;
use super::by_shares::ByShares;
use crate::roc::Scored;

/// A measure of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// Continuations of one ply.
    Continuations1,
    /// Continuations of two plies.
    Continuations2,
    /// Sequences of two plies.
    Sequences2,
    /// Tree edit of two plies, siblings ordered.
    TreeEditOrdered2,
    /// Tree edit of two plies, siblings matched.
    TreeEditUnordered2,
    /// The control: equal squares.
    Correlation,
    /// Structural over continuations of one ply: the ratio of the numbers of moves.
    NumberOfMoves,
    /// Structural over continuations of two plies.
    Structural,
    /// The same, compared by shares of the children.
    StructuralByShares,
    /// Freedom.
    Freedom,
    /// Freedom and continuations of two plies, half each.
    FreedomAndContinuations,
}

impl Method {
    /// All of them, in the order of the tables.
    pub(crate) const ALL: [Method; 11] = [
        Method::Continuations1,
        Method::Continuations2,
        Method::Sequences2,
        Method::TreeEditOrdered2,
        Method::TreeEditUnordered2,
        Method::Correlation,
        Method::NumberOfMoves,
        Method::Structural,
        Method::StructuralByShares,
        Method::Freedom,
        Method::FreedomAndContinuations,
    ];

    /// The name of the method in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Continuations1 => "continuations d=1",
            Method::Continuations2 => "continuations d=2",
            Method::Sequences2 => "sequences d=2",
            Method::TreeEditOrdered2 => "tree edit d=2, ordered",
            Method::TreeEditUnordered2 => "tree edit d=2, unordered",
            Method::Correlation => "correlation",
            Method::NumberOfMoves => "number of moves",
            Method::Structural => "structural",
            Method::StructuralByShares => "structural, by shares",
            Method::Freedom => "freedom",
            Method::FreedomAndContinuations => "freedom + continuations d=2",
        }
    }

    /// The scores of a survey's positions.
    pub(crate) fn scored(self, survey: &Survey<'_>) -> Scored {
        let structural = Structural::over(Continuations::new(2));
        match self {
            Method::Continuations1 => survey.scored(&Continuations::new(1)),
            Method::Continuations2 => survey.scored(&Continuations::new(2)),
            Method::Sequences2 => survey.scored(&Sequences::new(2)),
            Method::TreeEditOrdered2 => survey.scored(&OrderedEdit::new(2)),
            Method::TreeEditUnordered2 => survey.scored(&UnorderedEdit::new(2)),
            Method::Correlation => survey.scored(&Correlation),
            Method::NumberOfMoves => survey.scored(&Structural::over(Continuations::new(1))),
            Method::Structural => survey.scored(&structural),
            Method::StructuralByShares => survey.scored(&ByShares(structural)),
            Method::Freedom => survey.scored(&Freedom),
            Method::FreedomAndContinuations => {
                survey.scored(&Blend::new(Freedom, Continuations::new(2), 0.5))
            }
        }
    }

    /// The published false negatives and positives for the n-th of the paper's
    /// four traps.
    pub(crate) fn published(self, trap: usize) -> Option<(f64, f64)> {
        let row = match self {
            Method::Continuations1 => [
                (0.252, 0.493),
                (0.324, 0.437),
                (0.185, 0.393),
                (0.332, 0.461),
            ],
            Method::Sequences2 => [
                (0.234, 0.480),
                (0.335, 0.397),
                (0.276, 0.424),
                (0.330, 0.457),
            ],
            Method::Correlation => [
                (0.195, 0.723),
                (0.029, 0.630),
                (0.865, 0.380),
                (0.207, 0.713),
            ],
            _ => return None,
        };
        row.get(trap).copied()
    }
}

/// How one method did on one trap.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// The trap.
    pub(crate) trap: String,
    /// The number of positions two plies on.
    pub(crate) positions: usize,
    /// How many of them are still traps.
    pub(crate) traps: usize,
    /// The measure.
    pub(crate) method: Method,
    /// The mean similarity, which is the threshold.
    pub(crate) mean: f64,
    /// The share of traps below it.
    pub(crate) false_negatives: f64,
    /// The share of non-traps above it.
    pub(crate) false_positives: f64,
    /// The area under the ROC curve.
    pub(crate) area: f64,
    /// The published errors, where there are any.
    pub(crate) published: Option<(f64, f64)>,
}

impl Row {
    /// Scores a survey, of the n-th trap of the library, by one method.
    pub(crate) fn measure(survey: &Survey<'_>, number: usize, method: Method) -> Row {
        let scored = method.scored(survey);
        let mean = scored.mean();
        Row {
            trap: survey.trap.name.clone(),
            positions: survey.positions.len(),
            traps: survey.traps(),
            method,
            mean,
            false_negatives: scored.false_negatives(mean),
            false_positives: scored.false_positives(mean),
            area: scored.area(),
            published: method.published(number),
        }
    }

    /// The header of the table.
    pub(crate) const HEADER: [&'static str; 10] = [
        "trap",
        "positions",
        "traps",
        "method",
        "mean",
        "false_negatives",
        "false_positives",
        "area",
        "published_false_negatives",
        "published_false_positives",
    ];

    /// The cells of the row.
    pub(crate) fn cells(&self) -> Vec<String> {
        let [positions, traps] = [self.positions, self.traps].map(|it| it.to_string());
        let method = self.method.name().to_owned();
        let figures = [
            self.mean,
            self.false_negatives,
            self.false_positives,
            self.area,
        ];
        let published = [self.published.map(|it| it.0), self.published.map(|it| it.1)];
        [self.trap.clone(), positions, traps, method]
            .into_iter()
            .chain(figures.map(|it| format!("{it:.4}")))
            .chain(published.map(|it| it.map_or(String::new(), |it| it.to_string())))
            .collect()
    }
}

/// Scores the surroundings of each trap by each method. Calls `step` after each trap.
pub(crate) fn table(traps: &[&Trap], methods: &[Method], step: impl Fn()) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, trap) in traps.iter().enumerate() {
        let survey = Survey::of(trap);
        // Too few of either kind are not significant.
        let enough = survey.traps().min(survey.positions.len() - survey.traps()) >= 20;
        if enough {
            rows.extend(methods.iter().map(|&it| Row::measure(&survey, number, it)));
        }
        step();
    }
    rows
}

/// A method's area over several traps, beside plain continuations'.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// The method.
    pub(crate) method: Method,
    /// The number of traps.
    pub(crate) traps: usize,
    /// The mean area.
    pub(crate) mean: f64,
    /// The least.
    pub(crate) least: f64,
    /// On how many traps the area is greater than with continuations of one ply
    /// and of two.
    pub(crate) better: usize,
}

impl Summary {
    /// One summary a method, in the order the methods first occur.
    pub(crate) fn of(rows: &[Row]) -> Vec<Summary> {
        Method::ALL
            .iter()
            .filter_map(|&method| Summary::of_method(rows, method))
            .collect()
    }

    fn of_method(rows: &[Row], method: Method) -> Option<Summary> {
        let own: Vec<&Row> = rows.iter().filter(|it| it.method == method).collect();
        let areas = own.iter().map(|it| it.area);
        let is_better = |row: &&&Row| {
            let plain = rows.iter().filter(|it| {
                it.trap == row.trap
                    && matches!(it.method, Method::Continuations1 | Method::Continuations2)
            });
            plain.map(|it| it.area).all(|it| row.area > it)
        };
        (!own.is_empty()).then(|| Summary {
            method,
            traps: own.len(),
            mean: areas.clone().sum::<f64>() / own.len() as f64,
            least: areas.fold(f64::INFINITY, f64::min),
            better: own.iter().filter(is_better).count(),
        })
    }
}
