//! One game's PGN text as the bytes of a Scid base.

use shakmaty::{Board, Chess, Color, Move, Position, Role, Square, san::San};
use tabiya_chess::{pgn, position};

use super::{
    LONGEST_GAME,
    decode::{BEGIN, COMMENT, COMMON_TAGS, END, END_OF_GAME, GLYPH, RATINGS},
    entry::{Date, Entry, Facts, parse_eco, round_count},
    pieces::Pieces,
    writer::Losses,
};
use crate::text::{Token, tokens};

/// Limits of the format: names in the index, names and values of other tags,
/// ratings, plies.
const LONGEST_NAME: usize = 255;
const LONGEST_TAG: usize = 240;
const HIGHEST_ELO: u16 = 4000;
const MOST_PLIES: u16 = 1023;

/// A move has room for this many glyphs.
const MOST_GLYPHS: u32 = 8;

/// A game as the files store it.
#[derive(Debug, Default)]
pub(super) struct Encoded {
    /// Without the numbers of the names and the place of the bytes.
    pub(super) entry: Entry,
    /// White, Black, event, site and round.
    pub(super) names: [String; 5],
    pub(super) bytes: Vec<u8>,
}

/// The bytes of a game's text; none if not even its moves fit.
pub(super) fn encode(text: &str, is_si4: bool, losses: &mut Losses) -> Option<Encoded> {
    let mut game = Encoded::default();
    let mut others = Vec::new();
    let mut fen = None;
    for token in tokens(text) {
        let Token::Tag(name, value) = token else {
            break;
        };
        match name {
            "FEN" => fen = Some(value.into_owned()),
            _ => game.take_tag(name, &value, &mut others, losses),
        }
    }
    let is_lost = is_si4 && game.entry.event_date.0 != 0 && !game.entry.has_near_event_date();
    if is_lost {
        others.push(("EventDate".to_owned(), game.entry.event_date.to_text()));
        game.entry.event_date = Date(0);
    }
    encode_tags(&others, &mut game.bytes, losses);
    let tags_end = game.bytes.len();
    for with_annotations in [true, false] {
        game.bytes.truncate(tags_end);
        game.encode_moves(text, fen.as_deref(), with_annotations, losses)?;
        if game.bytes.len() <= LONGEST_GAME {
            losses.annotations += u64::from(!with_annotations);
            return Some(game);
        }
    }
    None
}

impl Encoded {
    /// Puts a tag where the format has a place for it.
    fn take_tag(
        &mut self,
        name: &str,
        value: &str,
        others: &mut Vec<(String, String)>,
        losses: &mut Losses,
    ) {
        let entry = &mut self.entry;
        let roster = ["White", "Black", "Event", "Site", "Round"];
        if let Some(place) = roster.iter().position(|&it| it == name) {
            self.names[place] = cut(value, LONGEST_NAME, losses);
            return;
        }
        let rating = [
            ("White", &mut entry.white_elo),
            ("Black", &mut entry.black_elo),
        ]
        .into_iter()
        .find_map(|(color, place)| {
            let kind = name.strip_prefix(color)?;
            Some((RATINGS.iter().position(|&it| it == kind)?, place))
        });
        if let Some((kind, place)) = rating
            && place.0 == 0
        {
            let elo = value.trim().parse::<u16>().unwrap_or(0);
            losses.tags += u64::from(elo > HIGHEST_ELO);
            *place = (elo.min(HIGHEST_ELO), kind as u8);
            return;
        }
        match name {
            "Result" => {
                let results = ["*", "1-0", "0-1", "1/2-1/2"];
                entry.result = results.iter().position(|&it| it == value).unwrap_or(0) as u8;
            }
            "Date" => {
                let date = Date::parse(value);
                losses.tags += u64::from(date.is_none());
                entry.date = date.unwrap_or_default();
            }
            "EventDate" if Date::parse(value).is_some_and(|it| it.to_text() == value) => {
                entry.event_date = Date::parse(value).unwrap_or_default();
            }
            "ECO" => entry.eco = parse_eco(value).unwrap_or(0),
            _ => others.push((name.to_owned(), value.to_owned())),
        }
    }

