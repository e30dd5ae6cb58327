//! Small games on which the measures can be checked by hand.

mod label_tree;
mod nim;
mod tic_tac_toe;

pub use label_tree::{LabelTree, Node, ParseLabelTreeError};
pub use nim::{Heaps, Nim};
pub use tic_tac_toe::{Marks, TicTacToe};
