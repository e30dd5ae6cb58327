//! Queries in files.

use std::{fs, path::Path};

use anyhow::Context;
use shakmaty::Chess;
use tabiya_question::parameter::parse_fen;

/// Reads a file with one FEN per line; returns the positions with their line numbers.
/// Skips empty lines, comments (`#`) and, with a message, lines that are not positions.
///
/// # Errors
///
/// When the file cannot be read or has no position.
pub(crate) fn read_positions(path: &Path) -> anyhow::Result<Vec<(usize, Chess)>> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| name.to_string())?;
    let mut positions = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match parse_fen(line) {
            Ok(position) => positions.push((number, position)),
            Err(error) => eprintln!("{name}:{number}: skipped: {error}"),
        }
    }
    anyhow::ensure!(
        !positions.is_empty(),
        "{name} has no positions; write one FEN per line"
    );
    Ok(positions)
}
