//! Pairing the members of two groups at least total cost.
//!
//! Two ways to the same answer. [`assign`] takes any costs (the Hungarian method,
//! cubic). [`match_sorted`] takes two sorted lists of numbers whose costs are
//! absolute differences; then some best matching keeps the order, and a small
//! dynamic program finds it. Each is the other's test.

/// A table of costs, rows by columns.
#[derive(Clone, Debug)]
pub struct Costs {
    columns: usize,
    cells: Vec<f64>,
}

impl Costs {
    /// The table whose cells are `cost(row, column)`.
    pub fn from_fn(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Costs {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Costs {
            columns,
            cells: cells.map(|(row, column)| cost(row, column)).collect(),
        }
    }

    fn rows(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.columns + column]
    }

    fn transposed(&self) -> Costs {
        Costs::from_fn(self.columns, self.rows(), |row, column| {
            self.at(column, row)
        })
    }
}

/// Pairs `(row, column)` in ascending order of rows and what they cost together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matching {
    /// The pairs; every member of the smaller side is in exactly one.
    pub pairs: Vec<(usize, usize)>,
    /// The sum of the pairs' costs.
    pub cost: f64,
}

/// The cheapest way to pair every member of the smaller side with a member of the
/// larger one (Hungarian method with potentials, O(n²m)).
///
/// ```
/// use tabiya_gametree::assignment::{assign, Costs};
///
/// let costs = Costs::from_fn(2, 3, |row, column| [[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]][row][column]);
/// let matching = assign(&costs);
/// assert_eq!(matching.pairs, [(0, 1), (1, 0)]);
/// assert_eq!(matching.cost, 3.0);
/// ```
pub fn assign(costs: &Costs) -> Matching {
    if costs.rows() > costs.columns {
        let mut matching = assign(&costs.transposed());
        for pair in &mut matching.pairs {
            *pair = (pair.1, pair.0);
        }
        matching.pairs.sort_unstable();
        return matching;
    }
    let mut hungarian = Hungarian::new(costs.rows(), costs.columns);
    for row in 1..=costs.rows() {
        hungarian.add_row(costs, row);
    }
    let mut pairs: Vec<_> = (1..=costs.columns)
        .filter(|&column| hungarian.row_of[column] != 0)
        .map(|column| (hungarian.row_of[column] - 1, column - 1))
        .collect();
    pairs.sort_unstable();
    let cost = pairs
        .iter()
        .map(|&(row, column)| costs.at(row, column))
        .sum();
    Matching { pairs, cost }
}

/// The state of the Hungarian method. Rows and columns count from one; zero is
/// the free end at which an alternating path starts.
struct Hungarian {
    row_potential: Vec<f64>,
    column_potential: Vec<f64>,
    /// The row matched to each column, zero if none.
    row_of: Vec<usize>,
}

impl Hungarian {
    fn new(rows: usize, columns: usize) -> Hungarian {
        Hungarian {
            row_potential: vec![0.0; rows + 1],
            column_potential: vec![0.0; columns + 1],
            row_of: vec![0; columns + 1],
        }
    }

    /// Matches one more row along a cheapest alternating path (Dijkstra on
    /// reduced costs, which the potentials keep non-negative).
    fn add_row(&mut self, costs: &Costs, row: usize) {
        let columns = self.row_of.len() - 1;
        let mut slack = vec![f64::INFINITY; columns + 1];
        let mut previous = vec![0; columns + 1];
        let mut reached = vec![false; columns + 1];
        self.row_of[0] = row;
        let mut column = 0;
        while self.row_of[column] != 0 {
            reached[column] = true;
            let from = self.row_of[column];
            let (mut least, mut nearest) = (f64::INFINITY, 0);
            for to in (1..=columns).filter(|&it| !reached[it]) {
                let reduced = costs.at(from - 1, to - 1)
                    - self.row_potential[from]
                    - self.column_potential[to];
                if reduced < slack[to] {
                    slack[to] = reduced;
                    previous[to] = column;
                }
                if slack[to] < least {
                    (least, nearest) = (slack[to], to);
                }
            }
            for to in 0..=columns {
                if reached[to] {
                    self.row_potential[self.row_of[to]] += least;
                    self.column_potential[to] -= least;
                } else {
                    slack[to] -= least;
                }
            }
            column = nearest;
        }
        while column != 0 {
            self.row_of[column] = self.row_of[previous[column]];
            column = previous[column];
        }
    }
}

/// The cheapest matching of two ascending lists under absolute difference, as
/// [`assign`] would find it, but in O(n·(m − n + 1)).
pub fn match_sorted(a: &[f64], b: &[f64]) -> Matching {
    debug_assert!(a.is_sorted() && b.is_sorted());
    if a.len() > b.len() {
        let mut matching = match_sorted(b, a);
        for pair in &mut matching.pairs {
            *pair = (pair.1, pair.0);
        }
        return matching;
    }
    let skips = b.len() - a.len();
    // `best[i][k]`: the first i of a matched within the first i + k of b.
    let mut best = vec![vec![0.0; skips + 1]];
    for i in 1..=a.len() {
        best.push(next_row(&best[i - 1], a[i - 1], &b[i - 1..]));
    }
    let mut pairs = Vec::with_capacity(a.len());
    let mut skip = skips;
    for i in (1..=a.len()).rev() {
        while skip > 0 && best[i][skip] == best[i][skip - 1] {
            skip -= 1;
        }
        pairs.push((i - 1, i - 1 + skip));
    }
    pairs.reverse();
    Matching {
        pairs,
        cost: best[a.len()][skips],
    }
}

