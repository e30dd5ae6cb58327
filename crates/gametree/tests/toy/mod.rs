//! Small games on which the measures can be checked by hand.

mod label_tree;
mod nim;
mod tic_tac_toe;

pub(crate) use label_tree::LabelTree;
pub(crate) use nim::{Heaps, Nim};
pub(crate) use tic_tac_toe::{Marks, TicTacToe};
