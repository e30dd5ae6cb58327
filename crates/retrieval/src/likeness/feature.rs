//! The features of a pair: what a query and another position have in common.
//!
//! Every feature is an integer, a ratio of integers, or a ratio of sums of inverse document
//! frequencies in the order of terms, so that every machine gets the same bits. Each is
//! greater the more alike the positions are; the model may rely on it.

use shakmaty::{Bitboard, Color, Role, Square};
use tabiya_chess::{exchange::exchange_value, named};

use super::{
    reading::Reading,
    words::{FAMILIES, Family as Words},
};
use crate::{
    index::Statistics,
    rank::inverse_frequency,
    term::{Bits, Family, PLANES, Term, VOCABULARY},
};

named! {
    /// To what a contribution to the likeness of two positions belongs.
    pub enum Group: "group" {
        /// The same pieces on the same squares, or near them.
        Squares = "squares",
        /// The pawns.
        Pawns = "pawns",
        /// The pieces there are.
        Material = "material",
        /// The kings and what is around them.
        Kings = "kings",
        /// What is attacked and protected, checks, gains, forks.
        Threats = "threats",
        /// Pins, batteries and other lines, open files.
        Lines = "lines",
    }
}

named! {
    /// What is compared.
    pub enum Feature: "feature" {
        /// Places, weighed by rarity.
        Place = "place",
        /// Places within two steps of the enemy's king.
        PlaceThere = "place-there",
        /// Places within two steps of our king.
        PlaceHere = "place-here",
        /// Places of one position that pieces of the other could move to.
        Reach = "reach",
        /// Equal squares over the larger number of pieces.
        Squares = "squares",
        /// The same without pawns.
        Pieces = "pieces",
        /// Pieces of which the other position has one within a step.
        Near = "near",
        /// The same within two steps.
        Nearby = "nearby",
        /// Equal pawns over the larger number.
        Pawns = "pawns",
        /// The same for our pawns.
        OurPawns = "our-pawns",
        /// The same for the enemy's pawns.
        TheirPawns = "their-pawns",
        /// The same in the middle of the board.
        Center = "center",
        /// Files on which both have, or lack, pawns alike.
        Files = "files",
        /// Files with the same passed pawns.
        Passed = "passed",
        /// The difference in the number of pawns.
        PawnCount = "pawn-count",
        /// Isolated, doubled, backward and passed pawns.
        Skeleton = "skeleton",
        /// Equal pawns within two steps of the kings.
        Shield = "shield",
        /// Kinds of pieces in common, bishops by the color of their squares.
        Material = "material",
        /// The difference in pieces other than pawns.
        Force = "force",
        /// The difference in the balance of material.
        Balance = "balance",
        /// The difference in the number of pieces.
        Count = "count",
        /// The distance between the squares of the enemy's king.
        TheirKing = "their-king",
        /// The distance between the squares of our king.
        OurKing = "our-king",
        /// Kings on the same wings.
        Wings = "wings",
        /// What is around the enemy's king.
        Siege = "siege",
        /// How many words of what is around the enemy's king both have.
        Sieges = "sieges",
        /// What is around our king.
        Shelter = "shelter",
        /// Attacks, weighed by rarity.
        Attack = "attack",
        /// Attacks within two steps of the enemy's king.
        AttackThere = "attack-there",
        /// Attacks within two steps of our king.
        AttackHere = "attack-here",
        /// Defenses, weighed by rarity.
        Defense = "defense",
        /// Defenses within two steps of the enemy's king.
        DefenseThere = "defense-there",
        /// Defenses within two steps of our king.
        DefenseHere = "defense-here",
        /// Checks.
        Check = "check",
        /// Mates in one.
        Mate = "mate",
        /// Captures that win material.
        Win = "win",
        /// Forks.
        Fork = "fork",
        /// Loose and overloaded pieces.
        Loose = "loose",
        /// Advanced pawns.
        Advance = "advance",
        /// How many words of checks both have.
        Checks = "checks",
        /// How many words of mates both have.
        Mates = "mates",
        /// How many words of gains both have.
        Wins = "wins",
        /// How many words of forks both have.
        Forks = "forks",
        /// X-rays, weighed by rarity.
        Ray = "ray",
        /// Pins, skewers, batteries.
        Pin = "pin",
        /// How many words of pins, skewers and batteries both have.
        Pins = "pins",
        /// Open files, the seventh rank, outposts.
        Post = "post",
    }
}

/// How many features there are.
pub const FEATURES: usize = Feature::ALL.len();

