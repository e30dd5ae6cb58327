//! Ray: a bishop, rook or queen would attack an opponent's piece if one or
//! more pieces of either color did not stand between (an x-ray).

use shakmaty::Role;

use super::{Control, Family, TermSet, relation_plane, slider_of};

/// Adds the ray terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for (index, behind) in control.behind.into_iter().enumerate() {
        let actor = slider_of(index);
        for role in Role::ALL {
            let targets = behind & control.pieces_of(role.of(!actor.color));
            terms.0[relation_plane(Family::Ray, actor, role)] |= targets.0;
        }
    }
}
