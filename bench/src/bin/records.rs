//! Compares stores for exact positions. Builds the same entries (from record and rights to
//! occurrences, with stored tallies) in redb, in fjall and in our sorted tables, and compares
//! size, building, lookups and scans.
//!
//! ```text
//! cargo run --release --bin records -- games.pgn.zst [games per segment]
//! ```
//!
//! A lookup finds the position, reads or counts its tally and takes the total; all stores must
//! return the same total. Half of the positions are drawn from all plies of all games, so that
//! openings have their usual share. The other half are the same positions with the other side to
//! move, which the games rarely contain. For cold lookups, the store is closed, its files are
//! synced and dropped from the page cache (`posix_fadvise`, `DONTNEED`), and it is opened again.
//!
//! Building, warm lookups and scans are reported in CPU time, so that other work on the machine
//! does not count. Cold lookups wait for the disk and are reported in wall-clock time.

use std::{
    fs::File,
    io::Write,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use memmap2::Mmap;
use redb::ReadableDatabase;
use tabiya_bench::{Latencies, bytes_in, cpu};
use tabiya_chess::{
    CompactMove, Game, Ply,
    chi_square::ChiSquare,
    exact::Exact,
    pgn::{self, Input, Splitter},
};
use tabiya_retrieval::index::{
    Facts, GameIndex, Occurrence, Replay, TallySource,
    exact::{
        Table, Tally,
        table::Payload,
        write::{self, Row, TALLY_FROM},
    },
};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().context("give a PGN file")?);
    let segment: usize = arguments.next().map_or(Ok(8_000), |it| it.parse())?;

    let started = Instant::now();
    let games = read_games(&path)?;
    let plies: usize = games.iter().map(|it| it.moves.len()).sum();
    println!(
        "{} games, {plies} plies, read in {:.1?}",
        games.len(),
        started.elapsed()
    );

    let started = cpu();
    let positions: usize = games.iter().map(|it| it.positions().count()).sum();
    let replayed = cpu() - started;
    let rows = rows_of(&games).len();
    let elapsed = cpu() - started - 2 * replayed;
    println!(
        "replaying {positions} positions: {:.0} ns each; their records and rights: {:.0} ns each\n",
        replayed.as_nanos() as f64 / positions as f64,
        elapsed.as_nanos() as f64 / rows as f64
    );

    let questions = Questions::draw(&games);
    let mut reports = Vec::new();
    let input = Workload {
        games: &games,
        segment,
    };
    for contestant in [
        "tables",
        "table",
        "redb",
        "redb-bulk",
        "fjall",
        "fjall-bulk",
    ] {
        let report = match contestant {
            "tables" => measure::<Tables>("one table per segment", &input, &questions)?,
            "table" => measure::<OneTable>("one table of all games", &input, &questions)?,
            "redb" => measure::<RedbSegments>("redb, one commit per segment", &input, &questions)?,
            "redb-bulk" => measure::<RedbBulk>("redb, one sorted bulk", &input, &questions)?,
            "fjall" => {
                measure::<FjallSegments>("fjall, one batch per segment", &input, &questions)?
            }
            _ => measure::<FjallBulk>("fjall, one ingestion", &input, &questions)?,
        };
        report.print(positions);
        reports.push(report);
    }
    for report in &reports[1..] {
        ensure!(
            report.answers == reports[0].answers,
            "{} returns different answers",
            report.name
        );
        ensure!(
            report.scanned == reports[0].scanned,
            "{} scans different entries",
            report.name
        );
    }
    println!("\nall stores return the same answers");
    Ok(())
}

/// The games, and how many of them a segment has.
struct Workload<'a> {
    games: &'a [Game],
    segment: usize,
}

