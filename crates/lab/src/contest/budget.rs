//! What a program may spend on a game.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What a program may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// Nodes a move.
    Nodes(u64),
    /// Plies a move.
    Depth(u32),
    /// A clock for the game, and what is added after each move.
    Clock(Duration, Duration),
}

/// The longest that a clock may be set to, and what is added after a move.
const LONGEST_CLOCK: Duration = Duration::from_secs(24 * 60 * 60);

/// A text that is not a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParseBudgetError;

impl fmt::Display for ParseBudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write 10+0.1 (seconds, at most a day), nodes:50000 or depth:7")
    }
}

impl std::error::Error for ParseBudgetError {}

impl FromStr for Budget {
    type Err = ParseBudgetError;

    /// Reads `10+0.1` (seconds), `nodes:50000` or `depth:7`.
    fn from_str(text: &str) -> Result<Budget, ParseBudgetError> {
        if let Some(nodes) = text.strip_prefix("nodes:") {
            let nodes = nodes.parse().map_err(|_| ParseBudgetError)?;
            return Ok(Budget::Nodes(nodes));
        }
        if let Some(depth) = text.strip_prefix("depth:") {
            let depth = depth.parse().map_err(|_| ParseBudgetError)?;
            return Ok(Budget::Depth(depth));
        }
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |it: &str| {
            let seconds = it.parse::<f64>().ok();
            let duration = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
            let duration = duration.filter(|&it| it <= LONGEST_CLOCK);
            duration.ok_or(ParseBudgetError)
        };
        Ok(Budget::Clock(seconds(base)?, seconds(increment)?))
    }
}

impl fmt::Display for Budget {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Nodes(nodes) => write!(f, "nodes:{nodes}"),
            Budget::Depth(depth) => write!(f, "depth:{depth}"),
            Budget::Clock(base, increment) => {
                write!(f, "{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read() {
        let clock = Budget::Clock(Duration::from_secs(10), Duration::from_millis(100));
        for (text, budget) in [
            ("nodes:50000", Budget::Nodes(50_000)),
            ("depth:7", Budget::Depth(7)),
            ("10+0.1", clock),
        ] {
            assert_eq!(text.parse(), Ok(budget));
            assert_eq!(budget.to_string(), text);
        }
        assert!("86400".parse::<Budget>().is_ok());
        for text in [
            "ten", "", "-1+0", "1e19", "86401", "1+86401", "nan", "inf", "1+nan", "nodes:-1",
        ] {
            assert_eq!(text.parse::<Budget>(), Err(ParseBudgetError), "{text}");
        }
    }
}
