//! Where each weight of the tuned evaluation sits.
//!
//! All weights live in one row of numbers, so that the tuner can treat them
//! alike; a group of weights is a range of that row.

/// Lays groups of weights out one after the other.
macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident: $size:expr;)*) => {
        groups!(@place 0; $($(#[$doc])* $name: $size;)*);
        /// Every group's name, first weight and number of weights.
        pub const GROUPS: &[(&str, usize, usize)] = &[$((stringify!($name), $name, $size)),*];
    };
    (@place $at:expr; $(#[$doc:meta])* $name:ident: $size:expr; $($rest:tt)*) => {
        $(#[$doc])*
        pub(super) const $name: usize = $at;
        groups!(@place $name + $size; $($rest)*);
    };
    (@place $at:expr;) => {
        /// How many weights there are.
        pub const WEIGHTS: usize = $at;
    };
}

groups! {
    /// One a role, pawn to queen.
    MATERIAL: 5;
    /// Six tables of 64, from White's side.
    PLACES: 6 * 64;
    /// By number of safe squares.
    KNIGHT_MOBILITY: 9;
    BISHOP_MOBILITY: 14;
    ROOK_MOBILITY: 15;
    QUEEN_MOBILITY: 28;
    BISHOP_PAIR: 1;
    /// Own pawns on the squares of the bishop's color.
    BISHOP_PAWNS: 1;
    /// Held by a pawn and out of reach of enemy pawns: knight, bishop.
    OUTPOST: 2;
    /// Knight, bishop with a pawn in front.
    SHIELDED: 2;
    /// Rook on a file without own pawns, without any pawns.
    ROOK_FILE: 2;
    ROOK_SEVENTH: 1;
    DOUBLED: 1;
    /// On a file with and without an enemy pawn in front.
    ISOLATED: 2;
    BACKWARD: 2;
    /// By rank.
    PHALANX: 8;
    SUPPORTED: 8;
    PASSED: 8;
    /// The square in front is taken by an enemy piece.
    PASSED_BLOCKED: 8;
    /// The square in front is empty and not attacked.
    PASSED_FREE: 8;
    /// By distance of the king from the square in front, passers past the middle.
    PASSED_OWN_KING: 8;
    PASSED_ENEMY_KING: 8;
    /// The enemy has only the king, and it comes too late.
    PASSED_RUNS: 1;
    /// Rook behind an own passer, behind an enemy's.
    PASSED_ROOK: 2;
    /// By rank of the nearest own pawn on the king's file and beside it.
    SHELTER: 16;
    /// By rank of the nearest enemy pawn there.
    STORM: 16;
    /// By units of danger.
    DANGER: 48;
    /// Safe checks by knight, bishop, rook, queen.
    SAFE_CHECK: 4;
    /// What a pawn, a minor piece, a rook attacks, by role.
    PAWN_THREAT: 6;
    MINOR_THREAT: 6;
    ROOK_THREAT: 6;
    /// Attacked and not defended, by role.
    HANGING: 6;
    KING_THREAT: 1;
    /// Enemy pieces that a safe pawn push would attack.
    PUSH_THREAT: 1;
    /// Safe central squares behind the pawns.
    SPACE: 1;
    TEMPO: 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_lie_end_to_end() {
        let mut next = 0;
        for &(name, first, size) in GROUPS {
            assert_eq!(first, next, "{name}");
            next += size;
        }
        assert_eq!(next, WEIGHTS);
    }
}
