//! Pairing: do matched moves have like effect? The paper's table 3.
//!
//! Eighteen pairs of positions; of each the five most frequent matches are looked
//! at. A match counts if both moves are decisive or neither is, a decisive move
//! being one that gives check or mate.

use rayon::prelude::*;
use serde::Serialize;
use shakmaty::Chess;
use tabiya_chess::rules::ChessRules;
use tabiya_chess::trap::library;
use tabiya_gametree::matching::match_moves;
use tabiya_gametree::similarity::{Continuations, Structural};
use tabiya_gametree::{Game, Label};

/// One pair of positions of the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// The names of the positions.
    pub(crate) pair: String,
    /// How many of the five most frequent matches are equally decisive.
    pub(crate) equal: usize,
    /// The same, as published.
    pub(crate) published_equal: usize,
    /// The most frequent match, without the movers' letters.
    pub(crate) top: (String, String),
    /// The published one, in full notation where the paper omits captures.
    pub(crate) published_top: (&'static str, &'static str),
    /// The five most frequent matches with their counts.
    pub(crate) matches: Vec<(String, String, usize)>,
}

impl Row {
    /// The header of the table.
    pub(crate) const HEADER: [&'static str; 7] = [
        "pair",
        "equal",
        "published_equal",
        "top_a",
        "top_b",
        "published_top_a",
        "published_top_b",
    ];

    /// The cells of the row.
    pub(crate) fn cells(&self) -> Vec<String> {
        let [equal, published] = [self.equal, self.published_equal].map(|it| it.to_string());
        let ((a, b), (c, d)) = (&self.top, self.published_top);
        let cells = [self.pair.as_str(), &equal, &published, a, b, c, d];
        cells.map(str::to_owned).to_vec()
    }
}

/// The decisive moment of the fourth rapid game of the match of 2016, whose
/// positions after moves 10, 20, 30 and 40 fit the moves in the paper's table.
const CARLSEN_KARJAKIN: &str = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 f3 e5 Nb3 Be7 c4 a5 Be3 a4 Nc1 O-O \
    Nc3 Qa5 Qd2 Na6 Be2 Nc5 O-O Bd7 Rb1 Rfc8 b4 axb3 axb3 Qd8 Nd3 Ne6 Nb4 Bc6 Rfd1 h5 Bf1 h4 Qf2 Nd7 \
    g3 Ra3 Bh3 Rca8 Nc2 R3a6 Nb4 Ra5 Nc2 b6 Rd2 Qc7 Rbd1 Bf8 gxh4 Nf4 Bxf4 exf4 Bxd7 Qxd7 Nb4 Ra3 \
    Nxc6 Qxc6 Nb5 Rxb3 Nd4 Qxc4 Nxb3 Qxb3 Qe2 Be7 Kg2 Qe6 h5 Ra3 Rd3 Ra2";

/// The pairs with what is published of them. A position is a trap of the library by
/// its number and moves from there, or the match game after a number of moves.
const PAIRS: [(&str, &str, usize, (&str, &str)); 18] = [
    ("Légal", "Budapest", 4, ("Bxf7#", "Bxf2#")),
    ("Légal", "Kieninger", 5, ("Bxf7#", "Nf3#")),
    ("Légal", "Caro-Kann", 5, ("Bxf7#", "exf7#")),
    ("Budapest", "Kieninger", 5, ("Bxf2#", "Nd3#")),
    ("Budapest", "Caro-Kann", 5, ("Bxf2#", "exf7#")),
    ("Caro-Kann", "Kieninger", 5, ("exf7#", "Nf3+")),
    ("Budapest", "Budapest b3 a6", 5, ("Bxf2#", "Bxf2#")),
    ("Budapest", "Budapest f3 Nxg5", 3, ("Bxf2#", "Nf3+")),
    ("Budapest", "Budapest Bd2 Qh4", 5, ("Bxf2#", "Bd2+")),
    ("Légal", "Légal h6 a3", 5, ("Bxf7#", "Bxf7#")),
    ("Légal", "Légal h6 Nxg4", 5, ("Bxf7#", "Bxf7+")),
    ("Légal", "Légal Nxe5 Be2", 5, ("Bxf7#", "Bb5+")),
    ("move 10", "move 20", 5, ("Be6", "Qe8")),
    ("move 10", "move 30", 5, ("Qxc3+", "Rg5+")),
    ("move 10", "move 40", 5, ("Qxc3+", "Rg5+")),
    ("move 20", "move 30", 4, ("Nd4", "Rg5+")),
    ("move 20", "move 40", 3, ("Kf8", "Kh8")),
    ("move 30", "move 40", 3, ("Rg5+", "Qg6+")),
];

/// The table of matched moves.
pub(crate) fn table() -> Vec<Row> {
    PAIRS
        .par_iter()
        .map(|&(first, second, published_equal, published_top)| {
            let (a, b) = (named_position(first), named_position(second));
            row(
                format!("{first}, {second}"),
                &a,
                &b,
                published_equal,
                published_top,
            )
        })
        .collect()
}

fn row(
    pair: String,
    a: &Chess,
    b: &Chess,
    published_equal: usize,
    published_top: (&'static str, &'static str),
) -> Row {
    let rules = ChessRules::default();
    let matched = match_moves(&rules, &Structural::over(Continuations::new(2)), a, b);
    let five = &matched[..matched.len().min(5)];
    let matches: Vec<_> = five
        .iter()
        .map(|it| (bare(it.a), bare(it.b), it.count))
        .collect();
    Row {
        pair,
        equal: matches
            .iter()
            .filter(|(a, b, _)| is_decisive(a) == is_decisive(b))
            .count(),
        published_equal,
        top: matches
            .first()
            .map(|(a, b, _)| (a.clone(), b.clone()))
            .unwrap_or_default(),
        published_top,
        matches,
    }
}

/// The move without its mover's letter.
fn bare(label: Label) -> String {
    label.to_string().chars().skip(1).collect()
}

fn is_decisive(san: &str) -> bool {
    san.ends_with(['+', '#'])
}

/// The position that a name in the table stands for.
fn named_position(name: &str) -> Chess {
    let words: Vec<&str> = name.split_whitespace().collect();
    let (start, moves) = match words[..] {
        ["move", number] => {
            let moves = 2 * number
                .parse::<usize>()
                .expect("the table names moves by number");
            (
                Chess::default(),
                CARLSEN_KARJAKIN.split_whitespace().take(moves).collect(),
            )
        }
        [trap, ref moves @ ..] => {
            let found = library().iter().find(|it| it.name.starts_with(trap));
            (
                found
                    .expect("the table names traps of the library")
                    .position
                    .clone(),
                moves.to_vec(),
            )
        }
        [] => unreachable!("the table has no empty name"),
    };
    let rules = ChessRules::default();
    moves.into_iter().fold(start, |position, san| {
        let mv = rules
            .find_move(&position, san)
            .expect("the table's moves are legal");
        rules.play(&position, mv)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_the_table_exists() {
        for (first, second, ..) in PAIRS {
            assert_ne!(named_position(first), named_position(second));
        }
    }

    #[test]
    fn mates_are_matched_with_mates() {
        let (a, b) = (named_position("Budapest"), named_position("Kieninger"));
        let found = row(String::new(), &a, &b, 5, ("Bxf2#", "Nd3#"));
        assert_eq!(found.top, ("Bxf2#".to_owned(), "Nd3#".to_owned()));
        assert_eq!(found.equal, 5);
    }
}
