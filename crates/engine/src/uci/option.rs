//! The options that a program may set.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use shakmaty::CastlingMode;

use super::format::Format;
use crate::level::Level;
use crate::library::{self, Library, Mode};
use crate::search::limits::OVERHEAD;
use crate::search::{Pace, Settings, Technique, Techniques};
use crate::{Evaluation, Player};

/// Bounds of the numeric options.
const MOST_HASH: usize = 32_768;
const MOST_THREADS: usize = 256;
const MOST_LINES: usize = 256;
const MOST_OVERHEAD: usize = 5_000;

/// The options as they stand.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) settings: Settings,
    pub(super) lines: usize,
    /// Kept back from clocks.
    pub(super) overhead: Duration,
    chess960: bool,
    chances: bool,
    /// Whether positions are analyzed, and not played.
    analysis: bool,
    limit_strength: bool,
    level: Level,
    pub(super) tablebases: Option<String>,
    /// The collection that serves as the library.
    collection: Option<String>,
    /// Whether the library is used.
    own_cases: bool,
    library: library::Settings,
    /// Whether games are added to the collection.
    retain: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            settings: Settings::default(),
            lines: 1,
            overhead: OVERHEAD,
            chess960: false,
            chances: false,
            analysis: false,
            limit_strength: false,
            level: Level::default(),
            tablebases: None,
            collection: None,
            own_cases: true,
            library: library::Settings::default(),
            retain: false,
        }
    }
}

/// What must follow when an option is set.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The engine must follow.
    Set,
    /// The engine is to forget what it knows.
    Clear,
}

impl Options {
    /// The lines that answer `uci`.
    pub(super) fn describe(&self) -> Vec<String> {
        let (settings, library) = (&self.settings, &self.library);
        let line = |name, kind, rest| format!("option name {name} type {kind}{rest}");
        let spin = |name, default: usize, least: usize, most: usize| {
            let rest = format!(" default {default} min {least} max {most}");
            line(name, "spin", rest)
        };
        let overhead = self.overhead.as_millis() as usize;
        let check = |name, default: bool| line(name, "check", format!(" default {default}"));
        let string = |name, default: &str| line(name, "string", format!(" default {default}"));
        let combo = |name, default: &str, values: &[&str]| {
            let rest = format!(" default {default} var {}", values.join(" var "));
            line(name, "combo", rest)
        };
        vec![
            spin("Hash", settings.hash, 1, MOST_HASH),
            spin("Threads", 1, 1, MOST_THREADS),
            spin("MultiPV", 1, 1, MOST_LINES),
            spin("Move Overhead", overhead, 0, MOST_OVERHEAD),
            check("Ponder", false),
            check("UCI_Chess960", self.chess960),
            check("UCI_AnalyseMode", self.analysis),
            check("UCI_ShowWDL", self.chances),
            check("UCI_LimitStrength", self.limit_strength),
            spin("UCI_Elo", self.level.elo(), Level::LEAST, Level::GREATEST),
            line("Clear Hash", "button", String::new()),
            string("SyzygyPath", "<empty>"),
            combo("Evaluation", settings.evaluation.name(), &Evaluation::NAMES),
            combo("Pace", &settings.pace.to_string(), &Pace::NAMES),
            string("Without", "<empty>"),
            string("Collection", "<empty>"),
            check("OwnCases", self.own_cases),
            check("FirstFilter", library.first_filter),
            check("SecondFilter", library.second_filter),
            string("SimilarityThreshold", &library.threshold.to_string()),
            combo("CandidateMode", library.mode.name(), &Mode::NAMES),
            check("Retain", self.retain),
        ]
    }

