//! The games that an import takes.

use clap::Args;
use tabiya_chess::TimeControl;
use tabiya_retrieval::{collection::Selection, search::Range};

use super::filter::{TagParameters, parse_range};

/// Selects the games to import.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Games")]
pub struct SelectionParameters {
    #[command(flatten)]
    tags: TagParameters,

    /// Time for a game in seconds, base + 40 increments, such as 600-, 180-479 or -179
    #[arg(long, value_name = "RANGE", value_parser = parse_time_control, allow_hyphen_values = true)]
    time_control: Option<Range<TimeControl>>,

    /// Greatest number of games to take: the first ones that pass the filter
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
}

impl SelectionParameters {
    /// The selection.
    pub fn selection(&self) -> Selection {
        Selection {
            filter: self.tags.filter(),
            time_control: self.time_control.unwrap_or_default(),
            limit: self.limit,
        }
    }
}

fn parse_time_control(text: &str) -> Result<Range<TimeControl>, String> {
    parse_range(text, |it| {
        let seconds = it.parse().map(TimeControl::from_seconds);
        let error = |_| format!("\"{it}\" is not a number of seconds; try 600-, 180-479 or -179");
        seconds.map(|it| (it, it)).map_err(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_ranges_of_seconds() {
        let rapid = parse_time_control("600-").unwrap();
        assert!(rapid.contains(TimeControl::UNLIMITED));
        assert!(!rapid.contains(TimeControl::from_seconds(599)));
        let blitz = parse_time_control("180-479").unwrap();
        assert_eq!(blitz.to_string(), "180-479");
        for text in ["", "-", "600+5", "ten", "9-1"] {
            assert!(parse_time_control(text).is_err(), "{text}");
        }
    }
}
