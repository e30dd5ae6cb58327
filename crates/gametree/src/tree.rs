//! The tree of all lines of play from a position, to a given depth.
//!
//! A node is a move; the root is the position itself. Nodes are kept in
//! postorder (children before parents, siblings in the byte order of their
//! labels), the order in which tree edit distances are computed. The tree keeps
//! labels only, not positions.

use crate::{Game, Label};

/// An ordered, labeled tree in postorder; the last node is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    labels: Vec<Label>,
    /// For each node the number of nodes in its subtree, itself included.
    sizes: Vec<u32>,
}

impl Tree {
    /// The tree of all lines from `position`, `depth` plies deep. Lines that end
    /// early give what they have.
    pub fn grow<G: Game>(game: &G, position: &G::Position, depth: usize) -> Tree {
        let mut tree = Tree {
            labels: Vec::new(),
            sizes: Vec::new(),
        };
        tree.grow_children(game, position, depth);
        tree.close(Label::default(), 0);
        tree
    }

    fn grow_children<G: Game>(&mut self, game: &G, position: &G::Position, depth: usize) {
        if depth == 0 {
            return;
        }
        let mut moves = game.labeled_moves(position);
        moves.sort_by_key(|&(_, label)| label);
        for (mv, label) in moves {
            let start = self.labels.len();
            if depth > 1 {
                self.grow_children(game, &game.play(position, mv), depth - 1);
            }
            self.close(label, start);
        }
    }

    /// Adds the parent of all parentless nodes from `start` on.
    fn close(&mut self, label: Label, start: usize) {
        self.labels.push(label);
        self.sizes.push((self.labels.len() - start) as u32);
    }

    /// The number of moves in the tree: its nodes without the root.
    pub fn len(&self) -> usize {
        self.labels.len() - 1
    }

    /// Whether the tree is a bare root.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of the root.
    pub(crate) fn root(&self) -> usize {
        self.labels.len() - 1
    }

    /// The label of a node.
    pub(crate) fn label(&self, node: usize) -> Label {
        self.labels[node]
    }

    /// The number of nodes in a node's subtree, itself included.
    pub(crate) fn size(&self, node: usize) -> usize {
        self.sizes[node] as usize
    }

    /// The first node, in postorder, of a node's subtree: its leftmost leaf.
    pub(crate) fn first_of(&self, node: usize) -> usize {
        node + 1 - self.size(node)
    }

    /// The children of a node, last one first.
    pub(crate) fn children_backwards(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.first_of(node);
        let mut end = node;
        std::iter::from_fn(move || {
            let child = (end > first).then(|| end - 1)?;
            end = self.first_of(child);
            Some(child)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::LabelTree;

    #[test]
    fn a_tree_is_grown_in_postorder_with_sorted_siblings() {
        let game = LabelTree::parse("b(d c) a").unwrap();
        let tree = Tree::grow(&game, &game.root(), 2);
        let names: Vec<String> = tree.labels.iter().map(Label::to_string).collect();
        assert_eq!(names, ["a", "c", "d", "b", ""]);
        assert_eq!(tree.sizes, [1, 1, 1, 3, 5]);
        assert_eq!(tree.len(), 4);
        assert_eq!(
            tree.children_backwards(tree.root()).collect::<Vec<_>>(),
            [3, 0]
        );
        assert_eq!(tree.children_backwards(3).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(Tree::grow(&game, &game.root(), 1).len(), 2);
    }
}
