//! Ray: a bishop, rook or queen would attack an opponent's piece if one or
//! more pieces of either color did not stand between (an x-ray).

use super::{Control, PLANES, Pair, RAY, TermSet};

/// Adds the ray terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for plane in RAY..PLANES {
        terms.0[plane] |= control.relation(Pair::of(plane)).0;
    }
}