impl Feature {
    /// To what the feature's contribution belongs.
    pub const fn group(self) -> Group {
        use Feature as F;
        match self {
            F::Place | F::PlaceThere | F::PlaceHere | F::Reach => Group::Squares,
            F::Squares | F::Pieces | F::Near | F::Nearby => Group::Squares,
            F::Pawns | F::OurPawns | F::TheirPawns | F::Center | F::Files => Group::Pawns,
            F::Passed | F::PawnCount | F::Skeleton => Group::Pawns,
            F::Material | F::Force | F::Balance | F::Count => Group::Material,
            F::TheirKing | F::OurKing | F::Wings | F::Siege | F::Shelter => Group::Kings,
            F::Shield | F::Sieges => Group::Kings,
            F::Ray | F::Pin | F::Pins | F::Post => Group::Lines,
            _ => Group::Threats,
        }
    }
}

/// The values of all features, in the order of [`Feature::ALL`].
pub type Features = [f32; FEATURES];

/// How rare each term is in a collection.
#[derive(Clone, Debug)]
pub(super) struct Rarity(Vec<f64>);

impl Rarity {
    pub(super) fn of(statistics: &Statistics) -> Rarity {
        let terms = (0..VOCABULARY).filter_map(Term::from_index);
        Rarity(terms.map(|it| inverse_frequency(statistics, it)).collect())
    }
}

/// A query, ready to be compared.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) reading: Reading,
    us: Color,
    /// Everywhere, near the enemy's king, near our king.
    zones: [u64; 3],
    rarity: Rarity,
    counts: [u32; FAMILIES],
    own: Sums,
}

/// Sums of rarities by family (place, attack, defence, ray) and zone.
type Sums = [[f64; 3]; 4];

impl Query {
    pub(super) fn new(reading: Reading, rarity: Rarity) -> Query {
        let us = reading.turn;
        let zone = |color: Color| reading.board.king_of(color).map_or(0, |it| ring(it, 2).0);
        let zones = [u64::MAX, zone(!us), zone(us)];
        let own = sums(&rarity, &zones, |plane| standing(&reading, plane));
        Query {
            counts: reading.words.counts(),
            reading,
            us,
            zones,
            rarity,
            own,
        }
    }

    /// The features of the pair of the query and another position.
    pub(super) fn features(&self, other: &Reading) -> Features {
        let mut features = [0.0; FEATURES];
        let mut set = |feature: Feature, value: f64| features[feature as usize] = value as f32;
        self.compare_terms(other, &mut set);
        self.compare_squares(other, &mut set);
        self.compare_pawns(other, &mut set);
        self.compare_material(other, &mut set);
        self.compare_kings(other, &mut set);
        self.compare_words(other, &mut set);
        features
    }

    fn compare_terms(&self, other: &Reading, set: &mut impl FnMut(Feature, f64)) {
        use Feature as F;
        let one = &self.reading;
        let shared = sums(&self.rarity, &self.zones, |plane| {
            standing(one, plane) & standing(other, plane)
        });
        let others = sums(&self.rarity, &self.zones, |plane| standing(other, plane));
        let features = [
            [Some(F::Place), Some(F::PlaceThere), Some(F::PlaceHere)],
            [Some(F::Attack), Some(F::AttackThere), Some(F::AttackHere)],
            [
                Some(F::Defense),
                Some(F::DefenseThere),
                Some(F::DefenseHere),
            ],
            [Some(F::Ray), None, None],
        ];
        for (family, row) in features.iter().enumerate() {
            for (zone, feature) in row.iter().enumerate() {
                if let Some(feature) = *feature {
                    let whole = self.own[family][zone] + others[family][zone];
                    set(feature, share(2.0 * shared[family][zone], whole));
                }
            }
        }
        let reach = |one: &Reading, two: &Reading| {
            let mut sum = 0.0;
            for plane in 0..12 {
                let could = two.terms.0[plane] & !two.pieces[plane].0;
                for bit in Bits(one.pieces[plane].0 & could) {
                    sum += self.rarity.0[64 * plane + bit];
                }
            }
            sum
        };
        let met = reach(one, other) + reach(other, one);
        set(F::Reach, share(met, self.own[0][0] + others[0][0]));
    }

