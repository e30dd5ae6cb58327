//! The themes that name a motif, and sets of them.

/// Themes of what happens on the board, without those of phase (endgame),
/// of length (short, mateIn2), of rating and origin (master) and of the outcome
/// (advantage, crushing, equality).
pub(crate) const MOTIFS: [&str; 48] = [
    "advancedPawn",
    "anastasiaMate",
    "arabianMate",
    "attackingF2F7",
    "attraction",
    "backRankMate",
    "balestraMate",
    "blindSwineMate",
    "bodenMate",
    "capturingDefender",
    "castling",
    "clearance",
    "collinearMove",
    "cornerMate",
    "defensiveMove",
    "deflection",
    "discoveredAttack",
    "discoveredCheck",
    "doubleBishopMate",
    "doubleCheck",
    "dovetailMate",
    "enPassant",
    "epauletteMate",
    "exposedKing",
    "fork",
    "hangingPiece",
    "hookMate",
    "interference",
    "intermezzo",
    "killBoxMate",
    "kingsideAttack",
    "mate",
    "morphysMate",
    "operaMate",
    "pillsburysMate",
    "pin",
    "promotion",
    "queensideAttack",
    "quietMove",
    "sacrifice",
    "skewer",
    "smotheredMate",
    "swallowstailMate",
    "trappedPiece",
    "triangleMate",
    "underPromotion",
    "xRayAttack",
    "zugzwang",
];

/// A set of motifs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Motifs(u64);

impl Motifs {
    /// The motifs among some themes.
    pub(crate) fn of(themes: &[String]) -> Motifs {
        let at = |theme: &String| MOTIFS.binary_search(&theme.as_str()).ok();
        Motifs(
            themes
                .iter()
                .filter_map(at)
                .fold(0, |set, it| set | 1 << it),
        )
    }

    /// What both sets hold.
    pub(crate) fn shared(self, other: Motifs) -> Motifs {
        Motifs(self.0 & other.0)
    }

    /// How many motifs there are.
    pub(crate) fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set holds the motif with this number in [`MOTIFS`].
    pub(crate) fn contains(self, motif: usize) -> bool {
        self.0 >> motif & 1 == 1
    }

    /// The motifs by their numbers in [`MOTIFS`].
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..MOTIFS.len()).filter(move |&it| self.contains(it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motifs_are_found_by_name_and_others_are_not() {
        assert!(MOTIFS.is_sorted());
        let of = |text: &str| Motifs::of(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let set = of("short fork endgame zugzwang crushing");
        let names: Vec<_> = set.iter().map(|it| MOTIFS[it]).collect();
        assert_eq!(names, ["fork", "zugzwang"]);
        assert_eq!(set.shared(of("fork pin")), of("fork"));
        assert!(of("short mateIn2").is_empty());
    }
}
