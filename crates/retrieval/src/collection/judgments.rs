//! Judgments: people's grades for hits, stored with the games.
//!
//! `judgments.jsonl` has a judgment on each line and only grows. A line names its game by
//! the game's digest, so it keeps its meaning when games are removed or come in another order;
//! the game's number is a hint. A checksum ends the line. A line counts once it is synced; a
//! killed writer leaves at worst half a line, which the next writer removes. If an assessor
//! judges a position again, the last line counts. Writers hold `judgments.lock`, readers hold
//! nothing: several processes see each other's judgments.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tabiya_chess::Ply;

use serde::{Deserialize, Serialize};

use super::{Collection, CollectionError, journal, manifest::replace, sync_folder};
use crate::{
    disk,
    index::{FormatError, GameDigest, GameNumber, Shard},
};

const NAME: &str = "judgments.jsonl";
const LOCK: &str = "judgments.lock";

/// The best grade; the worst is 0.
pub const BEST_GRADE: u8 = 4;

/// A grade for a position as an answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// The name of the assessor.
    pub assessor: String,
    /// The query: the first four fields of its FEN.
    pub query: String,
    /// The digest of the game of the position that was found.
    pub digest: GameDigest,
    /// The number of that game; `None` if the collection no longer has it.
    pub game: Option<GameNumber>,
    /// How many plies were played before the position.
    pub ply: Ply,
    /// The grade, from 0 (nothing in common) to [`BEST_GRADE`].
    pub grade: u8,
    /// The time, in seconds since 1970.
    pub time: u64,
}

/// A judgment as it is written. Older lines have no digest.
#[derive(Serialize, Deserialize)]
struct Line {
    assessor: String,
    query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<GameNumber>,
    ply: Ply,
    grade: u8,
    time: u64,
}

/// What a judgment is about, and whose it is.
type Key = (String, String, GameDigest, Ply);

impl Judgment {
    fn key(&self) -> Key {
        let (query, assessor) = (self.query.clone(), self.assessor.clone());
        (query, assessor, self.digest, self.ply)
    }

    /// The line of the file, with its checksum.
    fn to_line(&self) -> io::Result<Vec<u8>> {
        journal::seal(&Line {
            assessor: self.assessor.clone(),
            query: self.query.clone(),
            digest: Some(self.digest.to_string()),
            game: self.game,
            ply: self.ply,
            grade: self.grade,
            time: self.time,
        })
    }
}

impl Line {
    /// Reads a line; nothing if it is damaged.
    fn read(bytes: &[u8]) -> Option<Line> {
        let text = std::str::from_utf8(bytes).ok()?;
        let line: Line = serde_json::from_str(text).ok()?;
        let is_old = || line.digest.is_none();
        journal::is_sealed(text)
            .unwrap_or_else(is_old)
            .then_some(line)
    }

    /// The judgment. An older line means the game that has its number now.
    fn judgment(self, digests: &Digests<'_>) -> Option<Judgment> {
        let digest = match &self.digest {
            Some(text) => text.parse().ok()?,
            None => digests.of(self.game?)?,
        };
        Some(Judgment {
            assessor: self.assessor,
            query: self.query,
            digest,
            game: self.game.filter(|&it| digests.of(it) == Some(digest)),
            ply: self.ply,
            grade: self.grade,
            time: self.time,
        })
    }
}

/// The digests of a collection's games.
struct Digests<'a>(Vec<Shard<'a>>);

