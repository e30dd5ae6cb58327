//! Why two positions are alike, term by term and in words.

use shakmaty::{Bitboard, Board, Piece, Role, Square, attacks};
use tabiya_chess::{Symmetry, action::role_name};

use crate::{
    index::Statistics,
    rank::{Ranking, Scorer},
    term::{ByFamily, Encoding, Family, Meaning, Term, Weight},
};

/// What a query and a position have in common, and what not. All terms and
/// squares are as the query sees them.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// score(q,p).
    pub score: f64,
    /// The score as a part of the query's own.
    pub similarity: f64,
    /// The part of the score that each family has; they add up to one.
    pub families: ByFamily<f64>,
    /// The shared terms, the most telling first.
    pub shared: Vec<Shared>,
    /// Pieces that only the query has on their squares.
    pub only_query: Vec<(Piece, Square)>,
    /// Pieces that only the other position has on their squares.
    pub only_other: Vec<(Piece, Square)>,
    query: Board,
    /// The other board, as the query sees it.
    other: Board,
}

/// A term that both positions hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shared {
    /// The term, as the query has it.
    pub term: Term,
    /// The family under which it counts.
    pub family: Family,
    /// How much of it the other position holds.
    pub weight: Weight,
    /// Its part of the score.
    pub share: f64,
}

impl Shared {
    /// How early the term is named: its share, less for what a player would not name first. What
    /// is only x-rayed or reached comes late however rare it is.
    fn telling(&self) -> f64 {
        let part = match self.family {
            Family::Place | Family::Attack => 1.0,
            Family::Defense => 0.5,
            Family::Reach => 0.25,
            Family::Ray => 0.1,
        };
        part * self.share
    }
}

/// A query made ready to be explained against many positions.
#[derive(Clone, Debug)]
pub struct Explainer {
    query: Board,
    /// For the query turned each way, in the order of [`Symmetry::ALL`].
    scorers: [Scorer; 4],
}

impl Explainer {
    /// An explainer for a board.
    pub fn new(query: &Board, ranking: &Ranking, statistics: &Statistics) -> Explainer {
        let scorer = |it: Symmetry| Scorer::new(&it.board(query), ranking, statistics);
        Explainer::with(query, Symmetry::ALL.map(scorer))
    }

    /// An explainer for a board with the scorers that another machine made for it.
    pub fn with(query: &Board, scorers: [Scorer; 4]) -> Explainer {
        Explainer {
            query: query.clone(),
            scorers,
        }
    }

    /// The scorers for the query turned each way, in the order of [`Symmetry::ALL`].
    pub fn into_scorers(self) -> [Scorer; 4] {
        self.scorers
    }

    /// Says how the query is like another board that was met by turning the
    /// query by `symmetry`.
    pub fn explain(&self, other: &Board, symmetry: Symmetry) -> Explanation {
        let (query, scorer) = (&self.query, &self.scorers[symmetry as usize]);
        let document = Encoding::of_document(other);
        let seen = symmetry.board(other);
        let score = scorer.score(&document);
        let norm = scorer.norm(document.len());
        let mut families = ByFamily::all(0.0);
        let mut shared = Vec::new();
        for &(term, gain) in scorer.gains() {
            let Some(weight) = document.weight(term) else {
                continue;
            };
            let part = norm * scorer.share(gain, weight);
            let share = if score > 0.0 { part / score } else { 0.0 };
            let (family, term) = (weight.family(term), term.seen(symmetry));
            families[family] += share;
            shared.push(Shared {
                term,
                family,
                weight,
                share,
            });
        }
        shared.sort_by(|one, two| {
            let telling = two.telling().total_cmp(&one.telling());
            telling.then(one.term.cmp(&two.term))
        });
        Explanation {
            score,
            similarity: scorer.similarity(score),
            families,
            shared,
            only_query: difference(query, &seen),
            only_other: difference(&seen, query),
            query: query.clone(),
            other: seen,
        }
    }
}

impl Explanation {
    /// What a shared term says, in words.
    pub fn words(&self, shared: &Shared) -> String {
        words(shared.term, shared.family, &self.query, &self.other)
    }

    /// Where the pieces stand that a shared term speaks of, in the query and in
    /// the other position: those that bear upon its square, stand on it, or
    /// could go there.
    pub fn origins(&self, shared: &Shared) -> (Bitboard, Bitboard) {
        let square = shared.term.square();
        let here = Bitboard::from_square(square);
        match shared.term.meaning() {
            Meaning::Place { piece, .. } if shared.family == Family::Reach => {
                (here, reaching(&self.other, piece, square))
            }
            Meaning::Place { .. } => (here, here),
            Meaning::Relation { actor, .. } => (
                actors(&self.query, actor, square, shared.family),
                actors(&self.other, actor, square, shared.family),
            ),
        }
    }
}

/// Where the pieces of a kind stand that could move to an empty square.
fn reaching(board: &Board, piece: Piece, square: Square) -> Bitboard {
    let pieces = board.by_piece(piece);
    if piece.role != Role::Pawn {
        return attacks::attacks(square, piece, board.occupied()) & pieces;
    }
    // The first pawn behind the square; the term says that it gets there.
    let back = piece.color.fold_wb(-8, 8);
    let steps = [back, 2 * back].into_iter();
    let pawn = steps
        .filter_map(|it| square.offset(it))
        .find(|&it| pieces.contains(it));
    pawn.into_iter().collect()
}

/// The pieces that one board has and the other has not, on the same squares.
fn difference(one: &Board, other: &Board) -> Vec<(Piece, Square)> {
    let here = one
        .iter()
        .filter(|&(square, piece)| other.piece_at(square) != Some(piece));
    here.map(|(square, piece)| (piece, square)).collect()
}

