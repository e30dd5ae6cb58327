//! The door to searching in many places: [`build`] shards, [`open`] them,
//! [`search`] some with the statistics of all, [`merge`] the answers.
//!
//! A shard is the same immutable segment that a collection consists of: made
//! of its games alone, so that the same games make the same bytes anywhere. A
//! game never straddles shards. N, df and mean length of all shards are merged
//! into one [`Statistics`](crate::Statistics) that every shard is scored with; however shards are
//! spread over machines and answers merged, the result is that of one
//! collection with all games, to the last bit.
//!
//! ```
//! use tabiya_chess::{pgn::Input, position};
//! use tabiya_retrieval::{Query, Statistics, collection::{Import, Progress}, shard};
//!
//! # let folder = tempfile::tempdir()?;
//! # let mut segments = Vec::new();
//! // Anywhere, in any order: build shards of some games.
//! for (name, moves) in [("one", "1. e4 e5 2. Nf3 Nc6 *"), ("two", "1. d4 d5 2. c4 e6 *")] {
//!     let pgn = folder.path().join(name).with_extension("pgn");
//!     std::fs::write(&pgn, moves)?;
//!     let import = Import { skip: Some(0), ..Import::new(vec![Input::File(pgn)]) };
//!     let built = shard::build(&import, &folder.path().join(name), &Progress::default())?;
//!     for path in built.shards {
//!         segments.push(shard::open(&path)?);
//!     }
//! }
//!
//! // Once: what all shards are scored with.
//! let statistics = Statistics::of(&segments)?;
//!
//! // Each group of shards answers for itself; the best of all are merged.
//! let query = Query::new(position::parse("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")?);
//! let shards = shard::numbered(&segments);
//! let answers = [
//!     shard::search(&shards[..1], &query, &statistics)?,
//!     shard::search(&shards[1..], &query, &statistics)?,
//! ];
//! assert_eq!(shard::merge(answers, 10), shard::search(&shards, &query, &statistics)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};

use super::{Collection, CollectionError, Import, Progress, Report};
use crate::index::{FormatError, Segment};

pub use crate::{
    index::{Shard, numbered},
    search::{Hit, Query, merge, search},
};

/// What became of the games that shards were to be built of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The files, in the order of the games.
    pub shards: Vec<PathBuf>,
    /// What was read, and what could not be.
    pub report: Report,
}

/// Builds shards of some games: as many as they need, some 8,000 games each.
/// The folder becomes a collection, so it must be one, or be new or empty.
///
/// The same texts in the same order make the same shards, wherever and with
/// however many threads. A build that was broken off goes on where it stopped
/// if it is done again in the same folder, and one that was finished adds
/// nothing. Equal games are recognized within one build alone.
///
/// # Errors
///
/// When the folder cannot be written to. Texts that cannot be read are listed in
/// the report; the others are built all the same.
pub fn build(
    import: &Import,
    folder: &Path,
    progress: &Progress,
) -> Result<Built, CollectionError> {
    let report = import.run(folder, progress)?;
    let collection = Collection::open(folder)?;
    let paths = collection.segments().iter();
    let shards = paths.map(|it| it.path().to_owned()).collect();
    Ok(Built { shards, report })
}

