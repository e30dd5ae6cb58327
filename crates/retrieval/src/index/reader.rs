//! What is read of a segment, typed by what was checked: [`Games`] alone, with
//! the [`Boards`] they are replayed from, with the [`Windows`] that a search
//! bounds and scores.

use std::ops::Deref;

use shakmaty::{Board, Chess, Color, Position};
use tabiya_chess::{Annotations, CompactMove, Game, Layout, Ply, Tags};

use super::{
    GameIndex, Occurrence, Replay, Section, Summary, VariationNumber, WINDOW, WindowId,
    annotation::StoredAnnotations,
    board::Planes,
    exact::Table,
    game::{GameRecord, StoredGames},
    partition_point,
    posting::Postings,
    string::{StringId, Strings},
    u32_at,
};
use crate::term::Term;

/// The games of a segment: records, tags and moves. Cheap to make once the
/// sections are checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Games<'a> {
    pub(crate) summary: Summary,
    pub(super) stored: StoredGames<'a>,
    pub(super) strings: Strings<'a>,
    pub(super) others: Section<'a>,
    /// Formats before the third have none.
    pub(super) annotations: Option<StoredAnnotations<'a>>,
}

impl<'a> Games<'a> {
    /// How many games there are.
    pub(crate) fn len(&self) -> usize {
        self.summary.games as usize
    }

    /// The indices of all games.
    pub(crate) fn indices(&self) -> impl Iterator<Item = GameIndex> + use<> {
        (0..self.summary.games).map(GameIndex)
    }

    /// Whether there is such a game.
    pub(crate) fn has(&self, game: GameIndex) -> bool {
        game.0 < self.summary.games
    }

    /// What a tally asks of the games.
    pub(crate) fn facts(&self) -> StoredGames<'a> {
        self.stored
    }

    pub(crate) fn string(&self, id: StringId) -> &'a str {
        self.strings.get(id)
    }

    /// The record of a game; an empty one if there is no such game.
    pub(crate) fn record(&self, game: GameIndex) -> GameRecord {
        self.stored.record(game).unwrap_or_default()
    }

    /// The moves of a game from a ply on.
    pub(crate) fn moves(
        &self,
        record: &GameRecord,
        from: Ply,
    ) -> impl Iterator<Item = CompactMove> + use<'a> {
        let begin = 2 * (record.first_move as usize + usize::from(from));
        let end = 2 * (record.first_move as usize + usize::from(record.plies));
        let bytes = self.stored.moves.get(begin..end);
        bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|it| CompactMove::from_bits(u16::from_le_bytes(*it)))
    }

    /// The stored moves of a game, two bytes each.
    pub(crate) fn stored_moves(&self, record: &GameRecord) -> &'a [[u8; 2]] {
        let begin = 2 * record.first_move as usize;
        let end = begin + 2 * usize::from(record.plies);
        self.stored.moves.get(begin..end).as_chunks::<2>().0
    }

    /// The stored moves of a game before a ply, if it began as usual and has no
    /// window there: games that begin alike have the same.
    pub(crate) fn opening(&self, record: &GameRecord, ply: Ply) -> Option<&'a [u8]> {
        if record.setup > 0 || ply >= record.first_ply {
            return None;
        }
        let begin = 2 * record.first_move as usize;
        Some(self.stored.moves.get(begin..begin + 2 * usize::from(ply)))
    }

    /// The start of a game: `None` is the usual one.
    fn setup(&self, record: &GameRecord) -> Option<Box<Chess>> {
        let fen = self.string(record.setup.checked_sub(1)?);
        // The import let some impossible starts through; so does this.
        tabiya_chess::pgn::read_start(fen).ok().map(Box::new)
    }

    /// The first position of a game.
    pub(crate) fn start(&self, record: &GameRecord) -> Chess {
        self.setup(record).map_or_else(Chess::default, |it| *it)
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
        let first = record.first_other as usize * 8;
        let others = self.others.get(first..first + record.others as usize * 8);
        let pairs = others.as_chunks::<8>().0.iter();
        let mut others: Vec<_> = pairs
            .map(|it| (string(u32_at(it, 0)), string(u32_at(it, 4))))
            .collect();
        // A tag without a name keeps the order of the others.
        let layout = match others.first() {
            Some((name, _)) if name.is_empty() => Layout::from(others.remove(0).1.as_str()),
            _ => Layout::default(),
        };
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
            layout,
            others,
        }
    }

    /// The value of a tag of a game that has no field of its own.
    pub(crate) fn other(&self, record: &GameRecord, name: &str) -> Option<&'a str> {
        let first = record.first_other as usize * 8;
        let others = self.others.get(first..first + record.others as usize * 8);
        let mut pairs = others.as_chunks::<8>().0.iter();
        let pair = pairs.find(|it| self.string(u32_at(*it, 0)) == name)?;
        Some(self.string(u32_at(pair, 4)))
    }

    /// The position at an occurrence; `None` if the game has no such ply.
    pub(super) fn position_at(&self, occurrence: Occurrence) -> Option<Chess> {
        let record = self.record(occurrence.game);
        if occurrence.ply > record.plies {
            return None;
        }
        let mut position = self.start(&record);
        for mv in self.moves(&record, Ply::FIRST).take(occurrence.ply.into()) {
            position = mv.play(position)?;
        }
        Some(position)
    }

    /// A game in full.
    pub(crate) fn game(&self, game: GameIndex) -> Game {
        let record = self.record(game);
        Game {
            tags: self.tags(&record),
            setup: self.setup(&record),
            moves: self.moves(&record, Ply::FIRST).collect(),
            annotations: self.annotations(game),
        }
    }

    /// The annotations of a game.
    pub(crate) fn annotations(&self, game: GameIndex) -> Annotations {
        self.annotations.map(|it| it.of(game)).unwrap_or_default()
    }

    /// Whether any game is annotated.
    pub(crate) fn has_annotations(&self) -> bool {
        self.annotations.is_some_and(|it| !it.is_empty())
    }

    /// Whether an annotator says something in words in a game.
    pub(crate) fn words_of(&self, game: GameIndex) -> bool {
        self.annotations.is_some_and(|it| it.have_words(game))
    }
}