/// A store under comparison.
trait Store: Sized {
    fn build(directory: &Path, input: &Workload<'_>) -> Result<()>;
    fn open(directory: &Path, input: &Workload<'_>) -> Result<Self>;
    /// The number of games that reached a position.
    fn find(&self, position: &Exact, games: &Workload<'_>) -> Result<u32>;
    /// The number of occurrences whose statistic lies in a range.
    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize>;
}

struct Report {
    name: &'static str,
    build: Duration,
    bytes: u64,
    open: Duration,
    cold: Latencies,
    warm: Latencies,
    warm_cpu: Duration,
    start: Duration,
    scanned: usize,
    scan: Duration,
    answers: Vec<u32>,
}

impl Report {
    fn print(&self, positions: usize) {
        println!("{}", self.name);
        println!(
            "  build {:.1?}, {:.1} MB, {:.1} bytes per position, open {:.1?}",
            self.build,
            self.bytes as f64 / 1e6,
            self.bytes as f64 / positions as f64,
            self.open,
        );
        println!("  cold {}", self.cold);
        let lookups = self.warm.0.len() as f64 / self.warm_cpu.as_secs_f64();
        println!("  warm {:.0} lookups/s, {}", lookups, self.warm);
        println!("  start position {:.1?}", self.start);
        println!(
            "  scan {} occurrences in {:.1?}, {:.1} million/s",
            self.scanned,
            self.scan,
            self.scanned as f64 / self.scan.as_secs_f64() / 1e6
        );
    }
}

struct Questions {
    positions: Vec<Exact>,
    start: Exact,
    ranges: Vec<RangeInclusive<ChiSquare>>,
}

impl Questions {
    const COUNT: usize = 20_000;
    const COLD: usize = 500;

    fn draw(games: &[Game]) -> Questions {
        let mut positions = Vec::with_capacity(Questions::COUNT);
        let mut dice = 1u64;
        while positions.len() < Questions::COUNT {
            dice = dice
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let game = &games[(dice >> 33) as usize % games.len()];
            let ply = (dice >> 20) as usize % (game.moves.len() + 1);
            let Some(position) = game.positions().nth(ply) else {
                continue;
            };
            positions.extend(Exact::of(&position));
            if let Some(passed) = tabiya_chess::position::pass(&position) {
                positions.extend(Exact::of(&passed));
            }
        }
        let half = ChiSquare::from_hundredths(5).expect("0.05 is in range");
        let ranges = positions.iter().step_by(400).map(|it| {
            let statistic = it.record.key().statistic();
            statistic.saturating_sub(half)..=statistic.saturating_add(half)
        });
        Questions {
            start: Exact::of(&shakmaty::Chess::default()).expect("32 pieces"),
            ranges: ranges.collect(),
            positions,
        }
    }
}

fn measure<S: Store>(
    name: &'static str,
    input: &Workload<'_>,
    questions: &Questions,
) -> Result<Report> {
    let directory = tempfile::tempdir_in(".")?;
    let directory = directory.path();
    let started = cpu();
    S::build(directory, input)?;
    let build = cpu() - started;
    let bytes = bytes_in(directory, false)?;

    let bytes_after = bytes_in(directory, true)?;
    ensure!(
        bytes == bytes_after,
        "the store changed while it was closed"
    );
    let started = Instant::now();
    let store = S::open(directory, input)?;
    let open = started.elapsed();
    let mut answers = Vec::with_capacity(questions.positions.len());
    let mut timed = |position: &Exact| -> Result<Duration> {
        let started = Instant::now();
        let answer = store.find(position, input)?;
        let elapsed = started.elapsed();
        answers.push(answer);
        Ok(elapsed)
    };
    let cold = &questions.positions[..Questions::COLD];
    let cold = cold.iter().map(&mut timed).collect::<Result<_>>()?;
    questions
        .positions
        .iter()
        .try_for_each(|it| timed(it).map(drop))?;
    let started = cpu();
    let warm = questions
        .positions
        .iter()
        .map(&mut timed)
        .collect::<Result<_>>()?;
    let warm_cpu = cpu() - started;
    let start = (0..20)
        .map(|_| timed(&questions.start))
        .collect::<Result<Vec<_>>>()?;

    let started = cpu();
    let mut scanned = 0;
    for range in &questions.ranges {
        scanned += store.scan(range.clone())?;
    }
    Ok(Report {
        name,
        build,
        bytes,
        open,
        cold: Latencies(cold),
        warm: Latencies(warm),
        warm_cpu,
        start: start.into_iter().min().unwrap_or_default(),
        scanned,
        scan: cpu() - started,
        answers,
    })
}

fn read_games(path: &Path) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    for input in Input::at(path)? {
        let mut splitter = Splitter::new(input.open(Arc::new(AtomicU64::new(0)))?);
        let mut text = Vec::new();
        while splitter.next_into(&mut text)?.is_some() {
            games.extend(pgn::read(&text).game);
            text.clear();
        }
    }
    Ok(games)
}

fn rows_of(games: &[Game]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, game) in games.iter().enumerate() {
        for (ply, position) in game.positions().enumerate() {
            if let (Ok(position), Ok(ply)) = (Exact::of(&position), Ply::try_from(ply as u64)) {
                let game = GameIndex(number as u32);
                rows.push(Row::new(position, Occurrence { game, ply }));
            }
        }
    }
    rows
}

/// The games of a segment in memory.
struct Memory<'a>(&'a [Game]);

