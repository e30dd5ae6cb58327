//! Building a segment: games in, an immutable file out.

use std::path::Path;

use shakmaty::Board;
use tabiya_chess::{Eco, Game, exact::Exact, position};

use super::{
    Digest, GameIndex, Occurrence, SEGMENT_WINDOWS, Segment, Summary, WINDOW, WindowId, board,
    case::CasesBuilder,
    exact::write::{Row, write_table},
    format::{self, FormatError},
    game::{GameRecord, Source, StoredGames},
    part::Part,
    posting,
    string::StringBuilder,
};
use crate::term::{Bits, Control, PLACES, PLANES, TermSet, VOCABULARY};

/// The longest game a segment can hold, in half-moves. Nobody has played a
/// tenth of it; an import cuts longer ones.
pub const LONGEST_GAME: usize = u16::MAX as usize;

/// Collects games until it is full, then writes them as a segment.
#[derive(Debug)]
pub struct SegmentBuilder {
    skip: u16,
    summary: Summary,
    games: Vec<u8>,
    strings: StringBuilder,
    moves: Vec<u8>,
    others: Vec<u8>,
    digests: Vec<u8>,
    /// The length of each position's document, 255 standing for more as well.
    lengths: Vec<u8>,
    /// The first board of each window.
    boards: Vec<u8>,
    /// The least length in each window.
    shortest: Vec<u8>,
    frequencies: Vec<u32>,
    postings: Vec<Vec<WindowId>>,
    places: Vec<Vec<WindowId>>,
    /// All positions of all games, whatever is left out of the index.
    rows: Vec<Row>,
    cases: CasesBuilder,
}

impl SegmentBuilder {
    /// A builder that leaves out the first `skip` plies of games from the
    /// usual start.
    pub fn new(skip: u16) -> SegmentBuilder {
        SegmentBuilder {
            skip,
            summary: Summary::default(),
            games: Vec::new(),
            strings: StringBuilder::default(),
            moves: Vec::new(),
            others: Vec::new(),
            digests: Vec::new(),
            lengths: Vec::new(),
            boards: Vec::new(),
            shortest: Vec::new(),
            frequencies: vec![0; VOCABULARY],
            postings: vec![Vec::new(); VOCABULARY],
            places: vec![Vec::new(); PLACES],
            rows: Vec::new(),
            cases: CasesBuilder::default(),
        }
    }

    /// Games and positions so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether the segment has room for the game.
    pub fn has_room_for(&self, game: &Game) -> bool {
        let windows = self.record(game).windows();
        self.summary.games == 0 || self.summary.windows as usize + windows <= SEGMENT_WINDOWS
    }

    /// How many positions of the game would be indexed.
    pub fn positions_of(&self, game: &Game) -> usize {
        self.record(game).positions()
    }

    /// Adds a game, which there must be room for.
    ///
    /// # Panics
    ///
    /// When the game is longer than [`LONGEST_GAME`] or there is no room.
    pub fn add(&mut self, game: &Game) {
        assert!(
            game.moves.len() <= LONGEST_GAME && self.has_room_for(game),
            "room for the game"
        );
        self.add_record(game);
        self.moves
            .extend(game.moves.iter().flat_map(|it| it.to_bits().to_le_bytes()));
        self.digests.extend_from_slice(&Digest::of(game).to_bytes());
        self.add_rows(game);
        self.cases.add(GameIndex(self.summary.games), game);
        let mut window = WindowTerms::default();
        for (ply, board) in game.boards().enumerate().skip(self.first_ply(game)) {
            if window.positions == 0 {
                self.boards.extend(board::to_bytes(&board));
            }
            self.add_position(&board, &mut window);
            if window.positions == WINDOW || ply == game.moves.len() {
                self.add_window(&window);
                window = WindowTerms::default();
            }
        }
        self.summary.games += 1;
    }

