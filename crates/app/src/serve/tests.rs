//! The server without a socket: answers, errors and headers.

use std::sync::Arc;

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, Response, StatusCode, header},
};
use serde_json::{Value, json};
use tabiya_chess::pgn::Input;
use tabiya_question::QUESTIONS;
use tabiya_retrieval::collection::{Import, Progress};
use tempfile::TempDir;
use tower::ServiceExt;

mod training;

use super::{
    Shelf, State,
    access::{Access, Role, Token},
    app,
};

const GAMES: &[u8] = b"[White \"Anna\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n\
                       [White \"Berta\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-1\n";

/// The position after 1.e4 e5 2.Nf3 Nc6.
const FEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R+w+KQkq+-+2+3";

/// A server over a small collection in a temporary folder.
struct Server {
    app: Router,
    state: Arc<State>,
    folder: TempDir,
}

impl Server {
    fn new() -> Server {
        Server::with(Access::private())
    }

    fn with(access: Access) -> Server {
        Server::over(GAMES, access)
    }

    fn over(games: &'static [u8], access: Access) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        let input = Input::BuiltIn {
            name: "games",
            bytes: games,
        };
        let import = Import {
            skip: Some(0),
            ..Import::new(vec![input])
        };
        import.run(&home, &Progress::default()).unwrap();
        let shelf = Shelf::new(
            vec![("games".to_owned(), home)],
            Some(folder.path().join("home")),
        );
        let state = Arc::new(State::new(shelf.unwrap(), access));
        Server {
            app: app(state.clone()),
            state,
            folder,
        }
    }

    async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.app.clone().oneshot(request).await.unwrap()
    }

    /// Asks for a path, under `/api/v1/` unless it starts with a slash. `FEN` is replaced by the
    /// position.
    async fn get(&self, path: &str) -> Response<Body> {
        let root = if path.starts_with('/') {
            ""
        } else {
            "/api/v1/"
        };
        let path = format!("{root}{path}").replace("FEN", FEN);
        let request = Request::get(path).body(Body::empty()).unwrap();
        self.ask(request).await
    }

    async fn text(&self, path: &str) -> String {
        let body = self.get(path).await.into_body();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// The JSON of a successful answer.
    async fn json(&self, path: &str) -> Value {
        let (status, value) = read(self.get(path).await).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    /// Checks the status and the message of an error.
    async fn refused(&self, path: &str, status: u16, words: &str) {
        let (found, value) = read(self.get(path).await).await;
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
    let grouped = server.json("search?fen=FEN").await;
    assert_eq!(grouped["hits"].as_array().unwrap().len(), 1);
    assert_eq!(grouped["hits"][0]["game_count"], 2);
    let all = server.json("search?fen=FEN&group=none").await;
    assert_eq!(all["hits"].as_array().unwrap().len(), 2);
    assert_eq!(all["hits"][0]["similarity"], 1.0);
    assert_eq!(all["moves"][0]["games"], 1);
    let rest = server.json("search?fen=FEN&group=none&after=1").await;
    assert_eq!(rest["hits"][0], all["hits"][1]);
    let berta = server.json("search?fen=FEN&player=berta&elo=-3000").await;
    assert_eq!(berta["hits"].as_array().unwrap().len(), 0, "unrated");
    let berta = server.json("search?fen=FEN&white=berta&result=0-1").await;
    assert_eq!(berta["hits"][0]["game"]["white"], "Berta");
    let reranked = server
        .json("search?fen=FEN&rerank=blend&weights=place=2")
        .await;
    assert!(reranked["hits"][0]["rerank"]["similarity"].is_f64());
    let reason = &all["hits"][0]["shared"][0];
    assert!(reason["square"].is_string() && reason["here"] == reason["there"]);
}

#[tokio::test]
async fn the_other_questions_are_answered() {
    let server = Server::new();
    for (path, pointer, expected) in [
        ("explore?fen=FEN", "/white", json!(1)),
        ("explore?fen=FEN", "/black", json!(1)),
        ("explain?fen=FEN&other=FEN", "/similarity", json!(1.0)),
        ("compare?fen=FEN&other=FEN", "/structural", json!(1.0)),
        ("game/2", "/game/white", json!("Berta")),
        ("game/2", "/moves/4/san", json!("Bc4")),
        ("collections", "/0/name", json!("games")),
        ("collections", "/0/games", json!(2)),
        ("health", "/status", json!("ok")),
    ] {
        let answer = server.json(path).await;
        assert_eq!(answer.pointer(pointer), Some(&expected), "{path} {pointer}");
    }
    let compared = server.json("compare?fen=FEN&other=FEN").await;
    let path = compared["matches"][0]["paths"][0].as_array();
    assert_eq!(path.unwrap().len(), 2);
    let traps = server.json("traps?fen=FEN&top=2").await;
    assert_eq!(traps["traps"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn invalid_requests_are_rejected_with_the_reason() {
    let server = Server::new();
    for (path, words) in [
        ("search", "fen: give a position"),
        ("search?fen=nonsense", "not a FEN"),
        ("search?fen=8/8/8/8/8/8/8/8+w", "the board is empty"),
        (
            "search?fen=FEN&top=1001",
            "top: the server accepts 0 to 1000",
        ),
        ("search?fen=FEN&top=-1", "top"),
        ("search?fen=FEN&elo=3-2", "ends before it begins"),
        ("search?fen=FEN&weights=center=1", "not a family"),
        (
            "search?fen=FEN&run=Best",
            "run: \"Best\" is not one of TruePos",
        ),
        ("search?fen=FEN&b=2", "b: the server accepts 0 to 1"),
        ("search?fen=FEN&k1=NaN", "k1: the server accepts 0 to 1000"),
        (
            "search?fen=FEN&symmetry=odd",
            "symmetry: \"odd\" is not one of none, swap",
        ),
        ("search?fen=FEN&rerank=odd", "rerank: \"odd\" is not one of"),
        (
            "search?fen=FEN&topp=5",
            "topp: unknown parameter; did you mean top?",
        ),
        (
            "search?fen=FEN&top=5&top=6",
            "top: this parameter is given twice",
        ),
        ("explore?fen=FEN&show_games=9", "0 to 8"),
        ("compare?fen=FEN", "other: this parameter is required"),
        (
            "compare?fen=FEN&other=FEN&depth=3",
            "depth: the server accepts 1 to 2",
        ),
        ("traps?fen=FEN&top=21", "0 to 20"),
        ("game/x", "x"),
    ] {
        server.refused(path, 400, words).await;
    }
    for (path, words) in [
        ("game/3", "there is no game 3; the last is game 2"),
        ("nothing", "openapi.json"),
        ("/nothing", "the board is at /"),
    ] {
        server.refused(path, 404, words).await;
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

/// A server that others can reach, and its token.
fn public() -> (Server, Token) {
    let token = Token::random().unwrap();
    let server = Server::with(Access {
        is_private: false,
        anyone: None,
        tokens: vec![token.clone()],
        ..Access::private()
    });
    (server, token)
}

#[tokio::test]
async fn others_need_a_token() {
    let (server, token) = public();
    for path in ["/", "/api/v1/health", "/api/v1/openapi.json"] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        assert_eq!(server.ask(request).await.status(), StatusCode::OK, "{path}");
    }
    for path in ["/api/v1/stats", "/metrics", "/api/v1/judgments"] {
        server.refused(path, 401, "asks for a token").await;
    }
    assert_eq!(server.json("/api/v1/access").await["role"], Value::Null);
    let secret = token.secret();
    for (name, value) in [
        (header::AUTHORIZATION, format!("Bearer {secret}")),
        (header::COOKIE, format!("tabiya={secret}")),
    ] {
        let request = |path| Request::get(path).header(&name, &value).body(Body::empty());
        let (status, _) = read(server.ask(request("/api/v1/stats").unwrap()).await).await;
        assert_eq!(status, StatusCode::OK);
        let (_, access) = read(server.ask(request("/api/v1/access").unwrap()).await).await;
        assert_eq!(access["role"], "manage");
    }
    let posted = server.ask(judgment("Anna", 1, 1)).await;
    assert_eq!(posted.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_printed_address_gives_the_browser_its_token() {
    let (server, token) = public();
    let get = |path: String| Request::get(path).body(Body::empty()).unwrap();
    let opened = server.ask(get(format!("/?token={}", token.secret()))).await;
    assert_eq!(opened.status(), StatusCode::SEE_OTHER);
    assert_eq!(opened.headers()[header::LOCATION], "/");
    let cookie = opened.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let wrong = server.ask(get("/?token=wrong".to_owned())).await;
    assert_eq!(wrong.status(), StatusCode::OK);
    assert!(!wrong.headers().contains_key(header::SET_COOKIE));
}

#[tokio::test]
async fn roles_limit_what_a_client_may_do() {
    let server = Server::with(Access {
        most: Role::Read,
        ..Access::private()
    });
    server.json("/api/v1/stats").await;
    let (status, body) = read(server.ask(judgment("Anna", 1, 1)).await).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(
        body["error"]
            .as_str()
            .unwrap()
            .contains("needs the role judge")
    );
}

#[tokio::test]
async fn clients_that_send_too_much_are_slowed_down() {
    let (server, _) = public();
    let mut refused = 0;
    for _ in 0..400 {
        let status = server.get("/api/v1/health").await.status();
        refused += usize::from(status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert!((50..=100).contains(&refused), "{refused}");
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
        let headers = server.get(path).await.headers().clone();
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
    server.json("health").await;
    server.get("search").await;
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
    let description = server.json("openapi.json").await;
    let verbs = crate::command::Command::augment_subcommands(clap::Command::new("tabiya"));
    for entry in QUESTIONS {
        let verb = verbs.find_subcommand(entry.name).expect(entry.name);
        assert!(verb.get_about().is_some() && verb.get_after_help().is_some());
        let operation = &description["paths"][format!("/api/v1/{}", entry.path)]["get"];
        assert!(operation["responses"]["200"].is_object(), "{}", entry.name);
        let path = entry.path.replace("{id}", "1");
        // Anna plays in these games, Morphy does not.
        let asked = format!("{path}?{}", example(operation)).replace("Morphy", "Anna");
        let answer = server.json(&asked).await;
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

/// The parameters without which questions are refused, by the examples of the description; searches are short.
fn example(operation: &Value) -> String {
    let parameters = operation["parameters"].as_array().unwrap().iter();
    let needed = ["fen", "other", "last_move", "query", "pgn", "against"];
    let pairs = parameters.filter_map(|it| {
        let name = it["name"].as_str()?;
        if name == "nodes" {
            return Some("nodes=1000".to_owned());
        }
        needed.contains(&name).then_some(())?;
        let example = it["schema"]["examples"][0].as_str()?;
        Some(format!("{name}={}", example.replace(' ', "+")))
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
    let value = json!({
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
    let pool = server.json("pool?fen=FEN").await;
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
    server.refused("pool?fen=FEN&size=0", 400, "1 to 200").await;
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
    let of_anna = server.json("judgments?assessor=Anna&fen=FEN").await;
    assert_eq!(of_anna.as_array().unwrap().len(), 2);
    assert_eq!(of_anna[0]["grade"], 4);
    let query = FEN.split('+').take(4).collect::<Vec<_>>().join("_");
    let qrels = format!("{query} 0 1.4 4\n{query} 0 2.4 0\n");
    assert_eq!(server.text("judgments/qrels?assessor=Anna").await, qrels);
    // Two assessors: the mean of 4 and 1, halves rounded up.
    assert!(server.text("judgments/qrels").await.contains("1.4 3"));
    let import = |text: String| {
        let request = Request::put("/api/v1/judgments/qrels?assessor=Clara");
        request.body(Body::from(text)).unwrap()
    };
    let (status, body) = read(server.ask(import(qrels.clone())).await).await;
    assert_eq!((status, &body["imported"]), (StatusCode::OK, &2.into()));
    assert_eq!(server.text("judgments/qrels?assessor=Clara").await, qrels);
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
async fn long_bodies_are_parsed_as_work() {
    let server = Server::new();
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let mut held = Vec::new();
    for _ in 0..(cores / 2).max(1) {
        held.push(server.state.heavy.place().await.unwrap());
    }
    // Text that is wrong in its first line, so the answer comes as soon as it is parsed.
    let text = "nonsense\n".repeat(30_000);
    let request = Request::put("/api/v1/judgments/qrels?assessor=Clara");
    let mut import = Box::pin(server.ask(request.body(Body::from(text)).unwrap()));
    let first = tokio::select! {
        biased;
        answer = &mut import => Some(answer.status()),
        health = async {
            // As many turns as the import could want.
            for _ in 0..200 {
                server.json("health").await;
            }
        } => { let () = health; None }
    };
    assert_eq!(first, None, "the body was parsed without a place");
    drop(held);
    let (status, body) = read(import.await).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
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
    assert_eq!(server.text("judgments/qrels").await, "");
}

#[tokio::test]
async fn the_engine_replies() {
    let server = Server::new();
    let mate = "play?fen=6k1/5ppp/8/8/8/8/8/R3K3+w&movetime=50";
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
    let illegal = format!("{mate}&moves=a1b8");
    server.refused(&illegal, 400, "moves: ").await;
    let limit = "movetime: the server accepts 10 to 5000";
    let slow = mate.replace("50", "9999");
    server.refused(&slow, 400, limit).await;
}

#[tokio::test]
async fn games_are_listed_and_saved() {
    let server = Server::new();
    let all = server.json("/api/v1/games?order=white&reversed=true").await;
    assert_eq!(
        (&all["total"], &all["games"][0]["game"]["white"]),
        (&2.into(), &"Berta".into())
    );
    let here = server
        .json(&format!("/api/v1/games?fen={FEN}&white=anna"))
        .await;
    assert_eq!(
        (&here["total"], &here["games"][0]["ply"]),
        (&1.into(), &4.into())
    );
    assert_eq!(here["games"][0]["uci"], "f1b5");
    let text = server.text("/api/v1/games/pgn?ids=2").await;
    assert!(text.contains("Berta") && !text.contains("Anna"), "{text}");
    server
        .refused(
            "/api/v1/games?limit=0",
            400,
            "limit: the server accepts 1 to 200",
        )
        .await;
    server
        .refused("/api/v1/games?order=luck", 400, "order: ")
        .await;
    server
        .refused("/api/v1/games?collection=none", 404, "the server has games")
        .await;
}

/// Sends a request with a body.
fn sent(method: &str, path: &str, body: impl Into<Body>) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    let request = request.header(header::CONTENT_TYPE, "application/json");
    request.body(body.into()).unwrap()
}

#[tokio::test]
async fn games_become_a_collection_that_is_asked_renamed_and_deleted() {
    let server = Server::new();
    let put = sent("PUT", "/api/v1/uploads/abcd1234/more.pgn", GAMES);
    assert_eq!(server.ask(put).await.status(), StatusCode::NO_CONTENT);
    let begin = r#"{"upload": "abcd1234", "collection": "more"}"#;
    let (status, begun) = read(server.ask(sent("POST", "/api/v1/imports", begin)).await).await;
    assert_eq!(
        (status, &begun["collection"]),
        (StatusCode::ACCEPTED, &"more".into())
    );
    let ended = loop {
        let imports = server.json("/api/v1/imports").await;
        if imports[0]["state"] != "running" {
            break imports[0].clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    assert_eq!(
        (&ended["state"], &ended["games"]),
        (&"done".into(), &2.into())
    );
    assert!(!server.folder.path().join("home/.uploads/abcd1234").exists());
    // Both collections answer as one: the games of the second are numbered after those of the first.
    let both = server
        .json(&format!("/api/v1/games?collection=games,more&fen={FEN}"))
        .await;
    assert_eq!(
        (&both["total"], &both["games"][3]["game"]["id"]),
        (&4.into(), &4.into())
    );
    let game = server.json("/api/v1/game/4?collection=games,more").await;
    assert_eq!(game["game"]["white"], "Berta");
    let found = server
        .json(&format!("/api/v1/search?fen={FEN}&collection=games,more"))
        .await;
    assert_eq!(found["collection"]["games"], 4);
    server
        .refused("/api/v1/judgments?collection=games,more", 400, "choose one")
        .await;
    let rename = |name: &str, to: &str| {
        let path = format!("/api/v1/collections/{name}");
        sent("POST", &path, format!(r#"{{"name": "{to}"}}"#))
    };
    assert_eq!(
        server.ask(rename("games", "mine")).await.status(),
        StatusCode::FORBIDDEN
    );
    for wrong in ["", "../games", ".hidden", "a,b", "games"] {
        let (status, body) = read(server.ask(rename("more", wrong)).await).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}: {body}");
    }
    assert_eq!(
        server.ask(rename("more", "mine")).await.status(),
        StatusCode::NO_CONTENT
    );
    assert_eq!(server.json("/api/v1/collections").await[1]["name"], "mine");
    let delete = || sent("DELETE", "/api/v1/collections/mine", Body::empty());
    assert_eq!(server.ask(delete()).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(server.ask(delete()).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(
        server
            .json("/api/v1/collections")
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn imports_wait_for_their_turn() {
    let server = Server::new();
    let turn = server.state.imports.turn.clone();
    let begin = async |number: usize| {
        let put = format!("/api/v1/uploads/upload{number:02}/games.pgn");
        let put = server.ask(sent("PUT", &put, GAMES)).await;
        assert_eq!(put.status(), StatusCode::NO_CONTENT);
        let begin = format!(r#"{{"upload": "upload{number:02}", "collection": "more"}}"#);
        server.ask(sent("POST", "/api/v1/imports", begin)).await
    };
    {
        let _running = turn.lock().await;
        for number in 0..20 {
            assert_eq!(begin(number).await.status(), StatusCode::ACCEPTED);
        }
        let (status, _) = read(begin(20).await).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    }
    let ended = loop {
        let imports = server.json("/api/v1/imports").await;
        let imports = imports.as_array().unwrap().clone();
        if imports.iter().all(|it| it["state"] != "running") {
            break imports;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    assert_eq!(ended.len(), 20);
    let total = |name: &str| {
        ended
            .iter()
            .map(|it| it[name].as_u64().unwrap())
            .sum::<u64>()
    };
    // All but the first find their games in the collection.
    assert_eq!((total("games"), total("duplicates")), (2, 38));
}

#[tokio::test]
async fn uploads_stay_in_their_folder() {
    let server = Server::new();
    for path in [
        "short/games.pgn",
        "abcd1234/.hidden",
        "abcd1234/..%2Fgames.pgn",
        "..%2F..%2Fabcd/x.pgn",
    ] {
        let put = sent("PUT", &format!("/api/v1/uploads/{path}"), GAMES);
        assert_eq!(
            server.ask(put).await.status(),
            StatusCode::BAD_REQUEST,
            "{path}"
        );
    }
    let begin = r#"{"upload": "nothing1", "collection": "more"}"#;
    let (status, _) = read(server.ask(sent("POST", "/api/v1/imports", begin)).await).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let cancel = sent("DELETE", "/api/v1/imports/9", Body::empty());
    assert_eq!(server.ask(cancel).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn uploads_that_break_off_leave_nothing() {
    let server = Server::new();
    let folder = server.folder.path().join("home/.uploads/abcd1234");
    let whole = sent("PUT", "/api/v1/uploads/abcd1234/more.pgn", GAMES);
    assert_eq!(server.ask(whole).await.status(), StatusCode::NO_CONTENT);
    assert!(folder.join("more.pgn").exists());
    let parts = [Ok(GAMES), Err(std::io::Error::other("the client left"))];
    let parts = Body::from_stream(futures_util::stream::iter(parts));
    let half = sent("PUT", "/api/v1/uploads/abcd1234/half.pgn", parts);
    assert_eq!(server.ask(half).await.status(), StatusCode::BAD_REQUEST);
    assert!(!folder.exists());
}

#[tokio::test]
async fn analysis_refuses_what_it_cannot_do() {
    let server = Server::new();
    for (query, words) in [
        ("fen=nothing", "fen: "),
        (&format!("fen={FEN}&lines=6"), "lines: "),
        (&format!("fen={FEN}&depth=99"), "depth: "),
    ] {
        server
            .refused(&format!("/api/v1/analyze?{query}"), 400, words)
            .await;
    }
}
