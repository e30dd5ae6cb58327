//! Reading a segment: games, boards, lengths and postings by number.

use std::path::Path;

use shakmaty::{Board, Chess, Color, Position};
use tabiya_chess::{CompactMove, Game, Tags};

use super::{
    Digest, Occurrence, Replay, SEGMENT_WINDOWS, SegmentBuilder, WINDOW, WindowId,
    builder::board_from_bytes,
    case::Cases,
    exact::Table,
    format::{FormatError, Sections, u32_at, u64_at},
    game::{GameRecord, RECORD, StoredGames},
    posting::Postings,
    string::{StringId, Strings},
};
use crate::term::{Term, VOCABULARY};

/// The sections of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Summary = 1,
    Games = 2,
    Strings = 3,
    Moves = 4,
    Others = 5,
    Digests = 6,
    Lengths = 7,
    Boards = 8,
    Shortest = 9,
    Frequencies = 10,
    Directory = 11,
    Postings = 12,
    ExactIndex = 13,
    Exact = 14,
    Actions = 15,
    Cases = 16,
}

impl Part {
    pub(crate) const ALL: [Part; 16] = [
        Part::Summary,
        Part::Games,
        Part::Strings,
        Part::Moves,
        Part::Others,
        Part::Digests,
        Part::Lengths,
        Part::Boards,
        Part::Shortest,
        Part::Frequencies,
        Part::Directory,
        Part::Postings,
        Part::ExactIndex,
        Part::Exact,
        Part::Actions,
        Part::Cases,
    ];

    /// Whether the first format did without it.
    const fn is_of_library(self) -> bool {
        matches!(self, Part::Actions | Part::Cases)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Part::Summary => "summary",
            Part::Games => "games",
            Part::Strings => "names",
            Part::Moves => "moves",
            Part::Others => "other tags",
            Part::Digests => "digests",
            Part::Lengths => "lengths",
            Part::Boards => "boards",
            Part::Shortest => "shortest lengths",
            Part::Frequencies => "frequencies",
            Part::Directory => "directory",
            Part::Postings => "postings",
            Part::ExactIndex => "index of exact positions",
            Part::Exact => "exact positions",
            Part::Actions => "actions",
            Part::Cases => "cases",
        }
    }
}

/// What a segment holds, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many games.
    pub games: u32,
    /// How many windows.
    pub windows: u32,
    /// How many indexed positions.
    pub positions: u64,
    /// The sum of the lengths of all positions' documents.
    pub total_length: u64,
}

impl Summary {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = self.games.to_le_bytes().to_vec();
        bytes.extend_from_slice(&self.windows.to_le_bytes());
        bytes.extend_from_slice(&self.positions.to_le_bytes());
        bytes.extend_from_slice(&self.total_length.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Summary {
        Summary {
            games: u32_at(bytes, 0),
            windows: u32_at(bytes, 4),
            positions: u64_at(bytes, 8),
            total_length: u64_at(bytes, 16),
        }
    }
}

/// An immutable file of games and the index over their positions.
#[derive(Debug)]
pub struct Segment {
    sections: Sections,
    summary: Summary,
}

impl Segment {
    /// Opens a segment. Takes no time; sections are checked when first used.
    ///
    /// # Errors
    ///
    /// When the file is missing, foreign, of another version, or damaged.
    pub fn open(path: &Path) -> Result<Segment, FormatError> {
        let sections = Sections::open(path)?;
        let summary = Summary::from_bytes(sections.section(Part::Summary as u32)?);
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
            Part::Games => Some(games * RECORD as u64),
            Part::Digests => Some(games * 16),
            Part::Lengths => Some(self.summary.positions),
            Part::Boards => Some(windows * 32),
            Part::Shortest => Some(windows.div_ceil(64) * 64),
            Part::Frequencies => Some(VOCABULARY as u64 * 4),
            Part::Directory => Some((VOCABULARY as u64 + 1) * 4),
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
        self.sections.is_outdated()
    }

