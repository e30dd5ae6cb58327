//! Training: which exercises a learner gets, what counts as solved, and sets for lessons. The
//! verb `train` and the server's routes share it.

mod check;
pub(crate) mod export;

use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Serialize;
use shakmaty::Chess;
use tabiya_chess::Ply;
use tabiya_question::{AskError, Shards, answer, exercises::Exercises};
use tabiya_retrieval::{
    Collection, Filter, GameNumber,
    index::{FormatError, GameDigest},
    search::Cancel,
    training::{Card, Cards, Exercise, games_of},
};
use utoipa::ToSchema;

pub(crate) use check::{is_as_good, is_quiet};

/// The longest name of a learner, in characters.
pub(crate) const LONGEST_NAME: usize = 64;

const DAY: f64 = 86_400.0;

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| it.as_secs())
}

/// The exercises of a collection for a learner.
pub(crate) struct Course<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) cards: &'a Cards,
    pub(crate) filter: Filter,
    /// In seconds since 1970.
    pub(crate) now: u64,
}

/// An exercise that was tried before.
pub(crate) struct Known {
    pub(crate) exercise: Exercise,
    pub(crate) card: Card,
}

impl Known {
    /// How long it has been due; negative if it is not due yet.
    pub(crate) fn overdue_days(&self, now: u64) -> f64 {
        (now as f64 - self.card.due() as f64) / DAY
    }
}

/// What a learner did with a motif.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct Progress {
    /// The motif: a theme, a named idea, or `nothing to find` for red herrings.
    pub(crate) motif: String,
    /// The number of exercises that were tried.
    pub(crate) exercises: u32,
    /// The number of attempts.
    pub(crate) attempts: u32,
    /// The number of attempts that failed.
    pub(crate) failures: u32,
    /// The mean chance to solve such an exercise now, from 0 to 1.
    pub(crate) recall: f64,
}

/// What the progress calls red herrings.
const HERRINGS: &str = "nothing to find";

/// Why a walk over games ends.
enum Stop {
    Enough,
    Damaged(FormatError),
}

impl From<FormatError> for Stop {
    fn from(error: FormatError) -> Stop {
        Stop::Damaged(error)
    }
}

impl Course<'_> {
    /// The exercises that were tried, those that are due first: the longest overdue at the top.
    pub(crate) fn known(&self) -> Result<Vec<Known>, FormatError> {
        let mut known = Vec::new();
        for (digest, number) in games_of(self.cards, &self.collection.shards())? {
            for exercise in self.admitted(number)? {
                if let Some(&card) = self.cards.get(&(digest, exercise.ply)) {
                    known.push(Known { exercise, card });
                }
            }
        }
        known.sort_by_key(|it| (it.card.due(), it.exercise.game, it.exercise.ply));
        Ok(known)
    }

    /// The exercises that are due, the longest overdue first.
    pub(crate) fn due(&self) -> Result<Vec<Known>, FormatError> {
        let mut known = self.known()?;
        known.retain(|it| it.card.due() <= self.now);
        Ok(known)
    }

    /// Exercises that the learner has not tried, in the order of the collection.
    pub(crate) fn untried(&self, count: usize) -> Result<Vec<Exercise>, FormatError> {
        let mut new = Vec::new();
        if count == 0 {
            return Ok(new);
        }
        let visit = |number: GameNumber, game: tabiya_chess::Game| -> Result<(), Stop> {
            let exercises = Exercise::all(number, &game).into_iter();
            new.extend(exercises.filter(|it| self.is_new(it.key())));
            match new.len() >= count {
                true => Err(Stop::Enough),
                false => Ok(()),
            }
        };
        match self.collection.for_each_game(&self.filter, visit) {
            Err(Stop::Damaged(error)) => Err(error),
            _ => {
                new.truncate(count);
                Ok(new)
            }
        }
    }

    /// Exercises like a position that the learner has not tried, the most similar first.
    pub(crate) fn like(
        &self,
        question: &Exercises,
        cancel: &Cancel,
    ) -> Result<Vec<Exercise>, AskError> {
        let mut like = Vec::new();
        let found = answer(question, &Shards::from(self.collection), cancel)?;
        for it in found.exercises {
            let exercises = self.at(it.game.id)?.into_iter();
            like.extend(exercises.filter(|one| one.ply == it.ply && self.is_new(one.key())));
        }
        Ok(like)
    }

    /// The exercises of a game; those of a game that does not exist are none.
    pub(crate) fn at(&self, number: GameNumber) -> Result<Vec<Exercise>, FormatError> {
        let game = self.collection.game(number)?;
        Ok(game.map_or(Vec::new(), |it| Exercise::all(number, &it)))
    }

    fn admitted(&self, number: GameNumber) -> Result<Vec<Exercise>, FormatError> {
        let game = self.collection.game(number)?;
        let game = game.filter(|it| self.filter.admits_tags(&it.tags));
        Ok(game.map_or(Vec::new(), |it| Exercise::all(number, &it)))
    }

    fn is_new(&self, key: (GameDigest, Ply)) -> bool {
        !self.cards.contains_key(&key)
    }

    /// What the learner did, by motif.
    pub(crate) fn progress(&self) -> Result<Vec<Progress>, FormatError> {
        let mut motifs: BTreeMap<String, Progress> = BTreeMap::new();
        for (digest, number) in games_of(self.cards, &self.collection.shards())? {
            for exercise in self.admitted(number)? {
                if let Some(card) = self.cards.get(&(digest, exercise.ply)) {
                    let names = exercise.motifs.iter();
                    names.for_each(|it| self.add(motifs.entry(it.clone()).or_default(), card));
                }
                let herring = self.cards.get(&exercise.herring_key());
                if let Some(card) = herring.filter(|_| exercise.ply.0 > 0) {
                    self.add(motifs.entry(HERRINGS.to_owned()).or_default(), card);
                }
            }
        }
        let named = motifs.into_iter().map(|(motif, it)| Progress {
            motif,
            recall: it.recall / f64::from(it.exercises),
            ..it
        });
        Ok(named.collect())
    }

    fn add(&self, row: &mut Progress, card: &Card) {
        row.exercises += 1;
        row.attempts += card.attempts;
        row.failures += card.failures;
        let days = self.now.saturating_sub(card.last) as f64 / DAY;
        row.recall += card.memory.recall(days);
    }
}

/// The first exercise, from some place on, before which there was nothing to find. Only the
/// position before it is shown.
pub(crate) fn herring(exercises: &[Exercise], from: usize) -> Option<(&Exercise, &Chess)> {
    /// How many positions are searched at the most.
    const TRIED: usize = 12;
    let from = from % exercises.len().max(1);
    let (front, back) = exercises.split_at(from);
    let positions = back.iter().chain(front);
    let positions = positions.filter_map(|it| Some((it, &it.before.as_ref()?.0)));
    positions.take(TRIED).find(|it| is_quiet(it.1))
}