    /// Sets one option; names are compared without regard to case.
    ///
    /// # Errors
    /// The reason, for the user, why it is not set.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<Change, String> {
        let library = &mut self.library;
        match name.to_ascii_lowercase().as_str() {
            "hash" => self.settings.hash = number(value, MOST_HASH)?,
            "threads" => self.settings.threads = number(value, MOST_THREADS)?,
            "multipv" => self.lines = number(value, MOST_LINES)?,
            "move overhead" => {
                let milliseconds = within(value, 0, MOST_OVERHEAD)?;
                self.overhead = Duration::from_millis(milliseconds as u64);
            }
            "uci_chess960" => self.chess960 = switch(value)?,
            "uci_analysemode" => self.analysis = switch(value)?,
            "uci_showwdl" => self.chances = switch(value)?,
            "uci_limitstrength" => self.limit_strength = switch(value)?,
            "uci_elo" => {
                self.level = Level::new(within(value, Level::LEAST, Level::GREATEST)?);
            }
            "ponder" => {}
            "clear hash" => return Ok(Change::Clear),
            "syzygypath" => self.tablebases = path(value),
            "collection" => self.collection = path(value),
            "owncases" => self.own_cases = switch(value)?,
            "firstfilter" => library.first_filter = switch(value)?,
            "secondfilter" => library.second_filter = switch(value)?,
            "similaritythreshold" => library.threshold = share(value)?,
            "candidatemode" => library.mode = parsed(value)?,
            "retain" => self.retain = switch(value)?,
            "evaluation" => self.settings.evaluation = parsed(value)?,
            "pace" => self.settings.pace = parsed(value)?,
            "without" => self.settings.techniques = all_but(value)?,
            _ => {
                let remedy = "see the answer to uci";
                return Err(format!("no option is called \"{name}\"; {remedy}"));
            }
        }
        Ok(Change::Set)
    }

    /// Hands the settings to the player; returns what to report to the
    /// user.
    pub(super) fn apply(&self, player: &mut Player) -> Vec<String> {
        player.engine.configure(self.settings.clone());
        let table = player.engine.settings().hash;
        let short = (table != self.settings.hash).then(|| {
            let wanted = self.settings.hash;
            format!("no memory for a table of {wanted} MiB; it stays at {table}")
        });
        player.settings = self.library.clone();
        player.level = (self.limit_strength && !self.analysis).then_some(self.level);
        player.analysis = self.analysis;
        let tablebases = match player.engine.open_tablebases(self.tablebases.as_deref()) {
            Ok(0) => None,
            Ok(count) => Some(format!("{count} tablebases")),
            Err(reason) => Some(reason),
        };
        let words = short.into_iter().chain(tablebases);
        words.chain(self.open_library(player)).collect()
    }

    /// How the program wants to read.
    pub(super) fn format(&self) -> Format {
        let castling = match self.chess960 {
            true => CastlingMode::Chess960,
            false => CastlingMode::Standard,
        };
        Format {
            castling,
            chances: self.chances,
        }
    }

    /// Where games are retained, if they are to be; `Some(None)` if they are and
    /// there is no place.
    pub(super) fn retained_in(&self) -> Option<Option<PathBuf>> {
        (self.retain && !self.analysis).then(|| self.collection.as_deref().map(PathBuf::from))
    }

    /// Opens the library if it is wanted and not open; a player without one
    /// plays on.
    fn open_library(&self, player: &mut Player) -> Option<String> {
        let wanted = self.collection.as_deref().filter(|_| self.own_cases);
        let open = player.library.as_ref().map(|it| it.collection().folder());
        if open == wanted.map(Path::new) {
            return None;
        }
        player.library = None;
        match Library::open(Path::new(wanted?)) {
            Ok(library) => {
                let games = library.collection().games();
                player.library = Some(library);
                Some(format!("a library of {games} games"))
            }
            Err(error) => Some(format!("playing without a library: {error}")),
        }
    }
}

fn path(value: &str) -> Option<String> {
    (!value.is_empty() && value != "<empty>").then(|| value.to_owned())
}

fn switch(value: &str) -> Result<bool, String> {
    let choice = value.to_ascii_lowercase().parse();
    choice.map_err(|_| format!("\"{value}\" is neither true nor false"))
}

