//! `/api/v1/judgments`: what people said of hits; as JSON, and as TREC's qrels.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Json,
    extract::{DefaultBodyLimit, State as Shared},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use shakmaty::Chess;
use tabiya_chess::position;
use tabiya_retrieval::{
    GameNumber,
    collection::{BEST_GRADE, Judgment, Qrels},
};
use utoipa::{IntoParams, ToSchema};

use crate::{
    serve::Problem, serve::State, serve::problem::ProblemBody, serve::request::Asked,
    serve::request::Body,
};

/// The longest file of judgments that is read: some 200,000 lines.
const LONGEST_IMPORT: usize = 16 * 1024 * 1024;

/// The longest name of an assessor, in characters.
const LONGEST_NAME: usize = 64;

/// Whose judgments, and on what.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// Only those on this position, a FEN of which the first four fields count
    fen: Option<String>,
    /// Only those of this assessor
    assessor: Option<String>,
}

/// Who judges.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Assessor {
    /// Whose judgments; on export all if left out, and their mean is told
    assessor: Option<String>,
}

/// A grade for a hit.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Given {
    /// Who says so.
    #[schema(min_length = 1, max_length = 64, example = "Anna")]
    assessor: String,
    /// The position that was asked about.
    #[schema(example = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1")]
    fen: String,
    /// The game that was found.
    #[schema(minimum = 1, value_type = u64)]
    game: GameNumber,
    /// How many half-moves were played before the position that was found.
    ply: usize,
    /// From 0, nothing in common, to 4.
    #[schema(minimum = 0, maximum = 4)]
    grade: u8,
}

/// A judgment that is kept.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Kept {
    assessor: String,
    /// The position that was asked about, as the first four fields of its FEN.
    query: String,
    #[schema(value_type = u64)]
    game: GameNumber,
    ply: usize,
    grade: u8,
    /// When, in seconds since 1970.
    time: u64,
}

impl From<&Judgment> for Kept {
    fn from(judgment: &Judgment) -> Kept {
        let Judgment {
            assessor,
            query,
            game,
            ply,
            grade,
            time,
        } = judgment.clone();
        Kept {
            assessor,
            query,
            game,
            ply,
            grade,
            time,
        }
    }
}

/// How many judgments were read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Imported {
    imported: usize,
}

/// Tell the judgments that are kept; of several on the same hit the last.
#[utoipa::path(
    get,
    path = "/api/v1/judgments",
    params(Parameters),
    responses(
        (status = 200, description = "The judgments", body = Vec<Kept>),
        (status = 400, description = "A parameter makes no sense", body = ProblemBody),
    )
)]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    Asked(asked): Asked<Parameters>,
) -> Result<Json<Vec<Kept>>, Problem> {
    let query = asked.fen.as_deref().map(name_of_fen).transpose()?;
    let judgments = state.judgments();
    let wanted = judgments.iter().filter(|it| {
        query.as_ref().is_none_or(|query| it.query == *query)
            && asked
                .assessor
                .as_ref()
                .is_none_or(|name| it.assessor == *name)
    });
    Ok(Json(wanted.map(Kept::from).collect()))
}

/// Keep a judgment. It is on disk when the answer comes.
#[utoipa::path(
    post,
    path = "/api/v1/judgments",
    request_body = Given,
    responses(
        (status = 201, description = "It is kept", body = Kept),
        (status = 400, description = "It makes no sense", body = ProblemBody),
        (status = 413, description = "It is too long", body = ProblemBody),
        (status = 415, description = "It is no JSON", body = ProblemBody),
        (status = 422, description = "Its fields are not those of a judgment", body = ProblemBody),
    )
)]
pub(crate) async fn keep(
    Shared(state): Shared<Arc<State>>,
    Body(given): Body<Given>,
) -> Result<(StatusCode, Json<Kept>), Problem> {
    let judgment = Judgment {
        assessor: name(&given.assessor)?,
        query: name_of_fen(&given.fen)?,
        game: given.game,
        ply: given.ply,
        grade: given.grade,
        time: now(),
    };
    check(&state, &judgment)?;
    let kept = Kept::from(&judgment);
    let shared = state.clone();
    let work = move |_: &_| Ok(shared.judgments().add([judgment])?);
    state.work.run(work).await?;
    Ok((StatusCode::CREATED, Json(kept)))
}

/// Export judgments as TREC's qrels: `query 0 game.ply grade`, where the query is
/// the first four fields of a FEN joined by underscores.
#[utoipa::path(
    get,
    path = "/api/v1/judgments/qrels",
    params(Assessor),
    responses((status = 200, description = "The file", body = String, content_type = "text/plain"))
)]
pub(crate) async fn export(
    Shared(state): Shared<Arc<State>>,
    Asked(Assessor { assessor }): Asked<Assessor>,
) -> String {
    let judgments = state.judgments();
    let wanted = judgments
        .iter()
        .filter(|it| assessor.as_ref().is_none_or(|name| it.assessor == *name));
    let mut grades = BTreeMap::<(String, String), Vec<u8>>::new();
    for it in wanted {
        let document = format!("{}.{}", it.game, it.ply);
        let key = (it.query.replace(' ', "_"), document);
        grades.entry(key).or_default().push(it.grade);
    }
    let mut qrels = Qrels::default();
    for ((query, document), grades) in grades {
        qrels.insert(&query, &document, mean(&grades));
    }
    qrels.to_string()
}

