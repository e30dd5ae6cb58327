//! Words of movetext that the strict notation does not cover: careless
//! spellings of moves (`e8Q`, `e8(Q)`, `e4e.p.`, `0-0`, `ed5:`), results, and
//! words that say something about the move before them.

use std::borrow::Cow;

use shakmaty::{Outcome, san::SanPlus};

use crate::game::parse_result;

/// What a word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A move.
    Move(SanPlus),
    /// How the game ended.
    Result(Outcome),
    /// A glyph in words, such as `N` for a novelty.
    Nag(u8),
    /// Nothing that the move before it does not say.
    Nothing,
}

/// What a word means; `None` if that is not clear.
pub(super) fn meaning(word: &[u8]) -> Option<Meaning> {
    if let Ok(san) = SanPlus::from_ascii(word) {
        return Some(Meaning::Move(san));
    }
    let text = str::from_utf8(word).ok()?;
    if let Some(outcome) = result(text) {
        return Some(Meaning::Result(outcome));
    }
    Some(match text {
        "e.p." | "ep" | "ep." | "+" | "#" | "++" | "ch" | "ch." | "mate" => Meaning::Nothing,
        "=" => Meaning::Nag(10),
        "+=" | "+/=" => Meaning::Nag(14),
        "=+" | "=/+" => Meaning::Nag(15),
        "+/-" => Meaning::Nag(16),
        "-/+" => Meaning::Nag(17),
        "+-" => Meaning::Nag(18),
        "-+" => Meaning::Nag(19),
        "N" => Meaning::Nag(146),
        "D" => Meaning::Nag(220),
        _ => Meaning::Move(proper(text)?),
    })
}

/// The result that a word says; its dashes may be long.
fn result(text: &str) -> Option<Outcome> {
    if text == "*" {
        return Some(Outcome::Unknown);
    }
    let text = match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.replace(['–', '—'], "-")),
    };
    parse_result(&text).map(Outcome::Known)
}

/// The move in its proper spelling.
fn proper(word: &str) -> Option<SanPlus> {
    let text = word
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
    if matches!(word, "--" | "Z0" | "null" | "pass" | "@@@@") {
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
    fn check(words: &str, meanings: &str) {
        let show = |word: &str| match meaning(word.as_bytes()) {
            Some(Meaning::Move(san)) => san.to_string(),
            Some(Meaning::Result(outcome)) => format!("[{}]", outcome.as_str()),
            Some(Meaning::Nag(nag)) => format!("${nag}"),
            Some(Meaning::Nothing) => "nothing".to_owned(),
            None => "?".to_owned(),
        };
        let shown: Vec<String> = words.split(' ').map(show).collect();
        assert_eq!(shown.join(" "), meanings);
    }

    #[test]
    fn careless_spellings_are_set_right() {
        check("e4 0-0 0-0-0+ o-o", "e4 O-O O-O-O O-O");
        check("e8Q exd8(N) e1=Q bxa1/R#", "e8=Q exd8=N e1=Q bxa1=R#");
        check("exd6e.p. Nf3++ Z0 -- pass", "exd6 Nf3# -- -- --");
        check("e2-e4 N:d5 e7e5", "e2e4 Nd5 e7e5");
    }

    #[test]
    fn words_about_the_move_before_them_are_understood() {
        check("e.p. ch. + mate", "nothing nothing nothing nothing");
        check("N D = +/- -+", "$146 $220 $10 $16 $19");
        check("1-0 0–1 1/2 ½-½ *", "[1-0] [0-1] [1/2-1/2] [1/2-1/2] [*]");
    }

    #[test]
    fn other_words_are_not_understood() {
        check("Qxz9 e4e5e6 Ü1 [Event x", "? ? ? ? ?");
    }
}
