//! Writing a table of exact positions, sorted from a segment's games.

use tabiya_chess::exact::Exact;
use xxhash_rust::xxh3::xxh3_64;

use super::{order::Order, table::BLOCK_ENTRIES, tally::Tally};
use crate::index::{
    occurrence::{self, Occurrence, TallySource},
    varint,
};

/// A position of a game on its way into a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    order: Order,
    position: Exact,
    occurrence: Occurrence,
}

impl Row {
    /// A position and where it occurred.
    pub fn new(position: Exact, occurrence: Occurrence) -> Row {
        Row {
            order: Order::of(&position.record),
            position,
            occurrence,
        }
    }

    /// The position.
    pub fn position(&self) -> &Exact {
        &self.position
    }

    /// Where it occurred.
    pub fn occurrence(&self) -> Occurrence {
        self.occurrence
    }
}

/// From this many occurrences on a tally is stored; fewer are counted when
/// asked for.
///
/// At sixty segments an answer then counts fewer than a thousand games.
pub const TALLY_FROM: usize = 16;

/// A table, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The index.
    pub index: Vec<u8>,
    /// The blocks.
    pub blocks: Vec<u8>,
}

/// Sorts rows and writes their table.
pub fn write_table(mut rows: Vec<Row>, games: &impl TallySource) -> Written {
    rows.sort_unstable();
    let mut writer = TableWriter::default();
    let mut occurrences = Vec::new();
    for same in rows.chunk_by(|a, b| a.position == b.position) {
        occurrences.clear();
        occurrences.extend(same.iter().map(|row| row.occurrence));
        let tally = (same.len() >= TALLY_FROM).then(|| Tally::of(&occurrences, games));
        writer.push(&same[0], &occurrences, tally.as_ref());
    }
    writer.finish()
}

/// Appends what a store keeps of a position: the length of the tally (0 if
/// there is none) and the tally, then all occurrences.
pub fn put_payload(occurrences: &[Occurrence], tally: Option<&Tally>, bytes: &mut Vec<u8>) {
    let mut tallied = Vec::new();
    if let Some(tally) = tally {
        tally.put(&mut tallied);
    }
    varint::put(tallied.len() as u64, bytes);
    bytes.extend_from_slice(&tallied);
    occurrence::put_all(occurrences, bytes);
}

/// Takes positions, which must come in order.
#[derive(Debug, Default)]
struct TableWriter {
    positions: u64,
    occurrences: u64,
    entries: Vec<u8>,
    blocks: Vec<u8>,
    block_start: usize,
    block_order: Option<Order>,
    block_entries: usize,
    last: Order,
    payload: Vec<u8>,
}

