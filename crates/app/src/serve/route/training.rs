//! `/api/v1/training`: exercises for a learner, attempts, what is due, progress, and sets for lessons.

use std::sync::Arc;

use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderName, StatusCode, Uri, header},
};
use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};
use tabiya_chess::{Ply, line::read_move, position};
use tabiya_question::{
    Invalid,
    exercises::Exercises,
    parameter::{GameParameters, parse_fen},
    read::{read, read_arguments},
    shape::{san, uci},
};
use tabiya_retrieval::{
    GameNumber,
    training::{Attempt, Exercise, Grade, History},
};
use utoipa::{IntoParams, ToSchema};

use super::judgments::served;
use crate::{
    serve::{
        Problem, State,
        problem::ProblemBody,
        request::{Asked, Body},
        shelf::Served,
        state::Asked as Choice,
    },
    training::{
        Course, Known, LONGEST_NAME, Progress,
        export::{self, Format},
        herring, is_as_good, now,
    },
};

/// The most exercises of a session, a list or a set.
const MOST: usize = 200;

/// The exercises that a learner wants.
#[derive(Clone, Debug, Args)]
struct Wanted {
    #[arg(long, default_value = "me", value_parser = learner_name)]
    learner: String,

    #[arg(long, default_value_t = 10)]
    count: usize,

    #[arg(long, value_parser = parse_fen)]
    like: Option<Chess>,

    #[arg(long)]
    line: Option<String>,

    #[arg(long, default_value_t = 0)]
    herrings: usize,

    #[command(flatten)]
    games: GameParameters,
}

impl Wanted {
    fn read(uri: &Uri) -> Result<Wanted, Problem> {
        let (_, rest) = Choice::of(uri.query().unwrap_or_default());
        let wanted: Wanted = read_arguments(&rest)?;
        if wanted.count > MOST {
            let words = format!("the server accepts up to {MOST}");
            return Err(Invalid::new("count", words).into());
        }
        Ok(wanted)
    }

    /// Does something with the learner's course.
    fn attend<T>(
        &self,
        served: &Served,
        act: impl FnOnce(&Course<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let cards = History::open(served.collection().folder())?.cards(&self.learner);
        act(&Course {
            collection: served.collection(),
            cards: &cards,
            filter: self.games.filter(),
            now: now(),
        })
    }

    /// The question for exercises like a position.
    fn alike(&self, known: usize) -> Result<Option<Exercises>, Problem> {
        let Some(position) = &self.like else {
            return Ok(None);
        };
        let asked = form_urlencoded::Serializer::new(String::new())
            .append_pair("fen", &position::to_fen(position))
            .append_pair("line", self.line.as_deref().unwrap_or_default())
            .append_pair("top", &(self.count + known.min(MOST)).to_string())
            .finish();
        let question = read::<Exercises>(&asked)?;
        Ok(Some(Exercises {
            games: self.games.clone(),
            ..question
        }))
    }
}

/// Checks the name of a learner.
fn learner_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    let is_fit = (1..=LONGEST_NAME).contains(&name.chars().count());
    match is_fit && !name.chars().any(char::is_control) {
        true => Ok(name.to_owned()),
        false => Err(format!("give a name of 1 to {LONGEST_NAME} characters")),
    }
}

/// Exercises for a learner.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TrainingSession {
    /// The exercises in order: what is due, then new ones, with red herrings between them.
    tasks: Vec<TrainingTask>,
    /// The number of all exercises that are due.
    due: usize,
}

/// An exercise for a learner, or a red herring: a position in which there is nothing to find.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TrainingTask {
    /// The number of its game.
    #[schema(value_type = u64)]
    game: GameNumber,
    /// The number of plies played before the position.
    #[schema(value_type = u16)]
    ply: Ply,
    /// The name of the exercise.
    name: String,
    /// The position in which the learner moves.
    fen: String,
    /// The move that led to the position, in UCI notation.
    last: Option<String>,
    /// The solution in UCI notation, the learner's move first; empty for a red herring.
    uci: Vec<String>,
    /// The solution in SAN.
    san: Vec<String>,
    /// The rating of the exercise.
    rating: Option<u16>,
    /// The motifs of the exercise.
    motifs: Vec<String>,
    /// The number of attempts before.
    attempts: u32,
    /// The number of those that failed.
    failures: u32,
}

