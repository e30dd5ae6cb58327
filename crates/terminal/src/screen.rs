//! The width of the terminal, and text that fits it.

/// The width if it is unknown.
const USUAL: usize = 80;

/// The columns of the terminal on standard output.
pub fn width() -> usize {
    let columns = terminal_size::terminal_size().map(|it| usize::from(it.0.0));
    columns.filter(|&it| it >= 40).unwrap_or(USUAL)
}

/// The width of a text without its styles.
pub fn columns(text: &str) -> usize {
    anstream::adapter::strip_str(text)
        .map(|it| it.chars().count())
        .sum()
}

/// Cuts a text to a width.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Breaks a text between words into lines of a width.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut words = text.split(' ');
    let mut lines = vec![words.next().unwrap_or_default().to_owned()];
    for word in words {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Prints a text on lines of the terminal's width, all but the first after an indent.
pub fn print(indent: &str, text: &str) {
    let lines = wrap(text, width() - indent.len());
    for (at, line) in lines.iter().enumerate() {
        say!("{}{line}", if at == 0 { "" } else { indent });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrap("a  b", 10), ["a  b"]);
        let styled = format!(
            "{}strong{} words",
            crate::style::STRONG,
            crate::style::PLAIN
        );
        assert_eq!(wrap(&styled, 12).len(), 1);
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("too long", 5), "too …");
    }
}