    /// Writes the segment to a file. Returns its summary.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(self, path: &Path) -> Result<Summary, FormatError> {
        let summary = self.summary;
        format::write(
            path,
            &self
                .into_sections()
                .map(|(part, bytes)| (part as u32, bytes)),
        )?;
        Ok(summary)
    }

    /// Compares a segment with what its games make.
    ///
    /// # Errors
    ///
    /// When a part differs, or its checksum is wrong.
    pub(crate) fn compare(self, segment: &Segment) -> Result<(), FormatError> {
        let built = self.into_sections().into_iter();
        for (part, bytes) in built.filter(|it| segment.parts().any(|part| part == it.0)) {
            if segment.whole(part)? != bytes {
                return Err(segment.damaged(format!("its {} do not fit its games", part.name())));
            }
        }
        Ok(())
    }

    /// The sections of the segment: the same games make the same bytes.
    fn into_sections(self) -> [(Part, Vec<u8>); Part::ALL.len()] {
        let games = StoredGames {
            records: self.games.as_slice().into(),
            moves: self.moves.as_slice().into(),
        };
        let exact = write_table(self.rows, &games);
        let (actions, cases) = self.cases.finish();
        let windows = self.summary.windows as usize;
        let (directory, postings) = posting::write(&self.postings, windows);
        let (place_directory, places) = posting::write(&self.places, windows);
        let frequencies = self
            .frequencies
            .iter()
            .flat_map(|it| it.to_le_bytes())
            .collect();
        [
            (Part::Summary, self.summary.to_bytes()),
            (Part::Games, self.games),
            (Part::Strings, self.strings.finish()),
            (Part::Moves, self.moves),
            (Part::Others, self.others),
            (Part::Digests, self.digests),
            (Part::Lengths, self.lengths),
            (Part::Boards, self.boards),
            (Part::Shortest, byte_planes(&self.shortest)),
            (Part::Frequencies, frequencies),
            (Part::Directory, directory),
            (Part::Postings, postings),
            (Part::ExactIndex, exact.index),
            (Part::Exact, exact.blocks),
            (Part::Actions, actions),
            (Part::Cases, cases),
            (Part::PlaceDirectory, place_directory),
            (Part::Places, places),
        ]
    }

    /// Where indexing begins: openings repeat, set-up positions do not.
    fn first_ply(&self, game: &Game) -> usize {
        if game.setup.is_some() {
            0
        } else {
            self.skip.into()
        }
    }

    fn record(&self, game: &Game) -> GameRecord {
        GameRecord {
            plies: game.moves.len().min(LONGEST_GAME) as u16,
            first_ply: self.first_ply(game) as u16,
            ..GameRecord::default()
        }
    }

    fn add_record(&mut self, game: &Game) {
        let tags = &game.tags;
        let setup = game
            .setup
            .as_ref()
            .map(|it| self.strings.intern(&position::to_fen(it)));
        let record = GameRecord {
            white: self.strings.intern(&tags.white),
            black: self.strings.intern(&tags.black),
            event: self.strings.intern(&tags.event),
            site: self.strings.intern(&tags.site),
            round: self.strings.intern(&tags.round),
            date: tags.date,
            white_elo: tags.white_elo.unwrap_or(0),
            black_elo: tags.black_elo.unwrap_or(0),
            eco: tags.eco.map_or(0, |it: Eco| it.index() + 1),
            result: GameRecord::result_code(tags.result),
            origin: Source::of(tags) as u8,
            setup: setup.map_or(0, |it| it + 1),
            first_move: (self.moves.len() / 2) as u32,
            first_window: self.summary.windows,
            first_position: self.lengths.len() as u32,
            first_other: (self.others.len() / 8) as u32,
            others: tags.others.len() as u32,
            ..self.record(game)
        };
        for (name, value) in &tags.others {
            for text in [name, value] {
                self.others
                    .extend_from_slice(&self.strings.intern(text).to_le_bytes());
            }
        }
        record.write(&mut self.games);
    }

    fn add_rows(&mut self, game: &Game) {
        let index = GameIndex(self.summary.games);
        for (ply, position) in (0..=u16::MAX).zip(game.positions()) {
            // A set-up with more pieces than a game begins with has no record.
            if let Ok(position) = Exact::of(&position) {
                let occurrence = Occurrence { game: index, ply };
                self.rows.push(Row::new(position, occurrence));
            }
        }
    }

    fn add_position(&mut self, board: &Board, window: &mut WindowTerms) {
        let terms = TermSet::of_document(board);
        let length = terms.len();
        self.summary.positions += 1;
        self.summary.total_length += length as u64;
        let length = length.min(255) as u8;
        self.lengths.push(length);
        window.add(&terms, length);
        window.add_places(board);
    }

    fn add_window(&mut self, window: &WindowTerms) {
        let id = self.summary.windows as WindowId;
        self.summary.windows += 1;
        self.shortest.push(window.shortest);
        window.for_each(|term, count| {
            self.frequencies[term] += count;
            self.postings[term].push(id);
        });
        for (kind, &squares) in window.places.iter().enumerate() {
            for square in Bits(squares) {
                self.places[kind * 64 + square].push(id);
            }
        }
    }
}

