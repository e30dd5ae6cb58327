//! Writing a table of exact positions: sorted from a segment's games, or merged
//! from the tables of several.

use std::io::{self, Write};

use tabiya_chess::{chi_square::ChiSquare, exact::Exact, record::Key};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    occurrence::{self, Games, Occurrence},
    table::{BLOCK_ENTRIES, DamagedTable, Footer, MAGIC, Table},
    tally::Tally,
    varint,
};

/// A position of a game on its way into a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The position.
    pub position: Exact,
    /// Where it occurred.
    pub occurrence: Occurrence,
}

/// From this many occurrences on a tally is stored; fewer are counted when
/// asked for.
///
/// At sixty segments an answer then counts fewer than a thousand games.
pub const TALLY_FROM: usize = 16;

/// Sorts rows and writes their table.
///
/// # Errors
///
/// What the writer fails with.
pub fn write_table(rows: &mut [Row], games: &impl Games, out: impl Write) -> io::Result<Written> {
    rows.sort_unstable();
    let mut writer = TableWriter::new(out)?;
    let mut occurrences = Vec::new();
    for same in rows.chunk_by(|a, b| a.position == b.position) {
        occurrences.clear();
        occurrences.extend(same.iter().map(|row| row.occurrence));
        let tally = (same.len() >= TALLY_FROM).then(|| Tally::of(&occurrences, games));
        writer.push(&same[0].position, &occurrences, tally.as_ref())?;
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

/// A table to merge, and the number its first game gets in the merged segment.
pub struct Source<'a, B> {
    /// The table.
    pub table: &'a Table<B>,
    /// What is added to its games' numbers.
    pub first_game: u32,
}

/// Merges tables into one without holding more than one position of each.
///
/// Sources must be in the order of their games; `games` are those of the merged
/// segment.
///
/// # Errors
///
/// What the writer fails with, and invalid data if a table is damaged.
pub fn merge_tables<B: AsRef<[u8]>>(
    sources: &[Source<'_, B>],
    games: &impl Games,
    out: impl Write,
) -> io::Result<Written> {
    let mut writer = TableWriter::new(out)?;
    let mut scans: Vec<_> = sources
        .iter()
        .map(|it| it.table.scan(ChiSquare::ZERO..=ChiSquare::MAX))
        .collect();
    let mut heads = Vec::with_capacity(scans.len());
    for scan in &mut scans {
        heads.push(next_head(scan).map_err(invalid)?);
    }
    let mut occurrences = Vec::new();
    while let Some(position) = heads.iter().flatten().map(|it| it.0).min() {
        occurrences.clear();
        for ((head, scan), source) in heads.iter_mut().zip(&mut scans).zip(sources) {
            let Some((_, found)) = head.take_if(|it| it.0 == position) else {
                continue;
            };
            occurrences.extend(found.into_iter().map(|it| Occurrence {
                game: it.game.saturating_add(source.first_game),
                ..it
            }));
            *head = next_head(scan).map_err(invalid)?;
        }
        let tally = (occurrences.len() >= TALLY_FROM).then(|| Tally::of(&occurrences, games));
        writer.push(&position, &occurrences, tally.as_ref())?;
    }
    writer.finish()
}

type Head = Option<(Exact, Vec<Occurrence>)>;

fn next_head<B: AsRef<[u8]>>(scan: &mut super::table::Scan<'_, B>) -> Result<Head, DamagedTable> {
    let Some(entry) = scan.next().transpose()? else {
        return Ok(None);
    };
    Ok(Some((entry.exact()?, entry.payload.occurrences()?)))
}

fn invalid(error: DamagedTable) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Distinct positions.
    pub positions: u64,
    /// Occurrences.
    pub occurrences: u64,
    /// Bytes of the table.
    pub bytes: u64,
}

/// Writes positions, which must come in order, from front to back.
struct TableWriter<W> {
    out: W,
    offset: u64,
    block: Vec<u8>,
    block_key: Option<Key>,
    block_entries: usize,
    statistic: u16,
    index: Vec<u8>,
    payload: Vec<u8>,
    positions: u64,
    occurrences: u64,
}

impl<W: Write> TableWriter<W> {
    fn new(mut out: W) -> io::Result<TableWriter<W>> {
        out.write_all(&MAGIC)?;
        Ok(TableWriter {
            out,
            offset: MAGIC.len() as u64,
            block: Vec::new(),
            block_key: None,
            block_entries: 0,
            statistic: 0,
            index: Vec::new(),
            payload: Vec::new(),
            positions: 0,
            occurrences: 0,
        })
    }

    fn push(
        &mut self,
        position: &Exact,
        occurrences: &[Occurrence],
        tally: Option<&Tally>,
    ) -> io::Result<()> {
        let key = position.record.key();
        let statistic = key.statistic().hundredths();
        if self.block_key.is_none() {
            self.block_key = Some(key);
            self.statistic = statistic;
        }
        let step = u64::from(statistic - self.statistic);
        self.statistic = statistic;
        let single = <&[Occurrence; 1]>::try_from(occurrences).ok();
        varint::put(step * 2 + u64::from(single.is_some()), &mut self.block);
        self.block.extend_from_slice(&key.mask());
        self.block.extend_from_slice(position.record.value());
        varint::put(position.rights.bits().into(), &mut self.block);
        match single {
            Some([only]) => {
                varint::put(only.game.into(), &mut self.block);
                varint::put(only.ply.into(), &mut self.block);
            }
            None => {
                self.payload.clear();
                put_payload(occurrences, tally, &mut self.payload);
                varint::put(self.payload.len() as u64, &mut self.block);
                self.block.extend_from_slice(&self.payload);
            }
        }
        self.positions += 1;
        self.occurrences += occurrences.len() as u64;
        self.block_entries += 1;
        if self.block_entries == BLOCK_ENTRIES {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        let Some(key) = self.block_key.take() else {
            return Ok(());
        };
        self.index.extend_from_slice(&key.to_sorted_bytes());
        self.index
            .extend_from_slice(&self.offset.to_le_bytes()[..6]);
        let checksum = xxh3_64(&self.block) as u32;
        self.index.extend_from_slice(&checksum.to_le_bytes());
        self.out.write_all(&self.block)?;
        self.offset += self.block.len() as u64;
        self.block.clear();
        self.block_entries = 0;
        Ok(())
    }

    fn finish(mut self) -> io::Result<Written> {
        self.end_block()?;
        let footer = Footer {
            positions: self.positions,
            occurrences: self.occurrences,
            index_offset: self.offset,
            blocks: (self.index.len() / super::table::INDEX_ENTRY_BYTES) as u64,
            index_checksum: xxh3_64(&self.index),
        };
        self.out.write_all(&self.index)?;
        self.out.write_all(&footer.to_bytes())?;
        self.out.flush()?;
        Ok(Written {
            positions: self.positions,
            occurrences: self.occurrences,
            bytes: self.offset + self.index.len() as u64 + Footer::BYTES as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use shakmaty::{Chess, Color, KnownOutcome, Outcome};
    use tabiya_chess::{CompactMove, Date, Game};

    use super::*;
    use crate::{
        explorer::{Facts, table::OpenTableError},
        testing::{Dice, random_game},
    };

    struct Memory(Vec<Game>);

    impl Games for Memory {
        fn facts(&self, game: u32) -> Option<Facts> {
            let tags = &self.0.get(game as usize)?.tags;
            Some(Facts {
                outcome: tags.result,
                rating: tags.white_elo,
                date: tags.date,
            })
        }

        fn move_at(&self, occurrence: Occurrence) -> Option<CompactMove> {
            let game = self.0.get(occurrence.game as usize)?;
            game.moves.get(usize::from(occurrence.ply)).copied()
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
        for (number, game) in (0..).zip(games) {
            for (ply, position) in (0..).zip(game.positions()) {
                let position = Exact::of(&position).unwrap();
                let occurrence = Occurrence { game: number, ply };
                rows.push(Row {
                    position,
                    occurrence,
                });
            }
        }
        rows
    }

    fn table_of(games: &Memory, range: std::ops::Range<usize>) -> Table<Vec<u8>> {
        let part = Memory(games.0[range].to_vec());
        let mut bytes = Vec::new();
        let written = write_table(&mut rows(&part.0), &part, &mut bytes).unwrap();
        assert_eq!(written.bytes, bytes.len() as u64);
        Table::open(bytes).unwrap()
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
    fn check_equal(table: &Table<Vec<u8>>, games: &Memory) {
        let plain = plain(games);
        assert_eq!(table.positions(), plain.len() as u64);
        let scanned: Vec<(Exact, Vec<Occurrence>)> = table
            .scan(ChiSquare::ZERO..=ChiSquare::MAX)
            .map(|it| it.unwrap())
            .map(|it| (it.exact().unwrap(), it.payload.occurrences().unwrap()))
            .collect();
        assert_eq!(scanned, plain.clone().into_iter().collect::<Vec<_>>());
        for (position, occurrences) in &plain {
            let found = table.find(position).unwrap().expect("a stored position");
            assert_eq!(&found.occurrences().unwrap(), occurrences);
            assert_eq!(found.tally(games).unwrap(), Tally::of(occurrences, games));
        }
    }

    #[test]
    fn a_table_holds_what_the_games_hold() {
        for count in [0, 1, 3, 300] {
            let games = games(count as u64, count);
            check_equal(&table_of(&games, 0..count), &games);
        }
    }

    #[test]
    fn merged_tables_equal_the_table_of_all_games() {
        let games = games(5, 200);
        let cuts = [0, 50, 51, 51, 200];
        let tables: Vec<_> = cuts
            .windows(2)
            .map(|it| table_of(&games, it[0]..it[1]))
            .collect();
        let sources: Vec<_> = tables
            .iter()
            .zip(cuts)
            .map(|(table, cut)| Source {
                table,
                first_game: cut as u32,
            })
            .collect();
        let mut merged = Vec::new();
        merge_tables(&sources, &games, &mut merged).unwrap();
        let mut whole = Vec::new();
        write_table(&mut rows(&games.0), &games, &mut whole).unwrap();
        assert_eq!(merged, whole);
    }

    #[test]
    fn a_range_of_statistics_holds_what_lies_in_it() {
        let games = games(9, 100);
        let table = table_of(&games, 0..100);
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
            let found = table
                .scan(low..=high)
                .map(|it| it.unwrap().exact().unwrap());
            let expected = plain
                .keys()
                .copied()
                .filter(|it| (low..=high).contains(&it.record.key().statistic()));
            assert!(found.eq(expected), "{low} to {high}");
        }
    }

    #[test]
    fn a_position_that_never_occurred_is_not_found() {
        let games = games(2, 50);
        let table = table_of(&games, 0..50);
        let passed = tabiya_chess::position::pass(&Chess::default()).unwrap();
        assert!(table.find(&Exact::of(&passed).unwrap()).unwrap().is_none());
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
        let table = table_of(&games, 0..4);
        let found = table.find(&Exact::of(&meeting).unwrap()).unwrap().unwrap();
        let tally = found.tally(&games).unwrap();
        assert_eq!(tally.total().games(), 3);
        // One ended there, one went Nc3, one Nf3.
        assert_eq!(tally.moves.len(), 3);
        assert_eq!(tally.moves[0].0, None);
    }

    #[test]
    fn a_damaged_table_is_an_error_and_never_another_answer() {
        let games = games(7, 40);
        let table = table_of(&games, 0..40);
        let mut whole = Vec::new();
        write_table(&mut rows(&games.0), &games, &mut whole).unwrap();
        let expected = plain(&games);
        let mut dice = Dice::new(77);
        for _ in 0..500 {
            let mut bytes = whole.clone();
            let place = dice.below(bytes.len());
            bytes[place] ^= 1 << dice.below(8);
            let Ok(damaged) = Table::open(bytes) else {
                continue;
            };
            for position in expected.keys() {
                if let Ok(found) = damaged.find(position) {
                    let found = found.expect("a stored position").occurrences();
                    assert_eq!(found.as_ref(), Ok(&expected[position]));
                }
            }
        }
        assert_eq!(table.occurrences(), rows(&games.0).len() as u64);
    }

    #[test]
    fn foreign_and_cut_off_bytes_are_told_apart() {
        let games = games(3, 5);
        let mut whole = Vec::new();
        write_table(&mut rows(&games.0), &games, &mut whole).unwrap();
        assert_eq!(
            Table::open(b"PGN".to_vec()).unwrap_err(),
            OpenTableError::NotATable
        );
        for length in MAGIC.len()..whole.len() {
            assert!(Table::open(&whole[..length]).is_err());
        }
        let mut newer = whole.clone();
        let version = newer.len() - Footer::BYTES + 8;
        newer[version] = 9;
        assert_eq!(
            Table::open(newer).unwrap_err().to_string(),
            "table of positions in format 9, expected 1; build it again"
        );
    }
}
