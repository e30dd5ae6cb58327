//! Known answers of the literature and the laws every measure obeys.

use proptest::prelude::*;

use super::*;
use crate::toy::{Heaps, LabelTree, Marks, Nim, TicTacToe};

/// Random trees of at most `nodes` nodes with few labels, written out. Siblings
/// have different labels, as moves of one position do.
pub(crate) fn trees(nodes: usize) -> impl Strategy<Value = String> {
    let steps = prop::collection::vec((0usize..4, 0u8..5), 0..=nodes);
    steps.prop_map(|steps| {
        let mut paths: Vec<Vec<u8>> = vec![Vec::new()];
        for (up, label) in steps {
            let mut path = paths[paths.len() - 1 - up.min(paths.len() - 1)].clone();
            path.push(b'a' + label);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        write_out(&paths, &[])
    })
}

fn write_out(paths: &[Vec<u8>], prefix: &[u8]) -> String {
    let is_child = |it: &&Vec<u8>| it.len() == prefix.len() + 1 && it.starts_with(prefix);
    let children = paths.iter().filter(is_child);
    let written =
        children.map(|it| format!("{}({})", it[prefix.len()] as char, write_out(paths, it)));
    written.collect::<Vec<_>>().join(" ")
}

const WORKED_EXAMPLE: &str = "one(a(c d e f) b(c d) c(a b)) two(a(d e g) c(a b h) d(b))";

#[track_caller]
fn check_worked_example<M: Measure<LabelTree>>(measure: M, expected: f64) {
    let game = LabelTree::parse(WORKED_EXAMPLE).unwrap();
    let (one, two) = (game.find(&["one"]).unwrap(), game.find(&["two"]).unwrap());
    let found = measure.similarity(&game, &one, &two);
    assert!(
        (found - expected).abs() < 1e-12,
        "{found} is not {expected}"
    );
}

#[test]
fn the_worked_example_of_the_paper() {
    check_worked_example(Continuations::new(2), 5.0 / 8.0);
    check_worked_example(Sequences::new(2), 12.0 / 15.0);
    check_worked_example(UnorderedEdit::new(2), 15.0 / 27.0);
    check_worked_example(OrderedEdit::new(2), 1.0 - 16.0 / 29.0);
    // (1/6, 1/4, 2/3) against (1/5, 1/5, 0): 0.683 in all, 0.772 printed.
    let total = 1.0 / 6.0 + (0.25 - 0.2) + (2.0 / 3.0 - 0.2);
    check_worked_example(Structural::over(Continuations::new(1)), 1.0 - total / 3.0);
}

#[test]
fn the_worked_examples_lists_and_edits() {
    let game = LabelTree::parse(WORKED_EXAMPLE).unwrap();
    let (one, two) = (game.find(&["one"]).unwrap(), game.find(&["two"]).unwrap());
    let structural = Structural::over(Continuations::new(1));
    assert_eq!(
        structural.child_similarities(&game, &one),
        [1.0 / 6.0, 0.25, 2.0 / 3.0]
    );
    assert_eq!(structural.child_similarities(&game, &two), [0.2, 0.2, 0.0]);
    let (a, b) = (
        crate::Tree::grow(&game, &one, 2),
        crate::Tree::grow(&game, &two, 2),
    );
    assert_eq!((a.len(), b.len()), (11, 10));
    assert_eq!(UnorderedEdit::distance(&a, &b), 6);
    assert_eq!(OrderedEdit::distance(&a, &b), 8);
}

#[test]
fn the_tic_tac_toe_table_of_the_paper() {
    let start = TicTacToe::with(&["A1", "B2", "A3"], &["C1", "C3"], true).unwrap();
    let after = |name| TicTacToe::after(start, name).unwrap();
    let [b1, a2, c2, b3] = ["B1", "A2", "C2", "B3"].map(after);
    let measure = Structural::over(Continuations::new(2));
    let check = |a: &Marks, b: &Marks, expected: f64| {
        assert!((measure.similarity(&TicTacToe, a, b) - expected).abs() < 1e-12);
    };
    check(&b1, &b3, 1.0);
    check(&b1, &a2, 5.0 / 6.0);
    check(&a2, &b3, 5.0 / 6.0);
    check(&c2, &c2, 1.0);
    for other in [&b1, &a2, &b3] {
        check(&c2, other, 0.0);
    }
}

#[test]
fn finished_games_compare_by_their_rewards() {
    let won = TicTacToe::with(&["A1", "B1", "C1"], &["A2", "B2"], true).unwrap();
    let lost = TicTacToe::with(&["A1", "B1", "A3"], &["A2", "B2", "C2"], false).unwrap();
    let drawn = TicTacToe::with(
        &["A1", "B2", "C2", "A3", "B3"],
        &["B1", "C1", "A2", "C3"],
        true,
    )
    .unwrap();
    let measure = Continuations::new(1);
    assert_eq!(measure.similarity(&TicTacToe, &won, &won), 1.0);
    assert_eq!(measure.similarity(&TicTacToe, &won, &lost), 0.0);
    assert_eq!(measure.similarity(&TicTacToe, &won, &drawn), 0.5);
    assert_eq!(
        measure.similarity(&TicTacToe, &won, &TicTacToe::start()),
        0.0
    );
}

#[test]
fn heaps_in_another_order_have_the_same_structure() {
    let (a, b) = (Heaps::new(&[1, 3, 2]), Heaps::new(&[3, 2, 1]));
    assert_eq!(
        Structural::over(Continuations::new(2)).similarity(&Nim, &a, &b),
        1.0
    );
    assert!(Continuations::new(2).similarity(&Nim, &a, &b) < 1.0);
}

#[test]
fn a_sample_of_all_children_changes_nothing() {
    let exact = Structural::over(Continuations::new(2));
    let sampled = exact.sampled(Sample {
        children: 99,
        seed: 7,
    });
    let (a, b) = (Heaps::new(&[4, 3]), Heaps::new(&[2, 5, 1]));
    assert_eq!(
        sampled.similarity(&Nim, &a, &b),
        exact.similarity(&Nim, &a, &b)
    );
    let few = exact
        .sampled(Sample {
            children: 4,
            seed: 7,
        })
        .similarity(&Nim, &a, &b);
    assert!((0.0..=1.0).contains(&few));
}

#[test]
fn equal_cells_are_counted() {
    let a = TicTacToe::with(&["A1"], &["C3"], false).unwrap();
    let b = TicTacToe::with(&["A1"], &["C2"], false).unwrap();
    assert_eq!(Correlation.similarity(&TicTacToe, &a, &b), 7.0 / 9.0);
}

/// Checks the laws for one measure on two positions of one game.
fn obeys_laws<G: Game, M: Measure<G>>(
    measure: &M,
    game: &G,
    a: &G::Position,
    b: &G::Position,
) -> bool {
    let forth = measure.similarity(game, a, b);
    let back = measure.similarity(game, b, a);
    let itself = measure.similarity(game, a, a);
    (forth - back).abs() < 1e-12
        && (-1e-12..=1.0 + 1e-12).contains(&forth)
        && (itself - 1.0).abs() < 1e-12
}

proptest! {
    #[test]
    fn every_measure_obeys_the_laws_on_trees(a in trees(12), b in trees(12), depth in 1usize..4) {
        let game = LabelTree::parse(&format!("one({a}) two({b})")).unwrap();
        let (a, b) = (game.find(&["one"]).unwrap(), game.find(&["two"]).unwrap());
        prop_assert!(obeys_laws(&Continuations::new(depth), &game, &a, &b));
        prop_assert!(obeys_laws(&Sequences::new(depth), &game, &a, &b));
        prop_assert!(obeys_laws(&OrderedEdit::new(depth), &game, &a, &b));
        prop_assert!(obeys_laws(&UnorderedEdit::new(depth), &game, &a, &b));
        prop_assert!(obeys_laws(&Structural::over(Continuations::new(depth)), &game, &a, &b));
        prop_assert!(obeys_laws(&Structural::over(OrderedEdit::new(depth)), &game, &a, &b));
    }

    #[test]
    fn every_measure_obeys_the_laws_on_heaps(
        a in prop::collection::vec(0u8..4, 0..4), b in prop::collection::vec(0u8..4, 0..4),
    ) {
        let (a, b) = (Heaps::new(&a), Heaps::new(&b));
        prop_assert!(obeys_laws(&Continuations::new(2), &Nim, &a, &b));
        prop_assert!(obeys_laws(&Sequences::new(2), &Nim, &a, &b));
        prop_assert!(obeys_laws(&OrderedEdit::new(2), &Nim, &a, &b));
        prop_assert!(obeys_laws(&UnorderedEdit::new(2), &Nim, &a, &b));
        prop_assert!(obeys_laws(&Structural::over(Continuations::new(2)), &Nim, &a, &b));
        prop_assert!(obeys_laws(&Structural::over(Sequences::new(2)), &Nim, &a, &b));
        prop_assert!(obeys_laws(&Freedom, &Nim, &a, &b));
        prop_assert!(obeys_laws(&Blend::new(Freedom, Continuations::new(2), 0.5), &Nim, &a, &b));
    }

    /// Renaming every move leaves the structure as it is.
    #[test]
    fn structure_does_not_depend_on_names(a in trees(14), b in trees(14)) {
        let renamed: String = b.chars().map(|it| match it {
            'a'..='e' => char::from(b'e' - (it as u8 - b'a')),
            other => other,
        }).collect();
        let game = LabelTree::parse(&format!("one({a}) two({b}) new({renamed})")).unwrap();
        let [one, two, new] = ["one", "two", "new"].map(|it| game.find(&[it]).unwrap());
        let measure = Structural::over(Continuations::new(2));
        prop_assert_eq!(measure.similarity(&game, &one, &two), measure.similarity(&game, &one, &new));
        prop_assert_eq!(measure.similarity(&game, &two, &new), 1.0);
        prop_assert_eq!(Freedom.similarity(&game, &one, &two), Freedom.similarity(&game, &one, &new));
    }

    #[test]
    fn continuations_and_sequences_of_one_ply_agree(a in trees(9), b in trees(9)) {
        let game = LabelTree::parse(&format!("one({a}) two({b})")).unwrap();
        let (a, b) = (game.find(&["one"]).unwrap(), game.find(&["two"]).unwrap());
        let moves = Continuations::new(1).similarity(&game, &a, &b);
        let lines = Sequences::new(1).similarity(&game, &a, &b);
        // |A ∩ B| / |A ∪ B| = s and 2|A ∩ B| / (|A| + |B|) = t say the same thing.
        prop_assert!((lines - 2.0 * moves / (1.0 + moves)).abs() < 1e-12);
    }
}
