//! A conversation: commands come in, searches run aside, answers go out.
//!
//! The thread that reads never searches and never waits for a search, so
//! `stop` and `isready` are always heard. One other thread owns the engine and
//! takes its jobs in order.

use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Move, Position};
use tabiya_chess::position;

use super::command::{Command, Go, parse};
use super::format::{info, uci_move};
use super::option::{Change, Options};
use crate::search::{Allowance, Candidates, Depth, Engine, Limits, Settings, Signal, Task};

/// Speaks UCI until `quit` or the end of the input.
///
/// At the end of the input a search with limits is let finish; an endless one is stopped.
pub fn converse<R: BufRead, W: Write + Send + 'static>(input: R, output: W) {
    let mut session = Session::new(output);
    for line in input.split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line);
        let Some(command) = parse(&line) else {
            continue;
        };
        if command == Command::Quit {
            session.stop();
            break;
        }
        session.obey(command);
    }
    session.finish();
}

/// Where answers go; shared by both threads.
type Output = Arc<Mutex<dyn Write + Send>>;

/// Writes a line at once. A reader that went away is no reason to fail.
fn say(output: &Output, line: &str) {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// What the thread with the engine is asked to do.
enum Job {
    Search {
        task: Box<Task>,
        signal: Arc<Signal>,
        endless: bool,
    },
    Configure(Box<Options>),
    Clear,
    /// Say `readyok` when everything before is done.
    Ready,
}

struct Session {
    output: Output,
    jobs: Option<Sender<Job>>,
    player: Option<JoinHandle<()>>,
    options: Options,
    start: Chess,
    moves: Vec<Move>,
    running: Option<Arc<Signal>>,
    /// The running search ends only when told.
    endless: bool,
    searching: Arc<AtomicBool>,
}

impl Session {
    fn new<W: Write + Send + 'static>(output: W) -> Session {
        let output: Output = Arc::new(Mutex::new(output));
        let searching = Arc::new(AtomicBool::new(false));
        let (jobs, queue) = channel();
        let player = {
            let (output, searching) = (Arc::clone(&output), Arc::clone(&searching));
            std::thread::spawn(move || play(&queue, &output, &searching))
        };
        Session {
            output,
            jobs: Some(jobs),
            player: Some(player),
            options: Options::default(),
            start: Chess::default(),
            moves: Vec::new(),
            running: None,
            endless: false,
            searching,
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady if self.searching.load(Ordering::SeqCst) => self.say("readyok"),
            Command::IsReady => self.send(Job::Ready),
            Command::NewGame => {
                self.stop();
                self.send(Job::Clear);
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                if let Some(signal) = &self.running {
                    signal.ponder_hit();
                }
            }
            Command::Show => self.say(&format!(
                "info string {}",
                position::to_fen(&self.position())
            )),
            Command::Unknown(word) => {
                self.say(&format!(
                    "info string unknown command \"{word}\"; this program speaks UCI"
                ));
            }
            Command::Quit => {}
        }
    }

    fn introduce(&self) {
        self.say(&format!("id name Tabiya {}", env!("CARGO_PKG_VERSION")));
        self.say(&format!("id author {}", env!("CARGO_PKG_AUTHORS")));
        for line in Options::default().describe() {
            self.say(&line);
        }
        self.say("uciok");
    }

    fn set_option(&mut self, name: &str, value: &str) {
        match self.options.set(name, value) {
            Change::Set => self.send(Job::Configure(Box::new(self.options.clone()))),
            Change::Clear => self.send(Job::Clear),
            Change::Refused(reason) => self.say(&format!("info string {reason}")),
        }
    }

    /// A position that cannot be is refused; moves are taken as far as they are legal.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let start = match fen.map(position::parse).transpose() {
            Ok(start) => start.unwrap_or_default(),
            Err(error) => {
                self.say(&format!("info string {error}"));
                return;
            }
        };
        self.start = start;
        self.moves.clear();
        let mut here = self.start.clone();
        for text in moves {
            let Some(mv) = read_move(&here, text) else {
                self.say(&format!("info string \"{text}\" is not a legal move here; it and what follows are ignored"));
                break;
            };
            here.play_unchecked(mv);
            self.moves.push(mv);
        }
    }

    fn position(&self) -> Chess {
        let mut here = self.start.clone();
        for &mv in &self.moves {
            here.play_unchecked(mv);
        }
        here
    }

    fn go(&mut self, go: &Go) {
        self.stop();
        let here = self.position();
        let limits = limits_of(go, here.turn());
        let only: Vec<Move> = go
            .search_moves
            .iter()
            .filter_map(|it| read_move(&here, it))
            .collect();
        let endless = go.infinite;
        let candidates = if only.is_empty() {
            Candidates::All
        } else {
            Candidates::Only(only)
        };
        let task = Task {
            start: self.start.clone(),
            moves: self.moves.clone(),
            limits,
            candidates,
            lines: self.options.lines,
        };
        let signal = Arc::new(Signal::new(go.ponder));
        self.endless = endless || go.ponder;
        self.running = Some(Arc::clone(&signal));
        self.searching.store(true, Ordering::SeqCst);
        self.send(Job::Search {
            task: Box::new(task),
            signal,
            endless,
        });
    }

    fn stop(&mut self) {
        if let Some(signal) = self.running.take() {
            signal.stop();
        }
    }

    fn say(&self, line: &str) {
        say(&self.output, line);
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The other thread ends only when this sender is dropped.
            let _ = jobs.send(job);
        }
    }

    fn finish(mut self) {
        if self.endless {
            self.stop();
        }
        self.jobs = None;
        if let Some(player) = self.player.take() {
            let _ = player.join();
        }
    }
}