impl TallySource for Memory<'_> {
    fn facts(&self, game: GameIndex) -> Option<Facts> {
        let tags = &self.0.get(usize::from(game))?.tags;
        Some(Facts {
            outcome: tags.result,
            rating: tags.mean_elo().map(|it| it.round() as u16),
            date: tags.date,
        })
    }

    fn move_at(&self, occurrence: Occurrence) -> Option<CompactMove> {
        let game = self.0.get(usize::from(occurrence.game))?;
        game.moves.get(usize::from(occurrence.ply)).copied()
    }
}

impl Replay for Memory<'_> {
    fn position_at(&self, occurrence: Occurrence) -> Option<shakmaty::Chess> {
        let game = self.0.get(usize::from(occurrence.game))?;
        game.positions().nth(occurrence.ply.into())
    }
}

/// One table per segment; a lookup adds up their tallies.
struct Tables(Vec<TableFiles>);

/// The two parts of a table, each in its file.
struct TableFiles {
    index: Mmap,
    blocks: Mmap,
}

impl TableFiles {
    fn write(directory: &Path, number: usize, games: &[Game]) -> Result<()> {
        let written = write::write_table(rows_of(games), &Memory(games));
        for (part, bytes) in [("index", &written.index), ("blocks", &written.blocks)] {
            let mut file = File::create(directory.join(format!("{number:06}.{part}")))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        Ok(())
    }

    fn open(directory: &Path, number: usize) -> Result<TableFiles> {
        let map = |part: &str| {
            let file = File::open(directory.join(format!("{number:06}.{part}")))?;
            // SAFETY: the benchmark's own file; nobody else writes to it.
            unsafe { Mmap::map(&file) }
        };
        let (index, blocks) = (map("index")?, map("blocks")?);
        Ok(TableFiles { index, blocks })
    }

    fn table(&self) -> Result<Table<'_>> {
        Ok(Table::new(&self.index[..], &self.blocks[..])?)
    }

    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize> {
        let mut sum = 0;
        for entry in self.table()?.scan(statistics) {
            let entry = entry?;
            std::hint::black_box(entry.statistic()?);
            sum += entry.payload.occurrences()?.len();
        }
        Ok(sum)
    }
}

impl Store for Tables {
    fn build(directory: &Path, input: &Workload<'_>) -> Result<()> {
        let segments = input.games.chunks(input.segment).enumerate();
        for (number, games) in segments {
            TableFiles::write(directory, number, games)?;
        }
        Ok(())
    }

    fn open(directory: &Path, input: &Workload<'_>) -> Result<Tables> {
        let numbers = 0..input.games.len().div_ceil(input.segment);
        let tables = numbers.map(|it| TableFiles::open(directory, it));
        Ok(Tables(tables.collect::<Result<_>>()?))
    }

    fn find(&self, position: &Exact, input: &Workload<'_>) -> Result<u32> {
        let mut sum = Tally::default();
        for (files, games) in self.0.iter().zip(input.games.chunks(input.segment)) {
            if let Some(payload) = files.table()?.find(position, &Memory(games))? {
                sum.merge_moves(&payload.tally(&Memory(games))?);
            }
        }
        Ok(sum.total().games())
    }

    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize> {
        let mut sum = 0;
        for files in &self.0 {
            sum += files.scan(statistics.clone())?;
        }
        Ok(sum)
    }
}

/// One table of all games, sorted in memory.
struct OneTable(TableFiles);

impl Store for OneTable {
    fn build(directory: &Path, input: &Workload<'_>) -> Result<()> {
        TableFiles::write(directory, 0, input.games)
    }

    fn open(directory: &Path, _: &Workload<'_>) -> Result<OneTable> {
        Ok(OneTable(TableFiles::open(directory, 0)?))
    }

    fn find(&self, position: &Exact, input: &Workload<'_>) -> Result<u32> {
        let Some(payload) = self.0.table()?.find(position, &Memory(input.games))? else {
            return Ok(0);
        };
        Ok(payload.tally(&Memory(input.games))?.total().games())
    }

    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize> {
        self.0.scan(statistics)
    }
}

/// The bytes by which a key-value store sorts: key, value, rights.
fn key_bytes(position: &Exact) -> Vec<u8> {
    let mut bytes = position.record.key().to_sorted_bytes().to_vec();
    bytes.extend_from_slice(position.record.value());
    let rights = position.rights.bits();
    bytes.extend_from_slice(&[(rights >> 16) as u8, (rights >> 8) as u8, rights as u8]);
    bytes
}

