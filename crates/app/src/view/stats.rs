//! Prints the answer of `tabiya stats`.

use std::time::Duration;

use tabiya_question::stats::{Answer, Stats};
use tabiya_terminal::{
    progress::grouped,
    style::{FAINT, PLAIN},
};

use crate::ask::{NoOptions, View};

impl View for Stats {
    const HELP: &'static str = "Example:
  tabiya stats --db my-games --json";

    type Options = NoOptions;

    fn print(&self, answer: &Answer, _: &NoOptions, _: Duration) {
        let row = |name: &str, value: String| say!("{FAINT}{name:<12}{PLAIN}{value}");
        row(
            "games",
            format!(
                "{} ({} plies)",
                grouped(answer.games),
                grouped(answer.plies)
            ),
        );
        let indexed = match answer.skip {
            0 => "all plies".to_owned(),
            skip => format!("after {skip} plies"),
        };
        row(
            "positions",
            format!("{} ({indexed})", grouped(answer.positions)),
        );
        let (first, last) = (answer.first_date.as_deref(), answer.last_date.as_deref());
        row(
            "dates",
            format!("{} to {}", first.unwrap_or("?"), last.unwrap_or("?")),
        );
        row("players", grouped(answer.players as u64));
        let mean = answer
            .mean_elo
            .map_or(String::new(), |it| format!(", mean {it:.0}"));
        row("rated", format!("{} games{mean}", grouped(answer.rated)));
        let results: Vec<String> = answer
            .results
            .iter()
            .map(|(name, count)| format!("{name} {}", grouped(*count)))
            .collect();
        row("results", results.join(", "));
        row(
            "terms",
            format!(
                "{} distinct, {:.1} per position",
                grouped(answer.terms as u64),
                answer.mean_length
            ),
        );
        row(
            "postings",
            format!(
                "{} in {} windows",
                grouped(answer.postings),
                grouped(answer.windows)
            ),
        );
        row("segments", grouped(answer.segments as u64));
        row(
            "bytes",
            format!(
                "{} ({:.1} per position)",
                grouped(answer.bytes),
                answer.bytes_a_position
            ),
        );
        let mut parts: Vec<_> = answer.parts.iter().filter(|it| *it.1 > 0).collect();
        parts.sort_by_key(|it| std::cmp::Reverse(it.1));
        for (part, size) in parts {
            let share = 100.0 * *size as f64 / answer.bytes.max(1) as f64;
            say!("  {part:<26}{:>14}{share:>6.1} %", grouped(*size));
        }
        row("χ²", "of exact positions, in steps of 5".to_owned());
        print_bars(answer);
    }
}

/// Prints the χ² histogram of exact positions.
fn print_bars(answer: &Answer) {
    const WIDTH: u64 = 40;
    let longest = answer.chi2.iter().map(|it| it.positions).max().unwrap_or(0);
    for bar in &answer.chi2 {
        let width = (bar.positions * WIDTH).div_ceil(longest.max(1));
        say!(
            "  {:>3.0}  {}{FAINT}{PLAIN} {}",
            bar.from,
            "█".repeat(width as usize),
            grouped(bar.positions)
        );
    }
}
