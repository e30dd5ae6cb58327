//! Keeping games: into a collection, or at least to safety.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tabiya_chess::{Game, pgn};
use tabiya_retrieval::{CollectionError, collection, index::Source};

use super::Library;

/// How often to try a collection that another process writes to, and how long
/// to wait in between: three seconds in all, after which programs kill an
/// engine that should have quit.
const TRIES: u32 = 30;
const PAUSE: Duration = Duration::from_millis(100);

/// Adds games to the collection in a folder, whether a library is open or not;
/// if it is this collection's, it is opened again. Returns the number of new games.
///
/// # Errors
///
/// When the collection cannot be written to.
pub fn retain(
    library: Option<&mut Library>,
    folder: &Path,
    games: &[Game],
) -> Result<usize, CollectionError> {
    match library.filter(|it| it.collection().folder() == folder) {
        Some(library) => library.retain(games),
        None => collection::retain(folder, games),
    }
}

/// The same when there is no next time: waits for another writer, and
/// failing that leaves the games in a file beside the collection.
///
/// # Errors
///
/// When the collection cannot be written to; says where the games are.
pub fn retain_at_last(
    mut library: Option<&mut Library>,
    folder: &Path,
    games: &[Game],
) -> Result<usize, RetainError> {
    let mut tries = 1;
    loop {
        match retain(library.as_deref_mut(), folder, games) {
            Ok(added) => return Ok(added),
            Err(CollectionError::Locked(_)) if tries < TRIES => {
                tries += 1;
                thread::sleep(PAUSE);
            }
            Err(why) => {
                return Err(RetainError {
                    why,
                    folder: folder.to_owned(),
                    file: set_aside(folder, games),
                });
            }
        }
    }
}

/// Games were not added to their collection.
#[derive(Debug, thiserror::Error)]
#[error("{why}; {}", self.place())]
pub struct RetainError {
    why: CollectionError,
    folder: PathBuf,
    /// Where they are instead.
    file: io::Result<PathBuf>,
}

impl RetainError {
    fn place(&self) -> String {
        let folder = self.folder.display();
        match self.file.as_ref().map(|it| it.display()) {
            Ok(file) => {
                format!("the game is in {file}, add it with: tabiya index {file} --db {folder}")
            }
            Err(error) => format!("nor can it be written beside it: {error}"),
        }
    }
}

/// Appends games to a file beside the collection; a folder of segments holds
/// nothing else.
fn set_aside(folder: &Path, games: &[Game]) -> io::Result<PathBuf> {
    let folder = std::path::absolute(folder)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let file = folder.with_file_name(format!("{name}-retained.pgn"));
    let mut text = String::new();
    for game in games {
        let mut game = game.clone();
        // Without the tag the collection would take it for an imported game.
        if Source::of(&game.tags) != Source::Own {
            let tag = (Source::TAG.to_owned(), Source::OWN.to_owned());
            game.tags.others.push(tag);
        }
        pgn::write(&game, &mut text).map_err(io::Error::other)?;
    }
    let mut paper = OpenOptions::new().create(true).append(true).open(&file)?;
    paper.write_all(text.as_bytes())?;
    paper.sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_retrieval::{
        Collection, GameNumber,
        collection::{Import, Progress, Writer},
    };

    fn import(file: &Path, home: &Path) {
        let import = Import::new(vec![pgn::Input::File(file.to_owned())]);
        import.run(home, &Progress::default()).unwrap();
    }

    #[test]
    fn a_game_waits_for_another_writer_and_is_set_aside_if_that_takes_long() {
        let folder = tempfile::tempdir().unwrap();
        let (file, home) = (folder.path().join("games.pgn"), folder.path().join("home"));
        std::fs::write(&file, "1. e4 e5 *\n\n1. d4 d5 *\n").unwrap();
        import(&file, &home);
        let collection = Collection::open(&home).unwrap();
        let games = [1, 2].map(|it| {
            let mut game = collection.game(GameNumber(it)).unwrap().unwrap();
            // What nobody has played yet.
            game.moves.pop();
            game
        });
        let writer = Writer::open(&home).unwrap();
        assert!(retain(None, &home, &games[..1]).is_err());
        let words = retain_at_last(None, &home, &games[..1])
            .unwrap_err()
            .to_string();
        let aside = folder.path().join("home-retained.pgn");
        let command = format!("tabiya index {} --db", aside.display());
        assert!(words.contains(&command), "{words}");
        let busy = thread::spawn(move || {
            thread::sleep(5 * PAUSE);
            drop(writer);
        });
        assert_eq!(retain_at_last(None, &home, &games[1..]).unwrap(), 1);
        busy.join().unwrap();
        import(&aside, &home);
        let collection = Collection::open(&home).unwrap();
        assert_eq!(collection.games(), 4);
        let tags = collection.tags(GameNumber(4)).unwrap().unwrap();
        assert_eq!(Source::of(&tags), Source::Own);
    }

    #[test]
    fn where_there_is_no_collection_the_game_is_still_safe() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("none");
        let words = retain_at_last(None, &home, &[Game::default()]).unwrap_err();
        assert!(words.to_string().contains("is not a collection"), "{words}");
        assert!(folder.path().join("none-retained.pgn").exists());
        let nowhere = folder.path().join("no/such/place");
        let words = retain_at_last(None, &nowhere, &[Game::default()]).unwrap_err();
        assert!(words.to_string().contains("nor can it"), "{words}");
    }
}
