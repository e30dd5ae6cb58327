//! Writing one game as strict PGN: the Seven Tag Roster in its order, then
//! the other tags, then moves in lines of at most 79 characters.

use std::fmt::{self, Write};

use shakmaty::{Chess, Color, Position, san::SanPlus};

use crate::{CompactMove, Game, position};

/// The longest line of moves.
const WIDTH: usize = 79;

/// Appends the game to `text`, with a blank line after it. Moves that are not
/// legal end the game.
///
/// # Errors
///
/// When `text` refuses to be written to.
pub fn write(game: &Game, text: &mut impl Write) -> fmt::Result {
    write_tags(game, text)?;
    writeln!(text)?;
    let mut column = 0;
    for token in tokens(game) {
        let separator = if column == 0 {
            ""
        } else if column + 1 + token.len() > WIDTH {
            column = 0;
            "\n"
        } else {
            column += 1;
            " "
        };
        write!(text, "{separator}{token}")?;
        column += token.len();
    }
    writeln!(text, "\n")
}

fn write_tags(game: &Game, text: &mut impl Write) -> fmt::Result {
    let tags = &game.tags;
    let mut tag = |name: &str, value: &str| {
        writeln!(
            text,
            "[{name} \"{}\"]",
            value
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace(['\n', '\r'], " ")
        )
    };
    tag("Event", &tags.event)?;
    tag("Site", &tags.site)?;
    tag("Date", &tags.date.to_string())?;
    tag("Round", &tags.round)?;
    tag("White", &tags.white)?;
    tag("Black", &tags.black)?;
    tag("Result", tags.result.as_str())?;
    for (name, elo) in [("WhiteElo", tags.white_elo), ("BlackElo", tags.black_elo)] {
        if let Some(elo) = elo {
            tag(name, &elo.to_string())?;
        }
    }
    if let Some(eco) = tags.eco {
        tag("ECO", &eco.to_string())?;
    }
    if let Some(setup) = &game.setup {
        tag("SetUp", "1")?;
        tag("FEN", &position::to_fen(setup))?;
    }
    tags.others
        .iter()
        .try_for_each(|(name, value)| tag(name, value))
}

/// The words of the movetext: move numbers, moves, and the result.
fn tokens(game: &Game) -> Vec<String> {
    let mut tokens = Vec::with_capacity(game.moves.len() * 3 / 2 + 2);
    let mut position = game.start();
    for (ply, &mv) in game.moves.iter().enumerate() {
        let (turn, number) = (position.turn(), position.fullmoves());
        let Some((san, next)) = san_and_play(position, mv) else {
            break;
        };
        if turn == Color::White {
            tokens.push(format!("{number}."));
        } else if ply == 0 {
            tokens.push(format!("{number}..."));
        }
        tokens.push(san);
        position = next;
    }
    tokens.push(game.tags.result.as_str().to_owned());
    tokens
}

fn san_and_play(mut position: Chess, mv: CompactMove) -> Option<(String, Chess)> {
    if mv.is_null() {
        return Some(("--".to_owned(), position::pass(&position)?));
    }
    let mv = mv
        .to_move(position.board())
        .filter(|&it| position.is_legal(it))?;
    let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
    Some((san.to_string(), position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{game::Tags, pgn::read, testing::random_line};
    use proptest::prelude::*;

    fn written(game: &Game) -> String {
        let mut text = String::new();
        write(game, &mut text).unwrap();
        text
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(seed: u64, plies in 0usize..200, white in "\\PC{0,20}", event in "[\"\\\\a-z]{1,10}") {
            let moves = random_line(seed, plies).into_iter().map(CompactMove::from).collect();
            let tags = Tags { white, event, white_elo: Some(2000), ..Tags::default() };
            let game = Game { tags, setup: None, moves };
            let text = written(&game);
            prop_assert!(text.lines().filter(|it| !it.starts_with('[')).all(|it| it.len() <= WIDTH));
            let reading = read(text.as_bytes());
            prop_assert_eq!(reading.fault, None);
            prop_assert_eq!(reading.game, Some(game));
        }
    }

    #[test]
    fn a_set_up_game_begins_with_its_number() {
        let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 40\"]\n\n40... Kd7 41. e4 -- 42. e5 *";
        let game = read(text.as_bytes()).game.unwrap();
        let text = written(&game);
        assert!(
            text.ends_with("\n40... Kd7 41. e4 -- 42. e5 *\n\n"),
            "{text}"
        );
        assert_eq!(read(text.as_bytes()).game, Some(game));
    }
}
