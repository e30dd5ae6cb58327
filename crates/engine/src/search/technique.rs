//! The techniques of the strong search, each of which can be left out.
//!
//! Leaving one out is how its worth is measured: `docs/engine.md` has the table.

use std::str::FromStr;

macro_rules! techniques {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// One way in which the strong search differs from plain alpha-beta.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Technique {
            $($(#[$doc])* $name,)*
        }

        impl Technique {
            /// All of them.
            pub const ALL: &[Technique] = &[$(Technique::$name),*];

            /// Its name in options.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Technique::$name => $text,)*
                }
            }
        }
    };
}

techniques! {
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

impl FromStr for Technique {
    type Err = UnknownTechnique;

    fn from_str(name: &str) -> Result<Technique, UnknownTechnique> {
        Technique::ALL
            .iter()
            .copied()
            .find(|it| it.name() == name)
            .ok_or(UnknownTechnique)
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

/// No technique has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown technique; choose among {}", Technique::ALL.iter().map(|it| it.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownTechnique;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_all_but_what_was_left_out() {
        for &technique in Technique::ALL {
            assert_eq!(technique.name().parse(), Ok(technique));
            let rest = Techniques::ALL.without(technique);
            for &it in Technique::ALL {
                assert!(Techniques::ALL.has(it) && rest.has(it) == (it != technique));
            }
        }
        assert_eq!("luck".parse::<Technique>(), Err(UnknownTechnique));
    }
}
