//! Writing one game as strict PGN: tags in the order of their source, or else
//! the Seven Tag Roster and then the others; moves, glyphs, comments and
//! variations in lines of at most 79 characters.
//!
//! A line breaks within a comment only where its words are one space apart,
//! never within a command such as `[%clk 0:10:00]`, and never before a
//! character that has a meaning at the beginning of a line. So a long comment
//! without such a place makes a long line, and no comment is changed. A comment
//! with a closing brace is written to the end of a line, after a semicolon.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

use shakmaty::{Chess, Color, Position, san::SanPlus};

use super::{read_start, text::clean_comment};
use crate::{
    Annotations, CompactMove, Game,
    annotation::Remark,
    game::{Date, Eco, parse_elo},
    layout::NAMES,
    position,
};

/// The longest line of moves.
const WIDTH: usize = 79;

/// Appends the game to `text`, with a blank line after it. Moves that are not
/// legal end the game or the variation; notes beyond its end are left out.
///
/// # Errors
///
/// When `text` refuses to be written to.
pub fn write(game: &Game, text: &mut impl Write) -> fmt::Result {
    for (name, value) in tag_pairs(game) {
        write_tag(name, &value, text)?;
    }
    writeln!(text)?;
    let mut lines = Lines::new(text);
    write_line(game.start(), &game.moves, &game.annotations, &mut lines)?;
    lines.word(game.tags.result.as_str())?;
    lines.flush()?;
    writeln!(text, "\n")
}

fn write_tag(name: &str, value: &str, text: &mut impl Write) -> fmt::Result {
    let value = value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(['\n', '\r'], " ");
    writeln!(text, "[{name} \"{value}\"]")
}

/// All tags of a game, names and values, as [`write()`] writes them.
pub fn tag_pairs(game: &Game) -> Vec<(&str, Cow<'_, str>)> {
    let mut pairs = Vec::with_capacity(NAMES.len() + game.tags.others.len());
    // Where the tags of each name begin; all other tags come last.
    let mut next = [0; NAMES.len() + 1];
    for (rank, name) in NAMES.into_iter().enumerate() {
        next[rank] = pairs.len();
        let others = game.tags.others.iter().filter(|it| it.0 == name);
        let texts = others.map(|it| (name, Cow::Borrowed(it.1.as_str())));
        pairs.extend(texts);
        let is_current = |it: &(&str, Cow<'_, str>)| means_the_field(rank, &it.1, game);
        if !pairs[next[rank]..].last().is_some_and(is_current) {
            pairs.truncate(next[rank]);
            pairs.extend(usual_text(rank, game).map(|it| (name, it)));
        }
    }
    next[NAMES.len()] = pairs.len();
    let others = game.tags.others.iter();
    let others = others.filter(|it| !NAMES.contains(&it.0.as_str()));
    pairs.extend(others.map(|(name, value)| (name.as_str(), Cow::Borrowed(value.as_str()))));
    if game.tags.layout.as_str().is_empty() {
        return pairs;
    }
    let ends = [&next[1..], &[pairs.len()]].concat();
    let mut pairs: Vec<_> = pairs.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(pairs.len());
    for rank in game.tags.layout.ranks() {
        if next[rank] < ends[rank] {
            ordered.extend(pairs[next[rank]].take());
            next[rank] += 1;
        }
    }
    ordered.extend(pairs.into_iter().flatten());
    ordered
}

/// How a tag with a field of its own is written if the source does not say.
fn usual_text(rank: usize, game: &Game) -> Option<Cow<'_, str>> {
    let tags = &game.tags;
    let text = match rank {
        0 => return Some(Cow::Borrowed(&tags.event)),
        1 => return Some(Cow::Borrowed(&tags.site)),
        2 => tags.date.to_string(),
        3 => return Some(Cow::Borrowed(&tags.round)),
        4 => return Some(Cow::Borrowed(&tags.white)),
        5 => return Some(Cow::Borrowed(&tags.black)),
        6 => return Some(Cow::Borrowed(tags.result.as_str())),
        7 => tags.white_elo?.to_string(),
        8 => tags.black_elo?.to_string(),
        9 => tags.eco?.to_string(),
        10 => return game.setup.is_some().then_some(Cow::Borrowed("1")),
        _ => position::to_fen(game.setup.as_deref()?),
    };
    Some(Cow::Owned(text))
}

