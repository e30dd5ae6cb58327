//! The games of PGN files.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tabiya_chess::Game;
use tabiya_chess::pgn::{self, Input, Splitter};

/// Calls `take` with the text of every game at a path, until it breaks.
///
/// # Errors
/// If a file cannot be read; the message names it.
pub(crate) fn for_each_text(
    path: &Path,
    mut take: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<()> {
    let inputs = Input::at(path).map_err(|it| of(&path.display().to_string(), it))?;
    for input in inputs {
        let named = |error| of(&input.name(), error);
        let text = input.open(Arc::new(AtomicU64::new(0))).map_err(named)?;
        let mut splitter = Splitter::new(text);
        let mut text = Vec::new();
        while splitter.next_into(&mut text).map_err(named)?.is_some() {
            if take(&text).is_break() {
                return Ok(());
            }
            text.clear();
        }
    }
    Ok(())
}

/// Reads all games at a path.
///
/// # Errors
/// If a file cannot be read; the message names it.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Game>> {
    let mut games = Vec::new();
    for_each_text(path, |text| {
        games.extend(pgn::read(text).game);
        ControlFlow::Continue(())
    })?;
    Ok(games)
}

/// The same error with the name of the file.
fn of(name: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot read {name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_file_of_a_folder() {
        let folder = std::env::temp_dir().join(format!("tabiya-games-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.pgn"), "1. e4 *\n\n1. d4 *\n").unwrap();
        // The magic number of zstd, and nothing else.
        std::fs::write(folder.join("b.pgn.zst"), [0x28, 0xb5, 0x2f, 0xfd, 0x24]).unwrap();
        let mut count = 0;
        let all = for_each_text(&folder, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        let error = all.unwrap_err().to_string();
        assert!(count == 2 && error.contains("b.pgn.zst"), "{error}");
        assert!(for_each_text(&folder, |_| ControlFlow::Break(())).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
        let gone = for_each_text(&folder, |_| ControlFlow::Break(()));
        assert!(gone.unwrap_err().to_string().contains("tabiya-games"));
    }
}
