//! The sections of a segment by name.

/// The sections of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Summary = 1,
    Games = 2,
    Strings = 3,
    Moves = 4,
    Others = 5,
    Digests = 6,
    Lengths = 7,
    Boards = 8,
    Shortest = 9,
    Frequencies = 10,
    Directory = 11,
    Postings = 12,
    ExactIndex = 13,
    Exact = 14,
    Actions = 15,
    Cases = 16,
    PlaceDirectory = 17,
    Places = 18,
}

impl Part {
    pub(super) const ALL: [Part; 18] = [
        Part::Summary,
        Part::Games,
        Part::Strings,
        Part::Moves,
        Part::Others,
        Part::Digests,
        Part::Lengths,
        Part::Boards,
        Part::Shortest,
        Part::Frequencies,
        Part::Directory,
        Part::Postings,
        Part::ExactIndex,
        Part::Exact,
        Part::Actions,
        Part::Cases,
        Part::PlaceDirectory,
        Part::Places,
    ];

    /// The first format that has it.
    pub(super) const fn since(self) -> u32 {
        match self {
            Part::Actions | Part::Cases => 2,
            Part::PlaceDirectory | Part::Places => 3,
            _ => 1,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Part::Summary => "summary",
            Part::Games => "games",
            Part::Strings => "names",
            Part::Moves => "moves",
            Part::Others => "other tags",
            Part::Digests => "digests",
            Part::Lengths => "lengths",
            Part::Boards => "boards",
            Part::Shortest => "shortest lengths",
            Part::Frequencies => "frequencies",
            Part::Directory => "directory",
            Part::Postings => "postings",
            Part::ExactIndex => "index of exact positions",
            Part::Exact => "exact positions",
            Part::Actions => "actions",
            Part::Cases => "cases",
            Part::PlaceDirectory => "directory of places",
            Part::Places => "places",
        }
    }
}
