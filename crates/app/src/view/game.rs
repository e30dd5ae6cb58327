//! Prints the answer of `tabiya game`.

use std::time::Duration;

use clap::Args;
use shakmaty::Position;
use tabiya_chess::position;
use tabiya_question::game::{Answer, Game};
use tabiya_terminal::{
    board::{self, Figures},
    game, screen,
    style::{FAINT, PLAIN, STRONG},
};

use crate::ask::View;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Style of the pieces
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,
}

impl View for Game {
    const HELP: &'static str = "Examples:
  tabiya game 7 --db my-games
  tabiya game 7 --json

tabiya export writes games as PGN.";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, _: Duration) {
        let header = &answer.game;
        say!("{STRONG}{}{PLAIN}", game::players(header));
        say!(
            "{FAINT}game {}: {}, {}{PLAIN}",
            header.id,
            header.event,
            header.date
        );
        screen::wrap(&moves(answer), screen::width())
            .iter()
            .for_each(|it| say!("{it}"));
        let last = answer.moves.last().map_or(&answer.fen, |it| &it.fen);
        if let Some(end) = position::read_back(last) {
            board::draw(end.board(), None, options.figures)
                .iter()
                .for_each(|it| say!("{it}"));
        }
    }
}

/// The moves with their numbers.
fn moves(answer: &Answer) -> String {
    let start = position::read_back(&answer.fen).unwrap_or_default();
    let first = 2 * (start.fullmoves().get() - 1) + u32::from(start.turn().is_black());
    let numbered = (first..).zip(&answer.moves).map(|(at, ply)| {
        let number = at / 2 + 1;
        match at % 2 {
            0 => format!("{number}.{}", ply.san),
            _ if at == first => format!("{number}...{}", ply.san),
            _ => ply.san.clone(),
        }
    });
    let mut words: Vec<String> = numbered.collect();
    words.push(answer.game.result.clone());
    words.join(" ")
}
