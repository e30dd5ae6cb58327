//! How long an exercise is remembered: FSRS, version 5, with its published weights.
//!
//! Memory has a *stability*, the days after which nine of ten such exercises are still solved,
//! and a *difficulty* from 1 to 10. A review changes both; the next one is due when the chance
//! to solve the exercise has fallen to nine tenths, which is after as many days as the stability.
//! The crate `fsrs` fits the weights to a learner's history with a learning framework of more
//! than a hundred crates; the formulas alone are these.

use serde::{Deserialize, Serialize};

/// How a review went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Not solved.
    Again,
    /// Solved with help.
    Hard,
    /// Solved.
    Good,
    /// Solved at once.
    Easy,
}

/// What is known of a learner's memory of an exercise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// In days.
    pub stability: f64,
    /// From 1 to 10.
    pub difficulty: f64,
}

const WEIGHTS: [f64; 19] = [
    0.40255, 1.18385, 3.173, 15.69105, 7.1949, 0.5345, 1.4604, 0.0046, 1.54575, 0.1192, 1.01925,
    1.9395, 0.11, 0.29605, 2.2698, 0.2315, 2.9898, 0.51655, 0.6621,
];

const DECAY: f64 = -0.5;
const FACTOR: f64 = 19.0 / 81.0;

impl Memory {
    /// The memory after the first review.
    pub fn first(grade: Grade) -> Memory {
        Memory {
            stability: WEIGHTS[grade as usize],
            difficulty: first_difficulty(grade).clamp(1.0, 10.0),
        }
    }

    /// The chance to solve the exercise after some days.
    pub fn recall(&self, days: f64) -> f64 {
        (1.0 + FACTOR * days.max(0.0) / self.stability).powf(DECAY)
    }

    /// The memory after another review, some days after the last.
    #[must_use]
    pub fn reviewed(&self, grade: Grade, days: f64) -> Memory {
        let w = &WEIGHTS;
        let stability = match grade {
            // On the same day a review says little about memory.
            _ if days < 1.0 => self.stability * (w[17] * (number(grade) - 3.0 + w[18])).exp(),
            Grade::Again => self.forgotten(days),
            _ => self.recalled(grade, days),
        };
        Memory {
            stability: stability.clamp(0.01, 36_500.0),
            difficulty: self.next_difficulty(grade),
        }
    }

    fn recalled(&self, grade: Grade, days: f64) -> f64 {
        let w = &WEIGHTS;
        let bonus = match grade {
            Grade::Hard => w[15],
            Grade::Easy => w[16],
            _ => 1.0,
        };
        let growth = w[8].exp()
            * (11.0 - self.difficulty)
            * self.stability.powf(-w[9])
            * ((w[10] * (1.0 - self.recall(days))).exp() - 1.0)
            * bonus;
        self.stability * (1.0 + growth)
    }

    fn forgotten(&self, days: f64) -> f64 {
        let w = &WEIGHTS;
        let stability = w[11]
            * self.difficulty.powf(-w[12])
            * ((self.stability + 1.0).powf(w[13]) - 1.0)
            * (w[14] * (1.0 - self.recall(days))).exp();
        stability.min(self.stability)
    }

    fn next_difficulty(&self, grade: Grade) -> f64 {
        let w = &WEIGHTS;
        let change = -w[6] * (number(grade) - 3.0);
        let damped = self.difficulty + change * (10.0 - self.difficulty) / 9.0;
        let reverted = w[7] * first_difficulty(Grade::Easy) + (1.0 - w[7]) * damped;
        reverted.clamp(1.0, 10.0)
    }
}

/// The number of a grade, counted from one as FSRS does.
fn number(grade: Grade) -> f64 {
    f64::from(grade as u8 + 1)
}

fn first_difficulty(grade: Grade) -> f64 {
    WEIGHTS[4] - (WEIGHTS[5] * (number(grade) - 1.0)).exp() + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scheme's promises.
    #[test]
    fn stability_is_the_time_until_nine_tenths() {
        for grade in [Grade::Again, Grade::Hard, Grade::Good, Grade::Easy] {
            let memory = Memory::first(grade);
            assert!((memory.recall(memory.stability) - 0.9).abs() < 1e-12);
            assert!((1.0..=10.0).contains(&memory.difficulty));
        }
    }

    #[test]
    fn better_grades_are_remembered_longer_and_failures_shorten() {
        let memory = Memory::first(Grade::Good);
        let after = |grade| memory.reviewed(grade, memory.stability);
        let grades = [Grade::Again, Grade::Hard, Grade::Good, Grade::Easy];
        let days: Vec<f64> = grades.iter().map(|&it| after(it).stability).collect();
        assert!(days.is_sorted(), "{days:?}");
        assert!(days[0] < memory.stability && days[1] > memory.stability);
        assert!(after(Grade::Again).difficulty > after(Grade::Easy).difficulty);
    }

    #[test]
    fn intervals_grow_with_success() {
        let mut memory = Memory::first(Grade::Good);
        for _ in 0..8 {
            let next = memory.reviewed(Grade::Good, memory.stability);
            assert!(next.stability > memory.stability && next.stability <= 36_500.0);
            memory = next;
        }
        // A review at once changes little.
        let again = memory.reviewed(Grade::Good, 0.0);
        assert!(again.stability < 1.5 * memory.stability);
    }
}