impl TrainingTask {
    fn new(exercise: &Exercise, known: Option<&Known>) -> TrainingTask {
        TrainingTask {
            game: exercise.game,
            ply: exercise.ply,
            name: exercise.name.clone(),
            fen: exercise.fen(),
            last: exercise.before.as_ref().map(|it| uci(it.1)),
            uci: exercise.solution.iter().map(|&it| uci(it)).collect(),
            san: exercise.moves(),
            rating: exercise.rating,
            motifs: exercise.motifs.clone(),
            attempts: known.map_or(0, |it| it.card.attempts),
            failures: known.map_or(0, |it| it.card.failures),
        }
    }

    /// The position before an exercise.
    fn herring(exercise: &Exercise, position: &Chess) -> TrainingTask {
        TrainingTask {
            ply: exercise.herring_key().1,
            fen: position::to_fen(position),
            last: None,
            uci: Vec::new(),
            san: Vec::new(),
            rating: None,
            motifs: Vec::new(),
            ..TrainingTask::new(exercise, None)
        }
    }
}

/// Exercises for a learner: those that are due and then new ones, or new ones like a position.
#[utoipa::path(
    get,
    path = "/api/v1/training",
    params(
        ("collection" = Option<String>, Query, description = "Name of the collection of exercises"),
        ("learner" = Option<String>, Query, description = "Name of the learner (me)"),
        ("count" = Option<u64>, Query, description = "Number of exercises, 0 to 200 (10)"),
        ("like" = Option<String>, Query, description = "A position as a FEN: only exercises whose motif is like its motif"),
        ("line" = Option<String>, Query, description = "The best line of that position, if it is known"),
        ("herrings" = Option<u64>, Query, description = "A red herring after each N exercises; 0 for none"),
        ("theme" = Option<String>, Query, description = "Themes that the exercises must have, with commas between"),
        ("rating" = Option<String>, Query, description = "Ratings of the exercises, such as 1400-1700"),
    ),
    responses(
        (status = 200, description = "The exercises", body = TrainingSession),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 404, description = "There is no such collection", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn session(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
) -> Result<Json<TrainingSession>, Problem> {
    let wanted = Wanted::read(&uri)?;
    let served = served(&state, &uri)?;
    let work = if wanted.herrings > 0 || wanted.like.is_some() {
        &state.thinking
    } else {
        &state.work
    };
    let session = work.run(move |cancel| {
        wanted.attend(&served, |course| {
            let due = course.due()?;
            let mut chosen: Vec<(Exercise, Option<&Known>)> = Vec::new();
            match wanted.alike(course.cards.len())? {
                Some(question) => {
                    let like = course.like(&question, cancel)?.into_iter();
                    chosen.extend(like.map(|it| (it, None)));
                }
                None => {
                    chosen.extend(due.iter().map(|it| (it.exercise.clone(), Some(it))));
                    let missing = wanted.count.saturating_sub(chosen.len());
                    chosen.extend(course.untried(missing)?.into_iter().map(|it| (it, None)));
                }
            }
            chosen.truncate(wanted.count);
            Ok(TrainingSession {
                tasks: mixed(&chosen, wanted.herrings),
                due: due.len(),
            })
        })
    });
    Ok(Json(session.await?))
}

/// Exercises with a red herring after each `every`.
fn mixed(chosen: &[(Exercise, Option<&Known>)], every: usize) -> Vec<TrainingTask> {
    let exercises: Vec<Exercise> = chosen.iter().map(|it| it.0.clone()).collect();
    let mut tasks = Vec::new();
    for (number, (exercise, known)) in (1..).zip(chosen) {
        tasks.push(TrainingTask::new(exercise, *known));
        if every > 0 && number % every == 0 {
            let quiet = herring(&exercises, number + 1);
            tasks.extend(quiet.map(|(it, position)| TrainingTask::herring(it, position)));
        }
    }
    tasks
}

/// What a learner did with an exercise.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewAttempt {
    /// The name of the learner.
    #[schema(min_length = 1, max_length = 64, example = "Anna")]
    learner: String,
    /// The number of the exercise's game.
    #[schema(minimum = 1, value_type = u64)]
    game: GameNumber,
    /// The number of plies played before the position.
    #[schema(value_type = u16)]
    ply: Ply,
    /// The position. If the collection has changed since and the game has another position at
    /// this ply, the attempt is rejected.
    fen: String,
    /// How it went: again (not solved), hard, good or easy.
    #[schema(value_type = String, example = "good")]
    grade: Grade,
}

/// A stored attempt.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StoredAttempt {
    /// The number of attempts at the exercise.
    attempts: u32,
    /// The number of those that failed.
    failures: u32,
    /// When the exercise is due again, in seconds since 1970.
    due: u64,
    /// The days until then.
    days: f64,
}

