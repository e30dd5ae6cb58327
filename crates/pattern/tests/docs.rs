//! The examples of `docs/patterns.md`.

use std::{fs, path::Path};

use tabiya_pattern::Pattern;

/// The lines of the page in blocks of this kind.
fn block(kind: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/patterns.md");
    let text = fs::read_to_string(path).unwrap();
    let mut lines = Vec::new();
    for block in text.split(&format!("```{kind}\n")).skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        lines.extend(block.lines().map(str::to_owned));
    }
    assert!(!lines.is_empty());
    lines
}

#[test]
fn every_example_is_a_query() {
    for line in block("pattern") {
        let pattern: Pattern = line
            .parse()
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        let again: Pattern = pattern.to_string().parse().unwrap();
        assert_eq!(again.filter(), pattern.filter(), "{line}");
    }
}

#[test]
fn every_message_is_as_shown() {
    for line in block("pattern-error") {
        let (query, message) = line.split_once(" => ").unwrap();
        let error = query
            .parse::<Pattern>()
            .map(|it| it.to_string())
            .unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
