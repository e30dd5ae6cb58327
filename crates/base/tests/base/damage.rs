//! No damage makes a base panic, hang or give text that the reader cannot
//! take: some thousand times, bytes are changed and files cut short.

use std::{collections::BTreeMap, fs, path::Path, time::Instant};

use tabiya_base::{
    Base,
    scid::{Format, Writer},
};
use tabiya_chess::pgn;

use crate::{
    encoder::{self, BRANCHED, PLAIN},
    workspace::{fixtures, original_texts},
};

/// Numbers as good as random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

type Files = BTreeMap<String, Vec<u8>>;

/// Damages the files of a base in many ways and reads what is left.
fn damage(files: &Files, first: &str, rounds: usize, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(first);
    let mut random = Random(seed);
    let begin = Instant::now();
    let mut opened = 0;
    for _ in 0..rounds {
        let mut damaged = files.clone();
        for _ in 0..=random.below(4) {
            let chosen = random.below(damaged.len());
            let bytes = damaged.values_mut().nth(chosen).unwrap();
            let length = bytes.len();
            match random.below(8) {
                0 => bytes.truncate(random.below(length)),
                1 => {
                    let (from, to) = (random.below(length), random.below(length));
                    let count = random.below(40).min(length - from.max(to));
                    bytes.copy_within(from..from + count, to);
                }
                _ => {
                    for _ in 0..=random.below(6) {
                        if length > 0 {
                            bytes[random.below(length)] = random.below(256) as u8;
                        }
                    }
                }
            }
        }
        for (name, bytes) in &damaged {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        opened += usize::from(read(&path));
    }
    assert!(
        opened > rounds / 20,
        "only {opened} of {rounds} were opened"
    );
    let seconds = begin.elapsed().as_secs();
    assert!(seconds < 600, "{rounds} rounds took {seconds} s");
}

/// Reads a base as far as it goes; returns whether it could be opened.
fn read(path: &Path) -> bool {
    let Ok(mut base) = Base::open(path) else {
        return false;
    };
    let mut text = Vec::new();
    while let Ok(Some(_)) = base.next_into(&mut text) {
        pgn::read(&text);
        text.clear();
    }
    true
}

#[test]
fn damaged_scid_bases_are_read_as_far_as_they_go() {
    let load = |folder: &Path, names: [&str; 3]| -> Files {
        let names = names.into_iter();
        names
            .map(|it| (it.to_owned(), fs::read(folder.join(it)).unwrap()))
            .collect()
    };
    // A few annotated games, so that damage strikes them.
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::Si4, Format::Si5] {
        let mut writer = Writer::create(format, &folder.path().join("games")).unwrap();
        let texts = original_texts();
        texts[47..].iter().for_each(|it| writer.add(it).unwrap());
        writer.finish().unwrap();
    }
    let si4 = load(folder.path(), ["games.si4", "games.sn4", "games.sg4"]);
    damage(&si4, "games.si4", 1500, 1);
    let si5 = load(folder.path(), ["games.si5", "games.sn5", "games.sg5"]);
    damage(&si5, "games.si5", 1500, 2);
    let real = load(
        &fixtures().join("scid"),
        ["games.si4", "games.sn4", "games.sg4"],
    );
    damage(&real, "games.si4", 150, 3);
}

#[test]
fn damaged_chessbase_bases_are_read_as_far_as_they_go() {
    let plain = encoder::encode(&encoder::moves(PLAIN));
    let branched = encoder::encode(&encoder::moves(BRANCHED));
    let files = encoder::base(&[
        (1, plain.clone(), &[(-1, "Before."), (2, "A comment")]),
        (1, branched, &[]),
        (1, plain, &[]),
    ]);
    let archive = Files::from([("packed.cbv".to_owned(), encoder::archive(&files))]);
    let files: Files = files
        .into_iter()
        .map(|(ending, bytes)| (format!("Base.{ending}"), bytes))
        .collect();
    damage(&files, "Base.cbh", 3000, 4);
    damage(&archive, "packed.cbv", 1500, 5);
}
