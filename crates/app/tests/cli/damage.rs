//! Collections that are damaged, foreign, too new, out of reach or busy: a
//! clear error each, and nothing believed or lost.

use std::{
    fs,
    io::Write,
    process::Stdio,
    time::{Duration, Instant},
};

use crate::workspace::{Ran, Workspace};

const SEGMENT: &str = "db/segment-000001.tabiya";
const MANIFEST: &str = "db/manifest.json";
const GAME: &str = "[White \"Anna\"]\n[Black \"Bert\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n";

/// Every verb that reads a collection.
const READERS: [&str; 6] = [
    "search --moves e4 --db db",
    "stats --db db",
    "verify --db db",
    "export --db db",
    "merge --db db",
    "index games.pgn --db db",
];

fn collection() -> Workspace {
    Workspace::with_games(GAME)
}

/// Checks that every verb fails with these words.
#[track_caller]
fn check_refused(workspace: &Workspace, words: &str) {
    for line in READERS {
        workspace.words(line).fail(1, words);
    }
}

#[test]
fn a_folder_that_is_not_a_collection() {
    let workspace = Workspace::new();
    for line in &READERS[..5] {
        workspace
            .words(line)
            .fail(1, "db is not a collection (it has no manifest.json)")
            .fail(1, "make one with: tabiya index");
    }
    // Somebody's files are never taken for ours.
    workspace.write("db/letter.txt", "dear reader");
    workspace.write("games.pgn", GAME);
    workspace
        .words("index games.pgn --db db")
        .fail(1, "already holds other files (letter.txt)");
    assert_eq!(fs::read_dir(workspace.path("db")).unwrap().count(), 1);
}

#[test]
fn a_segment_of_a_newer_version() {
    let workspace = collection();
    let mut bytes = fs::read(workspace.path(SEGMENT)).unwrap();
    bytes[8..12].copy_from_slice(&9u32.to_le_bytes());
    workspace.write(SEGMENT, bytes);
    check_refused(
        &workspace,
        "has format 9, this program reads formats 1 to 3",
    );
}

#[test]
fn a_manifest_of_a_newer_version() {
    let workspace = collection();
    let text = workspace.read(MANIFEST);
    workspace.write(MANIFEST, text.replace("\"version\": 1", "\"version\": 7"));
    check_refused(&workspace, "has format 7, this program reads format 1");
}

#[test]
fn a_foreign_segment() {
    let workspace = collection();
    workspace.write(SEGMENT, "this is a text, and not even a short one");
    check_refused(&workspace, "is not a file of a tabiya collection");
}

#[test]
fn a_damaged_manifest() {
    let workspace = collection();
    let text = workspace.read(MANIFEST);
    for damaged in [&text[..text.len() / 2], "", "\u{0}\u{0}", "[1, 2]", "{}"] {
        workspace.write(MANIFEST, damaged);
        for line in READERS {
            let ran = workspace.words(line).fail(1, "manifest.json");
            assert!(ran.err.contains("index the games again"), "{}", ran.err);
        }
    }
    workspace.write(MANIFEST, b"\xff\xfe\xff");
    check_refused(&workspace, "it is damaged");
    workspace.write(MANIFEST, &text);
    workspace.words("verify --db db").succeed();
}

#[test]
fn a_manifest_that_counts_otherwise() {
    let workspace = collection();
    let text = workspace.read(MANIFEST);
    workspace.write(MANIFEST, text.replace("\"games\": 1", "\"games\": 2"));
    check_refused(&workspace, "the manifest says 2");
}

#[test]
fn a_missing_segment() {
    let workspace = collection();
    fs::remove_file(workspace.path(SEGMENT)).unwrap();
    check_refused(&workspace, "segment-000001.tabiya is missing; restore");
}

#[test]
fn a_segment_that_is_a_folder() {
    let workspace = collection();
    fs::remove_file(workspace.path(SEGMENT)).unwrap();
    fs::create_dir(workspace.path(SEGMENT)).unwrap();
    check_refused(&workspace, "segment-000001.tabiya");
}

