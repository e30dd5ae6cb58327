//! Defence: a piece is guarded by a piece of its own side.

use super::{Control, DEFENCE, Pair, RAY, TermSet};

/// Adds the defence terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for plane in DEFENCE..RAY {
        terms.0[plane] |= control.relation(Pair::of(plane)).0;
    }
}
