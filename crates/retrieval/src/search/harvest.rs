//! The most promising windows of a whole collection, scored before any others.
//!
//! The bounds of all windows are summed once. Each room of the search gives the windows with the
//! greatest sums, about its share of some thousands, and says how much the others could score at
//! the most. The windows are scored in the order of their bounds, best first over all rooms and
//! views. Where that does not give enough hits, because the games of an opening share their
//! positions, the next windows are harvested, each time several times as many. Rooms that could
//! still hold something are then searched in full; few ever are.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use rayon::prelude::*;

use super::{
    Answer, Room, View,
    bound::{Bound, Candidate},
};
use crate::index::WindowId;

/// How many windows are harvested for each hit that is wanted, and besides.
const A_HIT: usize = 12;
const BESIDES: usize = 300;
/// More would only take memory.
const MOST: usize = 1 << 16;
/// How many times as many windows are harvested next, if there are not enough hits.
const MORE: f64 = 4.0;
/// Good windows are spread nearly evenly over the rooms. So each room may give more than its share:
/// by this part of all windows wanted, and by at most [`SPARE_SHARES`] times its share.
const SPARE: f64 = 0.125;
const SPARE_SHARES: f64 = 2.0;

/// A room as a view sees it.
struct Plot<'a> {
    room: &'a Room<'a>,
    view: &'a View,
    /// The room's part of all windows.
    part: f64,
    /// Windows with this sum or more are harvested.
    least: u32,
    /// The most that a window can score which is not harvested yet.
    left: f64,
    /// The windows that were harvested, in order.
    harvested: Vec<WindowId>,
}

/// A candidate, and where it is.
#[derive(Clone, Copy)]
struct Prospect<'a> {
    /// The greatest similarity that a position of the window can have.
    bound: f64,
    room: &'a Room<'a>,
    view: &'a View,
    candidate: Candidate,
}

impl Prospect<'_> {
    /// Best bound first.
    fn order(&self, other: &Prospect<'_>) -> std::cmp::Ordering {
        other.bound.total_cmp(&self.bound)
    }

    fn score(&self, answer: &Answer<'_>) {
        if self.bound >= answer.threshold() && !answer.is_over() {
            self.room.score(&self.candidate, self.view, answer);
        }
    }
}

/// The rooms of a view, and the sum that a window must reach to be harvested.
struct Field<'a> {
    bound: Bound<'a>,
    /// It rises.
    least: AtomicU32,
    /// The shares of the rooms that were harvested, and how many windows they had of each sum.
    seen: Mutex<(f64, Vec<u32>)>,
}

impl<'a> Field<'a> {
    fn new(view: &'a View) -> Field<'a> {
        Field {
            bound: Bound::guess(&view.scorer),
            least: AtomicU32::new(0),
            seen: Mutex::default(),
        }
    }

    /// Sums the bounds of a room and gives the greatest that are not harvested yet, about its share
    /// of those that are wanted.
    fn harvest(&self, plot: &mut Plot<'a>, wanted: f64, answer: &Answer<'_>) -> Vec<Prospect<'a>> {
        let Plot { room, view, .. } = *plot;
        let share = wanted * plot.part;
        let spare = (wanted * SPARE).min(share * SPARE_SHARES);
        let survey = self.bound.survey(&room.windows, room.admitted());
        answer.work.summed(survey.windows());
        let known = self.least.load(Ordering::Relaxed);
        let least = match known {
            0 => survey.greatest_below(plot.least, ((share + spare) as usize).max(1)),
            known => known.min(plot.least),
        };
        let (mut found, mut sums) = (Vec::new(), Vec::new());
        survey.for_each(least..plot.least, |sum, candidate| {
            sums.push(sum);
            found.push(Prospect {
                bound: view.scorer.similarity(candidate.bound),
                room,
                view,
                candidate,
            });
        });
        self.count(&sums, share, spare);
        plot.left = survey.most_below(least);
        plot.least = least;
        let windows = found.iter().map(|it: &Prospect<'_>| it.candidate.window);
        plot.harvested.extend(windows);
        plot.harvested.sort_unstable();
        found
    }

    /// Counts the sums of a room's windows, to know which windows of the next one to keep.
    fn count(&self, sums: &[u32], share: f64, spare: f64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (shares, counts) = &mut *seen;
        *shares += share;
        for &sum in sums {
            let sum = sum as usize;
            counts.resize(counts.len().max(sum + 1), 0);
            counts[sum] += 1;
        }
        let wanted = *shares + spare;
        let mut reached = 0.0;
        let enough = counts.iter().rposition(|&count| {
            reached += f64::from(count);
            reached >= wanted
        });
        let least = enough.unwrap_or(0) as u32;
        self.least.fetch_max(least, Ordering::Relaxed);
    }
}

/// Scores the windows that can matter, best bound first.
pub(super) fn score(rooms: &[Room<'_>], views: &[View], answer: &Answer<'_>) {
    let sizes: Vec<usize> = rooms.iter().map(Room::size).collect();
    let all = sizes.iter().sum::<usize>().max(1) as f64;
    let plots = rooms.iter().zip(sizes).flat_map(|(room, size)| {
        views.iter().map(move |view| Plot {
            room,
            view,
            part: size as f64 / all,
            least: u32::MAX,
            left: f64::INFINITY,
            harvested: Vec::new(),
        })
    });
    let mut plots: Vec<Plot<'_>> = plots.collect();
    let wanted = answer.top.saturating_mul(A_HIT).saturating_add(BESIDES);
    let mut wanted = wanted.min(MOST) as f64;
    while answer.threshold() == 0.0 && plots.iter().any(|it| it.least > 0) {
        if answer.is_over() {
            return;
        }
        score_best(harvest(&mut plots, views, wanted, answer), answer);
        wanted *= MORE;
    }
    let can_matter = |it: &&Plot<'_>| it.least > 0 && it.left >= it.view.threshold(answer);
    let rest: Vec<_> = plots.iter().filter(can_matter).collect();
    rest.par_iter()
        .for_each(|it| it.room.search(it.view, &it.harvested, answer));
}

/// The windows of all plots with the greatest bounds of those that are left.
fn harvest<'a>(
    plots: &mut [Plot<'a>],
    views: &'a [View],
    wanted: f64,
    answer: &Answer<'_>,
) -> Vec<Prospect<'a>> {
    let fields: Vec<Field<'a>> = views.iter().map(Field::new).collect();
    let of_view = |(at, plot): (usize, &mut Plot<'a>)| {
        let field = &fields[at % views.len()];
        match plot.least == 0 || answer.is_over() {
            true => Vec::new(),
            false => field.harvest(plot, wanted, answer),
        }
    };
    let found: Vec<_> = plots.par_iter_mut().enumerate().map(of_view).collect();
    found.concat()
}

/// Scores windows, best bound first, until none can matter.
fn score_best(mut found: Vec<Prospect<'_>>, answer: &Answer<'_>) {
    let first = (answer.top.saturating_mul(3) / 2).min(found.len());
    if first < found.len() {
        found.select_nth_unstable_by(first, Prospect::order);
    }
    let mut others = found.split_off(first);
    found.sort_unstable_by(Prospect::order);
    found.par_iter().for_each(|it| it.score(answer));
    others.retain(|it| it.bound >= answer.threshold());
    others.sort_unstable_by(Prospect::order);
    others.par_iter().for_each(|it| it.score(answer));
}
