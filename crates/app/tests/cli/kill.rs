//! Writers that are killed or interrupted at any moment: what was there stays,
//! and what was added is whole.

use std::{
    env, fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tabiya_gametree::Dice;

use crate::workspace::{Ran, Workspace, historical_files};

/// How many games a file has, and so a segment.
const FILE_GAMES: u64 = 103;

/// How often a writer is killed.
const KILLS: usize = 20;

/// Writes files of the historical games, each with names of its own; many games have a
/// comment and a variation.
fn write_files(workspace: &Workspace, count: usize) {
    let read = |path| fs::read_to_string(path).unwrap() + "\n";
    let text: String = historical_files().into_iter().map(read).collect();
    let annotated = "1. e4 {Best by test.} (1. d4 d5 2. c4 $1 {Also good.}) 1... ";
    let text = text.replace("\n1. e4 ", &format!("\n{annotated}"));
    for number in 0..count {
        let renamed = text.replace("[White \"", &format!("[White \"{number} "));
        workspace.write(&format!("files/{number:03}.pgn"), renamed);
    }
}

fn start(workspace: &Workspace, line: &str) -> Child {
    let mut command = workspace.command();
    command.args(line.split(' '));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Dice that fall alike in every run, or as `KILL_SEED` says.
fn dice() -> Dice {
    let given = env::var("KILL_SEED").ok().and_then(|it| it.parse().ok());
    Dice::new(given.unwrap_or(1))
}

/// Kills a process at a random moment within a number of milliseconds.
fn kill_within(mut child: Child, dice: &mut Dice, milliseconds: usize) {
    let moment = dice.below(1000 * milliseconds);
    thread::sleep(Duration::from_micros(moment as u64));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Kills an import at a random moment soon after up to two segments more than it
/// found: by what it has done, so that a fast machine is not through before.
fn kill_at_work(workspace: &Workspace, mut child: Child, dice: &mut Dice) {
    let wanted = segments(workspace) + dice.below(3);
    while segments(workspace) < wanted && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    kill_within(child, dice, 30);
}

fn segments(workspace: &Workspace) -> usize {
    let is_segment = |name: &str| name.starts_with("segment-") && name.ends_with(".tabiya");
    fs::read_dir(workspace.path("db"))
        .unwrap()
        .filter(|entry| is_segment(&entry.as_ref().unwrap().file_name().to_string_lossy()))
        .count()
}

fn games(workspace: &Workspace) -> u64 {
    workspace.json("stats --db db")["games"].as_u64().unwrap()
}

fn export(workspace: &Workspace) -> String {
    workspace.words("export --db db").succeed().out
}

#[test]
fn a_killed_import_loses_nothing() {
    let workspace = Workspace::new();
    write_files(&workspace, 40);
    workspace.words("index files/000.pgn --db db").succeed();
    let mut before = FILE_GAMES;
    let mut dice = dice();
    for kills in 1..=KILLS {
        let child = start(&workspace, "index files --db db");
        kill_at_work(&workspace, child, &mut dice);
        let after = games(&workspace);
        assert!(
            after >= before,
            "{after} games after kill {kills}, {before} before"
        );
        assert_eq!(after % FILE_GAMES, 0, "whole segments after kill {kills}");
        workspace.words("verify --db db").succeed();
        before = after;
    }
    // The rest is imported as if nothing had happened.
    let report = workspace.json("index files --db db");
    assert_eq!(report["duplicates"], before);
    assert_eq!(games(&workspace), 40 * FILE_GAMES);
    let undisturbed = Workspace::new();
    let files = workspace.path("files");
    undisturbed
        .run(&["index", files.to_str().unwrap(), "--db", "db"])
        .succeed();
    assert!(
        export(&workspace) == export(&undisturbed),
        "the same games in the same order"
    );
    let strays = fs::read_dir(workspace.path("db")).unwrap().count();
    assert_eq!(
        strays,
        fs::read_dir(undisturbed.path("db")).unwrap().count()
    );
}

#[test]
fn a_first_import_killed_at_once_is_no_obstacle() {
    let workspace = Workspace::new();
    write_files(&workspace, 1);
    let mut dice = dice();
    for _ in 0..15 {
        let child = start(&workspace, "index files --db db");
        kill_within(child, &mut dice, 25);
        let seen = workspace.words("verify --db db");
        if seen.code != Some(0) {
            seen.fail(1, "db is not a collection");
        }
        if workspace.path(SEGMENT).exists() {
            fs::remove_dir_all(workspace.path("db")).unwrap();
        }
    }
    workspace.words("index files --db db").succeed();
    assert_eq!(games(&workspace), FILE_GAMES);
}

const SEGMENT: &str = "db/segment-000001.tabiya";

#[test]
fn a_killed_merge_loses_nothing() {
    let workspace = Workspace::new();
    write_files(&workspace, 8);
    workspace.words("index files --db db").succeed();
    let before = export(&workspace);
    let mut dice = dice();
    for _ in 0..KILLS {
        kill_within(start(&workspace, "merge --db db"), &mut dice, 400);
        workspace.words("verify --db db").succeed();
        assert!(export(&workspace) == before);
        if workspace.json("stats --db db")["segments"] == 1 {
            break;
        }
    }
    workspace.words("merge --db db").succeed();
    assert!(export(&workspace) == before);
    assert_eq!(workspace.json("stats --db db")["segments"], 1);
}

/// Sends what Ctrl-C sends.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let command = format!("kill -INT {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &command])
            .status()
            .unwrap()
            .success()
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_keeps_whole_segments() {
    let workspace = Workspace::new();
    write_files(&workspace, 80);
    let child = start(&workspace, "index files --db db --json");
    let patience = Instant::now() + Duration::from_secs(60);
    // The second segment is being made when the first is there.
    while !workspace.path(SEGMENT).exists() {
        assert!(Instant::now() < patience, "no segment is ever made");
        thread::sleep(Duration::from_millis(2));
    }
    interrupt(&child);
    let ran = Ran::new(child.wait_with_output().unwrap()).fail(1, "stopped early");
    assert!(
        ran.err.contains("stopping and keeping finished work"),
        "{}",
        ran.err
    );
    let report = ran.json();
    assert_eq!(report["canceled"], true);
    let kept = report["games"].as_u64().unwrap();
    assert!(
        kept > 0 && kept < 80 * FILE_GAMES && kept.is_multiple_of(FILE_GAMES),
        "{kept}"
    );
    assert_eq!(games(&workspace), kept);
    workspace.words("verify --db db").succeed();
    let report = workspace.json("index files --db db");
    assert_eq!(report["duplicates"], kept);
    assert_eq!(games(&workspace), 80 * FILE_GAMES);
}

#[cfg(unix)]
#[test]
fn an_interrupted_merge_leaves_all_as_it_was() {
    let workspace = Workspace::new();
    write_files(&workspace, 20);
    workspace.words("index files --db db").succeed();
    let before = export(&workspace);
    let child = start(&workspace, "merge --db db");
    thread::sleep(Duration::from_millis(60));
    interrupt(&child);
    let ran = Ran::new(child.wait_with_output().unwrap());
    // It may have been too early for the handler, or too late.
    if ran.code == Some(1) {
        assert!(
            ran.err.contains("the collection is unchanged"),
            "{}",
            ran.err
        );
        assert_eq!(workspace.json("stats --db db")["segments"], 20);
    }
    workspace.words("verify --db db").succeed();
    assert!(export(&workspace) == before);
}
