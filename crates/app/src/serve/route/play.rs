//! `GET /api/v1/play`: the engine's move.

use std::{sync::Arc, time::Duration};

use axum::{Json, extract::State as Shared};
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::{Chess, san::SanPlus, uci::UciMove};
use tabiya_answer::{request::PositionParameters, text};
use tabiya_chess::Line;
use tabiya_engine::{
    Player,
    search::{Allowance, Engine, Limits, Report, Settings, Signal, Task},
};
use tabiya_retrieval::{index::FormatError, search::Cancel};
use utoipa::{IntoParams, ToSchema};

use crate::{
    serve::Problem, serve::State, serve::problem::Fault, serve::request::Asked,
    view::memory::Memory, view::traps::line,
};

/// The longest that the engine may think, in milliseconds.
const LONGEST: u64 = 5000;

/// The engine's table, in MiB; a game in the page needs no more.
const TABLE: usize = 16;

/// The game so far, and how long to think.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// The moves since the position, in the notation of engines, with commas
    #[serde(deserialize_with = "moves")]
    #[param(value_type = Option<String>, example = "e2e4,e7e5")]
    moves: Vec<UciMove>,

    /// How long to think, in milliseconds
    #[param(minimum = 10, maximum = 5000)]
    movetime: u64,

    /// Whether to ask the collection for cases
    cases: bool,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            moves: Vec::new(),
            movetime: 1000,
            cases: true,
        }
    }
}

fn moves<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<UciMove>, D::Error> {
    text::list(from, |it| {
        it.parse().map_err(|_| format!("\"{it}\" is no move"))
    })
}

/// What the engine plays.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reply {
    /// The move in the notation of engines; nothing if the game is over.
    uci: Option<String>,
    san: Option<String>,
    /// For the side to move, in hundredths of a pawn.
    score: i32,
    /// The moves to mate, negative if the side to move is mated.
    mate_in: Option<i32>,
    /// What the engine expects, beginning with its move.
    line: Vec<String>,
    nodes: u64,
    /// The cases behind the move.
    memory: Memory,
}

/// Tell the engine's move.
#[utoipa::path(
    get,
    path = "/api/v1/play",
    params(PositionParameters, Parameters),
    responses(
        (status = 200, description = "The move", body = Reply),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask", body = Fault),
    )
)]
pub(crate) async fn play(
    Shared(state): Shared<Arc<State>>,
    Asked(PositionParameters { fen }): Asked<PositionParameters>,
    Asked(asked): Asked<Parameters>,
) -> Result<Json<Reply>, Problem> {
    if !(10..=LONGEST).contains(&asked.movetime) {
        let words = format!("the engine thinks 10 to {LONGEST} ms");
        return Err(Problem::request(words));
    }
    let task = Task {
        line: replay(fen, &asked.moves)?,
        limits: Limits {
            time: Some(Allowance::Move(Duration::from_millis(asked.movetime))),
            ..Limits::default()
        },
        ..Task::default()
    };
    let shared = Arc::clone(&state);
    let answer = state.thinking.run(move |cancel| {
        let mut player = Player::new(Engine::new(Settings {
            hash: TABLE,
            threads: 1,
            ..Settings::default()
        }));
        if asked.cases {
            player.library = shared.library();
        }
        Ok(think(&mut player, &task, cancel)?)
    });
    Ok(Json(answer.await?))
}

/// Plays the moves, which must be legal.
fn replay(start: Chess, moves: &[UciMove]) -> Result<Line, Problem> {
    let mut line = Line::new(start);
    for uci in moves {
        let mv = uci.to_move(line.position()).ok();
        mv.and_then(|it| line.push(it).ok())
            .ok_or_else(|| Problem::request(format!("{uci} is not legal there")))?;
    }
    Ok(line)
}

fn think(player: &mut Player, task: &Task, cancel: &Cancel) -> Result<Reply, FormatError> {
    let now = task.line.position();
    let signal = Signal::new(false);
    let mut stop_if_nobody_waits = |_: &Report| {
        if cancel.is_canceled() {
            signal.stop();
        }
    };
    let mut tell = |words: &str| tracing::warn!("{words}");
    let choice = player.choose(task, &signal, &mut stop_if_nobody_waits, &mut tell);
    let found = &choice.result;
    let san = |mv| SanPlus::from_move(now.clone(), mv).to_string();
    Ok(Reply {
        uci: found.best.map(|it| UciMove::from_standard(it).to_string()),
        san: found.best.map(san),
        score: found.score.value(),
        mate_in: found.score.mate_distance(),
        line: line(now, &found.line),
        nodes: found.nodes,
        memory: Memory::behind(&choice, now, player.library.as_ref())?,
    })
}