fn share(value: &str) -> Result<f64, String> {
    let number = value.parse().ok().filter(|it| (0.0..=1.0).contains(it));
    number.ok_or_else(|| format!("\"{value}\" is not a number between 0 and 1"))
}

fn number(value: &str, most: usize) -> Result<usize, String> {
    within(value, 1, most)
}

fn within(value: &str, least: usize, most: usize) -> Result<usize, String> {
    let number = value.parse::<usize>().map(|it| it.clamp(least, most));
    number.map_err(|_| format!("\"{value}\" is not a number between {least} and {most}"))
}

fn parsed<T: FromStr<Err: Display>>(value: &str) -> Result<T, String> {
    let choice = value.to_ascii_lowercase().parse();
    choice.map_err(|error: T::Err| error.to_string())
}

/// All techniques but those named, with commas or spaces between.
fn all_but(value: &str) -> Result<Techniques, String> {
    let names = value.split([',', ' ']);
    let mut names = names.filter(|it| !it.is_empty() && *it != "<empty>");
    names.try_fold(Techniques::ALL, |rest, name| {
        let technique = name.parse::<Technique>();
        Ok(rest.without(technique.map_err(|error| error.to_string())?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_or_refused_with_a_reason() {
        let mut options = Options::default();
        assert_eq!(options.set("hash", "64"), Ok(Change::Set));
        assert_eq!(options.settings.hash, 64);
        assert_eq!(options.set("Threads", "0"), Ok(Change::Set));
        assert_eq!(options.settings.threads, 1);
        assert_eq!(options.set("Pace", "appendix:3"), Ok(Change::Set));
        assert_eq!(options.settings.pace, Pace::Appendix { divisor: 3.0 });
        assert_eq!(
            options.set("Without", "null-move, killers"),
            Ok(Change::Set)
        );
        assert!(!options.settings.techniques.has(Technique::NullMove));
        assert_eq!(options.set("SimilarityThreshold", "0.6"), Ok(Change::Set));
        assert_eq!(options.set("FirstFilter", "False"), Ok(Change::Set));
        assert_eq!(
            options.set("CandidateMode", "restrict+tactics"),
            Ok(Change::Set)
        );
        let library = library::Settings {
            first_filter: false,
            second_filter: true,
            threshold: 0.6,
            mode: Mode::RestrictAndTactics,
            exact_alone: false,
        };
        assert_eq!(options.library, library);
        for (name, value) in [
            ("Hash", "much"),
            ("Evaluation", "hope"),
            ("Without", "luck"),
            ("Contempt", "1"),
            ("Hash", "-3"),
            ("OwnCases", "perhaps"),
            ("SimilarityThreshold", "2"),
            ("SimilarityThreshold", "NaN"),
            ("CandidateMode", "guess"),
        ] {
            assert!(options.set(name, value).is_err(), "{name} {value}");
        }
    }

    #[test]
    fn a_table_too_large_for_memory_is_reported_and_the_old_one_stays() {
        let mut player = Player::new(crate::search::Engine::new(Settings::default()));
        let mut options = Options::default();
        // More than any machine addresses, whatever it promises.
        options.settings.hash = usize::MAX >> 21;
        let words = options.apply(&mut player);
        assert!(words[0].starts_with("no memory for a table"), "{words:?}");
        assert_eq!(player.engine.settings().hash, Settings::default().hash);
        options.settings.hash = 2;
        assert_eq!(options.apply(&mut player), [""; 0]);
        assert_eq!(player.engine.settings().hash, 2);
    }

    #[test]
    fn every_option_described_can_be_set() {
        for line in Options::default().describe() {
            let name = line
                .strip_prefix("option name ")
                .unwrap()
                .split(" type ")
                .next()
                .unwrap();
            let refused = Options::default().set(name, "").err();
            assert!(
                !refused.is_some_and(|it| it.starts_with("no option")),
                "{line}"
            );
        }
    }
}