/// Store an attempt. The response confirms that it is on disk.
#[utoipa::path(
    post,
    path = "/api/v1/training",
    params(("collection" = Option<String>, Query, description = "Name of the collection of exercises")),
    request_body = NewAttempt,
    responses(
        (status = 201, description = "The attempt is stored", body = StoredAttempt),
        (status = 400, description = "The attempt is invalid", body = ProblemBody),
        (status = 404, description = "There is no such collection", body = ProblemBody),
        (status = 413, description = "The body is too long", body = ProblemBody),
        (status = 415, description = "The body is not JSON", body = ProblemBody),
        (status = 422, description = "The fields are not those of an attempt", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn attempt(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
    Body(given): Body<NewAttempt>,
) -> Result<(StatusCode, Json<StoredAttempt>), Problem> {
    let served = served(&state, &uri)?;
    let kept = state.work.run(move |_| {
        let learner = learner_name(&given.learner);
        let learner = learner.map_err(|it| Problem::request(format!("learner: {it}")))?;
        let missing = || Problem::request("the collection has no such exercise; ask for new ones");
        let game = served.collection().game(given.game)?;
        let game = game.ok_or_else(missing)?;
        let fen = parse_fen(&given.fen).map_err(|it| Problem::request(format!("fen: {it}")))?;
        let here = game.position(given.ply.into()).ok_or_else(missing)?;
        let exercises = Exercise::all(given.game, &game);
        let of = |it: &&Exercise| it.ply == given.ply || it.herring_key().1 == given.ply;
        let exercise = exercises.iter().find(of).filter(|_| here == fen);
        let attempt = Attempt {
            learner,
            exercise: exercise.ok_or_else(missing)?.digest,
            ply: given.ply,
            grade: given.grade,
            time: now(),
        };
        let (key, time) = ((attempt.exercise, attempt.ply), attempt.time);
        let mut history = History::open(served.collection().folder())?;
        let learner = attempt.learner.clone();
        history.add(attempt)?;
        let cards = history.cards(&learner);
        let card = cards.get(&key).ok_or_else(missing)?;
        Ok(StoredAttempt {
            attempts: card.attempts,
            failures: card.failures,
            due: card.due(),
            days: card.due().saturating_sub(time) as f64 / 86_400.0,
        })
    });
    Ok((StatusCode::CREATED, Json(kept.await?)))
}

/// What a learner has to do, and did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TrainingState {
    /// The exercises that were tried, the longest overdue first.
    known: Vec<KnownExercise>,
    /// The number of those that are due.
    due: usize,
    /// Progress by motif.
    progress: Vec<Progress>,
}

/// An exercise that was tried.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KnownExercise {
    #[schema(value_type = u64)]
    game: GameNumber,
    #[schema(value_type = u16)]
    ply: Ply,
    name: String,
    fen: String,
    motifs: Vec<String>,
    attempts: u32,
    failures: u32,
    /// How long it has been due, in days; negative if it is not due yet.
    overdue_days: f64,
}

/// What is due, and progress by motif.
#[utoipa::path(
    get,
    path = "/api/v1/training/progress",
    params(
        ("collection" = Option<String>, Query, description = "Name of the collection of exercises"),
        ("learner" = Option<String>, Query, description = "Name of the learner (me)"),
        ("count" = Option<u64>, Query, description = "Number of exercises to list, 0 to 200 (10)"),
        ("theme" = Option<String>, Query, description = "Themes that the exercises must have, with commas between"),
        ("rating" = Option<String>, Query, description = "Ratings of the exercises, such as 1400-1700"),
    ),
    responses(
        (status = 200, description = "The state of the learner", body = TrainingState),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 404, description = "There is no such collection", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn progress(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
) -> Result<Json<TrainingState>, Problem> {
    let wanted = Wanted::read(&uri)?;
    let served = served(&state, &uri)?;
    let found = state.work.run(move |_| {
        wanted.attend(&served, |course| {
            let known = course.known()?;
            let due = known.iter().filter(|it| it.card.due() <= course.now);
            let row = |it: &Known| KnownExercise {
                overdue_days: it.overdue_days(course.now),
                game: it.exercise.game,
                ply: it.exercise.ply,
                name: it.exercise.name.clone(),
                fen: it.exercise.fen(),
                motifs: it.exercise.motifs.clone(),
                attempts: it.card.attempts,
                failures: it.card.failures,
            };
            Ok(TrainingState {
                due: due.count(),
                known: known.iter().take(wanted.count).map(row).collect(),
                progress: course.progress()?,
            })
        })
    });
    Ok(Json(found.await?))
}

/// A move instead of the solution.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Alternative {
    /// The position as a FEN
    #[param(example = "6k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - 0 1")]
    fen: String,
    /// The move that was played, in SAN or UCI notation
    #[param(example = "a1a8")]
    played: String,
    /// The move of the solution
    #[param(example = "d1d8")]
    wanted: String,
}

