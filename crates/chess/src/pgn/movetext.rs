//! Reading the moves of one game with everything that annotates them.

use shakmaty::{
    Chess, Move, Outcome, Position, Role,
    san::{San, SanPlus},
};

use super::{
    read::Fault,
    text::decode_comment,
    tidy::{Meaning, meaning},
    token::{Token, Tokens},
};
use crate::{
    Annotations, CompactMove,
    annotation::{Branch, Remark},
    position,
};

/// What came of reading movetext.
#[derive(Debug, Default)]
pub(super) struct Movetext {
    pub(super) main: Line,
    /// How the text says that the game ended.
    pub(super) end: Option<Outcome>,
    pub(super) fault: Option<Fault>,
    /// Whether the main line holds a move or a result, be it readable or not.
    pub(super) is_game: bool,
    /// How many variations were kept.
    pub(super) variations: u32,
    /// How many comments, glyphs and variations were not.
    pub(super) lost: u32,
    /// The variations that have begun, the outermost first.
    open: Vec<Line>,
    /// How many variations have begun within one that is not kept, itself
    /// included.
    skipped: usize,
}

/// A line that is being read.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The position before the last move: variations begin there.
    position: Chess,
    last: Option<Last>,
    pub(super) moves: Vec<CompactMove>,
    pub(super) annotations: Annotations,
    /// Whether a word could not be read or played. What follows is lost.
    is_broken: bool,
}

/// The last move of a line, not yet played.
#[derive(Clone, Copy, Debug)]
enum Last {
    Move(Move),
    Pass,
}

impl Movetext {
    /// Reads the movetext of a game with this start.
    pub(super) fn read(start: Chess, text: &[u8]) -> Movetext {
        let mut movetext = Movetext {
            main: Line::new(start),
            ..Movetext::default()
        };
        for token in Tokens::new(text) {
            match token {
                Token::Word(word) => movetext.word(word),
                Token::Nag(Some(nag)) => movetext.note(|| Remark::Nag(nag)),
                Token::Nag(None) => movetext.lost += 1,
                Token::Comment(text) => movetext.note(|| Remark::Comment(decode_comment(text))),
                Token::OpenComment => {
                    movetext.lost += 1;
                    movetext.fail(Fault::Cut("unterminated comment".to_owned()));
                }
                Token::Open => movetext.open(),
                Token::Close => movetext.close(),
            }
        }
        if movetext.skipped > 0 || !movetext.open.is_empty() {
            // Whatever came after it was taken for a part of it.
            movetext.fail(Fault::Cut("a variation never ends".to_owned()));
        }
        movetext.skipped = 0;
        while !movetext.open.is_empty() {
            movetext.close();
        }
        movetext
    }

    fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn line(&mut self) -> &mut Line {
        self.open.last_mut().unwrap_or(&mut self.main)
    }

    fn word(&mut self, word: &[u8]) {
        if self.skipped > 0 {
            return;
        }
        let is_main = self.open.is_empty();
        let meaning = meaning(word);
        self.is_game |= is_main && matches!(meaning, Some(Meaning::Move(_) | Meaning::Result(_)));
        match meaning {
            Some(Meaning::Move(san)) => self.add(san),
            Some(Meaning::Result(outcome)) if is_main => self.end = Some(outcome),
            // The end of a game that was not played.
            Some(Meaning::Result(_)) => self.lost += 1,
            Some(Meaning::Nag(nag)) => self.note(|| Remark::Nag(nag)),
            Some(Meaning::Nothing) => {}
            None => self.end_line(|ply| Fault::Unreadable {
                ply,
                word: String::from_utf8_lossy(word).into_owned(),
            }),
        }
    }

    fn add(&mut self, san: SanPlus) {
        if !self.line().add(san.san) {
            self.end_line(|ply| Fault::Illegal {
                ply,
                san: san.to_string(),
            });
        }
    }

    /// Ends the current line at a word that cannot be read or played, the
    /// main line with a fault.
    fn end_line(&mut self, fault: impl FnOnce(usize) -> Fault) {
        let line = self.line();
        if line.is_broken {
            return;
        }
        line.is_broken = true;
        let ply = line.moves.len() + 1;
        match self.open.is_empty() {
            true => self.fail(fault(ply)),
            false => self.lost += 1,
        }
    }

    fn note(&mut self, remark: impl FnOnce() -> Remark) {
        let is_kept = self.skipped == 0 && self.line().note(remark);
        self.lost += u32::from(!is_kept);
    }

    fn open(&mut self) {
        let depth = self.open.len();
        let line = self.line();
        let is_kept = depth < Annotations::DEPTH && !line.is_broken && line.last.is_some();
        let branch = Line::new(line.position.clone());
        if is_kept && self.skipped == 0 {
            self.open.push(branch);
        } else {
            self.skipped += 1;
            self.lost += 1;
        }
    }

    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(line) = self.open.pop() else { return };
        let branch = Branch {
            moves: line.moves,
            annotations: line.annotations,
        };
        if branch.is_empty() {
            return;
        }
        match self.line().note(|| Remark::Variation(branch)) {
            true => self.variations += 1,
            false => self.lost += 1,
        }
    }
}

impl Line {
    fn new(position: Chess) -> Line {
        Line {
            position,
            ..Line::default()
        }
    }

    /// The position after the last move.
    pub(super) fn end(&mut self) -> &Chess {
        match self.last.take() {
            Some(Last::Move(mv)) => self.position.play_unchecked(mv),
            Some(Last::Pass) => {
                if let Some(position) = position::pass(&self.position) {
                    self.position = position;
                }
            }
            None => {}
        }
        &self.position
    }

    /// Adds a move, unless it is not legal or the line is broken.
    fn add(&mut self, san: San) -> bool {
        if self.is_broken {
            return false;
        }
        let position = self.end();
        let last = match san {
            San::Null => position::pass(position).map(|_| Last::Pass),
            _ => to_move_leniently(san, position).map(Last::Move),
        };
        self.moves.extend(last.map(|it| match it {
            Last::Move(mv) => CompactMove::from(mv),
            Last::Pass => CompactMove::NULL,
        }));
        self.last = last;
        last.is_some()
    }

    /// Adds a note, unless the line is broken or longer than notes can count.
    fn note(&mut self, remark: impl FnOnce() -> Remark) -> bool {
        match u16::try_from(self.moves.len()) {
            Ok(ply) if !self.is_broken => self.annotations.push(ply, remark()),
            _ => return false,
        }
        true
    }
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