/// Whether the text that a source gave a tag still means what its field says.
fn means_the_field(rank: usize, text: &str, game: &Game) -> bool {
    let tags = &game.tags;
    match rank {
        0 => text == tags.event,
        1 => text == tags.site,
        2 => Date::parse(text) == tags.date,
        3 => text == tags.round,
        4 => text == tags.white,
        5 => text == tags.black,
        7 => parse_elo(text) == tags.white_elo,
        8 => parse_elo(text) == tags.black_elo,
        9 => Eco::parse(text) == tags.eco,
        11 => read_start(text).is_ok_and(|it| it == game.start()),
        // The moves may overrule the Result tag. SetUp has no field.
        _ => true,
    }
}

fn write_line<W: Write>(
    start: Chess,
    moves: &[CompactMove],
    annotations: &Annotations,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    let (mut position, mut before) = (start, None);
    let mut notes = annotations.notes().iter().peekable();
    let mut wants_number = true;
    for ply in 0..=moves.len() {
        while let Some(note) = notes.next_if(|it| usize::from(it.ply) <= ply) {
            wants_number |= !matches!(note.remark, Remark::Nag(_));
            match &note.remark {
                Remark::Nag(nag) => lines.word(&format!("${nag}"))?,
                Remark::Comment(text) => lines.comment(text)?,
                Remark::Variation(branch) => {
                    if let Some(start) = before.clone().filter(|_| !branch.is_empty()) {
                        lines.open()?;
                        write_line(start, &branch.moves, &branch.annotations, lines)?;
                        lines.close();
                    }
                }
            }
        }
        let Some(&mv) = moves.get(ply) else { break };
        let (turn, number) = (position.turn(), position.fullmoves());
        // Variations begin before the move that they replace.
        before = notes.peek().map(|_| position.clone());
        let Some((san, next)) = san_and_play(position, mv) else {
            break;
        };
        if turn == Color::White {
            lines.word(&format!("{number}."))?;
        } else if wants_number {
            lines.word(&format!("{number}..."))?;
        }
        wants_number = false;
        lines.word(&san)?;
        position = next;
    }
    Ok(())
}

fn san_and_play(mut position: Chess, mv: CompactMove) -> Option<(String, Chess)> {
    if mv.is_null() {
        return Some(("--".to_owned(), position::pass(&position)?));
    }
    let mv = mv
        .to_move(position.board())
        .filter(|&it| position.is_legal(it))?;
    let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
    Some((san.to_string(), position))
}

/// Words in lines of at most [`WIDTH`] characters.
struct Lines<'a, W> {
    text: &'a mut W,
    /// How many characters the line has.
    column: usize,
    /// The word that comes next. Brackets can still join it.
    word: String,
    /// Whether the word so far is nothing but opening brackets.
    is_open: bool,
}