/// Whether a move is as good as the solution.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlternativeVerdict {
    /// Whether the move counts.
    accepted: bool,
    /// Why, in a sentence.
    reason: String,
}

/// Check a move that is not the solution: it counts if the engine finds it as good.
#[utoipa::path(
    get,
    path = "/api/v1/training/check",
    params(Alternative),
    responses(
        (status = 200, description = "Whether the move counts", body = AlternativeVerdict),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn check(
    Shared(state): Shared<Arc<State>>,
    Asked(asked): Asked<Alternative>,
) -> Result<Json<AlternativeVerdict>, Problem> {
    let position = parse_fen(&asked.fen).map_err(|it| Problem::request(format!("fen: {it}")))?;
    let read = |name: &str, text: &str| {
        let mv = read_move(&position, text);
        mv.map_err(|error| Problem::request(format!("{name}: {error}")))
    };
    let (played, wanted) = (
        read("played", &asked.played)?,
        read("wanted", &asked.wanted)?,
    );
    let verdict = state.thinking.run(move |_| {
        let accepted = played == wanted || is_as_good(&position, played, wanted);
        let (played, wanted) = (san(&position, played), san(&position, wanted));
        let side = position.turn().fold_wb("White", "Black");
        let reason = match accepted {
            true => format!("{played} is as good as {wanted} for {side}."),
            false => format!("{played} is not as good as the solution."),
        };
        Ok(AlternativeVerdict { accepted, reason })
    });
    Ok(Json(verdict.await?))
}

/// The exercises of a set.
#[derive(Clone, Debug, Args)]
struct Set {
    #[arg(long, value_delimiter = ',', value_parser = parse_place)]
    exercises: Vec<(GameNumber, Option<Ply>)>,

    #[arg(long, value_enum)]
    format: Format,
}

/// Reads `game` or `game.ply`.
fn parse_place(text: &str) -> Result<(GameNumber, Option<Ply>), String> {
    let wrong = |_| format!("\"{text}\" is not an exercise; write game or game.ply");
    let (game, ply) = match text.split_once('.') {
        Some((game, ply)) => (game, Some(Ply(ply.parse().map_err(wrong)?))),
        None => (text, None),
    };
    Ok((GameNumber(game.parse().map_err(wrong)?), ply))
}

/// A set of exercises for a lesson as a file: PGN, EPD, text for Anki, or a page to print.
#[utoipa::path(
    get,
    path = "/api/v1/training/set",
    params(
        ("collection" = Option<String>, Query, description = "Name of the collection of exercises"),
        ("exercises" = String, Query, description = "Exercises in their order, as game or game.ply, with commas between; up to 200"),
        ("format" = String, Query, description = "pgn, epd, anki or html"),
    ),
    responses(
        (status = 200, description = "The file", content((String = "text/plain"), (String = "text/html"), (String = "application/x-chess-pgn"))),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 404, description = "There is no such collection or exercise", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn set(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
) -> Result<([(HeaderName, String); 2], String), Problem> {
    let (_, rest) = Choice::of(uri.query().unwrap_or_default());
    let set: Set = read_arguments(&rest)?;
    if set.exercises.is_empty() || set.exercises.len() > MOST {
        let words = format!("give 1 to {MOST} exercises");
        return Err(Invalid::new("exercises", words).into());
    }
    let served = served(&state, &uri)?;
    let (kind, ending) = set.format.kind();
    let text = state.work.run(move |_| {
        let mut chosen = Vec::new();
        for &(number, ply) in &set.exercises {
            let game = served.collection().game(number)?;
            let exercises = game.map_or(Vec::new(), |it| Exercise::all(number, &it));
            let before = chosen.len();
            let wanted = exercises.into_iter();
            chosen.extend(wanted.filter(|it| ply.is_none_or(|ply| it.ply == ply)));
            if chosen.len() == before {
                let words = format!("game {number} is not an exercise of the collection");
                return Err(Problem::missing(words));
            }
        }
        Ok(export::text(&chosen, set.format))
    });
    let name = format!("attachment; filename=\"lesson.{ending}\"");
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, text.await?))
}
