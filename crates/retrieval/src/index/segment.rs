//! Reading a segment: checked parts of a file, borrowed as far as a caller needs them.

use std::path::Path;

use shakmaty::Chess;

use super::{
    GameDigest, Occurrence, Replay, SEGMENT_WINDOWS, Section, Summary,
    annotation::StoredAnnotations,
    board::BOARD,
    case::Cases,
    exact::Table,
    format::{FormatError, Sections, VERSION},
    game::{GameRecord, StoredGames},
    motif::Motifs,
    part::{self, Part, Volume},
    posting::Postings,
    reader::{Boards, Games, Variations, Windows},
    string::Strings,
};
use crate::term::{PLACES, VOCABULARY};

/// An immutable file of games and the index over their positions.
#[derive(Debug)]
pub struct Segment {
    sections: Sections,
    summary: Summary,
    /// What the variations hold, if there are any.
    variations: Option<Summary>,
}

impl Segment {
    /// Opens a segment. Takes no time; blocks are checked when they are first read.
    ///
    /// # Errors
    ///
    /// When the file is missing, foreign, of another version, or damaged.
    pub fn open(path: &Path) -> Result<Segment, FormatError> {
        Segment::new(Sections::open(path)?)
    }

    /// Opens a segment that is already in memory.
    ///
    /// # Errors
    ///
    /// When the bytes are foreign, of another version, or damaged.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Segment, FormatError> {
        Segment::new(Sections::from_bytes(bytes)?)
    }

    /// Whether the file still has the length that it had when it was opened.
    ///
    /// # Errors
    ///
    /// When it was cut since.
    pub fn uncut(&self) -> Result<(), FormatError> {
        self.sections.uncut()
    }

    fn new(sections: Sections) -> Result<Segment, FormatError> {
        let summary = |volume: Volume| {
            let bytes = sections.whole(volume.kind(Part::Summary));
            bytes.map(Summary::from_bytes)
        };
        let has_variations = sections.has(Volume::Variations.kind(Part::Summary));
        let segment = Segment {
            summary: summary(Volume::Games)?,
            variations: has_variations
                .then(|| summary(Volume::Variations))
                .transpose()?,
            sections,
        };
        segment.check_sizes(Volume::Games, &segment.summary)?;
        if let Some(summary) = &segment.variations {
            segment.check_sizes(Volume::Variations, summary)?;
        }
        Ok(segment)
    }

    /// Counts that contradict each other would make wrong answers later.
    fn check_sizes(&self, volume: Volume, summary: &Summary) -> Result<(), FormatError> {
        let (games, windows) = (u64::from(summary.games), u64::from(summary.windows));
        let expected = |part| match part {
            Part::Games => Some(games * GameRecord::SIZE as u64),
            Part::Digests => Some(games * 16),
            Part::Lengths => Some(summary.positions),
            Part::Boards => Some(windows * BOARD as u64),
            Part::Shortest => Some(windows.div_ceil(64) * 64),
            Part::Frequencies => Some(VOCABULARY as u64 * 4),
            Part::Directory => Some((VOCABULARY as u64 + 1) * 4),
            Part::PlaceDirectory => Some((PLACES as u64 + 1) * 4),
            Part::Parents => Some(games * 4),
            _ => None,
        };
        for part in volume.parts(self.sections.version()) {
            let mut sizes = self.sections.sizes();
            let found = sizes.find(|it| it.0 == volume.kind(part)).map(|it| it.1);
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

    /// Reads all of the file and compares its checksums; a block is otherwise
    /// checked when it is first read.
    pub fn check(&self) -> Result<(), FormatError> {
        let mut sections = self.sections.sizes();
        sections.try_for_each(|(kind, _)| self.whole(kind).map(drop))
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
        let sizes = self.sections.sizes();
        let named = sizes.filter_map(|(kind, size)| Some((part::name_of(kind)?, size)));
        (self.sections.bytes().len() as u64, named)
    }

    /// What is known of the games.
    ///
    /// # Errors
    ///
    /// When a section is missing.
    pub(crate) fn games(&self) -> Result<Games<'_>, FormatError> {
        self.games_of(Volume::Games, self.summary)
    }

    /// The games and the boards they are replayed from.
    ///
    /// # Errors
    ///
    /// When a section is missing.
    pub(crate) fn boards(&self) -> Result<Boards<'_>, FormatError> {
        self.boards_of(Volume::Games, self.summary)
    }

    /// All that a search reads.
    ///
    /// # Errors
    ///
    /// When a section is missing.
    pub(crate) fn windows(&self) -> Result<Windows<'_>, FormatError> {
        self.windows_of(Volume::Games, self.summary)
    }

    /// The table of exact positions.
    ///
    /// # Errors
    ///
    /// When its index is damaged.
    pub(crate) fn exact(&self) -> Result<Table<'_>, FormatError> {
        self.exact_of(Volume::Games)
    }

    /// The variations of the games; `None` if there are none.
    ///
    /// # Errors
    ///
    /// When a section is missing.
    pub(crate) fn variations(&self) -> Result<Option<Variations<'_>>, FormatError> {
        let variations = self.variations.map(|summary| {
            Ok(Variations {
                windows: self.windows_of(Volume::Variations, summary)?,
                exact: self.exact_of(Volume::Variations)?,
                parents: self.section(Volume::Variations, Part::Parents)?,
            })
        });
        variations.transpose()
    }

    fn games_of(&self, volume: Volume, summary: Summary) -> Result<Games<'_>, FormatError> {
        let section = |part| self.section(volume, part);
        let empty = Section::from(&[][..]);
        let is_main = volume == Volume::Games;
        let has_annotations = is_main && self.sections.version() >= Part::Annotations.since();
        let annotations = has_annotations.then(|| -> Result<_, FormatError> {
            Ok(StoredAnnotations {
                annotated: section(Part::Annotated)?,
                groups: section(Part::Annotations)?,
            })
        });
        Ok(Games {
            summary,
            stored: StoredGames {
                records: section(Part::Games)?,
                moves: section(Part::Moves)?,
            },
            strings: Strings(section(Part::Strings)?),
            others: if is_main {
                section(Part::Others)?
            } else {
                empty
            },
            annotations: annotations.transpose()?,
        })
    }

    fn boards_of(&self, volume: Volume, summary: Summary) -> Result<Boards<'_>, FormatError> {
        Ok(Boards {
            games: self.games_of(volume, summary)?,
            boards: self.section(volume, Part::Boards)?,
        })
    }

    fn windows_of(&self, volume: Volume, summary: Summary) -> Result<Windows<'_>, FormatError> {
        let postings = |directory, postings| -> Result<Postings<'_>, FormatError> {
            Ok(Postings {
                directory: self.section(volume, directory)?,
                postings: self.section(volume, postings)?,
                windows: summary.windows as usize,
            })
        };
        let has_places = self.sections.version() >= Part::Places.since();
        let places = has_places.then(|| postings(Part::PlaceDirectory, Part::Places));
        Ok(Windows {
            boards: self.boards_of(volume, summary)?,
            lengths: self.section(volume, Part::Lengths)?,
            shortest: self.section(volume, Part::Shortest)?,
            postings: postings(Part::Directory, Part::Postings)?,
            places: places.transpose()?,
        })
    }

    fn exact_of(&self, volume: Volume) -> Result<Table<'_>, FormatError> {
        let index = self.section(volume, Part::ExactIndex)?;
        let blocks = self.sections.unchecked(volume.kind(Part::Exact))?;
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
        let actions = self.section(Volume::Games, Part::Actions)?;
        let cases = self.section(Volume::Games, Part::Cases)?;
        Ok(Cases::new(actions, cases))
    }

    /// The motifs of the exhibits; `None` if there are none.
    ///
    /// # Errors
    ///
    /// When a section is missing.
    pub(crate) fn motifs(&self) -> Result<Option<Motifs<'_>>, FormatError> {
        if !self.has(Volume::Games.kind(Part::Exhibits)) {
            return Ok(None);
        }
        Ok(Some(Motifs {
            exhibits: self.section(Volume::Games, Part::Exhibits)?,
            lexicon: self.section(Volume::Games, Part::Lexicon)?,
            motifs: self.section(Volume::Games, Part::Motifs)?,
        }))
    }

    /// Counts in how many positions each term occurs.
    pub(crate) fn frequencies(&self) -> Result<impl Iterator<Item = u32> + '_, FormatError> {
        let bytes = self.whole(Volume::Games.kind(Part::Frequencies))?;
        Ok(bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it)))
    }

    /// Hands over what is known of each game without reading its moves, and the players' names.
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
    pub fn digests(&self) -> Result<impl Iterator<Item = GameDigest> + '_, FormatError> {
        let bytes = self.whole(Volume::Games.kind(Part::Digests))?;
        Ok(bytes
            .as_chunks::<16>()
            .0
            .iter()
            .map(|it| GameDigest::from_bytes(*it)))
    }

    /// A section whose blocks are checked when they are read.
    fn section(&self, volume: Volume, part: Part) -> Result<Section<'_>, FormatError> {
        self.sections.section(volume.kind(part))
    }

    /// Whether the file has a section.
    pub(super) fn has(&self, kind: u32) -> bool {
        self.sections.has(kind)
    }

    /// All bytes of a section, checked.
    pub(super) fn whole(&self, kind: u32) -> Result<&[u8], FormatError> {
        self.sections.whole(kind)
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
