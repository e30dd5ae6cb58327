//! Reviews a game: the moments in which a move cost something, and what a collection knows of
//! them. Every sentence comes from a search, a line, or a game that the answer names.

use std::{ops::Range, time::Duration};

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Move, Position};
use tabiya_chess::{Game, line::read_move, pgn};
use tabiya_engine::{
    Score,
    analysis::{Analysis, Lapse, Severity, Verdict, analyze, chance, known_scores},
    search::{Allowance, Limits},
};
use tabiya_retrieval::{GameNumber, search::Cancel};
use utoipa::ToSchema;

use crate::{
    AskError, Cost, Invalid, Question, Shards,
    exercises::{Exercise, Exercises, names},
    explore::Explore,
    search::Search,
    shape::{Fen, GameHeader, line, san, uci},
    traps::Traps,
};

mod departure;
mod words;

pub use departure::Departure;
use departure::Passage;

/// The least similarity of a position that a review calls similar.
pub(crate) const SIMILAR: f64 = 0.25;

/// A game to review.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Review {
    /// PGN file with the games to review; over HTTP, the PGN text of one game
    #[arg(value_name = "FILE")]
    pub pgn: Option<String>,

    /// Review only the moves of this player: part of a name, ignoring case
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,

    /// Number of nodes to search in each position; moves that seem to cost something get ten times as many
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    pub nodes: u64,

    /// Time to search each position in milliseconds (instead of --nodes)
    #[arg(long, value_name = "MS")]
    pub time: Option<u64>,

    /// Number of plies to leave out
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    pub after: u16,

    /// Number of plies to review [default: to the end of the game]
    #[arg(long, value_name = "N")]
    pub plies: Option<u16>,

    /// Least severity of the moments
    #[arg(long, value_enum, default_value_t)]
    pub least: Least,

    /// Number of similar positions to show for a moment
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub similar: usize,

    /// Number of exercises to show for a moment, if the collection holds exercises
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub practice: usize,

    /// The game, once the question is settled.
    #[arg(skip)]
    #[serde(skip)]
    pub game: Game,

    /// The analysis, if it was made before.
    #[arg(skip)]
    #[serde(skip)]
    pub analysis: Option<Analysis>,
}

/// The least severity of the moments that a review shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Least {
    /// A tenth of the way from a sure loss to a sure win
    Inaccuracy,
    /// Two tenths
    #[default]
    Mistake,
    /// Three tenths
    Blunder,
}

impl From<Least> for Severity {
    fn from(least: Least) -> Severity {
        match least {
            Least::Inaccuracy => Severity::Inaccuracy,
            Least::Mistake => Severity::Mistake,
            Least::Blunder => Severity::Blunder,
        }
    }
}

/// A reviewed game.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReviewAnswer)]
pub struct Answer {
    /// The tags of the game; its number is 0.
    pub game: GameHeader,
    /// The number of plies of the game.
    pub plies: usize,
    /// The evaluation of each reviewed position from White's view, the first included.
    pub evaluations: Vec<Evaluation>,
    /// What the players did.
    pub players: Vec<Balance>,
    /// The move that leaves what the collection knows, if the review begins with the game.
    pub departure: Option<Departure>,
    /// The moments, in order.
    pub moments: Vec<Moment>,
}

/// What a position is worth from White's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Evaluation {
    /// In centipawns; `null` for a mate.
    pub centipawns: Option<i32>,
    /// The number of moves to mate, negative if Black mates; 0 if the game is over.
    pub mate_in: Option<i32>,
    /// The winning chances of White, from -1 to 1.
    pub chance: f64,
}

/// The mistakes of a player.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Balance {
    /// The side: white or black.
    pub side: &'static str,
    /// The name.
    pub name: String,
    /// The number of moves.
    pub moves: usize,
    /// Inaccuracies.
    pub inaccuracies: usize,
    /// Mistakes.
    pub mistakes: usize,
    /// Blunders.
    pub blunders: usize,
    /// The mean loss of winning chances a move, from 0 to 2.
    pub mean_loss: f64,
}

