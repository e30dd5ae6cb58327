//! The tokens of movetext: moves, glyphs, comments and the brackets of variations.
//!
//! `pgn_reader` skips comments to the end of the line, glyphs beyond 255 and
//! words that it cannot read. Here nothing is lost: what is not understood is
//! a word, and the reader of the words decides.

/// A piece of movetext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A move, a result, or any other word. Move numbers are left out.
    Word(&'a [u8]),
    /// A glyph, `$14` or `!?`; `None` if its number is not one.
    Nag(Option<u8>),
    /// The text between braces, or from a semicolon to the end of the line.
    Comment(&'a [u8]),
    /// A brace that never closes.
    OpenComment,
    /// A variation begins.
    Open,
    /// A variation ends, if one has begun.
    Close,
}

/// Iterates over the tokens of movetext.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(movetext: &'a [u8]) -> Tokens<'a> {
        Tokens { rest: movetext }
    }

    /// Takes the bytes before `end` and drops `end` itself; `None` if there is none.
    fn take_until(&mut self, end: u8) -> Option<&'a [u8]> {
        let at = memchr::memchr(end, self.rest)?;
        let taken = &self.rest[..at];
        self.rest = &self.rest[at + 1..];
        Some(taken)
    }

    fn take_line(&mut self) -> &'a [u8] {
        let line = self
            .take_until(b'\n')
            .unwrap_or_else(|| std::mem::take(&mut self.rest));
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    /// Takes a move number with its dots, or a word that begins with a digit, such as a result.
    fn take_number_or_word(&mut self) -> Option<&'a [u8]> {
        let digits = self.rest.iter().take_while(|it| it.is_ascii_digit());
        let digits = digits.count();
        // A dash may be a long one.
        if let Some(b'-' | b'/' | b':' | 0xe2) = self.rest.get(digits) {
            return Some(self.take(word_end(self.rest)));
        }
        self.take(digits);
        None
    }

    /// Takes one glyph of exclamation and question marks.
    fn take_marks(&mut self) -> u8 {
        let (nag, length) = match self.rest {
            [b'!', b'!', ..] => (3, 2),
            [b'?', b'?', ..] => (4, 2),
            [b'!', b'?', ..] => (5, 2),
            [b'?', b'!', ..] => (6, 2),
            [b'!', ..] => (1, 1),
            _ => (2, 1),
        };
        self.take(length);
        nag
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while let Some((&first, tail)) = self.rest.split_first() {
            match first {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b'.' | b'}' => self.rest = tail,
                b'0'..=b'9' => {
                    if let Some(word) = self.take_number_or_word() {
                        return Some(Token::Word(word));
                    }
                }
                b'{' => {
                    self.rest = tail;
                    let comment = self.take_until(b'}').map(Token::Comment);
                    return Some(comment.unwrap_or_else(|| {
                        self.rest = &[];
                        Token::OpenComment
                    }));
                }
                b';' => {
                    self.rest = tail;
                    return Some(Token::Comment(self.take_line()));
                }
                // The line is meant for other programs.
                b'%' => {
                    self.take_line();
                }
                b'(' | b')' => {
                    self.rest = tail;
                    let is_open = first == b'(';
                    return Some(if is_open { Token::Open } else { Token::Close });
                }
                b'!' | b'?' => return Some(Token::Nag(Some(self.take_marks()))),
                b'$' => {
                    self.rest = tail;
                    let digits = if tail.first().is_none_or(|&it| ends_word(it)) {
                        &[]
                    } else {
                        self.take(word_end(tail))
                    };
                    return Some(Token::Nag(
                        str::from_utf8(digits).ok().and_then(|it| it.parse().ok()),
                    ));
                }
                b'*' => return Some(Token::Word(self.take(1))),
                _ => return Some(Token::Word(self.take(word_end(self.rest)))),
            }
        }
        None
    }
}

/// The end of the word at the front, which is not empty. The brackets of
/// `e8(Q)` belong to it.
fn word_end(rest: &[u8]) -> usize {
    let length = rest[1..].iter().position(|&it| ends_word(it));
    let end = length.map_or(rest.len(), |it| it + 1);
    match rest[end..] {
        [b'(', role, b')', ..] if end > 1 && b"QRBNqrbn".contains(&role) => end + 3,
        _ => end,
    }
}

