//! Building a volume: lines of play with the index over their positions.

use shakmaty::Board;
use tabiya_chess::{CompactMove, Game, Ply, exact::Exact, position};

use super::{
    GameIndex, Occurrence, SEGMENT_WINDOWS, Summary, WINDOW, WindowId,
    board::Planes,
    exact::write::{Row, write_table},
    game::{GameRecord, StoredGames},
    part::Part,
    posting,
    string::StringBuilder,
};
use crate::term::{Bits, Control, PLACES, PLANES, TermSet, VOCABULARY};

/// Collects lines of play: the games of a segment, or the variations in them.
#[derive(Debug)]
pub(super) struct VolumeBuilder {
    pub(super) summary: Summary,
    records: Vec<u8>,
    pub(super) strings: StringBuilder,
    moves: Vec<u8>,
    /// The length of each position's document, 255 standing for more as well.
    lengths: Vec<u8>,
    /// The first board of each window.
    boards: Vec<u8>,
    /// The least length in each window.
    shortest: Vec<u8>,
    frequencies: Vec<u32>,
    postings: Vec<Vec<WindowId>>,
    places: Vec<Vec<WindowId>>,
    /// The positions from which exact ones are found, whatever is left out of the index.
    rows: Vec<Row>,
}

impl Default for VolumeBuilder {
    fn default() -> VolumeBuilder {
        VolumeBuilder {
            summary: Summary::default(),
            records: Vec::new(),
            strings: StringBuilder::default(),
            moves: Vec::new(),
            lengths: Vec::new(),
            boards: Vec::new(),
            shortest: Vec::new(),
            frequencies: vec![0; VOCABULARY],
            postings: vec![Vec::new(); VOCABULARY],
            places: vec![Vec::new(); PLACES],
            rows: Vec::new(),
        }
    }
}

/// A line of play on its way into a volume.
pub(super) struct NewLine<'a> {
    /// The game whose start the line has.
    pub(super) game: &'a Game,
    /// The moves from the start.
    pub(super) moves: &'a [CompactMove],
    /// The ply of the first position that the table of exact positions has.
    pub(super) first_row: Ply,
    /// The ply of the first position that is indexed.
    pub(super) first_ply: Ply,
}

impl VolumeBuilder {
    /// Whether there is room for this many windows more. An empty volume has room for any line.
    pub(super) fn has_room_for(&self, windows: usize) -> bool {
        self.summary.games == 0 || self.summary.windows as usize + windows <= SEGMENT_WINDOWS
    }

    /// Adds a line; `record` has everything but the moves.
    pub(super) fn add(&mut self, line: &NewLine<'_>, record: GameRecord) {
        let setup = line.game.setup.as_ref();
        let setup = setup.map(|it| self.strings.intern(&position::to_fen(it)));
        let record = GameRecord {
            setup: setup.map_or(0, |it| it + 1),
            first_move: (self.moves.len() / 2) as u32,
            first_window: self.summary.windows,
            first_position: self.lengths.len() as u32,
            plies: Ply::after(line.moves.len()),
            first_ply: line.first_ply,
            ..record
        };
        record.write(&mut self.records);
        let moves = line.moves.iter();
        self.moves
            .extend(moves.flat_map(|it| it.to_bits().to_le_bytes()));
        self.add_rows(line);
        let mut window = WindowTerms::default();
        let boards = line.game.boards_along(line.moves).enumerate();
        for (ply, board) in boards.skip(line.first_ply.into()) {
            if window.positions == 0 {
                let planes = Planes::from(&board).0;
                self.boards
                    .extend(planes.into_iter().flat_map(u64::to_le_bytes));
            }
            self.add_position(&board, &mut window);
            if window.positions == WINDOW || ply == line.moves.len() {
                self.add_window(&window);
                window = WindowTerms::default();
            }
        }
        self.summary.games += 1;
    }

    fn add_rows(&mut self, line: &NewLine<'_>) {
        let index = GameIndex(self.summary.games);
        let positions = (0..=u16::MAX)
            .map(Ply)
            .zip(line.game.positions_along(line.moves));
        for (ply, position) in positions.skip(line.first_row.into()) {
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

    /// The sections of the volume: the same lines make the same bytes.
    pub(super) fn into_sections(self) -> [(Part, Vec<u8>); 14] {
        let stored = StoredGames {
            records: self.records.as_slice().into(),
            moves: self.moves.as_slice().into(),
        };
        let exact = write_table(self.rows, &stored);
        let windows = self.summary.windows as usize;
        let (directory, postings) = posting::write(&self.postings, windows);
        let (place_directory, places) = posting::write(&self.places, windows);
        let frequencies = self.frequencies.iter();
        let frequencies = frequencies.flat_map(|it| it.to_le_bytes()).collect();
        [
            (Part::Summary, self.summary.to_bytes()),
            (Part::Games, self.records),
            (Part::Strings, self.strings.finish()),
            (Part::Moves, self.moves),
            (Part::Lengths, self.lengths),
            (Part::Boards, self.boards),
            (Part::Shortest, byte_planes(&self.shortest)),
            (Part::Frequencies, frequencies),
            (Part::Directory, directory),
            (Part::Postings, postings),
            (Part::ExactIndex, exact.index),
            (Part::Exact, exact.blocks),
            (Part::PlaceDirectory, place_directory),
            (Part::Places, places),
        ]
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