/// A move that cost something.
#[derive(Debug, Serialize, ToSchema)]
pub struct Moment {
    /// The number of plies played before the move.
    pub ply: u16,
    /// The move with its number, such as `23...Qxb2`.
    pub played: String,
    /// The move in UCI notation.
    pub uci: String,
    /// The position before the move.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The position after the move.
    #[schema(value_type = String)]
    pub after_fen: Fen,
    /// How bad it is: inaccuracy, mistake or blunder.
    pub severity: &'static str,
    /// The loss of winning chances, which range from -1 to 1.
    pub loss: f64,
    /// The evaluation of the best play from White's view.
    pub before: Evaluation,
    /// The evaluation after the move from White's view.
    pub after: Evaluation,
    /// The best move in SAN.
    pub better: String,
    /// The best line.
    pub better_line: Vec<String>,
    /// The named ideas of the best line.
    pub missed: Vec<String>,
    /// The line that follows the move.
    pub played_line: Vec<String>,
    /// The named ideas of that line, for the opponent.
    pub allowed: Vec<String>,
    /// What was played in exactly this position.
    pub known: Known,
    /// Similar positions of other games.
    pub similar: Vec<Similar>,
    /// The trap that the move falls into, proved by search.
    pub trap: Option<String>,
    /// Exercises with the motif of the moment.
    pub exercises: Vec<Exercise>,
    /// All this in sentences.
    pub words: Vec<String>,
}

/// What was played in a position.
#[derive(Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Known {
    /// The number of games with the position.
    pub games: u64,
    /// Games that played the better move.
    pub better: u64,
    /// Games that played the same move.
    pub same: u64,
}

/// A similar position of another game.
#[derive(Debug, Serialize, ToSchema)]
pub struct Similar {
    /// How like it is, from 0 to 1.
    pub similarity: f64,
    /// The game.
    pub game: GameHeader,
    /// The number of plies played before the position.
    pub ply: u16,
    /// The move that followed, in the query's view.
    pub san: String,
    /// Whether the move is the better one here: `better`, `same` as the mistake, or `other`.
    pub relation: &'static str,
}

/// The contribution of a group of shards.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    analysis: Analysis,
    passages: Vec<Passage>,
    moments: Vec<MomentPart>,
}

/// What a group of shards knows of a moment.
#[derive(Debug, Serialize, Deserialize)]
struct MomentPart {
    explored: <Explore as Question>::Part,
    similar: <Search as Question>::Part,
    traps: <Traps as Question>::Part,
    exercises: <Exercises as Question>::Part,
}

impl Question for Review {
    const NAME: &'static str = "review";
    const ABOUT: &'static str = "Review a game: the moments where the evaluation turned";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[
        ("nodes", 1.0, 100_000.0),
        ("time", 1.0, 100.0),
        ("after", 0.0, 10_000.0),
        ("plies", 1.0, 10_000.0),
        ("similar", 0.0, 10.0),
        ("practice", 0.0, 20.0),
    ];

    type Part = Part;
    type Answer = Answer;

    fn settle(&mut self) -> Result<(), Invalid> {
        let Some(text) = &self.pgn else {
            return Err(Invalid::new("pgn", "give the PGN of a game"));
        };
        let reading = pgn::read(text.as_bytes());
        let reason = || match &reading.fault {
            Some(fault) => fault.to_string(),
            None => "there is no game in the text".to_owned(),
        };
        let game = reading.game.clone().filter(|it| !it.moves.is_empty());
        self.game = game.ok_or_else(|| Invalid::new("pgn", reason()))?;
        if self.side_reviewed() == Some(None) {
            let tags = &self.game.tags;
            let words = format!("neither {} nor {} has this name", tags.white, tags.black);
            return Err(Invalid::new("player", words));
        }
        Ok(())
    }

    fn cost(&self) -> Cost {
        Cost::Thinking
    }

    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Part, AskError> {
        let analysis = self.analyzed(|| !cancel.is_canceled());
        let ask = |lapse: &Lapse| self.subquestions(lapse)?.ask(shards, cancel);
        let moments = self.chosen(&analysis).map(ask);
        Ok(Part {
            moments: moments.collect::<Result<_, AskError>>()?,
            passages: match self.after {
                0 => Passage::all(&self.game, shards)?,
                _ => Vec::new(),
            },
            analysis,
        })
    }

    fn merge(&self, parts: Vec<Part>, cancel: &Cancel) -> Result<Answer, AskError> {
        let mut parts = parts.into_iter();
        // With limits by nodes, every group has the same analysis.
        let first = parts.next().ok_or(AskError::Part("no part".to_owned()))?;
        let (analysis, mut passages) = (first.analysis, first.passages);
        let mut known: Vec<Vec<MomentPart>> =
            first.moments.into_iter().map(|it| vec![it]).collect();
        for part in parts.filter(|it| it.analysis == analysis) {
            Passage::merge(&mut passages, &part.passages);
            let pairs = known.iter_mut().zip(part.moments);
            pairs.for_each(|(all, it)| all.push(it));
        }
        let pairs = self.chosen(&analysis).zip(known);
        let moments = pairs.map(|(lapse, parts)| self.moment(lapse, parts, cancel));
        Ok(Answer {
            game: GameHeader::new(GameNumber(0), &self.game.tags),
            plies: self.game.moves.len(),
            evaluations: self.evaluations(&analysis),
            players: Color::ALL.map(|it| self.balance(it, &analysis)).to_vec(),
            departure: Departure::of(&self.game, &passages),
            moments: moments.collect::<Result<_, AskError>>()?,
        })
    }
}

