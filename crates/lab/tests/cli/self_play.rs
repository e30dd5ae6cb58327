//! The engine plays itself, as any chess program would make it.

use crate::workspace::Workspace;

/// No illegal move, no crash, no hang, no overstepped clock.
#[track_caller]
fn all_end_by_the_rules(first: &str, second: &str, go: &str, games: usize) {
    let workspace = Workspace::new();
    let engine = |name: &str, options: &str| {
        let program = env!("CARGO_BIN_EXE_tabiya-lab");
        format!("{program} uci;name={name};go={go}{options}")
    };
    let (first, second) = (engine("first", first), engine("second", second));
    let engines = ["contest", "--engine", &first, "--engine", &second];
    let more = format!(
        "--games {games} --concurrency 2 --no-adjudication --guard 60 --pgn games.pgn --json"
    );
    let words: Vec<&str> = more.split(' ').collect();
    let ran = workspace.run(&[&engines[..], &words].concat()).succeed();
    assert_eq!(ran.err, "", "no remarks");
    assert_eq!(ran.json()["forfeits"], serde_json::json!([0, 0]));
    let text = workspace.read("games.pgn");
    let count = |words: &str| text.matches(words).count();
    assert_eq!(
        (count("[Termination "), count("[Termination \"normal\"]")),
        (games, games),
        "{text}"
    );
}

#[test]
fn evaluations_play_each_other() {
    all_end_by_the_rules("", ";Evaluation=chains", "nodes:300", 10);
}

#[test]
fn threads_and_paces_play_each_other() {
    all_end_by_the_rules(";Threads=2", ";Pace=information-gain", "nodes:300", 10);
}

#[test]
fn clocks_are_not_overstepped() {
    all_end_by_the_rules("", "", "1+0.1", 2);
}
