//! Any bytes are a base or an error, and no base makes the reader panic, wait
//! without end, or give text that cannot be read.
//!
//! The input chooses a kind of base and changes bytes of a sound one, or takes
//! their place.

#![no_main]

#[path = "../../crates/base/tests/base/encoder.rs"]
mod encoder;

use std::{collections::BTreeMap, fs, path::Path, sync::OnceLock};

use libfuzzer_sys::fuzz_target;
use tabiya_base::{
    Base,
    scid::{Format, Writer},
};
use tabiya_chess::pgn;

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

fuzz_target!(|data: &[u8]| {
    let Some((&kind, data)) = data.split_first() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names = KINDS[usize::from(kind & 3)];
    for (index, name) in names.iter().enumerate() {
        let bytes = match kind & 4 {
            0 => changed(name, index, data),
            _ => part(index, names.len(), data),
        };
        fs::write(folder.path().join(name), bytes).expect("room for a file");
    }
    read(&folder.path().join(names[0]));
});

fn read(path: &Path) {
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

/// The sound file with bytes changed as the input says: the file, two for the
/// place, one for the value, and so on.
fn changed(name: &str, index: usize, data: &[u8]) -> Vec<u8> {
    let mut bytes = sound(name);
    for change in data.chunks_exact(4) {
        if usize::from(change[0] & 7) == index && !bytes.is_empty() {
            let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % bytes.len();
            bytes[at] = change[3];
        }
    }
    bytes
}

/// The sound files of all kinds.
fn sound(name: &str) -> Vec<u8> {
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
    let folder = tempfile::tempdir().expect("a temporary folder");
    for format in [Format::Si4, Format::Si5] {
        let mut writer = Writer::create(format, &folder.path().join("base")).expect("room");
        for text in GAMES {
            writer.add(text).expect("room for a game");
        }
        writer.finish().expect("room for a base");
    }
    let names = KINDS[0].iter().chain(KINDS[1]);
    names
        .map(|&it| {
            (
                it.to_owned(),
                fs::read(folder.path().join(it)).expect("a file"),
            )
        })
        .collect()
}