/// The questions about a moment.
struct Subquestions {
    explore: Explore,
    search: Search,
    traps: Traps,
    exercises: Exercises,
}

impl Subquestions {
    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<MomentPart, AskError> {
        Ok(MomentPart {
            explored: self.explore.ask(shards, cancel)?,
            similar: self.search.ask(shards, cancel)?,
            traps: self.traps.ask(shards, cancel)?,
            exercises: self.exercises.ask(shards, cancel)?,
        })
    }
}

impl Review {
    /// The limits of the search in each position.
    pub fn limits(&self) -> Limits {
        match self.time {
            None => Limits::nodes(self.nodes.max(1)),
            Some(time) => Limits {
                time: Some(Allowance::Move(Duration::from_millis(time.max(1)))),
                ..Limits::default()
            },
        }
    }

    /// The analysis of the game; `step` is called before every search.
    pub fn analyzed(&self, step: impl Fn() -> bool + Sync) -> Analysis {
        if let Some(known) = &self.analysis {
            return known.clone();
        }
        let known = known_scores(&self.game);
        analyze(&self.game, self.reviewed(), &self.limits(), &known, step)
    }

    /// The plies that are reviewed.
    pub fn reviewed(&self) -> Range<usize> {
        let moves = self.game.moves.len();
        let from = moves.min(self.after.into());
        let plies = self.plies.map_or(moves, usize::from);
        from..moves.min(from.saturating_add(plies))
    }

    /// The side that is reviewed: `None` for both, `Some(None)` if nobody has the name.
    fn side_reviewed(&self) -> Option<Option<Color>> {
        let part = self.player.as_ref()?.to_lowercase();
        let tags = &self.game.tags;
        let has = |it: &Color| {
            it.fold_wb(&tags.white, &tags.black)
                .to_lowercase()
                .contains(&part)
        };
        Some(Color::ALL.into_iter().find(has))
    }

    /// The lapses that the review shows.
    fn chosen<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a Lapse> {
        let side = self.side_reviewed().flatten();
        let least = Severity::from(self.least);
        let lapses = analysis.lapses.iter();
        lapses.filter(move |it| {
            it.severity >= least && side.is_none_or(|side| self.turn(it.ply) == side)
        })
    }

    /// Whose turn it is after some plies.
    fn turn(&self, ply: u16) -> Color {
        let first = self.game.start().turn();
        if ply.is_multiple_of(2) { first } else { !first }
    }

    fn evaluations(&self, analysis: &Analysis) -> Vec<Evaluation> {
        let verdicts = (self.reviewed().start as u16..).zip(&analysis.verdicts);
        let evaluation = |(ply, it): (u16, &Verdict)| Evaluation::new(it.score, self.turn(ply));
        verdicts.map(evaluation).collect()
    }

    fn balance(&self, side: Color, analysis: &Analysis) -> Balance {
        let lapses = || {
            analysis
                .lapses
                .iter()
                .filter(|it| self.turn(it.ply) == side)
        };
        let count = |severity| lapses().filter(|it| it.severity == severity).count();
        let first = self.reviewed().start as u16;
        let end = first + analysis.verdicts.len().saturating_sub(1) as u16;
        let moves = (first..end).filter(|&it| self.turn(it) == side).count();
        let losses: f64 = lapses().map(|it| it.loss).sum();
        let tags = &self.game.tags;
        Balance {
            side: side.fold_wb("white", "black"),
            name: side.fold_wb(&tags.white, &tags.black).clone(),
            moves,
            inaccuracies: count(Severity::Inaccuracy),
            mistakes: count(Severity::Mistake),
            blunders: count(Severity::Blunder),
            mean_loss: losses / moves.max(1) as f64,
        }
    }

