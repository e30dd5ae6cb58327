//! Tables for the terminal and for Markdown.

use std::time::Duration;

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Terminal,
    Markdown,
}

/// Rows with a header, a title and notes.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    pub(crate) fn new(title: &str, header: &[&str]) -> Table {
        Table {
            title: title.to_owned(),
            header: header.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn titled(self, title: &str) -> Table {
        Table {
            title: title.to_owned(),
            ..self
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn note(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }

    pub(crate) fn print(&self, format: Format) {
        println!("\n{}", self.render(format));
    }

    fn render(&self, format: Format) -> String {
        let widths = self.widths();
        let title = match format {
            Format::Terminal => self.title.clone(),
            Format::Markdown => format!("**{}**\n", self.title),
        };
        let mut lines = vec![title, line(&self.header, &widths, format)];
        lines.push(rule(&widths, format));
        lines.extend(self.rows.iter().map(|it| line(it, &widths, format)));
        if format == Format::Markdown && !self.notes.is_empty() {
            lines.push(String::new());
        }
        lines.extend(self.notes.iter().cloned());
        lines.join("\n")
    }

    fn widths(&self) -> Vec<usize> {
        let rows = || self.rows.iter().chain([&self.header]);
        let width = |column| {
            rows()
                .filter_map(|it| it.get(column))
                .map(String::len)
                .max()
        };
        (0..self.header.len())
            .map(|column| width(column).unwrap_or(0))
            .collect()
    }
}

/// Aligns the first column left and the others right.
fn line(cells: &[String], widths: &[usize], format: Format) -> String {
    let cells = cells.iter().zip(widths).enumerate();
    let padded: Vec<String> = cells
        .map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        })
        .collect();
    match format {
        Format::Terminal => format!("  {}", padded.join("  ")),
        Format::Markdown => format!("| {} |", padded.join(" | ")),
    }
}

fn rule(widths: &[usize], format: Format) -> String {
    let dashes = widths.iter().map(|&it| "-".repeat(it));
    match format {
        Format::Terminal => format!("  {}", dashes.collect::<Vec<_>>().join("  ")),
        Format::Markdown => {
            let aligned = dashes.enumerate().map(|(column, it)| match column {
                0 => format!(":{it}-"),
                _ => format!("-{it}:"),
            });
            format!("|{}|", aligned.collect::<Vec<_>>().join("|"))
        }
    }
}

/// A number with thousands separators.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A duration in milliseconds with about three digits.
pub(crate) fn milliseconds(duration: Duration) -> String {
    rounded(duration.as_secs_f64() * 1e3)
}

/// The first duration divided by the second.
pub(crate) fn ratio(first: Duration, second: Duration) -> String {
    rounded(first.as_secs_f64() / second.as_secs_f64().max(1e-9))
}

fn rounded(number: f64) -> String {
    if number < 10.0 {
        format!("{number:.2}")
    } else if number < 100.0 {
        format!("{number:.1}")
    } else {
        count(number.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            [0, 999, 1_000, 31_234_567].map(count),
            ["0", "999", "1,000", "31,234,567"]
        );
        assert_eq!(
            [0.1234, 12.34, 1234.5].map(rounded),
            ["0.12", "12.3", "1,235"]
        );
        assert_eq!(
            ratio(Duration::from_secs(3), Duration::from_secs(2)),
            "1.50"
        );
    }

    #[test]
    fn tables_render_as_text_and_markdown() {
        let mut table = Table::new("Sizes", &["what", "bytes"]);
        table.row(vec!["index".into(), "12".into()]);
        table.note("Small.");
        let expected =
            "**Sizes**\n\n| what  | bytes |\n|:------|------:|\n| index |    12 |\n\nSmall.";
        assert_eq!(table.render(Format::Markdown), expected);
        let expected = "Sizes\n  what   bytes\n  -----  -----\n  index     12\nSmall.";
        assert_eq!(table.render(Format::Terminal), expected);
    }
}
