//! Tree edit: how many moves to insert, delete or rename to turn one tree of
//! lines into the other.
//!
//! Two forms. [`OrderedEdit`] keeps siblings in the byte order of their labels and
//! computes the edit distance of ordered trees (Zhang and Shasha, SIAM J. Comput.
//! 18, 1989). [`UnorderedEdit`] lets siblings be matched freely, subtree with
//! subtree from the root down, at least cost; unrestricted edits of unordered
//! trees are NP-hard. The paper describes the first and its example computes the
//! second.

use super::Measure;
use crate::assignment::{Costs, assign};
use crate::{Game, Label, Tree};

/// Tree edit similarity over ordered siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedEdit {
    depth: usize,
}

/// Tree edit similarity with siblings matched at least cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnorderedEdit {
    depth: usize,
}

impl OrderedEdit {
    /// The measure over trees of `depth` plies; at least one.
    pub fn new(depth: usize) -> OrderedEdit {
        OrderedEdit {
            depth: depth.max(1),
        }
    }

    /// The least number of insertions, deletions and renamings that turn one
    /// ordered tree into the other.
    pub fn distance(a: &Tree, b: &Tree) -> usize {
        ZhangShasha::new(a, b).distance()
    }
}

impl UnorderedEdit {
    /// The measure over trees of `depth` plies; at least one.
    pub fn new(depth: usize) -> UnorderedEdit {
        UnorderedEdit {
            depth: depth.max(1),
        }
    }

    /// The least number of edits that turn one tree into the other when subtrees
    /// are matched from the root down.
    pub fn distance(a: &Tree, b: &Tree) -> usize {
        unordered_distance(a, a.root(), b, b.root())
    }
}

impl<G: Game> Measure<G> for OrderedEdit {
    type Profile = Tree;

    fn profile(&self, game: &G, position: &G::Position) -> Tree {
        Tree::grow(game, position, self.depth)
    }

    fn compare(&self, a: &Tree, b: &Tree) -> f64 {
        similarity(OrderedEdit::distance(a, b), a, b)
    }
}

impl<G: Game> Measure<G> for UnorderedEdit {
    type Profile = Tree;

    fn profile(&self, game: &G, position: &G::Position) -> Tree {
        Tree::grow(game, position, self.depth)
    }

    fn compare(&self, a: &Tree, b: &Tree) -> f64 {
        similarity(UnorderedEdit::distance(a, b), a, b)
    }
}

/// 1 − 2e / (|T₁| + |T₂| + e): one less a normalized distance that obeys the
/// triangle inequality if e does (Li and Zhang).
fn similarity(edits: usize, a: &Tree, b: &Tree) -> f64 {
    1.0 - 2.0 * edits as f64 / (a.len() + b.len() + edits).max(1) as f64
}

/// The tables of Zhang and Shasha's algorithm for one pair of trees.
struct ZhangShasha<'a> {
    a: &'a Tree,
    b: &'a Tree,
    /// Distances of pairs of subtrees, by their roots.
    trees: Vec<u32>,
    /// Distances of pairs of forests, filled again for each pair of key roots.
    forests: Vec<u32>,
}