/// Opens a shard. Takes no time, however large it is.
///
/// # Errors
///
/// When the file is missing, foreign, of another version, or damaged.
pub fn open(path: &Path) -> Result<Segment, FormatError> {
    Segment::open(path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tabiya_chess::{Game, pgn::Input};

    use super::*;
    use crate::{
        Statistics,
        search::{Distinct, search_exhaustively},
        testing::{Dice, random_game, random_query, random_tags},
    };

    fn random_games(dice: &mut Dice, count: usize) -> Vec<Game> {
        let game = |dice: &mut Dice| {
            let plies = 1 + dice.below(90);
            let mut game = random_game(dice, plies);
            game.tags = random_tags(dice);
            game
        };
        (0..count).map(|_| game(dice)).collect()
    }

    /// Builds shards of texts, in a folder of their own.
    fn built(texts: &[String], folder: &Path) -> Built {
        std::fs::create_dir_all(folder).unwrap();
        let inputs = texts.iter().enumerate().map(|(number, text)| {
            let path = folder.join(format!("{number}.pgn"));
            std::fs::write(&path, text).unwrap();
            Input::File(path)
        });
        let import = Import {
            skip: Some(6),
            threads: Some(1),
            ..Import::new(inputs.collect())
        };
        build(&import, &folder.join("built"), &Progress::default()).unwrap()
    }

    /// Cuts something into neighboring parts, some of them empty.
    fn cut<'a, T>(dice: &mut Dice, mut rest: &'a [T]) -> Vec<&'a [T]> {
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (part, later) = rest.split_at(dice.below(rest.len() + 1));
            parts.push(part);
            rest = later;
        }
        parts
    }

    fn text_of(games: &[Game]) -> String {
        let mut text = String::new();
        for game in games {
            tabiya_chess::pgn::write(game, &mut text).unwrap();
            text.push('\n');
        }
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_split_into_shards_and_groups_answers_as_one(seed: u64) {
            let mut dice = Dice::new(seed);
            let games = random_games(&mut dice, 30);
            let folder = tempfile::tempdir().unwrap();
            // All games in one place.
            let whole = built(&[text_of(&games)], &folder.path().join("whole"));
            prop_assert_eq!(whole.report.games + whole.report.duplicates, 30);
            prop_assume!(whole.report.duplicates == 0);
            let whole: Vec<_> = whole.shards.iter().map(|it| open(it).unwrap()).collect();
            let statistics = Statistics::of(&whole).unwrap();
            // The same games, a file and a build for each part.
            let mut segments = Vec::new();
            let mut merged = Statistics::default();
            for (number, part) in cut(&mut dice, &games).into_iter().enumerate() {
                let built = built(&[text_of(part)], &folder.path().join(number.to_string()));
                for path in built.shards {
                    let segment = open(&path).unwrap();
                    // Statistics travel as bytes.
                    let here = Statistics::of([&segment]).unwrap().to_bytes();
                    merged.merge(&Statistics::from_bytes(&here).unwrap());
                    segments.push(segment);
                }
            }
            prop_assert_eq!(&merged, &statistics);
            let shards = numbered(&segments);
            for _ in 0..4 {
                let distinct = Distinct::Games;
                let query = Query { distinct, ..random_query(&mut dice, &games) };
                let expected = search(&numbered(&whole), &query, &statistics).unwrap();
                prop_assert_eq!(&search_exhaustively(&numbered(&whole), &query, &statistics).unwrap(), &expected);
                let answers = cut(&mut dice, &shards).into_iter()
                    .map(|group| search(group, &query, &merged).unwrap());
                // In whatever order the groups answer.
                let mut answers: Vec<_> = answers.collect();
                let first = dice.below(answers.len());
                answers.rotate_left(first);
                prop_assert_eq!(merge(answers, query.top), expected);
            }
        }
    }

    #[test]
    fn the_same_games_make_the_same_shards() {
        let mut dice = Dice::new(9);
        let games = random_games(&mut dice, 250);
        // An input of a hundred games ends a shard.
        let texts = [text_of(&games[..120]), text_of(&games[120..])];
        let folder = tempfile::tempdir().unwrap();
        let bytes = |built: &Built| -> Vec<Vec<u8>> {
            let read = |it: &PathBuf| std::fs::read(it).unwrap();
            built.shards.iter().map(read).collect()
        };
        let one = built(&texts, &folder.path().join("one"));
        assert_eq!(one.shards.len(), 2);
        let two = built(&texts, &folder.path().join("two"));
        assert_eq!(bytes(&one), bytes(&two));
        // Again in the same place: nothing is added, the shards are the same.
        let again = built(&texts, &folder.path().join("one"));
        assert_eq!(again.report.games, 0);
        assert_eq!(again.shards, one.shards);
    }
}