    /// Reads all of the file and compares its checksums; a section is otherwise
    /// checked when it is first used.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub fn check(&self) -> Result<(), FormatError> {
        let check = |part: Part| self.sections.section(part as u32).map(drop);
        self.parts().try_for_each(check)
    }

    /// The parts that the segment's format has.
    fn parts(&self) -> impl Iterator<Item = Part> + use<> {
        let is_outdated = self.is_outdated();
        Part::ALL
            .into_iter()
            .filter(move |it| !(is_outdated && it.is_of_library()))
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

    /// Checks and borrows all that a search reads.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub(crate) fn reader(&self) -> Result<Reader<'_>, FormatError> {
        let section = |part: Part| self.sections.section(part as u32);
        Ok(Reader {
            lengths: section(Part::Lengths)?,
            boards: section(Part::Boards)?,
            shortest: section(Part::Shortest)?,
            postings: Postings {
                directory: section(Part::Directory)?,
                postings: section(Part::Postings)?,
                windows: self.summary.windows as usize,
            },
            ..self.games()?
        })
    }

    /// Checks and borrows the games and the boards they are replayed from; the
    /// reader finds no posting.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub(crate) fn boards(&self) -> Result<Reader<'_>, FormatError> {
        Ok(Reader {
            boards: self.sections.section(Part::Boards as u32)?,
            ..self.games()?
        })
    }

    /// Checks and borrows what is known of the games alone; the reader finds
    /// no window and no posting.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub(crate) fn games(&self) -> Result<Reader<'_>, FormatError> {
        let section = |part: Part| self.sections.section(part as u32);
        Ok(Reader {
            summary: self.summary,
            games: section(Part::Games)?,
            strings: Strings(section(Part::Strings)?),
            moves: section(Part::Moves)?,
            others: section(Part::Others)?,
            lengths: &[],
            boards: &[],
            shortest: &[],
            postings: Postings {
                directory: &[],
                postings: &[],
                windows: self.summary.windows as usize,
            },
        })
    }

    /// The table of exact positions.
    ///
    /// # Errors
    ///
    /// When its index is damaged.
    pub(crate) fn exact(&self) -> Result<Table<'_>, FormatError> {
        let index = self.sections.section(Part::ExactIndex as u32)?;
        let blocks = self.sections.unchecked(Part::Exact as u32)?;
        Table::new(index, blocks).map_err(|error| self.damaged(error.to_string()))
    }

    /// The library: where each action was answered.
    ///
    /// # Errors
    ///
    /// When a section is damaged, or the segment was written without.
    pub(crate) fn cases(&self) -> Result<Cases<'_>, FormatError> {
        if self.is_outdated() {
            return Err(self.sections.outdated("cases"));
        }
        let actions = self.sections.section(Part::Actions as u32)?;
        let cases = self.sections.section(Part::Cases as u32)?;
        Ok(Cases::new(actions, cases))
    }

    /// Counts in how many positions each term occurs.
    ///
    /// # Errors
    ///
    /// When the section is damaged.
    pub(crate) fn frequencies(&self) -> Result<impl Iterator<Item = u32> + '_, FormatError> {
        let bytes = self.sections.section(Part::Frequencies as u32)?;
        Ok(bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it)))
    }

    /// How many postings there are: terms counted once in each window.
    ///
    /// # Errors
    ///
    /// When a section is damaged.
    pub fn runs(&self) -> Result<u64, FormatError> {
        let postings = self.reader()?.postings;
        let mut bitmap = vec![0; postings.words()];
        let mut runs = 0;
        for term in (0..VOCABULARY).filter_map(Term::from_index) {
            if postings.load(term, &mut bitmap) {
                runs += bitmap
                    .iter()
                    .map(|it| u64::from(it.count_ones()))
                    .sum::<u64>();
            }
        }
        Ok(runs)
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
        let bytes = self.sections.section(Part::Digests as u32)?;
        Ok(bytes
            .as_chunks::<16>()
            .0
            .iter()
            .map(|it| Digest::from_bytes(*it)))
    }

    /// Compares the segment with one that was built of its games.
    ///
    /// # Errors
    ///
    /// When a part differs, or its checksum is wrong.
    pub(crate) fn compare(&self, builder: SegmentBuilder) -> Result<(), FormatError> {
        let built = builder.into_sections().into_iter();
        for (part, bytes) in built.filter(|it| self.parts().any(|part| part == it.0)) {
            if self.sections.section(part as u32)? != bytes {
                return Err(self.damaged(format!("its {} do not fit its games", part.name())));
            }
        }
        Ok(())
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> FormatError {
        self.sections.damaged(what)
    }
}

