//! Which named patterns a single position has.

use std::sync::OnceLock;

use shakmaty::{Board, Chess, Color, Position};
use tabiya_chess::{CompactMove, Tags};

use crate::{Evaluator, Named, Names, Pattern, Scoresheet};

/// A position without a game.
struct Alone<'a>(&'a Chess);

impl Scoresheet for Alone<'_> {
    fn plies(&self) -> usize {
        0
    }

    fn mv(&self, _: usize) -> CompactMove {
        CompactMove::NULL
    }

    fn first_turn(&self) -> Color {
        self.0.turn()
    }

    fn board_before(&self, _: usize) -> (usize, Board) {
        (0, self.0.board().clone())
    }

    fn start(&self) -> Chess {
        self.0.clone()
    }

    fn tags(&self) -> Tags {
        Tags::default()
    }
}

/// The patterns of a list that a position has. Patterns of moves and sequences need a game, so they are not among
/// them.
pub fn structures_of<'n>(names: &'n Names, position: &Chess) -> impl Iterator<Item = &'n Named> {
    static BUILT_IN: OnceLock<Vec<Option<Pattern>>> = OnceLock::new();
    let compile = |names: &Names| -> Vec<Option<Pattern>> {
        let read = |it: &Named| Pattern::read(&it.query, names).ok();
        let still = |it: &Pattern| it.program().is_of_one_position();
        names.iter().map(|it| read(it).filter(still)).collect()
    };
    // The built-in patterns are compiled once.
    let is_built_in = std::ptr::eq(names, Names::built_in());
    let own;
    let patterns = match is_built_in {
        true => BUILT_IN.get_or_init(|| compile(names)),
        false => {
            own = compile(names);
            &own
        }
    };
    let sheet = Alone(position);
    let has = |pattern: &Option<Pattern>| {
        let pattern = pattern.as_ref();
        pattern.is_some_and(|it| {
            let matches = Evaluator::new(it.program()).matches(&sheet);
            matches.is_ok_and(|it| !it.plies.is_empty())
        })
    };
    let held: Vec<bool> = patterns.iter().map(has).collect();
    names.iter().zip(held).filter(|it| it.1).map(|it| it.0)
}
