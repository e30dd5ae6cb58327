//! Annotations: what an annotator adds to a line of moves. Glyphs, comments and variations, which are lines with
//! annotations of their own.
//!
//! The binary form is a list of notes. A note begins with a varint that holds its kind in the two lowest bits and the
//! plies since the note before it in the others.
//!
//! | kind | what follows |
//! |---|---|
//! | 0, glyph | its number, one byte |
//! | 1, comment | the length in bytes, a varint, and the text in UTF-8 |
//! | 2, variation | the number of moves, a varint, two bytes for each move, the notes of the variation, and an end |
//! | 3, end | nothing |
//!
//! The outermost list has no end mark: it ends with the bytes, so no annotations take no bytes.

use std::{borrow::Cow, slice};

use crate::{CompactMove, varint};

const GLYPH: u64 = 0;
const COMMENT: u64 = 1;
const VARIATION: u64 = 2;
const END: u64 = 3;

/// The annotations of a line: notes in the order of the line, and of the source where several belong to one move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Annotations {
    notes: Vec<Note>,
}

/// One annotation and its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The number of moves of the line that are played before the note. 0 is before the first move.
    pub ply: u16,
    /// What the note is.
    pub remark: Remark,
}

/// What a note is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Remark {
    /// A numeric annotation glyph, such as 1 for a good move (`!`, `$1`).
    Nag(u8),
    /// A comment as written, with commands such as `[%clk 0:10:00]`; line breaks are spaces.
    Comment(String),
    /// Other moves instead of the last one before the note.
    Variation(Branch),
}

/// A variation: it begins in the position before the move that it replaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Branch {
    /// The moves. A null move is [`CompactMove::NULL`].
    pub moves: Vec<CompactMove>,
    /// The annotations of these moves; plies count from the start of the variation.
    pub annotations: Annotations,
}

impl Branch {
    /// Whether there is neither a move nor a note.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.annotations.is_empty()
    }
}

impl Annotations {
    /// How deeply variations may be nested. Readers leave out deeper ones, so that no program runs out of stack.
    pub const DEPTH: usize = 64;

    /// Whether the line has no notes.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// All notes of the line in order; those of variations are in the variations.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The notes after this many moves of the line.
    pub fn at(&self, ply: usize) -> &[Note] {
        let first = self.notes.partition_point(|it| usize::from(it.ply) < ply);
        let count = self.notes[first..].partition_point(|it| usize::from(it.ply) == ply);
        &self.notes[first..first + count]
    }

