//! What is fuzzed: functions that take any bytes and must not panic. Two drivers share them:
//! libFuzzer (`fuzz_targets/`) and a loop of random mutations on stable Rust
//! (`crates/app/tests/fuzz`).

#[path = "../../crates/base/tests/base/encoder.rs"]
mod encoder;

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::Path,
    sync::OnceLock,
};

use tabiya_base::{
    Base,
    scid::{Format, Writer},
};
use tabiya_chess::{
    Annotations, Game, Symmetry,
    pgn::{self, Splitter},
    position,
    record::{Key, Record},
};
use tabiya_pattern::{Evaluator, Pattern, Played};
use tabiya_question::QUESTIONS;
use tabiya_retrieval::{
    Filter, GameNumber, Query, Statistics, explorer,
    find::{self, FindQuery},
    index::{self, Segment, SegmentBuilder},
    search::{self, Shard},
};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// A name, and the function that must survive all input.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All targets.
pub(crate) const TARGETS: &[Target] = &[
    ("pgn", pgn),
    ("fen", fen),
    ("record", record),
    ("parameters", parameters),
    ("pattern", pattern),
    ("uci", uci),
    ("scid", scid),
    ("chessbase", chessbase),
    ("segment", segment),
];

/// Any bytes are cut into games without losing one; what is read of a game can be played
/// through, and comes back the same when it is written and read again.
pub(crate) fn pgn(data: &[u8]) {
    let mut splitter = Splitter::new(data);
    let mut text = Vec::new();
    while let Ok(Some(_)) = splitter.next_into(&mut text) {
        check_game(&text);
        text.clear();
    }
    check_game(data);
    // Any bytes are annotations or none.
    Annotations::from_bytes(data);
}

fn check_game(text: &[u8]) {
    let Some(game) = pgn::read(text).game else {
        return;
    };
    assert_eq!(game.positions().count(), game.moves.len() + 1);
    let mut written = String::new();
    pgn::write(&game, &mut written).expect("a string takes everything");
    let again = pgn::read(written.as_bytes());
    assert_eq!(again.fault, None, "{written}");
    let again = again.game.expect("a game of ours is read again");
    assert_eq!(again.moves, game.moves, "{written}");
    assert_eq!(again.setup, game.setup, "{written}");
    assert_eq!(again.annotations, game.annotations, "{written}");
    let bytes = game.annotations.to_bytes();
    assert_eq!(Annotations::from_bytes(&bytes), Some(game.annotations));
}

/// Any text is a position or an error; a position gives its FEN back.
pub(crate) fn fen(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = pgn::read_start(&text);
    let Ok(found) = position::parse(&text) else {
        return;
    };
    let fen = position::to_fen(&found);
    let again = position::parse(&fen).expect("a FEN of ours is read again");
    assert_eq!(position::to_fen(&again), fen);
    let _ = position::pass(&found);
}

/// Any bytes are a record or an error; a record gives its bytes, its hex and its board back.
pub(crate) fn record(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = text.parse::<Record>();
    }
    let Ok(record) = Record::from_bytes(data) else {
        return;
    };
    assert_eq!(record.to_bytes(), data);
    assert_eq!(record.to_string().parse(), Ok(record));
    let sorted = record.key().to_sorted_bytes();
    assert_eq!(Key::from_sorted_bytes(sorted), Ok(record.key()));
    let again = Record::of(&record.board()).expect("a record's board has 1 to 32 pieces");
    assert_eq!(again.board(), record.board());
    assert_eq!(again.value(), record.value());
}

/// Any parameters are a question or an error with words.
pub(crate) fn parameters(data: &[u8]) {
    let Some((&which, rest)) = data.split_first() else {
        return;
    };
    let entry = &QUESTIONS[usize::from(which) % QUESTIONS.len()];
    if let Err(error) = entry.read_within_limits(&String::from_utf8_lossy(rest)) {
        assert!(!error.to_string().is_empty());
    }
}

/// Any text is a pattern or an error with a place in the text. A pattern is written, and read back and
/// written again as the same; it matches the positions of a game, and of a segment, or takes too much work.
pub(crate) fn pattern(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let pattern: Pattern = match text.parse() {
        Ok(pattern) => pattern,
        Err(error) => {
            assert!(error.span().begin <= text.len() && error.column() >= 1);
            return;
        }
    };
    let written = pattern.to_string();
    match written.parse::<Pattern>() {
        Ok(again) => assert_eq!(again.to_string(), written),
        Err(error) => panic!("{written}: {error}"),
    }
    static PLACES: OnceLock<(Game, Segment)> = OnceLock::new();
    let (game, segment) = PLACES.get_or_init(|| {
        let game = pgn::read(LIVELY.as_bytes()).game.expect("a sound game");
        let segment = Segment::from_bytes(sound_segment()).expect("a sound segment");
        (game, segment)
    });
    let _ = Evaluator::new(pattern.program()).matches(&Played::new(game));
    let shard = Shard {
        segment,
        first_game: GameNumber(1),
    };
    let _ = find::find(&[shard], &FindQuery::new(&pattern));
}

