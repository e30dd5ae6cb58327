//! Conversations with the engine, as chess programs hold them.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use shakmaty::Position;
use shakmaty::uci::UciMove;
use tabiya_chess::pgn::Input;
use tabiya_engine::uci::converse;
use tabiya_retrieval::{
    Collection, GameNumber,
    collection::{Import, Progress, Writer},
};

/// The engine's standard input: what the test sends, until it hangs up.
struct Pipe {
    lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            match self.lines.recv() {
                Ok(line) => self.rest = line,
                Err(_) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.rest.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// The engine's standard output, which a test can wait for.
#[derive(Clone, Default)]
struct Paper(Arc<(Mutex<String>, Condvar)>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .0
            .lock()
            .unwrap()
            .push_str(&String::from_utf8_lossy(bytes));
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Dialogue {
    input: Option<Sender<Vec<u8>>>,
    output: Paper,
    heard: usize,
    engine: Option<std::thread::JoinHandle<()>>,
}

/// Long enough for a loaded machine; no test waits this long when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

impl Dialogue {
    fn open() -> Dialogue {
        let (input, lines) = channel();
        let output = Paper::default();
        let paper = output.clone();
        let engine = std::thread::spawn(move || {
            converse(
                BufReader::new(Pipe {
                    lines,
                    rest: Vec::new(),
                }),
                paper,
            )
        });
        Dialogue {
            input: Some(input),
            output,
            heard: 0,
            engine: Some(engine),
        }
    }

    fn say(&mut self, line: &str) -> &mut Dialogue {
        self.input
            .as_ref()
            .unwrap()
            .send(format!("{line}\n").into_bytes())
            .unwrap();
        self
    }

    /// Waits for a line that begins so; returns everything since the last wait.
    #[track_caller]
    fn expect(&mut self, start: &str) -> String {
        let (text, changed) = &*self.output.0;
        let mut text = text.lock().unwrap();
        loop {
            let news = &text[self.heard..];
            let mut end = 0;
            for line in news.split_inclusive('\n') {
                end += line.len();
                if line.starts_with(start) && line.ends_with('\n') {
                    let found = news[..end].to_owned();
                    self.heard += end;
                    return found;
                }
            }
            let (next, waited) = changed.wait_timeout(text, PATIENCE).unwrap();
            text = next;
            assert!(
                !waited.timed_out(),
                "no \"{start}\" in: {}",
                &text[self.heard..]
            );
        }
    }

    /// Hangs up and gives all that was said since the last wait.
    fn close(mut self) -> String {
        self.input = None;
        self.engine
            .take()
            .unwrap()
            .join()
            .expect("the engine ends without a panic");
        let text = self.output.0.0.lock().unwrap();
        text[self.heard..].to_owned()
    }
}

fn last_word_of_best(text: &str) -> &str {
    text.lines()
        .last()
        .unwrap()
        .strip_prefix("bestmove ")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
}

#[test]
fn the_engine_introduces_itself() {
    let mut dialogue = Dialogue::open();
    let text = dialogue.say("uci").expect("uciok");
    assert!(text.starts_with("id name Tabiya"));
    for name in [
        "Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "SyzygyPath",
        "Evaluation",
        "Pace",
        "Move Overhead",
        "UCI_Chess960",
        "UCI_AnalyseMode",
        "UCI_ShowWDL",
        "UCI_LimitStrength",
        "UCI_Elo",
    ] {
        assert!(text.contains(&format!("option name {name} type")), "{name}");
    }
    dialogue.say("isready").expect("readyok");
    assert_eq!(dialogue.close(), "");
}

#[test]
fn a_search_reports_and_answers() {
    let mut dialogue = Dialogue::open();
    dialogue
        .say("position startpos moves e2e4 e7e5")
        .say("go depth 6");
    let text = dialogue.expect("bestmove");
    let info = text
        .lines()
        .find(|it| it.starts_with("info depth 6") && it.contains(" pv "))
        .expect("the last iteration is reported");
    for word in [
        "seldepth",
        "multipv 1",
        "score cp",
        "nodes",
        "nps",
        "hashfull",
        "time",
        " pv ",
    ] {
        assert!(info.contains(word), "{word} in {info}");
    }
}

/// Reads every `pv` of a report from a position.
fn check_lines(fen: &str, text: &str) -> usize {
    let start = tabiya_chess::position::parse(fen).unwrap();
    let mut checked = 0;
    for info in text.lines().filter(|it| it.contains(" pv ")) {
        let mut position = start.clone();
        for word in info.split(" pv ").nth(1).unwrap().split(' ') {
            let mv = word.parse::<UciMove>().unwrap().to_move(&position);
            let mv = mv.unwrap_or_else(|_| panic!("{word} is not legal in: {info}"));
            position = position.play(mv).unwrap();
        }
        checked += 1;
    }
    checked
}

#[test]
fn every_line_is_legal_bounds_included() {
    let mut checked = 0;
    let mut bounds = 0;
    for fen in [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r1b2rk1/2q1bppp/p2ppn2/1p4B1/3QP3/1BN2P2/PPP3PP/2KR3R b - - 1 13",
        "2r3k1/pp3ppp/4p3/3pP3/1q1P4/1P3Q2/P4PPP/2R3K1 w - - 0 24",
    ] {
        let mut dialogue = Dialogue::open();
        dialogue.say("setoption name MultiPV value 2");
        dialogue.say(&format!("position fen {fen}"));
        let text = dialogue.say("go nodes 15000").expect("bestmove");
        bounds += text.matches("bound").count();
        checked += check_lines(fen, &text);
    }
    assert!(
        checked > 20 && bounds > 0,
        "{checked} lines, {bounds} bounds"
    );
}

#[test]
fn chess960_castles_by_taking_the_rook() {
    let mut dialogue = Dialogue::open();
    dialogue.say("setoption name UCI_Chess960 value true");
    let fen = "position fen 4k3/8/8/8/8/8/8/1R1K2R1 w GB - 0 1";
    dialogue.say(fen);
    let text = dialogue
        .say("go depth 2 searchmoves d1g1")
        .expect("bestmove");
    assert_eq!(last_word_of_best(&text), "d1g1");
    dialogue.say(&format!("{fen} moves d1b1 e8e7"));
    let fen = dialogue.say("d").expect("info string");
    assert!(fen.contains("8/4k3/8/8/8/8/8/2KR2R1 w"), "{fen}");
    // The usual game is written in the usual way.
    dialogue.say("setoption name UCI_Chess960 value false");
    dialogue.say("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let text = dialogue
        .say("go depth 2 searchmoves e1g1")
        .expect("bestmove");
    assert_eq!(last_word_of_best(&text), "e1g1");
}

#[test]
fn chances_are_shown_if_asked_for() {
    let mut dialogue = Dialogue::open();
    let text = dialogue
        .say("position startpos")
        .say("go depth 3")
        .expect("bestmove");
    assert!(!text.contains(" wdl "), "{text}");
    dialogue.say("setoption name UCI_ShowWDL value true");
    let text = dialogue.say("go depth 3").expect("bestmove");
    let line = text
        .lines()
        .find(|it| it.contains(" wdl "))
        .expect("chances");
    let chances = line.split(" wdl ").nth(1).unwrap().split(' ').take(3);
    assert_eq!(
        chances.map(|it| it.parse::<u32>().unwrap()).sum::<u32>(),
        1000
    );
}

#[test]
fn a_level_thinks_for_few_nodes_and_an_analysis_does_not() {
    let mut dialogue = Dialogue::open();
    for line in [
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1900",
        "position startpos",
    ] {
        dialogue.say(line);
    }
    let nodes = |text: &str| {
        let counts = text.lines().filter_map(|it| it.split(" nodes ").nth(1));
        let counts = counts.filter_map(|it| it.split(' ').next()?.parse::<u64>().ok());
        counts.max().unwrap()
    };
    let limited = nodes(&dialogue.say("go depth 6").expect("bestmove"));
    dialogue.say("setoption name UCI_AnalyseMode value true");
    let free = nodes(&dialogue.say("go depth 6").expect("bestmove"));
    assert!(limited < 200 && free > 1_000, "{limited} {free}");
}

#[test]
fn the_move_being_searched_is_shown_after_a_while() {
    let mut dialogue = Dialogue::open();
    dialogue.say("position startpos").say("go infinite");
    let text = dialogue.expect("info depth 1");
    assert!(!text.contains("currmove"));
    loop {
        let line = dialogue.expect("info depth");
        if line.contains(" currmove ") && line.contains(" currmovenumber ") {
            break;
        }
    }
    dialogue.say("stop").expect("bestmove");
}

#[test]
fn games_that_are_over_have_no_move() {
    for (fen, score) in [
        (
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            "mate 0",
        ),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
    ] {
        let mut dialogue = Dialogue::open();
        let text = dialogue
            .say(&format!("position fen {fen}"))
            .say("go movetime 50")
            .expect("bestmove");
        assert!(
            text.ends_with("bestmove 0000\n") && text.contains(score),
            "{text}"
        );
    }
}

#[test]
fn the_engine_is_heard_while_it_thinks() {
    let mut dialogue = Dialogue::open();
    dialogue
        .say("position startpos")
        .say("go infinite")
        .expect("info depth 3");
    dialogue.say("isready").expect("readyok");
    assert!(
        !dialogue
            .say("stop")
            .expect("bestmove")
            .contains("bestmove 0000")
    );
}

#[test]
fn an_endless_search_waits_for_stop_even_when_all_is_known() {
    let mut dialogue = Dialogue::open();
    dialogue
        .say("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
        .say("go infinite");
    dialogue.say("isready").expect("readyok");
    std::thread::sleep(Duration::from_millis(30));
    let so_far = dialogue.output.0.0.lock().unwrap().clone();
    assert!(!so_far.contains("bestmove"), "{so_far}");
    dialogue.say("stop").expect("bestmove 0000");
}

#[test]
fn pondering_ends_with_a_hit() {
    let mut dialogue = Dialogue::open();
    dialogue
        .say("position startpos moves d2d4")
        .say("go ponder wtime 50 btime 50");
    dialogue.expect("info depth 4");
    dialogue.say("isready").expect("readyok");
    dialogue.say("ponderhit").expect("bestmove");
}

#[test]
fn only_the_moves_asked_for_are_played() {
    let mut dialogue = Dialogue::open();
    dialogue
        .say("position startpos")
        .say("go depth 4 searchmoves a2a3 h2h4");
    let text = dialogue.expect("bestmove");
    assert!(
        ["a2a3", "h2h4"].contains(&last_word_of_best(&text)),
        "{text}"
    );
}

#[test]
fn several_lines_are_reported_best_first() {
    let mut dialogue = Dialogue::open();
    dialogue
        .say("setoption name MultiPV value 3")
        .say("position startpos")
        .say("go depth 5");
    let text = dialogue.expect("bestmove");
    let scores: Vec<i32> = (1..=3)
        .map(|index| {
            let line = text
                .lines()
                .rfind(|it| {
                    it.starts_with("info depth 5 ") && it.contains(&format!(" multipv {index} "))
                })
                .expect("a line");
            line.split("score cp ")
                .nth(1)
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[test]
fn mates_are_counted_in_moves() {
    let mut dialogue = Dialogue::open();
    dialogue
        .say("position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1")
        .say("go mate 2");
    assert!(dialogue.expect("bestmove").contains("score mate 2"));
}

#[test]
fn nonsense_is_survived() {
    let mut dialogue = Dialogue::open();
    for line in [
        "",
        "   ",
        "hello",
        "go",
        "stop",
        "stop",
        "ponderhit",
        "position",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e5",
        "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves e1e2 e8e1",
        "setoption",
        "setoption name",
        "setoption name Hash value lots",
        "setoption name Nothing value 1",
        "go depth -3",
        "stop",
        "go nodes 0",
        "stop",
        "setoption name Threads value 2",
        "setoption name Pace value appendix:0.5",
        "setoption name Evaluation value chains",
        "position fen QQQQQQQQ/QQQQQQQQ/8/8/8/8/4k3/7K b - - 0 1",
        "go depth 2",
        "ucinewgame",
        "\u{0}\u{ff}",
        "position startpos moves e2e4",
        "go wtime -100 btime -100 movestogo 0",
    ] {
        dialogue.say(line);
    }
    dialogue.say("stop").say("isready").expect("readyok");
    let text = dialogue.close();
    assert!(!text.contains("panicked"));
}

#[test]
fn what_is_no_position_leaves_the_old_one_and_unknown_words_are_passed_over() {
    let mut dialogue = Dialogue::open();
    dialogue.say("position startpos moves e2e4 e7e5");
    let there = dialogue.say("d").expect("info string");
    for line in ["position nonsense moves d2d4", "position startpos d2d4"] {
        let text = dialogue.say(line).expect("info string");
        assert!(text.contains("is not a position"), "{text}");
        assert_eq!(dialogue.say("d").expect("info string"), there);
    }
    let text = dialogue
        .say("debug on")
        .say("xyz isready")
        .expect("readyok");
    assert_eq!(text, "readyok\n");
}

#[test]
fn the_end_of_the_input_lets_a_search_finish() {
    let paper = Paper::default();
    converse(
        "position startpos\ngo nodes 3000\n".as_bytes(),
        paper.clone(),
    );
    assert!(paper.0.0.lock().unwrap().contains("bestmove "));
}

#[test]
fn the_end_of_the_input_stops_a_search_without_a_limit() {
    for go in [
        "go",
        "go mate 2",
        "go depth x",
        "go btime 100",
        "go movetime 1.5",
    ] {
        let mut dialogue = Dialogue::open();
        dialogue.say("position startpos").say(go);
        let text = dialogue.close();
        assert!(text.contains("bestmove "), "{go}: {text}");
        let unread = go.contains('x') || go.contains('.');
        assert_eq!(text.contains("is not a limit"), unread, "{go}: {text}");
    }
}

#[test]
fn every_pace_and_evaluation_plays_and_threads_agree_on_a_mate() {
    for setting in [
        "Pace value uniform",
        "Pace value check-only",
        "Pace value information-gain",
        "Pace value appendix",
        "Evaluation value standard",
        "Evaluation value chains",
        "Threads value 2",
    ] {
        let mut dialogue = Dialogue::open();
        dialogue.say(&format!("setoption name {setting}"));
        dialogue
            .say("position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
            .say("go depth 5");
        assert_eq!(
            last_word_of_best(&dialogue.expect("bestmove")),
            "d1d8",
            "{setting}"
        );
    }
}

/// A collection of a few short games in a folder of its own.
fn library(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    std::fs::write(&pgn, text).unwrap();
    let import = Import::new(vec![Input::File(pgn)]);
    let home = folder.path().join("home");
    import.run(&home, &Progress::default()).unwrap();
    folder
}

fn home(folder: &tempfile::TempDir) -> String {
    folder.path().join("home").display().to_string()
}

/// A dialogue with an engine that has this library.
fn with_library(folder: &tempfile::TempDir) -> Dialogue {
    let mut dialogue = Dialogue::open();
    dialogue.say(&format!("setoption name Collection value {}", home(folder)));
    dialogue
}

const MEMORY: &str = "[White \"Karpov, A\"]\n[Black \"Unzicker, W\"]\n[Date \"1974.??.??\"]\n\
    [Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n\
    [White \"Anna\"]\n[Black \"Bert\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 0-1\n";

#[test]
fn a_restricted_player_plays_what_it_remembers_and_says_whose_move_it_is() {
    let folder = library(MEMORY);
    let mut dialogue = with_library(&folder);
    dialogue
        .say("setoption name CandidateMode value restrict")
        .say("position startpos moves e2e4 e7e5")
        .say("go nodes 4000");
    let text = dialogue.expect("bestmove");
    assert!(text.contains("info string a library of 2 games"), "{text}");
    assert!(
        text.contains("info string Nf3: 2 of 2 cases (1-0-1), Karpov–Unzicker 1974, Anna–Bert"),
        "{text}"
    );
    assert_eq!(last_word_of_best(&text), "g1f3");
    dialogue
        .say("setoption name CandidateMode value prior")
        .say("position startpos moves e2e4 e7e5")
        .say("go nodes 4000");
    let text = dialogue.expect("bestmove");
    assert!(
        text.contains("played here in 2 of 2 games (1-0-1), 2 of 2 cases"),
        "{text}"
    );
    dialogue
        .say("setoption name OwnCases value false")
        .say("go nodes 2000");
    let text = dialogue.expect("bestmove");
    assert!(!text.contains("cases"), "{text}");
}

#[test]
fn results_that_nobody_knows_are_not_told_as_draws() {
    let game = |third: &str, result: &str| {
        format!("[Result \"{result}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. {third} {result}\n\n")
    };
    let folder = library(&[game("Bb5", "*"), game("Bc4", "*"), game("d4", "1-0")].concat());
    let mut dialogue = with_library(&folder);
    dialogue
        .say("position startpos moves e2e4 e7e5")
        .say("go nodes 1000 searchmoves g1f3");
    let text = dialogue.expect("bestmove");
    let words = "Nf3: played here in 3 of 3 games (1-0-0), 3 of 3 cases (1-0-0)";
    assert!(text.contains(words), "{text}");
    dialogue.say("go movetime 20 searchmoves a2a3");
    let text = dialogue.expect("bestmove");
    let words = "a3: played here in none of 3 games\n";
    assert!(text.contains(words), "{text}");
}

#[test]
fn a_remembered_blunder_is_not_played() {
    // In the only case White leaves the queen to the knight.
    let folder = library(
        "[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nf6 3. a3 Nxh5 1-0\n\n\
         [Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nf6 3. b3 1-0\n",
    );
    let mut dialogue = with_library(&folder);
    dialogue
        .say("setoption name CandidateMode value restrict")
        .say("position startpos moves e2e4 e7e5 d1h5 g8f6")
        .say("go nodes 15000");
    let text = dialogue.expect("bestmove");
    assert!(
        text.contains("the remembered moves lose something at once"),
        "{text}"
    );
    assert!(last_word_of_best(&text).starts_with("h5"), "{text}");
}

#[test]
fn a_missing_or_damaged_library_is_told_and_the_game_goes_on() {
    let folder = library(MEMORY);
    let segment = folder.path().join("home/segment-000001.tabiya");
    let mut bytes = std::fs::read(&segment).unwrap();
    let last = bytes.len() - 40;
    bytes[last..].fill(7);
    std::fs::write(&segment, bytes).unwrap();
    // Damage is noticed when the damaged block is read.
    for (value, without, words) in [
        (home(&folder), "playing without the library", "is damaged"),
        (
            "no-such-folder".to_owned(),
            "playing without a library",
            "is not a collection",
        ),
    ] {
        let mut dialogue = Dialogue::open();
        dialogue
            .say(&format!("setoption name Collection value {value}"))
            .say("position startpos moves e2e4 e7e5")
            .say("go nodes 1000");
        let text = dialogue.expect("bestmove");
        assert!(text.contains(without), "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_game_is_retained_when_it_ends_and_remembered_in_the_next() {
    let folder = library(MEMORY);
    let mut dialogue = with_library(&folder);
    dialogue.say("setoption name Retain value true");
    // The engine has Black; White wanders about.
    let mut line = vec!["a2a3".to_owned()];
    for white in ["b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3"] {
        dialogue
            .say(&format!("position startpos moves {}", line.join(" ")))
            .say("go depth 2");
        let text = dialogue.expect("bestmove");
        line.push(last_word_of_best(&text).to_owned());
        line.push(white.to_owned());
    }
    dialogue.say("ucinewgame").say("isready");
    let text = dialogue.expect("readyok");
    assert!(text.contains("info string 1 game retained"), "{text}");
    dialogue
        .say("position startpos moves a2a3")
        .say("go depth 2");
    let text = dialogue.expect("bestmove");
    // How it ended is not known, and so not reported.
    let own = "cases, ?–Tabiya";
    assert!(text.contains(own) || text.contains("of 1 games"), "{text}");
    assert!(!text.contains("-0)"), "{text}");
    // One choice is not a game, so nothing is added on quit.
    let text = dialogue.close();
    assert!(!text.contains("retained"), "{text}");
    let collection = Collection::open(&folder.path().join("home")).unwrap();
    assert_eq!(collection.games(), 3);
}

/// A game in which the engine has White and Black wanders about, five moves of
/// each.
fn play_as_white(dialogue: &mut Dialogue) -> Vec<String> {
    let mut line: Vec<String> = Vec::new();
    for black in ["a7a6", "b7b6", "c7c6", "d7d6", "e7e6"] {
        let command = match line.is_empty() {
            true => "position startpos".to_owned(),
            false => format!("position startpos moves {}", line.join(" ")),
        };
        dialogue.say(&command).say("go depth 1");
        let text = dialogue.expect("bestmove");
        line.push(last_word_of_best(&text).to_owned());
        line.push(black.to_owned());
    }
    line
}

#[test]
fn a_game_is_retained_on_quit() {
    let folder = library(MEMORY);
    let mut dialogue = with_library(&folder);
    dialogue.say("setoption name Retain value true");
    play_as_white(&mut dialogue);
    dialogue.say("quit");
    let text = dialogue.close();
    assert!(text.contains("info string 1 game retained"), "{text}");
    let collection = Collection::open(&folder.path().join("home")).unwrap();
    let game = collection.game(GameNumber(3)).unwrap().unwrap();
    assert_eq!((game.tags.white.as_str(), game.moves.len()), ("Tabiya", 9));
}

#[test]
fn a_game_is_retained_without_a_word_that_another_begins() {
    let folder = library(MEMORY);
    let mut dialogue = with_library(&folder);
    dialogue.say("setoption name Retain value true");
    let line = play_as_white(&mut dialogue);
    dialogue.say("position startpos").say("go depth 1");
    let text = dialogue.expect("bestmove");
    assert!(text.contains("info string 1 game retained"), "{text}");
    dialogue.say("quit");
    dialogue.close();
    let collection = Collection::open(&folder.path().join("home")).unwrap();
    assert_eq!(collection.games(), 3);
    let game = collection.game(GameNumber(3)).unwrap().unwrap();
    assert_eq!(game.moves.len(), line.len() - 1);
}

#[test]
fn a_game_is_retained_whatever_the_library_does() {
    let folder = library(MEMORY);
    let mut dialogue = with_library(&folder);
    dialogue
        .say("setoption name OwnCases value false")
        .say("setoption name Retain value true");
    play_as_white(&mut dialogue);
    dialogue.say("quit");
    let text = dialogue.close();
    assert!(text.contains("info string 1 game retained"), "{text}");
    let collection = Collection::open(&folder.path().join("home")).unwrap();
    assert_eq!(collection.games(), 3);
}

#[test]
fn a_game_that_cannot_be_retained_is_told_of() {
    let mut dialogue = Dialogue::open();
    dialogue.say("setoption name Retain value true");
    play_as_white(&mut dialogue);
    dialogue.say("quit");
    let text = dialogue.close();
    assert!(
        text.contains("not retained: no Collection is set"),
        "{text}"
    );
}

#[test]
fn a_game_is_safe_when_somebody_else_writes_to_the_collection() {
    let folder = library(MEMORY);
    let mut dialogue = with_library(&folder);
    dialogue.say("setoption name Retain value true");
    play_as_white(&mut dialogue);
    let writer = Writer::open(&folder.path().join("home")).unwrap();
    dialogue.say("quit");
    let text = dialogue.close();
    drop(writer);
    assert!(text.contains("home-retained.pgn, add it with"), "{text}");
    let aside = std::fs::read_to_string(folder.path().join("home-retained.pgn")).unwrap();
    assert!(aside.contains("[Source \"self\"]"), "{aside}");
}

#[test]
fn a_loss_of_its_own_is_not_repeated_in_any_mode() {
    // Six games of the engine's own, all lost with 2. Qh5.
    let game = |last: &str| {
        format!(
            "[White \"Tabiya\"]\n[Source \"self\"]\n[Result \"0-1\"]\n\n\
             1. e4 e5 2. Qh5 Nc6 3. {last} Nf6 0-1\n\n"
        )
    };
    let games: String = ["a3", "a4", "b3", "c3", "d3", "h3"].map(game).concat();
    let folder = library(&games);
    let mut dialogue = with_library(&folder);
    for mode in ["prior", "restrict", "restrict+tactics"] {
        dialogue
            .say(&format!("setoption name CandidateMode value {mode}"))
            .say("position startpos moves e2e4 e7e5")
            .say("go nodes 20000");
        let text = dialogue.expect("bestmove");
        assert_ne!(last_word_of_best(&text), "d1h5", "{mode}: {text}");
    }
}
