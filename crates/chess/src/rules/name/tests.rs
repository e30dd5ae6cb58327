//! Labels against names made as strings by shakmaty.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};
use tabiya_gametree::Game;

use crate::rules::{ChessRules, Naming};

/// Positions with every kind of move: castling both ways, en passant, promotions
/// with and without capture, up to three pieces that can go to one square,
/// discovered and double checks, mates.
const POSITIONS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/7k/8/2Q1Q3/8/2Q5/8/K7 w - - 0 1",
    "k7/8/2N1N3/8/2N1N3/8/8/7K w - - 0 1",
    "4k3/4r3/8/8/4B3/8/8/4R1K1 w - - 0 1",
    "8/6P1/5k2/8/8/8/8/R3K2R w KQ - 0 1",
    "3k4/8/8/2pP4/8/8/8/3R2K1 w - c6 0 1",
];

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Standard)
        .unwrap()
}

fn spelled(position: &Chess, mv: Move, naming: Naming) -> String {
    let mover = position.turn().char();
    match naming {
        Naming::San => format!("{mover}{}", SanPlus::from_move(position.clone(), mv)),
        Naming::Uci => format!("{mover}{}", UciMove::from_standard(mv)),
        Naming::Piece => {
            let uci = UciMove::from_standard(mv).to_string();
            let promotion = uci[4..].to_uppercase();
            let equals = if promotion.is_empty() { "" } else { "=" };
            format!(
                "{mover}{}{}{equals}{promotion}",
                mv.role().upper_char(),
                &uci[2..4]
            )
        }
    }
}

/// Checks all positions `depth` plies on; a label is its string, so labels are
/// equal just if the strings are.
fn check(position: &Chess, depth: usize, naming: Naming) {
    let rules = ChessRules::named(naming);
    for (mv, label) in rules.labeled_moves(position) {
        assert_eq!(label.to_string(), spelled(position, mv, naming));
        if depth > 1 {
            check(&rules.play(position, mv), depth - 1, naming);
        }
    }
}

#[test]
fn labels_are_the_names_shakmaty_writes() {
    for fen in POSITIONS {
        check(&position(fen), 3, Naming::San);
        check(&position(fen), 2, Naming::Uci);
        check(&position(fen), 2, Naming::Piece);
    }
}
