//! Continuations: which moves can occur soon, by either side and at any ply.

use super::Measure;
use crate::{Game, Label};

/// The share of labels that two positions have in common among all labels on the
/// first plies of any line: |M₁ ∩ M₂| / |M₁ ∪ M₂|.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuations {
    depth: usize,
}

impl Continuations {
    /// The measure over the labels on plies 1 to `depth`; at least one ply.
    pub fn new(depth: usize) -> Continuations {
        Continuations {
            depth: depth.max(1),
        }
    }
}

impl<G: Game> Measure<G> for Continuations {
    /// The labels, ascending, each once.
    type Profile = Vec<Label>;

    fn profile(&self, game: &G, position: &G::Position) -> Vec<Label> {
        let mut labels = Vec::new();
        collect(game, position, self.depth, &mut Vec::new(), &mut labels);
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    fn compare(&self, a: &Vec<Label>, b: &Vec<Label>) -> f64 {
        let shared = count_shared(a, b);
        shared as f64 / (a.len() + b.len() - shared) as f64
    }
}

/// Appends the labels on the next `depth` plies. `moves` is a stack shared by all
/// levels, so that a tree is walked with a few allocations only.
fn collect<G: Game>(
    game: &G,
    position: &G::Position,
    depth: usize,
    moves: &mut Vec<G::Move>,
    labels: &mut Vec<Label>,
) {
    let start = moves.len();
    game.legal_moves(position, moves);
    game.label_moves(position, &moves[start..], labels);
    if depth > 1 {
        for at in start..moves.len() {
            collect(
                game,
                &game.play(position, moves[at]),
                depth - 1,
                moves,
                labels,
            );
        }
    }
    moves.truncate(start);
}

/// How many labels two ascending lists without repeats share. Written without
/// branches on the comparison: neighbors in one list say little about the other.
fn count_shared(a: &[Label], b: &[Label]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (first, second) = (a[i], b[j]);
        shared += usize::from(first == second);
        i += usize::from(first <= second);
        j += usize::from(second <= first);
    }
    shared
}
