//! A measure over a grid of k1 and b, and by the number of pieces in the query: the
//! paper's figures 9 and 10.

use serde::Serialize;

use crate::bootstrap::Estimate;
use crate::plot::{Line, Lines};

/// The measure at one point of the grid.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Cell {
    /// Term-frequency saturation (BM25).
    pub(crate) k1: f64,
    /// Length normalization (BM25).
    pub(crate) b: f64,
    /// The mean over queries.
    pub(crate) value: Estimate,
}

/// The cell with the greatest mean; the first of equals.
pub(crate) fn best(cells: &[Cell]) -> Option<&Cell> {
    let better = |one: &&Cell, two: &&Cell| one.value.mean.total_cmp(&two.value.mean);
    cells.iter().rev().max_by(better)
}

/// Lines of equal b over k1.
pub(crate) fn figure(cells: &[Cell], measure: &str) -> Lines {
    let mut lines: Vec<Line> = Vec::new();
    for cell in cells {
        let name = format!("b = {}", cell.b);
        let point = (cell.k1, cell.value.mean);
        match lines.iter_mut().find(|it| it.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Line {
                name,
                points: vec![point],
            }),
        }
    }
    Lines {
        title: format!("{measure} by k1 and b"),
        x: "k1".to_owned(),
        y: measure.to_owned(),
        lines,
    }
}

/// The measure over queries with about the same number of pieces.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Group {
    /// The fewest pieces.
    pub(crate) from: usize,
    /// The most.
    pub(crate) to: usize,
    /// The number of queries.
    pub(crate) queries: usize,
    /// The mean over them.
    pub(crate) value: Estimate,
}

/// How many numbers of pieces make a group.
const WIDTH: usize = 4;

/// Groups values by the number of pieces of their queries; skips empty groups.
pub(crate) fn by_pieces(pieces: &[usize], values: &[f64], seed: u64) -> Vec<Group> {
    let group = |from: usize| {
        let to = from + WIDTH - 1;
        let pairs = pieces.iter().zip(values);
        let within = pairs.filter(|it| (from..=to).contains(it.0));
        let within: Vec<f64> = within.map(|it| *it.1).collect();
        Group {
            from,
            to,
            queries: within.len(),
            value: Estimate::of(&within, seed),
        }
    };
    let groups = (1..=32).step_by(WIDTH).map(group);
    groups.filter(|it| it.queries > 0).collect()
}

/// Lines over the number of pieces, one a measure.
pub(crate) fn figure_by_pieces(measures: &[(String, Vec<Group>)]) -> Lines {
    let middle = |it: &Group| (it.from + it.to) as f64 / 2.0;
    let line = |(name, groups): &(String, Vec<Group>)| Line {
        name: name.clone(),
        points: groups
            .iter()
            .map(|it| (middle(it), it.value.mean))
            .collect(),
    };
    Lines {
        title: "Quality by the number of pieces in the query".to_owned(),
        x: "pieces".to_owned(),
        y: "mean".to_owned(),
        lines: measures.iter().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(k1: f64, b: f64, mean: f64) -> Cell {
        let value = Estimate {
            mean,
            ..Estimate::default()
        };
        Cell { k1, b, value }
    }

    #[test]
    fn the_first_of_the_best_wins_and_lines_are_of_equal_b() {
        let cells = [
            cell(1.0, 0.5, 0.2),
            cell(1.0, 0.7, 0.4),
            cell(2.0, 0.5, 0.4),
            cell(2.0, 0.7, 0.3),
        ];
        let best = best(&cells).unwrap();
        assert_eq!((best.k1, best.b), (1.0, 0.7));
        let figure = figure(&cells, "nDCG");
        assert_eq!(figure.lines.len(), 2);
        assert_eq!(figure.lines[1].points, [(1.0, 0.4), (2.0, 0.3)]);
    }

    #[test]
    fn queries_are_grouped_by_their_pieces() {
        let groups = by_pieces(&[4, 5, 8, 32], &[0.5, 0.2, 0.4, 1.0], 1);
        let ranges: Vec<_> = groups
            .iter()
            .map(|it| (it.from, it.to, it.queries))
            .collect();
        assert_eq!(ranges, [(1, 4, 1), (5, 8, 2), (29, 32, 1)]);
        assert!((groups[1].value.mean - 0.3).abs() < 1e-12);
    }
}
