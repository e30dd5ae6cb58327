//! The bytes of one game as PGN text.

use shakmaty::{Chess, Color, Position, san::San};
use tabiya_chess::{pgn, position};

use super::{
    EVENT, PLAYER, ROUND, SITE,
    entry::{Entry, eco_to_text},
    names::Names,
    pieces::Pieces,
};
use crate::text::TextWriter;

/// Bytes that are not moves: they would be moves of the king that it cannot
/// make.
pub(super) const GLYPH: u8 = 11;
pub(super) const COMMENT: u8 = 12;
pub(super) const BEGIN: u8 = 13;
pub(super) const END: u8 = 14;
pub(super) const END_OF_GAME: u8 = 15;

/// Tags whose name is one byte, from 241 on.
pub(super) const COMMON_TAGS: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "Setup",
    "Source",
    "SetUp",
];

/// The kinds of ratings, as the second half of a tag's name.
pub(super) const RATINGS: [&str; 7] = ["Elo", "Rating", "Rapid", "ICCF", "USCF", "DWZ", "ECF"];

/// No sound game nests variations deeper.
const DEEPEST: usize = 200;

/// What is wrong with a game's bytes.
type Fault = String;

/// Appends the text of a game. If its bytes are damaged, the text ends there,
/// and the fault is returned.
pub(super) fn decode(
    entry: &Entry,
    names: &Names,
    bytes: &[u8],
    text: &mut TextWriter,
) -> Option<Fault> {
    write_index_tags(entry, names, text);
    let mut bytes = Bytes(bytes);
    let start = write_other_tags(entry, &mut bytes, text);
    text.end_tags();
    let fault = match start {
        Err(fault) => Some(fault),
        // The reader of the text refuses the start, and says why.
        Ok(Start::Unreadable) => None,
        Ok(Start::Position(position, pieces)) => {
            let mut game = Game::default();
            let fault = game.read_moves(*position, *pieces, &mut bytes).err();
            game.read_comments(&mut bytes, fault.is_none());
            game.write(text);
            fault
        }
    };
    text.word(result(entry));
    text.bytes.extend(b"\n\n");
    fault
}

fn result(entry: &Entry) -> &'static str {
    ["*", "1-0", "0-1", "1/2-1/2"][usize::from(entry.result & 3)]
}

fn write_index_tags(entry: &Entry, names: &Names, text: &mut TextWriter) {
    text.tag(b"Event", names.get(EVENT, entry.event));
    text.tag(b"Site", names.get(SITE, entry.site));
    text.tag(b"Date", entry.date.to_text().as_bytes());
    text.tag(b"Round", names.get(ROUND, entry.round));
    text.tag(b"White", names.get(PLAYER, entry.white));
    text.tag(b"Black", names.get(PLAYER, entry.black));
    text.tag(b"Result", result(entry).as_bytes());
    for (color, (elo, kind)) in [("White", entry.white_elo), ("Black", entry.black_elo)] {
        if elo > 0 {
            let kind = RATINGS.get(usize::from(kind)).unwrap_or(&RATINGS[0]);
            let name = format!("{color}{kind}");
            text.tag(name.as_bytes(), elo.to_string().as_bytes());
        }
    }
    if let Some(eco) = eco_to_text(entry.eco) {
        text.tag(b"ECO", eco.as_bytes());
    }
    if entry.event_date.0 != 0 {
        text.tag(b"EventDate", entry.event_date.to_text().as_bytes());
    }
}

enum Start {
    Position(Box<Chess>, Box<Pieces>),
    Unreadable,
}

/// Writes the tags that the index has no place for, and finds the start.
fn write_other_tags(
    entry: &Entry,
    bytes: &mut Bytes<'_>,
    text: &mut TextWriter,
) -> Result<Start, Fault> {
    loop {
        let code = bytes.next().ok_or("the tags are truncated")?;
        let name = match code {
            0 => break,
            1..=240 => bytes.take(usize::from(code))?,
            // The date of the event in three bytes, of Scid 2.
            255 => {
                bytes.take(3)?;
                continue;
            }
            _ => COMMON_TAGS
                .get(usize::from(code - 241))
                .map_or(&b""[..], |it| it.as_bytes()),
        };
        let length = bytes.next().ok_or("the tags are truncated")?;
        let value = bytes.take(usize::from(length))?;
        let is_ours = [&b""[..], b"FEN", b"SetUp", b"Setup", b"Variant"].contains(&name)
            || (name == b"EventDate" && entry.event_date.0 != 0);
        if !is_ours {
            text.tag(name, value);
        }
    }
    let flags = bytes.next().ok_or("the moves are missing")?;
    if flags & 1 == 0 {
        let pieces = Box::new(Pieces::initial());
        return Ok(Start::Position(Box::default(), pieces));
    }
    let fen = bytes.string().ok_or("the starting position is truncated")?;
    if entry.is_chess960 {
        text.tag(b"Variant", b"Chess960");
    }
    text.tag(b"SetUp", b"1");
    text.tag(b"FEN", fen);
    if entry.is_chess960 {
        return Ok(Start::Unreadable);
    }
    let Ok(position) = pgn::read_start(&String::from_utf8_lossy(fen)) else {
        return Ok(Start::Unreadable);
    };
    let pieces = Pieces::of(&position).ok_or("a side has more than 16 pieces")?;
    Ok(Start::Position(Box::new(position), Box::new(pieces)))
}