/// A short game with captures, en passant, checks and castling.
const LIVELY: &str =
    "1. e4 d5 2. exd5 e5 3. dxe6 Nf6 4. exf7+ Kxf7 5. Nf3 Bd6 6. Be2 Re8 7. O-O Rxe2 8. Qxe2 Qe7 *";

/// Any lines are commands of UCI or are ignored. Searches are short, so that the fuzzer is not.
pub(crate) fn uci(data: &[u8]) {
    // With a small table, which is made in no time.
    let mut script = b"setoption name Hash value 1\n".to_vec();
    for line in data.split(|&it| it == b'\n').take(20) {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_whitespace();
        match words.next() {
            Some("go") => script.extend(b"go nodes 20"),
            // Files of the machine are not ours to open, and large tables take time.
            Some("setoption" | "bench" | "perft") => continue,
            _ => script.extend(line),
        }
        script.push(b'\n');
    }
    script.extend(b"quit\n");
    tabiya_engine::uci::converse(&*script, Nowhere);
}

/// Takes everything and keeps nothing.
struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const GAMES: [&str; 3] = [
    "[White \"A\"]\n[WhiteElo \"2000\"]\n[Annotator \"N\"]\n\n{Begin} 1. e4 $1 (1. d4 d5 (1... Nf6)) e5 {x} 2. Qh5 Nc6 *\n",
    "[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n[White \"AB\"]\n\n1. a8=N O-O *\n",
    "[White \"B\"]\n[ECO \"D06\"]\n[Date \"1999.01.02\"]\n\n1. d4 -- 2. c4 d5 3. cxd5 Qxd5 1/2-1/2\n",
];

/// The files of each kind of base, the one that stands for it first.
const KINDS: [&[&str]; 4] = [
    &["base.si4", "base.sn4", "base.sg4"],
    &["base.si5", "base.sn5", "base.sg5"],
    &[
        "base.cbh", "base.cbg", "base.cba", "base.cbp", "base.cbt", "base.cbc", "base.cbs",
    ],
    &["base.cbv"],
];

/// Any bytes are a base of Scid or an error.
pub(crate) fn scid(data: &[u8]) {
    base(data, 0);
}

/// Any bytes are a base of ChessBase or an error.
pub(crate) fn chessbase(data: &[u8]) {
    base(data, 2);
}

/// The input chooses a kind of base and changes bytes of a sound one, or takes their place.
fn base(data: &[u8], first: u8) {
    let Some((&kind, data)) = data.split_first() else {
        return;
    };
    let folder = temporary_folder();
    let names = KINDS[usize::from(first + (kind & 1))];
    for (index, name) in names.iter().enumerate() {
        let bytes = match kind & 6 {
            0 => part(index, names.len(), data),
            _ => changed_file(name, index, data),
        };
        fs::write(folder.path().join(name), bytes).expect("room for a file");
    }
    read_base(&folder.path().join(names[0]));
}

/// A folder in memory, where the system has one: files are written for every input.
fn temporary_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    folder.expect("a temporary folder")
}

fn read_base(path: &Path) {
    let Ok(mut base) = Base::open(path) else {
        return;
    };
    let mut text = Vec::new();
    while let Ok(Some(_)) = base.next_into(&mut text) {
        pgn::read(&text);
        text.clear();
    }
}

/// The part of the input that stands for one of the files.
fn part(index: usize, count: usize, data: &[u8]) -> Vec<u8> {
    let size = data.len().div_ceil(count).max(1);
    data.chunks(size).nth(index).unwrap_or_default().to_vec()
}

/// The sound file with bytes changed as the input says: the file, two for the place, one for
/// the value, and so on.
fn changed_file(name: &str, index: usize, data: &[u8]) -> Vec<u8> {
    let mut bytes = sound_file(name);
    for change in data.chunks_exact(4) {
        if usize::from(change[0] & 7) == index && !bytes.is_empty() {
            let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % bytes.len();
            bytes[at] = change[3];
        }
    }
    bytes
}

/// The sound files of all kinds.
fn sound_file(name: &str) -> Vec<u8> {
    static SOUND: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    let files = SOUND.get_or_init(|| {
        let plain = encoder::encode(&encoder::moves(encoder::PLAIN));
        let branched = encoder::encode(&encoder::moves(encoder::BRANCHED));
        let comments = [(-1, "Before."), (2, "A comment")];
        let base = encoder::base(&[(1, plain, &comments), (1, branched, &[])]);
        let mut files = scid_files();
        files.insert("base.cbv".to_owned(), encoder::archive(&base));
        let named = |(ending, bytes)| (format!("base.{ending}"), bytes);
        files.extend(base.into_iter().map(named));
        files
    });
    files[name].clone()
}

