//! Public collections, fetched from a server on loopback.

#[path = "../../../fetch/tests/server/mod.rs"]
mod server;

use std::{
    fs,
    io::Write,
    process::Child,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use server::{Reply, Request, Server};

use crate::workspace::{Ran, Workspace};

const MONTH: &str = "/standard/lichess_db_standard_rated_2024-01.pgn.zst";
const SUMS: &str = "/standard/sha256sums.txt";
const PART: &str = "cache/tabiya/downloads/lichess_db_standard_rated_2024-01.pgn.zst.part";

/// Games with ratings, dates and time controls that differ.
fn games() -> String {
    let game = |number: u16| {
        let (elo, date) = (2000 + number, 2000 + number);
        let clock = if number.is_multiple_of(2) {
            "180+0"
        } else {
            "600+5"
        };
        format!(
            "[Event \"Event {number}\"]\n[Date \"{date}.01.01\"]\n[White \"W{number}\"]\n\
             [Black \"B{number}\"]\n[Result \"1-0\"]\n[WhiteElo \"{elo}\"]\n[BlackElo \"{elo}\"]\n\
             [ECO \"C50\"]\n[TimeControl \"{clock}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 1-0\n\n"
        )
    };
    (0..20).map(game).collect()
}

fn compressed(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).unwrap()
}

fn sum(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    let digits = digest.as_ref().iter().map(|it| format!("{it:02x}"));
    digits.collect()
}

/// A server with a month and its checksum.
fn month_server(answer: impl Fn(&Request, &[u8]) -> Reply + Send + Sync + 'static) -> Server {
    let bytes = compressed(&games());
    let file = MONTH.rsplit('/').next().unwrap();
    let sums = format!("{}  {file}\n", sum(&bytes));
    Server::new(move |request| match request.path.as_str() {
        SUMS => Reply::new(200, sums.clone()),
        MONTH => answer(request, &bytes),
        _ => Reply::new(404, ""),
    })
}

fn tagged(request: &Request, bytes: &[u8]) -> Reply {
    Reply::file(request, bytes, "\"one\"")
}

fn get(workspace: &Workspace, server: &Server, line: &str) -> Ran {
    workspace.words(&format!("get {line} --db db --from {}", server.address))
}

fn report(workspace: &Workspace, server: &Server, line: &str) -> Value {
    let ran = get(workspace, server, &format!("{line} --json"));
    ran.succeed().json()
}

fn count(workspace: &Workspace) -> Value {
    workspace.json("stats --db db")["games"].clone()
}

fn downloads(workspace: &Workspace) -> usize {
    let folder = fs::read_dir(workspace.path("cache/tabiya/downloads"));
    folder.map_or(0, Iterator::count)
}

#[test]
fn the_list_shows_names_and_licenses() {
    let workspace = Workspace::new();
    let list = workspace.words("get").succeed().out;
    let list: String = list
        .split_whitespace()
        .fold(String::new(), |all, it| all + it + " ");
    for words in [
        "lichess-YYYY-MM",
        "twic-N",
        "gnuchess-book",
        "redistribution is not granted",
    ] {
        assert!(list.contains(words), "{list}");
    }
    let list = workspace.json("get");
    let rows = list["collections"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        for key in ["name", "what", "size", "license", "address"] {
            assert!(!row[key].as_str().unwrap().is_empty(), "{row}");
        }
    }
    assert_eq!(downloads(&workspace), 0);
}

#[test]
fn names_without_a_place_and_unknown_names_are_errors() {
    let workspace = Workspace::new();
    workspace.words("get twic-1500").fail(2, "--db");
    workspace.words("get --db db").fail(2, "NAME");
    workspace
        .words("get nothing --db db")
        .fail(1, "names are lichess-YYYY-MM");
    assert!(!workspace.path("db").exists());
}

