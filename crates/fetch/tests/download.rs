//! Downloads from servers that are kind, forgetful, slow, or wrong.

mod server;

use std::{
    fs,
    io::Read,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use server::{Reply, Request, Server};
use tabiya_fetch::{Check, Download, FetchError, Settings, catalog};
use tempfile::TempDir;

const MONTH: &str = "/standard/lichess_db_standard_rated_2024-01.pgn.zst";
const SUMS: &str = "/standard/sha256sums.txt";
const FILE: &str = "lichess_db_standard_rated_2024-01.pgn.zst";

/// Long pauses and stalls are for tests that mean them.
fn settings() -> Settings {
    Settings {
        connect: Duration::from_secs(60),
        stall: Duration::from_secs(60),
        pauses: vec![Duration::ZERO; 3],
    }
}

/// A text that compresses badly, so that a cut leaves something to fetch.
fn text() -> Vec<u8> {
    let mut dice = 1u64;
    let mut next = || {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        dice >> 33
    };
    let games = (0..400).map(|_| format!("[Event \"{} {}\"]\n\n1. e4 *\n\n", next(), next()));
    games.collect::<String>().into_bytes()
}

fn compressed() -> Vec<u8> {
    zstd::encode_all(&text()[..], 3).unwrap()
}

fn sum(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest
        .as_ref()
        .iter()
        .map(|it| format!("{it:02x}"))
        .collect()
}

/// A server with one month, its checksum, and the answers to requests for the month.
fn month_server(answer: impl Fn(&Request, &[u8]) -> Reply + Send + Sync + 'static) -> Server {
    let bytes = compressed();
    let sums = format!("{}  {FILE}\n", sum(&bytes));
    Server::new(move |request| match request.path.as_str() {
        SUMS => Reply::new(200, sums.clone()),
        MONTH => answer(request, &bytes),
        _ => Reply::new(404, ""),
    })
}

fn tagged(request: &Request, bytes: &[u8]) -> Reply {
    Reply::file(request, bytes, "\"one\"")
}

/// A place for downloads, and what was said during them.
struct Cache {
    folder: TempDir,
    stop: Arc<AtomicBool>,
    notices: Arc<Mutex<Vec<String>>>,
}

impl Cache {
    fn new() -> Cache {
        Cache {
            folder: tempfile::tempdir().unwrap(),
            stop: Arc::default(),
            notices: Arc::default(),
        }
    }

    fn start(&self, name: &str, server: &Server) -> Result<Download, FetchError> {
        self.start_with(name, &server.address, &settings())
    }

    fn start_with(
        &self,
        name: &str,
        base: &str,
        settings: &Settings,
    ) -> Result<Download, FetchError> {
        let item = &catalog::find(name).unwrap()[0];
        let notices = self.notices.clone();
        let notice = move |it: &str| notices.lock().unwrap().push(it.to_owned());
        let (folder, stop) = (self.folder.path(), self.stop.clone());
        Download::start(item, Some(base), folder, settings, stop, notice)
    }

    /// Reads a download to its end; its error if it has one.
    fn fetch(&self, name: &str, server: &Server) -> Result<(Vec<u8>, Download), String> {
        let download = self.start(name, server).map_err(|it| it.to_string())?;
        read(&download).map(|text| (text, download))
    }

    #[track_caller]
    fn fails(&self, name: &str, server: &Server, words: &str) {
        let error = self.fetch(name, server).map(|_| ()).unwrap_err();
        assert!(error.contains(words), "{error}");
    }

    fn notices(&self) -> String {
        self.notices.lock().unwrap().join("\n")
    }

    fn part(&self, file: &str) -> Option<u64> {
        length(&self.folder.path().join(format!("{file}.part")))
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(self.folder.path()).unwrap().next().is_none()
    }
}

fn length(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|it| it.len())
}

fn read(download: &Download) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let mut reader = download.text().unwrap();
    let read = reader.read_to_end(&mut text);
    read.map(|_| text).map_err(|it| it.to_string())
}

