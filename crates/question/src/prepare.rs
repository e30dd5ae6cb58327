//! Prepares for an opponent: their moves, how the games ended, and which games to look at.

use std::collections::BTreeMap;

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::{Board, Chess, Color, Outcome, Position};
use tabiya_chess::{CompactMove, Game, Line, game::parse_result, opening::Opening};
use tabiya_retrieval::{
    Filter, GameNumber,
    search::{Cancel, Range},
};
use utoipa::ToSchema;

use crate::{
    AskError, Cost, Invalid, Question, Shards, search,
    shape::{GameHeader, structure_names},
};

mod parallel;

pub use parallel::Parallel;

/// An opponent.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Prepare {
    /// The opponent: part of the name, ignoring case
    #[arg(long, value_name = "NAME")]
    pub against: String,

    /// Only games from this year on
    #[arg(long, value_name = "YEAR")]
    pub since: Option<u16>,

    /// Length of the tree's lines in plies
    #[arg(long, value_name = "PLIES", default_value_t = 12)]
    pub depth: usize,

    /// Least number of games of a move in the tree
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub least: u32,

    /// Number of games to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// PGN file with my repertoire, to find positions of the opponent's games that are like
    /// the ends of its lines; over HTTP, the PGN text
    #[arg(long, value_name = "FILE")]
    pub repertoire: Option<String>,

    /// The lines of the repertoire, once the question is settled.
    #[arg(skip)]
    #[serde(skip)]
    pub lines: Vec<Line>,
}

/// What is known of an opponent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PrepareAnswer)]
pub struct Answer {
    /// His games with White.
    pub white: Repertoire,
    /// His games with Black.
    pub black: Repertoire,
    /// Pawn structures that the opponent's games reached, the most frequent first.
    pub structures: Vec<Results>,
    /// Endings that the opponent reached, the most frequent first.
    pub endings: Vec<Results>,
    /// The opponent's newest games, lost ones first.
    pub games: Vec<OpponentGame>,
    /// Positions of the opponent's games that are like those of the repertoire, the most similar first.
    pub parallels: Vec<Parallel>,
}

/// What a player does with a color.
#[derive(Debug, Serialize, ToSchema)]
pub struct Repertoire {
    /// All games.
    pub total: Results,
    /// Openings, the most frequent first.
    pub openings: Vec<Results>,
    /// The moves of both sides, in the order of the lines.
    pub tree: Vec<Branch>,
}

/// Results in the opponent's view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Results {
    /// What the results are of.
    pub name: String,
    /// Games that the opponent won.
    pub wins: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that the opponent lost.
    pub losses: u32,
    /// Games without a known result.
    pub unknown: u32,
    /// The year of the last game.
    pub last_year: Option<u16>,
}

/// A move of the tree.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RepertoireMove)]
pub struct Branch {
    /// The number of plies before the move.
    pub ply: usize,
    /// The move in SAN.
    pub san: String,
    /// The results of the games that played it; the name is the line up to the move.
    pub results: Results,
}

/// A game of the opponent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpponentGame {
    /// The game.
    pub game: GameHeader,
    /// His color: white or black.
    pub color: String,
    /// His result: win, draw, loss or unknown.
    pub result: String,
}

/// The contribution of a group of shards.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Part {
    /// White's games, then Black's.
    colors: [ColorPart; 2],
    structures: BTreeMap<String, Results>,
    endings: BTreeMap<String, Results>,
    games: Vec<OpponentGame>,
    /// What is like the repertoire, by line.
    lines: Vec<search::Part>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ColorPart {
    total: Results,
    openings: BTreeMap<String, Results>,
    /// By the moves of a line, as their bits.
    lines: BTreeMap<Vec<u16>, Results>,
}

