//! What came of an import: counts, and the games with problems.

/// What came of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Games added.
    pub games: u64,
    /// Positions indexed.
    pub positions: u64,
    /// Games left out: unreadable, or variants.
    pub skipped: u64,
    /// Of those, the variants.
    pub variants: u64,
    /// Games that the selection leaves out.
    pub left_out: u64,
    /// Games left out because they are there already.
    pub duplicates: u64,
    /// Games left out because they are marked as deleted in their bases.
    pub deleted: u64,
    /// Games added up to the point where they become unreadable.
    pub cut_short: u64,
    /// Variations kept, nested ones included.
    pub variations: u64,
    /// Comments, glyphs and variations that could not be kept.
    pub lost_notes: u64,
    /// Games whose Result tag disagrees with the end of the moves.
    pub disagreeing_results: u64,
    /// Files that could not be read to their end, with the reason.
    pub failed_sources: Vec<(String, String)>,
    /// The first problems; all are in the log.
    pub problems: Vec<Problem>,
    /// Whether the import was stopped before its end.
    pub cancelled: bool,
}

impl Report {
    /// How many problems are kept in the report.
    pub const PROBLEMS: usize = 20;
}

/// A game that could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub source: String,
    /// The line where the game begins, or in a base the game's number, counted
    /// from one.
    pub line: u64,
    /// The players, if known.
    pub players: String,
    /// What is wrong.
    pub reason: String,
    /// Whether the sound part was kept.
    pub kept: bool,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Problem {
            source,
            line,
            players,
            reason,
            kept,
        } = self;
        let fate = if *kept {
            "kept up to there"
        } else {
            "left out"
        };
        write!(f, "{source}:{line}: {players}: {reason} ({fate})")
    }
}
