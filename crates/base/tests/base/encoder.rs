//! Writes ChessBase bases, since none is at hand: `cbvault` has no writer, and
//! ChessBase's own bases may not be passed on. It follows the description in
//! the sources of `cbvault`. The fuzz target `base` uses it as well.

use std::collections::BTreeMap;

use cbvault_format::{archive::blocks, tables::MODE_0};
use shakmaty::{CastlingMode, Chess, Position, Rank, Role, Square, san::San, uci::UciMove};

/// What the stream of a game's moves holds.
pub(crate) enum Token {
    Move(&'static str),
    /// The next move has an alternative, which follows when its line ends.
    Begin,
    End,
}

/// The bytes of a game's moves in the encoding 0: each hidden in a table
/// by the number of moves before it.
pub(crate) fn encode(tokens: &[Token]) -> Vec<u8> {
    let mut place = [0; 256];
    for (byte, &code) in (0..=255).zip(&MODE_0) {
        place[usize::from(code)] = byte;
    }
    let mut bytes = Vec::new();
    let mut played = 0_u8;
    let mut position = Chess::default();
    let mut waiting = Vec::new();
    let mut begins = false;
    let hide = |code: u8, played: u8| {
        let place: u8 = place[usize::from(code)];
        place.wrapping_add(played)
    };
    for token in tokens {
        match token {
            Token::Begin => {
                bytes.push(hide(254, played));
                begins = true;
            }
            Token::End => {
                bytes.push(hide(255, played));
                position = waiting.pop().unwrap_or_default();
            }
            Token::Move(san) => {
                if std::mem::take(&mut begins) {
                    waiting.push(position.clone());
                }
                let codes = codes(&position, san);
                bytes.extend(codes.iter().map(|&it| hide(it, played)));
                played = played.wrapping_add(1);
                position = after(position, san);
            }
        }
    }
    bytes
}

fn after(position: Chess, san: &str) -> Chess {
    if san == "--" {
        return tabiya_chess::position::pass(&position).unwrap();
    }
    let mv = san.parse::<San>().unwrap().to_move(&position).unwrap();
    position.play(mv).unwrap()
}

/// One byte for moves of kings and pawns, three for others.
fn codes(position: &Chess, san: &str) -> Vec<u8> {
    match san {
        "--" => return vec![0],
        "O-O" => return vec![9],
        "O-O-O" => return vec![10],
        _ => {}
    }
    let mv = san.parse::<San>().unwrap().to_move(position).unwrap();
    let UciMove::Normal {
        from,
        to,
        promotion,
    } = mv.to_uci(CastlingMode::Standard)
    else {
        unreachable!("it is not a null move");
    };
    let (files, ranks) = (
        i32::from(to.file()) - i32::from(from.file()),
        i32::from(to.rank()) - i32::from(from.rank()),
    );
    let king = [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ];
    let is_home = |rank: i32| from.rank() == Rank::new(rank as u32);
    let home = position.turn().fold_wb(1, 6);
    match (mv.role(), promotion) {
        (Role::King, _) => {
            let step = king.iter().position(|&it| it == (files, ranks)).unwrap();
            vec![1 + step as u8]
        }
        // A pawn that has not moved has the number of its file.
        (Role::Pawn, None) if files == 0 && is_home(home) => {
            let number = u32::from(from.file()) as u8;
            vec![111 + 4 * number + (ranks.unsigned_abs() as u8 - 1)]
        }
        _ => {
            let square = |it: Square| u16::from(it.file()) * 8 + u16::from(it.rank());
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            let promoted = roles.iter().position(|&it| Some(it) == promotion);
            let word = square(from) | square(to) << 6 | (promoted.unwrap_or(0) as u16) << 12;
            vec![235, (word >> 8) as u8, word as u8]
        }
    }
}

/// A text comment of a game, after the move with this number.
pub(crate) type Comment = (i32, &'static str);

pub(crate) fn big(value: u32, size: u32) -> impl Iterator<Item = u8> {
    (0..size).rev().map(move |it| (value >> (8 * it)) as u8)
}

/// A file of names with one entry of `size` bytes.
fn entity(size: usize, parts: &[(usize, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [1_u32, 0, 1_234_567_890, size as u32, u32::MAX, 1, 0] {
        file.extend(word.to_le_bytes());
    }
    let mut record = vec![0; 9 + size];
    for &(at, bytes) in parts {
        record[9 + at..9 + at + bytes.len()].copy_from_slice(bytes);
    }
    file.extend(record);
    file
}

/// The two players, one after the other.
fn players() -> Vec<u8> {
    let mut file = entity(58, &[(0, b"Anderssen"), (30, b"Adolf")]);
    let second = entity(58, &[(0, b"Kieseritzky"), (30, b"Lionel")]);
    file.extend(&second[28..]);
    file
}

/// The files of a base with these games, by their endings. The flag is the
/// first byte of a game's header.
pub(crate) fn base(games: &[(u8, Vec<u8>, &[Comment])]) -> BTreeMap<&'static str, Vec<u8>> {
    let date = |year: u32, month: u32, day: u32| year << 9 | month << 5 | day;
    let mut headers = vec![0; 46];
    headers[3..5].copy_from_slice(&[0, 46]);
    let mut moves = vec![0; 26];
    let mut annotations = vec![0; 26];
    for (index, (flag, stream, comments)) in games.iter().enumerate() {
        let number = index as u32 + 1;
        let moves_at = moves.len() as u32;
        moves.push(0);
        moves.extend(big(stream.len() as u32 + 4, 3));
        moves.extend(stream);
        let mut comments_at = 0;
        if !comments.is_empty() {
            comments_at = annotations.len() as u32;
            let mut items = Vec::new();
            for (place, text) in *comments {
                items.extend(big(*place as u32, 3));
                items.push(2);
                items.extend(big(text.len() as u32 + 8, 2));
                items.extend([0, 42]);
                items.extend(text.as_bytes());
            }
            annotations.extend(big(number, 3));
            annotations.extend([1, 0, 14, 14]);
            annotations.extend(big(comments.len() as u32 + 1, 3));
            annotations.extend(big(items.len() as u32 + 14, 4));
            annotations.extend(items);
        }
        let mut header = vec![*flag];
        header.extend(big(moves_at, 4));
        header.extend(big(comments_at, 4));
        header.extend(big(0, 3).chain(big(1, 3)));
        header.extend([0; 9]);
        header.extend(big(date(1851, 6, 21), 3));
        header.extend([2, 0, 2, 1]);
        header.extend(big(2600, 2).chain(big(0, 2)));
        // C33: from one, in steps of 128.
        header.extend(big((233 + 1) << 7, 2));
        header.resize(46, 0);
        headers.extend(header);
    }
    let event_date = date(1851, 5, 26).to_le_bytes();
    let event = [
        (0, "Café de la Régence".as_bytes()),
        (40, b"Paris"),
        (70, &event_date),
    ];
    BTreeMap::from([
        ("cbh", headers),
        ("cbg", moves),
        ("cba", annotations),
        ("cbp", players()),
        ("cbt", entity(90, &event)),
        ("cbc", entity(53, &[(0, b"Falkbeer")])),
        ("cbs", entity(59, &[(0, b"Own")])),
    ])
}

/// A Huffman block in which every code is eight bits long.
fn huffman(bytes: &[u8]) -> Vec<u8> {
    let length = [12, 8, 4, 0].map(|it| (bytes.len() >> it) as u8 & 15);
    let table = (0..=255_u8).flat_map(|it| [8, it >> 4, it & 15]);
    let body = bytes.iter().flat_map(|&it| [it >> 4, it & 15]);
    let nibbles: Vec<u8> = length.into_iter().chain(table).chain(body).collect();
    nibbles.chunks(2).map(|it| it[0] << 4 | it[1]).collect()
}

/// An archive of these files.
pub(crate) fn archive(files: &BTreeMap<&'static str, Vec<u8>>) -> Vec<u8> {
    let mut table = Vec::new();
    let mut pool = Vec::new();
    let start = 8 + 173 * files.len();
    for (index, (ending, bytes)) in files.iter().enumerate() {
        let mut stream = Vec::new();
        for part in bytes.chunks(20_000) {
            stream.extend(match index % 3 {
                0 => blocks::block(0, part),
                1 => blocks::block(1, &blocks::lz_literals(part)),
                _ => blocks::block(2, &huffman(part)),
            });
        }
        let mut record = format!("Base.{ending}").into_bytes();
        record.resize(128, 0);
        let numbers = [start + pool.len(), stream.len(), bytes.len()];
        record.extend(numbers.iter().flat_map(|&it| (it as u32).to_le_bytes()));
        record.extend([0; 9]);
        record.extend((numbers[0] as u64).to_le_bytes());
        record.extend((numbers[1] as u64).to_le_bytes());
        record.extend((numbers[2] as u64).to_le_bytes());
        table.extend(record);
        pool.extend(stream);
    }
    let mut archive = vec![8, 0];
    archive.extend((files.len() as u16).to_le_bytes());
    archive.extend([0xad, 0, 3, 0]);
    archive.extend(table);
    archive.extend(pool);
    archive
}

pub(crate) fn moves(words: &'static str) -> Vec<Token> {
    let token = |word| match word {
        "(" => Token::Begin,
        ")" => Token::End,
        word => Token::Move(word),
    };
    words.split(' ').map(token).collect()
}

/// In the stream, an alternative follows the end of the line it leaves.
pub(crate) const PLAIN: &str =
    "e4 e5 f4 exf4 Bc4 Qh4 Kf1 b5 Bxb5 Nf6 Nf3 Qh6 d3 Nh5 Nh4 Qg5 Nf5 c6 g4 Nf6 Rg1 cxb5 )";
pub(crate) const BRANCHED: &str =
    "d4 ( d5 c4 dxc4 -- b5 a4 ) Nf6 Nf3 e6 Nc3 Bb4 ( Bd2 O-O ) Bg5 h6 ) )";