impl Question for Prepare {
    const NAME: &'static str = "prepare";
    const ABOUT: &'static str = "Prepare for an opponent: their moves, and how the games end";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[
        ("depth", 0.0, 40.0),
        ("least", 1.0, 1_000_000.0),
        ("top", 0.0, 200.0),
    ];

    type Part = Part;
    type Answer = Answer;

    fn settle(&mut self) -> Result<(), Invalid> {
        if self.against.trim().is_empty() {
            return Err(Invalid::new("against", "give the name of a player"));
        }
        let lines = self.repertoire.as_deref().map(parallel::lines);
        self.lines = lines.transpose()?.unwrap_or_default();
        Ok(())
    }

    fn cost(&self) -> Cost {
        Cost::Heavy
    }

    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Part, AskError> {
        let mut part = Part::default();
        let visit = |number: GameNumber, game: Game| -> Result<(), AskError> {
            if !cancel.is_canceled() {
                self.add(&mut part, number, &game);
            }
            Ok(())
        };
        shards.for_each_game(&self.filter(), visit)?;
        part.games.sort_by(newest_first);
        part.games.truncate(self.top);
        part.lines = self.ask_lines(shards, cancel)?;
        Ok(part)
    }

    fn merge(&self, parts: Vec<Part>, cancel: &Cancel) -> Result<Answer, AskError> {
        let mut whole = Part::default();
        let mut lines = Vec::new();
        for part in parts {
            for (all, it) in whole.colors.iter_mut().zip(part.colors) {
                all.total.add(&it.total);
                merge(&mut all.openings, it.openings);
                merge(&mut all.lines, it.lines);
            }
            merge(&mut whole.structures, part.structures);
            merge(&mut whole.endings, part.endings);
            whole.games.extend(part.games);
            lines.push(part.lines);
        }
        let [white, black] = whole.colors;
        if white.total.games() + black.total.games() == 0 {
            let words = format!("there is no game of {} in the collection", self.against);
            return Err(Invalid::new("against", words).into());
        }
        whole.games.sort_by(newest_first);
        whole.games.truncate(self.top);
        whole.games.sort_by_key(|it| it.result != "loss");
        Ok(Answer {
            white: self.repertoire("White", white),
            black: self.repertoire("Black", black),
            structures: ranked(whole.structures),
            endings: ranked(whole.endings),
            games: whole.games,
            parallels: self.parallels(lines, cancel)?,
        })
    }
}

impl Prepare {
    fn filter(&self) -> Filter {
        let since = self.since.map(|it| tabiya_chess::Date {
            year: it,
            ..tabiya_chess::Date::default()
        });
        Filter {
            player: Some(self.against.clone()),
            date: Range {
                from: since,
                to: None,
            },
            ..Filter::default()
        }
    }

    fn add(&self, part: &mut Part, number: GameNumber, game: &Game) {
        let name = self.against.to_lowercase();
        let tags = &game.tags;
        let has = |it: &Color| {
            it.fold_wb(&tags.white, &tags.black)
                .to_lowercase()
                .contains(&name)
        };
        let Some(color) = Color::ALL.into_iter().find(has) else {
            return;
        };
        let result = Results::of(game, color);
        let own = &mut part.colors[usize::from(color == Color::Black)];
        own.total.add(&result);
        let opening = opening(game);
        own.openings.entry(opening).or_default().add(&result);
        if game.setup.is_none() {
            let plies = game.moves.len().min(self.depth);
            let bits: Vec<u16> = game.moves[..plies].iter().map(|it| it.to_bits()).collect();
            for length in 1..=plies {
                let line = own.lines.entry(bits[..length].to_vec());
                line.or_default().add(&result);
            }
        }
        for structure in structures(game) {
            part.structures.entry(structure).or_default().add(&result);
        }
        if let Some(ending) = game.boards().find_map(|it| ending(&it)) {
            part.endings
                .entry(ending.to_owned())
                .or_default()
                .add(&result);
        }
        part.games.push(OpponentGame {
            game: GameHeader::new(number, tags),
            color: color.fold_wb("white", "black").to_owned(),
            result: result.word().to_owned(),
        });
    }

    fn repertoire(&self, name: &str, part: ColorPart) -> Repertoire {
        let lines = part.lines.into_iter();
        let frequent = lines.filter(|it| it.1.games() >= self.least);
        Repertoire {
            total: Results {
                name: name.to_owned(),
                ..part.total
            },
            openings: ranked(part.openings),
            tree: frequent
                .filter_map(|(line, it)| Branch::new(&line, it))
                .collect(),
        }
    }
}

impl Results {
    fn of(game: &Game, side: Color) -> Results {
        let known = match game.tags.result {
            Outcome::Known(known) => Some(known),
            Outcome::Unknown => parse_result(game.tags.result.as_str()),
        };
        let mut results = Results {
            last_year: Some(game.tags.date.year).filter(|&it| it > 0),
            ..Results::default()
        };
        match known.map(|it| it.winner()) {
            Some(Some(winner)) if winner == side => results.wins = 1,
            Some(Some(_)) => results.losses = 1,
            Some(None) => results.draws = 1,
            None => results.unknown = 1,
        }
        results
    }

