//! An index in memory of positions that belong to no game.
//!
//! It scores all documents by the same formula as a collection: fast enough for tens of
//! thousands.

use rayon::prelude::*;
use shakmaty::{Chess, Color, Position};
use tabiya_chess::Symmetry;
use tabiya_retrieval::Statistics;
use tabiya_retrieval::rank::{Ranking, Scorer};
use tabiya_retrieval::term::{Encoding, VOCABULARY};

/// Positions with their terms, ready to be ranked.
#[derive(Clone, Debug)]
pub(crate) struct PositionIndex {
    documents: Vec<Document>,
    statistics: Statistics,
}

#[derive(Clone, Debug)]
struct Document {
    turn: Color,
    encoding: Encoding,
}

impl PositionIndex {
    /// Indexes positions; documents are numbered in this order.
    pub(crate) fn new(positions: &[Chess]) -> PositionIndex {
        let document = |position: &Chess| Document {
            turn: position.turn(),
            encoding: Encoding::of_document(position.board()),
        };
        let documents: Vec<Document> = positions.par_iter().map(document).collect();
        let statistics = Statistics::of_documents(documents.iter().map(|it| &it.encoding));
        PositionIndex {
            documents,
            statistics,
        }
    }

    /// The same with the statistics of a collection that the positions are a part of.
    pub(crate) fn within(positions: &[Chess], statistics: &Statistics) -> PositionIndex {
        PositionIndex {
            statistics: statistics.clone(),
            ..PositionIndex::new(positions)
        }
    }

    /// N, df and mean length.
    pub(crate) fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The similarity of every document, the best over the ways to turn the query.
    pub(crate) fn scores(&self, query: &PositionQuery<'_>) -> Vec<f64> {
        self.views(query).into_iter().map(|it| it.0).collect()
    }

    /// The similarity of every document, the best over the ways to turn the query, and the
    /// first way that gives it. With `same_side`, only where the player to move is the same
    /// after turning; elsewhere it is 0.
    pub(crate) fn views(&self, query: &PositionQuery<'_>) -> Vec<(f64, Symmetry)> {
        let first = query.symmetries.first().copied().unwrap_or(Symmetry::None);
        let mut best = vec![(0.0, first); self.documents.len()];
        for &symmetry in query.symmetries {
            let turn = symmetry.color(query.position.turn());
            let board = symmetry.board(query.position.board());
            let scorer = Scorer::new(&board, query.ranking, &self.statistics);
            let table = Table::new(&scorer);
            for (best, document) in best.iter_mut().zip(&self.documents) {
                if !query.same_side || document.turn == turn {
                    let similarity = scorer.similarity(table.score(&document.encoding));
                    if similarity > best.0 {
                        *best = (similarity, symmetry);
                    }
                }
            }
        }
        best
    }
}

/// A query to a [`PositionIndex`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PositionQuery<'a> {
    /// The position.
    pub(crate) position: &'a Chess,
    /// The formula's parameters.
    pub(crate) ranking: &'a Ranking,
    /// The ways in which the position may be turned.
    pub(crate) symmetries: &'a [Symmetry],
    /// Whether the player to move must be the same after turning.
    pub(crate) same_side: bool,
}

/// A scorer that looks terms up by their number: faster than searching for each of
/// the query's terms in each document, and the same to the last bit, since a
/// document's terms are in the order of the formula.
struct Table<'a> {
    scorer: &'a Scorer,
    gains: Vec<f64>,
}

impl Table<'_> {
    fn new(scorer: &Scorer) -> Table<'_> {
        let mut gains = vec![0.0; VOCABULARY];
        for &(term, gain) in scorer.gains() {
            gains[term.index()] = gain;
        }
        Table { scorer, gains }
    }

    fn score(&self, document: &Encoding) -> f64 {
        let mut sum = 0.0;
        for (term, weight) in document.iter() {
            let gain = self.gains[term.index()];
            if gain > 0.0 {
                sum += self.scorer.share(gain, weight);
            }
        }
        self.scorer.norm(document.len()) * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::position;
    use tabiya_retrieval::Run;

    const FENS: [&str; 4] = [
        "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11",
        "r3kb1r/p4p2/b1pqp2p/3n2p1/6P1/2N4P/PPP2PB1/R1BQR1K1 b kq - 3 13",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1",
    ];

    #[test]
    fn the_table_scores_as_the_formula_does() {
        let positions = FENS.map(|it| position::parse(it).unwrap());
        let index = PositionIndex::new(&positions);
        assert_eq!(index.statistics().positions(), 4);
        for run in Run::ALL {
            for position in &positions {
                let ranking = run.ranking();
                let query = PositionQuery {
                    position,
                    ranking: &ranking,
                    symmetries: &[Symmetry::None],
                    same_side: false,
                };
                let scorer = Scorer::new(position.board(), &ranking, index.statistics());
                let plain = positions
                    .iter()
                    .map(|it| scorer.similarity(scorer.score(&Encoding::of_document(it.board()))));
                assert_eq!(index.scores(&query), plain.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn only_turned_positions_with_the_same_player_to_move_count() {
        let positions = FENS.map(|it| position::parse(it).unwrap());
        let index = PositionIndex::new(&positions);
        let query = PositionQuery {
            position: &positions[2],
            ranking: &Ranking::default(),
            symmetries: &[Symmetry::None, Symmetry::Swap],
            same_side: true,
        };
        let scores = index.scores(&query);
        // The fourth is the third with colors exchanged. As it stands it is White's
        // twin with Black to move and would score less.
        assert!(scores[2] > 0.0 && scores[3] > 0.0);
        let upright = PositionQuery {
            symmetries: &[Symmetry::None],
            ..query
        };
        assert_eq!(index.scores(&upright)[3], 0.0);
    }
}