    /// The comments after this many moves of the line.
    pub fn comments_at(&self, ply: usize) -> impl Iterator<Item = &str> {
        self.at(ply).iter().filter_map(|it| match &it.remark {
            Remark::Comment(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// What the comments after this many moves of the line say in words.
    pub fn words_at(&self, ply: usize) -> impl Iterator<Item = String> {
        self.comments_at(ply).map(words).filter(|it| !it.is_empty())
    }

    /// The glyphs after this many moves of the line.
    pub fn nags_at(&self, ply: usize) -> impl Iterator<Item = u8> {
        self.at(ply).iter().filter_map(|it| match it.remark {
            Remark::Nag(nag) => Some(nag),
            _ => None,
        })
    }

    /// Whether any comment says something in words, in the line or in a variation.
    pub fn has_words(&self) -> bool {
        self.notes.iter().any(|it| match &it.remark {
            Remark::Nag(_) => false,
            Remark::Comment(text) => !words(text).is_empty(),
            Remark::Variation(branch) => branch.annotations.has_words(),
        })
    }

    /// Adds a note after those of its ply. A variation needs a move to replace, so its ply is not 0.
    pub fn push(&mut self, ply: u16, remark: Remark) {
        let at = self.notes.partition_point(|it| it.ply <= ply);
        self.notes.insert(at, Note { ply, remark });
    }

    /// Removes all notes.
    pub fn strip(&mut self) {
        self.notes = Vec::new();
    }

    /// Removes the notes beyond this many moves of the line, and returns how many of the line's notes that were.
    pub fn truncate(&mut self, plies: usize) -> usize {
        let kept = self
            .notes
            .partition_point(|it| usize::from(it.ply) <= plies);
        let removed = self.notes.len() - kept;
        self.notes.truncate(kept);
        removed
    }

    /// All variations of a line with these moves, nested ones included, in the order of the source.
    pub fn variations<'a>(&'a self, moves: &'a [CompactMove]) -> Variations<'a> {
        Variations {
            lines: vec![OpenLine {
                notes: self.notes.iter(),
                moves: Cow::Borrowed(moves),
                start: 0,
            }],
        }
    }

    /// The binary form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.put(&mut bytes);
        bytes
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        let mut last = 0;
        for note in &self.notes {
            let step = u64::from(note.ply - last) << 2;
            last = note.ply;
            match &note.remark {
                Remark::Nag(nag) => {
                    varint::put(step | GLYPH, bytes);
                    bytes.push(*nag);
                }
                Remark::Comment(text) => {
                    varint::put(step | COMMENT, bytes);
                    varint::put(text.len() as u64, bytes);
                    bytes.extend_from_slice(text.as_bytes());
                }
                Remark::Variation(branch) => {
                    varint::put(step | VARIATION, bytes);
                    varint::put(branch.moves.len() as u64, bytes);
                    let moves = branch.moves.iter();
                    bytes.extend(moves.flat_map(|it| it.to_bits().to_le_bytes()));
                    branch.annotations.put(bytes);
                    varint::put(END, bytes);
                }
            }
        }
    }

    /// Reads the binary form. `None` if the bytes are not of that form, or nest variations deeper than
    /// [`Annotations::DEPTH`]. Moves are not checked.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Annotations> {
        Annotations::take(&mut bytes, 0)
    }

    fn take(bytes: &mut &[u8], depth: usize) -> Option<Annotations> {
        let mut annotations = Annotations::default();
        let mut ply = 0u16;
        while depth > 0 || !bytes.is_empty() {
            let head = varint::take(bytes)?;
            let step = u16::try_from(head >> 2).ok()?;
            ply = ply.checked_add(step)?;
            let remark = match head & 3 {
                GLYPH => Remark::Nag(*bytes.split_off_first()?),
                COMMENT => Remark::Comment(take_text(bytes)?),
                VARIATION if depth < Annotations::DEPTH => Remark::Variation(Branch {
                    moves: take_moves(bytes)?,
                    annotations: Annotations::take(bytes, depth + 1)?,
                }),
                END if depth > 0 && step == 0 => break,
                _ => return None,
            };
            annotations.notes.push(Note { ply, remark });
        }
        Some(annotations)
    }
}

/// What a comment says in words, without commands such as `[%clk 0:10:00]`.
///
/// ```
/// assert_eq!(tabiya_chess::words("[%eval 0.3] A novelty. [%clk 1:20:00]"), "A novelty.");
/// ```
pub fn words(comment: &str) -> String {
    let mut words = String::new();
    let mut rest = comment;
    while let Some((before, command)) = rest.split_once("[%") {
        words.push_str(before);
        rest = command.split_once(']').map_or("", |it| it.1);
    }
    words.push_str(rest);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = varint::take_as(bytes)?;
    let text = varint::take_bytes(bytes, length)?;
    String::from_utf8(text.to_vec()).ok()
}

fn take_moves(bytes: &mut &[u8]) -> Option<Vec<CompactMove>> {
    let count: usize = varint::take_as(bytes)?;
    let moves = varint::take_bytes(bytes, count.checked_mul(2)?)?;
    let moves = moves.as_chunks().0.iter();
    Some(
        moves
            .map(|&it| CompactMove::from_bits(u16::from_le_bytes(it)))
            .collect(),
    )
}

/// A variation as a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation<'a> {
    /// All moves from the start of the game to the end of the variation.
    pub moves: Vec<CompactMove>,
    /// Where the variation leaves its parent: the number of moves before its first one. Positions after more moves
    /// than that are its own.
    pub ply: usize,
    /// The variation itself.
    pub branch: &'a Branch,
}

/// Iterates over all variations of a line, each before those that it holds.
#[derive(Clone, Debug)]
pub struct Variations<'a> {
    /// The lines that are not finished, the outermost first.
    lines: Vec<OpenLine<'a>>,
}

#[derive(Clone, Debug)]
struct OpenLine<'a> {
    notes: slice::Iter<'a, Note>,
    /// All moves from the start of the game.
    moves: Cow<'a, [CompactMove]>,
    /// How many of them come before the line's first.
    start: usize,
}

impl<'a> Iterator for Variations<'a> {
    type Item = Variation<'a>;

