//! What retrieved reactions are to the search.

use std::{fmt, str::FromStr};

/// What the player does with the reactions it remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Only they are searched at the root, as in the paper.
    Restrict,
    /// They are searched, and with them checks, captures, promotions, and all
    /// ways out of check: plain restriction loses tactics.
    RestrictAndTactics,
    /// All legal moves are searched; remembered ones come first, are followed
    /// deeper, and win when the scores are close.
    #[default]
    Prior,
}

impl Mode {
    /// All modes, the paper's first.
    pub const ALL: [Mode; 3] = [Mode::Restrict, Mode::RestrictAndTactics, Mode::Prior];

    /// Its name among the options.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Restrict => "restrict",
            Mode::RestrictAndTactics => "restrict+tactics",
            Mode::Prior => "prior",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Mode, UnknownMode> {
        let mut modes = Mode::ALL.into_iter();
        modes.find(|it| it.name() == name).ok_or(UnknownMode)
    }
}

/// No mode has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode; choose one of {}", Mode::ALL.map(Mode::name).join(", "))]
pub struct UnknownMode;
