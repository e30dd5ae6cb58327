//! Reading one game: lenient as the field expects, silent about nothing.

use std::{borrow::Cow, fmt, ops::ControlFlow};

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{
    CastlingMode, Chess, Move, Outcome, Position, PositionError, Role, fen::Fen, san::San,
};

use super::tidy;
use crate::{
    CompactMove, Game,
    game::{Date, Eco, Tags, parse_result},
    position::{self, FenError},
};

/// The longest line with a tag.
const TAG_LINE: usize = 4096;

/// What came of reading the text of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The game, as far as it could be read; none if it is a variant, or its
    /// start cannot be made out.
    pub game: Option<Game>,
    /// The tags of a game that is none, to name it by.
    pub refused: Option<Tags>,
    /// Why the game could not be read to its end.
    pub fault: Option<Fault>,
    /// How many variations were skipped, nested ones counted with the one
    /// that holds them.
    pub variations: u32,
    /// Whether the Result tag and the end of the moves disagree.
    pub result_disagrees: bool,
}

/// Why a game could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A variant of chess.
    #[error("variant {0} is not chess as we index it")]
    Variant(String),
    /// The FEN tag does not give a position.
    #[error("FEN tag: {0}")]
    Start(FenError),
    /// A move that the rules do not allow.
    #[error("illegal move {} {san}", MoveNumber(*ply))]
    Illegal {
        /// The number of the half-move, counted from one.
        ply: usize,
        /// The move as written.
        san: String,
    },
    /// A word that is not a move.
    #[error("cannot read \"{word}\" at move {}", MoveNumber(*ply))]
    Unreadable {
        /// The number of the half-move that should stand here.
        ply: usize,
        /// The word as written.
        word: String,
    },
    /// A comment or a variation without end, or a tag line that never ends.
    #[error("{0}")]
    Cut(String),
    /// Text without a single tag or move.
    #[error("no game in this text")]
    NoGame,
}

/// `7.` or `7...`, for a half-move counted from one from the usual start.
struct MoveNumber(usize);

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.0 % 2 == 1 { "." } else { "..." };
        write!(f, "{}{dots}", self.0.div_ceil(2))
    }
}

/// Reads the text of one game.
///
/// Careless spelling is set right; an illegal or unreadable move ends the
/// game there with a [`Fault`], and what came before is kept.
pub fn read(text: &[u8]) -> Reading {
    let text = join_paragraphs(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let (tags, movetext) = text.split_at(movetext_start(&text));
    let (first, words_read) = visit(&text);
    let (words, ends_in_main_line) = tidy::count_words(movetext);
    let understood = first.fault.is_none() && words_read == words;
    let mut reading = match understood || first.game.is_none() {
        true => first,
        false => reread(tags, movetext, first),
    };
    if !ends_in_main_line && reading.fault.is_none() {
        // Whatever came after it was taken for a part of it.
        reading.fault = Some(Fault::Cut("a variation never ends".to_owned()));
    }
    reading
}

/// Reads the tags of one game, without its moves. Much cheaper than [`read`].
///
/// The result is that of the Result tag, which the moves may contradict.
pub fn read_tags(text: &[u8]) -> Tags {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut visitor = TagVisitor::default();
    let mut reader = Reader::build(text)
        .set_supported_tag_line_length(TAG_LINE)
        .finish();
    // A text that ends in the middle of a tag has the tags before it.
    let _ = reader.read_game(&mut visitor);
    let GameVisitor {
        mut tags,
        result_tag,
        ..
    } = visitor.0;
    tags.result = Outcome::from_known(result_tag.as_deref().and_then(parse_result));
    tags
}

/// Reads a game again from its tidied main line. Keeps the first reading's
/// tags, result and counts, which the tidied line no longer shows.
fn reread(tags: &[u8], movetext: &[u8], first: Reading) -> Reading {
    let (line, unread) = tidy::tidy(movetext);
    let (second, _) = visit(&[tags, b"\n", &line].concat());
    let (Some(first_game), Some(second_game)) = (first.game, second.game) else {
        return Reading {
            fault: first.fault,
            ..Reading::default()
        };
    };
    let ply = second_game.moves.len() + 1;
    let fault = second
        .fault
        .or(unread.map(|word| Fault::Unreadable { ply, word }))
        // A comment that never closes is tidied away, but was there.
        .or(first.fault.filter(|it| matches!(it, Fault::Cut(_))));
    let game = Game {
        tags: first_game.tags,
        ..second_game
    };
    Reading {
        game: Some(game),
        fault,
        ..first
    }
}

/// A blank line among the moves would end the game for the reader: fill it.
/// (The splitter has already decided that it does not.)
fn join_paragraphs(text: &[u8]) -> Cow<'_, [u8]> {
    let start = movetext_start(text);
    let is_split = memchr::memmem::find(&text[start..], b"\n\n").is_some()
        || memchr::memmem::find(&text[start..], b"\n\r\n").is_some();
    if !is_split {
        return Cow::Borrowed(text);
    }
    let mut joined = text.to_vec();
    let mut line_is_empty = false;
    for byte in &mut joined[start..] {
        match *byte {
            b'\n' if line_is_empty => *byte = b' ',
            b'\n' => line_is_empty = true,
            b'\r' | b' ' | b'\t' => {}
            _ => line_is_empty = false,
        }
    }
    Cow::Owned(joined)
}