impl<'a> Digests<'a> {
    fn new(collection: &'a Collection) -> Result<Digests<'a>, FormatError> {
        let shards = collection.shards();
        for shard in &shards {
            drop(shard.segment.digests()?);
        }
        Ok(Digests(shards))
    }

    fn of(&self, game: GameNumber) -> Option<GameDigest> {
        let before = self.0.partition_point(|it| it.first_game <= game);
        let shard = self.0.get(before.checked_sub(1)?)?;
        let index = usize::try_from(game.0 - shard.first_game.0).ok()?;
        shard.segment.digests().ok()?.nth(index)
    }

    /// Finds the numbers of games that have none.
    fn number<'j>(&self, judgments: impl Iterator<Item = &'j mut Judgment>) {
        let mut lost = HashMap::<GameDigest, Vec<&mut Judgment>>::new();
        for judgment in judgments.filter(|it| it.game.is_none()) {
            lost.entry(judgment.digest).or_default().push(judgment);
        }
        let shards = self.0.iter().take_while(|_| !lost.is_empty());
        let shards: Vec<_> = shards.collect();
        for shard in shards {
            let digests = shard.segment.digests().into_iter().flatten();
            for (number, digest) in (shard.first_game.0..).zip(digests) {
                for judgment in lost.remove(&digest).into_iter().flatten() {
                    judgment.game = Some(GameNumber(number));
                }
            }
        }
    }
}

/// The judgments of a collection.
#[derive(Debug)]
pub struct Judgments {
    folder: PathBuf,
    last: BTreeMap<Key, Judgment>,
    /// Lines that are damaged, or whose game was never there.
    unreadable: usize,
    /// The file that was read, and how much of it.
    file: Option<u64>,
    read: u64,
}

impl Judgments {
    /// Reads the judgments of a collection; there may be none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or a segment is damaged.
    pub fn open(collection: &Collection) -> Result<Judgments, CollectionError> {
        let mut judgments = Judgments {
            folder: collection.folder().to_owned(),
            last: BTreeMap::new(),
            unreadable: 0,
            file: None,
            read: 0,
        };
        judgments.refresh(collection)?;
        Ok(judgments)
    }

    /// Reads what others added. The collection is the one that the judgments were opened with.
    ///
    /// # Errors
    ///
    /// Those of [`Judgments::open`].
    pub fn refresh(&mut self, collection: &Collection) -> Result<(), CollectionError> {
        let path = self.path();
        let lines = self.new_lines().map_err(CollectionError::io(&path))?;
        if lines.is_empty() {
            return Ok(());
        }
        let digests = Digests::new(collection)?;
        for line in lines.split(|&it| it == b'\n').filter(|it| !it.is_empty()) {
            match Line::read(line).and_then(|it| it.judgment(&digests)) {
                Some(judgment) => drop(self.last.insert(judgment.key(), judgment)),
                None => self.unreadable += 1,
            }
        }
        digests.number(self.last.values_mut());
        Ok(())
    }

    fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// The whole lines that were not read before.
    fn new_lines(&mut self) -> io::Result<Vec<u8>> {
        let mut file = match File::open(self.path()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let found = file.metadata()?;
        let number = file_number(&found);
        if self.file != Some(number) || found.len() < self.read {
            // Another file took the place of the one that was read.
            self.last.clear();
            (self.unreadable, self.read) = (0, 0);
            self.file = Some(number);
        }
        let mut lines = Vec::new();
        if found.len() > self.read {
            file.seek(SeekFrom::Start(self.read))?;
            file.read_to_end(&mut lines)?;
        }
        let whole = lines.iter().rposition(|&it| it == b'\n');
        lines.truncate(whole.map_or(0, |it| it + 1));
        self.read += lines.len() as u64;
        Ok(lines)
    }

    /// Stores judgments. They are on disk when this returns.
    ///
    /// # Errors
    ///
    /// When the file cannot be written. Earlier judgments stay.
    pub fn add(
        &mut self,
        collection: &Collection,
        judgments: impl IntoIterator<Item = Judgment>,
    ) -> Result<(), CollectionError> {
        let _lock = lock(&self.folder)?;
        // What comes after the whole lines is the half line of a killed writer.
        self.refresh(collection)?;
        let judgments: Vec<Judgment> = judgments.into_iter().collect();
        let path = self.path();
        let written = self.write(&path, &judgments);
        written.map_err(CollectionError::io(&path))?;
        self.refresh(collection)
    }

    fn write(&self, path: &Path, judgments: &[Judgment]) -> io::Result<()> {
        let mut lines = Vec::new();
        for judgment in judgments {
            lines.extend(judgment.to_line()?);
        }
        let is_new = !path.exists();
        let mut file = disk::File::append(path)?;
        if file.len()? > self.read {
            file.cut(self.read)?;
        }
        file.write_all(&lines)?;
        file.sync()?;
        if is_new {
            sync_folder(&self.folder).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// The judgments that count, by query, assessor, game and ply.
    pub fn iter(&self) -> impl Iterator<Item = &Judgment> {
        self.last.values()
    }

    /// How many lines are damaged, or name a game that was never there.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }
}

/// What tells files of the same name apart.
#[cfg(unix)]
fn file_number(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn file_number(_: &fs::Metadata) -> u64 {
    0
}

/// The right to write judgments, until the file is closed. Waits for other writers.
fn lock(folder: &Path) -> Result<File, CollectionError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).and_then(|it| it.lock().map(|()| it));
    file.map_err(CollectionError::io(&path))
}

/// Gives the lines of older programs the digests of their games, before games get other numbers.
pub(super) fn anchor(collection: &Collection) -> Result<(), CollectionError> {
    let path = collection.folder().join(NAME);
    if !path.exists() {
        return Ok(());
    }
    let _lock = lock(collection.folder())?;
    let text = fs::read(&path).map_err(CollectionError::io(&path))?;
    let digests = Digests::new(collection)?;
    let mut lines = Vec::with_capacity(text.len());
    let mut is_changed = false;
    for line in text.split_inclusive(|&it| it == b'\n') {
        let old = Line::read(line.trim_ascii_end()).filter(|it| it.digest.is_none());
        match old.and_then(|it| it.judgment(&digests)) {
            Some(judgment) => {
                let line = judgment.to_line();
                lines.extend(line.map_err(CollectionError::io(&path))?);
                is_changed = true;
            }
            None => lines.extend(line),
        }
    }
    if is_changed {
        replace(&path, &lines)?;
    }
    Ok(())
}

/// What is wrong with the judgments of a folder, line by line.
pub(super) fn faults(folder: &Path) -> Result<Vec<String>, CollectionError> {
    let path = folder.join(NAME);
    let damaged = journal::damaged_lines(&path, |it| Line::read(it).is_some());
    damaged.map_err(CollectionError::io(&path))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::testing::collection_of;

    fn games() -> (TempDir, Collection) {
        collection_of("1. e4 e5 1-0\n\n1. d4 d5 *\n\n1. c4 c5 *\n")
    }

    fn judgment(collection: &Collection, assessor: &str, game: u64, grade: u8) -> Judgment {
        let game = GameNumber(game);
        let digest = Digests::new(collection).unwrap().of(game).unwrap();
        Judgment {
            assessor: assessor.to_owned(),
            query: "8/8/4k3/8/8/4K3/8/8 w - -".to_owned(),
            digest,
            game: Some(game),
            ply: Ply(1),
            grade,
            time: 1,
        }
    }

    /// Assessors, games and grades, by game.
    fn grades(judgments: &Judgments) -> Vec<(String, u64, u8)> {
        let told = |it: &Judgment| (it.assessor.clone(), it.game.map_or(0, |it| it.0), it.grade);
        let mut all: Vec<_> = judgments.iter().map(told).collect();
        all.sort();
        all
    }

    #[test]
    fn the_last_word_counts_after_a_restart() {
        let (_folder, games) = games();
        let mut judgments = Judgments::open(&games).unwrap();
        assert_eq!(judgments.iter().count(), 0);
        for (assessor, game, grade) in [("Anna", 1, 4), ("Berta", 1, 0), ("Anna", 1, 2)] {
            let judgment = judgment(&games, assessor, game, grade);
            judgments.add(&games, [judgment]).unwrap();
        }
        let expected = [("Anna".to_owned(), 1, 2), ("Berta".to_owned(), 1, 0)];
        assert_eq!(grades(&judgments), expected);
        let again = Judgments::open(&games).unwrap();
        assert_eq!(grades(&again), expected);
        assert_eq!(again.unreadable(), 0);
    }

    #[test]
    fn judgments_follow_their_games() {
        let (folder, all) = games();
        let home = folder.path().join("home");
        // The line of an older program.
        let old = r#"{"assessor":"Anna","query":"8/8/4k3/8/8/4K3/8/8 w - -","game":3,"ply":1,"grade":1,"time":1}"#;
        fs::write(home.join(NAME), format!("{old}\n")).unwrap();
        let mut judgments = Judgments::open(&all).unwrap();
        for (game, grade) in [(1, 4), (2, 3)] {
            judgments
                .add(&all, [judgment(&all, "Anna", game, grade)])
                .unwrap();
        }
        let all_grades = [(1, 4), (2, 3), (3, 1)].map(|it| ("Anna".to_owned(), it.0, it.1));
        assert_eq!(grades(&judgments), all_grades);
        let white = shakmaty::KnownOutcome::Decisive {
            winner: shakmaty::Color::White,
        };
        let filter = crate::Filter {
            results: vec![white.into()],
            ..crate::Filter::default()
        };
        drop(all);
        assert_eq!(crate::collection::forget(&home, &filter).unwrap(), 1);
        let fewer = Collection::open(&home).unwrap();
        let judgments = Judgments::open(&fewer).unwrap();
        // The first game is gone, its judgment waits.
        let expected = [(0, 4), (1, 3), (2, 1)].map(|it| ("Anna".to_owned(), it.0, it.1));
        assert_eq!(grades(&judgments), expected);
        assert_eq!(judgments.unreadable(), 0);
    }

    #[test]
    fn writers_see_each_other() {
        let (_folder, games) = games();
        let [mut one, mut other] = [0, 1].map(|_| Judgments::open(&games).unwrap());
        one.add(&games, [judgment(&games, "Anna", 1, 4)]).unwrap();
        other
            .add(&games, [judgment(&games, "Berta", 2, 3)])
            .unwrap();
        one.refresh(&games).unwrap();
        assert_eq!(grades(&one), grades(&other));
        assert_eq!(grades(&one).len(), 2);
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let (folder, games) = games();
        let mut judgments = Judgments::open(&games).unwrap();
        let both = [1, 2].map(|it| judgment(&games, "Anna", it, 4));
        judgments.add(&games, both).unwrap();
        let path = folder.path().join("home").join(NAME);
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|&it| it == b'\n').unwrap() + 1;
        // Whatever was written when the writer was killed, what came before stays.
        for end in first..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert!(faults(&folder.path().join("home")).unwrap().is_empty());
            let mut torn = Judgments::open(&games).unwrap();
            torn.add(&games, [judgment(&games, "Anna", 3, 1)]).unwrap();
            let again = Judgments::open(&games).unwrap();
            assert_eq!(again.unreadable(), 0);
            let expected = [(1, 4), (3, 1)].map(|it| ("Anna".to_owned(), it.0, it.1));
            assert_eq!(grades(&again), expected);
        }
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let (folder, games) = games();
        let mut judgments = Judgments::open(&games).unwrap();
        judgments
            .add(&games, [judgment(&games, "Anna", 1, 4)])
            .unwrap();
        let home = folder.path().join("home");
        let sound = fs::read(home.join(NAME)).unwrap();
        for at in 0..sound.len() - 1 {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            fs::write(home.join(NAME), &damaged).unwrap();
            let found = faults(&home).unwrap();
            assert_eq!(found.len(), 1, "byte {at}");
            assert!(found[0].contains("(line 1)"), "{}", found[0]);
        }
    }
}
