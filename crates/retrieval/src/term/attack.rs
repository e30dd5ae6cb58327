//! Attack: a piece could be taken by an opponent's piece of some kind.

use super::{ATTACK, Control, DEFENSE, Pair, TermSet};

/// Adds the attack terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for plane in ATTACK..DEFENSE {
        terms.0[plane] |= control.relation(Pair::of(plane)).0;
    }
}