    fn compare_squares(&self, other: &Reading, set: &mut impl FnMut(Feature, f64)) {
        let (one, two) = (&self.reading.pieces, &other.pieces);
        let (mut equal, mut pieces) = (0, 0);
        let mut near = [[0; 2]; 2];
        for kind in 0..12 {
            let same = (one[kind] & two[kind]).count();
            equal += same;
            pieces += if kind % 6 == 0 { 0 } else { same };
            for (steps, near) in near.iter_mut().enumerate() {
                let around = [spread(one[kind], steps + 1), spread(two[kind], steps + 1)];
                near[0] += (one[kind] & around[1]).count();
                near[1] += (two[kind] & around[0]).count();
            }
        }
        let count = |it: &Reading| it.board.occupied().count();
        let officers = |it: &Reading| (it.board.occupied() & !it.board.pawns()).count();
        let most = count(&self.reading).max(count(other));
        let most_officers = officers(&self.reading).max(officers(other));
        set(Feature::Squares, ratio(equal, most));
        set(Feature::Pieces, ratio(pieces, most_officers));
        set(Feature::Near, ratio(near[0][0].min(near[0][1]), most));
        set(Feature::Nearby, ratio(near[1][0].min(near[1][1]), most));
    }

    fn compare_pawns(&self, other: &Reading, set: &mut impl FnMut(Feature, f64)) {
        let (one, two) = (&self.reading.skeleton, &other.skeleton);
        let within = |color: Color, mask: u64| {
            let (a, b) = (one.pawns(color).0 & mask, two.pawns(color).0 & mask);
            [(a & b).count_ones(), a.count_ones(), b.count_ones()]
        };
        let (us, them) = (self.us, !self.us);
        let both = |mask: u64| {
            let (ours, theirs) = (within(us, mask), within(them, mask));
            std::array::from_fn::<u32, 3, _>(|it| ours[it] + theirs[it])
        };
        let over_larger = |[same, a, b]: [usize; 3]| ratio(same, a.max(b));
        let wide = |it: [u32; 3]| it.map(|it| it as usize);
        let all = both(u64::MAX);
        set(Feature::Pawns, over_larger(wide(all)));
        set(Feature::OurPawns, over_larger(wide(within(us, u64::MAX))));
        set(
            Feature::TheirPawns,
            over_larger(wide(within(them, u64::MAX))),
        );
        set(Feature::Center, over_larger(wide(both(CENTER))));
        set(
            Feature::Shield,
            over_larger(wide(both(self.zones[1] | self.zones[2]))),
        );
        let alike = |color: Color| !(one.files(color) ^ two.files(color)) & 0xff;
        let files = (alike(us) & alike(them)).count_ones();
        set(Feature::Files, f64::from(files) / 8.0);
        let passed = |color: Color| {
            let files = |it: Bitboard| {
                it.into_iter()
                    .fold(0u32, |all, it| all | 1 << it.file() as u32)
            };
            let (a, b) = (files(one.passed(color)), files(two.passed(color)));
            [(a & b).count_ones(), a.count_ones(), b.count_ones()]
        };
        let (ours, theirs) = (passed(us), passed(them));
        let sum = std::array::from_fn::<usize, 3, _>(|it| (ours[it] + theirs[it]) as usize);
        let none = sum[1] + sum[2] == 0;
        set(
            Feature::Passed,
            if none { NEITHER } else { over_larger(sum) },
        );
        let difference = |color: Color| {
            let [_, a, b] = within(color, u64::MAX);
            a.abs_diff(b)
        };
        set(
            Feature::PawnCount,
            -f64::from(difference(us) + difference(them)),
        );
    }

    fn compare_material(&self, other: &Reading, set: &mut impl FnMut(Feature, f64)) {
        let (one, two) = (&self.reading, other);
        let (mut lesser, mut greater, mut force) = (0, 0, 0);
        let mut add = |a: usize, b: usize, is_pawn: bool| {
            lesser += a.min(b);
            greater += a.max(b);
            force += if is_pawn { 0 } else { a.abs_diff(b) };
        };
        for kind in 0..12 {
            let (a, b) = (one.pieces[kind], two.pieces[kind]);
            if kind % 6 == Role::Bishop as usize - 1 {
                for squares in [Bitboard::LIGHT_SQUARES, Bitboard::DARK_SQUARES] {
                    add((a & squares).count(), (b & squares).count(), false);
                }
            } else {
                add(a.count(), b.count(), kind % 6 == 0);
            }
        }
        let balance = |it: &Reading| {
            let worth =
                |kind: usize| exchange_value(Role::ALL[kind % 6]) * it.pieces[kind].count() as i32;
            (0..6).map(worth).sum::<i32>() - (6..12).map(worth).sum::<i32>()
        };
        let count = |it: &Reading| it.board.occupied().count();
        set(Feature::Material, ratio(lesser, greater));
        set(Feature::Force, -(force as f64));
        set(
            Feature::Balance,
            -f64::from((balance(one) - balance(two)).abs().min(1000)) / 100.0,
        );
        set(Feature::Count, -(count(one).abs_diff(count(two)) as f64));
    }