/// Played through from the start of the game; checks the games when they are
/// first asked for.
impl Replay for Segment {
    fn position_at(&self, occurrence: Occurrence) -> Option<Chess> {
        let reader = self.games().ok()?;
        let record = reader.record(occurrence.game as usize);
        if occurrence.ply > record.plies {
            return None;
        }
        let mut position = reader.setup(&record).map_or_else(Chess::default, |it| *it);
        for mv in reader.moves(&record, 0).take(occurrence.ply.into()) {
            position = mv.play(position)?;
        }
        Some(position)
    }
}

/// All of a segment, checked. Cheap to make once the sections are checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) summary: Summary,
    games: &'a [u8],
    strings: Strings<'a>,
    moves: &'a [u8],
    others: &'a [u8],
    lengths: &'a [u8],
    boards: &'a [u8],
    shortest: &'a [u8],
    pub(crate) postings: Postings<'a>,
}

impl<'a> Reader<'a> {
    pub(crate) fn games(&self) -> usize {
        self.summary.games as usize
    }

    /// What the explorer asks of the games.
    pub(crate) fn facts(&self) -> StoredGames<'a> {
        StoredGames {
            records: self.games,
            moves: self.moves,
        }
    }

    pub(crate) fn string(&self, id: StringId) -> &'a str {
        self.strings.get(id)
    }

    /// The record of a game; an empty one if there is no such game.
    pub(crate) fn record(&self, game: usize) -> GameRecord {
        GameRecord::read(self.games.get(game * RECORD..).unwrap_or_default())
    }

    /// The game that a window belongs to.
    pub(crate) fn game_of(&self, window: WindowId) -> usize {
        let first_window = |game: usize| u32_at(self.games, game * RECORD + 44);
        // Games without windows share their number with the next one, so take
        // the last that begins here.
        let (mut low, mut high) = (0, self.games());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if first_window(middle) <= u32::from(window) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The moves of a game from a ply on.
    pub(crate) fn moves(
        &self,
        record: &GameRecord,
        from: usize,
    ) -> impl Iterator<Item = CompactMove> + use<'a> {
        let begin = 2 * (record.first_move as usize + from);
        let end = 2 * (record.first_move as usize + usize::from(record.plies));
        let bytes = self.moves.get(begin..end).unwrap_or_default();
        bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|it| CompactMove::from_bits(u16::from_le_bytes(*it)))
    }

    /// The stored moves of a game before a ply, if it began as usual and has no
    /// window there: games that begin alike have the same.
    pub(crate) fn opening(&self, record: &GameRecord, ply: u16) -> Option<&'a [u8]> {
        if record.setup > 0 || ply >= record.first_ply {
            return None;
        }
        let begin = 2 * record.first_move as usize;
        self.moves.get(begin..begin + 2 * usize::from(ply))
    }

    /// The positions of a window: ply, document length (255 for more) and
    /// board, in order.
    pub(crate) fn for_each_position(
        &self,
        record: &GameRecord,
        window: WindowId,
        mut visit: impl FnMut(usize, u8, &Board),
    ) {
        let window = usize::from(window);
        let Some(offset) = window.checked_sub(record.first_window as usize) else {
            return;
        };
        let first_ply = usize::from(record.first_ply) + offset * WINDOW;
        let last_ply = usize::from(record.plies).min(first_ply + WINDOW - 1);
        let bytes = self.boards.get(window * 32..).unwrap_or_default();
        let Some(mut board) = board_from_bytes(bytes) else {
            return;
        };
        let first_length = record.first_position as usize + offset * WINDOW;
        let lengths = self.lengths.get(first_length..).unwrap_or_default();
        let mut moves = self.moves(record, first_ply);
        for (ply, &length) in (first_ply..=last_ply).zip(lengths) {
            visit(ply, length, &board);
            if let Some(mv) = moves.next() {
                mv.play_on(&mut board);
            }
        }
    }

    /// The board after so many half-moves of a game, from the window it lies
    /// in if there is one. `None` if the game is shorter, or damaged.
    pub(crate) fn board_at(&self, record: &GameRecord, ply: u16) -> Option<Board> {
        if ply > record.plies {
            return None;
        }
        let (mut board, from) = match ply.checked_sub(record.first_ply) {
            Some(offset) => {
                let window = record.first_window as usize + usize::from(offset) / WINDOW;
                let board = board_from_bytes(self.boards.get(window * 32..)?)?;
                (board, ply - offset % WINDOW as u16)
            }
            None => {
                let start = self.setup(record).map(|it| it.board().clone());
                (start.unwrap_or_default(), 0)
            }
        };
        let moves = self.moves(record, from.into());
        moves
            .take((ply - from).into())
            .for_each(|it| it.play_on(&mut board));
        Some(board)
    }

    /// One bit of the least document length in each window, as a bitmap.
    pub(crate) fn load_shortest(&self, bit: usize, bitmap: &mut [u64]) {
        let words = self.postings.words();
        let plane = self.shortest.get(bit * words * 8..).unwrap_or_default();
        for (word, chunk) in bitmap[..words].iter_mut().zip(plane.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*chunk);
        }
    }

    /// The least document length in a window, 255 standing for more as well.
    pub(crate) fn shortest(&self, window: WindowId) -> u8 {
        let words = self.postings.words();
        let (word, shift) = (usize::from(window) / 64, window % 64);
        let bit = |it: usize| (u64_at(self.shortest, (it * words + word) * 8) >> shift & 1) as u8;
        (0..8).map(|it| bit(it) << it).sum()
    }

    /// The start of a game: `None` is the usual one.
    fn setup(&self, record: &GameRecord) -> Option<Box<Chess>> {
        let fen = self.string(record.setup.checked_sub(1)?);
        // The import let some impossible starts through; so does this.
        tabiya_chess::pgn::read_start(fen).ok().map(Box::new)
    }

    /// Whose turn it is at the start of a game.
    pub(crate) fn first_turn(&self, record: &GameRecord) -> Color {
        let fen = record.setup.checked_sub(1).map_or("", |it| self.string(it));
        let is_black = fen.split(' ').nth(1) == Some("b");
        Color::from_white(!is_black)
    }

    /// The tags of a game.
    pub(crate) fn tags(&self, record: &GameRecord) -> Tags {
        let string = |id| self.string(id).to_owned();
        let others = self
            .others
            .get(record.first_other as usize * 8..)
            .unwrap_or_default();
        Tags {
            event: string(record.event),
            site: string(record.site),
            date: record.date,
            round: string(record.round),
            white: string(record.white),
            black: string(record.black),
            result: record.result(),
            white_elo: Some(record.white_elo).filter(|&it| it > 0),
            black_elo: Some(record.black_elo).filter(|&it| it > 0),
            eco: record.eco(),
            others: others
                .as_chunks::<8>()
                .0
                .iter()
                .take(record.others as usize)
                .map(|it| (string(u32_at(it, 0)), string(u32_at(it, 4))))
                .collect(),
        }
    }

    /// A game in full.
    pub(crate) fn game(&self, game: usize) -> Game {
        let record = self.record(game);
        Game {
            tags: self.tags(&record),
            setup: self.setup(&record),
            moves: self.moves(&record, 0).collect(),
        }
    }
}