fn scid_files() -> BTreeMap<String, Vec<u8>> {
    let folder = temporary_folder();
    for format in [Format::Si4, Format::Si5] {
        let mut writer = Writer::create(format, &folder.path().join("base")).expect("room");
        for text in GAMES {
            writer.add(text).expect("room for a game");
        }
        writer.finish().expect("room for a base");
    }
    let names = KINDS[0].iter().chain(KINDS[1]);
    let read = |it: &&str| fs::read(folder.path().join(it)).expect("a file");
    names.map(|it| ((*it).to_owned(), read(it))).collect()
}

/// Any bytes are a segment or an error, and no segment makes a question panic, not even one
/// whose checksums are right and whose contents are nonsense. The first byte of the input chooses
/// the question, the others change bytes of a sound segment; then the checksums are made right,
/// so that what lies behind them is reached.
pub(crate) fn segment(data: &[u8]) {
    let Some((&which, data)) = data.split_first() else {
        return;
    };
    let bytes = match which & 0x80 {
        0 => changed_segment(data),
        _ => data.to_vec(),
    };
    let Ok(segment) = Segment::from_bytes(bytes) else {
        return;
    };
    let shard = Shard {
        segment: &segment,
        first_game: GameNumber(1),
    };
    match which % 8 {
        0 => {
            let _ = segment.postings();
        }
        1 => {
            let _ = segment.for_each_record(|_, _| {});
        }
        2 => {
            let _ = explorer::explore(&[shard], &query().position, &Filter::default());
        }
        3 | 4 => {
            for number in (1..=4).map(GameNumber) {
                if let Ok(Some(game)) = index::game(&[shard], number) {
                    game.positions().take(500).count();
                }
            }
        }
        _ => {
            if let Ok(statistics) = Statistics::of([&segment]) {
                let _ = search::search(&[shard], query(), &statistics);
            }
        }
    }
    let _ = segment.sound();
}

fn query() -> &'static Query {
    static QUERY: OnceLock<Query> = OnceLock::new();
    QUERY.get_or_init(|| {
        let fen = "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4";
        Query {
            symmetries: vec![Symmetry::None, Symmetry::Swap],
            ..Query::new(position::parse(fen).expect("a sound position"))
        }
    })
}

/// Where the table of sections begins, how long an entry of it is, and how long a block.
const HEAD: usize = 16;
const ENTRY: usize = 32;
const BLOCK: usize = 4096;

/// A sound segment, where its sections lie, and where the checksums of their blocks.
struct Sound {
    bytes: Vec<u8>,
    sections: Vec<(usize, usize)>,
}

/// The sound segment with bytes changed as the input says: one for the section, two for the
/// place, one for the value, and so on.
fn changed_segment(data: &[u8]) -> Vec<u8> {
    static SOUND: OnceLock<Sound> = OnceLock::new();
    let Sound { bytes, sections } = SOUND.get_or_init(|| {
        let bytes = sound_segment();
        let sections = sections(&bytes);
        Sound { bytes, sections }
    });
    let mut bytes = bytes.clone();
    let mut touched = Vec::new();
    for change in data.chunks_exact(4) {
        // The sections differ much in size: choose the section first.
        let index = usize::from(change[0]) % sections.len();
        let (start, length) = sections[index];
        if length > 0 {
            let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % length;
            bytes[start + at] = change[3];
            touched.push(index);
        }
    }
    for index in touched {
        let (start, length) = sections[index];
        let blocks = bytes[start..start + length].chunks(BLOCK);
        let sums: Vec<u8> = blocks.flat_map(|it| xxh3_64(it).to_le_bytes()).collect();
        let place = (start + length).next_multiple_of(8);
        bytes[place..place + sums.len()].copy_from_slice(&sums);
        let at = HEAD + index * ENTRY + 24;
        bytes[at..at + 8].copy_from_slice(&xxh3_64(&sums).to_le_bytes());
    }
    let end = HEAD + sections.len() * ENTRY;
    let sum = xxh3_64(&bytes[..end]).to_le_bytes();
    bytes[end..end + 8].copy_from_slice(&sum);
    bytes
}

fn sections(bytes: &[u8]) -> Vec<(usize, usize)> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let count = number(8) >> 32;
    let entries = (0..count as usize).map(|it| HEAD + it * ENTRY);
    let place = |it| (number(it + 8) as usize, number(it + 16) as usize);
    entries.map(place).collect()
}

fn sound_segment() -> Vec<u8> {
    let folder = temporary_folder();
    let path = folder.path().join("segment");
    let mut builder = SegmentBuilder::new(0);
    for text in GAMES {
        let game = pgn::read(text.as_bytes()).game;
        builder.add(&game.expect("a sound game"));
    }
    builder.write(&path).expect("room for a segment");
    fs::read(path).expect("a segment")
}