/// Where the tags end and the moves begin.
fn movetext_start(text: &[u8]) -> usize {
    let mut start = 0;
    for line in text.split_inclusive(|&it| it == b'\n') {
        let trimmed = line.trim_ascii();
        let is_tag = line.starts_with(b"[") && trimmed.ends_with(b"]");
        if !(is_tag || trimmed.is_empty() || line.starts_with(b"%")) {
            if line.starts_with(b"[") {
                // Tag and moves on one line.
                let bracket = memchr::memrchr(b']', line).map_or(0, |it| it + 1);
                return start + bracket;
            }
            return start;
        }
        start += line.len();
    }
    text.len()
}

/// One pass of the reader over the text; also returns how many words it read.
fn visit(text: &[u8]) -> (Reading, usize) {
    let mut visitor = GameVisitor::default();
    let mut reader = Reader::build(text)
        .set_supported_tag_line_length(TAG_LINE)
        .finish();
    let read = reader.read_game(&mut visitor);
    if let Err(error) = read {
        visitor.fault.get_or_insert(Fault::Cut(error.to_string()));
    } else if visitor.nothing_seen() {
        visitor.fault.get_or_insert(Fault::NoGame);
    }
    visitor.finish()
}

#[derive(Default)]
struct GameVisitor {
    tags: Tags,
    result_tag: Option<String>,
    fen: Option<String>,
    variant: Option<String>,
    setup: Option<Box<Chess>>,
    position: Chess,
    moves: Vec<CompactMove>,
    end: Option<Outcome>,
    fault: Option<Fault>,
    words_read: usize,
    variations: u32,
    has_tags: bool,
}

impl GameVisitor {
    fn nothing_seen(&self) -> bool {
        !self.has_tags && self.words_read == 0 && self.end.is_none()
    }

    fn finish(mut self) -> (Reading, usize) {
        let tagged = self.result_tag.as_deref().and_then(parse_result);
        let ended = self.end.and_then(Outcome::known);
        let result_disagrees = tagged.is_some() && ended.is_some() && tagged != ended;
        // The board knows best; then the tag, which is what databases show.
        let mated = self
            .position
            .outcome()
            .known()
            .filter(|it| it.winner().is_some());
        let result = if result_disagrees {
            mated.or(tagged)
        } else {
            tagged.or(ended)
        };
        self.tags.result = Outcome::from_known(result);
        let is_readable = !matches!(
            self.fault,
            Some(Fault::Variant(_) | Fault::Start(_) | Fault::NoGame)
        );
        let game = Game {
            tags: self.tags,
            setup: self.setup,
            moves: self.moves,
        };
        let (game, refused) = if is_readable {
            (Some(game), None)
        } else {
            (None, self.has_tags.then_some(game.tags))
        };
        let reading = Reading {
            game,
            refused,
            fault: self.fault,
            variations: self.variations,
            result_disagrees,
        };
        (reading, self.words_read)
    }

    fn set_up(&mut self) -> Result<(), Fault> {
        if let Some(variant) = self.variant.take() {
            return Err(Fault::Variant(variant));
        }
        if let Some(fen) = self.fen.take() {
            let position = read_start(&fen)?;
            if position != Chess::default() {
                self.setup = Some(Box::new(position.clone()));
            }
            self.position = position;
        }
        Ok(())
    }

    fn play(&mut self, san: San) -> Option<CompactMove> {
        if san == San::Null {
            self.position = position::pass(&self.position)?;
            return Some(CompactMove::NULL);
        }
        let mv = to_move_leniently(san, &self.position)?;
        self.position.play_unchecked(mv);
        Some(CompactMove::from(mv))
    }
}

impl Visitor for GameVisitor {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        self.has_tags = true;
        let value = decode(&unescape(value.as_bytes()));
        let tags = &mut self.tags;
        match name {
            b"Event" => tags.event = value,
            b"Site" => tags.site = value,
            b"Round" => tags.round = value,
            b"White" => tags.white = value,
            b"Black" => tags.black = value,
            b"Date" => tags.date = Date::parse(&value),
            b"WhiteElo" => tags.white_elo = parse_elo(&value),
            b"BlackElo" => tags.black_elo = parse_elo(&value),
            b"ECO" => tags.eco = Eco::parse(&value),
            b"Result" => self.result_tag = Some(value),
            b"FEN" => self.fen = Some(value),
            b"SetUp" => {}
            b"Variant" if !is_standard(&value) => self.variant = Some(value),
            b"Variant" => {}
            _ => tags.others.push((decode(name.trim_ascii()), value)),
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        match self.set_up() {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => {
                self.fault = Some(fault);
                ControlFlow::Break(())
            }
        }
    }

