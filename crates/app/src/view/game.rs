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
        // The moves with numbers, comments and variations stand after the tags.
        let moves = answer.pgn.split_once("\n\n").map_or("", |it| it.1.trim());
        screen::wrap(&moves.replace('\n', " "), screen::width())
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
