//! The features by their definitions, square by square: the slow twin of `feature`.

use proptest::prelude::*;
use shakmaty::{Board, Chess, Color, File, Piece, Position, Role, Square};
use tabiya_chess::{Symmetry, exchange::exchange_value};

use super::{Feature, Features, Judge, words::Words};
use crate::{
    index::Statistics,
    played::turn,
    rank::inverse_frequency,
    term::{Encoding, Family, Term, Weight},
    testing::{Dice, random_game},
};

fn pieces(board: &Board) -> Vec<(Square, Piece)> {
    board.iter().collect()
}

fn over(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Equal pieces over the larger number, among those that are chosen.
fn equal(one: &Board, two: &Board, chosen: impl Fn(Square, Piece) -> bool) -> f64 {
    let of = |board: &Board| -> Vec<(Square, Piece)> {
        let all = pieces(board).into_iter();
        all.filter(|it| chosen(it.0, it.1)).collect()
    };
    let (one, two) = (of(one), of(two));
    let same = one.iter().filter(|it| two.contains(it)).count();
    over(same, one.len().max(two.len()))
}

fn near(one: &Board, two: &Board, steps: u32) -> f64 {
    let found = |from: &Board, to: &Board| {
        let is_near = |(square, piece): &(Square, Piece)| {
            pieces(to)
                .iter()
                .any(|it| it.1 == *piece && it.0.distance(*square) <= steps)
        };
        pieces(from).iter().filter(|it| is_near(it)).count()
    };
    let most = pieces(one).len().max(pieces(two).len());
    over(found(one, two).min(found(two, one)), most)
}

/// Twice the rarity of what is shared over that of both, within two steps of a king.
fn terms(pair: (&Board, &Board), family: Family, king: Option<Square>, it: &Statistics) -> f64 {
    let is_near = |term: Term| king.is_none_or(|king| king.distance(term.square()) <= 2);
    let of = |board: &Board| -> Vec<Term> {
        let all = Encoding::of_document(board);
        let chosen = all.iter().filter(|it| it.1.family(it.0) == family);
        chosen.map(|it| it.0).filter(|it| is_near(*it)).collect()
    };
    let (one, two) = (of(pair.0), of(pair.1));
    let sum = |terms: &[Term]| {
        terms
            .iter()
            .map(|&term| inverse_frequency(it, term))
            .sum::<f64>()
    };
    let shared: Vec<Term> = one.iter().copied().filter(|it| two.contains(it)).collect();
    match sum(&one) + sum(&two) {
        whole if whole > 0.0 => 2.0 * sum(&shared) / whole,
        _ => 0.5,
    }
}

/// Places of one board that pieces of the other could move to, both ways.
fn reach(one: &Board, two: &Board, it: &Statistics) -> f64 {
    let places = |board: &Board| -> Vec<Term> {
        let all = pieces(board).into_iter().map(|it| Term::place(it.1, it.0));
        all.collect()
    };
    let sum = |terms: Vec<Term>| {
        terms
            .iter()
            .map(|&term| inverse_frequency(it, term))
            .sum::<f64>()
    };
    let met = |from: &Board, to: &Board| {
        let reached = Encoding::of_document(to);
        let is_met = |it: &Term| reached.weight(*it).is_some_and(|it| it != Weight::FULL);
        sum(places(from).into_iter().filter(is_met).collect())
    };
    let whole = sum(places(one)) + sum(places(two));
    (met(one, two) + met(two, one)) / whole
}

fn pawns_on(board: &Board, color: Color, file: File) -> Vec<Square> {
    let pawn = Role::Pawn.of(color);
    let all = pieces(board).into_iter().filter(|it| it.1 == pawn);
    all.map(|it| it.0).filter(|it| it.file() == file).collect()
}

fn has_passed(board: &Board, color: Color, file: File) -> bool {
    let ahead = |one: Square, two: Square| match color {
        Color::White => two.rank() > one.rank(),
        Color::Black => two.rank() < one.rank(),
    };
    let beside: Vec<File> = File::ALL
        .into_iter()
        .filter(|it| it.distance(file) <= 1)
        .collect();
    pawns_on(board, color, file).into_iter().any(|pawn| {
        let stops = |&it: &File| {
            pawns_on(board, !color, it)
                .iter()
                .any(|&two| ahead(pawn, two))
        };
        !beside.iter().any(stops)
    })
}

fn passed(one: &Board, two: &Board) -> f64 {
    let of = |board: &Board| -> Vec<(Color, File)> {
        let all = Color::ALL
            .into_iter()
            .flat_map(|it| File::ALL.map(|file| (it, file)));
        all.filter(|it| has_passed(board, it.0, it.1)).collect()
    };
    let (one, two) = (of(one), of(two));
    if one.is_empty() && two.is_empty() {
        return 0.5;
    }
    let same = one.iter().filter(|it| two.contains(it)).count();
    over(same, one.len().max(two.len()))
}

/// What a piece counts as: bishops by the color of their square.
fn counted(board: &Board) -> Vec<(Piece, bool)> {
    let kind =
        |(square, piece): (Square, Piece)| (piece, piece.role == Role::Bishop && square.is_light());
    pieces(board).into_iter().map(kind).collect()
}

fn material(one: &Board, two: &Board) -> (f64, f64) {
    let (one, two) = (counted(one), counted(two));
    let mut kinds = [one.clone(), two.clone()].concat();
    kinds.sort_by_key(|it| (it.0.char(), it.1));
    kinds.dedup();
    let (mut lesser, mut greater, mut force) = (0, 0, 0);
    for kind in kinds {
        let count = |all: &[(Piece, bool)]| all.iter().filter(|it| **it == kind).count();
        let (a, b) = (count(&one), count(&two));
        lesser += a.min(b);
        greater += a.max(b);
        if kind.0.role != Role::Pawn {
            force += a.abs_diff(b);
        }
    }
    (over(lesser, greater), -(force as f64))
}

fn balance(board: &Board) -> i32 {
    let worth = |it: (Square, Piece)| exchange_value(it.1.role) * it.1.color.fold_wb(1, -1);
    pieces(board).into_iter().map(worth).sum()
}

/// All features that are not families of words.
fn features(query: &Chess, other: &Chess, statistics: &Statistics) -> Vec<(Feature, f64)> {
    use Feature as F;
    let (one, two, us) = (query.board(), other.board(), query.turn());
    let (ours, theirs) = (one.king_of(us), one.king_of(!us));
    let by = |family, king| terms((one, two), family, king, statistics);
    let is_pawn = |it: Piece| it.role == Role::Pawn;
    let is_near = |it: Square| {
        [ours, theirs]
            .iter()
            .flatten()
            .any(|king| king.distance(it) <= 2)
    };
    let is_center = |it: Square| {
        (2..6).contains(&(it.file() as usize)) && (2..6).contains(&(it.rank() as usize))
    };
    let count = |board: &Board, color| {
        pieces(board)
            .iter()
            .filter(|it| it.1 == Role::Pawn.of(color))
            .count()
    };
    let pawns = Color::ALL.map(|it| count(one, it).abs_diff(count(two, it)));
    let alike = |file: File| {
        let has = |board: &Board, color| pawns_on(board, color, file).is_empty();
        Color::ALL
            .into_iter()
            .all(|it| has(one, it) == has(two, it))
    };
    let king = |color: Color| {
        one.king_of(color)
            .unwrap()
            .distance(two.king_of(color).unwrap())
    };
    let wing = |board: &Board, color| match board.king_of(color).unwrap().file() as usize {
        0..=2 => 'q',
        3 | 4 => 'c',
        _ => 'k',
    };
    let wings = Color::ALL
        .into_iter()
        .filter(|&it| wing(one, it) == wing(two, it));
    let (shared, force) = material(one, two);
    vec![
        (F::Place, by(Family::Place, None)),
        (F::PlaceThere, by(Family::Place, theirs)),
        (F::PlaceHere, by(Family::Place, ours)),
        (F::Reach, reach(one, two, statistics)),
        (F::Attack, by(Family::Attack, None)),
        (F::AttackThere, by(Family::Attack, theirs)),
        (F::AttackHere, by(Family::Attack, ours)),
        (F::Defense, by(Family::Defense, None)),
        (F::DefenseThere, by(Family::Defense, theirs)),
        (F::DefenseHere, by(Family::Defense, ours)),
        (F::Ray, by(Family::Ray, None)),
        (F::Squares, equal(one, two, |_, _| true)),
        (F::Pieces, equal(one, two, |_, it| !is_pawn(it))),
        (F::Near, near(one, two, 1)),
        (F::Nearby, near(one, two, 2)),
        (F::Pawns, equal(one, two, |_, it| is_pawn(it))),
        (
            F::OurPawns,
            equal(one, two, |_, it| it == Role::Pawn.of(us)),
        ),
        (
            F::TheirPawns,
            equal(one, two, |_, it| it == Role::Pawn.of(!us)),
        ),
        (
            F::Center,
            equal(one, two, |at, it| is_pawn(it) && is_center(at)),
        ),
        (
            F::Shield,
            equal(one, two, |at, it| is_pawn(it) && is_near(at)),
        ),
        (
            F::Files,
            File::ALL.into_iter().filter(|it| alike(*it)).count() as f64 / 8.0,
        ),
        (F::Passed, passed(one, two)),
        (F::PawnCount, -((pawns[0] + pawns[1]) as f64)),
        (F::Material, shared),
        (F::Force, force),
        (
            F::Balance,
            -f64::from((balance(one) - balance(two)).abs().min(1000)) / 100.0,
        ),
        (
            F::Count,
            -(pieces(one).len().abs_diff(pieces(two).len()) as f64),
        ),
        (F::TheirKing, -f64::from(king(!us))),
        (F::OurKing, -f64::from(king(us))),
        (F::Wings, wings.count() as f64),
    ]
}

/// Two positions of random games, the second with the first's player to move.
fn pair(seed: u64) -> (Chess, Chess) {
    let mut dice = Dice::new(seed);
    let game = random_game(&mut dice, 70);
    let ply = dice.below(game.moves.len() + 1);
    let query = game.position(ply).unwrap();
    let later = (ply + dice.below(12)).min(game.moves.len());
    let other = match dice.below(3) {
        0 => random_game(&mut dice, 60),
        _ => game,
    };
    let other = other.position(later.min(other.moves.len())).unwrap();
    let symmetry = if other.turn() == query.turn() {
        Symmetry::None
    } else {
        Symmetry::Swap
    };
    let turned = turn(&other, symmetry).unwrap();
    (query, turned)
}

fn statistics(seed: u64) -> Statistics {
    let game = random_game(&mut Dice::new(seed), 40);
    let documents: Vec<Encoding> = game
        .positions()
        .map(|it| Encoding::of_document(it.board()))
        .collect();
    Statistics::of_documents(&documents)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn features_follow_their_definitions(seed: u64) {
        let (query, other) = pair(seed);
        let statistics = statistics(seed ^ 1);
        let fast: Features = Judge::new(&query, &statistics).features(&other);
        for (feature, slow) in features(&query, &other, &statistics) {
            prop_assert_eq!(fast[feature as usize], slow as f32, "{}", feature);
        }
    }

    #[test]
    fn swapped_pairs_are_as_alike(seed: u64) {
        let (query, other) = pair(seed);
        let swap = |it: &Chess| turn(it, Symmetry::Swap).unwrap();
        let judge = |query: &Chess, other: &Chess| Judge::new(query, &Statistics::default()).features(other);
        prop_assert_eq!(judge(&query, &other), judge(&swap(&query), &swap(&other)));
    }

    #[test]
    fn only_the_same_position_is_wholly_alike(seed: u64) {
        let (query, other) = pair(seed);
        let judge = Judge::new(&query, &Statistics::default());
        let (same, likeness) = (judge.judge(&query), judge.judge(&other));
        prop_assert_eq!(same.similarity, 1.0);
        prop_assert!((0.0..=1.0).contains(&likeness.similarity));
        prop_assert_eq!(likeness.similarity == 1.0, query.board() == other.board());
        prop_assert!(likeness.score <= same.score);
        prop_assert_eq!(&likeness, &judge.judge(&other));
    }

    #[test]
    fn checks_and_mates_are_those_of_the_rules(seed: u64) {
        let (query, _) = pair(seed);
        let words = Words::of(&query, query.turn());
        let of = |kind| words.named().filter(|it| it.kind() == kind).count();
        let mut checks = Vec::new();
        for mv in query.legal_moves() {
            let mut after = query.clone();
            after.play_unchecked(mv);
            if after.is_check() && !mv.is_castle() {
                checks.push((mv.role(), mv.to(), after.is_checkmate()));
            }
        }
        checks.sort_unstable();
        checks.dedup();
        let mates = checks.iter().filter(|it| it.2).count();
        prop_assert_eq!(of(super::Kind::Mate), mates);
        prop_assert_eq!(of(super::Kind::Check), checks.len() - mates);
    }
}