/// The thread with the engine.
fn play(queue: &Receiver<Job>, output: &Output, searching: &AtomicBool) {
    let mut engine = Engine::new(Settings::default());
    while let Ok(job) = queue.recv() {
        match job {
            Job::Search {
                task,
                signal,
                endless,
            } => {
                let answer =
                    engine.search(&task, &signal, &mut |report| say(output, &info(report)));
                signal.wait_for_release(endless);
                let best = answer.best.map_or_else(|| "0000".to_owned(), uci_move);
                let ponder = answer
                    .ponder
                    .map_or_else(String::new, |it| format!(" ponder {}", uci_move(it)));
                if answer.best.is_none() {
                    say(output, &format!("info depth 0 score {}", answer.score));
                }
                searching.store(false, Ordering::SeqCst);
                say(output, &format!("bestmove {best}{ponder}"));
            }
            Job::Configure(options) => match options.apply(&mut engine) {
                Ok(0) => {}
                Ok(count) => say(output, &format!("info string {count} tablebases")),
                Err(reason) => say(output, &format!("info string {reason}")),
            },
            Job::Clear => engine.clear(),
            Job::Ready => say(output, "readyok"),
        }
    }
}

fn read_move(position: &Chess, text: &str) -> Option<Move> {
    let mv = text.parse::<UciMove>().ok()?.to_move(position).ok()?;
    position.is_legal(mv).then_some(mv)
}

fn limits_of(go: &Go, turn: Color) -> Limits {
    let side = turn.fold_wb(0, 1);
    let clock = go.clock[side].map(|remaining| Allowance::Clock {
        remaining,
        increment: go.increment[side],
        moves_to_go: go.moves_to_go,
    });
    let time = if go.infinite {
        None
    } else {
        go.move_time.map(Allowance::Move).or(clock)
    };
    let depth = go
        .depth
        .map(|it| Depth::plies(it.min(Depth::GREATEST.whole())));
    Limits {
        depth,
        nodes: go.nodes,
        mate: go.mate,
        time,
    }
}

/// Castling is written as the king's two steps unless the game is Chess960.
pub(super) const MODE: CastlingMode = CastlingMode::Standard;