impl<'a, W: Write> Lines<'a, W> {
    const fn new(text: &'a mut W) -> Lines<'a, W> {
        Lines {
            text,
            column: 0,
            word: String::new(),
            is_open: false,
        }
    }

    fn word(&mut self, word: &str) -> fmt::Result {
        if !self.is_open {
            self.flush()?;
        }
        self.is_open = false;
        self.word.push_str(word);
        Ok(())
    }

    fn open(&mut self) -> fmt::Result {
        self.word("(")?;
        self.is_open = true;
        Ok(())
    }

    fn close(&mut self) {
        self.is_open = false;
        self.word.push(')');
    }

    fn comment(&mut self, text: &str) -> fmt::Result {
        let cleaned = clean_comment(text);
        let text = cleaned.as_deref().unwrap_or(text);
        if text.contains('}') {
            self.word(&format!(";{text}"))?;
            self.flush()?;
            self.column = 0;
            return writeln!(self.text);
        }
        let text = format!("{{{text}}}");
        let mut begin = 0;
        for space in spaces_to_break(&text) {
            self.word(&text[begin..space])?;
            begin = space + 1;
        }
        self.word(&text[begin..])
    }

    fn flush(&mut self) -> fmt::Result {
        if self.word.is_empty() {
            return Ok(());
        }
        let width = self.word.chars().count();
        let separator = if self.column == 0 {
            ""
        } else if self.column + 1 + width > WIDTH {
            self.column = 0;
            "\n"
        } else {
            self.column += 1;
            " "
        };
        write!(self.text, "{separator}{}", self.word)?;
        self.column += width;
        self.word.clear();
        Ok(())
    }
}

/// The places of the spaces in a comment where a line may break.
fn spaces_to_break(comment: &str) -> impl Iterator<Item = usize> {
    let bytes = comment.as_bytes();
    let inner = 2..bytes.len().saturating_sub(2);
    let mut is_command = false;
    (1..bytes.len()).filter(move |&at| {
        match bytes[at..] {
            [b'[', b'%', ..] => is_command = true,
            [b']', ..] => is_command = false,
            _ => {}
        }
        // The splitter looks for `[Event` at the beginning of a line, other
        // programs for `%` and `;`.
        let parts_words = || bytes[at - 1] != b' ' && !b" [%;".contains(&bytes[at + 1]);
        bytes[at] == b' ' && inner.contains(&at) && !is_command && parts_words()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        annotation::Branch,
        game::Tags,
        pgn::{Splitter, read},
        testing::{annotated_game, random_line},
    };
    use proptest::prelude::*;

    fn written(game: &Game) -> String {
        let mut text = String::new();
        write(game, &mut text).unwrap();
        text
    }

    /// The movetext as it is written again.
    fn rewritten(movetext: &str) -> String {
        let text = written(&read(movetext.as_bytes()).game.unwrap());
        let (_, movetext) = text.split_once("\n\n").unwrap();
        movetext.trim_end().to_owned()
    }

    #[track_caller]
    fn check(movetext: &str, expected: &str) {
        assert_eq!(rewritten(movetext), expected);
        assert_eq!(rewritten(expected), expected);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(seed: u64, plies in 0usize..200, white in "\\PC{0,20}", event in "[\"\\\\a-z]{1,10}") {
            let moves = random_line(seed, plies).into_iter().map(CompactMove::from).collect();
            let tags = Tags { white, event, white_elo: Some(2000), ..Tags::default() };
            let game = Game { tags, moves, ..Game::default() };
            let text = written(&game);
            prop_assert!(text.lines().filter(|it| !it.starts_with('[')).all(|it| it.len() <= WIDTH));
            let reading = read(text.as_bytes());
            prop_assert_eq!(reading.fault, None);
            prop_assert_eq!(reading.game, Some(game));
        }

        #[test]
        fn annotated_games_read_back(seed: u64, comments in proptest::collection::vec("\\PC{0,150}|([a-z}; ]|\\[%clk 0:00:01\\]|\\[Event ){0,40}", 1..6)) {
            let game = annotated_game(seed, &comments);
            let text = written(&game);
            let reading = read(text.as_bytes());
            prop_assert_eq!(reading.fault, None);
            prop_assert_eq!((reading.variations as usize, reading.lost), (game.variations().count(), 0));
            prop_assert_eq!(reading.game.as_ref(), Some(&game), "{}", text);
            // The splitter takes it for one game, too.
            let mut splitter = Splitter::new(text.as_bytes());
            let mut one = Vec::new();
            prop_assert_eq!(splitter.next_into(&mut one).unwrap(), Some(1));
            prop_assert_eq!(read(&one).game, Some(game));
            prop_assert_eq!(splitter.next_into(&mut one).unwrap(), None);
        }

        #[test]
        fn whatever_is_read_is_written_and_reads_back(
            tags in "(\\[(Event|Date|White|WhiteElo|BlackElo|ECO|Result|SetUp|Variant|Annotator|X) \"[0-9?. BE*x-]{0,8}\"\\]\n){0,8}",
            movetext in "([1-9. \n]{0,3}([NBRQK]?x?[a-h][1-8][+#]?|e4|e5|d4|Nf3|Nc6|O-O|--|[{}();$!?*%]|\\{ ok\n\\}|;)[ \n]){0,30}",
        ) {
            let Some(game) = read(format!("{tags}\n{movetext}").as_bytes()).game else { return Ok(()) };
            let text = written(&game);
            let reading = read(text.as_bytes());
            prop_assert_eq!((reading.fault, reading.lost), (None, 0), "{}", text);
            prop_assert_eq!(reading.game, Some(game), "{}", text);
        }
    }

    #[test]
    fn a_set_up_game_begins_with_its_number() {
        let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 40\"]\n\n40... Kd7 41. e4 -- 42. e5 *";
        let game = read(text.as_bytes()).game.unwrap();
        let text = written(&game);
        assert!(
            text.ends_with("\n40... Kd7 41. e4 -- 42. e5 *\n\n"),
            "{text}"
        );
        assert_eq!(read(text.as_bytes()).game, Some(game));
    }

    #[test]
    fn moves_after_comments_and_variations_have_numbers() {
        check(
            "{so} 1.e4! $14 e5 {here} {and} 2.Nf3 (2.f4 exf4 (2...d5) 3.Nf3; end\n) 2...Nc6 *",
            "{so} 1. e4 $1 $14 e5 {here} {and} 2. Nf3 (2. f4 exf4 (2... d5) 3. Nf3 { end})\n2... Nc6 *",
        );
        check(
            "1. e4 (1. d4 {a}) (1. c4) {b} e5 *",
            "1. e4 (1. d4 {a}) (1. c4) {b} 1... e5 *",
        );
        check(
            "1. e4 ({a} 1. -- e5) e5 *",
            "1. e4 ({a} 1. -- e5) 1... e5 *",
        );
        check("1. e4 e5 1-0 {resigns}", "1. e4 e5 {resigns} 1-0");
    }

    #[test]
    fn a_comment_with_a_closing_brace_ends_its_line() {
        check(
            "1. e4 (;a } b\n1. d4 ; }\n) e5 *",
            "1. e4 (;a } b\n1. d4 ; }\n) 1... e5 *",
        );
    }

    #[test]
    fn comments_break_only_between_words() {
        let words = "four ".repeat(18);
        let line = rewritten(&format!("1. e4 {{{words}[%clk 0:00:01]  two}} *"));
        assert_eq!(
            line,
            format!(
                "1. e4 {{{}\n{}four [%clk 0:00:01]  two}} *",
                "four ".repeat(14).trim_end(),
                "four ".repeat(3)
            ),
        );
        let text = written(&Game {
            annotations: {
                let mut annotations = Annotations::default();
                annotations.push(0, Remark::Comment("a\nb\u{1b}".to_owned()));
                annotations.push(0, Remark::Variation(Branch::default()));
                annotations.push(7, Remark::Nag(1));
                annotations
            },
            ..Game::default()
        });
        assert!(text.ends_with("\n\n{a b} *\n\n"), "{text}");
    }

    #[test]
    fn tags_are_written_as_they_were() {
        #[track_caller]
        fn check(source: &str, expected: &str) {
            let game = read(format!("{source}\n\n1. e4 *\n").as_bytes())
                .game
                .unwrap();
            let text = written(&game);
            let (tags, _) = text.split_once("\n\n").unwrap();
            assert_eq!(tags, expected);
            assert_eq!(read(text.as_bytes()).game, Some(game));
        }
        let lines = |it: &[&str]| it.join("\n");
        let roster = [
            "[Event \"E\"]",
            "[Site \"?\"]",
            "[Date \"????.??.??\"]",
            "[Round \"1\"]",
            "[White \"W\"]",
            "[Black \"B\"]",
            "[Result \"*\"]",
        ];
        check(&lines(&roster), &lines(&roster));
        // Another order, spellings of their own, a tag twice, a variant that is none.
        let odd = [
            "[WhiteElo \"2500?\"]",
            "[X \"1\"]",
            "[Event \"E\"]",
            "[Site \"?\"]",
            "[Date \"1972\"]",
            "[Round \"1\"]",
            "[Variant \"Standard\"]",
            "[Black \"B\"]",
            "[White \"W\"]",
            "[Result \"1/2\"]",
            "[ECO \"b90a\"]",
            "[BlackElo \"-\"]",
            "[White \"V\"]",
            "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]",
            "[X \"2\"]",
        ];
        check(&lines(&odd), &lines(&odd));
        // What PGN demands is added.
        check(
            "[X \"1\"]\n[White \"W\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - -\"]",
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[X \"1\"]\n[White \"W\"]\n[Black \"?\"]\n[Result \"*\"]\n\
             [SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - -\"]",
        );
    }

    #[test]
    fn a_field_that_was_changed_is_written() {
        let text = "[Date \"1972\"]\n[WhiteElo \"2500?\"]\n[White \"A\"]\n\n1. e4 *";
        let mut game = read(text.as_bytes()).game.unwrap();
        game.tags.date.year = 1973;
        game.tags.white_elo = Some(2600);
        let pairs = tag_pairs(&game);
        let value = |name: &str| pairs.iter().find(|it| it.0 == name).map(|it| &*it.1);
        assert_eq!(value("Date"), Some("1973.??.??"));
        assert_eq!(value("WhiteElo"), Some("2600"));
        assert_eq!(value("White"), Some("A"));
    }
}
