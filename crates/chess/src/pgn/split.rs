//! Cutting a stream of PGN text into the texts of single games.
//!
//! A splitter looks at line beginnings and braces only. It does not know
//! moves, so it cannot be led astray by them, and it recovers at
//! the next `[Event` even if a comment is never closed.

use std::io::{self, BufRead};

/// No game is this long; what follows is cut off and reported with the game.
const LONGEST_GAME: usize = 4 << 20;

/// Stands where a game was cut off. The reader takes it for a comment without
/// end, and reports that.
const CUT: &[u8] = b"\n{ longer than a game can be\n";

/// Yields the texts of the games in a stream, one after another.
#[derive(Debug)]
pub struct Splitter<R> {
    reader: R,
    /// The line that began the next game, read ahead.
    pending: Vec<u8>,
    /// Whether `pending` goes on with a line that was too long to be read at once.
    goes_on: bool,
    /// Whether the last thing that was read did not end its line.
    in_line: bool,
    /// The number of the line in `pending`, counted from one.
    line: u64,
    /// The number of the first line of the last game.
    first: u64,
}

impl<R: BufRead> Splitter<R> {
    /// A splitter over a stream.
    pub fn new(reader: R) -> Splitter<R> {
        Splitter {
            reader,
            pending: Vec::new(),
            goes_on: false,
            in_line: false,
            line: 0,
            first: 0,
        }
    }

    /// Appends the text of the next game to `text` and returns the number of
    /// its first line, or `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// When the stream fails. The whole lines of the game that were read so far
    /// are in `text`; [`Splitter::first_line`] returns the line where they begin.
    pub fn next_into(&mut self, text: &mut Vec<u8>) -> io::Result<Option<u64>> {
        let begin = text.len();
        let mut game = Shape::default();
        let mut is_cut = false;
        loop {
            if self.pending.is_empty() && !self.read_line()? {
                return Ok((text.len() > begin).then_some(self.first));
            }
            let line = self
                .pending
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(&self.pending);
            if text.len() > begin && !self.goes_on && game.ends_before(line) {
                return Ok(Some(self.first));
            }
            if text.len() > begin || !is_blank(line) {
                if text.len() == begin {
                    self.first = self.line;
                }
                game.take(line);
                let is_too_long = text.len() - begin + line.len() > LONGEST_GAME;
                match (is_cut, is_too_long) {
                    (false, false) => text.extend_from_slice(line),
                    (false, true) => {
                        text.extend_from_slice(up_to(line, LONGEST_GAME - (text.len() - begin)));
                        text.extend_from_slice(CUT);
                    }
                    // It is followed to its end, or a comment would be taken for games.
                    (true, _) => {}
                }
                is_cut |= is_too_long;
            }
            self.pending.clear();
        }
    }

    /// Where the last game begins, be it whole or cut short by a failure.
    pub fn first_line(&self) -> u64 {
        self.first
    }

    fn read_line(&mut self) -> io::Result<bool> {
        let mut limited = io::Read::take(&mut self.reader, LONGEST_GAME as u64);
        limited.read_until(b'\n', &mut self.pending)?;
        self.goes_on = self.in_line;
        self.line += u64::from(!self.goes_on);
        self.in_line = !self.pending.ends_with(b"\n");
        Ok(!self.pending.is_empty())
    }
}

/// The whole words of a line within a number of bytes.
fn up_to(line: &[u8], room: usize) -> &[u8] {
    let line = &line[..room.min(line.len())];
    let end = line.iter().rposition(u8::is_ascii_whitespace);
    &line[..end.unwrap_or(0)]
}

/// What has been seen of a game, as far as its end depends on it.
#[derive(Debug, Default)]
struct Shape {
    has_event: bool,
    has_moves: bool,
    in_comment: bool,
    /// The last line of moves ended in a result.
    is_over: bool,
}

impl Shape {
    /// Whether a line belongs to the next game.
    fn ends_before(&self, line: &[u8]) -> bool {
        let is_event = line.starts_with(b"[Event ");
        if self.in_comment {
            return is_event;
        }
        let is_tag = line.starts_with(b"[");
        (is_tag && self.has_moves)
            || (is_event && self.has_event)
            || (self.is_over && begins_moves(line))
    }

    fn take(&mut self, line: &[u8]) {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() || (!self.in_comment && line.starts_with(b"%")) {
            return;
        }
        if !self.in_comment && line.starts_with(b"[") {
            self.has_event |= line.starts_with(b"[Event ");
            if trimmed.ends_with(b"]") {
                return;
            }
        }
        self.has_moves = true;
        let rest_of_line = self.follow_comments(trimmed).unwrap_or_default();
        let moves = trimmed[..trimmed.len() - rest_of_line.len()].trim_ascii_end();
        if !moves.is_empty() {
            self.is_over = !self.in_comment && ends_in_result(moves);
        }
    }

    /// Follows comments through a line; returns one that goes to its end.
    fn follow_comments<'a>(&mut self, mut rest: &'a [u8]) -> Option<&'a [u8]> {
        loop {
            let next = if self.in_comment {
                memchr::memchr(b'}', rest)
            } else {
                memchr::memchr2(b'{', b';', rest)
            };
            let at = next?;
            // Within a comment, only braces are looked for.
            if rest[at] == b';' {
                return Some(&rest[at..]);
            }
            self.in_comment = !self.in_comment;
            rest = &rest[at + 1..];
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Whether the line opens a game without tags: `1.e4`, `1 e4` or `1... c5`.
fn begins_moves(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [b'1', b'.' | b' ', ..])
}

