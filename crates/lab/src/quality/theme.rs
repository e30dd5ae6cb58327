//! Themes: do positions of a test suite find others of the same theme?

use rayon::prelude::*;
use shakmaty::Chess;

use super::{Ranking, Values, puzzles::order};
use crate::{epd::TestPosition, position_index::PositionIndex};

/// The share of the first ten hits that have the query's theme, for every `step`-th problem.
/// A problem's theme is its name without the number at the end.
pub(crate) fn themes(problems: &[TestPosition], rankings: &[Ranking], step: usize) -> Values {
    let positions: Vec<Chess> = problems.iter().map(|it| it.position.clone()).collect();
    let themes: Vec<&str> = problems.iter().map(|it| theme(&it.id)).collect();
    let index = PositionIndex::new(&positions);
    let share = |query: usize, ranking: Ranking| {
        let order = order(&index, &positions, query, ranking);
        let same = order
            .iter()
            .take(10)
            .filter(|&&it| themes[it] == themes[query]);
        same.count() as f64 / 10.0
    };
    let queries: Vec<usize> = (0..problems.len()).step_by(step.max(1)).collect();
    let found = queries.par_iter().map(|&query| {
        let shares = rankings.iter().map(|&it| share(query, it));
        shares.collect::<Vec<_>>()
    });
    Values::new("themes, P@10", found.collect::<Vec<_>>())
}

fn theme(id: &str) -> &str {
    id.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theme_is_a_name_without_its_number() {
        assert_eq!(
            theme("STS(v2.2) Open Files and Diagonals.017"),
            "STS(v2.2) Open Files and Diagonals"
        );
        assert_eq!(
            theme("STS(v1.0) Undermine.001"),
            theme("STS(v1.0) Undermine.100")
        );
    }
}