/// The terms of a window's positions, counted: plane `i` of the counts holds
/// bit `i` of how many positions have the term.
#[derive(Debug)]
struct WindowTerms {
    counts: [[u64; PLANES]; 4],
    /// By kind of piece, the squares that it stands on in any of the positions.
    places: [u64; PLACES / 64],
    positions: usize,
    shortest: u8,
}

const _: () = assert!(WINDOW < 1 << 4);

impl Default for WindowTerms {
    fn default() -> WindowTerms {
        WindowTerms {
            counts: [[0; PLANES]; 4],
            places: [0; PLACES / 64],
            positions: 0,
            shortest: u8::MAX,
        }
    }
}

impl WindowTerms {
    fn add(&mut self, terms: &TermSet, length: u8) {
        self.positions += 1;
        self.shortest = self.shortest.min(length);
        let mut carry = terms.0;
        for plane in &mut self.counts {
            for (bits, carry) in plane.iter_mut().zip(&mut carry) {
                let both = *bits & *carry;
                *bits ^= *carry;
                *carry = both;
            }
        }
    }

    fn add_places(&mut self, board: &Board) {
        for (all, pieces) in self.places.iter_mut().zip(Control::pieces_on(board)) {
            *all |= pieces.0;
        }
    }

    /// Hands over the number of each term with the count of its positions.
    fn for_each(&self, mut visit: impl FnMut(usize, u32)) {
        for plane in 0..PLANES {
            let counts: [u64; 4] = std::array::from_fn(|it| self.counts[it][plane]);
            for bit in Bits(counts.iter().fold(0, |all, it| all | it)) {
                let count = (0..4).map(|it| (counts[it] >> bit & 1) << it).sum::<u64>();
                visit(plane * 64 + bit, count as u32);
            }
        }
    }
}

/// Bytes as eight bitmaps, one for each bit, so that a search can add them up
/// for many windows at once.
fn byte_planes(values: &[u8]) -> Vec<u8> {
    let words = values.len().div_ceil(64);
    let mut planes = vec![0u64; 8 * words];
    for (at, value) in values.iter().enumerate() {
        for bit in 0..8 {
            planes[bit * words + at / 64] |= u64::from(value >> bit & 1) << (at % 64);
        }
    }
    planes.into_iter().flat_map(u64::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_board;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn windows_count_what_their_positions_hold(seeds in proptest::collection::vec(any::<u64>(), 1..=WINDOW)) {
            let sets: Vec<_> = seeds.into_iter().map(|it| TermSet::of_document(&random_board(it))).collect();
            let mut window = WindowTerms::default();
            sets.iter().for_each(|it| window.add(it, it.len().min(255) as u8));
            let mut plain = vec![0; VOCABULARY];
            sets.iter().flat_map(|it| it.iter()).for_each(|it| plain[it.index()] += 1);
            let mut counted = vec![0; VOCABULARY];
            window.for_each(|term, count| counted[term] = count);
            prop_assert_eq!(counted, plain);
            prop_assert_eq!(usize::from(window.shortest), sets.iter().map(TermSet::len).min().unwrap_or(0).min(255));
        }
    }
}
