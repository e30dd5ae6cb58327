//! The options that a program may set.

use crate::Evaluation;
use crate::search::{Engine, Pace, Settings, Technique, Techniques};

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
}

impl Default for Options {
    fn default() -> Options {
        Options {
            settings: Settings::default(),
            lines: 1,
            tablebases: None,
        }
    }
}

/// What came of setting an option.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is set; the engine must be told.
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
            "syzygypath" => {
                self.tablebases =
                    (!value.is_empty() && value != "<empty>").then(|| value.to_owned());
                Change::Set
            }
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

    /// Hands the settings to the engine.
    pub(super) fn apply(&self, engine: &mut Engine) -> Result<usize, String> {
        engine.configure(self.settings.clone());
        engine.open_tablebases(self.tablebases.as_deref())
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
        for (name, value) in [
            ("Hash", "much"),
            ("Evaluation", "hope"),
            ("Without", "luck"),
            ("Contempt", "1"),
            ("Hash", "-3"),
        ] {
            assert!(
                matches!(options.set(name, value), Change::Refused(_)),
                "{name} {value}"
            );
        }
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