    fn next(&mut self) -> Option<Variation<'a>> {
        loop {
            let line = self.lines.last_mut()?;
            let Some(note) = line.notes.next() else {
                self.lines.pop();
                continue;
            };
            let Remark::Variation(branch) = &note.remark else {
                continue;
            };
            let ply = line.start + usize::from(note.ply).saturating_sub(1);
            let Some(before) = line.moves.get(..ply) else {
                // A note beyond the end of its line.
                continue;
            };
            let moves = [before, &branch.moves].concat();
            if !branch.annotations.is_empty() {
                self.lines.push(OpenLine {
                    notes: branch.annotations.notes.iter(),
                    moves: Cow::Owned(moves.clone()),
                    start: ply,
                });
            }
            return Some(Variation { moves, ply, branch });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::annotated_game;
    use proptest::prelude::*;

    /// Every variation and where it leaves its parent, by plain recursion.
    fn lines(
        annotations: &Annotations,
        moves: &[CompactMove],
        start: usize,
        found: &mut Vec<(Vec<CompactMove>, usize)>,
    ) {
        for note in annotations.notes() {
            if let Remark::Variation(branch) = &note.remark {
                let ply = start + usize::from(note.ply) - 1;
                let line = [&moves[..ply], &branch.moves].concat();
                found.push((line.clone(), ply));
                lines(&branch.annotations, &line, ply, found);
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(seed: u64, comments in proptest::collection::vec("\\PC{0,20}", 1..5)) {
            let annotations = annotated_game(seed, &comments).annotations;
            let bytes = annotations.to_bytes();
            prop_assert_eq!(Annotations::from_bytes(&bytes), Some(annotations));
            // What is cut off is not read as something else that is whole.
            for end in 0..bytes.len() {
                let part = Annotations::from_bytes(&bytes[..end]);
                prop_assert!(part.is_none_or(|it| it.to_bytes() == bytes[..end]));
            }
        }

        #[test]
        fn any_bytes_are_safe(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(annotations) = Annotations::from_bytes(&bytes) {
                let again = Annotations::from_bytes(&annotations.to_bytes());
                prop_assert_eq!(again.as_ref(), Some(&annotations));
                prop_assert!(annotations.variations(&[]).count() <= bytes.len());
            }
        }

        #[test]
        fn likely_bytes_are_safe(bytes in proptest::collection::vec(0u8..4, 0..400)) {
            if let Some(annotations) = Annotations::from_bytes(&bytes) {
                prop_assert_eq!(annotations.to_bytes(), bytes);
            }
        }

        #[test]
        fn variations_are_lines_of_their_own(seed: u64) {
            let game = annotated_game(seed, &["?".to_owned()]);
            let mut expected = Vec::new();
            lines(&game.annotations, &game.moves, 0, &mut expected);
            let found: Vec<_> = game.variations().map(|it| (it.moves, it.ply)).collect();
            prop_assert_eq!(&found, &expected);
            for (moves, _) in found {
                let line = crate::Game { moves, ..crate::Game::default() };
                prop_assert_eq!(line.positions().count(), line.moves.len() + 1);
            }
        }

        #[test]
        fn notes_of_a_ply_are_found(seed: u64, ply in 0usize..30) {
            let game = annotated_game(seed, &["?".to_owned()]);
            let notes = game.annotations.notes();
            let expected: Vec<&Note> = notes.iter().filter(|it| usize::from(it.ply) == ply).collect();
            prop_assert_eq!(game.annotations.at(ply).iter().collect::<Vec<_>>(), expected);
            let mut short = game.annotations.clone();
            let removed = short.truncate(ply);
            prop_assert_eq!(short.notes(), &notes[..notes.len() - removed]);
            prop_assert!(notes[notes.len() - removed..].iter().all(|it| usize::from(it.ply) > ply));
        }
    }

    #[test]
    fn the_form_is_small_and_fixed() {
        let mut annotations = Annotations::default();
        assert!(annotations.to_bytes().is_empty());
        let moves = vec![CompactMove::NULL];
        annotations.push(40, Remark::Comment("ü".to_owned()));
        annotations.push(1, Remark::Nag(5));
        annotations.push(
            1,
            Remark::Variation(Branch {
                moves,
                annotations: Annotations::default(),
            }),
        );
        let bytes = [4, 5, 2, 1, 0, 0x70, 3, 0x9d, 1, 2, 0xc3, 0xbc];
        assert_eq!(annotations.to_bytes(), bytes);
        assert_eq!(Annotations::from_bytes(&bytes), Some(annotations));
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| [[6, 0].repeat(depth), vec![3; depth]].concat();
        assert!(Annotations::from_bytes(&nested(Annotations::DEPTH)).is_some());
        assert!(Annotations::from_bytes(&nested(Annotations::DEPTH + 1)).is_none());
        assert!(Annotations::from_bytes(&[6, 0].repeat(1 << 20)).is_none());
        // A length that the bytes do not have.
        assert_eq!(
            Annotations::from_bytes(&[6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
            None
        );
    }
}
