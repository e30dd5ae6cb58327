//! Training: what a learner has solved, and what is due.
//!
//! `training.jsonl` in the collection of exercises has a review a line and only grows. An
//! exercise is named by the digest of its game and its ply, so that merging and importing do
//! not lose what was learned.

mod exercise;
mod memory;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tabiya_chess::Ply;

use crate::{
    collection::{CollectionError, journal},
    index::GameDigest,
};

pub use exercise::{Exercise, games_of};
pub use memory::{Grade, Memory};

const NAME: &str = "training.jsonl";

/// One attempt at an exercise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Who solved it.
    pub learner: String,
    /// The digest of the game.
    pub exercise: GameDigest,
    /// How many plies were played before the position.
    pub ply: Ply,
    /// How it went.
    pub grade: Grade,
    /// When, in seconds since 1970.
    pub time: u64,
}

/// What a learner knows of an exercise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// The learner's memory.
    pub memory: Memory,
    /// The time of the last attempt, in seconds since 1970.
    pub last: u64,
    /// The number of attempts.
    pub attempts: u32,
    /// The number of attempts that failed.
    pub failures: u32,
}

const DAY: f64 = 86_400.0;

impl Card {
    /// When the next attempt is due, in seconds since 1970.
    pub fn due(&self) -> u64 {
        self.last
            .saturating_add((self.memory.stability * DAY) as u64)
    }

    fn after(known: Option<Card>, attempt: &Attempt) -> Card {
        let failure = u32::from(attempt.grade == Grade::Again);
        let Some(card) = known else {
            return Card {
                memory: Memory::first(attempt.grade),
                last: attempt.time,
                attempts: 1,
                failures: failure,
            };
        };
        let days = attempt.time.saturating_sub(card.last) as f64 / DAY;
        Card {
            memory: card.memory.reviewed(attempt.grade, days),
            last: attempt.time.max(card.last),
            attempts: card.attempts + 1,
            failures: card.failures + failure,
        }
    }
}

/// The cards of a learner, by exercise and ply.
pub type Cards = BTreeMap<(GameDigest, Ply), Card>;

/// All attempts kept with a collection.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    attempts: Vec<Attempt>,
}

impl History {
    /// Reads the history of a collection; there may be none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn open(folder: &Path) -> Result<History, CollectionError> {
        let path = folder.join(NAME);
        let attempts = journal::read(&path).map_err(CollectionError::io(&path))?;
        Ok(History { path, attempts })
    }

    /// What is wrong with the history kept in a folder, line by line.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn faults(folder: &Path) -> Result<Vec<String>, CollectionError> {
        let path = folder.join(NAME);
        journal::faults::<Attempt>(&path).map_err(CollectionError::io(&path))
    }

    /// Keeps an attempt; it is safe once this returns.
    ///
    /// # Errors
    ///
    /// When the system refuses to write.
    pub fn add(&mut self, attempt: Attempt) -> Result<(), CollectionError> {
        journal::append(&self.path, &attempt).map_err(CollectionError::io(&self.path))?;
        self.attempts.push(attempt);
        Ok(())
    }

    /// The cards of a learner.
    pub fn cards(&self, learner: &str) -> Cards {
        let mut cards = Cards::new();
        for attempt in self.attempts.iter().filter(|it| it.learner == learner) {
            let key = (attempt.exercise, attempt.ply);
            let card = Card::after(cards.get(&key).copied(), attempt);
            cards.insert(key, card);
        }
        cards
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(exercise: &str, grade: Grade, day: u64) -> Attempt {
        Attempt {
            learner: "Anna".to_owned(),
            exercise: exercise.parse().unwrap(),
            ply: Ply(1),
            grade,
            time: day * 86_400,
        }
    }

    #[test]
    fn a_history_survives_and_says_what_is_due() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = History::open(folder.path()).unwrap();
        assert!(history.cards("Anna").is_empty());
        history.add(attempt("a", Grade::Again, 10)).unwrap();
        history.add(attempt("b", Grade::Easy, 10)).unwrap();
        history.add(attempt("a", Grade::Good, 12)).unwrap();
        let cards = History::open(folder.path()).unwrap().cards("Anna");
        assert_eq!(cards, history.cards("Anna"));
        let card = |name: &str| cards[&(name.parse().unwrap(), Ply(1))];
        assert_eq!((card("a").attempts, card("a").failures), (2, 1));
        // What was failed comes back first.
        assert!(card("a").due() < card("b").due());
        assert!(history.cards("Berta").is_empty());
    }
}