/// What a shared term says: where the pieces stand in the query, and where in
/// the other position if they come from elsewhere.
fn words(term: Term, family: Family, query: &Board, other: &Board) -> String {
    match term.meaning() {
        Meaning::Place { piece, square } if family == Family::Reach => {
            format!("{} on {square}, which it can reach there", name(piece))
        }
        Meaning::Place { piece, square } => format!("{} on {square}", name(piece)),
        Meaning::Relation {
            actor,
            target,
            square,
            ..
        } => {
            let verb = match family {
                Family::Attack => "attacks",
                Family::Defense => "defends",
                _ => "x-rays",
            };
            let here = actors(query, actor, square, family);
            let there = actors(other, actor, square, family);
            let from = |squares: Bitboard| {
                squares
                    .into_iter()
                    .map(|it| it.to_string())
                    .collect::<Vec<_>>()
                    .join(" and ")
            };
            let elsewhere = if here == there {
                String::new()
            } else {
                format!(" (there from {})", from(there))
            };
            // The target needs no color: it follows from the verb.
            let (actor, target) = (name(actor), role_name(target.role));
            format!(
                "{actor} on {} {verb} the {target} on {square}{elsewhere}",
                from(here)
            )
        }
    }
}

/// Where the pieces stand that bear upon a square.
fn actors(board: &Board, actor: Piece, square: Square, family: Family) -> Bitboard {
    let pieces = board.by_piece(actor);
    let occupied = board.occupied();
    let bears = |from: &Square| {
        let direct = attacks::attacks(*from, actor, occupied).contains(square);
        match family {
            Family::Ray => {
                !direct && attacks::attacks(*from, actor, Bitboard::EMPTY).contains(square)
            }
            _ => direct,
        }
    };
    pieces.into_iter().filter(bears).collect()
}

fn name(piece: Piece) -> String {
    format!("{} {}", piece.color, role_name(piece.role))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_board;
    use proptest::prelude::*;
    use shakmaty::Position;
    use tabiya_chess::position;

    fn explainer(query: &Board) -> Explainer {
        Explainer::new(query, &Ranking::default(), &Statistics::default())
    }

    fn explain(query: &str, other: &str, symmetry: Symmetry) -> Explanation {
        let [query, other] = [query, other].map(|it| position::parse(it).unwrap());
        explainer(query.board()).explain(other.board(), symmetry)
    }

    fn sentences(told: &Explanation) -> Vec<String> {
        told.shared.iter().map(|it| told.words(it)).collect()
    }

    fn says(told: &Explanation, sentence: &str) -> bool {
        sentences(told).iter().any(|it| it == sentence)
    }

    /// Where the only piece stands that a term speaks of, here and there.
    fn origins(told: &Explanation, term: &str) -> ([Square; 1], [Square; 1]) {
        let named = |it: &&Shared| it.term.to_string() == term;
        let (here, there) = told.origins(told.shared.iter().find(named).unwrap());
        [here, there].map(|it| [it.single_square().unwrap()]).into()
    }

    #[test]
    fn a_pawn_comes_from_behind() {
        let told = explain(
            "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            Symmetry::None,
        );
        assert_eq!(origins(&told, "Pe4"), ([Square::E4], [Square::E2]));
    }

    #[test]
    fn relations_are_told_with_their_squares() {
        let one = "4k3/6b1/8/8/8/2N5/8/4K3 w - - 0 1";
        let told = explain(one, one, Symmetry::None);
        assert!(
            says(&told, "black bishop on g7 attacks the knight on c3"),
            "{told:?}"
        );
        assert_eq!(told.similarity, 1.0);
        let other = "4k3/8/5b2/8/8/2N5/8/4K3 w - - 0 1";
        let told = explain(one, other, Symmetry::None);
        assert!(
            says(
                &told,
                "black bishop on g7 attacks the knight on c3 (there from f6)"
            ),
            "{told:?}"
        );
        assert!(says(&told, "black bishop on g7, which it can reach there"));
        assert_eq!(origins(&told, "b>Nc3"), ([Square::G7], [Square::F6]));
        assert_eq!(origins(&told, "bg7"), ([Square::G7], [Square::F6]));
        assert_eq!(origins(&told, "Nc3"), ([Square::C3], [Square::C3]));
        assert_eq!(
            told.only_query,
            [(Role::Bishop.of(shakmaty::Color::Black), Square::G7)]
        );
        assert_eq!(
            told.only_other,
            [(Role::Bishop.of(shakmaty::Color::Black), Square::F6)]
        );
    }

    #[test]
    fn a_swapped_position_is_told_in_the_querys_colors() {
        let told = explain(
            "4k3/6b1/8/8/8/2N5/8/4K3 w - - 0 1",
            "4k3/8/2n5/8/8/8/6B1/4K3 b - - 0 1",
            Symmetry::Swap,
        );
        assert!(
            says(&told, "black bishop on g7 attacks the knight on c3"),
            "{told:?}"
        );
        assert_eq!((told.only_query.len(), told.only_other.len()), (0, 0));
    }

    proptest! {
        #[test]
        fn shares_add_up(one: u64, two: u64) {
            let (one, two) = (random_board(one), random_board(two));
            for symmetry in Symmetry::ALL {
                let told = explainer(&one).explain(&two, symmetry);
                let sum: f64 = told.families.iter().map(|it| it.1).sum();
                prop_assert!((sum - 1.0).abs() < 1e-9 || told.shared.is_empty());
                prop_assert!(sentences(&told).iter().all(|it| !it.contains("from )")), "{:?}", told.shared);
            }
        }
    }
}
