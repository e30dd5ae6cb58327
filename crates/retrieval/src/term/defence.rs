//! Defence: a piece is guarded by a piece of its own side.

use shakmaty::Role;

use super::{Control, Family, TermSet, kind, piece_of, relation_plane};

/// Adds the defence terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for actor in (0..12).map(piece_of) {
        let guarded = control.attacks[kind(actor)];
        for role in Role::ALL {
            let targets = guarded & control.pieces_of(role.of(actor.color));
            terms.0[relation_plane(Family::Defence, actor, role)] |= targets.0;
        }
    }
}
