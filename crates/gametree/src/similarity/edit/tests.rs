//! Both edit distances against twins that try every way.

use proptest::prelude::*;

use super::*;
use crate::similarity::tests::trees;
use crate::toy::LabelTree;

fn grown(text: &str) -> Tree {
    let game = LabelTree::parse(text).unwrap();
    Tree::grow(&game, &game.root(), 9)
}

fn is_ancestor(tree: &Tree, node: usize, other: usize) -> bool {
    other < node && tree.first_of(node) <= other
}

/// The edit distance by its definition: over all sets of pairs of nodes that keep
/// postorder and ancestry, unmatched nodes and unequal pairs cost one each.
fn over_all_mappings(a: &Tree, b: &Tree) -> usize {
    fn extend(a: &Tree, b: &Tree, node: usize, pairs: &mut Vec<(usize, usize)>) -> usize {
        if node > a.root() {
            let renamed = pairs
                .iter()
                .filter(|&&(i, j)| a.label(i) != b.label(j))
                .count();
            return a.root() + 1 + b.root() + 1 - 2 * pairs.len() + renamed;
        }
        let mut least = extend(a, b, node + 1, pairs);
        for other in 0..=b.root() {
            let keeps = |&(i, j): &(usize, usize)| {
                j < other && is_ancestor(a, node, i) == is_ancestor(b, other, j)
            };
            if pairs.iter().all(keeps) {
                pairs.push((node, other));
                least = least.min(extend(a, b, node + 1, pairs));
                pairs.pop();
            }
        }
        least
    }
    extend(a, b, 0, &mut Vec::new())
}

/// The top-down distance by trying every way to pair the children.
fn over_all_pairings(a: &Tree, node: usize, b: &Tree, other: usize) -> usize {
    fn pair(a: &Tree, ours: &[usize], b: &Tree, theirs: &mut Vec<usize>) -> usize {
        let Some((&node, rest)) = ours.split_first() else {
            return theirs.iter().map(|&it| b.size(it)).sum();
        };
        let mut least = a.size(node) + pair(a, rest, b, theirs);
        for at in 0..theirs.len() {
            let other = theirs.remove(at);
            let cost = over_all_pairings(a, node, b, other) + pair(a, rest, b, theirs);
            least = least.min(cost);
            theirs.insert(at, other);
        }
        least
    }
    let ours: Vec<usize> = a.children_backwards(node).collect();
    let mut theirs: Vec<usize> = b.children_backwards(other).collect();
    usize::from(a.label(node) != b.label(other)) + pair(a, &ours, b, &mut theirs)
}

#[test]
fn known_distances() {
    #[track_caller]
    fn check(a: &str, b: &str, ordered: usize, unordered: usize) {
        let (a, b) = (grown(a), grown(b));
        assert_eq!(OrderedEdit::distance(&a, &b), ordered);
        assert_eq!(UnorderedEdit::distance(&a, &b), unordered);
    }
    check("", "", 0, 0);
    check("", "a(b c)", 3, 3);
    check("a(b c)", "a(b c)", 0, 0);
    check("a(b c)", "x(b c)", 1, 1);
    // Deleting b lifts its children; the top-down form cannot do that.
    check("a(b(c d))", "a(c d)", 1, 4);
    // The first tree of Zhang and Shasha's paper against the second.
    check("f(d(a c(b)) e)", "f(c(d(a b)) e)", 2, 4);
}

proptest! {
    #[test]
    fn ordered_distance_is_the_least_over_all_mappings(a in trees(5), b in trees(5)) {
        let (a, b) = (grown(&a), grown(&b));
        prop_assert_eq!(OrderedEdit::distance(&a, &b), over_all_mappings(&a, &b));
    }

    #[test]
    fn unordered_distance_is_the_least_over_all_pairings(a in trees(7), b in trees(7)) {
        let (a, b) = (grown(&a), grown(&b));
        let expected = over_all_pairings(&a, a.root(), &b, b.root());
        prop_assert_eq!(UnorderedEdit::distance(&a, &b), expected);
    }

    #[test]
    fn normalized_ordered_distance_obeys_the_triangle_inequality(
        a in trees(9), b in trees(9), c in trees(9),
    ) {
        let (a, b, c) = (grown(&a), grown(&b), grown(&c));
        let apart = |a: &Tree, b: &Tree| 1.0 - similarity(OrderedEdit::distance(a, b), a, b);
        prop_assert!(apart(&a, &c) <= apart(&a, &b) + apart(&b, &c) + 1e-12);
    }

    #[test]
    fn normalized_unordered_distance_obeys_the_triangle_inequality(
        a in trees(9), b in trees(9), c in trees(9),
    ) {
        let (a, b, c) = (grown(&a), grown(&b), grown(&c));
        let apart = |a: &Tree, b: &Tree| 1.0 - similarity(UnorderedEdit::distance(a, b), a, b);
        prop_assert!(apart(&a, &c) <= apart(&a, &b) + apart(&b, &c) + 1e-12);
    }
}