impl TableWriter {
    fn push(&mut self, row: &Row, occurrences: &[Occurrence], tally: Option<&Tally>) {
        if self.block_order.is_none() {
            self.block_order = Some(row.order);
            self.last = row.order;
        }
        let step = u64::from(row.order.to_bits() - self.last.to_bits());
        self.last = row.order;
        if let [only] = occurrences {
            varint::put(step * 2 + 1, &mut self.blocks);
            varint::put(only.game.0.into(), &mut self.blocks);
            varint::put(only.ply.into(), &mut self.blocks);
        } else {
            self.payload.clear();
            let Exact { record, rights } = &row.position;
            self.payload.extend_from_slice(&record.key().mask());
            self.payload.extend_from_slice(record.value());
            varint::put(rights.bits().into(), &mut self.payload);
            put_payload(occurrences, tally, &mut self.payload);
            varint::put(step * 2, &mut self.blocks);
            varint::put(self.payload.len() as u64, &mut self.blocks);
            self.blocks.extend_from_slice(&self.payload);
        }
        self.positions += 1;
        self.occurrences += occurrences.len() as u64;
        self.block_entries += 1;
        if self.block_entries == BLOCK_ENTRIES {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        let Some(order) = self.block_order.take() else {
            return;
        };
        let checksum = xxh3_64(&self.blocks[self.block_start..]) as u32;
        self.entries
            .extend_from_slice(&order.to_bits().to_le_bytes());
        self.entries.extend_from_slice(&checksum.to_le_bytes());
        self.entries
            .extend_from_slice(&(self.block_start as u64).to_le_bytes());
        self.block_start = self.blocks.len();
        self.block_entries = 0;
    }

    fn finish(mut self) -> Written {
        self.end_block();
        let mut index = self.positions.to_le_bytes().to_vec();
        index.extend_from_slice(&self.occurrences.to_le_bytes());
        index.extend_from_slice(&self.entries);
        Written {
            index,
            blocks: self.blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use tabiya_chess::Ply;

    use shakmaty::{Chess, Color, KnownOutcome, Outcome};
    use tabiya_chess::{CompactMove, Date, Game, chi_square::ChiSquare};

    use super::*;
    use crate::{
        index::{
            Facts, GameIndex, Replay,
            exact::{DamagedTable, Table},
        },
        testing::{Dice, random_game},
    };

    struct Memory(Vec<Game>);

    impl TallySource for Memory {
        fn facts(&self, game: GameIndex) -> Option<Facts> {
            let tags = &self.0.get(usize::from(game))?.tags;
            Some(Facts {
                outcome: tags.result,
                rating: tags.white_elo,
                date: tags.date,
            })
        }

        fn move_at(&self, occurrence: Occurrence) -> Option<CompactMove> {
            let game = self.0.get(usize::from(occurrence.game))?;
            game.moves.get(usize::from(occurrence.ply)).copied()
        }
    }

    impl Replay for Memory {
        fn position_at(&self, occurrence: Occurrence) -> Option<Chess> {
            let game = self.0.get(usize::from(occurrence.game))?;
            game.positions().nth(occurrence.ply.into())
        }
    }

    /// Short random games with made-up results, ratings and years.
    fn games(seed: u64, count: usize) -> Memory {
        let mut dice = Dice::new(seed);
        let game = |_| {
            let plies = dice.below(30);
            let mut game = random_game(&mut dice, plies);
            game.tags.result = [
                Outcome::Known(KnownOutcome::Draw),
                Outcome::Known(KnownOutcome::Decisive {
                    winner: Color::White,
                }),
                Outcome::Known(KnownOutcome::Decisive {
                    winner: Color::Black,
                }),
                Outcome::Unknown,
            ][dice.below(4)];
            game.tags.white_elo = [None, Some(2000 + dice.below(800) as u16)][dice.below(2)];
            game.tags.date = Date::parse(&(1900 + dice.below(120)).to_string());
            game
        };
        Memory((0..count).map(game).collect())
    }

    fn rows(games: &[Game]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (index, game) in (0..).map(GameIndex).zip(games) {
            for (ply, position) in (0..).map(Ply).zip(game.positions()) {
                let position = Exact::of(&position).unwrap();
                rows.push(Row::new(position, Occurrence { game: index, ply }));
            }
        }
        rows
    }

    fn written(games: &Memory) -> Written {
        write_table(rows(&games.0), games)
    }

    fn table_of(written: &Written) -> Table<'_> {
        Table::new(written.index.as_slice(), &written.blocks).unwrap()
    }

    /// The table's plain twin.
    fn plain(games: &Memory) -> BTreeMap<Exact, Vec<Occurrence>> {
        let mut map: BTreeMap<Exact, Vec<Occurrence>> = BTreeMap::new();
        for row in rows(&games.0) {
            map.entry(row.position).or_default().push(row.occurrence);
        }
        map
    }

    #[track_caller]
    fn check_equal(games: &Memory) {
        let written = written(games);
        let table = table_of(&written);
        let plain = plain(games);
        assert_eq!(table.positions(), plain.len() as u64);
        let scanned: BTreeMap<Exact, Vec<Occurrence>> = table
            .scan(ChiSquare::ZERO..=ChiSquare::MAX)
            .map(|it| it.unwrap())
            .map(|it| (it.exact(games).unwrap(), it.payload.occurrences().unwrap()))
            .collect();
        assert_eq!(scanned, plain);
        for (position, occurrences) in &plain {
            let found = table
                .find(position, games)
                .unwrap()
                .expect("a stored position");
            assert_eq!(&found.occurrences().unwrap(), occurrences);
            assert_eq!(found.tally(games).unwrap(), Tally::of(occurrences, games));
        }
    }

    #[test]
    fn a_table_holds_what_the_games_hold() {
        for count in [0, 1, 3, 300] {
            check_equal(&games(count as u64, count));
        }
    }

    #[test]
    fn a_range_of_statistics_holds_what_lies_in_it() {
        let games = games(9, 100);
        let written = written(&games);
        let table = table_of(&written);
        let plain = plain(&games);
        for (low, high) in [
            (0, 0),
            (0, 669),
            (669, 669),
            (700, 900),
            (1200, 1100),
            (900, 25_599),
        ] {
            let [low, high] = [low, high].map(|it| ChiSquare::from_hundredths(it).unwrap());
            let found: Vec<Exact> = table
                .scan(low..=high)
                .map(|it| it.unwrap().exact(&games).unwrap())
                .collect();
            assert!(found.is_sorted_by_key(|it| it.record.key().statistic()));
            let expected: BTreeSet<Exact> = plain
                .keys()
                .copied()
                .filter(|it| (low..=high).contains(&it.record.key().statistic()))
                .collect();
            assert_eq!(table.count(low..=high), Ok(expected.len() as u64));
            assert_eq!(found.len(), expected.len());
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }

    #[test]
    fn a_position_that_never_occurred_is_not_found() {
        let games = games(2, 50);
        let written = written(&games);
        let table = table_of(&written);
        let passed = tabiya_chess::position::pass(&Chess::default()).unwrap();
        assert!(
            table
                .find(&Exact::of(&passed).unwrap(), &games)
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn move_orders_that_meet_are_counted_together() {
        let line = |moves: &str| {
            let mut position = Chess::default();
            let mut game = Game::default();
            for uci in moves.split_whitespace() {
                let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
                let mv = uci.to_move(&position).unwrap();
                game.moves.push(mv.into());
                shakmaty::Position::play_unchecked(&mut position, mv);
            }
            (game, position)
        };
        let (a, meeting) = line("d2d4 g8f6 c2c4 e7e6");
        let (b, _) = line("c2c4 e7e6 d2d4 g8f6 b1c3");
        let (c, _) = line("c2c4 g8f6 d2d4 e7e6 g1f3 d7d5");
        let (d, _) = line("d2d4 d7d5");
        let games = Memory(vec![a, b, c, d]);
        let written = written(&games);
        let table = table_of(&written);
        let found = table
            .find(&Exact::of(&meeting).unwrap(), &games)
            .unwrap()
            .unwrap();
        let tally = found.tally(&games).unwrap();
        assert_eq!(tally.total().games(), 3);
        // One ended there, one went Nc3, one Nf3.
        assert_eq!(tally.moves.len(), 3);
        assert_eq!(tally.moves[0].0, None);
    }

    #[test]
    fn a_damaged_block_is_an_error_and_never_another_answer() {
        let games = games(7, 40);
        let sound = written(&games);
        let expected = plain(&games);
        let mut dice = Dice::new(77);
        for _ in 0..500 {
            let mut damaged = sound.clone();
            let place = dice.below(damaged.blocks.len());
            damaged.blocks[place] ^= 1 << dice.below(8);
            let table = table_of(&damaged);
            let mut errors = 0;
            for (position, occurrences) in &expected {
                match table.find(position, &games) {
                    Err(DamagedTable) => errors += 1,
                    Ok(found) => {
                        let found = found.expect("a stored position").occurrences();
                        assert_eq!(found.as_ref(), Ok(occurrences));
                    }
                }
            }
            assert!(errors > 0);
        }
    }

    #[test]
    fn any_index_and_blocks_are_safe() {
        let games = games(8, 20);
        let sound = written(&games);
        let positions = plain(&games);
        let mut dice = Dice::new(78);
        for _ in 0..500 {
            let mut damaged = sound.clone();
            let place = dice.below(damaged.index.len());
            damaged.index[place] ^= 1 << dice.below(8);
            damaged.blocks.truncate(dice.below(sound.blocks.len()));
            let table = table_of(&damaged);
            for position in positions.keys() {
                let _ = table.find(position, &games);
            }
            let _ = table.scan(ChiSquare::ZERO..=ChiSquare::MAX).count();
        }
        for length in 0..sound.index.len() {
            let _ = Table::new(&sound.index[..length], &sound.blocks);
        }
    }
}