#[test]
fn a_month_is_fetched_checked_and_indexed() {
    let (server, workspace) = (month_server(tagged), Workspace::new());
    let ran = get(&workspace, &server, "lichess-2024-01 --skip 0").succeed();
    assert!(ran.out.contains("license: CC0"), "{}", ran.out);
    assert!(
        ran.out.contains("added 20 games with 140 positions"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("SHA-256 checksum is the published one"),
        "{}",
        ran.out
    );
    assert_eq!(downloads(&workspace), 0);
    workspace.words("verify --db db").succeed();
    let again = report(&workspace, &server, "lichess-2024-01");
    let month = &again["collections"][0];
    assert_eq!(
        (&again["games"], &month["duplicates"]),
        (&json!(0), &json!(20))
    );
    assert_eq!(
        (&month["checked"], &month["kept"]),
        (&json!("sha256"), &json!(null))
    );
    assert_eq!(month["address"], format!("{}{MONTH}", server.address));
}

#[test]
fn a_wrong_checksum_leaves_the_collection_as_it_was() {
    let server = Server::new(|request| match request.path.as_str() {
        SUMS => Reply::new(
            200,
            format!("{} {}\n", "0".repeat(64), MONTH.rsplit('/').next().unwrap()),
        ),
        _ => tagged(request, &compressed(&games())),
    });
    let workspace = Workspace::with_games("[White \"Anna\"]\n\n1. d4 d5 *\n");
    let before = workspace.read("db/manifest.json");
    let ran = get(&workspace, &server, "lichess-2024-01");
    let ran = ran.fail(1, "the collection is unchanged");
    assert!(
        ran.err.contains("is published; the download is removed"),
        "{}",
        ran.err
    );
    assert_eq!(workspace.read("db/manifest.json"), before);
    assert_eq!(count(&workspace), 1);
    assert_eq!(downloads(&workspace), 0);
    workspace.words("verify --db db").succeed();
}

#[test]
fn cut_connections_are_continued() {
    let server = month_server(|request, bytes| match request.earlier {
        0 => tagged(request, bytes).cut(bytes.len() / 2),
        _ => tagged(request, bytes),
    });
    let workspace = Workspace::new();
    let ran = get(&workspace, &server, "lichess-2024-01").succeed();
    assert!(ran.err.contains("trying again in 1 s"), "{}", ran.err);
    assert_eq!(count(&workspace), 20);
    let half = compressed(&games()).len() / 2;
    assert_eq!(server.requests(MONTH)[1].from, Some(half));
}

#[test]
fn a_missing_file_says_what_to_check_and_makes_no_collection() {
    let (server, workspace) = (month_server(tagged), Workspace::new());
    get(&workspace, &server, "lichess-2030-12").fail(1, "not found; check the month");
    assert!(!workspace.path("db").exists());
    assert_eq!(downloads(&workspace), 0);
}

/// Starts a download that hangs after some bytes, and waits for them.
fn start_hanging(workspace: &Workspace, server: &Server) -> Child {
    let mut command = workspace.command();
    let line = format!("get lichess-2024-01 --db db --from {}", server.address);
    command.args(line.split(' '));
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let length = || fs::metadata(workspace.path(PART)).map_or(0, |it| it.len());
    while length() < 100 || !workspace.path("db/manifest.json").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    child
}

/// A server that sends no more than 100 bytes until it may go on.
fn hanging_server() -> (Server, Arc<AtomicBool>) {
    let goes_on = Arc::new(AtomicBool::new(false));
    let seen = goes_on.clone();
    let server = month_server(move |request, bytes| match seen.load(Ordering::Relaxed) {
        true => tagged(request, bytes),
        false => tagged(request, bytes).hang(100 - request.from.unwrap_or(0)),
    });
    (server, goes_on)
}

#[track_caller]
fn check_continued(workspace: &Workspace, server: &Server) {
    assert_eq!(count(workspace), 0);
    get(workspace, server, "lichess-2024-01").succeed();
    assert_eq!(server.requests(MONTH).last().unwrap().from, Some(100));
    assert_eq!(count(workspace), 20);
    assert_eq!(downloads(workspace), 0);
}

#[test]
fn a_killed_download_is_continued() {
    let ((server, goes_on), workspace) = (hanging_server(), Workspace::new());
    let mut child = start_hanging(&workspace, &server);
    child.kill().unwrap();
    child.wait().unwrap();
    goes_on.store(true, Ordering::Relaxed);
    check_continued(&workspace, &server);
}

#[cfg(unix)]
#[test]
fn an_interrupted_download_says_how_to_continue() {
    let ((server, goes_on), workspace) = (hanging_server(), Workspace::new());
    let child = start_hanging(&workspace, &server);
    let kill = format!("kill -INT {}", child.id());
    let sent = std::process::Command::new("sh")
        .args(["-c", &kill])
        .status();
    assert!(sent.unwrap().success());
    let ran = Ran::new(child.wait_with_output().unwrap());
    ran.fail(1, "continue with: tabiya get lichess-2024-01 --db db");
    goes_on.store(true, Ordering::Relaxed);
    check_continued(&workspace, &server);
}

#[test]
fn puzzles_become_games_and_a_bad_one_is_counted() {
    let table = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n\
        00sHx,q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17,e8d7 a2e6 d7d8 f7f8,1760,80,83,72,\
        mate mateIn2,https://lichess.org/yyznGmXs/black#34,Italian_Game\n\
        bad,nowhere,e2e4,1,1,1,1,none,url,\n\
        00sJ9,r3r1k1/p4ppp/2p2n2/1p6/3P1qb1/2NQR3/PPB2PP1/R1B3K1 w - - 5 18,e3g3 e8e1 g1h2 e1c1,2671,105,87,325,\
        advantage,https://lichess.org/gyFeQsOE#35,\n";
    let server = Server::new(move |request| tagged(request, &compressed(table)));
    let workspace = Workspace::new();
    let report = report(&workspace, &server, "lichess-puzzles");
    let puzzles = &report["collections"][0];
    assert_eq!(
        (&report["games"], &puzzles["skipped"]),
        (&json!(2), &json!(1))
    );
    // Every position of a puzzle is indexed, although it has few plies.
    assert_eq!(report["positions"], 5 + 5);
    assert_eq!(puzzles["checked"], "size");
    let problem = puzzles["problems"][0].as_str().unwrap();
    assert!(problem.contains("puzzle bad in line 3"), "{problem}");
    let exported = workspace.words("export --db db").succeed().out;
    for line in [
        "[Event \"Lichess puzzle 00sHx\"]",
        "[Site \"https://lichess.org/yyznGmXs/black#34\"]",
        "[Rating \"1760\"]",
        "[Themes \"mate mateIn2\"]",
        "17... Kd7 18. Be6+ Kd8 19. Qf8# *",
    ] {
        assert!(exported.contains(line), "{line} in {exported}");
    }
}

/// A zip archive of one file, stored as it is.
fn zipped(name: &str, text: &str) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(text.as_bytes());
    let size = (text.len() as u32).to_le_bytes();
    let mut bytes = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend(sum.sum().to_le_bytes());
    bytes.extend([size, size].concat());
    bytes.extend((name.len() as u32).to_le_bytes());
    bytes.extend([name.as_bytes(), text.as_bytes(), b"PK\x01\x02 and so on"].concat());
    bytes
}

