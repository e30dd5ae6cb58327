//! Setting right a main line that the strict notation does not cover.
//!
//! The reader skips words that it does not understand, which would turn
//! a game into another one silently. So the words of the main line are
//! counted; only when the count disagrees is the line rewritten here, with
//! careless spellings (`e8Q`, `e8(Q)`, `e4e.p.`, `0-0`, `ed5:`) put into
//! proper ones, up to the first word that is not a move at all.

use shakmaty::san::SanPlus;

/// The pieces of movetext that matter for the main line.
struct Words<'a> {
    rest: &'a [u8],
    depth: usize,
}

/// Iterates over the words of the main line: moves, and whatever stands where
/// a move should be. Comments, variations, glyphs, numbers and results are
/// left out.
fn words(movetext: &[u8]) -> Words<'_> {
    Words {
        rest: movetext,
        depth: 0,
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while let Some((&first, tail)) = self.rest.split_first() {
            match first {
                b'{' => self.skip_past(b'}'),
                b';' => self.skip_past(b'\n'),
                b'%' if self.depth == 0 => self.skip_past(b'\n'),
                // `e8(Q)` is glued to its move, so this opens a variation.
                b'(' => (self.depth, self.rest) = (self.depth + 1, tail),
                b')' => (self.depth, self.rest) = (self.depth.saturating_sub(1), tail),
                _ if is_space(first) || matches!(first, b'!' | b'?' | b'.' | b'}') => {
                    self.rest = tail
                }
                _ => {
                    let word = self.take_word();
                    if self.depth == 0 && !is_number(word) && !is_result(word) && first != b'$' {
                        return Some(word);
                    }
                }
            }
        }
        None
    }
}

impl<'a> Words<'a> {
    fn skip_past(&mut self, end: u8) {
        let at = memchr::memchr(end, self.rest).map_or(self.rest.len(), |it| it + 1);
        self.rest = &self.rest[at..];
    }

    /// Takes the word at the front. A number with its dots is a word of its
    /// own, so that `1.e4` is two.
    fn take_word(&mut self) -> &'a [u8] {
        let rest = self.rest;
        let digits = rest.iter().take_while(|it| it.is_ascii_digit()).count();
        let dots = rest[digits..].iter().take_while(|&&it| it == b'.').count();
        let end = if digits > 0 && dots > 0 {
            digits + dots
        } else {
            word_end(rest)
        };
        self.rest = &rest[end..];
        &rest[..end]
    }
}

/// The end of the word at the front. The brackets of `e8(Q)` belong to it.
fn word_end(rest: &[u8]) -> usize {
    let is_end = |byte: u8| {
        is_space(byte) || matches!(byte, b'{' | b'}' | b'(' | b')' | b';' | b'!' | b'?' | b'$')
    };
    let end = rest
        .iter()
        .position(|&it| is_end(it))
        .unwrap_or(rest.len())
        .max(1);
    match rest[end..] {
        [b'(', role, b')', ..] if end > 1 && b"QRBNqrbn".contains(&role) => end + 3,
        _ => end,
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn is_number(word: &[u8]) -> bool {
    word.iter().all(|it| it.is_ascii_digit() || *it == b'.')
}

fn is_result(word: &[u8]) -> bool {
    matches!(
        word,
        b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2" | b"*" | b"+/-" | b"-/+" | b"1:0" | b"0:1"
    ) || word == "½-½".as_bytes()
}

/// How many words the main line has, and whether the text ends in it, not in a
/// variation.
pub(super) fn count_words(movetext: &[u8]) -> (usize, bool) {
    let mut words = words(movetext);
    let count = words.by_ref().count();
    (count, words.depth == 0)
}

/// The main line in proper notation, and the first word that is not a move.
pub(super) fn tidy(movetext: &[u8]) -> (Vec<u8>, Option<String>) {
    let mut line = Vec::with_capacity(movetext.len());
    for word in words(movetext) {
        if is_passing_word(word) {
            continue;
        }
        match proper(word) {
            Some(san) => line.extend_from_slice(format!("{san} ").as_bytes()),
            None => return (line, Some(String::from_utf8_lossy(word).into_owned())),
        }
    }
    (line, None)
}

/// Words that may follow a move and say nothing about it.
fn is_passing_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"e.p."
            | b"ep"
            | b"ep."
            | b"+"
            | b"#"
            | b"++"
            | b"ch"
            | b"ch."
            | b"mate"
            | b"N"
            | b"="
            | b"D"
    )
}

fn proper(word: &[u8]) -> Option<SanPlus> {
    let text = str::from_utf8(word).ok()?;
    let text = text
        .trim_end_matches("e.p.")
        .trim_end_matches("ep")
        .trim_end_matches('.');
    let text = text.replace("++", "#").replace([':', '-'], "");
    let castle = text
        .trim_end_matches(['+', '#'])
        .to_ascii_uppercase()
        .replace('0', "O");
    if matches!(castle.as_str(), "OO" | "OOO") {
        return if castle.len() == 2 { "O-O" } else { "O-O-O" }.parse().ok();
    }
    if matches!(word, b"--" | b"Z0" | b"null" | b"pass" | b"@@@@") {
        return "--".parse().ok();
    }
    text.parse()
        .ok()
        .or_else(|| with_equals_sign(&text)?.parse().ok())
}

/// `e8Q+` and `e8(Q)` as `e8=Q+`.
fn with_equals_sign(text: &str) -> Option<String> {
    let bare = text.replace(['(', ')', '/'], "");
    let body = bare.trim_end_matches(['+', '#']);
    let suffix = &bare[body.len()..];
    let (square, role) = body.split_at_checked(body.len().checked_sub(1)?)?;
    Some(format!("{square}={}{suffix}", role.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(movetext: &str, line: &str, unread: Option<&str>) {
        let (tidied, bad) = tidy(movetext.as_bytes());
        assert_eq!(String::from_utf8(tidied).unwrap().trim_end(), line);
        assert_eq!(bad.as_deref(), unread);
    }

    #[test]
    fn careless_spellings_are_set_right() {
        check("1.e4 e5 2. 0-0 0-0-0+ o-o 1-0", "e4 e5 O-O O-O-O O-O", None);
        check(
            "55.e8Q exd8(N)+ e1=Q bxa1/R#",
            "e8=Q exd8=N e1=Q bxa1=R#",
            None,
        );
        check(
            "1.exd6e.p. exd6 e.p. 2.Nf3++ Z0 -- *",
            "exd6 exd6 Nf3# -- --",
            None,
        );
        check("1.e2-e4 N:d5 e7e5", "e2e4 Nd5 e7e5", None);
    }

    #[test]
    fn what_is_no_move_is_left_out() {
        check(
            "1.e4! $14 {e5 ( } (1.d4 d5 (1...f5 2.c4) 2.c4) 1... e5?! ; Nf3\n2.Nc3",
            "e4 e5 Nc3",
            None,
        );
        check("e4 )) e5 } d4", "e4 e5 d4", None);
    }

    #[test]
    fn the_first_word_that_cannot_be_read_ends_the_line() {
        check("1.e4 e5 2.Qxz9 Nf6", "e4 e5", Some("Qxz9"));
        check("1.e4e5e6 Nf6", "", Some("e4e5e6"));
        check("Ü1 e4", "", Some("Ü1"));
    }
}