    /// The position before a lapse, the best line there, and the line that was played.
    fn scene(&self, lapse: &Lapse) -> Result<Scene, AskError> {
        let missing = || AskError::Part("the analysis is of another game".to_owned());
        let position = self.game.position(lapse.ply.into()).ok_or_else(missing)?;
        let best = moves(&position, &lapse.best);
        let played = moves(&position, &lapse.played);
        let (Some(_), Some(_)) = (best.first(), played.first()) else {
            return Err(missing());
        };
        Ok(Scene {
            position,
            best,
            played,
        })
    }

    fn subquestions(&self, lapse: &Lapse) -> Result<Subquestions, AskError> {
        let scene = self.scene(lapse)?;
        let (theme, line) = scene.theme();
        let asked = |text: &str| format!("fen={}&{text}", encoded(&scene.position));
        let exercises = crate::read::read(&format!(
            "fen={}&top={}&line={}",
            encoded(&theme),
            self.practice,
            line.iter().map(|&it| uci(it)).collect::<Vec<_>>().join("+"),
        ))?;
        Ok(Subquestions {
            explore: crate::read::read(&asked("show_games=0"))?,
            search: crate::read::read(&asked(&format!("top={}&reasons=0", self.searched())))?,
            traps: crate::read::read(&asked("top=1"))?,
            exercises,
        })
    }

    /// How many similar positions are looked at: instructive ones come first.
    fn searched(&self) -> usize {
        match self.similar {
            0 => 0,
            similar => similar + 8,
        }
    }

    fn moment(
        &self,
        lapse: &Lapse,
        parts: Vec<MomentPart>,
        cancel: &Cancel,
    ) -> Result<Moment, AskError> {
        let questions = self.subquestions(lapse)?;
        let scene = self.scene(lapse)?;
        let (mut explored, mut similar) = (Vec::new(), Vec::new());
        let (mut traps, mut exercises) = (Vec::new(), Vec::new());
        for part in parts {
            explored.push(part.explored);
            similar.push(part.similar);
            traps.push(part.traps);
            exercises.push(part.exercises);
        }
        let explored = questions.explore.merge(explored, cancel)?;
        let similar = questions.search.merge(similar, cancel)?;
        let traps = questions.traps.merge(traps, cancel)?;
        let exercises = questions.exercises.merge(exercises, cancel)?;
        let turn = scene.position.turn();
        let after = scene.after();
        let replies = scene.played[1..].to_vec();
        let (played, better) = (scene.san(scene.played[0]), scene.san(scene.best[0]));
        let bait = traps
            .traps
            .iter()
            .find(|it| it.verified && it.bait.as_ref() == Some(&played));
        let games = |wanted: Option<Move>| -> u64 {
            let moves = explored.moves.iter();
            let moves = moves.filter(|it| wanted.is_none_or(|mv| it.uci == uci(mv)));
            moves
                .map(|it| u64::from(it.white + it.draws + it.black + it.unknown))
                .sum()
        };
        let mut moment = Moment {
            ply: lapse.ply,
            played: numbered(&scene.position, &played),
            uci: uci(scene.played[0]),
            severity: lapse.severity.name(),
            loss: lapse.loss,
            before: Evaluation::new(lapse.best.score, turn),
            after: Evaluation::new(lapse.played.score, turn),
            better_line: line(&scene.position, &scene.best),
            missed: names(&scene.position, &scene.best),
            played_line: line(&scene.position, &scene.played),
            allowed: names(&after, &replies),
            known: Known {
                games: games(None),
                better: games(Some(scene.best[0])),
                same: games(Some(scene.played[0])),
            },
            similar: self.instructive(&similar.hits, &better, &played),
            trap: bait.map(|it| it.trap.clone().unwrap_or_else(|| named_game(it.game))),
            exercises: exercises.exercises,
            better,
            words: Vec::new(),
            after_fen: Fen(after),
            fen: Fen(scene.position),
        };
        moment.words = words::of(&moment);
        Ok(moment)
    }

