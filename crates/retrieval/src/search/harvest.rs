//! The most promising windows of a whole collection, scored before any others.
//!
//! The bounds of all windows are summed once. Each room of the search gives the windows with the
//! greatest sums, about its share of some thousands, and says how much the others could score at
//! the most. The windows are scored in the order of their bounds, best first over all rooms and
//! views. Rooms that could still hold something are then searched in full; few ever are.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use rayon::prelude::*;

use super::{
    Answer, Room, View,
    bound::{Bound, Candidate},
};

/// How many windows are harvested for each hit that is wanted, and besides.
const A_HIT: usize = 12;
const BESIDES: usize = 300;
/// More would only take memory.
const MOST: usize = 1 << 16;
/// Rooms are alike, but not quite: they give somewhat more than their share.
const SPARE_ROOMS: f64 = 2.0;

/// The windows with the greatest bounds, and what is left.
pub(super) struct Harvest<'a> {
    candidates: Vec<Found<'a>>,
    rooms: Vec<Harvested<'a>>,
}

/// A room of which the best windows for a view are harvested.
#[derive(Clone, Copy)]
struct Harvested<'a> {
    room: &'a Room<'a>,
    view: &'a View,
    /// The most that a window can score which was not harvested.
    left: f64,
}

/// A candidate, and where it is.
#[derive(Clone, Copy)]
struct Found<'a> {
    /// The greatest similarity that a position of the window can have.
    bound: f64,
    room: &'a Room<'a>,
    view: &'a View,
    candidate: Candidate,
}

impl Found<'_> {
    /// Best bound first.
    fn order(&self, other: &Found<'_>) -> std::cmp::Ordering {
        other.bound.total_cmp(&self.bound)
    }

    fn score(&self, answer: &Answer<'_>) {
        if self.bound >= answer.threshold() && !answer.cancel.is_canceled() {
            self.room.score(&self.candidate, self.view, answer);
        }
    }
}

/// The rooms of a view, and the sum that a window must reach to be harvested.
struct Field<'a> {
    view: &'a View,
    bound: Bound<'a>,
    /// It rises.
    least: AtomicU32,
    /// How many rooms were harvested, and how many windows of each sum.
    seen: Mutex<(usize, Vec<u32>)>,
}

impl<'a> Field<'a> {
    fn new(view: &'a View) -> Field<'a> {
        Field {
            view,
            bound: Bound::guess(&view.scorer),
            least: AtomicU32::new(0),
            seen: Mutex::default(),
        }
    }

    /// Sums the bounds of a room and keeps the greatest, about a share of them.
    fn harvest(
        &self,
        room: &'a Room<'a>,
        share: f64,
        answer: &Answer<'_>,
    ) -> (Harvested<'a>, Vec<Found<'a>>) {
        let survey = self.bound.survey(&room.windows, room.admitted());
        answer.work.summed(survey.windows());
        let least = match self.least.load(Ordering::Relaxed) {
            0 => survey.greatest(((1.0 + SPARE_ROOMS) * share) as usize),
            least => least,
        };
        let (view, mut found, mut sums) = (self.view, Vec::new(), Vec::new());
        survey.for_each(least, |sum, candidate| {
            sums.push(sum);
            found.push(Found {
                bound: view.scorer.similarity(candidate.bound),
                room,
                view,
                candidate,
            });
        });
        self.count(&sums, share);
        let left = survey.most_below(least);
        (Harvested { room, view, left }, found)
    }

    /// Counts the sums of a room's windows, to know which windows of the next one to keep.
    fn count(&self, sums: &[u32], share: f64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (rooms, counts) = &mut *seen;
        *rooms += 1;
        for &sum in sums {
            let sum = sum as usize;
            counts.resize(counts.len().max(sum + 1), 0);
            counts[sum] += 1;
        }
        let wanted = share * (*rooms as f64 + SPARE_ROOMS);
        let mut reached = 0.0;
        let enough = counts.iter().rposition(|&count| {
            reached += f64::from(count);
            reached >= wanted
        });
        let least = enough.unwrap_or(0) as u32;
        self.least.fetch_max(least, Ordering::Relaxed);
    }
}

impl<'a> Harvest<'a> {
    pub(super) fn of(rooms: &'a [Room<'a>], views: &'a [View], answer: &Answer<'_>) -> Harvest<'a> {
        let wanted = answer.top.saturating_mul(A_HIT).saturating_add(BESIDES);
        let share = wanted.min(MOST) as f64 / rooms.len().max(1) as f64;
        let fields: Vec<Field<'a>> = views.iter().map(Field::new).collect();
        let work: Vec<_> = rooms
            .iter()
            .flat_map(|room| fields.iter().map(move |field| (room, field)))
            .filter(|_| !answer.cancel.is_canceled())
            .collect();
        let harvested = work
            .par_iter()
            .map(|(room, field)| field.harvest(room, share, answer));
        let (rooms, found): (Vec<_>, Vec<_>) = harvested.unzip();
        Harvest {
            candidates: found.concat(),
            rooms,
        }
    }

    /// Scores the windows, best bound first, until none can matter; then what is left where it
    /// still can.
    pub(super) fn score(mut self, answer: &Answer<'_>) {
        let first = (answer.top.saturating_mul(3) / 2).min(self.candidates.len());
        if first < self.candidates.len() {
            self.candidates.select_nth_unstable_by(first, Found::order);
        }
        let mut others = self.candidates.split_off(first);
        self.candidates.sort_unstable_by(Found::order);
        self.candidates.par_iter().for_each(|it| it.score(answer));
        others.retain(|it| it.bound >= answer.threshold());
        others.sort_unstable_by(Found::order);
        others.par_iter().for_each(|it| it.score(answer));
        let can_matter = |it: &&Harvested<'_>| it.left >= it.view.threshold(answer);
        let rest: Vec<_> = self.rooms.iter().filter(can_matter).collect();
        rest.par_iter()
            .for_each(|it| it.room.search(it.view, answer));
    }
}
