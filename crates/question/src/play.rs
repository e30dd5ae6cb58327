//! A move for a position, by search and memory.

use std::time::{Duration, Instant};

use clap::Args;
use serde::{Deserialize, Serialize, Serializer};
use shakmaty::{Chess, Move};
use tabiya_chess::{Ply, Tags};
use tabiya_engine::{
    Choice, Player,
    library::{Holdings, Memories, Mode, Recollection, Settings as LibrarySettings},
    search::{Allowance, Engine, Limits, Report, Settings, Signal, Task},
};
use tabiya_retrieval::{Filter, GameNumber, case, search::Cancel};
use utoipa::ToSchema;

use crate::{
    AskError, Cost, Invalid, Question, Shards,
    parameter::PositionParameters,
    shape::{Fen, GameHeader, line, san, uci},
};

/// A position to move in.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Play {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Role of remembered moves in the search: prior, restrict+tactics or restrict
    #[arg(long, value_name = "MODE", default_value = "prior")]
    #[serde(serialize_with = "mode")]
    pub mode: Mode,

    /// Least similarity of a case's position, from 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.4)]
    pub threshold: f64,

    /// Search without cases from the collection
    #[arg(long)]
    pub without_cases: bool,

    /// Number of nodes to search (instead of --movetime)
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,

    /// Thinking time per move in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    pub movetime: u64,
}

fn mode<S: Serializer>(mode: &Mode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(mode.name())
}

/// The move and the cases that support it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlayAnswer)]
pub struct Answer {
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The role of remembered moves; `null` without cases.
    pub mode: Option<&'static str>,
    /// The move in UCI notation; `null` if the game is over.
    pub uci: Option<String>,
    /// The move in SAN.
    pub san: Option<String>,
    /// The score for the side to move, in centipawns.
    pub score: i32,
    /// The number of moves to mate; negative if the side to move is mated.
    pub mate_in: Option<i32>,
    /// The principal variation, starting with the move.
    pub line: Vec<String>,
    /// The number of nodes searched.
    pub nodes: u64,
    /// The cases behind the move.
    pub memory: Memory,
}

/// The cases behind a move.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Memory {
    /// Whether search refuted every remembered move.
    pub overruled: bool,
    /// The number of cases that passed the filters.
    pub cases: usize,
    /// An explanation of the move in words.
    pub because: Option<String>,
    /// Remembered moves, by decreasing support.
    pub remembered: Vec<Remembered>,
    /// Games in which the move was the reply, the most similar first.
    pub games: Vec<Witness>,
}

/// A remembered move.
#[derive(Debug, Serialize, ToSchema)]
pub struct Remembered {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// The share of memory that supports the move, from 0 to 1.
    pub support: f64,
    /// The number of cases.
    pub cases: u32,
    /// The number of games with exactly this position that continued with the move.
    pub games: u32,
}

/// A game that supports the move.
#[derive(Debug, Serialize, ToSchema)]
pub struct Witness {
    /// The number of plies played before the reply.
    #[schema(value_type = u16)]
    pub ply: Ply,
    /// The game.
    pub game: GameHeader,
}

/// The contribution of a group of shards.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Part {
    memories: Memories,
    /// The tags of games that the answer may name.
    tags: Vec<(GameNumber, Tags)>,
    took: Duration,
}

