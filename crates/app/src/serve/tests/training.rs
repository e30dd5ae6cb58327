//! Training over HTTP.

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use serde_json::{Value, json};

use super::{Access, Server, read};

/// Two exercises: a mate on the back rank by either rook, and a fork.
const EXERCISES: &[u8] = b"[SetUp \"1\"]\n[FEN \"6k1/5ppp/8/8/8/8/5PPP/R2R2K1 b - - 0 1\"]\n[PuzzleId \"one\"]\n[Themes \"mate backRankMate\"]\n[Rating \"800\"]\n\n1... Kf8 2. Rd8+ Ke7 3. Re1+ *\n\n\
    [SetUp \"1\"]\n[FEN \"r3k3/8/8/3N4/8/8/8/4K3 b - - 0 1\"]\n[PuzzleId \"two\"]\n[Themes \"fork\"]\n[Rating \"1200\"]\n\n1... Ra7 2. Nc7+ *\n";

fn attempt(task: &Value, grade: &str) -> Request<Body> {
    let body = json!({
        "learner": "Anna", "game": task["game"], "ply": task["ply"], "fen": task["fen"], "grade": grade,
    });
    Request::post("/api/v1/training")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

#[tokio::test]
async fn what_a_learner_tries_is_kept_and_comes_back() {
    let server = Server::over(EXERCISES, Access::private());
    let session = server.json("training?learner=Anna").await;
    let tasks = session["tasks"].as_array().unwrap();
    assert_eq!((tasks.len(), &session["due"]), (2, &json!(0)));
    assert_eq!(tasks[0]["name"], "one");
    assert_eq!(tasks[0]["uci"], json!(["d1d8", "f8e7", "a1e1"]));
    assert_eq!(tasks[0]["last"], "g8f8");
    let (status, kept) = read(server.ask(attempt(&tasks[0], "good")).await).await;
    assert_eq!(status, StatusCode::CREATED, "{kept}");
    assert!(kept["days"].as_f64().unwrap() > 2.0);
    // It is not due yet, so only the other one is offered; a failure is due before a success.
    let next = server.json("training?learner=Anna").await;
    assert_eq!(next["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(next["tasks"][0]["name"], "two");
    server.ask(attempt(&tasks[1], "again")).await;
    let state = server.json("training/progress?learner=Anna").await;
    assert_eq!(state["known"][0]["name"], "two");
    let motifs: Vec<&Value> = state["progress"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["motif"])
        .collect();
    assert_eq!(motifs, ["backRankMate", "fork", "mate"]);
    // Another learner has tried nothing.
    let other = server.json("training/progress?learner=Berta").await;
    assert_eq!(other["known"], json!([]));
}

#[tokio::test]
async fn training_takes_only_what_fits() {
    let server = Server::over(EXERCISES, Access::private());
    let forks = server.json("training?theme=fork").await;
    assert_eq!(forks["tasks"][0]["name"], "two");
    assert_eq!(
        server.json("training?rating=-900").await["tasks"][0]["name"],
        "one"
    );
    server.refused("training?count=201", 400, "up to 200").await;
    server
        .refused("training?learner=+", 400, "1 to 64 characters")
        .await;
    let mut wrong = forks["tasks"][0].clone();
    wrong["fen"] = json!("8/8/4k3/8/8/4K3/8/8 w - - 0 1");
    let (status, body) = read(server.ask(attempt(&wrong, "good")).await).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
    let (status, _) = read(server.ask(attempt(&forks["tasks"][0], "perfect")).await).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    // A collection of plain games has nothing to train.
    assert_eq!(Server::new().json("training").await["tasks"], json!([]));
}

#[tokio::test]
async fn alternatives_count_if_the_engine_agrees() {
    let server = Server::over(EXERCISES, Access::private());
    let fen = "6k1/5ppp/8/8/8/8/5PPP/R2R2K1+w+-+-+0+1";
    let check = |played: &str| format!("training/check?fen={fen}&wanted=d1d8&played={played}");
    assert_eq!(server.json(&check("a1a8")).await["accepted"], true);
    let refused = server.json(&check("h2h3")).await;
    assert_eq!(refused["accepted"], false);
    assert_eq!(refused["reason"], "h3 is not as good as the solution.");
    server.refused(&check("a1a9"), 400, "played").await;
}

#[tokio::test]
async fn a_set_is_written_in_its_order() {
    let server = Server::over(EXERCISES, Access::private());
    let epd = server.text("training/set?exercises=2.1,1&format=epd").await;
    let names: Vec<bool> = epd.lines().map(|it| it.contains("\"two\"")).collect();
    assert_eq!(names, [true, false], "{epd}");
    for format in ["pgn", "anki", "html"] {
        let text = server
            .text(&format!("training/set?exercises=1&format={format}"))
            .await;
        assert!(text.contains("Rd8+"), "{format}: {text}");
    }
    server
        .refused(
            "training/set?exercises=9&format=pgn",
            404,
            "game 9 is not an exercise",
        )
        .await;
    server
        .refused(
            "training/set?exercises=1.7&format=pgn",
            404,
            "not an exercise",
        )
        .await;
    server
        .refused("training/set?format=pgn", 400, "1 to 200")
        .await;
    server
        .refused("training/set?exercises=x&format=pgn", 400, "game.ply")
        .await;
}
