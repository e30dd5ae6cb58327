//! The encoding of a position: its terms with their weights.

use shakmaty::Board;

use super::{Control, Meaning, Term, TermSet, Weight, reach};

/// The terms of a position, each with the greatest weight that any of its
/// occurrences has, in the order of their numbers.
///
/// ```
/// use tabiya_chess::position;
/// use tabiya_retrieval::term::Encoding;
/// use shakmaty::Position;
///
/// let position = position::parse("8/8/4k3/8/8/4K3/8/8 w - - 0 1").unwrap();
/// let query = Encoding::of_query(position.board());
/// let terms: Vec<String> = query.iter().map(|(term, _)| term.to_string()).collect();
/// assert_eq!(terms, ["Ke3", "ke6"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Encoding(Vec<(Term, Weight)>);

impl Encoding {
    /// The encoding of a position as the collection holds it.
    pub fn of_document(board: &Board) -> Encoding {
        Encoding::weighed(&TermSet::of_document(board), board)
    }

    /// The encoding of a position that is asked for: without reach.
    pub fn of_query(board: &Board) -> Encoding {
        Encoding::weighed(&TermSet::of_query(board), board)
    }

    fn weighed(terms: &TermSet, board: &Board) -> Encoding {
        let control = Control::of(board);
        Encoding(
            terms
                .iter()
                .map(|term| (term, weight(&control, term)))
                .collect(),
        )
    }

    /// The terms with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (Term, Weight)> + '_ {
        self.0.iter().copied()
    }

    /// How many terms there are: the length of the document.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none, as on an empty board.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The weight of a term, if the position holds it.
    pub fn weight(&self, term: Term) -> Option<Weight> {
        let at = self.0.binary_search_by_key(&term, |it| it.0).ok()?;
        Some(self.0[at].1)
    }

    /// How alike two encodings are, in [0, 1]: the sum of the lesser weights
    /// over the sum of the greater ones (the weighted Jaccard index).
    pub fn jaccard(&self, other: &Encoding) -> f64 {
        let (mut lesser, mut greater) = (0u32, 0u32);
        merge(&self.0, &other.0, |one, two| {
            lesser += u32::from(one.min(two));
            greater += u32::from(one.max(two));
        });
        if greater == 0 {
            1.0
        } else {
            f64::from(lesser) / f64::from(greater)
        }
    }
}

fn weight(control: &Control, term: Term) -> Weight {
    match term.meaning() {
        Meaning::Place { piece, square } => {
            let pieces = control.pieces(term.plane());
            let reached = reach::weight(piece, pieces, control.occupied, square);
            reached.unwrap_or(Weight::FULL)
        }
        Meaning::Relation { .. } => Weight::FULL,
    }
}

