//! Place: a piece stands on a square.

use super::{Control, TermSet};

/// Adds the place terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for (plane, pieces) in control.pieces.iter().enumerate() {
        terms.0[plane] |= pieces.0;
    }
}