impl Question for Play {
    const NAME: &'static str = "play";
    const ABOUT: &'static str = "Choose a move by search and memory";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[
        ("movetime", 10.0, 5000.0),
        ("nodes", 1.0, 1_000_000.0),
        ("threshold", 0.0, 1.0),
    ];

    type Part = Part;
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn settle(&mut self) -> Result<(), Invalid> {
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(Invalid::new("threshold", "give a number from 0 to 1"));
        }
        self.position.settle_or_start()
    }

    fn cost(&self) -> Cost {
        Cost::Thinking
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Part, AskError> {
        if self.without_cases {
            return Ok(Part::default());
        }
        let begin = Instant::now();
        let holdings = Holdings {
            own: shards.own()?,
            shards: shards.shards().to_vec(),
            statistics: shards.statistics(),
        };
        let settings = self.settings().within(&self.limits());
        let memories = holdings.remember(self.position.line(), &settings, &Filter::default())?;
        let mut tags = Vec::new();
        for reaction in case::reactions(self.position.position(), &memories.cases) {
            for (number, _) in reaction.games {
                tags.extend(shards.tags(number)?.map(|it| (number, it)));
            }
        }
        Ok(Part {
            memories,
            tags,
            took: begin.elapsed(),
        })
    }

    fn merge(&self, parts: Vec<Part>, cancel: &Cancel) -> Result<Answer, AskError> {
        let position = self.position.position();
        let spent = parts.iter().map(|it| it.took).max().unwrap_or_default();
        let mut tags = Vec::new();
        let mut memories = Vec::new();
        for part in parts {
            tags.extend(part.tags);
            memories.push(part.memories);
        }
        let recollection = Recollection::new(position, &Memories::merge(memories));
        let task = Task {
            line: self.position.line().clone(),
            limits: self.limits().after(spent),
            ..Task::default()
        };
        let mut player = Player::new(Engine::new(Settings::default()));
        player.settings = self.settings();
        let signal = Signal::new(false);
        let mut stop_if_canceled = |_: &Report| {
            if cancel.is_canceled() {
                signal.stop();
            }
        };
        let choice = player.think(&task, recollection, &signal, &mut stop_if_canceled);
        Ok(self.answer(&choice, &tags))
    }
}

impl Play {
    /// The settings for retrieving cases.
    pub fn settings(&self) -> LibrarySettings {
        LibrarySettings {
            threshold: self.threshold,
            mode: self.mode,
            ..LibrarySettings::default()
        }
    }

    /// The limits of the engine's search.
    pub fn limits(&self) -> Limits {
        match self.nodes {
            Some(nodes) => Limits::nodes(nodes.max(1)),
            None => Limits {
                time: Some(Allowance::Move(Duration::from_millis(self.movetime.max(1)))),
                ..Limits::default()
            },
        }
    }

    /// Makes an answer from a choice; `tags` belong to games that it may name.
    pub fn answer(&self, choice: &Choice, tags: &[(GameNumber, Tags)]) -> Answer {
        let position = self.position.position();
        Answer::new(
            position,
            choice,
            (!self.without_cases).then_some(self.mode),
            tags,
        )
    }
}

impl Answer {
    /// Makes an answer from a choice in a position.
    pub fn new(
        position: &Chess,
        choice: &Choice,
        mode: Option<Mode>,
        tags: &[(GameNumber, Tags)],
    ) -> Answer {
        let found = &choice.result;
        Answer {
            fen: Fen(position.clone()),
            mode: mode.map(Mode::name),
            uci: found.best.map(uci),
            san: found.best.map(|it| san(position, it)),
            score: found.score.value(),
            mate_in: found.score.mate_distance(),
            line: line(position, &found.line),
            nodes: found.nodes,
            memory: mode.map_or(Memory::default(), |_| Memory::new(position, choice, tags)),
        }
    }
}

impl Memory {
    fn new(position: &Chess, choice: &Choice, tags: &[(GameNumber, Tags)]) -> Memory {
        let tags_of = |number: GameNumber| {
            let known = tags.iter().find(|it| it.0 == number);
            known.map(|it| it.1.clone())
        };
        let memory = &choice.memory;
        let chosen = memory
            .reactions
            .iter()
            .find(|it| Some(it.mv) == choice.result.best);
        let witness = |&(number, ply): &(GameNumber, Ply)| {
            let game = GameHeader::new(number, &tags_of(number)?);
            Some(Witness { ply, game })
        };
        let games = chosen.into_iter().flat_map(|it| &it.games);
        Memory {
            overruled: choice.overruled,
            cases: memory.cases,
            because: choice.words(position, tags_of),
            remembered: memory
                .supported()
                .into_iter()
                .map(|(mv, support)| Remembered::new(position, memory, mv, support))
                .collect(),
            games: games.filter_map(witness).collect(),
        }
    }
}

impl Remembered {
    fn new(position: &Chess, memory: &Recollection, mv: Move, support: f64) -> Remembered {
        let reaction = memory.reactions.iter().find(|it| it.mv == mv);
        let continuation = memory.continuations.iter().find(|it| it.mv == mv);
        Remembered {
            uci: uci(mv),
            san: san(position, mv),
            support,
            cases: reaction.map_or(0, |it| it.cases),
            games: continuation.map_or(0, |it| it.games),
        }
    }
}