    fn add(&mut self, other: &Results) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.unknown += other.unknown;
        self.last_year = self.last_year.max(other.last_year);
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses + self.unknown
    }

    /// The share of the points, from 0 to 1; `None` if no result is known.
    pub fn score(&self) -> Option<f64> {
        let known = self.wins + self.draws + self.losses;
        let points = f64::from(self.wins) + 0.5 * f64::from(self.draws);
        (known > 0).then(|| points / f64::from(known))
    }

    fn word(&self) -> &'static str {
        match (self.wins, self.draws, self.losses) {
            (1, ..) => "win",
            (_, 1, _) => "draw",
            (.., 1) => "loss",
            _ => "unknown",
        }
    }
}

impl Branch {
    fn new(bits: &[u16], results: Results) -> Option<Branch> {
        let mut line = Line::new(Chess::default());
        for &it in bits {
            let mv = CompactMove::from_bits(it).to_move(line.position().board())?;
            line.push(mv).ok()?;
        }
        Some(Branch {
            ply: bits.len() - 1,
            san: line.to_san().pop()?,
            results: Results {
                name: numbered_line(&line),
                ..results
            },
        })
    }
}

/// A line with its move numbers, such as `1.e4 e5 2.Nf3`.
fn numbered_line(line: &Line) -> String {
    let mut words = Vec::new();
    for ((ply, position), san) in line.positions().enumerate().zip(line.to_san()) {
        let number = position.fullmoves();
        words.push(match position.turn() {
            Color::White => format!("{number}.{san}"),
            Color::Black if ply == 0 => format!("{number}...{san}"),
            Color::Black => san,
        });
    }
    words.join(" ")
}

fn merge<K: Ord>(all: &mut BTreeMap<K, Results>, some: BTreeMap<K, Results>) {
    for (key, results) in some {
        all.entry(key).or_default().add(&results);
    }
}

/// The most frequent first, then by name.
fn ranked(groups: BTreeMap<String, Results>) -> Vec<Results> {
    let named = groups.into_iter().map(|(name, it)| Results { name, ..it });
    let mut ranked: Vec<Results> = named.collect();
    ranked.sort_by_key(|it| std::cmp::Reverse(it.games()));
    ranked
}

fn newest_first(one: &OpponentGame, two: &OpponentGame) -> std::cmp::Ordering {
    let by_date = two.game.date.cmp(&one.game.date);
    by_date.then(one.game.id.cmp(&two.game.id))
}

/// The family of the last opening that the game has the named position of.
fn opening(game: &Game) -> String {
    let named = game
        .positions()
        .take(30)
        .filter_map(|it| Opening::of(&it))
        .last();
    let name = named.map_or("unnamed opening", Opening::name);
    name.split([':', ',']).next().unwrap_or(name).to_owned()
}

/// The ply at which the structure of a game is looked at: the opening is over, and the pieces
/// that fight over the pawns are still there.
const STRUCTURE_PLY: usize = 30;

/// The named pawn structures of a game, after fifteen moves.
fn structures(game: &Game) -> Vec<String> {
    let position = game.position(STRUCTURE_PLY);
    position.map_or(Vec::new(), |it| structure_names(&it))
}

/// The kind of an ending: each side has at most one piece beside king and pawns.
fn ending(board: &Board) -> Option<&'static str> {
    let pieces = |color: Color| board.by_color(color) & !board.pawns() & !board.kings();
    let (white, black) = (pieces(Color::White), pieces(Color::Black));
    if white.count() > 1 || black.count() > 1 {
        return None;
    }
    let both = white | black;
    let only = |kind: shakmaty::Bitboard| both == both & kind;
    Some(match (white.count(), black.count()) {
        (0, 0) => "pawn ending",
        (1, 1) if only(board.rooks()) => "rook ending",
        (1, 1) if only(board.queens()) => "queen ending",
        (1, 1) if only(board.knights()) => "knight ending",
        (1, 1) if only(board.bishops()) => {
            let light = both & shakmaty::Bitboard::LIGHT_SQUARES;
            match light.count() {
                1 => "bishops of opposite colors",
                _ => "bishops of the same color",
            }
        }
        (1, 1) if only(board.bishops() | board.knights()) => "bishop against knight",
        (1, 1) => "different pieces",
        _ => "a piece against pawns",
    })
}
