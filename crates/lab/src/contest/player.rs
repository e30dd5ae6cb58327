//! A UCI program as a child process, trusted with nothing.
//!
//! Everything it says comes through a channel with a deadline, so a program
//! that hangs or dies costs it the game and not us the contest.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::Entrant;

/// Why a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum Failure {
    /// It could not be started.
    Start(String),
    /// It does not have an option that was to be set.
    Option {
        /// The entrant.
        name: String,
        /// What was to be set.
        option: String,
        /// What the program has.
        known: Vec<String>,
    },
    /// It ended, or closed its output.
    Gone,
    /// It did not answer in time.
    Silent,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Start(reason) => write!(f, "cannot start: {reason}"),
            Failure::Option {
                name,
                option,
                known,
            } if known.is_empty() => {
                write!(f, "{name} has no option \"{option}\", nor any other")
            }
            Failure::Option {
                name,
                option,
                known,
            } => write!(
                f,
                "{name} has no option \"{option}\"; there are {}",
                known.join(", ")
            ),
            Failure::Gone => f.write_str("the program ended"),
            Failure::Silent => f.write_str("no answer in time"),
        }
    }
}

/// What a program chose.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// In UCI notation.
    pub(crate) mv: String,
    /// Its last score in centipawns, mates as ±30000.
    pub(crate) score: Option<i32>,
    /// Time from `go` to `bestmove`.
    pub(crate) elapsed: Duration,
}

/// How long a program may take to start and to get ready.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a program may take to end: it may have a game to keep.
const FAREWELL: Duration = Duration::from_secs(5);
/// The same for one that no longer answers.
const SHORT_FAREWELL: Duration = Duration::from_millis(500);

/// A running program.
pub(crate) struct Player {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// It did not answer in time.
    is_silent: Cell<bool>,
}

impl Player {
    /// Starts a program and sets its options; calls `remark` with what it reports
    /// until it is ready.
    pub(crate) fn start(
        entrant: &Entrant,
        mut remark: impl FnMut(&str),
    ) -> Result<Player, Failure> {
        let mut words = entrant.command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Failure::Start(format!("{program}: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Gone);
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { break };
                if sender
                    .send(String::from_utf8_lossy(&line).trim_end().to_owned())
                    .is_err()
                {
                    break;
                }
            }
        });
        let mut player = Player {
            child,
            input,
            lines,
            is_silent: Cell::new(false),
        };
        let mut known = Vec::new();
        player.send("uci")?;
        player.wait_for("uciok", |line| {
            known.extend(option_name(line).map(str::to_owned));
            read_remark(line).into_iter().for_each(&mut remark);
        })?;
        for (name, value) in &entrant.options {
            // The protocol ignores case here.
            if !known.iter().any(|it| it.eq_ignore_ascii_case(name)) {
                return Err(Failure::Option {
                    name: entrant.name.clone(),
                    option: name.clone(),
                    known,
                });
            }
            player.send(&format!("setoption name {name} value {value}"))?;
        }
        player.send("isready")?;
        player.wait_for("readyok", |line| {
            read_remark(line).into_iter().for_each(&mut remark)
        })?;
        Ok(player)
    }

    pub(crate) fn new_game(&mut self) -> Result<(), Failure> {
        self.send("ucinewgame")?;
        self.get_ready()
    }

    pub(crate) fn get_ready(&mut self) -> Result<(), Failure> {
        self.send("isready")?;
        self.wait_for("readyok", |_| ())
    }

    /// Asks for a move; the answer must come within `patience`.
    pub(crate) fn choose(
        &mut self,
        position: &str,
        go: &str,
        patience: Duration,
    ) -> Result<Choice, Failure> {
        self.get_ready()?;
        self.send(position)?;
        let started = Instant::now();
        self.send(go)?;
        let mut score = None;
        loop {
            let line = self.receive(started + patience)?;
            if let Some(rest) = line.strip_prefix("bestmove ") {
                let mv = rest
                    .split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                return Ok(Choice {
                    mv,
                    score,
                    elapsed: started.elapsed(),
                });
            }
            score = read_score(&line).or(score);
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.input, "{line}")
            .and_then(|()| self.input.flush())
            .map_err(|_| Failure::Gone)
    }

    /// Waits for a word; calls `take` with the lines before it.
    fn wait_for(&self, word: &str, mut take: impl FnMut(&str)) -> Result<(), Failure> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = self.receive(deadline)?;
            if line == word {
                return Ok(());
            }
            take(&line);
        }
    }

    fn receive(&self, deadline: Instant) -> Result<String, Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                self.is_silent.set(true);
                Failure::Silent
            }
            RecvTimeoutError::Disconnected => Failure::Gone,
        })
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let farewell = if self.is_silent.get() {
            SHORT_FAREWELL
        } else {
            FAREWELL
        };
        let deadline = Instant::now() + farewell;
        while Instant::now() < deadline {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The name in a line that announces an option; it may have spaces.
fn option_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("option name ")?;
    Some(rest.split_once(" type").map_or(rest, |it| it.0).trim())
}

/// A remark of a program for the user.
fn read_remark(line: &str) -> Option<&str> {
    line.strip_prefix("info string ")
}

fn read_score(line: &str) -> Option<i32> {
    let mut words = line
        .strip_prefix("info ")?
        .split_whitespace()
        .skip_while(|&it| it != "score")
        .skip(1);
    let kind = words.next()?;
    let number: i32 = words.next()?.parse().ok()?;
    match kind {
        "cp" => Some(number),
        "mate" => Some(if number > 0 { 30_000 } else { -30_000 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read() {
        assert_eq!(read_score("info depth 3 score cp -31 nodes 5"), Some(-31));
        assert_eq!(
            read_score("info depth 3 score mate -2 nodes 5"),
            Some(-30_000)
        );
        assert_eq!(read_score("info string score"), None);
        assert_eq!(read_score("bestmove e2e4"), None);
    }

    #[test]
    fn names_of_options_may_have_spaces() {
        assert_eq!(
            option_name("option name Clear Hash type button"),
            Some("Clear Hash")
        );
        assert_eq!(option_name("option name Hash"), Some("Hash"));
        assert_eq!(option_name("id name Hash type"), None);
    }

    #[test]
    fn a_program_that_is_not_there_says_so() {
        let entrant = Entrant {
            name: "x".into(),
            command: "/no/such/program".into(),
            options: Vec::new(),
            go: super::super::Budget::Nodes(1),
        };
        assert!(matches!(
            Player::start(&entrant, |_| ()),
            Err(Failure::Start(_))
        ));
    }
}
