//! Reading a segment: checked parts of a file, borrowed as far as a caller needs them.

use std::path::Path;

use shakmaty::Chess;

use super::{
    Digest, Occurrence, Replay, SEGMENT_WINDOWS, Section, Summary,
    board::BOARD,
    case::Cases,
    exact::Table,
    format::{FormatError, Sections, VERSION},
    game::{GameRecord, StoredGames},
    part::Part,
    posting::Postings,
    reader::{Boards, Games, Windows},
    string::Strings,
};
use crate::term::{PLACES, VOCABULARY};

/// An immutable file of games and the index over their positions.
#[derive(Debug)]
pub struct Segment {
    sections: Sections,
    summary: Summary,
}

impl Segment {
    /// Opens a segment. Takes no time; blocks are checked when they are first read.
    ///
    /// # Errors
    ///
    /// When the file is missing, foreign, of another version, or damaged.
    pub fn open(path: &Path) -> Result<Segment, FormatError> {
        let sections = Sections::open(path)?;
        let summary = Summary::from_bytes(sections.whole(Part::Summary as u32)?);
        let segment = Segment { sections, summary };
        segment.check_sizes()?;
        Ok(segment)
    }

    /// Counts that contradict each other would make wrong answers later.
    fn check_sizes(&self) -> Result<(), FormatError> {
        let (games, windows) = (
            u64::from(self.summary.games),
            u64::from(self.summary.windows),
        );
        let expected = |part| match part {
            Part::Games => Some(games * GameRecord::SIZE as u64),
            Part::Digests => Some(games * 16),
            Part::Lengths => Some(self.summary.positions),
            Part::Boards => Some(windows * BOARD as u64),
            Part::Shortest => Some(windows.div_ceil(64) * 64),
            Part::Frequencies => Some(VOCABULARY as u64 * 4),
            Part::Directory => Some((VOCABULARY as u64 + 1) * 4),
            Part::PlaceDirectory => Some((PLACES as u64 + 1) * 4),
            _ => None,
        };
        for part in self.parts() {
            let found = self
                .sections
                .sizes()
                .find(|it| it.0 == part as u32)
                .map(|it| it.1);
            if found.is_none() || expected(part).is_some_and(|it| found != Some(it)) {
                return Err(self
                    .sections
                    .damaged(format!("its {} have the wrong size", part.name())));
            }
        }
        if windows > SEGMENT_WINDOWS as u64 {
            return Err(self.sections.damaged("it has too many windows"));
        }
        Ok(())
    }

    /// Whether the segment was written in an older format; it can be read, but
    /// not asked for what came later.
    pub fn is_outdated(&self) -> bool {
        self.sections.version() < VERSION
    }

