//! The text of one game, as it is put together from a base and taken apart
//! for one.

use std::borrow::Cow;

/// Writes PGN text. What a base holds may be any bytes; nothing of it can
/// break out of its tag or comment.
#[derive(Debug, Default)]
pub(crate) struct TextWriter {
    pub(crate) bytes: Vec<u8>,
}

impl TextWriter {
    pub(crate) fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.bytes.push(b'[');
        let letters = name.iter().map(|&it| match it {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => it,
            _ => b'_',
        });
        self.bytes.extend(letters);
        self.bytes.extend(b" \"");
        for &byte in value {
            match byte {
                b'"' | b'\\' => self.bytes.extend([b'\\', byte]),
                0..=31 => self.bytes.push(b' '),
                _ => self.bytes.push(byte),
            }
        }
        self.bytes.extend(b"\"]\n");
    }

    /// The blank line between tags and moves.
    pub(crate) fn end_tags(&mut self) {
        self.bytes.push(b'\n');
    }

    pub(crate) fn word(&mut self, word: &str) {
        self.bytes.extend(word.as_bytes());
        self.bytes.push(b' ');
    }

    /// A comment in braces; one with a closing brace in it goes to the end of
    /// the line.
    pub(crate) fn comment(&mut self, text: &[u8]) {
        let (begin, end) = match text.contains(&b'}') {
            true => (b';', &b"\n"[..]),
            false => (b'{', &b"} "[..]),
        };
        self.bytes.push(begin);
        let printable = |&byte: &u8| if byte < 32 { b' ' } else { byte };
        self.bytes.extend(text.iter().map(printable));
        self.bytes.extend(end);
    }
}

/// A part of a game's text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Tag(&'a str, Cow<'a, str>),
    Comment(&'a str),
    Glyph(u32),
    Begin,
    End,
    /// A move, a move number or a result.
    Word(&'a str),
}

/// The parts of a game's text as we write it ourselves: strict PGN.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    let mut in_tags = true;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if in_tags && let Some((tag, after)) = read_tag(rest) {
            rest = after;
            return Some(tag);
        }
        in_tags = false;
        let first = rest.chars().next()?;
        let (token, length) = match first {
            '{' => {
                let end = rest.find('}').unwrap_or(rest.len());
                let after = (end + 1).min(rest.len());
                (Token::Comment(&rest[1..end]), after)
            }
            ';' => {
                let end = rest.find('\n').unwrap_or(rest.len());
                (Token::Comment(&rest[1..end]), end)
            }
            '(' => (Token::Begin, 1),
            ')' => (Token::End, 1),
            _ => {
                let end = rest.find(|it: char| it.is_whitespace() || "{}()".contains(it));
                let length = end.unwrap_or(rest.len()).max(first.len_utf8());
                let word = &rest[..length];
                let glyph = word.strip_prefix('$').and_then(|it| it.parse().ok());
                (glyph.map_or(Token::Word(word), Token::Glyph), length)
            }
        };
        rest = &rest[length..];
        Some(token)
    })
}

/// The tag at the beginning of the text, and what comes after its line.
fn read_tag(text: &str) -> Option<(Token<'_>, &str)> {
    let line = text.lines().next()?;
    let inner = line.strip_prefix('[')?.trim_end().strip_suffix("\"]")?;
    let (name, value) = inner.split_once(" \"")?;
    let value = if value.contains('\\') {
        let mut plain = String::with_capacity(value.len());
        let mut letters = value.chars();
        while let Some(letter) = letters.next() {
            plain.push(match letter {
                '\\' => letters.next().unwrap_or('\\'),
                _ => letter,
            });
        }
        Cow::Owned(plain)
    } else {
        Cow::Borrowed(value)
    };
    Some((Token::Tag(name, value), &text[line.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_comments_cannot_break_out() {
        let mut text = TextWriter::default();
        text.tag(b"Eve nt]", b"a\"]\n\\[b");
        text.end_tags();
        text.comment(b"no } end\n\n");
        let text = String::from_utf8(text.bytes).unwrap();
        assert_eq!(text, "[Eve_nt_ \"a\\\"] \\\\[b\"]\n\n;no } end  \n");
        let parts: Vec<_> = tokens(&text).collect();
        let value = Cow::Owned("a\"] \\[b".to_owned());
        assert_eq!(
            parts,
            [Token::Tag("Eve_nt_", value), Token::Comment("no } end  ")]
        );
    }

    #[test]
    fn text_is_taken_apart() {
        let parts: Vec<_> = tokens("1. e4$1 {é (} (1. d4)e5 } $x").collect();
        use Token::{Begin, Comment, End, Word};
        let expected = [
            Word("1."),
            Word("e4$1"),
            Comment("é ("),
            Begin,
            Word("1."),
            Word("d4"),
            End,
            Word("e5"),
            Word("}"),
            Word("$x"),
        ];
        assert_eq!(parts, expected);
    }
}
