//! A file of finished analyses, a line each. A line that a killed writer left unfinished is
//! skipped.

use std::{
    collections::HashMap,
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tabiya_engine::analysis::Analysis;
use tabiya_question::review::Review;
use tabiya_retrieval::index::Digest;

/// The analyses by game and limits.
pub(super) struct Ledger {
    path: PathBuf,
    analyses: HashMap<String, Analysis>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    analysis: Analysis,
}

impl Ledger {
    pub(super) fn open(path: &Path) -> anyhow::Result<Ledger> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.with_context(|| path.display().to_string())?,
        };
        let entries = text
            .lines()
            .filter_map(|it| serde_json::from_str::<Entry>(it).ok());
        Ok(Ledger {
            path: path.to_owned(),
            analyses: entries.map(|it| (it.key, it.analysis)).collect(),
        })
    }

    pub(super) fn get(&self, question: &Review) -> Option<Analysis> {
        self.analyses.get(&key(question)).cloned()
    }

    pub(super) fn put(&mut self, question: &Review, analysis: &Analysis) -> anyhow::Result<()> {
        let entry = Entry {
            key: key(question),
            analysis: analysis.clone(),
        };
        // A line break first ends what a killed writer left unfinished.
        let line = format!("\n{}\n", serde_json::to_string(&entry)?);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        self.analyses.insert(entry.key, entry.analysis);
        Ok(())
    }
}

/// The game and how long each position is searched.
fn key(question: &Review) -> String {
    let limits = match question.time {
        Some(time) => format!("{time} ms"),
        None => format!("{} nodes", question.nodes),
    };
    format!("{:?} {limits}", Digest::of(&question.game))
}
