//! `/api/v1/judgments`: relevance judgments of hits, as JSON and as TREC qrels.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Json,
    extract::{DefaultBodyLimit, State as Shared},
    http::{StatusCode, Uri},
};
use serde::{Deserialize, Serialize};
use shakmaty::Chess;
use tabiya_chess::{Game, Ply, position};
use tabiya_retrieval::{
    GameNumber,
    collection::{BEST_GRADE, Judgment, Qrels},
    index::GameDigest,
};
use utoipa::{IntoParams, ToSchema};

use crate::serve::{
    Problem, State,
    problem::ProblemBody,
    request::{Asked, Body, Text},
    shelf::Served,
    state::Asked as Choice,
};

/// The largest import of judgments in bytes.
const LONGEST_IMPORT: usize = 4 * 1024 * 1024;

/// The greatest number of judgments in an import, and of those listed at once.
const MOST: usize = 40_000;

/// The longest assessor name, in characters.
const LONGEST_NAME: usize = 64;

/// Selects judgments.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// Only judgments for this position (a FEN; the first four fields count)
    fen: Option<String>,
    /// Only judgments by this assessor
    assessor: Option<String>,
    /// Number of judgments to leave out at the beginning
    #[param(minimum = 0)]
    #[serde(default)]
    after: usize,
    /// Number of judgments to list
    #[param(minimum = 1, maximum = 40000)]
    #[serde(default = "limit")]
    limit: usize,
}

const fn limit() -> usize {
    1000
}

/// Selects an assessor.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Assessor {
    /// Name of the assessor; an export without one returns the mean grade of all assessors
    assessor: Option<String>,
}

/// A new judgment: the grade of a hit.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewJudgment {
    /// The name of the assessor.
    #[schema(min_length = 1, max_length = 64, example = "Anna")]
    assessor: String,
    /// The position of the query.
    #[schema(example = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1")]
    fen: String,
    /// The number of the hit's game.
    #[schema(minimum = 1, value_type = u64)]
    game: GameNumber,
    /// The number of plies played before the hit's position.
    #[schema(value_type = usize)]
    ply: Ply,
    /// The grade, from 0 (nothing in common) to 4.
    #[schema(minimum = 0, maximum = 4)]
    grade: u8,
    /// The position of the hit. If the collection has changed since the search and the game
    /// has another position at this ply, the judgment is rejected.
    hit: Option<String>,
}

/// A stored judgment.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StoredJudgment {
    assessor: String,
    /// The position of the query: the first four fields of its FEN.
    query: String,
    #[schema(value_type = u64)]
    game: GameNumber,
    #[schema(value_type = usize)]
    ply: Ply,
    grade: u8,
    /// The time of the judgment, in seconds since 1970.
    time: u64,
}

impl StoredJudgment {
    /// The judgment, if the collection has its game.
    fn new(judgment: &Judgment) -> Option<StoredJudgment> {
        Some(StoredJudgment {
            assessor: judgment.assessor.clone(),
            query: judgment.query.clone(),
            game: judgment.game?,
            ply: judgment.ply,
            grade: judgment.grade,
            time: judgment.time,
        })
    }

    /// What judgments are listed by.
    fn place(&self) -> (&str, &str, GameNumber, Ply) {
        (&self.query, &self.assessor, self.game, self.ply)
    }
}

/// The number of imported judgments.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportSummary {
    imported: usize,
}

/// List judgments; of several by one assessor on the same hit, the last. Judgments of games
/// that were removed wait until the games are back.
#[utoipa::path(
    get,
    path = "/api/v1/judgments",
    params(Parameters),
    responses(
        (status = 200, description = "The judgments", body = Vec<StoredJudgment>),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
    )
)]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
    Asked(asked): Asked<Parameters>,
) -> Result<Json<Vec<StoredJudgment>>, Problem> {
    let query = asked.fen.as_deref().map(name_of_fen).transpose()?;
    if !(1..=MOST).contains(&asked.limit) {
        return Err(Problem::request(format!("limit: give 1 to {MOST}")));
    }
    let served = served(&state, &uri)?;
    let list = state.work.run(move |_| {
        let judgments = served.judgments()?;
        let wanted = judgments.iter().filter(|it| {
            query.as_ref().is_none_or(|query| it.query == *query)
                && asked
                    .assessor
                    .as_ref()
                    .is_none_or(|name| it.assessor == *name)
        });
        let mut found: Vec<_> = wanted.filter_map(StoredJudgment::new).collect();
        found.sort_by(|one, two| one.place().cmp(&two.place()));
        let page = found.into_iter().skip(asked.after).take(asked.limit);
        Ok(page.collect())
    });
    Ok(Json(list.await?))
}