/// Takes bytes from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or("the tags are truncated")?;
        self.0 = rest;
        Ok(taken)
    }

    /// The bytes before the next zero.
    fn string(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|&it| it == 0)?;
        let taken = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Some(taken)
    }
}

/// A part of the movetext, in the order of PGN. Comments may follow the first
/// three.
enum Part {
    Start,
    Begin,
    Move(String),
    Glyph(u8),
    End,
}

/// The moves of a game, and the comments after them.
#[derive(Default)]
struct Game<'a> {
    parts: Vec<(Part, Option<&'a [u8]>)>,
    /// The parts that have a comment, in the order of the comments.
    marks: Vec<usize>,
}

/// A line of moves while it is read.
struct Line {
    position: Chess,
    pieces: Pieces,
    /// Before the last move: where a variation begins.
    before: Option<(Chess, Pieces)>,
    /// The part that a comment would follow.
    last: usize,
    needs_number: bool,
}

impl<'a> Game<'a> {
    fn read_moves(
        &mut self,
        position: Chess,
        pieces: Pieces,
        bytes: &mut Bytes<'a>,
    ) -> Result<(), Fault> {
        self.parts.push((Part::Start, None));
        let mut line = Line {
            position,
            pieces,
            before: None,
            last: 0,
            needs_number: true,
        };
        let mut waiting = Vec::new();
        loop {
            match bytes.next().ok_or("the moves are truncated")? {
                GLYPH => {
                    let glyph = bytes.next().ok_or("the moves are truncated")?;
                    self.parts.push((Part::Glyph(glyph), None));
                }
                COMMENT => self.marks.push(line.last),
                BEGIN => {
                    let before = line.before.clone();
                    let (position, pieces) = before.ok_or("a variation begins before any move")?;
                    if waiting.len() == DEEPEST {
                        return Err(format!("variations are nested deeper than {DEEPEST}"));
                    }
                    self.parts.push((Part::Begin, None));
                    let inner = Line {
                        position,
                        pieces,
                        before: None,
                        last: self.parts.len() - 1,
                        needs_number: true,
                    };
                    waiting.push(std::mem::replace(&mut line, inner));
                }
                END => {
                    let outer = waiting
                        .pop()
                        .ok_or("a variation ends without a beginning")?;
                    self.parts.push((Part::End, None));
                    line = outer;
                    line.needs_number = true;
                }
                END_OF_GAME => return Ok(()),
                byte => self.read_move(byte, bytes, &mut line)?,
            }
        }
    }

    fn read_move(&mut self, byte: u8, bytes: &mut Bytes<'a>, line: &mut Line) -> Result<(), Fault> {
        let turn = line.position.turn();
        let number = line.position.fullmoves();
        let mut word = match (turn, line.needs_number) {
            (Color::White, _) => format!("{number}. "),
            (Color::Black, true) => format!("{number}... "),
            (Color::Black, false) => String::new(),
        };
        let place = |what: &str| {
            let dots = turn.fold_wb(".", "...");
            format!("{what} at move {number}{dots}")
        };
        let decoded = line
            .pieces
            .decode(&line.position, byte, bytes.0.first().copied());
        let (mv, is_long) = decoded.ok_or_else(|| place("illegal move"))?;
        if is_long {
            bytes.next();
        }
        line.before = Some((line.position.clone(), line.pieces.clone()));
        match mv {
            Some(mv) => {
                word += &San::from_move(&line.position, mv).to_string();
                line.pieces.play(turn, mv);
                line.position.play_unchecked(mv);
            }
            None => {
                word += "--";
                let passed = position::pass(&line.position);
                line.position = passed.ok_or_else(|| place("impossible null move"))?;
            }
        }
        self.parts.push((Part::Move(word), None));
        line.last = self.parts.len() - 1;
        line.needs_number = false;
        Ok(())
    }

    /// Reads the comments: first those of the marks. What is left belongs to
    /// the parts after the last mark, one after another.
    fn read_comments(&mut self, bytes: &mut Bytes<'a>, is_whole: bool) {
        if !is_whole {
            return;
        }
        let mut next = 0;
        for &mark in &self.marks {
            let Some(comment) = bytes.string() else {
                return;
            };
            self.parts[mark].1 = Some(comment);
            next = mark + 1;
        }
        while let Some(comment) = bytes.string() {
            let takes = |it: &(Part, _)| !matches!(it.0, Part::Glyph(_) | Part::End);
            let Some(skipped) = self.parts[next..].iter().position(takes) else {
                return;
            };
            self.parts[next + skipped].1 = Some(comment);
            next += skipped + 1;
        }
    }

    fn write(&self, text: &mut TextWriter) {
        let mut depth = 0;
        let mut parts = self.parts.iter().peekable();
        while let Some((part, comment)) = parts.next() {
            match part {
                Part::Start => {}
                Part::Begin => {
                    depth += 1;
                    text.word("(");
                }
                Part::End => {
                    depth -= 1;
                    text.word(")");
                }
                Part::Move(word) => text.word(word),
                Part::Glyph(glyph) => text.word(&format!("${glyph}")),
            }
            // Glyphs come before the comment.
            if comment.is_some() {
                while let Some((Part::Glyph(glyph), _)) =
                    parts.next_if(|it| matches!(it.0, Part::Glyph(_)))
                {
                    text.word(&format!("${glyph}"));
                }
            }
            if let Some(comment) = comment.filter(|it| !it.is_empty()) {
                text.comment(comment);
            }
        }
        (0..depth).for_each(|_| text.word(")"));
    }
}
