//! The sections of a segment by name.

/// Declares the parts with their numbers, first formats and names.
macro_rules! parts {
    ($($part:ident = $number:literal since $since:literal: $name:literal,)*) => {
        /// The parts of a volume.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Part {
            $($part = $number,)*
        }

        impl Part {
            pub(super) const ALL: &[Part] = &[$(Part::$part,)*];

            /// The first format that has it.
            pub(super) const fn since(self) -> u32 {
                match self {
                    $(Part::$part => $since,)*
                }
            }

            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Part::$part => $name,)*
                }
            }
        }
    };
}

parts! {
    Summary = 1 since 1: "summary",
    Games = 2 since 1: "games",
    Strings = 3 since 1: "names",
    Moves = 4 since 1: "moves",
    Others = 5 since 1: "other tags",
    Digests = 6 since 1: "digests",
    Lengths = 7 since 1: "lengths",
    Boards = 8 since 1: "boards",
    Shortest = 9 since 1: "shortest lengths",
    Frequencies = 10 since 1: "frequencies",
    Directory = 11 since 1: "directory",
    Postings = 12 since 1: "postings",
    ExactIndex = 13 since 1: "index of exact positions",
    Exact = 14 since 1: "exact positions",
    Actions = 15 since 2: "actions",
    Cases = 16 since 2: "cases",
    PlaceDirectory = 17 since 3: "directory of places",
    Places = 18 since 3: "places",
    Annotated = 19 since 3: "list of annotated games",
    Annotations = 20 since 3: "annotations",
    Parents = 21 since 3: "games of variations",
    Exhibits = 22 since 3: "exhibits",
    Lexicon = 23 since 3: "lexicon of motifs",
    Motifs = 24 since 3: "motifs",
}

impl Part {
    /// Whether a segment that has nothing of it does without.
    const fn is_optional(self) -> bool {
        matches!(self, Part::Exhibits | Part::Lexicon | Part::Motifs)
    }
}

/// A volume: lines of play with the index over their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Volume {
    /// The games.
    Games,
    /// The variations in them. A segment without variations does not have it.
    Variations,
}

impl Volume {
    /// The number of a part's section in the file.
    pub(super) const fn kind(self, part: Part) -> u32 {
        match self {
            Volume::Games => part as u32,
            Volume::Variations => part as u32 + 32,
        }
    }

    /// The parts of the volume in a format.
    pub(super) fn parts(self, version: u32) -> impl Iterator<Item = Part> {
        let parts = Part::ALL.iter().copied();
        parts.filter(move |&it| it.since() <= version && self.has(it) && !it.is_optional())
    }

    pub(super) const fn has(self, part: Part) -> bool {
        match self {
            Volume::Games => !matches!(part, Part::Parents),
            Volume::Variations => !matches!(
                part,
                Part::Others
                    | Part::Digests
                    | Part::Frequencies
                    | Part::Actions
                    | Part::Cases
                    | Part::Annotated
                    | Part::Annotations
                    | Part::Exhibits
                    | Part::Lexicon
                    | Part::Motifs
            ),
        }
    }
}

/// The name of a section by its number; `None` if no part has it.
pub(super) fn name_of(kind: u32) -> Option<&'static str> {
    let is_variations = Part::ALL
        .iter()
        .any(|&it| Volume::Variations.kind(it) == kind);
    if is_variations {
        return Some("variations");
    }
    let part = Part::ALL.iter().find(|it| **it as u32 == kind);
    part.map(|it| it.name())
}