#[test]
fn a_file_arrives_and_is_checked() {
    let (server, cache) = (month_server(tagged), Cache::new());
    let (read, download) = cache.fetch("lichess-2024-01", &server).unwrap();
    assert!(read == text());
    assert_eq!(download.check(), Check::Checksum);
    assert_eq!(download.total(), Some(compressed().len() as u64));
    let progress = download.progress();
    let seen = [&progress.stored, &progress.arrived, &progress.read];
    for count in seen.map(|it| it.load(Ordering::Relaxed)) {
        assert_eq!(count, compressed().len() as u64);
    }
    let request = &server.requests(MONTH)[0];
    let agent = concat!("tabiya/", env!("CARGO_PKG_VERSION"));
    assert_eq!(request.user_agent.as_deref(), Some(agent));
    assert_eq!(request.from, None);
    download.remove();
    assert!(cache.is_empty());
    assert_eq!(cache.notices(), "");
}

#[test]
fn a_cut_connection_is_continued() {
    let server = month_server(|request, bytes| tagged(request, bytes).cut(1000));
    let cache = Cache::new();
    let (read, download) = cache.fetch("lichess-2024-01", &server).unwrap();
    assert!(read == text());
    assert_eq!(download.check(), Check::Checksum);
    let requests = server.requests(MONTH);
    assert_eq!(requests.len(), compressed().len().div_ceil(1000));
    // More cuts than there are pauses: each one brought something.
    assert!(requests.len() > settings().pauses.len() + 1);
    for (number, request) in requests.iter().enumerate().skip(1) {
        assert_eq!(request.from, Some(1000 * number));
        assert_eq!(request.if_range.as_deref(), Some("\"one\""));
    }
    assert!(
        cache.notices().contains("trying again"),
        "{}",
        cache.notices()
    );
}

#[test]
fn a_server_without_ranges_starts_again() {
    let server = month_server(|request, bytes| {
        let reply = Reply::new(200, bytes);
        if request.earlier < 2 {
            reply.cut(700 * (request.earlier + 1))
        } else {
            reply
        }
    });
    let cache = Cache::new();
    let (read, download) = cache.fetch("lichess-2024-01", &server).unwrap();
    assert!(read == text());
    assert_eq!(download.check(), Check::Checksum);
    assert_eq!(server.requests(MONTH).len(), 3);
    let notices = cache.notices();
    assert!(
        notices.contains("cannot continue a download; starting again"),
        "{notices}"
    );
}

#[test]
fn a_file_that_changes_on_the_way_is_an_error() {
    let other = |bytes: &[u8]| bytes.iter().map(|it| it ^ 1).collect::<Vec<u8>>();
    // By its mark, by its bytes, and by its size.
    let by_mark = month_server(|request, bytes| match request.earlier {
        0 => tagged(request, bytes).cut(500),
        _ => Reply::file(request, bytes, "\"two\""),
    });
    let by_bytes = month_server(move |request, bytes| match request.earlier {
        0 => Reply::new(200, bytes).cut(500),
        _ => Reply::new(200, other(bytes)),
    });
    let by_size = month_server(|request, bytes| match request.earlier {
        0 => tagged(request, bytes).cut(500),
        _ => tagged(request, &[bytes, b"more"].concat()),
    });
    for server in [by_mark, by_bytes, by_size] {
        let cache = Cache::new();
        cache.fails("lichess-2024-01", &server, "has changed on the server");
        assert!(cache.is_empty(), "what was read is useless");
    }
}

