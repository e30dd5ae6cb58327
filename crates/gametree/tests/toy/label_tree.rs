//! A game given by its tree, written out: the worked examples of the literature.

use std::fmt;

use crate::{Game, Label};

/// A game whose tree is written out, with rewards of 0 at the leaves.
///
/// `a(c d) b` is a root with the moves a and b, a being followed by c or d.
/// Labels are taken as they are: they do not name a mover unless written so.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelTree {
    /// The moves of each node, in the order written.
    children: Vec<Vec<(Label, Node)>>,
}

/// A node of a [`LabelTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(usize);

/// Why a text is not a label tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParseLabelTreeError(String);

impl fmt::Display for ParseLabelTreeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ParseLabelTreeError {}

impl LabelTree {
    /// Reads a tree such as `a(c d) b`.
    ///
    /// # Errors
    /// If parentheses do not match or a label is longer than eight bytes.
    pub(crate) fn parse(text: &str) -> Result<LabelTree, ParseLabelTreeError> {
        let mut game = LabelTree {
            children: vec![Vec::new()],
        };
        let mut path = vec![Node(0)];
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        for token in spaced.split_whitespace() {
            let here = *path.last().ok_or_else(|| unbalanced(text))?;
            match token {
                "(" => path.push(game.last_child(here).ok_or_else(|| unbalanced(text))?),
                ")" => drop(path.pop()),
                name => game.add(here, name)?,
            }
        }
        if path.len() == 1 {
            Ok(game)
        } else {
            Err(unbalanced(text))
        }
    }

    /// The node before any move.
    pub(crate) fn root(&self) -> Node {
        Node(0)
    }

    /// The node that a line leads to, if the tree has it.
    pub(crate) fn find(&self, line: &[&str]) -> Option<Node> {
        line.iter().try_fold(self.root(), |node, name| {
            let label = Label::new(name)?;
            let child = self.children[node.0].iter().find(|(it, _)| *it == label)?;
            Some(child.1)
        })
    }

    fn last_child(&self, node: Node) -> Option<Node> {
        self.children[node.0].last().map(|&(_, child)| child)
    }

    fn add(&mut self, parent: Node, name: &str) -> Result<(), ParseLabelTreeError> {
        let label = Label::new(name).ok_or_else(|| {
            ParseLabelTreeError(format!("label {name:?} is too long: use eight bytes"))
        })?;
        let child = Node(self.children.len());
        self.children.push(Vec::new());
        self.children[parent.0].push((label, child));
        Ok(())
    }
}

impl Game for LabelTree {
    type Position = Node;
    type Move = Node;

    fn legal_moves(&self, position: &Node, moves: &mut Vec<Node>) {
        moves.extend(self.children[position.0].iter().map(|&(_, child)| child));
    }

    fn label_moves(&self, position: &Node, _moves: &[Node], labels: &mut Vec<Label>) {
        labels.extend(self.children[position.0].iter().map(|&(label, _)| label));
    }

    fn play(&self, _position: &Node, mv: Node) -> Node {
        mv
    }

    fn reward(&self, _position: &Node) -> f64 {
        0.0
    }

    fn is_lost(&self, _position: &Node) -> bool {
        false
    }
}

fn unbalanced(text: &str) -> ParseLabelTreeError {
    ParseLabelTreeError(format!(
        "parentheses do not match in {text:?}: write them as in \"a(c d) b\""
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_is_not_one_is_refused() {
        for text in ["a(b", "a)b", "(a)", "a))b(", "muchtoolong"] {
            assert!(LabelTree::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_empty_tree_is_terminal() {
        let game = LabelTree::parse("").unwrap();
        assert!(game.is_terminal(&game.root()));
    }
}
