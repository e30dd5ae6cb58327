//! The words of the language, and the nearest one to a word that is not.

use crate::syntax::{Direction, Transform};

/// Words that begin a number.
const NUMBERS: [&str; 8] = [
    "power",
    "rank",
    "file",
    "ply",
    "movenumber",
    "year",
    "elo",
    "abs",
];

/// Words that begin a filter, apart from directions, transforms and numbers.
const FILTERS: [&str; 36] = [
    "wtm",
    "btm",
    "check",
    "mate",
    "stalemate",
    "initial",
    "terminal",
    "true",
    "false",
    "castle",
    "currentposition",
    "passedpawns",
    "isolatedpawns",
    "doubledpawns",
    "connectedpawns",
    "player",
    "eco",
    "event",
    "site",
    "date",
    "result",
    "ray",
    "xray",
    "between",
    "pin",
    "square",
    "piece",
    "move",
    "previous",
    "legal",
    "countmoves",
    "line",
    "path",
    "find",
    "sort",
    "comment",
];

/// Words that stand within a filter.
const INNER: [&str; 30] = [
    "and",
    "or",
    "not",
    "attacks",
    "attackedby",
    "light",
    "dark",
    "white",
    "black",
    "in",
    "all",
    "from",
    "to",
    "through",
    "capture",
    "promote",
    "enpassant",
    "focus",
    "nestban",
    "firstmatch",
    "lastposition",
    "singlecolor",
    "attack",
    "min",
    "parent",
    "child",
    "initialposition",
    "power",
    "rank",
    "file",
];

pub(crate) fn is_number(word: &str) -> bool {
    NUMBERS.contains(&word)
}

/// Whether a word cannot be the name of a variable.
pub(crate) fn is_reserved(word: &str) -> bool {
    all().any(|it| it == word)
}

fn all() -> impl Iterator<Item = &'static str> {
    let directions = Direction::NAMES.iter().map(|it| it.0);
    let transforms = Transform::NAMES.iter().map(|it| it.0);
    let plain = NUMBERS.iter().chain(&FILTERS).chain(&INNER).copied();
    plain.chain(directions).chain(transforms)
}

/// The nearest word of the language, or of these names, if it is near.
pub(crate) fn suggestion<'a>(
    word: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let known = names.into_iter().chain(all().map(|it| -> &'a str { it }));
    let near = known.map(|it| (distance(&lower, it), it));
    let (distance, nearest) = near.min()?;
    (distance <= 1 + word.len() / 5).then_some(nearest)
}

/// How many letters have to be added, dropped, changed or exchanged with their neighbor.
fn distance(one: &str, two: &str) -> usize {
    let (one, two): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    let mut rows = vec![vec![0; two.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=two.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(one[i - 1] != two[j - 1]);
                let swapped =
                    i > 1 && j > 1 && one[i - 1] == two[j - 2] && one[i - 2] == two[j - 1];
                let swapped = if swapped {
                    rows[i - 2][j - 2] + 1
                } else {
                    usize::MAX
                };
                changed
                    .min(rows[i - 1][j] + 1)
                    .min(rows[i][j - 1] + 1)
                    .min(swapped)
            };
        }
    }
    rows[one.len()][two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested() {
        assert_eq!(suggestion("flipcolour", []), Some("flipcolor"));
        assert_eq!(suggestion("attcks", []), Some("attacks"));
        assert_eq!(suggestion("forkr", ["forker"]), Some("forker"));
        assert_eq!(suggestion("zzz", []), None);
    }
}
