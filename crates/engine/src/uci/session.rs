//! A conversation: commands come in, searches run aside, answers go out.
//!
//! The thread that reads never searches and never waits for a search, so
//! `stop` and `isready` are always heard. One other thread owns the engine and
//! takes its jobs in order.

use std::fmt::Display;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Move, Position};
use tabiya_chess::position::{self, FenError};
use tabiya_chess::{Game, Line};

use super::command::{Command, Go, parse};
use super::format::Format;
use super::option::{Change, Options};
use crate::Player;
use crate::library::{self, Library, Notebook};
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

/// Writes a line at once. Ignores a reader that went away.
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
    /// The game before is over.
    NewGame,
    /// Say `readyok` when everything before is done.
    Ready,
}

struct Session {
    output: Output,
    jobs: Option<Sender<Job>>,
    player: Option<JoinHandle<()>>,
    options: Options,
    line: Line,
    running: Option<Arc<Signal>>,
    /// The running search ends only on `stop`.
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
            line: Line::default(),
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
                self.send(Job::NewGame);
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::NoPosition(words) => self.say(&format!(
                "info string \"position {words}\" is not a position, and the old one stays; \
                 write startpos or fen, then moves and the moves"
            )),
            Command::Go(go) => self.go(&go),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                if let Some(signal) = &self.running {
                    signal.ponder_hit();
                }
            }
            Command::Show => {
                let fen = position::to_fen(self.line.position());
                self.say(&format!("info string {fen}"));
            }
            Command::Unknown(word) => {
                self.say(&format!(
                    "info string unknown command \"{word}\"; this program speaks UCI"
                ));
            }
            Command::Debug | Command::Quit => {}
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
            Ok(Change::Set) => self.send(Job::Configure(Box::new(self.options.clone()))),
            Ok(Change::Clear) => self.send(Job::Clear),
            Err(reason) => self.say(&format!("info string {reason}")),
        }
    }

    /// A position that cannot be is refused; moves are taken as far as they are legal.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let mode = self.options.format().castling;
        let start = match fen.map(|it| read_position(it, mode)).transpose() {
            Ok(start) => start.unwrap_or_default(),
            Err(error) => {
                self.say(&format!("info string {error}"));
                return;
            }
        };
        self.line = Line::new(start);
        for text in moves {
            let Some(mv) = read_move(self.line.position(), text) else {
                self.say(&format!("info string \"{text}\" is not a legal move here; it and what follows are ignored"));
                break;
            };
            // What is read is legal.
            let _ = self.line.push(mv);
        }
    }

    fn go(&mut self, go: &Go) {
        self.stop();
        for limit in &go.unread {
            self.say(&format!(
                "info string \"{limit}\" is not a limit; write a whole number after the word"
            ));
        }
        let here = self.line.position();
        let limits = Limits {
            overhead: self.options.overhead,
            ..limits_of(go, here.turn())
        };
        let only: Vec<Move> = go
            .search_moves
            .iter()
            .filter_map(|it| read_move(here, it))
            .collect();
        let endless = go.infinite;
        let candidates = if only.is_empty() {
            Candidates::All
        } else {
            Candidates::Only(only)
        };
        let task = Task {
            line: self.line.clone(),
            limits,
            candidates,
            lines: self.options.lines,
        };
        let signal = Arc::new(Signal::new(go.ponder));
        self.endless = go.is_endless(here.turn().fold_wb(0, 1));
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
    let mut seat = Seat {
        player: Player::new(Engine::new(Settings::default())),
        notebook: Notebook::default(),
        unwritten: Vec::new(),
        retained_in: None,
        format: Options::default().format(),
        output,
    };
    seat.player.engine.announces = true;
    while let Ok(job) = queue.recv() {
        match job {
            Job::Search {
                task,
                signal,
                endless,
            } => {
                let best = seat.search(&task, &signal, endless);
                searching.store(false, Ordering::SeqCst);
                say(output, &best);
            }
            Job::Configure(options) => {
                seat.retained_in = options.retained_in();
                seat.format = options.format();
                for words in options.apply(&mut seat.player) {
                    seat.inform(&words);
                }
            }
            Job::Clear => seat.player.engine.clear(),
            Job::NewGame => {
                seat.player.engine.clear();
                let ended = seat.notebook.close();
                seat.keep(ended);
            }
            Job::Ready => say(output, "readyok"),
        }
    }
    seat.leave();
}