fn ends_in_result(line: &[u8]) -> bool {
    [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"]
        .iter()
        .any(|it| line.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(u64, String)> {
        let mut splitter = Splitter::new(text.as_bytes());
        let mut games = Vec::new();
        loop {
            let mut game = Vec::new();
            match splitter.next_into(&mut game).unwrap() {
                Some(line) => games.push((line, String::from_utf8(game).unwrap())),
                None => return games,
            }
        }
    }

    #[track_caller]
    fn check(text: &str, lines: &[u64]) {
        let games = split(text);
        assert_eq!(games.iter().map(|it| it.0).collect::<Vec<_>>(), lines);
        // Nothing but blank lines and marks may be lost between games.
        let joined: String = games.iter().map(|it| it.1.as_str()).collect();
        let strip = |it: &str| it.replace([' ', '\n', '\r', '\u{feff}'], "");
        assert_eq!(strip(&joined), strip(text));
    }

    #[test]
    fn a_game_that_is_too_long_stays_one_and_is_told() {
        let long_lines = "x\n".repeat(LONGEST_GAME / 2);
        let long_line = "x".repeat(9 << 20);
        let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(1 << 18);
        for inner in [
            // What looks like games in a comment are none.
            format!("1. e4 {{ {long_lines}1. d4 d5 *\n\n1. c4 c5 *\n}} e5 *"),
            format!("1. e4 {{ {long_line} }} e5 *"),
            format!("1. e4 e5\n{moves}\n*"),
        ] {
            let text = format!("[Event \"a\"]\n\n{inner}\n\n[Event \"b\"]\n\n1. d4 *\n");
            let games = split(&text);
            let line = text.lines().position(|it| it == "[Event \"b\"]").unwrap() + 1;
            let lines: Vec<u64> = games.iter().map(|it| it.0).collect();
            assert_eq!(lines, [1, line as u64]);
            assert!(games[0].1.len() <= LONGEST_GAME + CUT.len());
            let reading = crate::pgn::read(games[0].1.as_bytes());
            assert!(reading.fault.is_some());
            assert_eq!(reading.game.unwrap().tags.event, "a");
        }
    }

    #[test]
    fn a_long_line_is_kept_up_to_the_limit() {
        let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(LONGEST_GAME / 20);
        let games = split(&format!(
            "[Event \"a\"]\n\n{moves}*\n\n[Event \"b\"]\n\n1. e4 *\n"
        ));
        assert_eq!(games.len(), 2);
        let kept = games[0]
            .1
            .strip_suffix(str::from_utf8(CUT).unwrap())
            .unwrap();
        assert!(kept.len() > LONGEST_GAME - 10 && kept.len() <= LONGEST_GAME);
        assert!(moves.contains(kept.rsplit(' ').next().unwrap()));
    }

    #[test]
    fn games_are_cut_where_they_begin() {
        check("", &[]);
        check("\n\n", &[]);
        check("1. e4 e5 *", &[1]);
        check(
            "[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 *\n",
            &[1, 5],
        );
        check(
            "\u{feff}[Event \"a\"]\r\n\r\n1. e4 *\r\n\r\n[Event \"b\"]\r\n\r\n1. d4 *\r\n",
            &[1, 5],
        );
        check(
            "[White \"a\"]\n1. e4\ne5 *\n[White \"b\"]\n1. d4 *",
            &[1, 4],
        );
    }

    #[test]
    fn games_without_moves_or_tags_are_cut_too() {
        check("[Event \"a\"]\n\n[Event \"b\"]\n\n1. d4 *\n", &[1, 3]);
        check("1. e4 e5 1-0\n\n1. d4 d5 0-1\n1.c4 *", &[1, 3, 4]);
        check(
            "[Result \"1-0\"] 1. e4 1-0\n[Result \"1-0\"] 1. d4 1-0\n",
            &[1, 2],
        );
    }

    #[test]
    fn comments_hide_what_looks_like_a_beginning() {
        check("1. e4 { a line\n\n[White \"x\"] 1-0\n1. d4 } e5 *\n", &[1]);
        check("1. e4 ; { not open\ne5 *\n\n[Event \"b\"]\n\n*\n", &[1, 4]);
        check(
            "1. e4 {no\n% [Event \n}\n% escaped { line\n*\n[Event \"b\"]\n*",
            &[1, 6],
        );
        check(
            "1. e4 { never closed\n\n[Event \"b\"]\n\n1. d4 *\n",
            &[1, 3],
        );
    }

    #[test]
    fn a_result_in_a_comment_does_not_end_a_game() {
        check("; about } 1-0\n1. e4 ; 1-0\n1... e5 *\n", &[1]);
        check("1. e4 1-0 ; well\n1. d4 *\n", &[1, 2]);
    }

    #[test]
    fn a_blank_line_among_the_moves_does_not_end_a_game() {
        check(
            "[Event \"a\"]\n\n1. e4 e5\n\n2. Nf3 *\n\n[Event \"b\"]\n*\n",
            &[1, 7],
        );
    }
}