    fn san(&mut self, (): &mut (), san_plus: SanPlus) -> ControlFlow<()> {
        self.words_read += 1;
        if let Some(mv) = self.play(san_plus.san) {
            self.moves.push(mv);
            return ControlFlow::Continue(());
        }
        // An illegal move ends the game here; what came before is sound.
        let ply = self.moves.len() + 1;
        self.fault = Some(Fault::Illegal {
            ply,
            san: san_plus.to_string(),
        });
        ControlFlow::Break(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        self.variations += 1;
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        self.end = Some(outcome);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

/// Reads tags and stops before the moves.
#[derive(Default)]
struct TagVisitor(GameVisitor);

impl Visitor for TagVisitor {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, tags: &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        self.0.tag(tags, name, value)
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn end_game(&mut self, (): ()) {}
}

/// The move that is meant, also when a capture mark is missing or wrong, or a
/// promotion does not say to what (a queen).
fn to_move_leniently(san: San, position: &Chess) -> Option<Move> {
    if let Ok(mv) = san.to_move(position) {
        return Some(mv);
    }
    let San::Normal {
        role,
        file,
        rank,
        capture,
        to,
        promotion,
    } = san
    else {
        return None;
    };
    let queen = (role == Role::Pawn).then_some(Role::Queen);
    [(!capture, promotion), (capture, queen), (!capture, queen)]
        .into_iter()
        .map(|(capture, promotion)| San::Normal {
            role,
            file,
            rank,
            capture,
            to,
            promotion,
        })
        .find_map(|it| it.to_move(position).ok())
}

/// The start that a FEN tag gives. Impossible material is let pass: games
/// with odds and exercises have it.
pub fn read_start(fen: &str) -> Result<Chess, Fault> {
    let malformed = |error: &dyn fmt::Display| Fault::Start(FenError::Form(error.to_string()));
    let setup = fen
        .trim()
        .parse::<Fen>()
        .map_err(|error| malformed(&error))?
        .into_setup();
    let standard = setup.clone().position::<Chess>(CastlingMode::Standard);
    let is_shuffled = standard.is_err()
        && setup
            .clone()
            .position::<Chess>(CastlingMode::Chess960)
            .is_ok();
    if is_shuffled && setup.castling_rights.any() {
        return Err(Fault::Variant("Chess960".to_owned()));
    }
    standard
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(|_| {
            position::parse(fen).map_or_else(Fault::Start, |_| malformed(&"invalid set-up"))
        })
}

fn is_standard(variant: &str) -> bool {
    let name = variant.trim().to_lowercase();
    matches!(
        name.as_str(),
        "" | "?" | "standard" | "chess" | "normal" | "from position" | "fromposition"
    )
}

fn parse_elo(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|&elo| elo > 0)
}

/// A tag's value without the backslashes before quotes and backslashes.
fn unescape(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|&next| byte == b'\\' && matches!(next, b'"' | b'\\'));
        plain.push(escaped.unwrap_or(byte));
    }
    Cow::Owned(plain)
}

/// Text as UTF-8, or else as Windows-1252, which Latin-1 is a part of. Without
/// control characters, which could give orders to a terminal.
fn decode(bytes: &[u8]) -> String {
    let mut text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| from_windows_1252(byte)).collect(),
    };
    text.retain(|it| !it.is_control());
    text
}

