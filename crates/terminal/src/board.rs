//! Boards as text, in Unicode figures or ASCII letters. Colors mark shared and different
//! pieces.

use clap::ValueEnum;
use shakmaty::{Board, Color, File, Piece, Rank, Role, Square};

use crate::{
    screen,
    style::{DIFFERENT, FAINT, PLAIN, SHARED},
};

/// The style of the pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Figures {
    /// Chess figures
    #[default]
    Unicode,
    /// FEN letters
    Ascii,
}

/// The width of a drawn board.
const WIDTH: usize = 17;

/// Draws a board in nine lines. Colors mark the pieces that `other` has on the same
/// squares, and those that it does not.
pub fn draw(board: &Board, other: Option<&Board>, figures: Figures) -> Vec<String> {
    let mut lines: Vec<String> = Rank::ALL
        .into_iter()
        .rev()
        .map(|rank| {
            let squares = File::ALL
                .map(|file| draw_square(board, other, Square::from_coords(file, rank), figures));
            format!("{FAINT}{}{PLAIN} {}", rank.char(), squares.join(" "))
        })
        .collect();
    lines.push(format!("{FAINT}  a b c d e f g h{PLAIN}"));
    lines
}

fn draw_square(board: &Board, other: Option<&Board>, square: Square, figures: Figures) -> String {
    let Some(piece) = board.piece_at(square) else {
        return format!(
            "{FAINT}{}{PLAIN}",
            if figures == Figures::Ascii { '.' } else { '·' }
        );
    };
    let figure = match figures {
        Figures::Ascii => piece.char(),
        Figures::Unicode => figure(piece),
    };
    match other.map(|it| it.piece_at(square) == Some(piece)) {
        Some(true) => format!("{SHARED}{figure}{PLAIN}"),
        Some(false) => format!("{DIFFERENT}{figure}{PLAIN}"),
        None => figure.to_string(),
    }
}

/// The figure of a piece. Unicode calls the filled figures black.
pub const fn figure(piece: Piece) -> char {
    match (piece.color, piece.role) {
        (Color::White, Role::Pawn) => '♙',
        (Color::White, Role::Knight) => '♘',
        (Color::White, Role::Bishop) => '♗',
        (Color::White, Role::Rook) => '♖',
        (Color::White, Role::Queen) => '♕',
        (Color::White, Role::King) => '♔',
        (Color::Black, Role::Pawn) => '♟',
        (Color::Black, Role::Knight) => '♞',
        (Color::Black, Role::Bishop) => '♝',
        (Color::Black, Role::Rook) => '♜',
        (Color::Black, Role::Queen) => '♛',
        (Color::Black, Role::King) => '♚',
    }
}

/// The columns before the text beside two boards.
const LEFT: usize = 2 * WIDTH + 8;

/// Two titled boards side by side, with text to their right, within the width of the
/// terminal.
pub fn side_by_side(
    (left_title, left): (&str, &Board),
    (right_title, right): (&str, &Board),
    text: &[String],
    figures: Figures,
) -> String {
    let room = screen::width().saturating_sub(LEFT).max(20);
    let text: Vec<String> = text.iter().flat_map(|it| wrap_item(it, room)).collect();
    let mut lines = vec![format!(
        "{FAINT}{left_title:<WIDTH$}    {right_title:<WIDTH$}{PLAIN}"
    )];
    let boards = draw(left, None, figures)
        .into_iter()
        .zip(draw(right, Some(left), figures));
    // The last line of a board is a column narrower than the others.
    lines.extend(boards.map(|(left, right)| format!("{left}    {right}")));
    let height = lines.len().max(text.len());
    lines.resize(height, " ".repeat(2 * WIDTH + 4));
    for (line, text) in lines
        .iter_mut()
        .zip(text.iter().map(String::as_str).chain(std::iter::repeat("")))
    {
        if !text.is_empty() {
            line.push_str("    ");
            line.push_str(text);
        }
    }
    lines.join("\n")
}

/// Wraps an item and indents all lines but the first.
fn wrap_item(text: &str, room: usize) -> Vec<String> {
    let lines = screen::wrap(text, room - 2).into_iter().enumerate();
    lines
        .map(|(at, line)| if at == 0 { line } else { format!("  {line}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_board_is_drawn_from_the_top() {
        let lines = draw(&Board::new(), None, Figures::Ascii);
        let plain: Vec<String> = lines.iter().map(|it| plain(it)).collect();
        assert_eq!(plain[0], "8 r n b q k b n r");
        assert_eq!(plain[4], "4 . . . . . . . .");
        assert_eq!(plain[7], "1 R N B Q K B N R");
        assert_eq!(plain[8], "  a b c d e f g h");
        assert!(plain.iter().all(|it| it.chars().count() == WIDTH));
    }

    #[test]
    fn boards_beside_each_other_line_up() {
        let board = Board::new();
        let text = vec!["first".to_owned(), "second".to_owned()];
        let drawn = plain(&side_by_side(
            ("query", &board),
            ("hit", &board),
            &text,
            Figures::Unicode,
        ));
        let columns: Vec<usize> = drawn
            .lines()
            .take(2)
            .map(|it| it.chars().position(|c| c == 'f' || c == 's').unwrap())
            .collect();
        assert_eq!(columns, [42, 42], "{drawn}");
    }
}
