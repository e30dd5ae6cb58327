//! The techniques of the strong search, each of which can be left out.
//!
//! Leaving one out is how its worth is measured: `docs/engine.md` has the table.

tabiya_chess::named! {
    /// One way in which the strong search differs from plain alpha-beta.
    pub enum Technique: "technique" {
        /// Remember positions.
        Table = "table",
        /// Begin with a narrow window around the last score.
        Aspiration = "aspiration",
        /// Search all but the first move with an empty window.
        PrincipalVariation = "principal-variation",
        /// Follow captures until the position is quiet.
        Quiescence = "quiescence",
        /// Try moves that refuted neighbors first.
        Killers = "killers",
        /// Order quiet moves by what they did elsewhere.
        History = "history",
        /// A side that stands far too well needs no search.
        ReverseFutility = "reverse-futility",
        /// A side that stands far too badly needs only captures.
        Razoring = "razoring",
        /// Pass, and if that is still good enough, stop.
        NullMove = "null-move",
        /// A capture that refutes with a margin at low depth will do so at full depth.
        ProbCut = "probcut",
        /// Without a move from the table, search a little less deep.
        InternalReduction = "internal-reduction",
        /// Late quiet moves at low depth are left out.
        LateMovePruning = "late-move-pruning",
        /// Quiet moves that cannot reach the window are left out.
        Futility = "futility",
        /// Moves that lose material are left out at low depth.
        ExchangePruning = "exchange-pruning",
        /// Late moves are first searched less deep.
        LateMoveReduction = "late-move-reduction",
        /// A move far better than all others costs nothing.
        Singular = "singular",
        /// Correct the evaluation by what searches of the same pawns found.
        Correction = "correction",
    }
}

/// A set of techniques.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques(u32);

impl Techniques {
    /// Every technique: the strong form.
    pub const ALL: Techniques = Techniques((1 << Technique::ALL.len()) - 1);

    /// Is it in use?
    pub const fn has(self, technique: Technique) -> bool {
        self.0 >> technique as u32 & 1 == 1
    }

    /// The set with one less.
    pub const fn without(self, technique: Technique) -> Techniques {
        Techniques(self.0 & !(1 << technique as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_all_but_what_was_left_out() {
        for technique in Technique::ALL {
            assert_eq!(technique.name().parse(), Ok(technique));
            let rest = Techniques::ALL.without(technique);
            for it in Technique::ALL {
                assert!(Techniques::ALL.has(it) && rest.has(it) == (it != technique));
            }
        }
        assert!("luck".parse::<Technique>().is_err());
    }
}