    /// The similar positions that teach most: those in which the better move was played, then
    /// those with the same lapse, then the others; the most similar first.
    fn instructive(&self, hits: &[crate::search::Hit], better: &str, played: &str) -> Vec<Similar> {
        let own = (
            &self.game.tags.white,
            &self.game.tags.black,
            self.game.tags.date.to_string(),
        );
        let others = hits.iter().filter(|it| {
            let game = (&it.game.white, &it.game.black, it.game.date.clone());
            (game.0, game.1, game.2) != own
        });
        let mut similar: Vec<Similar> = others
            .filter(|it| it.similarity >= SIMILAR)
            .filter_map(|it| {
                let san = it.turned_next.first()?.clone();
                Some(Similar {
                    similarity: it.similarity,
                    game: it.game.clone(),
                    ply: it.ply.0,
                    relation: match &san {
                        it if it == better => "better",
                        it if it == played => "same",
                        _ => "other",
                    },
                    san,
                })
            })
            .collect();
        similar.sort_by_key(|it| {
            ["better", "same", "other"]
                .iter()
                .position(|name| *name == it.relation)
        });
        similar.truncate(self.similar);
        similar
    }
}

impl Moment {
    /// What there is to practice: the idea that was missed, or the opponent's that was allowed,
    /// as a position and its line.
    pub fn practice(&self) -> (Chess, &[String]) {
        let mut after = self.fen.0.clone();
        let played = read_move(&after, &self.uci).ok();
        match played.filter(|_| self.missed.is_empty() && !self.allowed.is_empty()) {
            Some(mv) => {
                after.play_unchecked(mv);
                (after, &self.played_line[1..])
            }
            None => (after, &self.better_line),
        }
    }
}

/// A moment on the board.
struct Scene {
    position: Chess,
    best: Vec<Move>,
    played: Vec<Move>,
}

impl Scene {
    fn san(&self, mv: Move) -> String {
        san(&self.position, mv)
    }

    /// The position after the move that was played.
    fn after(&self) -> Chess {
        let mut after = self.position.clone();
        after.play_unchecked(self.played[0]);
        after
    }

    /// What there is to practice: the idea that was missed, or the opponent's that was allowed.
    fn theme(&self) -> (Chess, Vec<Move>) {
        let after = self.after();
        let replies = &self.played[1..];
        let misses = !names(&self.position, &self.best).is_empty();
        match misses || names(&after, replies).is_empty() {
            true => (self.position.clone(), self.best.clone()),
            false => (after, replies.to_vec()),
        }
    }
}

impl Evaluation {
    /// The evaluation of a score for a side.
    pub fn new(score: Score, side: Color) -> Evaluation {
        let white = if side == Color::White { score } else { -score };
        Evaluation {
            centipawns: (!white.is_mate()).then(|| white.value()),
            mate_in: white.mate_distance(),
            chance: chance(white),
        }
    }

    /// As players write it, such as `+1.25` or `#-3`.
    pub fn text(&self) -> String {
        match (self.mate_in, self.centipawns) {
            (Some(moves), _) => format!("#{moves}"),
            (None, it) => format!("{:+.2}", f64::from(it.unwrap_or(0)) / 100.0),
        }
    }
}

/// A move with its number, such as `12.Nf3` or `12...Nf6`.
fn numbered(position: &Chess, san: &str) -> String {
    let number = position.fullmoves();
    position
        .turn()
        .fold_wb(format!("{number}.{san}"), format!("{number}...{san}"))
}

fn named_game(game: Option<GameNumber>) -> String {
    format!("game {}", game.unwrap_or_default())
}

/// A position as a value of a parameter.
fn encoded(position: &Chess) -> String {
    tabiya_chess::position::to_fen(position).replace(' ', "+")
}

/// The moves of a verdict, as far as they are legal.
fn moves(position: &Chess, verdict: &Verdict) -> Vec<Move> {
    let (mut here, mut moves) = (position.clone(), Vec::new());
    for compact in &verdict.line {
        let Some(mv) = compact
            .to_move(here.board())
            .filter(|&it| here.is_legal(it))
        else {
            break;
        };
        here.play_unchecked(mv);
        moves.push(mv);
    }
    moves
}
