//! ChessBase bases and archives that the tests write themselves.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tabiya_base::{Base, Record};

use crate::{
    encoder::{BRANCHED, Comment, PLAIN, Token, archive, base, big, encode, moves},
    workspace::{game, movetext, read_all, sound_texts},
};

const TAGS: &str = "[Event \"Café de la Régence\"]\n[Site \"Paris\"]\n[Date \"1851.06.21\"]\n[Round \"2.1\"]\n\
    [White \"Anderssen, Adolf\"]\n[Black \"Kieseritzky, Lionel\"]\n[Result \"1-0\"]\n[ECO \"C33\"]\n[WhiteElo \"2600\"]\n\
    [EventDate \"1851.05.26\"]\n[Annotator \"Falkbeer\"]\n[Source \"Own\"]\n\n";

fn write(folder: &Path, files: &BTreeMap<&'static str, Vec<u8>>) -> PathBuf {
    for (ending, bytes) in files {
        fs::write(folder.join(format!("Base.{ending}")), bytes).unwrap();
    }
    folder.join("Base.cbh")
}

#[test]
fn a_base_is_read_with_tags_variations_and_comments() {
    let folder = tempfile::tempdir().unwrap();
    let comments: &[Comment] = &[(-1, "Before."), (0, "King's pawn"), (3, "Accepted")];
    let files = base(&[
        (1, encode(&moves(PLAIN)), comments),
        (1, encode(&moves(BRANCHED)), &[]),
        (0x81, encode(&moves(PLAIN)), &[]),
        (3, Vec::new(), &[]),
    ]);
    let check = |path: &Path| {
        let all = read_all(path);
        let records: Vec<Record> = all.iter().map(|it| it.0.clone()).collect();
        let sound = Record::Game { fault: None };
        assert_eq!(
            records,
            [sound.clone(), sound, Record::Deleted, Record::Other]
        );
        let first = "{Before.} 1. e4 {King's pawn} e5 2. f4 exf4 {Accepted} 3. Bc4 Qh4 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 \
            7. d3 Nh5 8. Nh4 Qg5 9. Nf5 c6 10. g4 Nf6 11. Rg1 cxb5 1-0";
        let second = "1. d4 d5 (1... Nf6 2. Nf3 e6 3. Nc3 Bb4 4. Bd2 (4. Bg5 h6) 4... O-O) 2. c4 dxc4 3. -- b5 4. a4 1-0";
        for ((_, text), moves) in all.iter().zip([first, second]) {
            let expected = format!("{TAGS}{moves}\n");
            assert_eq!(game(text), game(&expected));
            assert_eq!(movetext(text), movetext(&expected));
        }
    };
    check(&write(folder.path(), &files));
    let path = folder.path().join("packed.cbv");
    fs::write(&path, archive(&files)).unwrap();
    check(&path);
}

/// Other tests import the stored files. `UPDATE=1` writes them again.
#[test]
fn the_stored_base_is_what_the_encoder_writes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/chessbase");
    let files = base(&[
        (1, encode(&moves(PLAIN)), &[]),
        (1, encode(&moves(BRANCHED)), &[]),
    ]);
    let packed = ("packed.cbv".to_owned(), archive(&files));
    let named = files
        .into_iter()
        .map(|(ending, bytes)| (format!("Base.{ending}"), bytes));
    for (name, bytes) in named.chain([packed]) {
        let path = folder.join(name);
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        assert!(fs::read(&path).unwrap() == bytes, "{}", path.display());
    }
}

#[test]
fn promotions_and_castling_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        "h4 g5 hxg5 h6 gxh6 Nf6 h7 Rg8 hxg8=N d5 Nxf6 exf6 Nc3 Be6 d4 Nc6 Bf4 Qd7 Qd3 O-O-O O-O-O";
    let tokens: Vec<Token> = line
        .split(' ')
        .map(Token::Move)
        .chain([Token::End])
        .collect();
    let path = write(folder.path(), &base(&[(1, encode(&tokens), &[])]));
    let texts = sound_texts(&path);
    assert_eq!(game(&texts[0]).moves, game(&format!("{line} *")).moves);
}

#[test]
fn a_damaged_game_is_kept_up_to_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = encode(&moves(PLAIN));
    stream.truncate(6);
    let mut files = base(&[(1, stream, &[]), (1, encode(&moves(BRANCHED)), &[])]);
    let path = write(folder.path(), &files);
    let all = read_all(&path);
    let Record::Game { fault: Some(fault) } = &all[0].0 else {
        panic!("it has a fault");
    };
    assert!(fault.contains("not terminated"), "{fault}");
    assert_eq!(game(&all[0].1).moves.len(), 4);
    assert!(game(&all[0].1).tags.white.starts_with("Anderssen"));
    assert_eq!(all[1].0, Record::Game { fault: None });

    // Moves that lie nowhere.
    files.get_mut("cbh").unwrap()[46 + 2] = 9;
    write(folder.path(), &files);
    let all = read_all(&path);
    let Record::Game { fault: Some(fault) } = &all[0].0 else {
        panic!("it has a fault");
    };
    assert!(fault.contains("beyond the end"), "{fault}");
}

/// More queens than the rules allow have more moves than the decoder has room
/// for.
#[test]
fn impossible_set_ups_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = base(&[(1, encode(&moves(PLAIN)), &[])]);
    let mut bits = String::new();
    for square in 0..64 {
        bits += match square {
            0 => "10001",
            63 => "11001",
            1..=30 => "10010",
            _ => "0",
        };
    }
    let mut board = vec![1, 0, 0, 1];
    board.extend((0..24).map(|byte| {
        let bits = bits.chars().skip(8 * byte).take(8);
        bits.fold(0, |sum, it| sum << 1 | u8::from(it == '1'))
    }));
    let record: Vec<u8> = [0x40]
        .into_iter()
        .chain(big(32 + 4, 3))
        .chain(board)
        .chain([0; 4])
        .collect();
    let moves = files.get_mut("cbg").unwrap();
    moves.truncate(26);
    moves.extend(record);
    let all = read_all(&write(folder.path(), &files));
    let Record::Game { fault: Some(fault) } = &all[0].0 else {
        panic!("it has a fault");
    };
    assert!(fault.contains("impossible starting position"), "{fault}");
}

#[test]
fn missing_files_and_bombs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = base(&[(1, encode(&moves(PLAIN)), &[])]);
    let path = write(folder.path(), &files);
    fs::remove_file(folder.path().join("Base.cbt")).unwrap();
    let error = Base::open(&path).unwrap_err().to_string();
    assert!(error.contains("Base.cbt is missing"), "{error}");
    files.remove("cbt");
    let path = folder.path().join("packed.cbv");
    fs::write(&path, archive(&files)).unwrap();
    let error = Base::open(&path).unwrap_err().to_string();
    assert!(error.contains("it does not contain Base.cbt"), "{error}");
    // The sizes of a member, four gigabytes.
    let mut bytes = archive(&files);
    for at in [8 + 136, 8 + 165] {
        bytes[at..at + 4].fill(0xff);
    }
    fs::write(&path, bytes).unwrap();
    let error = Base::open(&path).unwrap_err().to_string();
    assert!(error.contains("implausible"), "{error}");
}