/// Whether a byte ends the word before it.
const fn ends_word(byte: u8) -> bool {
    const ENDS: [bool; 256] = {
        let mut ends = [false; 256];
        let bytes = b" \t\n\r\x0b\x0c{}();!?$*";
        let mut at = 0;
        while at < bytes.len() {
            ends[bytes[at] as usize] = true;
            at += 1;
        }
        ends
    };
    ENDS[byte as usize]
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use pgn_reader::{Nag, RawComment, Reader, SanPlus, Skip, Visitor};
    use proptest::prelude::*;
    use shakmaty::Outcome;

    use super::*;
    use crate::testing::annotated_game;

    /// The tokens in short: words as they are, the others marked.
    fn shown(movetext: &str) -> Vec<String> {
        let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
        Tokens::new(movetext.as_bytes())
            .map(|it| match it {
                Token::Word(word) => text(word),
                Token::Nag(Some(nag)) => format!("${nag}"),
                Token::Nag(None) => "$?".to_owned(),
                Token::Comment(comment) => format!("{{{}}}", text(comment)),
                Token::OpenComment => "{".to_owned(),
                Token::Open => "(".to_owned(),
                Token::Close => ")".to_owned(),
            })
            .collect()
    }

    #[track_caller]
    fn check(movetext: &str, tokens: &[&str]) {
        assert_eq!(shown(movetext), tokens);
    }

    #[test]
    fn words_have_no_numbers() {
        check(
            "1.e4 e5 2 . Nf3 2... Nc6 3Bb5 12. 0-0 1-0",
            &["e4", "e5", "Nf3", "Nc6", "Bb5", "0-0", "1-0"],
        );
        check(
            "1/2-1/2 1–0 ½-½ e4* *",
            &["1/2-1/2", "1–0", "½-½", "e4", "*", "*"],
        );
        check("exd6e.p. e8(Q)+ e8=Q", &["exd6e.p.", "e8(Q)", "+", "e8=Q"]);
        check("e4 }} . e5", &["e4", "e5"]);
    }

    #[test]
    fn glyphs_are_numbers() {
        check(
            "e4! e5?? Nf3!? Nc6?! c3!!? d6?",
            &[
                "e4", "$1", "e5", "$4", "Nf3", "$5", "Nc6", "$6", "c3", "$3", "$2", "d6", "$2",
            ],
        );
        check(
            "e4$1$255 $256 $ $x) $",
            &["e4", "$1", "$255", "$?", "$?", "$?", ")", "$?"],
        );
    }

    #[test]
    fn comments_are_whole() {
        check(
            "{} { a (b) ; } ;c } d\r\ne4",
            &["{}", "{ a (b) ; }", "{c } d}", "e4"],
        );
        check("e4;", &["e4", "{}"]);
        check("e4 { e5 (", &["e4", "{"]);
        check("%no\n(e4 ; yes\n%no\n)", &["(", "e4", "{ yes}", ")"]);
    }

    /// What `pgn_reader` shows of movetext, in the same short form.
    struct Twin;

    impl Visitor for Twin {
        type Tags = Vec<String>;
        type Movetext = Vec<String>;
        type Output = Vec<String>;

        fn begin_tags(&mut self) -> ControlFlow<Vec<String>, Vec<String>> {
            ControlFlow::Continue(Vec::new())
        }

        fn begin_movetext(&mut self, seen: Vec<String>) -> ControlFlow<Vec<String>, Vec<String>> {
            ControlFlow::Continue(seen)
        }

        fn san(&mut self, seen: &mut Vec<String>, san: SanPlus) -> ControlFlow<Vec<String>> {
            seen.push(san.to_string());
            ControlFlow::Continue(())
        }

        fn nag(&mut self, seen: &mut Vec<String>, nag: Nag) -> ControlFlow<Vec<String>> {
            seen.push(nag.to_string());
            ControlFlow::Continue(())
        }

        fn comment(
            &mut self,
            seen: &mut Vec<String>,
            comment: RawComment<'_>,
        ) -> ControlFlow<Vec<String>> {
            let text = String::from_utf8_lossy(comment.as_bytes());
            seen.push(format!("{{{text}}}"));
            ControlFlow::Continue(())
        }

        fn begin_variation(&mut self, seen: &mut Vec<String>) -> ControlFlow<Vec<String>, Skip> {
            seen.push("(".to_owned());
            ControlFlow::Continue(Skip(false))
        }

        fn end_variation(&mut self, seen: &mut Vec<String>) -> ControlFlow<Vec<String>> {
            seen.push(")".to_owned());
            ControlFlow::Continue(())
        }

        fn outcome(&mut self, seen: &mut Vec<String>, end: Outcome) -> ControlFlow<Vec<String>> {
            seen.push(end.as_str().to_owned());
            ControlFlow::Continue(())
        }

        fn end_game(&mut self, seen: Vec<String>) -> Vec<String> {
            seen
        }
    }

    proptest! {
        #[test]
        fn sound_movetext_reads_as_another_reader_reads_it(
            seed: u64,
            comments in proptest::collection::vec("[^}\\p{Cc}]{0,100}", 1..5),
        ) {
            let mut text = String::new();
            crate::pgn::write(&annotated_game(seed, &comments), &mut text).unwrap();
            let (_, movetext) = text.split_once("\n\n").unwrap();
            let mut reader = Reader::build(movetext.as_bytes())
                .set_supported_comment_length(1 << 12)
                .finish();
            let expected = reader.read_game(&mut Twin).unwrap();
            prop_assert_eq!(Some(shown(movetext)), expected);
        }

        #[test]
        fn any_bytes_have_an_end(text in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(Tokens::new(&text).count() <= text.len());
        }
    }
}