fn statistic_bytes(statistic: ChiSquare) -> [u8; 2] {
    let [hundredths, integer] = statistic.to_bytes();
    [integer, hundredths]
}

/// First and last key of a range of statistics.
fn key_range(statistics: &RangeInclusive<ChiSquare>) -> (Vec<u8>, Vec<u8>) {
    let mut last = statistic_bytes(*statistics.end()).to_vec();
    last.extend_from_slice(&[0xff; 32]);
    (statistic_bytes(*statistics.start()).to_vec(), last)
}

/// Sorts the rows and passes on each position with its payload.
fn for_each_entry(
    games: &[Game],
    mut then: impl FnMut(Vec<u8>, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let mut rows = rows_of(games);
    // Key-value stores sort by the whole record.
    rows.sort_unstable_by_key(|row| (*row.position(), row.occurrence()));
    for same in rows.chunk_by(|a, b| a.position() == b.position()) {
        let occurrences: Vec<Occurrence> = same.iter().map(|row| row.occurrence()).collect();
        let tally = (same.len() >= TALLY_FROM).then(|| Tally::of(&occurrences, &Memory(games)));
        let mut payload = Vec::new();
        write::put_payload(&occurrences, tally.as_ref(), &mut payload);
        then(key_bytes(same[0].position()), payload)?;
    }
    Ok(())
}

fn tally_of(payload: &[u8], games: &[Game]) -> Result<Tally> {
    let payload = Payload::from_bytes(payload).context("invalid payload")?;
    Ok(payload.tally(&Memory(games))?)
}

fn visits_in(payload: &[u8]) -> Result<usize> {
    let payload = Payload::from_bytes(payload).context("invalid payload")?;
    Ok(payload.occurrences()?.len())
}

const TABLE: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("positions");

type RedbTable = redb::ReadOnlyTable<&'static [u8], &'static [u8]>;

fn open_redb(directory: &Path) -> Result<(redb::Database, RedbTable)> {
    let database = redb::Database::open(directory.join("redb"))?;
    let table = database.begin_read()?.open_table(TABLE)?;
    Ok((database, table))
}

fn scan_redb(table: &RedbTable, statistics: &RangeInclusive<ChiSquare>) -> Result<usize> {
    let (first, last) = key_range(statistics);
    let mut sum = 0;
    for entry in table.range(first.as_slice()..=last.as_slice())? {
        let (key, payload) = entry?;
        std::hint::black_box(key.value());
        sum += visits_in(payload.value())?;
    }
    Ok(sum)
}

/// Keys end in the segment's number; a transaction adds a segment.
struct RedbSegments {
    table: RedbTable,
    _database: redb::Database,
}

impl Store for RedbSegments {
    fn build(directory: &Path, input: &Workload<'_>) -> Result<()> {
        let database = redb::Database::create(directory.join("redb"))?;
        for (number, games) in input.games.chunks(input.segment).enumerate() {
            let transaction = database.begin_write()?;
            {
                let mut table = transaction.open_table(TABLE)?;
                for_each_entry(games, |mut key, payload| {
                    key.extend_from_slice(&[(number >> 8) as u8, number as u8]);
                    table.insert(key.as_slice(), payload.as_slice())?;
                    Ok(())
                })?;
            }
            transaction.commit()?;
        }
        Ok(())
    }

    fn open(directory: &Path, _: &Workload<'_>) -> Result<RedbSegments> {
        let (_database, table) = open_redb(directory)?;
        Ok(RedbSegments { table, _database })
    }

    fn find(&self, position: &Exact, input: &Workload<'_>) -> Result<u32> {
        let first = key_bytes(position);
        let last = [first.as_slice(), &[0xff, 0xff]].concat();
        let mut sum = Tally::default();
        for entry in self.table.range(first.as_slice()..=last.as_slice())? {
            let (key, payload) = entry?;
            let [.., high, low] = *key.value() else {
                continue;
            };
            let segment = usize::from(high) << 8 | usize::from(low);
            let start = segment * input.segment;
            let end = input.games.len().min(start + input.segment);
            sum.merge_moves(&tally_of(payload.value(), &input.games[start..end])?);
        }
        Ok(sum.total().games())
    }

    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize> {
        scan_redb(&self.table, &statistics)
    }
}

/// All entries sorted in one transaction, then compacted.
struct RedbBulk {
    table: RedbTable,
    _database: redb::Database,
}

impl Store for RedbBulk {
    fn build(directory: &Path, input: &Workload<'_>) -> Result<()> {
        let mut database = redb::Database::create(directory.join("redb"))?;
        let transaction = database.begin_write()?;
        {
            let mut table = transaction.open_table(TABLE)?;
            for_each_entry(input.games, |key, payload| {
                table.insert(key.as_slice(), payload.as_slice())?;
                Ok(())
            })?;
        }
        transaction.commit()?;
        database.compact()?;
        Ok(())
    }

    fn open(directory: &Path, _: &Workload<'_>) -> Result<RedbBulk> {
        let (_database, table) = open_redb(directory)?;
        Ok(RedbBulk { table, _database })
    }

    fn find(&self, position: &Exact, input: &Workload<'_>) -> Result<u32> {
        let Some(payload) = self.table.get(key_bytes(position).as_slice())? else {
            return Ok(0);
        };
        Ok(tally_of(payload.value(), input.games)?.total().games())
    }

    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize> {
        scan_redb(&self.table, &statistics)
    }
}

fn open_fjall(directory: &Path) -> Result<(fjall::Database, fjall::Keyspace)> {
    let database = fjall::Database::builder(directory.join("fjall")).open()?;
    let keyspace = database.keyspace("positions", fjall::KeyspaceCreateOptions::default)?;
    Ok((database, keyspace))
}

fn scan_fjall(keyspace: &fjall::Keyspace, statistics: &RangeInclusive<ChiSquare>) -> Result<usize> {
    let (first, last) = key_range(statistics);
    let mut sum = 0;
    for guard in keyspace.range(first..=last) {
        let (key, payload) = guard.into_inner()?;
        std::hint::black_box(key);
        sum += visits_in(&payload)?;
    }
    Ok(sum)
}

/// Keys end in the segment's number; each segment is inserted and persisted.
struct FjallSegments {
    keyspace: fjall::Keyspace,
    _database: fjall::Database,
}

impl Store for FjallSegments {
    fn build(directory: &Path, input: &Workload<'_>) -> Result<()> {
        let (database, keyspace) = open_fjall(directory)?;
        for (number, games) in input.games.chunks(input.segment).enumerate() {
            for_each_entry(games, |mut key, payload| {
                key.extend_from_slice(&[(number >> 8) as u8, number as u8]);
                Ok(keyspace.insert(key, payload)?)
            })?;
            database.persist(fjall::PersistMode::SyncAll)?;
        }
        keyspace.rotate_memtable_and_wait()?;
        keyspace.major_compact()?;
        Ok(())
    }

    fn open(directory: &Path, _: &Workload<'_>) -> Result<FjallSegments> {
        let (_database, keyspace) = open_fjall(directory)?;
        Ok(FjallSegments {
            keyspace,
            _database,
        })
    }

    fn find(&self, position: &Exact, input: &Workload<'_>) -> Result<u32> {
        let mut sum = Tally::default();
        for guard in self.keyspace.prefix(key_bytes(position)) {
            let (key, payload) = guard.into_inner()?;
            let [.., high, low] = *key else {
                continue;
            };
            let segment = usize::from(high) << 8 | usize::from(low);
            let start = segment * input.segment;
            let end = input.games.len().min(start + input.segment);
            sum.merge_moves(&tally_of(&payload, &input.games[start..end])?);
        }
        Ok(sum.total().games())
    }

    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize> {
        scan_fjall(&self.keyspace, &statistics)
    }
}

/// All entries sorted in one ingestion.
struct FjallBulk {
    keyspace: fjall::Keyspace,
    _database: fjall::Database,
}

impl Store for FjallBulk {
    fn build(directory: &Path, input: &Workload<'_>) -> Result<()> {
        let (_database, keyspace) = open_fjall(directory)?;
        let mut ingestion = keyspace.start_ingestion()?;
        for_each_entry(input.games, |key, payload| {
            Ok(ingestion.write(key, payload)?)
        })?;
        ingestion.finish()?;
        Ok(())
    }

    fn open(directory: &Path, _: &Workload<'_>) -> Result<FjallBulk> {
        let (_database, keyspace) = open_fjall(directory)?;
        Ok(FjallBulk {
            keyspace,
            _database,
        })
    }

    fn find(&self, position: &Exact, input: &Workload<'_>) -> Result<u32> {
        let Some(payload) = self.keyspace.get(key_bytes(position))? else {
            return Ok(0);
        };
        Ok(tally_of(&payload, input.games)?.total().games())
    }

    fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Result<usize> {
        scan_fjall(&self.keyspace, &statistics)
    }
}