    /// Reads all of the file and compares its checksums; a section is otherwise
    /// checked when it is first used.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub fn check(&self) -> Result<(), FormatError> {
        self.parts().try_for_each(|it| self.whole(it).map(drop))
    }

    /// The parts that the segment's format has.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> + use<> {
        let version = self.sections.version();
        Part::ALL
            .into_iter()
            .filter(move |it| it.since() <= version)
    }

    /// What the segment holds, in numbers.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Where the segment lies.
    pub fn path(&self) -> &Path {
        self.sections.path()
    }

    /// The size of the file, and of its parts by name.
    pub fn sizes(&self) -> (u64, impl Iterator<Item = (&'static str, u64)> + '_) {
        let named = self.sections.sizes().filter_map(|(kind, size)| {
            let part = Part::ALL.into_iter().find(|it| *it as u32 == kind)?;
            Some((part.name(), size))
        });
        (self.sections.bytes().len() as u64, named)
    }

    /// Checks and borrows what is known of the games.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub(crate) fn games(&self) -> Result<Games<'_>, FormatError> {
        Ok(Games {
            summary: self.summary,
            stored: StoredGames {
                records: self.section(Part::Games)?,
                moves: self.section(Part::Moves)?,
            },
            strings: Strings(self.section(Part::Strings)?),
            others: self.section(Part::Others)?,
        })
    }

    /// Checks and borrows the games and the boards they are replayed from.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub(crate) fn boards(&self) -> Result<Boards<'_>, FormatError> {
        Ok(Boards {
            games: self.games()?,
            boards: self.section(Part::Boards)?,
        })
    }

    /// Checks and borrows all that a search reads.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub(crate) fn windows(&self) -> Result<Windows<'_>, FormatError> {
        let postings = |directory, postings| -> Result<Postings<'_>, FormatError> {
            Ok(Postings {
                directory: self.section(directory)?,
                postings: self.section(postings)?,
                windows: self.summary.windows as usize,
            })
        };
        let has_places = self.sections.version() >= Part::Places.since();
        let places = has_places.then(|| postings(Part::PlaceDirectory, Part::Places));
        Ok(Windows {
            boards: self.boards()?,
            lengths: self.section(Part::Lengths)?,
            shortest: self.section(Part::Shortest)?,
            postings: postings(Part::Directory, Part::Postings)?,
            places: places.transpose()?,
        })
    }

    /// The table of exact positions.
    ///
    /// # Errors
    ///
    /// When its index is damaged.
    pub(crate) fn exact(&self) -> Result<Table<'_>, FormatError> {
        let index = self.section(Part::ExactIndex)?;
        let blocks = self.sections.unchecked(Part::Exact as u32)?;
        Table::new(index, blocks).map_err(|error| self.damaged(error.to_string()))
    }

    /// The library: where each action was answered.
    ///
    /// # Errors
    ///
    /// When a section is damaged, or the segment was written without.
    pub(crate) fn cases(&self) -> Result<Cases<'_>, FormatError> {
        if self.sections.version() < Part::Cases.since() {
            return Err(self.sections.outdated("cases"));
        }
        let actions = self.section(Part::Actions)?;
        let cases = self.section(Part::Cases)?;
        Ok(Cases::new(actions, cases))
    }

    /// Counts in how many positions each term occurs.
    ///
    /// # Errors
    ///
    /// When the section is damaged.
    pub(crate) fn frequencies(&self) -> Result<impl Iterator<Item = u32> + '_, FormatError> {
        let bytes = self.whole(Part::Frequencies)?;
        Ok(bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it)))
    }

    /// Hands over what is known of each game without reading its moves, and the players' names.
    ///
    /// # Errors
    ///
    /// When the segment is damaged.
    pub fn for_each_record(
        &self,
        mut visit: impl FnMut(&GameRecord, [&str; 2]),
    ) -> Result<(), FormatError> {
        let games = self.games()?;
        for record in games.indices().map(|it| games.record(it)) {
            visit(
                &record,
                [record.white, record.black].map(|it| games.string(it)),
            );
        }
        self.sound()
    }

    /// How many postings there are: terms counted once in each window.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub fn postings(&self) -> Result<u64, FormatError> {
        let postings = self.windows()?.postings;
        let mut bitmap = vec![0; postings.words()];
        let mut count = 0;
        for term in 0..VOCABULARY {
            if postings.load(term, &mut bitmap) {
                count += bitmap
                    .iter()
                    .map(|it| u64::from(it.count_ones()))
                    .sum::<u64>();
            }
        }
        self.sound().map(|()| count)
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.sections.bytes()
    }

    /// The digests of the games.
    ///
    /// # Errors
    ///
    /// When the section is damaged.
    pub fn digests(&self) -> Result<impl Iterator<Item = Digest> + '_, FormatError> {
        let bytes = self.whole(Part::Digests)?;
        Ok(bytes
            .as_chunks::<16>()
            .0
            .iter()
            .map(|it| Digest::from_bytes(*it)))
    }

    /// A section whose blocks are checked when they are read.
    fn section(&self, part: Part) -> Result<Section<'_>, FormatError> {
        self.sections.section(part as u32)
    }

    /// All bytes of a section, checked.
    pub(super) fn whole(&self, part: Part) -> Result<&[u8], FormatError> {
        self.sections.whole(part as u32)
    }

    /// Whether all that was read so far is as it was written. Damaged blocks read as
    /// nothing, so whoever reads asks this before an answer is given.
    ///
    /// # Errors
    ///
    /// When a damaged block was read.
    pub fn sound(&self) -> Result<(), FormatError> {
        self.sections.sound()
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> FormatError {
        self.sections.damaged(what)
    }
}

/// Played through from the start of the game; checks the games when they are
/// first asked for.
impl Replay for Segment {
    fn position_at(&self, occurrence: Occurrence) -> Option<Chess> {
        self.games().ok()?.position_at(occurrence)
    }
}