/// Store a judgment. The response confirms that it is on disk.
#[utoipa::path(
    post,
    path = "/api/v1/judgments",
    request_body = NewJudgment,
    responses(
        (status = 201, description = "The judgment is stored", body = StoredJudgment),
        (status = 400, description = "The judgment is invalid", body = ProblemBody),
        (status = 413, description = "The body is too long", body = ProblemBody),
        (status = 415, description = "The body is not JSON", body = ProblemBody),
        (status = 422, description = "The fields are not those of a judgment", body = ProblemBody),
    )
)]
pub(crate) async fn keep(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
    Body(given): Body<NewJudgment>,
) -> Result<(StatusCode, Json<StoredJudgment>), Problem> {
    let served = served(&state, &uri)?;
    let kept = state.work.run(move |_| {
        let assessor = name(&given.assessor)?;
        let query = name_of_fen(&given.fen)?;
        let shards = served.shards();
        let game = shards.intact(|| find(&served, given.game, given.ply))?;
        if let Some(hit) = &given.hit {
            check_hit(&game, given.ply, hit)?;
        }
        let kept = StoredJudgment {
            assessor: assessor.clone(),
            query: query.clone(),
            game: given.game,
            ply: given.ply,
            grade: check_grade(given.grade.into())?,
            time: now(),
        };
        let judgment = Judgment {
            assessor,
            query,
            digest: GameDigest::of(&game),
            game: Some(given.game),
            ply: given.ply,
            grade: kept.grade,
            time: kept.time,
        };
        served.judgments()?.add(served.collection(), [judgment])?;
        Ok(kept)
    });
    Ok((StatusCode::CREATED, Json(kept.await?)))
}

/// Export judgments as TREC qrels: `query 0 game.ply grade`, where the query is the
/// first four fields of a FEN joined by underscores.
#[utoipa::path(
    get,
    path = "/api/v1/judgments/qrels",
    params(Assessor),
    responses((status = 200, description = "The judgments", body = String, content_type = "text/plain"))
)]
pub(crate) async fn export(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
    Asked(Assessor { assessor }): Asked<Assessor>,
) -> Result<String, Problem> {
    let served = served(&state, &uri)?;
    let text = state.work.run(move |_| {
        let judgments = served.judgments()?;
        let wanted = judgments
            .iter()
            .filter(|it| assessor.as_ref().is_none_or(|name| it.assessor == *name));
        let mut grades = BTreeMap::<(String, String), Vec<u8>>::new();
        for it in wanted {
            let Some(game) = it.game else { continue };
            let document = format!("{game}.{}", it.ply);
            let key = (it.query.replace(' ', "_"), document);
            grades.entry(key).or_default().push(it.grade);
        }
        let mut qrels = Qrels::default();
        for ((query, document), grades) in grades {
            qrels.insert(&query, &document, mean(&grades));
        }
        Ok(qrels.to_string())
    });
    text.await
}

/// Import judgments from TREC qrels in the format of the export.
#[utoipa::path(
    put,
    path = "/api/v1/judgments/qrels",
    params(Assessor),
    request_body(content = String, content_type = "text/plain"),
    responses(
        (status = 200, description = "The judgments are stored", body = ImportSummary),
        (status = 400, description = "A line is invalid; nothing is stored", body = ProblemBody),
        (status = 413, description = "The file is longer than 4 MB", body = ProblemBody),
        (status = 415, description = "The body is not UTF-8 text", body = ProblemBody),
    )
)]
pub(crate) async fn import(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
    Asked(Assessor { assessor }): Asked<Assessor>,
    Text(text): Text,
) -> Result<Json<ImportSummary>, Problem> {
    let assessor = name(assessor.as_deref().unwrap_or_default())?;
    let served = served(&state, &uri)?;
    let imported = state.heavy.run(move |cancel| {
        if text.lines().count() > MOST {
            let words = format!("more than {MOST} lines; import them in parts");
            return Err(Problem::request(words));
        }
        let qrels = Qrels::parse(&text).map_err(|error| Problem::request(error.to_string()))?;
        drop(text);
        let mut judgments = Vec::new();
        served.shards().intact(|| {
            for (query, grades) in qrels.iter() {
                let query = name_of_fen(&query.replace('_', " "))?;
                for (document, &grade) in grades {
                    if cancel.is_canceled() {
                        return Err(Problem::slow());
                    }
                    judgments.push(read(&served, &assessor, &query, document, grade)?);
                }
            }
            Ok(())
        })?;
        let imported = judgments.len();
        served.judgments()?.add(served.collection(), judgments)?;
        Ok(imported)
    });
    let imported = imported.await?;
    Ok(Json(ImportSummary { imported }))
}

