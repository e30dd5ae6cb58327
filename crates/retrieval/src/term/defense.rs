//! Defense: a piece is guarded by a piece of its own side.

use super::{Control, DEFENSE, Pair, RAY, TermSet};

/// Adds the defense terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for plane in DEFENSE..RAY {
        terms.0[plane] |= control.relation(Pair::of(plane)).0;
    }
}
