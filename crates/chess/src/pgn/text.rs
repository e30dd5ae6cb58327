//! Text of a PGN file, which does not say how it is encoded.

/// Text as UTF-8, or else as Windows-1252, which Latin-1 is a part of. Without
/// control characters, which could control a terminal.
pub(super) fn decode(bytes: &[u8]) -> String {
    let mut text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| from_windows_1252(byte)).collect(),
    };
    if has_control(&text) {
        text.retain(|it| !it.is_control());
    }
    text
}

/// The text of a comment. Line breaks and tabs become spaces.
pub(super) fn decode_comment(bytes: &[u8]) -> String {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| from_windows_1252(byte)).collect(),
    };
    clean_comment(&text).unwrap_or(text)
}

/// A comment without control characters, on one line; `None` if it is that already.
pub(super) fn clean_comment(text: &str) -> Option<String> {
    has_control(text).then(|| {
        let mut text = text.replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
        text.retain(|it| !it.is_control());
        text
    })
}

fn has_control(text: &str) -> bool {
    // The control characters beyond ASCII begin with this byte in UTF-8.
    let may_be = |byte: u8| byte < b' ' || byte == 0x7f || byte == 0xc2;
    text.bytes().any(may_be) && text.chars().any(char::is_control)
}

/// The characters that Windows-1252 has where Latin-1 has control codes.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn from_windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_one_line_without_control_characters() {
        #[track_caller]
        fn check(bytes: &[u8], text: &str) {
            assert_eq!(decode_comment(bytes), text);
        }
        check(b" as written  ", " as written  ");
        check(b"one\r\ntwo\nthree\tfour", "one two three four");
        check(b"\x1b[31mred \xc2\x9b", "[31mred ");
        check(b"M\xfcller \x96 \x8e", "Müller – Ž");
        check("½ Ω 🦀".as_bytes(), "½ Ω 🦀");
    }
}
