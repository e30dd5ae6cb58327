//! The report of an import: counts, and the games with problems.

use serde::{Serialize, Serializer};

/// The report of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Games added.
    pub games: u64,
    /// Positions indexed.
    pub positions: u64,
    /// Games left out: unreadable, or variants.
    pub skipped: u64,
    /// Games that the selection leaves out.
    pub left_out: u64,
    /// Games left out because the collection already holds them.
    pub duplicates: u64,
    /// Games left out because they are marked as deleted in their bases.
    pub deleted: u64,
    /// The variants among the skipped games.
    pub variants: u64,
    /// Games added up to the point where they become unreadable.
    pub cut_short: u64,
    /// Variations kept, nested ones included.
    pub variations: u64,
    /// Comments, glyphs and variations that could not be kept.
    pub lost_notes: u64,
    /// Games whose Result tag disagrees with the end of the moves.
    pub disagreeing_results: u64,
    /// The first problems; the log has all of them.
    pub problems: Vec<BrokenGame>,
    /// Files that could not be read to their end, with the reason.
    #[serde(rename = "failed_files")]
    pub failed_inputs: Vec<(String, String)>,
    /// Whether the import was canceled before its end.
    #[serde(skip)]
    pub canceled: bool,
}

impl Report {
    /// The greatest number of problems in a report.
    pub const PROBLEMS: usize = 20;
}

/// A game that could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenGame {
    /// The file.
    pub input: String,
    /// The line where the game begins; in a base, the number of the game, counted from one.
    pub line: u64,
    /// The players, if known.
    pub players: String,
    /// What is wrong.
    pub reason: String,
    /// Whether the moves before the error were kept.
    pub kept: bool,
}

impl std::fmt::Display for BrokenGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fate = match self.kept {
            true => "kept up to there",
            false => "left out",
        };
        write!(f, "{}:{}: ", self.input, self.line)?;
        write!(f, "{}: {} ({fate})", self.players, self.reason)
    }
}

impl Serialize for BrokenGame {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