#[test]
fn a_wrong_size_is_an_error() {
    let server = month_server(|request, bytes| match request.from {
        None => tagged(request, &[bytes, b"and more"].concat()).cut(bytes.len()),
        Some(_) => tagged(request, bytes),
    });
    let cache = Cache::new();
    let words = format!("announces {} bytes and has", compressed().len() + 8);
    cache.fails("lichess-2024-01", &server, &words);
    // One that always ends early and never says why.
    let server = month_server(|_, bytes| Reply::new(200, bytes).cut(bytes.len() / 2));
    let cache = Cache::new();
    cache.fails("lichess-2024-01", &server, "run the same command again");
    assert_eq!(cache.part(FILE), Some(compressed().len() as u64 / 2));
    assert_eq!(server.requests(MONTH).len(), settings().pauses.len() + 1);
}

#[test]
fn a_wrong_checksum_is_an_error_at_the_end_of_the_text() {
    let server = Server::new(|request| match request.path.as_str() {
        SUMS => Reply::new(200, format!("{}  {FILE}\n", "0".repeat(64))),
        _ => tagged(request, &compressed()),
    });
    let cache = Cache::new();
    let download = cache.start("lichess-2024-01", &server).unwrap();
    let mut reader = download.text().unwrap();
    let mut text = Vec::new();
    let error = reader.read_to_end(&mut text).unwrap_err().to_string();
    assert!(error.contains("SHA-256 checksum is"), "{error}");
    assert!(error.contains("run the same command again"), "{error}");
    assert_eq!(text, self::text());
    // It stays an error, however often one asks.
    assert!(reader.read(&mut [0; 8]).is_err());
    assert_eq!(download.check(), Check::Nothing);
    drop(download);
    assert!(cache.is_empty());
}

#[test]
fn without_a_checksum_the_size_is_checked() {
    for sums in [Reply::new(404, ""), Reply::new(200, "<html>")] {
        let server = Server::new(move |request| match request.path.as_str() {
            SUMS => sums.clone(),
            _ => tagged(request, &compressed()),
        });
        let cache = Cache::new();
        let (_, download) = cache.fetch("lichess-2024-01", &server).unwrap();
        assert_eq!(download.check(), Check::Size);
        assert!(
            cache.notices().contains("no checksum"),
            "{}",
            cache.notices()
        );
    }
}

#[test]
fn a_file_of_unknown_length_is_read_to_its_end() {
    let server = month_server(|_, bytes| Reply::new(200, bytes).without_length());
    let cache = Cache::new();
    let (read, download) = cache.fetch("lichess-2024-01", &server).unwrap();
    assert!(read == text());
    assert_eq!(
        (download.total(), download.check()),
        (None, Check::Checksum)
    );
}

#[test]
fn redirects_are_followed_but_not_forever() {
    let server = month_server(|request, bytes| tagged(request, bytes).cut(3000));
    let there = server.address.clone();
    let detour = Server::new(move |request| match request.path.strip_prefix("/a/b/c") {
        Some(path) => Reply::new(302, "").header("Location", format!("{there}{path}")),
        None => {
            let path = request.path.replacen("/standard", "/x/standard", 1);
            let next = ["/x/x/x", "/x/x", "/x"].map(|it| (it, path.starts_with(it)));
            let is_last = next[0].1;
            let rest = path.replacen("/x/x/x", "/a/b/c", 1);
            Reply::new(301, "").header("Location", if is_last { rest } else { path })
        }
    });
    let cache = Cache::new();
    let (read, download) = cache.fetch("lichess-2024-01", &detour).unwrap();
    assert!(read == text());
    assert_eq!(download.check(), Check::Checksum);
    assert!(
        server
            .requests(MONTH)
            .iter()
            .skip(1)
            .all(|it| it.from.is_some())
    );
    let circle = Server::new(|request| Reply::new(302, "").header("Location", &request.path));
    Cache::new().fails(
        "lichess-2024-01",
        &circle,
        "more than 5 redirects; check the address",
    );
    assert!(circle.requests(SUMS).len() <= 6);
}