/// The games of a segment, and the boards that windows begin with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boards<'a> {
    pub(super) games: Games<'a>,
    pub(super) boards: Section<'a>,
}

impl<'a> Deref for Boards<'a> {
    type Target = Games<'a>;

    fn deref(&self) -> &Games<'a> {
        &self.games
    }
}

impl Boards<'_> {
    /// The board after `ply` plies of a game, from the window it lies
    /// in if there is one. `None` if the game is shorter, or damaged.
    pub(crate) fn board_at(&self, record: &GameRecord, ply: Ply) -> Option<Board> {
        if ply > record.plies {
            return None;
        }
        let (from, mut board) = self.board_before(record, ply)?;
        let moves = self.moves(record, from).take(ply.since(from)?);
        moves.for_each(|it| it.play_on(&mut board));
        Some(board)
    }

    fn first_planes(&self, window: usize) -> Option<Planes> {
        self.boards.record(window).map(Planes::from_bytes)
    }

    /// The stored board at a ply of a game or before it, and its ply.
    pub(crate) fn board_before(&self, record: &GameRecord, ply: Ply) -> Option<(Ply, Board)> {
        let Some(offset) = ply.since(record.first_ply) else {
            let start = self.setup(record).map(|it| it.board().clone());
            return Some((Ply::FIRST, start.unwrap_or_default()));
        };
        let window = offset / WINDOW;
        let from = usize::from(record.first_ply) + window * WINDOW;
        let board = self.first_board(record.first_window as usize + window)?;
        Some((Ply::after(from), board))
    }

    /// How many pieces of each kind the board has that a window begins with: White's pawn to king, then Black's.
    pub(crate) fn first_counts(&self, window: usize) -> Option<[u8; 12]> {
        let pieces = self.first_planes(window)?.pieces();
        Some(pieces.map(|it| it.count() as u8))
    }

    /// The board that a window begins with.
    pub(crate) fn first_board(&self, window: usize) -> Option<Board> {
        self.first_planes(window)?.board()
    }
}

/// All that a search reads: games, boards, lengths and postings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows<'a> {
    pub(super) boards: Boards<'a>,
    pub(super) lengths: Section<'a>,
    pub(super) shortest: Section<'a>,
    pub(crate) postings: Postings<'a>,
    /// The windows in which a piece truly stands on a square. Formats before the third do
    /// not tell.
    pub(super) places: Option<Postings<'a>>,
}