    fn encode_moves(
        &mut self,
        text: &str,
        fen: Option<&str>,
        with_annotations: bool,
        losses: &mut Losses,
    ) -> Option<()> {
        let (position, pieces) = match fen {
            Some(fen) => {
                let position = pgn::read_start(fen).ok()?;
                let pieces = Pieces::of(&position)?;
                (position, pieces)
            }
            None => (Chess::default(), Pieces::initial()),
        };
        let mut moves = Moves::new(position, pieces);
        let mut depth = 0;
        for token in tokens(text) {
            depth += usize::from(token == Token::Begin);
            if with_annotations || depth == 0 {
                match token {
                    Token::Tag(..) => {}
                    Token::Word(word) => moves.word(word)?,
                    Token::Begin => moves.begin()?,
                    Token::End => moves.end()?,
                    Token::Comment(_) | Token::Glyph(_) if !with_annotations => {}
                    Token::Comment(comment) => moves.comment(comment),
                    Token::Glyph(glyph) => moves.glyph(glyph, losses),
                }
            } else if token == Token::End {
                depth -= 1;
            }
            if with_annotations {
                depth = 0;
            }
        }
        moves.finish(fen, self);
        Some(())
    }
}

/// The text, cut at a character if it is too long.
fn cut(text: &str, limit: usize, losses: &mut Losses) -> String {
    let text = text.replace('\0', " ");
    let end = text.floor_char_boundary(limit);
    losses.tags += u64::from(end < text.len());
    text[..end].to_owned()
}

fn encode_tags(tags: &[(String, String)], bytes: &mut Vec<u8>, losses: &mut Losses) {
    for (name, value) in tags {
        if name.is_empty() || name.len() > LONGEST_TAG {
            losses.tags += 1;
            continue;
        }
        match COMMON_TAGS.iter().position(|it| it == name) {
            Some(place) => bytes.push(241 + place as u8),
            None => {
                bytes.push(name.len() as u8);
                bytes.extend(name.as_bytes());
            }
        }
        let value = cut(value, LONGEST_NAME, losses);
        bytes.push(value.len() as u8);
        bytes.extend(value.as_bytes());
    }
    bytes.push(0);
}

/// The moves of a game while they are encoded.
struct Moves {
    bytes: Vec<u8>,
    comments: Vec<String>,
    line: Line,
    waiting: Vec<Line>,
    facts: Facts,
    home_pawns: u32,
    flags: u32,
    variations: u32,
    glyphs: u32,
}

/// A line of moves while it is encoded.
struct Line {
    position: Chess,
    pieces: Pieces,
    /// Before the last move: where a variation begins.
    before: Option<(Chess, Pieces)>,
    /// The comment on the last move, by its number.
    comment: Option<usize>,
    glyphs: u32,
}

