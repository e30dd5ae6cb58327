//! The server without a socket: answers, errors and headers.

use std::sync::Arc;

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, Response, StatusCode, header},
};
use serde_json::Value;
use tabiya_chess::pgn::Source;
use tabiya_question::QUESTIONS;
use tabiya_retrieval::{
    Collection,
    collection::{Import, Progress},
};
use tempfile::TempDir;
use tower::ServiceExt;

use super::{Shelf, State, app};

const GAMES: &[u8] = b"[White \"Anna\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n\
                       [White \"Berta\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-1\n";

/// The position after 1.e4 e5 2.Nf3 Nc6.
const FEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R+w+KQkq+-+2+3";

/// A server over a small collection in a temporary folder.
struct Server {
    app: Router,
    folder: TempDir,
}

impl Server {
    fn new() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        let source = Source::BuiltIn {
            name: "games",
            bytes: GAMES,
        };
        let import = Import {
            skip: Some(0),
            ..Import::new(vec![source])
        };
        import.run(&home, &Progress::default()).unwrap();
        let collection = Collection::open(&home).unwrap();
        let shelf = Shelf::new(
            vec![("games".to_owned(), collection)],
            Some(folder.path().join("home")),
        );
        let state = State::new(shelf.unwrap());
        Server {
            app: app(Arc::new(state)),
            folder,
        }
    }

    async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.app.clone().oneshot(request).await.unwrap()
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        read(self.ask(request).await).await
    }

    async fn text(&self, path: &str) -> String {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let body = self.ask(request).await.into_body();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// The JSON of a successful answer.
    async fn json(&self, path: &str) -> Value {
        let (status, value) = self.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    /// Checks the status and the message of an error.
    async fn refused(&self, path: &str, status: u16, words: &str) {
        let (found, value) = self.get(path).await;
        let message = value["error"].as_str().unwrap_or_default();
        assert_eq!(found.as_u16(), status, "{path}: {value}");
        assert!(message.contains(words), "{path}: {message}");
        let secret = self.folder.path().to_string_lossy().into_owned();
        assert!(!message.contains(&secret), "{message}");
    }
}

async fn read(response: Response<Body>) -> (StatusCode, Value) {
    let status = response.status();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (
        status,
        serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    )
}

#[tokio::test]
async fn a_search_is_answered_filtered_and_continued() {
    let server = Server::new();
    let all = server.json(&format!("/api/v1/search?fen={FEN}")).await;
    assert_eq!(all["hits"].as_array().unwrap().len(), 2);
    assert_eq!(all["hits"][0]["similarity"], 1.0);
    assert_eq!(all["moves"][0]["games"], 1);
    let rest = server
        .json(&format!("/api/v1/search?fen={FEN}&after=1"))
        .await;
    assert_eq!(rest["hits"][0], all["hits"][1]);
    let berta = server
        .json(&format!("/api/v1/search?fen={FEN}&player=berta&elo=-3000"))
        .await;
    assert_eq!(berta["hits"].as_array().unwrap().len(), 0, "unrated");
    let berta = server
        .json(&format!("/api/v1/search?fen={FEN}&white=berta&result=0-1"))
        .await;
    assert_eq!(berta["hits"][0]["game"]["white"], "Berta");
    let anew = server
        .json(&format!(
            "/api/v1/search?fen={FEN}&rerank=blend&weights=place=2"
        ))
        .await;
    assert!(anew["hits"][0]["rerank"]["similarity"].is_f64());
    let reason = &all["hits"][0]["shared"][0];
    assert!(reason["square"].is_string() && reason["here"] == reason["there"]);
}

#[tokio::test]
async fn the_other_questions_are_answered() {
    let server = Server::new();
    let explored = server.json(&format!("/api/v1/explore?fen={FEN}")).await;
    assert_eq!(
        (&explored["white"], &explored["black"]),
        (&1.into(), &1.into())
    );
    let explained = server
        .json(&format!("/api/v1/explain?fen={FEN}&other={FEN}"))
        .await;
    assert_eq!(explained["similarity"], 1.0);
    let compared = server
        .json(&format!("/api/v1/compare?fen={FEN}&other={FEN}"))
        .await;
    assert_eq!(compared["structural"], 1.0);
    assert_eq!(
        compared["matches"][0]["paths"][0].as_array().unwrap().len(),
        2
    );
    let traps = server.json(&format!("/api/v1/traps?fen={FEN}&top=2")).await;
    assert_eq!(traps["traps"].as_array().unwrap().len(), 2);
    let game = server.json("/api/v1/game/2").await;
    assert_eq!(
        (&game["game"]["white"], &game["moves"][4]["san"]),
        (&"Berta".into(), &"Bc4".into())
    );
    let collections = server.json("/api/v1/collections").await;
    assert_eq!(
        (&collections[0]["name"], &collections[0]["games"]),
        (&"games".into(), &2.into())
    );
    assert_eq!(server.json("/api/v1/health").await["status"], "ok");
}

#[tokio::test]
async fn invalid_requests_are_rejected_with_the_reason() {
    let server = Server::new();
    for (path, status, words) in [
        ("/api/v1/search", 400, "fen: give a position"),
        ("/api/v1/search?fen=nonsense", 400, "not a FEN"),
        (
            "/api/v1/search?fen=8/8/8/8/8/8/8/8+w",
            400,
            "the board is empty",
        ),
        (
            "/api/v1/search?fen=FEN&top=1001",
            400,
            "top: the server accepts 0 to 1000",
        ),
        ("/api/v1/search?fen=FEN&top=-1", 400, "top"),
        (
            "/api/v1/search?fen=FEN&elo=3-2",
            400,
            "ends before it begins",
        ),
        (
            "/api/v1/search?fen=FEN&weights=center=1",
            400,
            "not a family",
        ),
        (
            "/api/v1/search?fen=FEN&run=Best",
            400,
            "run: \"Best\" is not one of TruePos",
        ),
        (
            "/api/v1/search?fen=FEN&b=2",
            400,
            "b: the server accepts 0 to 1",
        ),
        (
            "/api/v1/search?fen=FEN&k1=NaN",
            400,
            "k1: the server accepts 0 to 1000",
        ),
        (
            "/api/v1/search?fen=FEN&symmetry=odd",
            400,
            "symmetry: \"odd\" is not one of none, swap",
        ),
        (
            "/api/v1/search?fen=FEN&rerank=odd",
            400,
            "rerank: \"odd\" is not one of",
        ),
        (
            "/api/v1/search?fen=FEN&topp=5",
            400,
            "topp: unknown parameter; did you mean top?",
        ),
        (
            "/api/v1/search?fen=FEN&top=5&top=6",
            400,
            "top: this parameter is given twice",
        ),
        ("/api/v1/explore?fen=FEN&show_games=9", 400, "0 to 8"),
        (
            "/api/v1/compare?fen=FEN",
            400,
            "other: this parameter is required",
        ),
        (
            "/api/v1/compare?fen=FEN&other=FEN&depth=3",
            400,
            "depth: the server accepts 1 to 2",
        ),
        ("/api/v1/traps?fen=FEN&top=21", 400, "0 to 20"),
        (
            "/api/v1/game/3",
            404,
            "there is no game 3; the last is game 2",
        ),
        ("/api/v1/game/x", 400, "x"),
        ("/api/v1/nothing", 404, "openapi.json"),
        ("/nothing", 404, "the board is at /"),
    ] {
        server
            .refused(&path.replace("FEN", FEN), status, words)
            .await;
    }
}

#[tokio::test]
async fn foreign_hosts_and_wrong_methods_are_rejected() {
    let server = Server::new();
    let rebound = Request::get("/api/v1/health").header(header::HOST, "evil.example");
    let (status, _) = read(server.ask(rebound.body(Body::empty()).unwrap()).await).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    for path in ["/api/v1/search", "/"] {
        let posted = Request::post(path).body(Body::empty()).unwrap();
        let (status, value) = read(server.ask(posted).await).await;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
        assert!(value["error"].is_string());
    }
}

#[tokio::test]
async fn every_answer_carries_the_headers() {
    let server = Server::new();
    for path in [
        "/",
        "/api/v1/health",
        "/api/v1/search",
        "/metrics",
        "/nothing",
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let headers = server.ask(request).await.headers().clone();
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.contains("script-src 'self'")
                && !policy.contains("unsafe-inline")
                && !policy.contains("unsafe-eval"),
            "{path}"
        );
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert!(headers.contains_key(header::CACHE_CONTROL));
    }
}