#[test]
fn a_cut_segment() {
    let workspace = collection();
    let whole = fs::read(workspace.path(SEGMENT)).unwrap();
    for length in [0, 1, 8, 15, 16, 100, whole.len() / 2, whole.len() - 8] {
        workspace.write(SEGMENT, &whole[..length]);
        workspace
            .words("verify --db db")
            .fail(1, "segment-000001.tabiya");
    }
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let workspace = collection();
    let whole = fs::read(workspace.path(SEGMENT)).unwrap();
    let answer = workspace.search("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "")["hits"].clone();
    // An uneven step, so that all parts and all bits get their turn.
    let step = whole.len() / 60 + 1;
    for (turn, at) in (0..whole.len()).step_by(step).enumerate() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (turn % 8);
        workspace.write(SEGMENT, &bytes);
        let verified = workspace.words("verify --db db");
        let is_padding = verified.code == Some(0);
        if !is_padding {
            verified.fail(1, "segment-000001.tabiya");
        }
        // A search that does not touch the damage may answer; rightly, then.
        let search = [
            "search",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "--db",
            "db",
            "--json",
        ];
        let searched = workspace.run(&search);
        match searched.code {
            Some(0) => assert_eq!(searched.json()["hits"], answer, "byte {at}"),
            _ => drop(searched.fail(1, "segment-000001.tabiya")),
        }
    }
}

#[test]
fn a_name_that_points_elsewhere() {
    let workspace = collection();
    let text = workspace.read(MANIFEST);
    fs::copy(workspace.path(SEGMENT), workspace.path("elsewhere")).unwrap();
    workspace.write(
        MANIFEST,
        text.replace("segment-000001.tabiya", "../elsewhere"),
    );
    check_refused(&workspace, "segment name");
}

#[test]
fn a_place_below_a_file() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    workspace.write("games.pgn", GAME);
    workspace
        .words("index games.pgn --db file/db")
        .fail(1, "file/db: ");
    workspace
        .words("stats --db file/db")
        .fail(1, "is not a collection");
    workspace
        .words("index games.pgn --db file")
        .fail(1, "file: ");
}

/// Runs a line as somebody without rights. Root may do everything, so the
/// program is given away to nobody then.
#[cfg(unix)]
fn run_without_rights(workspace: &Workspace, line: &str) -> Ran {
    use std::os::unix::{fs::MetadataExt, process::CommandExt};
    const NOBODY: u32 = 65534;
    let mut command = workspace.command();
    if fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0) {
        // A copy: nobody may not reach where we were built. Made by another
        // process: had we the copy open for writing, the children that other
        // tests start meanwhile would inherit it, and a file that is open for
        // writing cannot be run ("Text file busy").
        let program = workspace.path("tabiya");
        if !program.exists() {
            let built = env!("CARGO_BIN_EXE_tabiya");
            let mut copy = std::process::Command::new("cp");
            assert!(copy.arg(built).arg(&program).status().unwrap().success());
        }
        command = std::process::Command::new(program);
        command.current_dir(workspace.path(".")).uid(NOBODY);
    }
    Ran::new(command.args(line.split(' ')).output().unwrap())
}

#[cfg(unix)]
#[test]
fn no_permission() {
    use std::os::unix::fs::PermissionsExt;
    let set = |path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let workspace = collection();
    set(workspace.path("."), 0o755);
    set(workspace.path("games.pgn"), 0o644);
    // What may be read but not written to.
    set(workspace.path("db"), 0o555);
    run_without_rights(&workspace, "stats --db db").succeed();
    run_without_rights(&workspace, "index games.pgn --db db").fail(1, "Permission denied");
    run_without_rights(&workspace, "index games.pgn --db db/new").fail(1, "Permission denied");
    run_without_rights(&workspace, "export --db db -o db/x.pgn").fail(1, "db/x.pgn: Permission");
    // What may not even be read.
    set(workspace.path(SEGMENT), 0o000);
    run_without_rights(&workspace, "stats --db db").fail(1, "tabiya: Permission denied");
    set(workspace.path(MANIFEST), 0o000);
    run_without_rights(&workspace, "stats --db db").fail(1, "manifest.json: Permission denied");
    set(workspace.path("db"), 0o755);
}

