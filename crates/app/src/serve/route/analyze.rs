//! `GET /api/v1/analyze`: the engine's best lines of a position, as events while it thinks.

use std::{convert::Infallible, path::Path, process::Stdio, sync::Arc, time::Duration};

use axum::{
    extract::State as Shared,
    response::sse::{Event, KeepAlive, Sse},
};
use futures_util::{Stream, StreamExt, stream};
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Chess, Color, Position, san::SanPlus, uci::UciMove};
use tabiya_chess::position;
use tabiya_question::parameter::parse_fen;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::{Instant, timeout, timeout_at},
};
use utoipa::{IntoParams, ToSchema};

use crate::serve::{Problem, State, problem::ProblemBody, request::Asked, work::Place};

/// The deepest search; it would go on for hours.
const DEEPEST: u32 = 40;

/// How long a request waits for the engine of another.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// How long an engine thinks about a position: readers leave pages open, and others wait.
const LONGEST: Duration = Duration::from_secs(10 * 60);

/// What to analyze.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// The position as a FEN of four or six fields
    #[param(example = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")]
    fen: String,

    /// Number of lines
    #[param(minimum = 1, maximum = 5)]
    #[serde(default = "one")]
    lines: u32,

    /// Greatest depth in plies
    #[param(minimum = 1, maximum = 40)]
    #[serde(default = "deepest")]
    depth: u32,
}

const fn one() -> u32 {
    1
}

const fn deepest() -> u32 {
    DEEPEST
}

/// An event while the engine thinks.
#[derive(Debug, ToSchema)]
#[allow(dead_code, reason = "describes what `Event` sends")]
pub(crate) struct EngineEvent {
    /// What it is: `line`, or `end`.
    event: String,
    /// For a line, an `EngineLine` as JSON.
    data: String,
}

/// One of the engine's lines. Scores are from White's view.
#[derive(Debug, Serialize, PartialEq, ToSchema)]
pub(crate) struct EngineLine {
    /// The rank of the line, from one.
    rank: u32,
    /// The depth in plies.
    depth: u32,
    /// The positions searched.
    nodes: u64,
    /// The evaluation in centipawns.
    score: Option<i32>,
    /// Moves to mate; negative if Black mates.
    mate_in: Option<i32>,
    /// The moves in UCI notation and in SAN.
    uci: Vec<String>,
    san: Vec<String>,
}

/// Analyze a position. Events named `line` carry an `EngineLine`; `end` comes last.
#[utoipa::path(
    get,
    path = "/api/v1/analyze",
    params(Parameters),
    responses(
        (status = 200, description = "Events while the engine thinks; the `data` of each is an `EngineLine`", body = EngineEvent, content_type = "text/event-stream"),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 403, description = "The engine needs the token that the server prints", body = ProblemBody),
        (status = 503, description = "The engine is busy", body = ProblemBody),
    )
)]
pub(crate) async fn analyze(
    Shared(state): Shared<Arc<State>>,
    Asked(asked): Asked<Parameters>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let position =
        parse_fen(&asked.fen).map_err(|error| Problem::request(format!("fen: {error}")))?;
    if !(1..=5).contains(&asked.lines) {
        return Err(Problem::request("lines: the engine gives 1 to 5 lines"));
    }
    if !(1..=DEEPEST).contains(&asked.depth) {
        return Err(Problem::request(format!(
            "depth: the engine searches 1 to {DEEPEST} plies"
        )));
    }
    let place = timeout(LONGEST_WAIT, state.analysis.place()).await;
    let place = place.unwrap_or_else(|_| Err(Problem::busy()))?;
    let thinker = Thinker::start(state.engine.as_deref(), position, &asked, place).await;
    let thinker = thinker.map_err(|error| Problem::internal(&error))?;
    let events = lines(thinker, LONGEST).map(|line| Ok(event(line)));
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// What an engine says, and `None` once it ends or its time is over. Dropping the stream, when
/// the reader goes elsewhere, ends the engine.
fn lines(thinker: Thinker, longest: Duration) -> impl Stream<Item = Option<EngineLine>> {
    let end = Instant::now() + longest;
    stream::unfold(Some(thinker), move |thinker| async move {
        let mut thinker = thinker?;
        match timeout_at(end, thinker.next()).await.ok().flatten() {
            Some(line) => Some((Some(line), Some(thinker))),
            None => Some((None, None)),
        }
    })
}

fn event(line: Option<EngineLine>) -> Event {
    let Some(line) = line else {
        return Event::default().event("end").data("");
    };
    let event = Event::default().event("line").json_data(&line);
    event.unwrap_or_default()
}

/// An engine at work. It is killed when dropped.
struct Thinker {
    _child: Child,
    /// Closing its input would end some engines before their search.
    _tell: ChildStdin,
    _place: Place,
    said: Lines<BufReader<ChildStdout>>,
    position: Chess,
}

impl Thinker {
    /// Starts the engine with low priority and tells it what to do.
    async fn start(
        engine: Option<&Path>,
        position: Chess,
        asked: &Parameters,
        place: Place,
    ) -> std::io::Result<Thinker> {
        let mut child = spawn(engine)?;
        let (Some(mut tell), Some(said)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("the engine has no pipes"));
        };
        let orders = format!(
            "uci\nsetoption name MultiPV value {}\nucinewgame\nposition fen {}\ngo depth {}\n",
            asked.lines,
            position::to_fen(&position),
            asked.depth,
        );
        tell.write_all(orders.as_bytes()).await?;
        tell.flush().await?;
        Ok(Thinker {
            _child: child,
            _tell: tell,
            _place: place,
            said: BufReader::new(said).lines(),
            position,
        })
    }

    /// The next line; `None` when the engine is done.
    async fn next(&mut self) -> Option<EngineLine> {
        loop {
            let said = self.said.next_line().await.ok()??;
            if said.starts_with("bestmove") {
                return None;
            }
            if let Some(line) = read_info(&said, &self.position) {
                return Some(line);
            }
        }
    }
}

