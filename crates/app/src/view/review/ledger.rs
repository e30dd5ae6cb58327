//! A file of finished analyses, a line each.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tabiya_engine::analysis::Analysis;
use tabiya_question::review::Review;
use tabiya_retrieval::{collection::journal, index::GameDigest};

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
        let entries: Vec<Entry> =
            journal::read(path).with_context(|| path.display().to_string())?;
        Ok(Ledger {
            path: path.to_owned(),
            analyses: entries
                .into_iter()
                .map(|it| (it.key, it.analysis))
                .collect(),
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
        journal::append(&self.path, &entry)?;
        self.analyses.insert(entry.key, entry.analysis);
        Ok(())
    }
}

/// The game, how much of it is searched, and how long each position.
fn key(question: &Review) -> String {
    let limits = match question.time {
        Some(time) => format!("{time} ms"),
        None => format!("{} nodes", question.nodes),
    };
    let plies = question.reviewed();
    let part = match plies.len() == question.game.moves.len() {
        true => String::new(),
        false => format!(" {plies:?}"),
    };
    format!("{:?} {limits}{part}", GameDigest::of(&question.game))
}