#[cfg(target_os = "linux")]
#[test]
fn no_room_for_the_manifest_or_the_log() {
    use std::os::unix::fs::symlink;
    let workspace = collection();
    let before = workspace.words("export --db db").succeed().out;
    let other = GAME.replace("Anna", "Ada");
    workspace.write("more.pgn", &other);
    workspace.write("bad.pgn", other.replace("Nc6", "Nh1"));
    for (name, file) in [
        ("db/manifest.new", "more.pgn"),
        ("db/import.log", "bad.pgn"),
    ] {
        let path = workspace.path(name);
        let _ = fs::remove_file(&path);
        symlink("/dev/full", &path).unwrap();
        workspace
            .words(&format!("index {file} --db db"))
            .fail(1, "No space left on device");
        fs::remove_file(&path).unwrap();
        workspace.words("verify --db db").succeed();
        assert!(
            workspace
                .words("export --db db")
                .succeed()
                .out
                .starts_with(&before)
        );
    }
    workspace.words("index more.pgn --db db").succeed();
    workspace.words("verify --db db").succeed();
}

/// A limit on the size of files takes the same way as a full disk, without a
/// disk of its own: writing fails in the middle of a segment.
#[cfg(target_os = "linux")]
#[test]
fn no_room_for_a_segment() {
    let workspace = collection();
    workspace.write("more.pgn", GAME.replace("Anna", "Ada"));
    let before = workspace.words("export --db db").succeed().out;
    let mut shell = std::process::Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" index more.pgn --db db";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_tabiya")]);
    shell.current_dir(workspace.path("."));
    Ran::new(shell.output().unwrap()).fail(1, "segment-000002.tabiya: File too large");
    // Nothing is lost, and nothing is left lying about.
    workspace.words("verify --db db").succeed();
    assert_eq!(workspace.words("export --db db").succeed().out, before);
    assert!(!workspace.path("db/segment-000002.tabiya").exists());
    assert_eq!(workspace.json("index more.pgn --db db")["games"], 1);
}

#[test]
fn two_writers_at_once() {
    let workspace = collection();
    workspace.write("more.pgn", GAME.replace("Anna", "Ada"));
    let log = workspace.path("db/import.log");
    fs::remove_file(&log).unwrap();
    let mut first = workspace
        .command()
        .args(["index", "-", "--db", "db"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // It opens the log when it has the lock, and then waits for its input.
    let patience = Instant::now() + Duration::from_secs(60);
    while !log.exists() {
        assert!(Instant::now() < patience, "the lock is never taken");
        std::thread::sleep(Duration::from_millis(2));
    }
    for line in ["merge --db db", "index more.pgn --db db"] {
        workspace.words(line).fail(
            1,
            "another process is writing to db; wait until it has finished",
        );
    }
    // Readers are not disturbed.
    workspace.words("verify --db db").succeed();
    let mut input = first.stdin.take().unwrap();
    input
        .write_all(GAME.replace("Anna", "Zoe").as_bytes())
        .unwrap();
    drop(input);
    assert!(first.wait().unwrap().success());
    workspace.words("index more.pgn --db db").succeed();
    assert_eq!(workspace.json("stats --db db")["games"], 3);
}

#[test]
fn a_damaged_file_of_traps_concerns_the_traps_alone() {
    let workspace = Workspace::with_games("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n");
    workspace.words("traps --mine --db db").succeed();
    workspace.write("db/traps.tabiya", "nonsense");
    workspace
        .words("traps --moves e4 --db db")
        .fail(1, "traps.tabiya");
    workspace.words("search --moves e4 --db db").succeed();
    workspace.words("explore --moves e4 --db db").succeed();
}