/// Walks two sorted lists together and hands over the weights of each term
/// that either has, zero where it has not.
fn merge(one: &[(Term, Weight)], two: &[(Term, Weight)], mut visit: impl FnMut(u8, u8)) {
    let (mut ones, mut twos) = (one.iter().peekable(), two.iter().peekable());
    loop {
        let next = match (ones.peek(), twos.peek()) {
            (None, None) => return,
            (Some(it), None) | (None, Some(it)) => it.0,
            (Some(a), Some(b)) => a.0.min(b.0),
        };
        let take = |list: &mut std::iter::Peekable<std::slice::Iter<'_, (Term, Weight)>>| {
            list.next_if(|it| it.0 == next)
                .map_or(0, |it| it.1.sixty_fourths())
        };
        visit(take(&mut ones), take(&mut twos));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_board;
    use proptest::prelude::*;
    use shakmaty::{Piece, Position, Role, Square};
    use std::collections::BTreeMap;
    use tabiya_chess::{Symmetry, position};

    /// The encoding straight from its definition: walk every piece step by
    /// step over a board of squares. The slow twin of the bitboards.
    fn plain(board: &Board, with_reach: bool) -> BTreeMap<String, f64> {
        let mut terms = BTreeMap::new();
        for (from, piece) in board.clone() {
            note(&mut terms, format!("{}{from}", piece.char()), 1.0);
            for (steps, lines) in movement(piece) {
                for (dx, dy) in lines {
                    walk(board, from, piece, (dx, dy), steps, with_reach, &mut terms);
                }
            }
            if piece.role == Role::Pawn && with_reach {
                pawn_steps(board, from, piece, &mut terms);
            }
        }
        terms
    }

    fn note(terms: &mut BTreeMap<String, f64>, term: String, weight: f64) {
        let entry = terms.entry(term).or_insert(0.0);
        *entry = entry.max(weight);
    }

    fn at(square: Square, dx: i32, dy: i32) -> Option<Square> {
        let (x, y) = (square.file() as i32 + dx, square.rank() as i32 + dy);
        ((0..8).contains(&x) && (0..8).contains(&y)).then(|| Square::new((y * 8 + x) as u32))
    }

    fn movement(piece: Piece) -> Vec<(i32, Vec<(i32, i32)>)> {
        let straight = vec![(0, 1), (1, 0), (0, -1), (-1, 0)];
        let diagonal = vec![(1, 1), (1, -1), (-1, 1), (-1, -1)];
        let all = [straight.clone(), diagonal.clone()].concat();
        let jumps = vec![
            (1, 2),
            (2, 1),
            (-1, 2),
            (-2, 1),
            (1, -2),
            (2, -1),
            (-1, -2),
            (-2, -1),
        ];
        let forward = piece.color.fold_wb(1, -1);
        match piece.role {
            Role::Pawn => vec![(1, vec![(-1, forward), (1, forward)])],
            Role::Knight => vec![(1, jumps)],
            Role::Bishop => vec![(7, diagonal)],
            Role::Rook => vec![(7, straight)],
            Role::Queen => vec![(7, all)],
            Role::King => vec![(1, all)],
        }
    }

    fn walk(
        board: &Board,
        from: Square,
        piece: Piece,
        (dx, dy): (i32, i32),
        steps: i32,
        with_reach: bool,
        terms: &mut BTreeMap<String, f64>,
    ) {
        let mut blocked = false;
        for step in 1..=steps {
            let Some(square) = at(from, dx * step, dy * step) else {
                return;
            };
            match board.piece_at(square) {
                None if !blocked && with_reach && piece.role != Role::Pawn => {
                    let distance = f64::from(step * dx.abs().max(dy.abs()));
                    note(
                        terms,
                        format!("{}{square}", piece.char()),
                        1.0 - 7.0 * distance / 64.0,
                    );
                }
                None => {}
                Some(target) => {
                    let sign = match (blocked, target.color == piece.color) {
                        (false, true) => "<",
                        (false, false) => ">",
                        (true, false) => "=",
                        (true, true) => continue,
                    };
                    note(
                        terms,
                        format!("{}{sign}{}{square}", piece.char(), target.char()),
                        1.0,
                    );
                    blocked = true;
                }
            }
        }
    }

    fn pawn_steps(board: &Board, from: Square, piece: Piece, terms: &mut BTreeMap<String, f64>) {
        let forward = piece.color.fold_wb(1, -1);
        let is_home = from.rank() as i32 == piece.color.fold_wb(1, 6);
        for step in 1..=if is_home { 2 } else { 1 } {
            match at(from, 0, forward * step).filter(|&it| board.piece_at(it).is_none()) {
                Some(square) => {
                    let weight = 1.0 - 7.0 * f64::from(step) / 64.0;
                    note(terms, format!("{}{square}", piece.char()), weight);
                }
                None => return,
            }
        }
    }

    fn named(encoding: &Encoding) -> BTreeMap<String, f64> {
        encoding
            .iter()
            .map(|(term, weight)| (term.to_string(), weight.value()))
            .collect()
    }

    proptest! {
        #[test]
        fn bitboards_agree_with_walking(seed: u64) {
            let board = random_board(seed);
            prop_assert_eq!(named(&Encoding::of_document(&board)), plain(&board, true));
            prop_assert_eq!(named(&Encoding::of_query(&board)), plain(&board, false));
        }

        #[test]
        fn symmetries_commute_with_encoding(seed: u64) {
            let board = random_board(seed);
            for symmetry in Symmetry::ALL {
                let mut turned: Vec<_> = Encoding::of_document(&board).iter().map(|(term, weight)| (term.seen(symmetry), weight)).collect();
                turned.sort();
                prop_assert_eq!(Encoding(turned), Encoding::of_document(&symmetry.board(&board)));
            }
        }

        #[test]
        fn jaccard_is_a_similarity(one: u64, two: u64) {
            let (one, two) = (Encoding::of_document(&random_board(one)), Encoding::of_document(&random_board(two)));
            prop_assert_eq!(one.jaccard(&one), 1.0);
            prop_assert_eq!(one.jaccard(&two), two.jaccard(&one));
            prop_assert!((0.0..=1.0).contains(&one.jaccard(&two)));
        }
    }

    #[test]
    fn the_queen_of_the_specification() {
        let position =
            position::parse("r3kb1r/p4p2/b1pqp2p/3n2p1/6P1/2N4P/PPP2PB1/R1BQR1K1 b kq - 3 13")
                .unwrap();
        let terms = named(&Encoding::of_document(position.board()));
        let expected =
            "Qd1 Qd2|0.89 Qe2|0.89 Qd3|0.78 Qf3|0.78 Qd4|0.67 Q<Bc1 Q<Re1 Q<Pc2 Q<Pg4 Q>nd5 Q=qd6";
        for word in expected.split(' ') {
            let (name, weight) = word.split_once('|').unwrap_or((word, "1.00"));
            assert_eq!(
                terms.get(name).map(|it| format!("{it:.2}")).as_deref(),
                Some(weight),
                "{name}"
            );
        }
        // The queen has no more terms than these.
        let of_queen = terms.keys().filter(|it| it.starts_with('Q')).count();
        assert_eq!(of_queen, 12, "{terms:?}");
    }

    #[test]
    fn pieces_worked_out_by_hand() {
        #[track_caller]
        fn check(fen: &str, expected: &str) {
            let position = position::parse(fen).unwrap();
            let found: Vec<String> = Encoding::of_document(position.board())
                .iter()
                .map(|(term, weight)| match weight {
                    Weight::FULL => term.to_string(),
                    _ => format!("{term}|{:.2}", weight.value()),
                })
                .collect();
            let mut expected: Vec<_> = expected.split_whitespace().collect();
            let mut found: Vec<_> = found.iter().map(String::as_str).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
        // A pawn on its home square steps once or twice and guards two squares.
        check(
            "k7/8/8/8/8/8/1P6/K7 w - - 0 1",
            "Ka1 Kb1|0.89 Ka2|0.89 K<Pb2 Pb2 Pb3|0.89 Pb4|0.78 ka8 kb8|0.89 ka7|0.89 kb7|0.89",
        );
        // The rook sees the king through its own pawn; a blocked pawn has no step.
        check(
            "k7/8/8/8/8/R7/P7/K7 b - - 0 1",
            "Ka1 Kb1|0.89 Kb2|0.89 K<Pa2 Pa2 Ra3 Rb3|0.89 Rc3|0.78 Rd3|0.67 Re3|0.56 Rf3|0.45 Rg3|0.34 Rh3|0.23 \
             Ra4|0.89 Ra5|0.78 Ra6|0.67 Ra7|0.56 R>ka8 R<Pa2 ka8 kb8|0.89 ka7|0.89 kb7|0.89",
        );
    }
}