impl<'a> ZhangShasha<'a> {
    fn new(a: &'a Tree, b: &'a Tree) -> ZhangShasha<'a> {
        let (rows, columns) = (a.root() + 1, b.root() + 1);
        ZhangShasha {
            a,
            b,
            trees: vec![0; rows * columns],
            forests: vec![0; (rows + 1) * (columns + 1)],
        }
    }

    /// Most key roots of a game tree are leaves, and the distance of a leaf to a tree
    /// needs no table of forests; the pairs that do are few.
    fn distance(mut self) -> usize {
        let (ours, theirs) = (key_roots(self.a), key_roots(self.b));
        let width = self.b.root() + 1;
        let is_leaf = |tree: &Tree, node: usize| tree.size(node) == 1;
        for &leaf in ours.iter().filter(|&&it| is_leaf(self.a, it)) {
            let row = &mut self.trees[leaf * width..][..width];
            for_each_leaf_distance(self.a.label(leaf), self.b, |node, distance| {
                row[node] = distance
            });
        }
        for &leaf in theirs.iter().filter(|&&it| is_leaf(self.b, it)) {
            let trees = &mut self.trees;
            for_each_leaf_distance(self.b.label(leaf), self.a, |node, distance| {
                trees[node * width + leaf] = distance;
            });
        }
        for &root in ours.iter().filter(|&&it| !is_leaf(self.a, it)) {
            for &other in theirs.iter().filter(|&&it| !is_leaf(self.b, it)) {
                self.fill(root, other);
            }
        }
        self.root_distance()
    }

    /// The distance of the whole trees, one of which may be a bare root.
    fn root_distance(&self) -> usize {
        if self.a.is_empty() || self.b.is_empty() {
            return self.a.len() + self.b.len();
        }
        self.trees.last().map_or(0, |&it| it as usize)
    }

    /// Computes the distances of all pairs of subtrees that begin with the first
    /// leaf below `root` and the first leaf below `other`.
    fn fill(&mut self, root: usize, other: usize) {
        let (first, second) = (self.a.first_of(root), self.b.first_of(other));
        let (rows, columns) = (self.a.size(root), self.b.size(other));
        let (width, trees_width) = (columns + 1, self.b.root() + 1);
        // Where each subtree of the second forest begins, counted from its start.
        let starts: Vec<usize> = (second..=other)
            .map(|it| self.b.first_of(it) - second)
            .collect();
        for column in 0..=columns {
            self.forests[column] = column as u32;
        }
        for row in 1..=rows {
            let node = first + row - 1;
            let (label, before) = (self.a.label(node), self.a.first_of(node) - first);
            let (above, current) = self.forests.split_at_mut(row * width);
            let current = &mut current[..width];
            let rest = &above[before * width..][..width];
            let above = &above[(row - 1) * width..][..width];
            let trees = &mut self.trees[node * trees_width + second..][..columns];
            let mut left = row as u32;
            current[0] = left;
            for (at, &start) in starts.iter().enumerate() {
                let edited = above[at + 1].min(left) + 1;
                left = if before == 0 && start == 0 {
                    // Both forests are single trees: their distance is a tree
                    // distance.
                    let renamed = u32::from(label != self.b.label(second + at));
                    trees[at] = edited.min(above[at] + renamed);
                    trees[at]
                } else {
                    edited.min(rest[start] + trees[at])
                };
                current[at + 1] = left;
            }
        }
    }
}

/// Hands over the distance of a leaf to every subtree: all its nodes but one are
/// inserted, and that one is renamed unless the subtree holds the label.
fn for_each_leaf_distance(label: Label, tree: &Tree, mut visit: impl FnMut(usize, u32)) {
    let mut last = None;
    for node in 0..=tree.root() {
        if tree.label(node) == label {
            last = Some(node);
        }
        let holds = last.is_some_and(|it| it >= tree.first_of(node));
        visit(node, (tree.size(node) - usize::from(holds)) as u32);
    }
}

/// The nodes whose subtree is not the first below its parent, and the root; in
/// ascending order.
fn key_roots(tree: &Tree) -> Vec<usize> {
    let mut roots = vec![tree.root()];
    for node in 0..=tree.root() {
        let mut children: Vec<usize> = tree.children_backwards(node).collect();
        children.pop();
        roots.extend(children);
    }
    roots.sort_unstable();
    roots
}

/// The least cost of turning the subtree of `node` into that of `other`, the two
/// roots being matched.
fn unordered_distance(a: &Tree, node: usize, b: &Tree, other: usize) -> usize {
    let renamed = usize::from(a.label(node) != b.label(other));
    let ours: Vec<usize> = a.children_backwards(node).collect();
    let theirs: Vec<usize> = b.children_backwards(other).collect();
    let all_leaves = a.size(node) == ours.len() + 1 && b.size(other) == theirs.len() + 1;
    if all_leaves {
        return renamed + ours.len().max(theirs.len()) - shared_leaves(a, &ours, b, &theirs);
    }
    // Matching two subtrees never costs more than deleting one and inserting the
    // other, so only the surplus of the larger side is deleted or inserted.
    let side = ours.len().max(theirs.len());
    let costs = Costs::from_fn(side, side, |row, column| {
        let cost = match (ours.get(row), theirs.get(column)) {
            (Some(&node), Some(&other)) => unordered_distance(a, node, b, other),
            (Some(&node), None) => a.size(node),
            (None, Some(&other)) => b.size(other),
            (None, None) => 0,
        };
        cost as f64
    });
    renamed + assign(&costs).cost as usize
}

/// How many labels two groups of siblings share, counted with repeats. Both are
/// in descending order of their labels.
fn shared_leaves(a: &Tree, ours: &[usize], b: &Tree, theirs: &[usize]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < ours.len() && j < theirs.len() {
        let (first, second) = (a.label(ours[i]), b.label(theirs[j]));
        shared += usize::from(first == second);
        i += usize::from(first >= second);
        j += usize::from(second >= first);
    }
    shared
}

#[cfg(test)]
mod tests;
