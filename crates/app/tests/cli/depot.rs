//! Pushing to and pulling from a depot that is a folder; `tests/depot.py` does
//! the same with a server.

use std::fs;

use crate::workspace::{Ran, Workspace};

const GAMES: &str =
    "[White \"Anna\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[White \"Bert\"]\n\n1. d4 d5 2. c4 e6 *\n";
const KEY: &str = "not-to-be-seen-key";
const SECRET: &str = "not-to-be-seen-secret";

fn depot(workspace: &Workspace) -> String {
    format!("file://{}", workspace.path("depot").display())
}

fn answer(workspace: &Workspace, db: &str) -> serde_json::Value {
    let mut answer = workspace.json(&format!("search --moves e4 --db {db}"));
    answer["took_ms"] = 0.into();
    answer
}

#[test]
fn a_collection_comes_back_as_it_was() {
    let workspace = Workspace::with_games(GAMES);
    let depot = depot(&workspace);
    let pushed = workspace.json(&format!("push db {depot}"));
    assert_eq!(
        (&pushed["generation"], &pushed["games"]),
        (&1.into(), &2.into())
    );
    assert_eq!(pushed["sent_bytes"], pushed["bytes"]);
    let report = workspace
        .words(&format!("pull {depot} there"))
        .succeed()
        .out;
    assert!(
        report.contains("2 games with 10 positions: there now holds generation 1"),
        "{report}"
    );
    assert_eq!(answer(&workspace, "there"), answer(&workspace, "db"));
    // The next generation, and the one before it.
    workspace.write("more.pgn", "[White \"Carla\"]\n\n1. e4 c5 *\n");
    workspace.json("index more.pgn --db db");
    let report = workspace.words(&format!("push db {depot}")).succeed().out;
    assert!(report.contains("are now generation 2"), "{report}");
    let report = workspace.words(&format!("push db {depot}")).succeed().out;
    assert!(report.contains("are already generation 2"), "{report}");
    let fetched = workspace.json(&format!("pull {depot} there"));
    assert_eq!(
        (&fetched["generation"], &fetched["games"]),
        (&2.into(), &3.into())
    );
    assert!(fetched["fetched_bytes"].as_u64() < fetched["bytes"].as_u64());
    assert_eq!(answer(&workspace, "there"), answer(&workspace, "db"));
    workspace
        .words(&format!("pull {depot} old --generation 1"))
        .succeed();
    assert_eq!(workspace.json("stats --db old")["games"], 2);
    let listed = workspace.json(&format!("pull {depot} --list"));
    assert_eq!(listed["generations"].as_array().unwrap().len(), 2);
    let listed = workspace
        .words(&format!("pull {depot} --list"))
        .succeed()
        .out;
    assert!(
        listed.lines().last().unwrap().ends_with("current"),
        "{listed}"
    );
    // One that cannot be read does not hide the others.
    workspace.write("depot/generations/00000003.json", "half a man");
    let listed = workspace.json(&format!("pull {depot} --list"));
    assert_eq!(listed["generations"][1]["games"], 3);
    assert!(listed["generations"][2]["error"].is_string(), "{listed}");
    fs::remove_file(workspace.path("depot/generations/00000003.json")).unwrap();
    // A pulled collection is one like any other.
    workspace.write("own.pgn", "[White \"Dov\"]\n\n1. c4 c5 *\n");
    workspace.json("index own.pgn --db there");
    workspace.words("verify --db there").succeed();
    workspace
        .words(&format!("pull {depot} there"))
        .fail(1, "games of its own, which would be lost");
}

#[test]
fn every_error_says_what_to_do() {
    let workspace = Workspace::with_games(GAMES);
    let depot = depot(&workspace);
    let check = |line: &str, words: &str| workspace.words(line).fail(1, words);
    check(
        &format!("push nothing {depot}"),
        "make one with: tabiya index",
    );
    check(
        &format!("pull {depot} there"),
        "does not hold a collection yet",
    );
    check(
        "push db nowhere",
        "give the depot as s3://bucket/prefix or file:///folder",
    );
    check(
        "pull http://host/games there",
        "start with s3:// or file://",
    );
    workspace.words(&format!("pull {depot}")).fail(2, "<DIR>");
    let none = workspace
        .words(&format!("pull {depot} --list"))
        .succeed()
        .out;
    assert!(none.contains("does not hold a collection yet"), "{none}");
    workspace.json(&format!("push db {depot}"));
    check(&format!("pull {depot} there --generation 5"), "tabiya pull");
    assert!(!workspace.path("there").exists());
    check(&format!("pull {depot} db"), "give an empty or new folder");
    let shard = fs::read_dir(workspace.path("depot/shards")).unwrap().next();
    let shard = shard.unwrap().unwrap().path();
    let mut bytes = fs::read(&shard).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&shard, bytes).unwrap();
    check(
        &format!("pull {depot} there"),
        "is damaged (its bytes do not match the digest",
    );
    check("stats --db there", "is not a collection");
}

#[test]
fn credentials_come_from_the_environment_and_are_never_shown() {
    let workspace = Workspace::with_games(GAMES);
    let run = |line: &str, variables: &[(&str, &str)]| {
        let mut command = workspace.command();
        for name in [
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ENDPOINT_URL",
        ] {
            command.env_remove(name);
        }
        command
            .envs(variables.iter().copied())
            .env("RUST_LOG", "trace");
        let ran = Ran::new(command.args(line.split(' ')).output().unwrap());
        assert!(!format!("{ran:?}").contains("not-to-be-seen"), "{ran:?}");
        ran
    };
    let credentials = [
        ("AWS_ACCESS_KEY_ID", KEY),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
    ];
    let unset = run("push db s3://bucket/games", &[]);
    if unset.err.contains("built without S3") {
        // A program that is not compiled together with the Python package.
        unset.fail(1, "cargo build --release --features s3");
        return;
    }
    unset.fail(1, "set AWS_ACCESS_KEY_ID and");
    run("push db s3://bucket/games", &credentials[..1]).fail(1, "set AWS_ACCESS_KEY_ID and");
    let address = format!("push db s3://{KEY}:{SECRET}@bucket/games");
    run(&address, &[]).fail(1, "credentials do not belong in an address");
    // Nobody listens on this port.
    let endpoint = ("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    let all = [&credentials[..], &[endpoint]].concat();
    run("pull s3://bucket/games there", &all).fail(1, "Connection refused");
    let endpoint = format!("http://{KEY}:{SECRET}@127.0.0.1:1");
    let all = [&credentials[..], &[("AWS_ENDPOINT_URL", &endpoint)]].concat();
    run("pull s3://bucket/games there", &all).fail(1, "do not belong in AWS_ENDPOINT_URL");
}
