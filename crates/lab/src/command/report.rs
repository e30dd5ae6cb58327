//! What a figure needs beside it, and where figures and tables are put.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::bootstrap::Estimate;
use anyhow::Context;
use serde::Serialize;
use tabiya_retrieval::Collection;

use tabiya_terminal::{json, progress::grouped, style};

/// How figures were made: enough to make them again.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Provenance {
    command: String,
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    seed: u64,
}

impl Provenance {
    pub(crate) fn new(seed: u64) -> Provenance {
        Provenance {
            command: command(),
            version: env!("CARGO_PKG_VERSION"),
            collection: None,
            seed,
        }
    }

    /// The same over some documents.
    pub(crate) fn over(self, collection: String) -> Provenance {
        Provenance {
            collection: Some(collection),
            ..self
        }
    }

    /// The same over a collection of games.
    pub(crate) fn over_games(self, collection: &Collection) -> Provenance {
        let counted = format!(
            "{} games, {} positions",
            grouped(collection.games()),
            grouped(collection.positions())
        );
        self.over(counted)
    }

    pub(crate) fn print(&self) {
        let Provenance {
            command,
            version,
            seed,
            ..
        } = self;
        let collection = self.collection.iter().map(|it| format!(" · {it}"));
        let collection: String = collection.collect();
        say!(
            "{}{command}\ntabiya {version}{collection} · seed {seed}{}\n",
            style::FAINT,
            style::PLAIN
        );
    }
}

/// The command without the folders, which say nothing to others.
fn command() -> String {
    let name = |text: String| match Path::new(&text).file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => text,
    };
    env::args().map(name).collect::<Vec<_>>().join(" ")
}

/// A mean and its interval: `0.423 [0.398, 0.449]`.
pub(crate) fn interval(estimate: &Estimate) -> String {
    let Estimate { mean, low, high } = estimate;
    format!("{mean:.4} [{low:.4}, {high:.4}]")
}

/// How an experiment tells its outcome.
#[derive(Debug, clap::Args)]
pub(crate) struct Output {
    /// Write tables as CSV and figures as SVG into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Output {
    /// Where tables and figures go, if they are wanted.
    pub(crate) fn folder(&self) -> Option<Folder<'_>> {
        self.out.as_deref().map(Folder::at)
    }

    /// Prints a report as JSON, or as it is shown to people.
    pub(crate) fn tell<R: Serialize>(&self, report: &R, show: fn(&R)) -> anyhow::Result<()> {
        if self.json {
            return json::print(report);
        }
        show(report);
        Ok(())
    }
}

/// A folder for tables and figures, made when first written to.
pub(crate) struct Folder<'a>(&'a Path);

impl<'a> Folder<'a> {
    /// A folder that was asked for.
    pub(crate) fn at(path: &'a Path) -> Folder<'a> {
        Folder(path)
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.0.join(name);
        let place = || path.display().to_string();
        fs::create_dir_all(self.0).with_context(place)?;
        fs::write(&path, text).with_context(place)
    }

    /// Writes a table of comma-separated values.
    pub(crate) fn put_table(
        &self,
        name: &str,
        header: &[&str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> anyhow::Result<()> {
        self.put(name, &csv(header, rows))
    }
}

/// Comma-separated values; a cell with a comma or a quote is quoted.
fn csv(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let cell = |it: &str| match it.contains([',', '"', '\n']) {
        true => format!("\"{}\"", it.replace('"', "\"\"")),
        false => it.to_owned(),
    };
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let header = line(header.iter().map(|it| cell(it)).collect());
    let rows = rows.into_iter();
    let rows = rows.map(|row| line(row.iter().map(|it| cell(it)).collect()));
    std::iter::once(header).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_are_quoted() {
        let rows = [vec!["1".to_owned(), "a \"b\", c".to_owned()]];
        assert_eq!(csv(&["n", "text"], rows), "n,text\n1,\"a \"\"b\"\", c\"\n");
    }
}