#[test]
fn a_range_of_issues_stops_at_the_first_that_fails() {
    let issue = |number: u32| {
        let text = format!("[White \"Player {number}\"]\n\n1. e4 e5 *\n");
        zipped(&format!("twic{number}.pgn"), &text)
    };
    let server = Server::new(move |request| match request.path.as_str() {
        "/zips/twic1490g.zip" => tagged(request, &issue(1490)),
        "/zips/twic1491g.zip" => tagged(request, &issue(1491)),
        _ => Reply::new(404, ""),
    });
    let workspace = Workspace::new();
    let both = report(&workspace, &server, "twic-1490..1491 --keep");
    let names: Vec<&Value> = both["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["twic-1490", "twic-1491"]);
    assert_eq!(both["games"], 2);
    let kept = both["collections"][1]["kept"].as_str().unwrap();
    assert_eq!(fs::read(kept).unwrap(), issue(1491));
    let ran = get(&workspace, &server, "twic-1490..1495 --json");
    let ran = ran.fail(
        1,
        "2 of 6 done; continue with: tabiya get twic-1492..1495 --db db",
    );
    assert!(
        ran.err.contains("check the number of the issue"),
        "{}",
        ran.err
    );
    assert_eq!(ran.json()["collections"].as_array().unwrap().len(), 2);
    assert_eq!(count(&workspace), 2);
}

#[test]
fn a_damaged_archive_leaves_the_collection_as_it_was() {
    let mut archive = zipped("twic1490.pgn", "[White \"A\"]\n\n1. e4 e5 *\n");
    archive[50] ^= 1;
    let server = Server::new(move |request| tagged(request, &archive));
    let workspace = Workspace::with_games("[White \"Anna\"]\n\n1. d4 d5 *\n");
    get(&workspace, &server, "twic-1490").fail(1, "the zip archive is damaged");
    assert_eq!(count(&workspace), 1);
    assert_eq!(downloads(&workspace), 0);
}

#[test]
fn the_book_of_gnu_chess_is_a_tar_archive() {
    let text = games();
    let mut header = [0u8; 512];
    header[..9].copy_from_slice(b"book.pgn\0");
    header[124..135].copy_from_slice(format!("{:011o}", text.len()).as_bytes());
    header[148..156].fill(b' ');
    header[156] = b'0';
    let check: u32 = header.iter().map(|&it| u32::from(it)).sum();
    header[148..155].copy_from_slice(format!("{check:06o}\0").as_bytes());
    let mut archive = [&header[..], text.as_bytes()].concat();
    archive.resize(archive.len().next_multiple_of(512) + 1024, 0);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&archive).unwrap();
    let packed = packed.finish().unwrap();
    let description = format!(
        "Checksums-Sha256:\n {} {} gnuchess-book_1.02.orig.tar.gz\n",
        sum(&packed),
        packed.len()
    );
    let server = Server::new(move |request| match request.path.as_str() {
        "/gnuchess-book_1.02-2.1.dsc" => Reply::new(200, description.clone()),
        "/gnuchess-book_1.02.orig.tar.gz" => tagged(request, &packed),
        _ => Reply::new(404, ""),
    });
    let report = report(&Workspace::new(), &server, "gnuchess-book");
    assert_eq!(
        (&report["games"], &report["collections"][0]["checked"]),
        (&json!(20), &json!("sha256"))
    );
}

