//! What pages without a server share: a position as an SVG drawing, and text.

use std::fmt::Write;

use shakmaty::{Chess, Color, Position, Role, Square};

const SIZE: usize = 40;

/// A board with the player to move at the bottom.
pub(crate) fn svg(position: &Chess) -> String {
    let side = 8 * SIZE;
    let mut text = format!(
        "<svg class=\"board\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" height=\"{side}\" role=\"img\">"
    );
    let turn = position.turn();
    for square in Square::ALL {
        let (file, rank) = (square.file() as usize, square.rank() as usize);
        let (column, row) = match turn {
            Color::White => (file, 7 - rank),
            Color::Black => (7 - file, rank),
        };
        let (x, y) = (column * SIZE, row * SIZE);
        let color = if square.is_light() {
            "#f0d9b5"
        } else {
            "#b58863"
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIZE}\" height=\"{SIZE}\" fill=\"{color}\"/>"
        );
        if let Some(piece) = position.board().piece_at(square) {
            let (fill, line) = piece.color.fold_wb(("#fff", "#000"), ("#000", "#000"));
            let _ = write!(
                text,
                "<text x=\"{}\" y=\"{}\" font-size=\"34\" text-anchor=\"middle\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\".6\">{}</text>",
                x + SIZE / 2,
                y + SIZE - 8,
                glyph(piece.role)
            );
        }
    }
    text + "</svg>"
}

/// The filled figure; the colors tell the sides apart.
fn glyph(role: Role) -> char {
    match role {
        Role::Pawn => '♟',
        Role::Knight => '♞',
        Role::Bishop => '♝',
        Role::Rook => '♜',
        Role::Queen => '♛',
        Role::King => '♚',
    }
}

/// Text that HTML takes as text.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
