//! Any bytes are a segment or an error, and no segment makes a search panic,
//! not even one whose checksums are right and whose contents are nonsense.
//!
//! The input changes bytes of a sound segment; then the checksums are made
//! right, so that what lies behind them is reached.

#![no_main]

use std::{
    fs,
    path::Path,
    sync::{OnceLock, atomic::AtomicU64},
};

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{Symmetry, pgn, position};
use tabiya_retrieval::{
    Collection, Filter, GameNumber, Query, Statistics, collection, explorer,
    index::{Segment, SegmentBuilder},
    search::{self, Shard},
};
use xxhash_rust::xxh3::xxh3_64;

/// Where the table of sections begins, and how long an entry of it is.
const HEAD: usize = 16;
const ENTRY: usize = 32;

const GAMES: [&[u8]; 3] = [
    b"[White \"A\"]\n[WhiteElo \"2000\"]\n[Annotator \"N\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *",
    b"[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=N Kd7 2. Nb6+ *",
    b"[White \"B\"]\n[ECO \"D06\"]\n\n1. d4 d5 2. c4 -- 3. cxd5 Qxd5 1/2-1/2",
];

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("segment-000001.tabiya");
    for bytes in [data.to_vec(), changed(data)] {
        fs::write(&path, bytes).expect("room for a segment");
        ask(&path);
    }
    fs::write(folder.path().join("manifest.json"), data).expect("room for a manifest");
    let _ = Collection::open(folder.path());
});

/// Asks a segment everything there is to ask.
fn ask(path: &Path) {
    let Ok(segment) = Segment::open(path) else {
        return;
    };
    let Ok(statistics) = Statistics::of([&segment]) else {
        return;
    };
    let _ = segment.postings();
    let position =
        position::parse("r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4");
    let query = Query {
        symmetries: Symmetry::ALL.to_vec(),
        ..Query::new(position.expect("a sound position"))
    };
    let shard = Shard {
        segment: &segment,
        first_game: GameNumber(1),
    };
    let _ = search::search(&[shard], &query, &statistics);
    let _ = explorer::explore(&[shard], &query.position, &Filter::default());
    let summary = segment.summary();
    let manifest = format!(
        r#"{{"format":"tabiya collection","version":1,"skip":0,"next_segment":2,
            "segments":[{{"name":"segment-000001.tabiya","games":{},"positions":{}}}]}}"#,
        summary.games, summary.positions
    );
    let folder = path.parent().expect("the folder");
    fs::write(folder.join("manifest.json"), manifest).expect("room for a manifest");
    let collection = Collection::open(folder).expect("it was a segment before");
    for number in (0..5).map(GameNumber) {
        let _ = collection
            .game(number)
            .map(|it| it.map(|game| game.positions().count()));
    }
    for segment in collection.segments() {
        let _ = segment.for_each_record(|_, _| {});
    }
    let _ = collection::verify(&collection, &AtomicU64::new(0));
}

/// The sound segment with bytes changed as the input says: two for the place,
/// one for the value, and so on.
fn changed(data: &[u8]) -> Vec<u8> {
    static SOUND: OnceLock<Vec<u8>> = OnceLock::new();
    let mut bytes = SOUND.get_or_init(sound).clone();
    let sections = sections(&bytes);
    for change in data.chunks_exact(4) {
        // The parts differ much in size: choose the part first.
        let (start, length) = sections[usize::from(change[0]) % sections.len()];
        if length > 0 {
            let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % length;
            bytes[start + at] = change[3];
        }
    }
    for (index, (start, length)) in sections.iter().enumerate() {
        let sum = xxh3_64(&bytes[*start..start + length]).to_le_bytes();
        let at = HEAD + index * ENTRY + 24;
        bytes[at..at + 8].copy_from_slice(&sum);
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
    entries
        .map(|it| (number(it + 8) as usize, number(it + 16) as usize))
        .collect()
}

fn sound() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("segment");
    let mut builder = SegmentBuilder::new(0);
    for text in GAMES {
        builder.add(&pgn::read(text).game.expect("a sound game"));
    }
    builder.write(&path).expect("room for a segment");
    fs::read(path).expect("a segment")
}
