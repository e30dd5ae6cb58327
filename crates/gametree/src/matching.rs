//! Move matching: which moves of two positions have like effect.
//!
//! The structural measure pairs the children of two positions. Pairing the
//! children's children in turn, and counting over all matched pairs of children
//! how often two moves are paired, shows moves that stand alike in the two trees:
//! two moves that both mate are always at the end of a line and so find each
//! other. It says nothing of how good a move is.

use std::collections::BTreeMap;

use crate::assignment::match_sorted;
use crate::similarity::{Measure, Structural};
use crate::{Game, Label};

/// Two moves that were paired, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedMoves {
    /// A move on the second ply of the first position.
    pub a: Label,
    /// A move on the second ply of the second position.
    pub b: Label,
    /// The number of matched pairs of children in which the two were paired.
    pub count: usize,
}

/// The pairs of second-ply moves of `a` and `b`, most frequent first; ties in the
/// byte order of the labels.
///
/// Moves that are equally similar to their parents are paired in the byte order
/// of their labels, so the answer is the same everywhere.
pub fn match_moves<G: Game, B: Measure<G>>(
    game: &G,
    measure: &Structural<B>,
    a: &G::Position,
    b: &G::Position,
) -> Vec<MatchedMoves> {
    let (ours, theirs) = (
        Family::read(game, measure, a),
        Family::read(game, measure, b),
    );
    let our_children: Vec<_> = ours.grown(game, measure, a);
    let their_children: Vec<_> = theirs.grown(game, measure, b);
    let mut counts: BTreeMap<(Label, Label), usize> = BTreeMap::new();
    for (i, j) in match_sorted(&ours.similarities, &theirs.similarities).pairs {
        let (mine, yours) = (&our_children[i], &their_children[j]);
        for (k, l) in match_sorted(&mine.similarities, &yours.similarities).pairs {
            *counts.entry((mine.labels[k], yours.labels[l])).or_default() += 1;
        }
    }
    let mut matched: Vec<_> = counts
        .into_iter()
        .map(|((a, b), count)| MatchedMoves { a, b, count })
        .collect();
    matched.sort_by_key(|it| std::cmp::Reverse(it.count));
    matched
}

/// The pairs of first-ply moves of `a` and `b`: which of one's own moves stands as
/// which of the other's.
pub fn pair_moves<G: Game, B: Measure<G>>(
    game: &G,
    measure: &Structural<B>,
    a: &G::Position,
    b: &G::Position,
) -> Vec<(G::Move, G::Move)> {
    let (ours, theirs) = (
        Family::read(game, measure, a),
        Family::read(game, measure, b),
    );
    let matching = match_sorted(&ours.similarities, &theirs.similarities);
    matching
        .pairs
        .into_iter()
        .map(|(i, j)| (ours.moves[i], theirs.moves[j]))
        .collect()
}

/// The moves of a position with the similarities of the children they lead to,
/// ascending by similarity, then by label.
struct Family<M> {
    moves: Vec<M>,
    labels: Vec<Label>,
    similarities: Vec<f64>,
}

impl<M: Copy> Family<M> {
    fn read<G, B>(game: &G, measure: &Structural<B>, position: &G::Position) -> Family<M>
    where
        G: Game<Move = M>,
        B: Measure<G>,
    {
        let similarities = measure.child_similarities(game, position);
        let mut members: Vec<_> = game
            .labeled_moves(position)
            .into_iter()
            .zip(similarities)
            .collect();
        members.sort_by(|((_, a), p), ((_, b), q)| p.total_cmp(q).then(a.cmp(b)));
        Family {
            moves: members.iter().map(|it| it.0.0).collect(),
            labels: members.iter().map(|it| it.0.1).collect(),
            similarities: members.iter().map(|it| it.1).collect(),
        }
    }

    /// The families of the children.
    fn grown<G, B>(
        &self,
        game: &G,
        measure: &Structural<B>,
        position: &G::Position,
    ) -> Vec<Family<M>>
    where
        G: Game<Move = M>,
        B: Measure<G>,
    {
        let child = |&mv| Family::read(game, measure, &game.play(position, mv));
        self.moves.iter().map(child).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::Continuations;
    use crate::toy::LabelTree;

    #[test]
    fn moves_that_end_the_game_find_each_other() {
        // In both trees the second ply has one move that ends the game (m, n) and
        // one after which both sides go on.
        let text = "a(m s(a(x) b(y))) b(m t(a(x) b(z)))  ";
        let other = "c(n u(c(x) d(y))) d(n v(c(x) d(z)))";
        let game = LabelTree::parse(&format!("first({text}) second({other})")).unwrap();
        let (first, second) = (
            game.find(&["first"]).unwrap(),
            game.find(&["second"]).unwrap(),
        );
        let matched = match_moves(
            &game,
            &Structural::over(Continuations::new(2)),
            &first,
            &second,
        );
        let best = matched[0];
        assert_eq!(
            (best.a, best.b, best.count),
            (Label::new("m").unwrap(), Label::new("n").unwrap(), 2)
        );
    }

    #[test]
    fn a_position_matches_its_own_moves() {
        let game = LabelTree::parse("a(c(x y) d) b(c(x) e(x y z))").unwrap();
        let root = game.root();
        let matched = match_moves(
            &game,
            &Structural::over(Continuations::new(1)),
            &root,
            &root,
        );
        assert!(matched.iter().all(|it| it.a == it.b), "{matched:?}");
    }

    #[test]
    fn moves_of_the_first_ply_are_paired_too() {
        let game = LabelTree::parse("one(a b(a c(d))) two(x(x y(z)) y)").unwrap();
        let [one, two] = ["one", "two"].map(|it| game.find(&[it]).unwrap());
        let pairs = pair_moves(&game, &Structural::over(Continuations::new(1)), &one, &two);
        let ends = |line: &[&str]| game.find(line).unwrap();
        assert!(pairs.contains(&(ends(&["one", "a"]), ends(&["two", "y"]))));
        assert!(pairs.contains(&(ends(&["one", "b"]), ends(&["two", "x"]))));
    }

    #[test]
    fn a_position_without_moves_matches_nothing() {
        let game = LabelTree::parse("a b(c)").unwrap();
        let (a, root) = (game.find(&["a"]).unwrap(), game.root());
        assert!(match_moves(&game, &Structural::over(Continuations::new(1)), &a, &root).is_empty());
    }
}