/// Starts an engine, below everything else if the system has `nice`.
fn spawn(engine: Option<&Path>) -> std::io::Result<Child> {
    let own = std::env::current_exe()?;
    let (program, arguments): (&Path, &[&str]) = match engine {
        Some(path) => (path, &[]),
        None => (&own, &["uci"]),
    };
    let prepare = |command: &mut Command| {
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    };
    let polite = prepare(Command::new("nice").args(["-n", "10"]).arg(program));
    polite.or_else(|_| prepare(&mut Command::new(program)))
}

/// Reads what an engine says about a line.
fn read_info(said: &str, position: &Chess) -> Option<EngineLine> {
    let words: Vec<&str> = said.strip_prefix("info ")?.split_whitespace().collect();
    if words.contains(&"lowerbound") || words.contains(&"upperbound") {
        return None;
    }
    let after = |name: &str| {
        let at = words.iter().position(|it| *it == name)?;
        words.get(at + 1).copied()
    };
    let pv = words.iter().position(|it| *it == "pv")?;
    let view = match position.turn() {
        Color::White => 1,
        Color::Black => -1,
    };
    let score = |name: &str| {
        after(name)
            .and_then(|it| it.parse::<i32>().ok())
            .map(|it| it * view)
    };
    let (uci, san) = read_line(&words[pv + 1..], position);
    (!uci.is_empty()).then(|| EngineLine {
        rank: after("multipv").and_then(|it| it.parse().ok()).unwrap_or(1),
        depth: after("depth").and_then(|it| it.parse().ok()).unwrap_or(0),
        nodes: after("nodes").and_then(|it| it.parse().ok()).unwrap_or(0),
        score: score("cp"),
        mate_in: score("mate"),
        uci,
        san,
    })
}

/// Moves up to the first illegal one.
fn read_line(words: &[&str], position: &Chess) -> (Vec<String>, Vec<String>) {
    let mut position = position.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for word in words {
        let Ok(parsed) = word.parse::<UciMove>() else {
            break;
        };
        let Ok(mv) = parsed.to_move(&position) else {
            break;
        };
        uci.push(UciMove::from_move(mv, CastlingMode::Standard).to_string());
        san.push(SanPlus::from_move(position.clone(), mv).to_string());
        position.play_unchecked(mv);
    }
    (uci, san)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[tokio::test]
    async fn an_engine_that_never_ends_gives_its_place_back() {
        let work = crate::serve::work::Work::heavy();
        let asked = Parameters {
            fen: String::new(),
            lines: 1,
            depth: 1,
        };
        for _ in 0..3 * std::thread::available_parallelism().unwrap().get() {
            let place = work.place().await.unwrap();
            // An engine that echoes its input and never answers.
            let engine = Some(Path::new("cat"));
            let thinker = Thinker::start(engine, Chess::default(), &asked, place);
            let said = lines(thinker.await.unwrap(), Duration::from_millis(5));
            assert_eq!(said.collect::<Vec<_>>().await, [None]);
        }
    }

    #[test]
    fn lines_of_an_engine_are_read() {
        let black =
            parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
        let said = "info depth 12 seldepth 18 multipv 2 score cp 31 nodes 4711 nps 99 time 3 pv e7e5 g1f3 e1e8";
        let line = read_info(said, &black).unwrap();
        assert_eq!((line.rank, line.depth, line.nodes), (2, 12, 4711));
        assert_eq!((line.score, line.mate_in), (Some(-31), None));
        assert_eq!(line.san, ["e5", "Nf3"]);
        let mate = read_info("info depth 3 score mate 2 pv e7e5", &black).unwrap();
        assert_eq!((mate.score, mate.mate_in), (None, Some(-2)));
        for nothing in [
            "info string hello",
            "bestmove e7e5",
            "info depth 2 pv a1a1",
            "info depth 9 score cp 5 lowerbound pv e7e5",
        ] {
            assert_eq!(read_info(nothing, &black), None, "{nothing}");
        }
    }
}