#[test]
fn filters_select_the_games_of_both_verbs() {
    let server = month_server(tagged);
    let check = |line: &str, games: u64, left_out: u64| {
        let workspace = Workspace::new();
        let fetched = report(&workspace, &server, &format!("lichess-2024-01 {line}"));
        workspace.write("games.pgn", self::games());
        let indexed = workspace.json(&format!("index games.pgn --db index {line}"));
        for report in [&fetched["collections"][0], &indexed] {
            assert_eq!(report["games"], games, "{line}: {report}");
            assert_eq!(report["left_out"], left_out, "{line}: {report}");
        }
    };
    check("--elo 2015-", 5, 15);
    check("--date 2000-2003", 4, 16);
    check("--player w1", 11, 9);
    check("--eco A00-B99", 0, 20);
    check("--result 1-0,0-1", 20, 0);
    check("--result 1/2-1/2", 0, 20);
    check("--time-control 600-", 10, 10);
    check("--time-control -479", 10, 10);
    check("--limit 7", 7, 0);
    check("--elo 2010- --limit 3", 3, 10);
    let workspace = Workspace::new();
    let ran = get(&workspace, &server, "lichess-2024-01 --elo 2015-").succeed();
    assert!(ran.out.contains("15 left out by the filter"), "{}", ran.out);
    for line in ["--time-control soon", "--limit 0", "--elo x", "--date soon"] {
        let ran = get(&workspace, &server, &format!("lichess-2024-01 {line}"));
        assert_eq!(ran.code, Some(2), "{line}");
    }
}

#[test]
fn a_limit_ends_the_download() {
    // More slabs of games than one worker waits for, in a file that never ends.
    let game = |number: u32| format!("[White \"W{number}\"]\n\n1. e4 e5 *\n\n");
    let text: String = (0..30_000).map(game).collect();
    let bytes = compressed(&text);
    let server = Server::new(move |request| match request.path.as_str() {
        MONTH => tagged(request, &bytes).hang(bytes.len() - 20),
        _ => Reply::new(404, ""),
    });
    let workspace = Workspace::new();
    let ran = get(
        &workspace,
        &server,
        "lichess-2024-01 --limit 50 --threads 1",
    )
    .succeed();
    assert!(ran.out.contains("added 50 games"), "{}", ran.out);
    assert!(ran.out.contains("it was not checked"), "{}", ran.out);
    assert_eq!(downloads(&workspace), 0);
}