impl Moves {
    fn new(position: Chess, pieces: Pieces) -> Moves {
        let line = Line {
            position,
            pieces,
            before: None,
            comment: None,
            glyphs: 0,
        };
        Moves {
            bytes: Vec::new(),
            comments: Vec::new(),
            line,
            waiting: Vec::new(),
            facts: Facts::default(),
            home_pawns: 0xffff,
            flags: 0,
            variations: 0,
            glyphs: 0,
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        if ["*", "1-0", "0-1", "1/2-1/2"].contains(&word) {
            return Some(());
        }
        let word = word.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.');
        if word.is_empty() {
            return Some(());
        }
        let san: San = word.trim_end_matches(['+', '#']).parse().ok()?;
        let line = &mut self.line;
        let turn = line.position.turn();
        line.before = Some((line.position.clone(), line.pieces.clone()));
        (line.comment, line.glyphs) = (None, 0);
        if san == San::Null {
            line.position = position::pass(&line.position)?;
            self.bytes.push(0);
        } else {
            let mv = san.to_move(&line.position).ok()?;
            line.pieces.encode(turn, mv, &mut self.bytes)?;
            line.pieces.play(turn, mv);
            line.position.play_unchecked(mv);
            if self.waiting.is_empty() {
                self.note(mv);
            }
        }
        if self.waiting.is_empty() {
            self.facts.plies = (self.facts.plies + 1).min(MOST_PLIES);
        }
        Some(())
    }

    /// Notes what Scid wants to know about a move of the main line.
    fn note(&mut self, mv: Move) {
        if let Some(role) = mv.promotion() {
            self.flags |= Entry::PROMOTION;
            if role != Role::Queen {
                self.flags |= Entry::UNDERPROMOTION;
            }
        }
        let now = home_pawns(self.line.position.board());
        let gone = self.home_pawns & !now;
        self.home_pawns &= now;
        if let Some(pawn) = gone.checked_ilog2() {
            let count = usize::from(self.facts.home_pawn_count);
            let shift = if count.is_multiple_of(2) { 4 } else { 0 };
            self.facts.home_pawns[count / 2] |= (pawn as u8) << shift;
            self.facts.home_pawn_count += 1;
        }
    }

    fn begin(&mut self) -> Option<()> {
        let (position, pieces) = self.line.before.clone()?;
        self.variations += 1;
        self.bytes.push(BEGIN);
        let inner = Line {
            position,
            pieces,
            before: None,
            comment: None,
            glyphs: 0,
        };
        self.waiting.push(std::mem::replace(&mut self.line, inner));
        Some(())
    }

    fn end(&mut self) -> Option<()> {
        self.line = self.waiting.pop()?;
        self.bytes.push(END);
        Some(())
    }

    /// A comment on the last move, or before the first. A second one joins
    /// the first.
    fn comment(&mut self, text: &str) {
        // Lines are broken between words.
        let text = text.replace(['\0', '\n', '\r'], " ");
        if text.is_empty() {
            return;
        }
        match self.line.comment {
            Some(number) => {
                let comment = &mut self.comments[number];
                *comment = format!("{comment} {text}");
            }
            None => {
                self.line.comment = Some(self.comments.len());
                self.comments.push(text);
                self.bytes.push(COMMENT);
            }
        }
    }

    fn glyph(&mut self, glyph: u32, losses: &mut Losses) {
        let code = u8::try_from(glyph)
            .ok()
            .filter(|_| self.line.before.is_some() && self.line.glyphs < MOST_GLYPHS);
        let Some(code) = code else {
            losses.glyphs += 1;
            return;
        };
        self.line.glyphs += 1;
        self.glyphs += 1;
        self.bytes.extend([GLYPH, code]);
    }

    fn finish(mut self, fen: Option<&str>, game: &mut Encoded) {
        let entry = &mut game.entry;
        self.facts.material = material(self.line.position.board());
        if fen.is_some() {
            self.flags |= Entry::START;
            self.facts.home_pawn_count = 0;
            self.facts.home_pawns = [0; 8];
        }
        entry.flags = self.flags;
        entry.facts = self.facts;
        let counts = [self.variations, self.comments.len() as u32, self.glyphs];
        entry.counts = counts.map(round_count);
        let bytes = &mut game.bytes;
        bytes.push(self.flags as u8);
        if let Some(fen) = fen {
            bytes.extend(fen.bytes().filter(|&it| it != 0));
            bytes.push(0);
        }
        bytes.extend(self.bytes);
        bytes.push(END_OF_GAME);
        for comment in self.comments {
            bytes.extend(comment.as_bytes());
            bytes.push(0);
        }
    }
}

/// The pawns on their first squares: a2 to h2, then a7 to h7, from the
/// highest bit.
fn home_pawns(board: &Board) -> u32 {
    let bits = |color: Color, first: Square| {
        let squares = (0..8).map(|file| Square::new(u32::from(first) + file));
        squares.fold(0, |bits, square| {
            let is_home = board.piece_at(square) == Some(color.pawn());
            bits << 1 | u32::from(is_home)
        })
    };
    bits(Color::White, Square::A2) << 8 | bits(Color::Black, Square::A7)
}

/// How many there are of each piece: two bits, but four for pawns.
fn material(board: &Board) -> u32 {
    let side = |color: Color| {
        let count = |role: Role| board.by_piece(role.of(color)).count() as u32;
        let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let bits = roles.map(count).into_iter();
        bits.fold(0, |bits, it| bits << 2 | it.min(3)) << 4 | count(Role::Pawn).min(15)
    };
    side(Color::White) << 12 | side(Color::Black)
}
