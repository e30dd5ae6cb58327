//! The corpus: a PGN file, or the first games of one.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use tabiya_chess::pgn::{Input, Splitter};
use tempfile::TempDir;

/// Games to measure with.
#[derive(Debug)]
pub(crate) struct Corpus {
    name: String,
    path: PathBuf,
    games: usize,
    /// The folder of an excerpt.
    _folder: Option<TempDir>,
}

impl Corpus {
    /// The first games of a file, or all of them. An excerpt is written to a new file as
    /// plain text.
    pub(crate) fn first(path: &Path, games: Option<usize>) -> Result<Corpus> {
        let wanted = games.unwrap_or(usize::MAX);
        let folder = TempDir::new()?;
        let excerpt = folder.path().join("games.pgn");
        let (copied, is_whole) =
            copy(path, wanted, &excerpt).with_context(|| path.display().to_string())?;
        let name = path
            .file_name()
            .map(|it| it.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(if is_whole {
            Corpus {
                name,
                path: path.to_owned(),
                games: copied,
                _folder: None,
            }
        } else {
            Corpus {
                name: format!("{name}, first {wanted} games"),
                path: excerpt,
                games: copied,
                _folder: Some(folder),
            }
        })
    }

    /// The name in the report.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of games in the text, readable or not.
    pub(crate) fn games(&self) -> usize {
        self.games
    }
}

/// Copies the text of the first games; returns their number, and whether these are all. If
/// all are wanted, only counts them.
fn copy(path: &Path, wanted: usize, to: &Path) -> Result<(usize, bool)> {
    let input = Input::File(path.to_owned());
    let mut splitter = Splitter::new(input.open(Arc::default())?);
    let mut file = BufWriter::new(File::create(to)?);
    let mut text = Vec::new();
    let mut games = 0;
    loop {
        text.clear();
        if splitter.next_into(&mut text)?.is_none() {
            return Ok((games, true));
        }
        if games == wanted {
            file.flush()?;
            return Ok((games, false));
        }
        games += 1;
        if wanted < usize::MAX {
            file.write_all(&text)?;
            file.write_all(b"\n\n")?;
        }
    }
}