/// Import judgments from TREC's qrels in the form of the export.
#[utoipa::path(
    put,
    path = "/api/v1/judgments/qrels",
    params(Assessor),
    request_body(content = String, content_type = "text/plain"),
    responses(
        (status = 200, description = "They are kept", body = Imported),
        (status = 400, description = "A line makes no sense; nothing is kept", body = ProblemBody),
        (status = 413, description = "The file is too long", body = ProblemBody),
        (status = 415, description = "It is no text", body = ProblemBody),
    )
)]
pub(crate) async fn import(
    Shared(state): Shared<Arc<State>>,
    Asked(Assessor { assessor }): Asked<Assessor>,
    text: Result<String, axum::extract::rejection::StringRejection>,
) -> Result<Json<Imported>, Problem> {
    let text = text.map_err(|it| Problem::unread(it.status(), it.body_text()))?;
    let assessor = name(assessor.as_deref().unwrap_or_default())?;
    let qrels = Qrels::parse(&text).map_err(|error| Problem::request(error.to_string()))?;
    let mut judgments = Vec::new();
    for (query, grades) in qrels.iter() {
        let query = name_of_fen(&query.replace('_', " "))?;
        for (document, &grade) in grades {
            let judgment = read(&assessor, &query, document, grade)?;
            check(&state, &judgment)?;
            judgments.push(judgment);
        }
    }
    let imported = judgments.len();
    let shared = state.clone();
    let work = move |_: &_| Ok(shared.judgments().add(judgments)?);
    state.work.run(work).await?;
    Ok(Json(Imported { imported }))
}

/// Room for imports, which are longer than anything else.
pub(crate) fn room() -> DefaultBodyLimit {
    DefaultBodyLimit::max(LONGEST_IMPORT)
}

/// A name that can stand in a line.
fn name(text: &str) -> Result<String, Problem> {
    let name = text.trim();
    let is_fit = (1..=LONGEST_NAME).contains(&name.chars().count());
    if !is_fit || name.chars().any(char::is_control) {
        return Err(Problem::request(format!(
            "give an assessor, a name of 1 to {LONGEST_NAME} characters"
        )));
    }
    Ok(name.to_owned())
}

/// How a query is called: the first four fields of its FEN.
fn name_of_fen(fen: &str) -> Result<String, Problem> {
    let position = position::parse(fen).map_err(|error| Problem::request(error.to_string()))?;
    Ok(query_name(&position))
}

/// How a position is called as a query.
pub(crate) fn query_name(position: &Chess) -> String {
    let fen = position::to_fen(position);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ")
}

/// Whether the hit exists, and the grade.
fn check(state: &State, judgment: &Judgment) -> Result<(), Problem> {
    if judgment.grade > BEST_GRADE {
        let words = format!(
            "the grade is {}, expected 0 to {BEST_GRADE}",
            judgment.grade
        );
        return Err(Problem::request(words));
    }
    let game = state.source.collection().game(judgment.game)?;
    let plies = game.map(|it| it.moves.len());
    if plies.is_none_or(|it| judgment.ply > it) {
        let words = format!("no game {} with ply {}", judgment.game, judgment.ply);
        return Err(Problem::request(words));
    }
    Ok(())
}

fn read(assessor: &str, query: &str, document: &str, grade: i32) -> Result<Judgment, Problem> {
    let wrong = || {
        Problem::request(format!(
            "\"{document} {grade}\" is no judgment of ours, expected game.ply and a grade"
        ))
    };
    let (game, ply) = document.split_once('.').ok_or_else(wrong)?;
    Ok(Judgment {
        assessor: assessor.to_owned(),
        query: query.to_owned(),
        game: game.parse().map_err(|_| wrong())?,
        ply: ply.parse().map_err(|_| wrong())?,
        grade: u8::try_from(grade).map_err(|_| wrong())?,
        time: now(),
    })
}

/// The mean of grades, halves rounded up.
fn mean(grades: &[u8]) -> i32 {
    let (sum, count) = (
        grades.iter().map(|&it| i32::from(it)).sum::<i32>(),
        grades.len(),
    );
    let count = i32::try_from(count).unwrap_or(i32::MAX).max(1);
    (2 * sum + count) / (2 * count)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| it.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_of_several_are_told_by_their_mean() {
        assert_eq!(mean(&[3]), 3);
        assert_eq!(mean(&[3, 4]), 4);
        assert_eq!(mean(&[0, 0, 1]), 0);
        assert_eq!(mean(&[4, 4, 3]), 4);
    }
}