#[test]
fn a_file_that_is_not_there_says_what_to_check() {
    let nothing = || Server::new(|_| Reply::new(404, "nothing"));
    let cache = Cache::new();
    cache.fails("lichess-2030-01", &nothing(), "not found; check the month");
    cache.fails(
        "twic-9999",
        &nothing(),
        "not found; check the number of the issue",
    );
    let refusing = Server::new(|_| Reply::new(403, "no"));
    cache.fails("twic-1500", &refusing, "the server answers 403");
    assert_eq!(refusing.requests("/zips/twic1500g.zip").len(), 1);
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = month_server(|request, bytes| match request.earlier {
        0 => Reply::new(503, "").header("Retry-After", "0"),
        1 => Reply::new(429, "").header("Retry-After", "soon"),
        2 => tagged(request, bytes).cut(100),
        3 => Reply::new(500, ""),
        _ => tagged(request, bytes),
    });
    let (read, _) = Cache::new().fetch("lichess-2024-01", &server).unwrap();
    assert!(read == text());
    for status in [429, 503] {
        let server = Server::new(move |_| Reply::new(status, ""));
        let words = format!("the server is busy (status {status}); check the connection");
        Cache::new().fails("twic-1500", &server, &words);
        let requests = server.requests("/zips/twic1500g.zip");
        assert_eq!(requests.len(), settings().pauses.len() + 1);
    }
}

#[test]
fn a_server_that_does_not_exist_is_an_error_at_once() {
    let patient = Settings {
        pauses: vec![Duration::from_secs(3600)],
        ..settings()
    };
    let cache = Cache::new();
    // Nobody listens on this port.
    let error = cache.start_with("twic-1500", "http://127.0.0.1:1", &patient);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("refused"), "{error}");
    for base in ["", "nonsense", "ftp://127.0.0.1"] {
        let error = cache.start_with("twic-1500", base, &patient);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("check the"), "{base}: {error}");
    }
    assert!(cache.is_empty());
}

#[test]
fn a_stalled_connection_counts_as_cut() {
    let server = month_server(|request, bytes| match request.earlier {
        0 => tagged(request, bytes).hang(2000),
        _ => tagged(request, bytes),
    });
    let hasty = Settings {
        stall: Duration::from_millis(300),
        pauses: vec![Duration::ZERO; 100],
        ..settings()
    };
    let cache = Cache::new();
    let download = cache
        .start_with("lichess-2024-01", &server.address, &hasty)
        .unwrap();
    assert!(read(&download).unwrap() == text());
    assert_eq!(server.requests(MONTH)[1].from, Some(2000));
}