impl<'a> Deref for Windows<'a> {
    type Target = Boards<'a>;

    fn deref(&self) -> &Boards<'a> {
        &self.boards
    }
}

impl Windows<'_> {
    /// The game that a window belongs to, which is this one or comes after it, mostly soon.
    pub(crate) fn game_of(&self, window: WindowId, from: GameIndex) -> GameIndex {
        let is_before =
            |it: usize| self.record(GameIndex(it as u32)).first_window <= u32::from(window);
        let from = usize::from(from);
        let mut ahead = 1;
        while from + ahead < self.len() && is_before(from + ahead) {
            ahead *= 2;
        }
        let near = from + ahead / 2;
        let end = self.len().min(from + ahead);
        // Games without windows share their number with the next one, so take
        // the last that begins here.
        let after = near + partition_point(end - near, |it| is_before(near + it));
        GameIndex(after.saturating_sub(1) as u32)
    }

    /// The stored moves of a game up to the last position of a window, if all of the game is indexed
    /// and it began as usual: games with the same moves have the same window.
    pub(crate) fn moves_through(
        &self,
        record: &GameRecord,
        window: WindowId,
    ) -> Option<&[[u8; 2]]> {
        let before = usize::from(window).checked_sub(record.first_window as usize)?;
        let is_usual = record.setup == 0 && record.first_ply == Ply::FIRST;
        let moves = self.stored_moves(record);
        let end = moves.len().min((before + 1) * WINDOW - 1);
        is_usual.then(|| &moves[..end])
    }

    /// The positions of a window: ply, document length (255 for more) and
    /// board, in order.
    pub(crate) fn for_each_position(
        &self,
        record: &GameRecord,
        window: WindowId,
        mut visit: impl FnMut(Ply, u8, &Planes),
    ) {
        let window = usize::from(window);
        let Some(offset) = window.checked_sub(record.first_window as usize) else {
            return;
        };
        let first_ply = usize::from(record.first_ply) + offset * WINDOW;
        let last_ply = usize::from(record.plies).min(first_ply + WINDOW - 1);
        let Some(mut board) = self.first_planes(window) else {
            return;
        };
        let first_length = record.first_position as usize + offset * WINDOW;
        let lengths = self
            .lengths
            .get(first_length..first_length + (last_ply + 1).saturating_sub(first_ply));
        let mut moves = self.moves(record, Ply::after(first_ply));
        for (ply, &length) in (first_ply..=last_ply).zip(lengths) {
            visit(Ply::after(ply), length, &board);
            if let Some(mv) = moves.next() {
                board.play(mv);
            }
        }
    }

    /// Puts the windows in which the piece of a place term may truly stand on the term's
    /// square into a bitmap. Returns whether there are any.
    pub(crate) fn load_place(&self, term: Term, bitmap: &mut [u64]) -> bool {
        let postings = self.places.unwrap_or(self.postings);
        postings.load(term.index(), bitmap)
    }

    /// One bit of the least document length in each window, as a bitmap.
    pub(crate) fn load_shortest(&self, bit: usize, bitmap: &mut [u64]) {
        let words = self.postings.words();
        let plane = self.shortest.get(bit * words * 8..(bit + 1) * words * 8);
        for (word, chunk) in bitmap[..words].iter_mut().zip(plane.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*chunk);
        }
    }
}

/// The variations in the games of a segment, each a line of its own from the start of its
/// game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variations<'a> {
    pub(crate) windows: Windows<'a>,
    pub(crate) exact: Table<'a>,
    pub(super) parents: Section<'a>,
}

impl Variations<'_> {
    /// The game that a variation belongs to, and its number there, counted from one in the
    /// order of [`tabiya_chess::Annotations::variations`].
    pub(crate) fn place(&self, variation: GameIndex) -> (GameIndex, VariationNumber) {
        let game = self.parent(variation.into());
        let first = partition_point(variation.into(), |it| self.parent(it) < game);
        (game, VariationNumber(variation.0 - first as u32 + 1))
    }

    fn parent(&self, variation: usize) -> GameIndex {
        GameIndex(self.parents.u32_at(variation * 4))
    }
}

/// Variations are played through like games.
impl Replay for Variations<'_> {
    fn position_at(&self, occurrence: Occurrence) -> Option<Chess> {
        self.windows.position_at(occurrence)
    }
}
