//! The options that a program may set.

use std::path::{Path, PathBuf};

use crate::library::{self, Library, Mode};
use crate::search::{Pace, Settings, Technique, Techniques};
use crate::{Evaluation, Player};

/// Bounds of the numeric options.
const MOST_HASH: usize = 32_768;
const MOST_THREADS: usize = 256;
const MOST_LINES: usize = 256;

/// The options as they stand.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) settings: Settings,
    pub(super) lines: usize,
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
            tablebases: None,
            collection: None,
            own_cases: true,
            library: library::Settings::default(),
            retain: false,
        }
    }
}

/// What came of setting an option.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is set; the engine must follow.
    Set,
    /// The engine is to forget what it knows.
    Clear,
    /// It is not; the reason is for the user.
    Refused(String),
}

impl Options {
    /// The lines that answer `uci`.
    pub(super) fn describe(&self) -> Vec<String> {
        let combo = |name: &str, default: &str, values: &[&str]| {
            let values: Vec<String> = values.iter().map(|it| format!("var {it}")).collect();
            format!(
                "option name {name} type combo default {default} {}",
                values.join(" ")
            )
        };
        let evaluations = Evaluation::ALL.map(Evaluation::name);
        vec![
            format!(
                "option name Hash type spin default {} min 1 max {MOST_HASH}",
                self.settings.hash
            ),
            format!("option name Threads type spin default 1 min 1 max {MOST_THREADS}"),
            format!("option name MultiPV type spin default 1 min 1 max {MOST_LINES}"),
            "option name Ponder type check default false".to_owned(),
            "option name Clear Hash type button".to_owned(),
            "option name SyzygyPath type string default <empty>".to_owned(),
            combo("Evaluation", self.settings.evaluation.name(), &evaluations),
            combo("Pace", &self.settings.pace.to_string(), &Pace::NAMES),
            "option name Without type string default <empty>".to_owned(),
            "option name Collection type string default <empty>".to_owned(),
            format!("option name OwnCases type check default {}", self.own_cases),
            format!(
                "option name FirstFilter type check default {}",
                self.library.first_filter
            ),
            format!(
                "option name SecondFilter type check default {}",
                self.library.second_filter
            ),
            format!(
                "option name SimilarityThreshold type string default {}",
                self.library.threshold
            ),
            combo(
                "CandidateMode",
                self.library.mode.name(),
                &Mode::ALL.map(Mode::name),
            ),
            format!("option name Retain type check default {}", self.retain),
        ]
    }

    /// Sets one option; names are compared without regard to case.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Change {
        match name.to_ascii_lowercase().as_str() {
            "hash" => number(value, MOST_HASH, &mut self.settings.hash),
            "threads" => number(value, MOST_THREADS, &mut self.settings.threads),
            "multipv" => number(value, MOST_LINES, &mut self.lines),
            "ponder" => Change::Set,
            "clear hash" => Change::Clear,
            "syzygypath" => path(value, &mut self.tablebases),
            "collection" => path(value, &mut self.collection),
            "owncases" => switch(value, &mut self.own_cases),
            "firstfilter" => switch(value, &mut self.library.first_filter),
            "secondfilter" => switch(value, &mut self.library.second_filter),
            "similaritythreshold" => share(value, &mut self.library.threshold),
            "candidatemode" => parsed(value, &mut self.library.mode),
            "retain" => switch(value, &mut self.retain),
            "evaluation" => parsed(value, &mut self.settings.evaluation),
            "pace" => parsed(value, &mut self.settings.pace),
            "without" => self.leave_out(value),
            _ => Change::Refused(format!(
                "no option is called \"{name}\"; see the answer to uci"
            )),
        }
    }

    /// Techniques named, with commas or spaces between, are switched off; all others on.
    fn leave_out(&mut self, value: &str) -> Change {
        let mut techniques = Techniques::ALL;
        for name in value
            .split([',', ' '])
            .filter(|it| !it.is_empty() && *it != "<empty>")
        {
            match name.parse::<Technique>() {
                Ok(technique) => techniques = techniques.without(technique),
                Err(error) => return Change::Refused(error.to_string()),
            }
        }
        self.settings.techniques = techniques;
        Change::Set
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
        let tablebases = match player.engine.open_tablebases(self.tablebases.as_deref()) {
            Ok(0) => None,
            Ok(count) => Some(format!("{count} tablebases")),
            Err(reason) => Some(reason),
        };
        let words = short.into_iter().chain(tablebases);
        words.chain(self.open_library(player)).collect()
    }

    /// Where games are retained, if they are to be; `Some(None)` if they are and
    /// there is no place.
    pub(super) fn archive(&self) -> Option<Option<PathBuf>> {
        self.retain
            .then(|| self.collection.as_deref().map(PathBuf::from))
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

fn path(value: &str, target: &mut Option<String>) -> Change {
    *target = (!value.is_empty() && value != "<empty>").then(|| value.to_owned());
    Change::Set
}

fn switch(value: &str, target: &mut bool) -> Change {
    match value.to_ascii_lowercase().parse() {
        Ok(choice) => {
            *target = choice;
            Change::Set
        }
        Err(_) => Change::Refused(format!("\"{value}\" is neither true nor false")),
    }
}

fn share(value: &str, target: &mut f64) -> Change {
    match value.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => {
            *target = number;
            Change::Set
        }
        _ => Change::Refused(format!("\"{value}\" is not a number between 0 and 1")),
    }
}

fn number(value: &str, most: usize, target: &mut usize) -> Change {
    match value.parse::<usize>() {
        Ok(number) => {
            *target = number.clamp(1, most);
            Change::Set
        }
        Err(_) => Change::Refused(format!("\"{value}\" is not a number between 1 and {most}")),
    }
}

fn parsed<T: std::str::FromStr>(value: &str, target: &mut T) -> Change
where
    T::Err: std::fmt::Display,
{
    match value.to_ascii_lowercase().parse() {
        Ok(choice) => {
            *target = choice;
            Change::Set
        }
        Err(error) => Change::Refused(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_or_refused_with_a_reason() {
        let mut options = Options::default();
        assert_eq!(options.set("hash", "64"), Change::Set);
        assert_eq!(options.settings.hash, 64);
        assert_eq!(options.set("Threads", "0"), Change::Set);
        assert_eq!(options.settings.threads, 1);
        assert_eq!(options.set("Pace", "appendix:3"), Change::Set);
        assert_eq!(options.settings.pace, Pace::Appendix { divisor: 3.0 });
        assert_eq!(options.set("Without", "null-move, killers"), Change::Set);
        assert!(!options.settings.techniques.has(Technique::NullMove));
        assert_eq!(options.set("SimilarityThreshold", "0.6"), Change::Set);
        assert_eq!(options.set("FirstFilter", "False"), Change::Set);
        assert_eq!(
            options.set("CandidateMode", "restrict+tactics"),
            Change::Set
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
            assert!(
                matches!(options.set(name, value), Change::Refused(_)),
                "{name} {value}"
            );
        }
    }

    #[test]
    fn a_table_that_memory_has_no_room_for_is_told_of_and_the_old_one_stays() {
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
            assert!(
                !matches!(Options::default().set(name, ""), Change::Refused(reason) if reason.starts_with("no option")),
                "{line}"
            );
        }
    }
}