/// The cost of [`match_sorted`] alone, which needs one row of the table.
pub fn sorted_cost(a: &[f64], b: &[f64]) -> f64 {
    debug_assert!(a.is_sorted() && b.is_sorted());
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut best = vec![0.0; b.len() - a.len() + 1];
    for (i, &value) in a.iter().enumerate() {
        let mut least = f64::INFINITY;
        for (cell, &other) in best.iter_mut().zip(&b[i..]) {
            least = least.min(*cell + (value - other).abs());
            *cell = least;
        }
    }
    best.last().copied().unwrap_or(0.0)
}

/// The mean difference of two ascending lists when both are spread over the same
/// length: the first tenth of one against the first tenth of the other, and so on.
///
/// It is the distance of the two as distributions (Wasserstein's), whatever their
/// numbers of members. An empty list is at distance 0 from another, 1 from the rest.
pub fn share_distance(a: &[f64], b: &[f64]) -> f64 {
    debug_assert!(a.is_sorted() && b.is_sorted());
    if a.is_empty() || b.is_empty() {
        return if a.len() == b.len() { 0.0 } else { 1.0 };
    }
    // The common length is |a|·|b| units: a member of a takes |b| of them.
    let (mut i, mut j, mut at, mut sum) = (0, 0, 0, 0.0);
    while i < a.len() && j < b.len() {
        let (end_a, end_b) = ((i + 1) * b.len(), (j + 1) * a.len());
        let end = end_a.min(end_b);
        sum += (end - at) as f64 * (a[i] - b[j]).abs();
        at = end;
        i += usize::from(end == end_a);
        j += usize::from(end == end_b);
    }
    sum / (a.len() * b.len()) as f64
}

fn next_row(above: &[f64], value: f64, b: &[f64]) -> Vec<f64> {
    let mut least = f64::INFINITY;
    let cells = above.iter().zip(b).map(|(cell, &other)| {
        least = least.min(cell + (value - other).abs());
        least
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tries every way to pair the rows.
    fn brute_force(costs: &Costs) -> f64 {
        fn place(costs: &Costs, row: usize, taken: &mut Vec<bool>) -> f64 {
            if row == costs.rows() {
                return 0.0;
            }
            let mut least = f64::INFINITY;
            for column in 0..costs.columns {
                if !taken[column] {
                    taken[column] = true;
                    least = least.min(costs.at(row, column) + place(costs, row + 1, taken));
                    taken[column] = false;
                }
            }
            least
        }
        if costs.rows() > costs.columns {
            return brute_force(&costs.transposed());
        }
        place(costs, 0, &mut vec![false; costs.columns])
    }

    fn is_a_matching(matching: &Matching, costs: &Costs) -> bool {
        let mut columns: Vec<_> = matching.pairs.iter().map(|it| it.1).collect();
        let mut rows: Vec<_> = matching.pairs.iter().map(|it| it.0).collect();
        columns.sort_unstable();
        columns.dedup();
        rows.dedup();
        let sum: f64 = matching
            .pairs
            .iter()
            .map(|&(row, column)| costs.at(row, column))
            .sum();
        let size = costs.rows().min(costs.columns);
        columns.len() == size && rows.len() == size && (sum - matching.cost).abs() < 1e-9
    }

    fn sorted(mut list: Vec<f64>) -> Vec<f64> {
        list.sort_by(f64::total_cmp);
        list
    }

    proptest! {
        #[test]
        fn assignment_is_as_cheap_as_the_best_of_all(
            rows in 0usize..6, columns in 0usize..6, cells in prop::collection::vec(0u32..20, 36),
        ) {
            let costs = Costs::from_fn(rows, columns, |row, column| f64::from(cells[row * 6 + column]));
            let matching = assign(&costs);
            prop_assert!(is_a_matching(&matching, &costs) || costs.rows() == 0);
            prop_assert_eq!(matching.cost, brute_force(&costs));
        }

        #[test]
        fn sorted_lists_are_matched_as_the_hungarian_method_does(
            a in prop::collection::vec(0u32..=64, 0..40), b in prop::collection::vec(0u32..=64, 0..40),
        ) {
            let fraction = |list: Vec<u32>| sorted(list.iter().map(|&it| f64::from(it) / 64.0).collect());
            let (a, b) = (fraction(a), fraction(b));
            let costs = Costs::from_fn(a.len(), b.len(), |i, j| (a[i] - b[j]).abs());
            let matching = match_sorted(&a, &b);
            prop_assert!((matching.cost - assign(&costs).cost).abs() < 1e-9);
            prop_assert!(is_a_matching(&matching, &costs) || costs.rows() == 0);
            prop_assert_eq!(sorted_cost(&a, &b), matching.cost);
        }
    }

    proptest! {
        /// Repeating every member |b| (|a|) times makes the lists equally long; then
        /// the best matching is member by member.
        #[test]
        fn share_distance_is_that_of_lists_made_equally_long(
            a in prop::collection::vec(0u32..=64, 1..12), b in prop::collection::vec(0u32..=64, 1..12),
        ) {
            let repeat = |list: &[u32], times: usize| -> Vec<f64> {
                sorted(list.iter().flat_map(|&it| vec![f64::from(it) / 64.0; times]).collect())
            };
            let (long_a, long_b) = (repeat(&a, b.len()), repeat(&b, a.len()));
            let expected = sorted_cost(&long_a, &long_b) / long_a.len() as f64;
            prop_assert!((share_distance(&repeat(&a, 1), &repeat(&b, 1)) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn an_empty_side_costs_nothing() {
        assert_eq!(
            assign(&Costs::from_fn(0, 3, |_, _| 1.0)),
            Matching::default()
        );
        assert_eq!(
            assign(&Costs::from_fn(3, 0, |_, _| 1.0)),
            Matching::default()
        );
        assert_eq!(match_sorted(&[], &[0.5]), Matching::default());
    }
}