/// What sits at the board: a player, and the notes of its game.
struct Seat<'a> {
    player: Player,
    notebook: Notebook,
    /// Games that could not be retained yet.
    unwritten: Vec<Game>,
    /// Where games are retained, if they are to be. The library may be another
    /// collection's, switched off, or lost in mid-game.
    retained_in: Option<Option<PathBuf>>,
    format: Format,
    output: &'a Output,
}

impl Seat<'_> {
    fn inform(&self, words: &str) {
        say(self.output, &format!("info string {words}"));
    }

    /// Searches, reports, and returns the last line of the output.
    fn search(&mut self, task: &Task, signal: &Signal, endless: bool) -> String {
        let (output, format) = (self.output, self.format);
        let choice = self.player.choose(
            task,
            signal,
            &mut |report| say(output, &format.info(report)),
            &mut |words| say(output, &format!("info string {words}")),
        );
        signal.wait_for_release(endless);
        let result = &choice.result;
        let library = self.player.library.as_ref();
        if let Some(words) =
            library.and_then(|it| choice.words(task.line.position(), |game| it.tags(game)))
        {
            self.inform(&words);
        }
        if result.best.is_none() {
            say(output, &format!("info depth 0 score {}", result.score));
        }
        // What was only pondered upon or analyzed is not played.
        if !endless && !signal.is_pondering() {
            let ended = self.notebook.set(&task.line);
            self.keep(ended);
            if let Some(mv) = result.best {
                self.notebook.chose(mv, result.score);
            }
        }
        let best = result.best;
        let best = best.map_or_else(|| "0000".to_owned(), |it| format.uci_move(it));
        let ponder = result.ponder;
        let ponder =
            ponder.map_or_else(String::new, |it| format!(" ponder {}", format.uci_move(it)));
        format!("bestmove {best}{ponder}")
    }

    /// Adds a game to the collection; if that fails, tries again with the next.
    fn keep(&mut self, game: Option<Game>) {
        self.write(game, library::retain);
    }

    /// The conversation ends: what is not retained now never is.
    fn leave(&mut self) {
        let ended = self.notebook.close();
        self.write(ended, library::retain_at_last);
    }

    fn write<E: Display>(
        &mut self,
        game: Option<Game>,
        retain: impl FnOnce(Option<&mut Library>, &Path, &[Game]) -> Result<usize, E>,
    ) {
        let Some(retained_in) = &self.retained_in else {
            return;
        };
        self.unwritten.extend(game);
        if self.unwritten.is_empty() {
            return;
        }
        let Some(folder) = retained_in else {
            self.inform("the game is not retained: no Collection is set");
            return;
        };
        let library = self.player.library.as_mut();
        match retain(library, folder, &self.unwritten) {
            Ok(added) => {
                self.unwritten.clear();
                let games = if added == 1 { "game" } else { "games" };
                self.inform(&format!("{added} {games} retained"));
            }
            Err(error) => self.inform(&format!("the game is not retained: {error}")),
        }
    }
}

/// A FEN. In Chess960 castling rights may belong to rooks and kings on other files.
fn read_position(fen: &str, mode: CastlingMode) -> Result<Chess, FenError> {
    let read = || fen.parse::<Fen>().ok()?.into_position(mode).ok();
    match mode {
        CastlingMode::Standard => position::parse(fen),
        CastlingMode::Chess960 => read().map_or_else(|| position::parse(fen), Ok),
    }
}

fn read_move(position: &Chess, text: &str) -> Option<Move> {
    text.parse::<UciMove>().ok()?.to_move(position).ok()
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
        ..Limits::default()
    }
}
