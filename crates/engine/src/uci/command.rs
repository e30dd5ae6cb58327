//! What a program says to the engine, one line at a time.

use std::time::Duration;

/// A line of the protocol, understood as far as it needs no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    /// Start (none for the usual one) and moves.
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    /// A position that is neither; what follows `position`.
    NoPosition(String),
    Go(Go),
    Stop,
    PonderHit,
    Quit,
    /// On or off: there is nothing more to say than is said anyway.
    Debug,
    /// Not part of the protocol: the board as a FEN.
    Show,
    Unknown(String),
}

/// The limits of a `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub(super) depth: Option<i32>,
    pub(super) nodes: Option<u64>,
    pub(super) mate: Option<u32>,
    pub(super) move_time: Option<Duration>,
    pub(super) clock: [Option<Duration>; 2],
    pub(super) increment: [Duration; 2],
    pub(super) moves_to_go: Option<u32>,
    pub(super) infinite: bool,
    pub(super) ponder: bool,
    pub(super) search_moves: Vec<String>,
    /// Limits whose number cannot be read, as they were written.
    pub(super) unread: Vec<String>,
}

impl Go {
    /// Whether nothing but a word from outside, or a mate that there may not
    /// be, ends the search of a side.
    pub(super) fn is_endless(&self, side: usize) -> bool {
        let is_limited = self.depth.is_some()
            || self.nodes.is_some()
            || self.move_time.is_some()
            || self.clock[side].is_some();
        self.infinite || self.ponder || !is_limited
    }
}

/// Understands a line; none if it is empty. Unknown words before a command are skipped, as UCI asks.
pub(super) fn parse(line: &str) -> Option<Command> {
    let mut words = line.split_whitespace();
    let first = words.clone().next()?;
    let command = std::iter::from_fn(|| words.next().map(|it| (it, words.clone())))
        .find_map(|(word, rest)| command(word, rest));
    Some(command.unwrap_or_else(|| Command::Unknown(first.to_owned())))
}

/// The command that a word begins; `None` if there is none.
fn command<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<Command> {
    Some(match word {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "setoption" => set_option(words),
        "position" => position(words),
        "go" => Command::Go(go(words)),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "debug" => Command::Debug,
        "d" => Command::Show,
        _ => return None,
    })
}

/// `name` and `value` may both hold spaces.
fn set_option<'a>(words: impl Iterator<Item = &'a str>) -> Command {
    let mut words = words.skip_while(|&it| it != "name").skip(1);
    let name: Vec<&str> = words.by_ref().take_while(|&it| it != "value").collect();
    let value: Vec<&str> = words.collect();
    Command::SetOption {
        name: name.join(" "),
        value: value.join(" "),
    }
}

fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Command {
    let start: Vec<&str> = words.by_ref().take_while(|&it| it != "moves").collect();
    let fen = match start[..] {
        ["startpos"] => None,
        ["fen", ..] => Some(start[1..].join(" ")),
        _ => return Command::NoPosition(start.join(" ")),
    };
    Command::Position {
        fen,
        moves: words.map(str::to_owned).collect(),
    }
}

fn go<'a>(words: impl Iterator<Item = &'a str>) -> Go {
    let mut go = Go::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|it| !is_limit(it)) {
                    go.search_moves.push(mv.to_owned());
                }
            }
            _ if is_limit(word) => {
                let number = words.next_if(|it| !is_limit(it)).unwrap_or_default();
                match number.parse::<i64>() {
                    Ok(number) => set_limit(&mut go, word, number),
                    Err(_) => go.unread.push(format!("{word} {number}").trim().to_owned()),
                }
            }
            _ => {}
        }
    }
    go
}

fn is_limit(word: &str) -> bool {
    matches!(
        word,
        "depth"
            | "nodes"
            | "mate"
            | "movetime"
            | "wtime"
            | "btime"
            | "winc"
            | "binc"
            | "movestogo"
            | "infinite"
            | "ponder"
            | "searchmoves"
    )
}

