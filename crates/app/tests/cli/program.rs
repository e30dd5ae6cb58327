//! What only the tests of `tabiya` do in a workspace, and where the sample lies.

use std::{io::Write, path::Path, process::Stdio};

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

impl Workspace {
    /// Searches `db` for a position with more words on the line.
    pub(crate) fn search(&self, fen: &str, line: &str) -> Value {
        let mut arguments = vec!["search", fen, "--db", "db", "--json"];
        arguments.extend(line.split_whitespace());
        self.run(&arguments).succeed().json()
    }

    pub(crate) fn run_with_input(&self, line: &str, input: &[u8]) -> Ran {
        let mut child = self
            .command()
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Ran::new(child.wait_with_output().unwrap())
    }
}

/// Where the historical games of the sample lie, a file each.
pub(crate) fn history() -> &'static Path {
    Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../sample/historical"
    ))
}

/// The games of the sample, compressed.
pub(crate) fn sample() -> &'static Path {
    Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../sample/sample.pgn.zst"
    ))
}
