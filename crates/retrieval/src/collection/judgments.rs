//! Judgments: people's grades for hits, stored with the games.
//!
//! `judgments.jsonl` has one judgment per line and only grows. A line counts once it is synced. A
//! killed writer leaves at most half a line, which readers skip and the next writer ends. A second
//! judgment on the same hit adds a line, and the last one counts.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};
use tabiya_chess::Ply;

use serde::{Deserialize, Serialize};

use super::{CollectionError, sync_folder};
use crate::index::GameNumber;

const NAME: &str = "judgments.jsonl";

/// The best grade; the worst is 0.
pub const BEST_GRADE: u8 = 4;

/// A grade for a position as an answer to a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgment {
    /// The name of the assessor.
    pub assessor: String,
    /// The query: the first four fields of its FEN.
    pub query: String,
    /// The game of the hit.
    pub game: GameNumber,
    /// The number of plies played before the hit.
    pub ply: Ply,
    /// The grade, from 0 (nothing in common) to [`BEST_GRADE`].
    pub grade: u8,
    /// The time, in seconds since 1970.
    pub time: u64,
}

/// The query, the assessor and the hit of a judgment.
type Key = (String, String, GameNumber, Ply);

impl Judgment {
    fn key(&self) -> Key {
        let Judgment {
            assessor,
            query,
            game,
            ply,
            ..
        } = self.clone();
        (query, assessor, game, ply)
    }
}

/// The judgments of a collection.
#[derive(Debug)]
pub struct Judgments {
    path: PathBuf,
    last: BTreeMap<Key, Judgment>,
    /// The number of lines that could not be read.
    unreadable: usize,
    /// Whether the file ends in the middle of a line.
    is_torn: bool,
}

impl Judgments {
    /// Reads the judgments of a collection; there may be none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn open(folder: &Path) -> Result<Judgments, CollectionError> {
        let path = folder.join(NAME);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(CollectionError::Io { path, error }),
        };
        let mut judgments = Judgments {
            path,
            last: BTreeMap::new(),
            unreadable: 0,
            is_torn: text.last().is_some_and(|&it| it != b'\n'),
        };
        for line in text.split(|&it| it == b'\n').filter(|it| !it.is_empty()) {
            match serde_json::from_slice::<Judgment>(line) {
                Ok(judgment) => drop(judgments.last.insert(judgment.key(), judgment)),
                Err(_) => judgments.unreadable += 1,
            }
        }
        Ok(judgments)
    }

    /// Stores judgments. They are on disk when this returns.
    ///
    /// # Errors
    ///
    /// When the file cannot be written. Earlier judgments stay.
    pub fn add(
        &mut self,
        judgments: impl IntoIterator<Item = Judgment>,
    ) -> Result<(), CollectionError> {
        let judgments: Vec<Judgment> = judgments.into_iter().collect();
        let written = self.write(&judgments);
        // The file may now end with half a line.
        self.is_torn |= written.is_err();
        written.map_err(CollectionError::io(&self.path))?;
        self.is_torn = false;
        for judgment in judgments {
            self.last.insert(judgment.key(), judgment);
        }
        Ok(())
    }

    fn write(&self, judgments: &[Judgment]) -> io::Result<()> {
        let mut lines = Vec::new();
        if self.is_torn {
            lines.push(b'\n');
        }
        for judgment in judgments {
            serde_json::to_writer(&mut lines, judgment)?;
            lines.push(b'\n');
        }
        let is_new = !self.path.exists();
        let mut file: File = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        file.write_all(&lines)?;
        file.sync_data()?;
        if is_new && let Some(folder) = self.path.parent() {
            sync_folder(folder).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// The judgments that count, by query, assessor, game and ply.
    pub fn iter(&self) -> impl Iterator<Item = &Judgment> {
        self.last.values()
    }

    /// The number of unreadable lines, left by killed writers.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }
}

/// Returns an error if there are judgments on games after the first `games`, whose numbers would
/// change.
pub(super) fn refuse_renumbering(folder: &Path, games: u64) -> Result<(), CollectionError> {
    let judgments = Judgments::open(folder)?;
    if judgments.iter().all(|it| it.game.0 <= games) {
        return Ok(());
    }
    let path = judgments.path;
    Err(CollectionError::Judged { path, games })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgment(assessor: &str, game: u64, grade: u8) -> Judgment {
        Judgment {
            assessor: assessor.to_owned(),
            query: "8/8/4k3/8/8/4K3/8/8 w - -".to_owned(),
            game: GameNumber(game),
            ply: Ply(30),
            grade,
            time: 1,
        }
    }

    fn grades(judgments: &Judgments) -> Vec<(String, u64, u8)> {
        let row = |it: &Judgment| (it.assessor.clone(), it.game.0, it.grade);
        judgments.iter().map(row).collect()
    }

    #[test]
    fn the_last_word_counts_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let mut judgments = Judgments::open(folder.path()).unwrap();
        assert_eq!(judgments.iter().count(), 0);
        for (assessor, game, grade) in [("Anna", 1, 4), ("Berta", 1, 0), ("Anna", 1, 2)] {
            judgments.add([judgment(assessor, game, grade)]).unwrap();
        }
        let expected = [("Anna".to_owned(), 1, 2), ("Berta".to_owned(), 1, 0)];
        assert_eq!(grades(&judgments), expected);
        let again = Judgments::open(folder.path()).unwrap();
        assert_eq!(grades(&again), expected);
        assert_eq!(again.unreadable(), 0);
    }

    #[test]
    fn games_that_were_judged_keep_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        assert!(refuse_renumbering(folder.path(), 0).is_ok());
        let mut judgments = Judgments::open(folder.path()).unwrap();
        judgments.add([judgment("Anna", 7, 4)]).unwrap();
        assert!(refuse_renumbering(folder.path(), 7).is_ok());
        let error = refuse_renumbering(folder.path(), 6).unwrap_err();
        assert!(error.to_string().contains("only the first 6 games"));
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let mut judgments = Judgments::open(folder.path()).unwrap();
        judgments
            .add([judgment("Anna", 1, 4), judgment("Anna", 2, 3)])
            .unwrap();
        let path = folder.path().join(NAME);
        let whole = std::fs::read(&path).unwrap();
        let first = whole.iter().position(|&it| it == b'\n').unwrap() + 1;
        // Whatever was written when the writer was killed, what came before stays.
        for end in first..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let mut torn = Judgments::open(folder.path()).unwrap();
            torn.add([judgment("Anna", 3, 1)]).unwrap();
            let again = grades(&Judgments::open(folder.path()).unwrap());
            assert_eq!(again[0], ("Anna".to_owned(), 1, 4));
            assert_eq!(again.last().unwrap(), &("Anna".to_owned(), 3, 1));
        }
    }
}
