//! Attack: a piece could be taken by an opponent's piece of some kind.

use shakmaty::Role;

use super::{Control, Family, TermSet, kind, piece_of, relation_plane};

/// Adds the attack terms of a board.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for actor in (0..12).map(piece_of) {
        let attacked = control.attacks[kind(actor)];
        for role in Role::ALL {
            let targets = attacked & control.pieces_of(role.of(!actor.color));
            terms.0[relation_plane(Family::Attack, actor, role)] |= targets.0;
        }
    }
}