/// Waits for something that happens sooner or later.
fn wait_until(mut happens: impl FnMut() -> bool) {
    while !happens() {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_stopped_download_is_continued_by_the_next_run() {
    let goes_on = Arc::new(AtomicBool::new(false));
    let server = month_server({
        let goes_on = goes_on.clone();
        move |request, bytes| match goes_on.load(Ordering::Relaxed) {
            true => tagged(request, bytes),
            false => tagged(request, bytes).hang(2000 - request.from.unwrap_or(0)),
        }
    });
    let hasty = Settings {
        stall: Duration::from_millis(200),
        pauses: vec![Duration::ZERO; 1_000_000],
        ..settings()
    };
    let cache = Cache::new();
    let download = cache.start_with("lichess-2024-01", &server.address, &hasty);
    let download = download.unwrap();
    let mut reader = download.text().unwrap();
    wait_until(|| cache.part(FILE) == Some(2000));
    cache.stop.store(true, Ordering::Relaxed);
    let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "stopped");
    drop(download);
    assert_eq!(cache.part(FILE), Some(2000));
    goes_on.store(true, Ordering::Relaxed);
    let again = Cache {
        stop: Arc::default(),
        ..cache
    };
    // The thread still waits for the server, so the file is its own for a while.
    let mut download = None;
    wait_until(|| {
        let started = again.start("lichess-2024-01", &server);
        let is_locked = matches!(started, Err(FetchError::Locked(_)));
        download = Some(started);
        !is_locked
    });
    let download = download.unwrap().unwrap();
    assert!(read(&download).unwrap() == text());
    assert_eq!(server.requests(MONTH).last().unwrap().from, Some(2000));
}

#[test]
fn a_file_that_changed_since_the_last_run_is_fetched_from_its_beginning() {
    let bytes = compressed();
    // A new mark, and one that the server forgets to compare; with too few bytes and too many.
    let new_mark = |request: &Request, bytes: &[u8]| Reply::file(request, bytes, "\"two\"");
    let careless = |request: &Request, bytes: &[u8]| {
        let request = Request {
            if_range: None,
            ..request.clone()
        };
        Reply::file(&request, bytes, "\"two\"")
    };
    type Answer = fn(&Request, &[u8]) -> Reply;
    let answers: [Answer; 2] = [new_mark, careless];
    for answer in answers {
        let (server, cache) = (month_server(answer), Cache::new());
        let address = format!("{}{MONTH}", server.address);
        for length in [10, bytes.len() + 10] {
            let note = format!(
                "{{\"address\":\"{address}\",\"total\":{},\"version\":\"\\\"one\\\"\",\"is_whole\":false}}",
                bytes.len() + 10
            );
            let at = |ending: &str| cache.folder.path().join(format!("{FILE}.{ending}"));
            fs::write(at("note"), note).unwrap();
            fs::write(at("part"), vec![b'x'; length]).unwrap();
            let (read, download) = cache.fetch("lichess-2024-01", &server).unwrap();
            assert!(read == text());
            assert_eq!(download.check(), Check::Checksum);
            download.remove();
        }
        assert!(
            cache
                .notices()
                .contains("changed on the server; starting again")
        );
    }
}

#[test]
fn what_lies_in_the_cache_need_not_make_sense() {
    let (server, cache) = (month_server(tagged), Cache::new());
    for note in [
        "",
        "{",
        "[]",
        "{\"address\":\"elsewhere\",\"total\":1,\"version\":null,\"is_whole\":true}",
    ] {
        let at = |ending: &str| cache.folder.path().join(format!("{FILE}.{ending}"));
        fs::write(at("note"), note).unwrap();
        fs::write(at("part"), "rubbish").unwrap();
        let (read, download) = cache.fetch("lichess-2024-01", &server).unwrap();
        assert!(read == text(), "{note}");
        download.remove();
    }
}

#[test]
fn a_kept_file_is_not_fetched_again() {
    let (server, cache) = (month_server(tagged), Cache::new());
    let (_, download) = cache.fetch("lichess-2024-01", &server).unwrap();
    let path = download.keep().unwrap();
    assert_eq!(fs::read(&path).unwrap(), compressed());
    let (read, download) = cache.fetch("lichess-2024-01", &server).unwrap();
    assert!(read == text());
    assert_eq!(download.progress().arrived.load(Ordering::Relaxed), 0);
    assert_eq!(download.check(), Check::Checksum);
}

#[test]
fn two_downloads_of_a_file_do_not_meet() {
    let server = month_server(|request, bytes| tagged(request, bytes).hang(100));
    let cache = Cache::new();
    let first = cache.start("lichess-2024-01", &server).unwrap();
    let second = cache.start("lichess-2024-01", &server).unwrap_err();
    assert!(
        second.to_string().contains("another process is fetching"),
        "{second}"
    );
    drop(first);
}

#[test]
fn an_archive_that_cannot_be_unpacked_is_removed() {
    let server = Server::new(|request| tagged(request, b"PK\x03\x04 and then nothing"));
    let cache = Cache::new();
    cache.fails(
        "twic-1500",
        &server,
        "the zip archive ends early; the download is removed",
    );
    assert!(cache.is_empty());
    let server = Server::new(|request| match request.path.ends_with(".dsc") {
        true => Reply::new(404, ""),
        false => tagged(request, b"not a book"),
    });
    cache.fails("gnuchess-book", &server, "tar archive");
    assert!(cache.is_empty());
}