/// The characters that Windows-1252 has where Latin-1 has control codes.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn from_windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_no_orders_to_a_terminal() {
        let name = "[White \"\u{1b}]0;title\u{7}Zoë\u{9b}31m\"]\n\n1. e4 *\n";
        let game = read(name.as_bytes()).game.unwrap();
        assert_eq!(game.tags.white, "]0;titleZoë31m");
    }
    use proptest::prelude::*;

    fn moves(text: &str) -> (usize, Option<String>) {
        let reading = read(text.as_bytes());
        (
            reading.game.map_or(0, |it| it.moves.len()),
            reading.fault.map(|it| it.to_string()),
        )
    }

    #[track_caller]
    fn check(text: &str, plies: usize, fault: Option<&str>) {
        let (found, reason) = moves(text);
        assert_eq!((found, reason.as_deref()), (plies, fault));
    }

    #[test]
    fn careless_games_are_read_to_their_end() {
        check("1. e4 e5 2. Nf3 Nc6 *", 4, None);
        check(
            "\u{feff}[Event \"x\"]\r\n\r\n1. e4 e5\r\n2. Nf3 *\r\n",
            3,
            None,
        );
        check("1.e4 e5 2.Nf3 Nc6 3.Bb5 Nf6 4.0-0 *", 7, None);
        check(
            "1. e4 {good} e5 $1 (1... c5 (1... e6 2. d4) 2. Nf3) 2. Nf3!? ; end\nNc6 *",
            4,
            None,
        );
        check("1. e4 e5\n\n2. Nf3 Nc6\n\n\n3. Bc4 *", 5, None);
        check("1. e4 -- 2. d4 Z0 *", 4, None);
        check("1. e4 e5\n% an escape line\n2. Nf3 *", 3, None);
        check(
            "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8Q+ Kd7 *",
            2,
            None,
        );
        check(
            "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8 Kd7 *",
            2,
            None,
        );
        check("1. e4 d5 2. ed5 Qd5 *", 4, None);
        check("[Result \"*\"] 1. e4 e5 *", 2, None);
        check("1. e4 d5 2. e5 f5 3. exf6 e.p. *", 5, None);
    }

    #[test]
    fn faults_keep_what_came_before() {
        check("1. e4 e5 2. Ke3 Nf6", 2, Some("illegal move 2. Ke3"));
        check(
            "1. e4 e5 2. Qxz9 Nf6 3. d4",
            2,
            Some("cannot read \"Qxz9\" at move 2."),
        );
        check(
            "1. e4 xx e5 2. d4",
            1,
            Some("cannot read \"xx\" at move 1..."),
        );
        check(
            "1. e4 e5 { never closed 2. Nf3",
            2,
            Some("unterminated comment"),
        );
        check(
            "[FEN \"nonsense\"]\n\n1. e4",
            0,
            Some(
                "FEN tag: not a FEN (invalid board part in fen); expected for instance \"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\"",
            ),
        );
        check(
            "[Variant \"Atomic\"]\n\n1. e4",
            0,
            Some("variant Atomic is not chess as we index it"),
        );
        check(
            "[FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n1. e4",
            0,
            Some("variant Chess960 is not chess as we index it"),
        );
        check("\0\0\0", 0, Some("no game in this text"));
    }

    #[test]
    fn tags_are_understood() {
        let text = b"[Event \"A \\\"B\\\" \\\\ C\"]\n[White \"M\xfcller\"]\n[Black \"\xc5\xbd\"]\n[WhiteElo \"2500\"]\n[BlackElo \"?\"]\n\
            [ECO \"B90\"]\n[Date \"1999.02.??\"]\n[Result \"1-0\"]\n[Annotator \"X\"]\n\n1. e4 1-0\n";
        let tags = read(text).game.unwrap().tags;
        assert_eq!(tags.event, "A \"B\" \\ C");
        assert_eq!((tags.white.as_str(), tags.black.as_str()), ("Müller", "Ž"));
        assert_eq!((tags.white_elo, tags.black_elo), (Some(2500), None));
        assert_eq!(tags.eco.unwrap().to_string(), "B90");
        assert_eq!(tags.date.to_string(), "1999.02.??");
        assert_eq!(tags.result.as_str(), "1-0");
        assert_eq!(tags.others, [("Annotator".to_owned(), "X".to_owned())]);
    }

    #[test]
    fn disagreeing_results_are_settled_and_told() {
        #[track_caller]
        fn check(text: &str, result: &str, disagrees: bool) {
            let reading = read(text.as_bytes());
            assert_eq!(reading.game.unwrap().tags.result.as_str(), result);
            assert_eq!(reading.result_disagrees, disagrees);
        }
        check("[Result \"1-0\"]\n\n1. e4 0-1", "1-0", true);
        check("[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4# 0-1", "0-1", true);
        check("[Result \"*\"]\n\n1. e4 0-1", "0-1", false);
        check("1. e4 1/2-1/2", "1/2-1/2", false);
        check("[Result \"0-1\"]\n\n1. e4 *", "0-1", false);
    }

    #[test]
    fn variations_are_counted() {
        assert_eq!(read(b"1. e4 (1. d4 (1. c4)) e5 (1... c5) *").variations, 2);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in proptest::collection::vec(any::<u8>(), 0..300)) {
            read(&text);
        }

        #[test]
        fn no_likely_text_panics(text in "(\\[(Event|FEN|Variant) \"[a-z0-9 /-]{0,20}\"?\\]?\n?)?([1-9 .\n]{0,3}([NBRQK]?[a-h]?[1-8]?x?[a-h][1-8](=?[QN])?[+#]?|O-O|--|[{}();$!?*])){0,30}") {
            read(text.as_bytes());
        }
    }
}
