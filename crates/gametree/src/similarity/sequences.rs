//! Sequences: which lines of play can occur, transpositions counted as one.

use std::cmp::Ordering;

use super::Measure;
use crate::{Game, Label};

/// The share of lines, counted with multiplicity, whose moves occur in both
/// positions in some order: Σ (k₁ + k₂) over shared lines / (Σ k₁ + Σ k₂).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequences {
    depth: usize,
}

/// The simplified lines of a position: each the sorted labels of its moves, the
/// lines in ascending order, with repeats.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    depth: usize,
    labels: Vec<Label>,
}

impl Sequences {
    /// The measure over lines of exactly `depth` plies; at least one.
    pub fn new(depth: usize) -> Sequences {
        Sequences {
            depth: depth.max(1),
        }
    }
}

impl Lines {
    fn iter(&self) -> impl Iterator<Item = &[Label]> {
        self.labels.chunks_exact(self.depth)
    }

    fn len(&self) -> usize {
        self.labels.len() / self.depth
    }
}

impl<G: Game> Measure<G> for Sequences {
    type Profile = Lines;

    fn profile(&self, game: &G, position: &G::Position) -> Lines {
        let mut found = Lines {
            depth: self.depth,
            labels: Vec::new(),
        };
        collect(
            game,
            position,
            self.depth,
            &mut Vec::new(),
            &mut found.labels,
        );
        let mut lines: Vec<&[Label]> = found.iter().collect();
        lines.sort_unstable();
        Lines {
            depth: self.depth,
            labels: lines.concat(),
        }
    }

    /// Two positions without a line that long are alike in that; else such a
    /// position shares nothing.
    fn compare(&self, a: &Lines, b: &Lines) -> f64 {
        let all = a.len() + b.len();
        if all == 0 {
            return 1.0;
        }
        count_shared(a, b) as f64 / all as f64
    }
}

/// Appends the sorted labels of every line that goes on for `depth` more plies
/// after the moves in `line`.
fn collect<G: Game>(
    game: &G,
    position: &G::Position,
    depth: usize,
    line: &mut Vec<Label>,
    lines: &mut Vec<Label>,
) {
    for (mv, label) in game.labeled_moves(position) {
        line.push(label);
        if depth > 1 {
            collect(game, &game.play(position, mv), depth - 1, line, lines);
        } else {
            let start = lines.len();
            lines.extend_from_slice(line);
            lines[start..].sort_unstable();
        }
        line.pop();
    }
}

/// The number of lines, on both sides together, that also occur on the other.
fn count_shared(a: &Lines, b: &Lines) -> usize {
    let (mut ours, mut theirs) = (a.iter().peekable(), b.iter().peekable());
    let mut shared = 0;
    while let (Some(&first), Some(&second)) = (ours.peek(), theirs.peek()) {
        match first.cmp(second) {
            Ordering::Less => drop(ours.next()),
            Ordering::Greater => drop(theirs.next()),
            Ordering::Equal => {
                while ours.next_if_eq(&first).is_some() {
                    shared += 1;
                }
                while theirs.next_if_eq(&first).is_some() {
                    shared += 1;
                }
            }
        }
    }
    shared
}
