//! The corpus: a PGN file, or the first games of one.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use tabiya_chess::pgn::{Source, Splitter};
use tempfile::TempDir;

/// Games to measure with.
#[derive(Debug)]
pub(crate) struct Corpus {
    name: String,
    path: PathBuf,
    games: usize,
    /// Where the excerpt lies, if it is one.
    _folder: Option<TempDir>,
}

impl Corpus {
    /// The first games of a file, or all of them. An excerpt is written out
    /// as plain text, whole files are left as they are.
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

    /// How it is called in the report.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How many games the text has, readable or not.
    pub(crate) fn games(&self) -> usize {
        self.games
    }
}

/// Copies the texts of the first games; says how many, and whether these are
/// all. If all are wanted they are only counted.
fn copy(path: &Path, wanted: usize, to: &Path) -> Result<(usize, bool)> {
    let source = Source::File(path.to_owned());
    let mut splitter = Splitter::new(source.open(Arc::default())?);
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
