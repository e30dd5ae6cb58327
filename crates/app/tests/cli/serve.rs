//! The server as a process: the same answers as on the command line, judgments
//! that survive a kill, and a polite end.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::workspace::Workspace;

const QUERY: &str = "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11";

/// A running server, killed when dropped.
struct Server {
    child: Child,
    /// Host and port.
    address: String,
}

impl Server {
    fn start(workspace: &Workspace) -> Server {
        let mut command = workspace.command();
        command.args(["serve", "--db", "db", "--port", "0", "--json"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let report: Value = serde_json::from_str(&line).expect(&line);
        let address = report["address"].as_str().unwrap();
        let address = address.strip_prefix("http://").unwrap().to_owned();
        Server { child, address }
    }

    /// Sends a request, and returns the status and the body.
    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, length) = (&self.address, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.send("GET", path, "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ways to ask every question: as a request and on the command line.
const WAYS: &[(&str, &str, &str)] = &[
    // A review reads a file in the terminal and its text over HTTP.
    (
        "review",
        "pgn=1.f3+e5+2.g4+Qh4&nodes=300",
        "game.pgn --nodes 300",
    ),
    ("search", "fen=FEN", "FEN"),
    (
        "search",
        "fen=FEN&symmetry=all&elo=-3000",
        "FEN --symmetry all --elo -3000",
    ),
    ("search", "fen=FEN&run=Tabiya", "FEN --run Tabiya"),
    (
        "search",
        "fen=FEN&run=Tabiya&symmetry=none",
        "FEN --run Tabiya --symmetry none",
    ),
    (
        "search",
        "fen=FEN&rerank=blend&top=3",
        "FEN --rerank blend --top 3",
    ),
    ("explain", "fen=FEN&other=FEN", "FEN FEN"),
    (
        "find",
        "query=wtm+and+Pd4&top=3&explain=true",
        "wtm+and+Pd4 --top 3 --explain",
    ),
    ("find", "query=@iqp&count=true", "@iqp --count"),
    ("structures", "fen=FEN", "FEN"),
    ("exercises", "fen=FEN&top=3", "FEN --top 3"),
    ("prepare", "against=A", "--against A"),
    ("cases", "moves=e4&top=3", "--moves e4 --top 3"),
    ("explore", "fen=FEN", "FEN"),
    (
        "explore",
        "moves=e4+e5&result=1-0",
        "--moves e4+e5 --result 1-0",
    ),
    ("twins", "fen=FEN", "FEN"),
    ("near", "fen=FEN&top=3", "FEN --top 3"),
    ("record", "fen=FEN", "FEN"),
    ("compare", "fen=FEN&other=FEN", "FEN FEN"),
    ("traps", "fen=FEN&top=2", "FEN --top 2"),
    ("encode", "fen=FEN&query=true", "FEN --query"),
    ("game", "id=2", "2"),
    ("stats", "", ""),
    ("play", "fen=FEN&nodes=500", "FEN --nodes 500"),
    (
        "play",
        "moves=e4&nodes=500&mode=restrict",
        "--moves e4 --nodes 500 --mode restrict",
    ),
];

/// The words of a command line.
fn line(question: &str, arguments: &str) -> Vec<String> {
    let line = format!("{question} --db db {arguments}");
    let words = line.split_whitespace().map(|it| match it {
        "FEN" => QUERY.to_owned(),
        other => other.replace('+', " "),
    });
    words.collect()
}

/// Standard output is not a terminal here, so its width is unknown.
#[test]
fn text_fits_eighty_columns() {
    let workspace = Workspace::with_history();
    workspace.write("game.pgn", "1.f3 e5 2.g4 Qh4");
    for (question, _, arguments) in WAYS {
        let line = line(question, arguments);
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        for printed in workspace.run(&line).succeed().out.lines() {
            assert!(printed.chars().count() <= 80, "{line:?}: {printed}");
        }
    }
}

#[test]
fn answers_are_those_of_the_command_line() {
    let workspace = Workspace::with_history();
    workspace.write("game.pgn", "1.f3 e5 2.g4 Qh4");
    let server = Server::start(&workspace);
    for entry in tabiya_question::QUESTIONS {
        assert!(WAYS.iter().any(|it| it.0 == entry.name), "{}", entry.name);
    }
    for (question, parameters, arguments) in WAYS {
        let parameters = parameters.replace("FEN", &QUERY.replace(' ', "+"));
        let path = match *question {
            "game" => "game/2?".to_owned(),
            _ => format!("{question}?{parameters}"),
        };
        let mut answered = server.json(&format!("/api/v1/{path}"));
        let line = line(question, &format!("{arguments} --json"));
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let mut printed = workspace.run(&line).succeed().json();
        for answer in [&mut answered, &mut printed] {
            answer["took_ms"] = Value::Null;
        }
        assert_eq!(answered, printed, "{question} {parameters}");
    }
}

#[test]
fn judgments_survive_a_kill() {
    let workspace = Workspace::with_games("1. e4 e5 2. Nf3 Nc6 *\n");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for grade in 0..=4 {
        let server = Server::start(&workspace);
        let judgment = serde_json::json!({
            "assessor": "Anna", "fen": fen, "game": 1, "ply": grade, "grade": grade
        });
        let (status, body) = server.send("POST", "/api/v1/judgments", &judgment.to_string());
        assert_eq!(status, 201, "{body}");
        // Dropping it kills it.
    }
    let server = Server::start(&workspace);
    let kept = server.json("/api/v1/judgments?assessor=Anna");
    let grades: Vec<_> = kept
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["grade"])
        .collect();
    assert_eq!(grades, [0, 1, 2, 3, 4]);
    // A merge keeps what people said.
    workspace.words("merge --db db").succeed();
    let (_, qrels) = server.send("GET", "/api/v1/judgments/qrels", "");
    assert_eq!(qrels.lines().count(), 5);
}

#[cfg(unix)]
#[test]
fn a_polite_kill_ends_it_well() {
    let workspace = Workspace::with_games("1. e4 e5 *\n");
    let mut server = Server::start(&workspace);
    server.json("/api/v1/health");
    let id = server.child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_served_is_refused() {
    let workspace = Workspace::with_games("1. e4 e5 *\n");
    workspace
        .words("serve --db nothing")
        .fail(1, "not a collection");
    workspace.words("serve --port 99999").fail(2, "--port");
    workspace.words("serve --address here").fail(2, "--address");
    let server = Server::start(&workspace);
    let port = server.address.rsplit_once(':').unwrap().1;
    workspace
        .words(&format!("serve --db db --port {port}"))
        .fail(1, "choose another --port");
}