#[tokio::test]
async fn requests_are_counted() {
    let server = Server::new();
    server.json("/api/v1/health").await;
    server.get("/api/v1/search").await;
    let text = server.text("/metrics").await;
    for line in [
        "tabiya_requests_total{route=\"/api/v1/health\",status=\"200\"} 1",
        "tabiya_requests_total{route=\"/api/v1/search\",status=\"400\"} 1",
        "tabiya_request_seconds_count{route=\"/api/v1/health\"} 1",
        "tabiya_requests_open 1",
        "tabiya_games 2",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

/// A new question is one file, one view and one line in the list; the rest follows.
#[tokio::test]
async fn every_question_has_its_verb_its_route_and_its_description() {
    use clap::Subcommand;
    let server = Server::new();
    let description = server.json("/api/v1/openapi.json").await;
    let verbs = crate::command::Command::augment_subcommands(clap::Command::new("tabiya"));
    for entry in QUESTIONS {
        let verb = verbs.find_subcommand(entry.name).expect(entry.name);
        assert!(verb.get_about().is_some() && verb.get_after_help().is_some());
        let operation = &description["paths"][format!("/api/v1/{}", entry.path)]["get"];
        assert!(operation["responses"]["200"].is_object(), "{}", entry.name);
        let address = format!(
            "/api/v1/{}?{}",
            entry.path.replace("{id}", "1"),
            example(operation)
        );
        let answer = server.json(&address).await;
        assert_eq!(
            (&answer["schema"], &answer["question"]),
            (
                &tabiya_question::document::SCHEMA.into(),
                &entry.name.into()
            )
        );
        let parameters = operation["parameters"].as_array().unwrap().iter();
        for name in parameters.filter_map(|it| it["name"].as_str()) {
            assert!(
                answer["settings"].get(name).is_some(),
                "{} {name}",
                entry.name
            );
        }
    }
}

/// The positions in the examples of a question's description.
fn example(operation: &Value) -> String {
    let parameters = operation["parameters"].as_array().unwrap().iter();
    let positions = parameters
        .filter(|it| ["fen", "other", "last_move"].contains(&it["name"].as_str().unwrap()));
    let pairs = positions.map(|it| {
        let example = it["schema"]["examples"][0].as_str().unwrap();
        format!(
            "{}={}",
            it["name"].as_str().unwrap(),
            example.replace(' ', "+")
        )
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// The page's types are generated from this file. `UPDATE=1 cargo test -p tabiya description`
/// rewrites it.
#[tokio::test]
async fn the_description_that_the_page_is_built_on_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/openapi.json");
    let description = super::described().1.to_pretty_json().unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &description).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap();
    assert!(
        kept == description,
        "web/openapi.json is outdated; run: UPDATE=1 cargo test -p tabiya description"
    );
}

fn judgment(assessor: &str, game: u64, grade: u64) -> Request<Body> {
    let fen = FEN.replace('+', " ");
    let value = serde_json::json!({
        "assessor": assessor, "fen": fen, "game": game, "ply": 4, "grade": grade
    });
    Request::post("/api/v1/judgments")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(value.to_string()))
        .unwrap()
}

#[tokio::test]
async fn a_pool_is_neutral() {
    let server = Server::new();
    let pool = server.json(&format!("/api/v1/pool?fen={FEN}")).await;
    let hits = pool["hits"].as_array().unwrap();
    assert!(hits.len() >= 2 && pool["runs"].as_array().unwrap().len() >= 6);
    assert!(
        hits.iter()
            .all(|it| it["score"].is_null() && it["similarity"].is_null())
    );
    let order: Vec<_> = hits
        .iter()
        .map(|it| (it["game"]["id"].as_u64(), it["ply"].as_u64()))
        .collect();
    assert!(order.is_sorted(), "{order:?}");
    server
        .refused(&format!("/api/v1/pool?fen={FEN}&size=0"), 400, "1 to 200")
        .await;
}

#[tokio::test]
async fn judgments_are_kept_exported_and_imported() {
    let server = Server::new();
    for (assessor, game, grade) in [
        ("Anna", 1, 1),
        ("Anna", 1, 4),
        ("Berta", 1, 1),
        ("Anna", 2, 0),
    ] {
        let (status, kept) = read(server.ask(judgment(assessor, game, grade)).await).await;
        assert_eq!(
            (status, &kept["grade"]),
            (StatusCode::CREATED, &grade.into())
        );
    }
    let of_anna = server
        .json(&format!("/api/v1/judgments?assessor=Anna&fen={FEN}"))
        .await;
    assert_eq!(of_anna.as_array().unwrap().len(), 2);
    assert_eq!(of_anna[0]["grade"], 4);
    let query = FEN.split('+').take(4).collect::<Vec<_>>().join("_");
    let qrels = format!("{query} 0 1.4 4\n{query} 0 2.4 0\n");
    assert_eq!(
        server.text("/api/v1/judgments/qrels?assessor=Anna").await,
        qrels
    );
    // Two assessors: the mean of 4 and 1, halves rounded up.
    assert!(
        server
            .text("/api/v1/judgments/qrels")
            .await
            .contains("1.4 3")
    );
    let import = |text: String| {
        let request = Request::put("/api/v1/judgments/qrels?assessor=Clara");
        request.body(Body::from(text)).unwrap()
    };
    let (status, body) = read(server.ask(import(qrels.clone())).await).await;
    assert_eq!((status, &body["imported"]), (StatusCode::OK, &2.into()));
    assert_eq!(
        server.text("/api/v1/judgments/qrels?assessor=Clara").await,
        qrels
    );
    for wrong in [
        "nonsense",
        "x 0 1.4 4",
        &qrels.replace("1.4", "9.4"),
        &qrels.replace(" 4\n", " 5\n"),
    ] {
        let (status, body) = read(server.ask(import(wrong.to_owned())).await).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}: {body}");
    }
}

#[tokio::test]
async fn invalid_judgments_are_rejected() {
    let server = Server::new();
    for (assessor, game, grade) in [("", 1, 1), ("Anna", 1, 5), ("Anna", 3, 1), ("A\nB", 1, 1)] {
        let (status, body) = read(server.ask(judgment(assessor, game, grade)).await).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
    }
    let mut foreign = judgment("Anna", 1, 1);
    foreign
        .headers_mut()
        .insert("sec-fetch-site", "cross-site".parse().unwrap());
    assert_eq!(server.ask(foreign).await.status(), StatusCode::FORBIDDEN);
    assert_eq!(server.text("/api/v1/judgments/qrels").await, "");
}

#[tokio::test]
async fn the_engine_replies() {
    let server = Server::new();
    let mate = "/api/v1/play?fen=6k1/5ppp/8/8/8/8/8/R3K3+w&movetime=50";
    let reply = server.json(mate).await;
    assert_eq!(
        (&reply["uci"], &reply["mate_in"]),
        (&"a1a8".into(), &1.into())
    );
    let over = server.json(&format!("{mate}&moves=a1a8")).await;
    assert_eq!(
        (&over["uci"], &over["line"][0]),
        (&Value::Null, &Value::Null)
    );
    server
        .refused(&format!("{mate}&moves=a1b8"), 400, "moves: ")
        .await;
    server
        .refused(
            "/api/v1/play?fen=6k1/5ppp/8/8/8/8/8/R3K3+w&movetime=9999",
            400,
            "movetime: the server accepts 10 to 5000",
        )
        .await;
}