    fn compare_kings(&self, other: &Reading, set: &mut impl FnMut(Feature, f64)) {
        let kings = |color: Color| {
            let one = self.reading.board.king_of(color)?;
            Some((one, other.board.king_of(color)?))
        };
        let distance = |color| kings(color).map_or(7, |(one, two)| one.distance(two));
        set(Feature::TheirKing, -f64::from(distance(!self.us)));
        set(Feature::OurKing, -f64::from(distance(self.us)));
        let wing = |king: Square| match king.file() as u32 {
            0..=2 => -1,
            3 | 4 => 0,
            _ => 1,
        };
        let is_same = |color| kings(color).is_some_and(|(one, two)| wing(one) == wing(two));
        let same = u8::from(is_same(self.us)) + u8::from(is_same(!self.us));
        set(Feature::Wings, f64::from(same));
    }

    fn compare_words(&self, other: &Reading, set: &mut impl FnMut(Feature, f64)) {
        let shared = self.reading.words.shared(&other.words);
        let others = other.words.counts();
        let features = [
            (Words::Check, Feature::Check),
            (Words::Mate, Feature::Mate),
            (Words::Win, Feature::Win),
            (Words::Fork, Feature::Fork),
            (Words::Loose, Feature::Loose),
            (Words::Advance, Feature::Advance),
            (Words::Line, Feature::Pin),
            (Words::Siege, Feature::Siege),
            (Words::Shelter, Feature::Shelter),
            (Words::Skeleton, Feature::Skeleton),
            (Words::Post, Feature::Post),
        ];
        for (family, feature) in features {
            let at = family as usize;
            let (a, b) = (self.counts[at], others[at]);
            let value = match (a, b) {
                (0, 0) => NEITHER,
                (0, _) | (_, 0) => 0.0,
                _ => f64::from(shared[at]) / f64::from(a * b).sqrt(),
            };
            set(feature, value);
        }
        let counted = [
            (Words::Check, Feature::Checks),
            (Words::Mate, Feature::Mates),
            (Words::Win, Feature::Wins),
            (Words::Fork, Feature::Forks),
            (Words::Line, Feature::Pins),
            (Words::Siege, Feature::Sieges),
        ];
        for (family, feature) in counted {
            set(feature, f64::from(shared[family as usize].min(MANY)));
        }
    }
}

/// More shared words of a family count no more.
const MANY: u32 = 40;

/// What two positions have in common of which neither has any: less than agreement, more
/// than difference.
pub(super) const NEITHER: f64 = 0.5;

/// Files c to f, ranks 3 to 6.
const CENTER: u64 = 0x0000_3c3c_3c3c_0000;

/// The squares of a plane's terms, without places that a piece could only move to.
fn standing(reading: &Reading, plane: usize) -> u64 {
    match reading.pieces.get(plane) {
        Some(pieces) => pieces.0,
        None => reading.terms.0[plane],
    }
}

/// Sums the rarities of terms, in their order, by family and zone.
fn sums(rarity: &Rarity, zones: &[u64; 3], plane: impl Fn(usize) -> u64) -> Sums {
    let mut sums = [[0.0; 3]; 4];
    for at in 0..PLANES {
        let squares = plane(at);
        if squares == 0 {
            continue;
        }
        let family = match Term::from_index(64 * at).map(Term::family) {
            Some(Family::Attack) => 1,
            Some(Family::Defense) => 2,
            Some(Family::Ray) => 3,
            _ => 0,
        };
        for bit in Bits(squares) {
            let value = rarity.0[64 * at + bit];
            for (sum, zone) in sums[family].iter_mut().zip(zones) {
                if zone >> bit & 1 == 1 {
                    *sum += value;
                }
            }
        }
    }
    sums
}

/// A part of a whole; of nothing, neither has any.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { NEITHER }
}

/// The same for counts, where nothing agrees with nothing.
fn ratio(part: usize, whole: usize) -> f64 {
    if whole > 0 {
        part as f64 / whole as f64
    } else {
        1.0
    }
}

/// The squares within some steps of a square.
fn ring(square: Square, steps: usize) -> Bitboard {
    spread(square.into(), steps)
}

/// Squares and those within some steps of them.
fn spread(squares: Bitboard, steps: usize) -> Bitboard {
    let mut all = squares.0;
    for _ in 0..steps {
        all |= (all & !FILE_H) << 1 | (all & !FILE_A) >> 1;
        all |= all << 8 | all >> 8;
    }
    Bitboard(all)
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