fn set_limit(go: &mut Go, word: &str, number: i64) {
    // Some programs send negative clocks: they mean that no time is left.
    let time = Duration::from_millis(number.max(0) as u64);
    let count = u32::try_from(number.max(0)).unwrap_or(u32::MAX);
    match word {
        "depth" => go.depth = Some(number.clamp(1, i64::from(i16::MAX)) as i32),
        "nodes" => go.nodes = Some(number.max(1) as u64),
        "mate" => go.mate = Some(count),
        "movetime" => go.move_time = Some(time),
        "wtime" => go.clock[0] = Some(time),
        "btime" => go.clock[1] = Some(time),
        "winc" => go.increment[0] = time,
        "binc" => go.increment[1] = time,
        "movestogo" => go.moves_to_go = Some(count),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood() {
        assert_eq!(parse("  uci  "), Some(Command::Uci));
        assert_eq!(parse(""), None);
        assert_eq!(parse("xyzzy"), Some(Command::Unknown("xyzzy".into())));
        assert_eq!(parse("xyzzy plugh"), Some(Command::Unknown("xyzzy".into())));
        assert_eq!(parse("xyzzy isready"), Some(Command::IsReady));
        assert_eq!(parse("joho debug on"), Some(Command::Debug));
        for words in ["", "nonsense", "startpos e2e4"] {
            let line = format!("position {words} moves e2e4");
            assert_eq!(parse(&line), Some(Command::NoPosition(words.into())));
        }
        assert_eq!(
            parse("setoption name Clear Hash"),
            Some(Command::SetOption {
                name: "Clear Hash".into(),
                value: String::new()
            })
        );
        assert_eq!(
            parse("setoption name SyzygyPath value /a b/name value"),
            Some(Command::SetOption {
                name: "SyzygyPath".into(),
                value: "/a b/name value".into()
            })
        );
        assert_eq!(
            parse("position startpos moves e2e4 e7e5"),
            Some(Command::Position {
                fen: None,
                moves: vec!["e2e4".into(), "e7e5".into()]
            })
        );
        assert_eq!(
            parse("position fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1"),
            Some(Command::Position {
                fen: Some("8/8/4k3/8/8/4K3/8/8 w - - 0 1".into()),
                moves: Vec::new()
            })
        );
    }

    #[test]
    fn limits_come_in_any_order() {
        let Some(Command::Go(go)) = parse(
            "go searchmoves e2e4 d2d4 wtime 1000 btime -5 winc 10 movestogo 3 nodes x depth 7",
        ) else {
            panic!("not a go")
        };
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(
            go.clock,
            [Some(Duration::from_secs(1)), Some(Duration::ZERO)]
        );
        assert_eq!(go.increment[0], Duration::from_millis(10));
        assert_eq!(
            (go.moves_to_go, go.depth, go.nodes),
            (Some(3), Some(7), None)
        );
        assert_eq!(go.unread, ["nodes x"]);
        let Some(Command::Go(go)) =
            parse("go ponder infinite mate 3 movetime 99999999999999999999")
        else {
            panic!("not a go")
        };
        assert!(go.ponder && go.infinite && go.mate == Some(3) && go.move_time.is_none());
        assert_eq!(go.unread, ["movetime 99999999999999999999"]);
    }

    #[test]
    fn a_search_without_a_limit_of_its_own_is_endless() {
        let endless = |line: &str| match parse(line) {
            Some(Command::Go(go)) => go.is_endless(0),
            _ => panic!("not a go"),
        };
        for line in [
            "go",
            "go infinite",
            "go infinite depth 3",
            "go ponder wtime 100",
            "go mate 2",
            "go depth x",
            "go depth",
            "go movetime 1.5",
            "go btime 100",
        ] {
            assert!(endless(line), "{line}");
        }
        for line in ["go depth 3", "go nodes 1", "go movetime 5", "go wtime 100"] {
            assert!(!endless(line), "{line}");
        }
    }
}