/// The size limit for imports, which are the longest requests.
pub(crate) fn room() -> DefaultBodyLimit {
    DefaultBodyLimit::max(LONGEST_IMPORT)
}

/// The one collection that a request is about.
pub(crate) fn served(state: &State, uri: &Uri) -> Result<Arc<Served>, Problem> {
    let (asked, _) = Choice::of(uri.query().unwrap_or_default());
    Ok(state.find(&asked)?.only()?.clone())
}

/// Checks the name of an assessor.
fn name(text: &str) -> Result<String, Problem> {
    let name = text.trim();
    let is_fit = (1..=LONGEST_NAME).contains(&name.chars().count());
    if !is_fit || name.chars().any(char::is_control) {
        return Err(Problem::request(format!(
            "invalid assessor; give a name of 1 to {LONGEST_NAME} characters"
        )));
    }
    Ok(name.to_owned())
}

/// The name of a query: the first four fields of its FEN.
fn name_of_fen(fen: &str) -> Result<String, Problem> {
    let position = position::parse(fen).map_err(|error| Problem::request(error.to_string()))?;
    Ok(query_name(&position))
}

/// The name of a position as a query.
pub(crate) fn query_name(position: &Chess) -> String {
    let fen = position::to_fen(position);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ")
}

fn check_grade(grade: i32) -> Result<u8, Problem> {
    let valid = u8::try_from(grade).ok().filter(|&it| it <= BEST_GRADE);
    valid.ok_or_else(|| {
        let words = format!("invalid grade {grade}; give a grade from 0 to {BEST_GRADE}");
        Problem::request(words)
    })
}

/// The game of a hit.
fn find(served: &Served, number: GameNumber, ply: Ply) -> Result<Game, Problem> {
    let game = served.collection().game(number)?;
    let game = game.filter(|it| usize::from(ply) <= it.moves.len());
    game.ok_or_else(|| {
        let words = format!("the collection has no game {number} with ply {ply}");
        Problem::request(words)
    })
}

/// Checks that the game still has the position that was found.
fn check_hit(game: &Game, ply: Ply, hit: &str) -> Result<(), Problem> {
    let found = game.positions().nth(ply.into());
    if found.is_some_and(|it| query_name(&it) == name_of_fen(hit).unwrap_or_default()) {
        return Ok(());
    }
    let words =
        "the game has another position at this ply; the collection changed, so search again";
    Err(Problem::request(words))
}

fn read(
    served: &Served,
    assessor: &str,
    query: &str,
    document: &str,
    grade: i32,
) -> Result<Judgment, Problem> {
    let wrong = || {
        Problem::request(format!(
            "\"{document} {grade}\" is not a judgment; write game.ply and a grade"
        ))
    };
    let (number, ply) = document.split_once('.').ok_or_else(wrong)?;
    let number = number.parse().map_err(|_| wrong())?;
    let ply = ply.parse().map_err(|_| wrong())?;
    let game = find(served, number, ply)?;
    Ok(Judgment {
        assessor: assessor.to_owned(),
        query: query.to_owned(),
        digest: GameDigest::of(&game),
        game: Some(number),
        ply,
        grade: check_grade(grade)?,
        time: now(),
    })
}

/// The mean of grades, halves rounded up.
fn mean(grades: &[u8]) -> i32 {
    let sum: i32 = grades.iter().map(|&it| i32::from(it)).sum();
    let count = i32::try_from(grades.len()).unwrap_or(i32::MAX).max(1);
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
    fn grades_of_several_assessors_are_averaged() {
        assert_eq!(mean(&[3]), 3);
        assert_eq!(mean(&[3, 4]), 4);
        assert_eq!(mean(&[0, 0, 1]), 0);
        assert_eq!(mean(&[4, 4, 3]), 4);
    }
}
