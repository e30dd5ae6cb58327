//! Reading one game: leniently, as other programs do, and reporting everything that is wrong.

use std::fmt;

use shakmaty::{CastlingMode, Chess, Outcome, Position, PositionError, fen::Fen};

use super::{movetext::Movetext, tag::TagPairs};
use crate::{
    Game, Tags,
    game::parse_result,
    position::{self, FenError},
};

/// What came of reading the text of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The game, as far as it could be read; none if it is a variant, or its
    /// start cannot be made out.
    pub game: Option<Game>,
    /// The tags of a text that is not a game, for messages.
    pub refused: Option<Tags>,
    /// Why the game could not be read to its end.
    pub fault: Option<Fault>,
    /// How many variations the game has, nested ones included.
    pub variations: u32,
    /// How many comments, glyphs and variations could not be kept, or not to
    /// their end: they follow an illegal or unreadable move, a variation has
    /// no move before it or is nested too deeply, a glyph is not a number up
    /// to 255.
    pub lost: u32,
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
        /// The number of the ply, counted from one.
        ply: usize,
        /// The move as written.
        san: String,
    },
    /// A word that is not a move.
    #[error("cannot read \"{word}\" at move {}", MoveNumber(*ply))]
    Unreadable {
        /// The number of the ply that should stand here.
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

/// `7.` or `7...`, for a ply counted from one from the usual start.
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
/// game there with a [`Fault`], and what came before is kept. In a variation,
/// such a move ends the variation.
pub fn read(text: &[u8]) -> Reading {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut tags = TagPairs::default();
    let (movetext, fault) = match tags.read(text) {
        Ok(end) => (&text[end..], None),
        Err(error) => (&[][..], Some(Fault::Cut(error.to_string()))),
    };
    let start = match start(&tags) {
        Ok(start) => start,
        Err(fault) => return refuse(tags, fault),
    };
    let setup = (start != Chess::default()).then(|| Box::new(start.clone()));
    let mut line = Movetext::read(start, movetext);
    if tags.is_empty() && !line.is_game {
        return refuse(tags, fault.unwrap_or(Fault::NoGame));
    }
    let (result, result_disagrees) = settle(&tags, &mut line);
    let game = Game {
        tags: tags.into_tags(setup.as_deref(), result),
        setup,
        moves: line.main.moves,
        annotations: line.main.annotations,
    };
    Reading {
        game: Some(game),
        refused: None,
        fault: fault.or(line.fault),
        variations: line.variations,
        lost: line.lost,
        result_disagrees,
    }
}

/// Reads the tags of one game, without its moves. Much cheaper than [`read`].
///
/// The result is that of the Result tag, which the moves may contradict.
pub fn read_tags(text: &[u8]) -> Tags {
    let mut tags = TagPairs::default();
    // A text that ends in the middle of a tag has the tags before it.
    let _ = tags.read(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let result = Outcome::from_known(tags.result().and_then(parse_result));
    tags.into_tags(None, result)
}

/// What came of a text that is not a game of ours.
fn refuse(tags: TagPairs, fault: Fault) -> Reading {
    let result = Outcome::from_known(tags.result().and_then(parse_result));
    Reading {
        refused: (!tags.is_empty()).then(|| tags.into_tags(None, result)),
        fault: Some(fault),
        ..Reading::default()
    }
}

/// The position that the game begins with.
fn start(tags: &TagPairs) -> Result<Chess, Fault> {
    if let Some(variant) = tags.variant() {
        return Err(Fault::Variant(variant.to_owned()));
    }
    tags.fen().map_or_else(|| Ok(Chess::default()), read_start)
}

/// How the game ended, and whether tag and moves disagree about it.
fn settle(tags: &TagPairs, movetext: &mut Movetext) -> (Outcome, bool) {
    let tagged = tags.result().and_then(parse_result);
    let ended = movetext.end.and_then(Outcome::known);
    let disagrees = tagged.is_some() && ended.is_some() && tagged != ended;
    let result = if disagrees {
        // The board knows best; then the tag, which is what databases show.
        let mated = movetext.main.end().outcome().known();
        mated.filter(|it| it.winner().is_some()).or(tagged)
    } else {
        tagged.or(ended)
    };
    (Outcome::from_known(result), disagrees)
}

/// The start that a FEN tag gives. Impossible material is accepted: games at odds and exercises have it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_counts_without_control_characters_in_its_name() {
        let text = b"[FEN \x1d\"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n[\x07White \"A\"]\n\n*\n";
        let game = read(text).game.unwrap();
        assert!(game.setup.is_some());
        assert_eq!(game.tags.white, "A");
    }

    #[test]
    fn names_give_no_orders_to_a_terminal() {
        let name = "[White \"\u{1b}]0;title\u{7}Zoë\u{9b}31m\"]\n\n1. e4 *\n";
        let game = read(name.as_bytes()).game.unwrap();
        assert_eq!(game.tags.white, "]0;titleZoë31m");
    }
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, plies: usize, fault: Option<&str>) {
        let reading = read(text.as_bytes());
        let (moves, reason) = (reading.game.map(|it| it.moves), reading.fault);
        assert_eq!(moves.map_or(0, |it| it.len()), plies);
        assert_eq!(reason.map(|it| it.to_string()).as_deref(), fault);
    }

    #[track_caller]
    fn sound(text: &str, plies: usize) {
        check(text, plies, None);
    }

    #[test]
    fn careless_games_are_read_to_their_end() {
        sound("1. e4 e5 2. Nf3 Nc6 *", 4);
        sound("\u{feff}[Event \"x\"]\r\n\r\n1. e4 e5\r\n2. Nf3 *\r\n", 3);
        sound("1.e4 e5 2.Nf3 Nc6 3.Bb5 Nf6 4.0-0 *", 7);
        sound(
            "1. e4 {good} e5 $1 (1... c5 (1... e6 2. d4) 2. Nf3) 2. Nf3!? ; end\nNc6 *",
            4,
        );
        sound("1. e4 e5\n\n2. Nf3 Nc6\n\n\n3. Bc4 *", 5);
        sound("1. e4 -- 2. d4 Z0 *", 4);
        sound("1. e4 e5\n% an escape line\n2. Nf3 *", 3);
        sound(
            "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8Q+ Kd7 *",
            2,
        );
        sound("[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8 Kd7 *", 2);
        sound("1. e4 d5 2. ed5 Qd5 *", 4);
        sound("[Result \"*\"] 1. e4 e5 *", 2);
        sound("1. e4 d5 2. e5 f5 3. exf6 e.p. *", 5);
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
        let others = tags.others.iter().map(|it| (it.0.as_str(), it.1.as_str()));
        assert_eq!(
            others.collect::<Vec<_>>(),
            [("Annotator", "X"), ("BlackElo", "?")]
        );
    }

    #[test]
    fn disagreeing_results_are_settled_and_reported() {
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
        #[track_caller]
        fn check(text: &str, variations: u32, lost: u32) {
            let reading = read(text.as_bytes());
            assert_eq!((reading.variations, reading.lost), (variations, lost));
        }
        check("1. e4 (1. d4 (1. c4)) e5 (1... c5) () *", 3, 0);
        // No move to replace.
        check("(1. d4 {a} (1. c4 $1)) 1. e4 *", 0, 4);
        check("1. e4 ((1. d4)) e5 ({so} 1... c5) *", 1, 1);
        // Illegal and unreadable moves end their variation.
        check(
            "1. e4 (1. d4 {a} d6 $1 2. Ke5 {b} $2 (2. c4)) e5 {c} *",
            1,
            4,
        );
        check("1. e4 (1. Qxz9 d5) e5 *", 0, 1);
        // And the game.
        check("1. e4 {a} 2. Ke5 {b} (2. c4 $1) *", 0, 3);
        // Glyphs that are not numbers, and a result in a variation.
        check("1. e4 $256 $ e5 $255 (1... c5 1-0) *", 1, 3);
        check("1. e4 { e5", 0, 1);
        let deep = |depth| format!("1. e4 {}{}*", "(1. d4 ".repeat(depth), ")".repeat(depth));
        check(&deep(64), 64, 0);
        check(&deep(70), 64, 6);
    }

    #[test]
    fn notes_are_kept_in_their_places() {
        let text = "{before} 1. e4! {one} {two} (1. d4 {d} d5 (1... Nf6 $14) -- ; rest\n) ({s} 1. c4)\r\n\
            {after} $1 1... e5 {M\u{fc}ller\r\nwrote [%clk 0:01:00]} 2. 0-0 *";
        let game = read(text.as_bytes()).game.unwrap();
        let comments = |ply| game.annotations.comments_at(ply).collect::<Vec<_>>();
        assert_eq!(comments(0), ["before"]);
        assert_eq!(comments(1), ["one", "two", "after"]);
        assert_eq!(comments(2), ["Müller wrote [%clk 0:01:00]"]);
        assert_eq!(game.annotations.nags_at(1).collect::<Vec<_>>(), [1, 1]);
        let lines: Vec<_> = game.variations().collect();
        let branches: Vec<_> = lines.iter().map(|it| (it.moves.len(), it.ply)).collect();
        assert_eq!(branches, [(3, 0), (2, 1), (1, 0)]);
        assert!(lines[0].moves[2].is_null());
        let comments = |it: usize, ply| lines[it].branch.annotations.comments_at(ply).next();
        assert_eq!(comments(0, 3), Some(" rest"));
        assert_eq!(comments(2, 0), Some("s"));
        assert_eq!(lines[1].branch.annotations.nags_at(1).next(), Some(14));
    }

    #[test]
    fn careless_games_keep_their_notes() {
        let text = b"[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8Q+ {queen} (1. a8(R)+ ch {rook}) Kd7 N *";
        let game = read(text).game.unwrap();
        assert_eq!(game.annotations.comments_at(1).next(), Some("queen"));
        assert_eq!(game.annotations.nags_at(2).next(), Some(146));
        let rook = game.variations().next().unwrap();
        assert_eq!(rook.branch.annotations.comments_at(1).next(), Some("rook"));
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
