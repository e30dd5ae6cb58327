//! The output of an experiment: its provenance, tables and figures.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context;
use serde::Serialize;
use tabiya_retrieval::Collection;
use tabiya_terminal::{json, progress::grouped, style};

use crate::bootstrap::Estimate;

/// How figures were made: enough to reproduce them.
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

/// The command without folders, which mean nothing elsewhere.
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

/// Where an experiment writes its results.
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
    /// The folder for tables and figures, if one was given.
    pub(crate) fn folder(&self) -> Option<Folder<'_>> {
        self.out.as_deref().map(Folder::at)
    }

    /// Prints a report as JSON, or by `show` for people.
    pub(crate) fn print<R: Serialize>(&self, report: &R, show: fn(&R)) -> anyhow::Result<()> {
        if self.json {
            return json::print(report);
        }
        show(report);
        Ok(())
    }
}

/// A folder for tables and figures, created at the first write.
pub(crate) struct Folder<'a>(&'a Path);

impl<'a> Folder<'a> {
    /// A folder at a path.
    pub(crate) fn at(path: &'a Path) -> Folder<'a> {
        Folder(path)
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
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
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(header)?;
        for row in rows {
            table.write_record(row)?;
        }
        self.put(name, &table.into_inner()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_are_quoted() {
        let place = tempfile::tempdir().unwrap();
        let rows = [vec!["1".to_owned(), "a \"b\", c".to_owned()]];
        let folder = Folder::at(place.path());
        folder.put_table("t.csv", &["n", "text"], rows).unwrap();
        let text = fs::read_to_string(place.path().join("t.csv")).unwrap();
        assert_eq!(text, "n,text\n1,\"a \"\"b\"\", c\"\n");
    }
}
