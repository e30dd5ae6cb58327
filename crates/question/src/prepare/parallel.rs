//! Positions of the opponent's games that are like those of a repertoire.

use std::collections::BTreeSet;

use serde::Serialize;
use shakmaty::{Chess, Position};
use tabiya_chess::{
    Game, Line,
    pgn::{self, Splitter},
};
use tabiya_retrieval::search::Cancel;
use utoipa::ToSchema;

use super::{Prepare, numbered_line};
use crate::{
    AskError, Invalid, Question, Shards,
    read::read,
    review::SIMILAR,
    search::{Part, Search},
    shape::{Fen, GameHeader},
};

/// The most lines of a repertoire that are looked at.
const LINES: usize = 40;

/// The number of positions that are looked at for a line.
const HITS: usize = 5;

/// A position of the opponent's games that is like the end of a line.
#[derive(Debug, Serialize, ToSchema)]
pub struct Parallel {
    /// The line.
    pub line: String,
    /// The position at its end.
    #[schema(value_type = String)]
    pub line_fen: Fen,
    /// How like the opponent's position it is, from 0 to 1.
    pub similarity: f64,
    /// The opponent's position.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The game.
    pub game: GameHeader,
    /// The number of plies played before the position.
    pub ply: u16,
    /// The moves that followed.
    pub next: Vec<String>,
}

/// The lines of a PGN text: its games and their variations, those left out that another continues.
pub(super) fn lines(text: &str) -> Result<Vec<Line>, Invalid> {
    let mut splitter = Splitter::new(text.as_bytes());
    let mut lines = Vec::new();
    loop {
        let mut game = Vec::new();
        match splitter.next_into(&mut game) {
            Ok(Some(_)) => lines.extend(pgn::read(&game).game.iter().flat_map(lines_of)),
            _ => break,
        }
    }
    let begun: BTreeSet<Vec<String>> = lines
        .iter()
        .flat_map(|it| {
            let moves = it.to_uci();
            (0..moves.len()).map(move |length| moves[..length].to_vec())
        })
        .collect();
    let mut seen = BTreeSet::new();
    lines.retain(|it| !begun.contains(&it.to_uci()) && seen.insert(it.to_uci()));
    lines.truncate(LINES);
    match lines.is_empty() {
        true => Err(Invalid::new(
            "repertoire",
            "the PGN has no line of legal moves; give at least one game",
        )),
        false => Ok(lines),
    }
}

fn lines_of(game: &Game) -> Vec<Line> {
    let variations = game.variations().map(|it| it.moves);
    let all = std::iter::once(game.moves.clone()).chain(variations);
    all.filter_map(|moves| {
        let mut line = Line::new(game.start());
        for compact in moves {
            let mv = compact.to_move(line.position().board())?;
            line.push(mv).ok()?;
        }
        Some(line)
    })
    .filter(|it| !it.moves().is_empty())
    .collect()
}

impl Prepare {
    /// The search for positions like the end of each line.
    fn searches(&self) -> Result<Vec<Search>, Invalid> {
        let search = |line: &Line| self.search(line.position());
        self.lines.iter().map(search).collect()
    }

    fn search(&self, position: &Chess) -> Result<Search, Invalid> {
        let mut parameters = form_urlencoded::Serializer::new(String::new());
        parameters
            .append_pair("fen", &tabiya_chess::position::to_fen(position))
            .append_pair("player", &self.against)
            .append_pair("symmetry", "none")
            .append_pair("top", &HITS.to_string())
            .append_pair("reasons", "0");
        if let Some(year) = self.since {
            parameters.append_pair("date", &format!("{year}-"));
        }
        read(&parameters.finish())
    }

    /// What a group of shards knows of each line.
    pub(super) fn ask_lines(
        &self,
        shards: &Shards<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Part>, AskError> {
        let searches = self.searches()?;
        searches.iter().map(|it| it.ask(shards, cancel)).collect()
    }

    /// The positions most like the lines, the most similar first, one of each game.
    pub(super) fn parallels(
        &self,
        parts: Vec<Vec<Part>>,
        cancel: &Cancel,
    ) -> Result<Vec<Parallel>, AskError> {
        let mut by_line: Vec<Vec<Part>> = self.lines.iter().map(|_| Vec::new()).collect();
        for part in parts {
            let pairs = by_line.iter_mut().zip(part);
            pairs.for_each(|(all, it)| all.push(it));
        }
        let mut parallels = Vec::new();
        for ((line, search), parts) in self.lines.iter().zip(self.searches()?).zip(by_line) {
            let hits = search.merge(parts, cancel)?.hits.into_iter();
            parallels.extend(
                hits.filter(|it| it.similarity >= SIMILAR)
                    .map(|it| Parallel {
                        line: numbered_line(line),
                        line_fen: Fen(line.position().clone()),
                        similarity: it.similarity,
                        fen: it.fen,
                        game: it.game,
                        ply: it.ply.0,
                        next: it.next,
                    }),
            );
        }
        parallels.sort_by(|one, two| two.similarity.total_cmp(&one.similarity));
        let mut games = BTreeSet::new();
        parallels.retain(|it| games.insert(it.game.id));
        parallels.truncate(self.top);
        Ok(parallels)
    }
}
