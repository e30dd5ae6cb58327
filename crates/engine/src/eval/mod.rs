//! How good a position looks without searching it.
//!
//! Five evaluations, chosen by name: [`standard`] is material and places,
//! [`chains`] adds the net chains of defenders and attackers as they were
//! published, [`contacts`] adds them with fitted weights, [`tuned`] is the
//! strong one made by hand, and [`network`] was learned. All but the last are for White
//! inside; [`Evaluation::evaluate`] turns them to the side to move.

pub mod chains;
mod contact_table;
pub mod contacts;
pub mod network;
pub mod standard;
mod standard_table;
mod taper;
pub mod tuned;

use shakmaty::{Chess, Color, Position};
use tabiya_chess::named;

pub use taper::{FULL_SCALE, Phase, Taper};

use crate::Score;

named! {
    /// Which evaluation judges the leaves.
    ///
    /// ```
    /// use shakmaty::Chess;
    /// use tabiya_engine::{Evaluation, Score};
    ///
    /// let standard: Evaluation = "standard".parse().unwrap();
    /// assert_eq!(standard.evaluate(&Chess::default()), Score::DRAW);
    /// ```
    #[derive(Default)]
    pub enum Evaluation: "evaluation" {
        /// Material and piece-square values.
        Standard = "standard",
        /// The same with net chains of defenders and attackers.
        Chains = "chains",
        /// The same with contacts between pieces and what follows from them, fitted to games.
        Contacts = "contacts",
        /// Mobility, king safety, pawn structure and threats, fitted to games.
        #[default]
        Tuned = "tuned",
        /// A small network, trained on another engine's scores.
        Network = "network",
    }
}

impl Evaluation {
    /// The worth of the position to the side to move.
    pub fn evaluate(self, position: &Chess) -> Score {
        let board = position.board();
        let white = match self {
            Evaluation::Standard => standard::balance(board),
            Evaluation::Chains => chains::balance(board) / chains::CENTIPAWN,
            Evaluation::Contacts => contacts::balance(board),
            Evaluation::Tuned => tuned::balance(position),
            Evaluation::Network => return Score::evaluation(network::evaluate(position)),
        };
        Score::evaluation(position.turn().fold_wb(white, -white))
    }
}

/// Does the side have anything but king and pawns?
pub(crate) fn has_pieces(position: &Chess, color: Color) -> bool {
    let board = position.board();
    (board.by_color(color) & !(board.pawns() | board.kings())).any()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    /// Openings, middlegames, endings, promotions and lopsided positions.
    pub(crate) const POSITIONS: [&str; 10] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "rn1k1r2/pp2R3/2pP1pqp/6p1/2BQ4/2P1B3/PP4P1/6K1 w - - 0 1",
        "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
        "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
        "1QQ5/8/8/8/k7/8/7K/4qq2 w - - 0 1",
        "2rq2k1/5ppp/p3b3/1p1pP3/3N4/2P1B3/PP3PPP/3RQ1K1 b - - 0 20",
        "8/P5k1/8/8/3b4/2B5/5Kp1/8 w - - 0 60",
    ];

    pub(crate) fn position(fen: &str) -> Chess {
        tabiya_chess::position::parse(fen).unwrap()
    }

    /// The same position with the colors exchanged.
    fn swapped(position: &Chess) -> Chess {
        let mut setup = position.to_setup(shakmaty::EnPassantMode::Legal);
        setup.mirror();
        setup.position(CastlingMode::Standard).unwrap()
    }

    #[test]
    fn every_evaluation_is_the_same_for_both_colors() {
        for fen in POSITIONS {
            let position = position(fen);
            for evaluation in Evaluation::ALL {
                assert_eq!(
                    evaluation.evaluate(&swapped(&position)),
                    evaluation.evaluate(&position),
                    "{evaluation} {fen}"
                );
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for evaluation in Evaluation::ALL {
            assert_eq!(evaluation.to_string().parse(), Ok(evaluation));
        }
        assert!("nnue".parse::<Evaluation>().is_err());
    }
}
