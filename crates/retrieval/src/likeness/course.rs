//! How alike two positions play: the features of their best lines.
//!
//! A [`Course`] is made from the best line of a short search, which is the caller's: this crate
//! has no engine. What a course adds to a likeness is learned like all else, and belongs to
//! [`Group::Lines`](super::Group::Lines).

use shakmaty::{Chess, Move};
use tabiya_chess::named;

use super::feature::NEITHER;
use crate::motif::{self, Motif};

named! {
    /// What is compared of two courses.
    pub enum LineFeature: "feature of a course" {
        /// How the first move works.
        Move = "line-move",
        /// Where it goes, seen from the enemy's king.
        Aim = "line-aim",
        /// The kinds of the player's moves in a row.
        Shape = "line-shape",
        /// How the opponent answers.
        Reply = "line-reply",
        /// The mate at the end.
        Mate = "line-mate",
        /// Pins, skewers, and what a move uncovers.
        Line = "line-line",
        /// What the moved piece attacks.
        Target = "line-target",
        /// What is captured.
        Gain = "line-gain",
        /// The pieces on the board.
        Force = "line-force",
        /// The enemy's king and what is around him.
        King = "line-king",
        /// All of these together.
        Motif = "line-motif",
        /// The first move itself.
        First = "line-first",
        /// The difference in what the line is worth.
        Worth = "line-worth",
    }
}

/// How many features two courses have.
pub const LINE_FEATURES: usize = LineFeature::ALL.len();

/// A worth beyond this, in centipawns, is a win.
const WON: i32 = 1000;

/// What happens from a position on when both players play well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    motif: Motif,
    first: Option<Move>,
    worth: i32,
}

impl Course {
    /// The course of a position with its best line, and what that is worth to the player to move
    /// in centipawns.
    pub fn new(position: &Chess, line: &[Move], worth: i32) -> Course {
        Course {
            motif: Motif::of(position, line),
            first: line.first().copied(),
            worth: worth.clamp(-WON, WON),
        }
    }

    /// What two courses have in common, in the order of [`LineFeature::ALL`].
    pub fn features(&self, other: &Course) -> [f32; LINE_FEATURES] {
        let mut features = [0.0; LINE_FEATURES];
        let families = self.motif.agreements(&other.motif);
        for (feature, agreement) in features.iter_mut().zip(families) {
            *feature = agreement.unwrap_or(NEITHER) as f32;
        }
        let worth = (self.worth - other.worth).abs();
        features[LineFeature::Motif as usize] = self.motif.similarity(&other.motif) as f32;
        features[LineFeature::First as usize] = f32::from(self.same_first(other));
        features[LineFeature::Worth as usize] = -(worth as f32) / 100.0;
        features
    }

    /// 3 for the same first move, 2 for the same piece to the same square, 1 for the same piece.
    fn same_first(&self, other: &Course) -> u8 {
        let (Some(one), Some(two)) = (self.first, other.first) else {
            return 0;
        };
        match (one.role() == two.role(), one.to() == two.to()) {
            (true, true) => 2 + u8::from(one.from() == two.from()),
            (true, false) => 1,
            _ => 0,
        }
    }
}

const _: () = assert!(LineFeature::Motif as usize == motif::FAMILIES);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use shakmaty::Position;
    use tabiya_chess::Symmetry;

    use super::*;
    use crate::{
        index::Statistics,
        likeness::{Group, Judge},
        played::turn,
        testing::{Dice, random_course},
    };

    /// A position of a random game with the moves that followed, and a worth.
    fn start(seed: u64) -> (Chess, Vec<Move>, i32) {
        let mut dice = Dice::new(seed);
        let (start, line) = random_course(&mut dice);
        (start, line, dice.below(3000) as i32 - 1500)
    }

    /// The features by their definitions: the slow twin.
    fn slowly(one: &Course, two: &Course) -> Vec<f32> {
        let words = |it: &Course, family: usize| -> BTreeSet<u64> {
            let all = it.motif.words().filter(|it| it.0 == family);
            all.map(|it| it.1).collect()
        };
        let mut features = Vec::new();
        for family in 0..motif::FAMILIES {
            let (a, b) = (words(one, family), words(two, family));
            let both = a.intersection(&b).count() as f64;
            features.push(match (a.len(), b.len()) {
                (0, 0) => 0.5,
                (0, _) | (_, 0) => 0.0,
                (a, b) => (both / ((a * b) as f64).sqrt()) as f32,
            });
        }
        features.push(one.motif.similarity(&two.motif) as f32);
        let agree = |same: fn(&Move, &Move) -> bool| {
            let pair = one.first.as_ref().zip(two.first.as_ref());
            pair.is_some_and(|(one, two)| same(one, two))
        };
        features.push(match agree(|a, b| a.role() == b.role()) {
            true if agree(|a, b| (a.from(), a.to()) == (b.from(), b.to())) => 3.0,
            true if agree(|a, b| a.to() == b.to()) => 2.0,
            true => 1.0,
            false => 0.0,
        });
        features.push(-(one.worth.abs_diff(two.worth) as f32) / 100.0);
        features
    }

    proptest! {
        #[test]
        fn features_follow_their_definitions(one: u64, two: u64) {
            let course = |seed| { let (position, line, worth) = start(seed); Course::new(&position, &line, worth) };
            let (one, two) = (course(one), course(two));
            prop_assert_eq!(one.features(&two).to_vec(), slowly(&one, &two));
            prop_assert_eq!(one.features(&two), two.features(&one));
        }

        #[test]
        fn lines_belong_to_their_group_alone(one: u64, two: u64) {
            let (query, line, worth) = start(one);
            let (other, other_line, other_worth) = start(two);
            let symmetry = if other.turn() == query.turn() { Symmetry::None } else { Symmetry::Swap };
            let turned = turn(&other, symmetry).unwrap();
            let turned_line: Vec<Move> = other_line.iter().map(|&it| symmetry.mv(it)).collect();
            let own = Course::new(&query, &line, worth);
            let course = Course::new(&turned, &turned_line, other_worth);
            let likeness = Judge::new(&query, &Statistics::default()).judge(&turned);
            let deep = likeness.deepened(&own, &course);
            prop_assert_eq!(deep.deepened(&own, &course), deep);
            for group in Group::ALL.iter().copied().filter(|&it| it != Group::Lines) {
                prop_assert_eq!(deep.groups[group as usize], likeness.groups[group as usize]);
            }
            prop_assert!((0.0..=1.0).contains(&deep.similarity));
            prop_assert_eq!(deep.similarity == 1.0, likeness.similarity == 1.0);
            let plain = deep.emphasized(&[1.0; crate::likeness::GROUPS]);
            prop_assert!((plain.score - deep.score).abs() < 1e-9);
        }
    }
}
