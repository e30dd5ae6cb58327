//! The static words of a position: what a player would point at without calculating.
//!
//! Words are compared family by family. Each is a small number, a *token*, made of what
//! happens and to whom, seen from one player and mostly relative to a king, so that the
//! same idea elsewhere on the board has the same token. What a player would also *say* is
//! kept as a [`Word`].

mod king;
mod line;
mod loose;
mod pawn;
mod post;
mod threat;

use shakmaty::{Chess, Color, Position};

use super::word::Word;
use crate::motif::View;

/// A family of words; each is compared apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Checks that the player to move can give.
    Check,
    /// Mates in one.
    Mate,
    /// Captures that win material.
    Win,
    /// Moves that attack two pieces at once.
    Fork,
    /// Pieces without enough protection.
    Loose,
    /// Pawns on their way to promotion.
    Advance,
    /// Pins, skewers, batteries and what a move could uncover.
    Line,
    /// The enemy's king and what is around him.
    Siege,
    /// Our king and what is around him.
    Shelter,
    /// The structure of the pawns.
    Skeleton,
    /// Pieces on good squares: open files, the seventh rank, outposts.
    Post,
}

/// How many families there are.
pub(super) const FAMILIES: usize = 11;

/// The words of a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// Tokens with the family in the highest byte, sorted, without repeats.
    tokens: Vec<u64>,
    named: Vec<Word>,
}

impl Words {
    /// The words of a position as `us` sees it.
    pub(super) fn of(position: &Chess, us: Color) -> Words {
        let mut words = Words {
            tokens: Vec::with_capacity(192),
            named: Vec::with_capacity(24),
        };
        let (view, board) = (View::new(position.board(), us), position.board());
        threat::note(&view, position, &mut words);
        line::note(&view, board, &mut words);
        loose::note(&view, board, &mut words);
        pawn::note(&view, board, &mut words);
        post::note(&view, board, &mut words);
        king::note(&view, board, &mut words);
        words.tokens.sort_unstable();
        words.tokens.dedup();
        words.named.sort_unstable();
        words.named.dedup();
        words
    }

    /// Notes a token: a letter that says of what kind it is, and at most six small numbers.
    fn note(&mut self, family: Family, kind: char, numbers: &[i32]) {
        debug_assert!(numbers.len() <= 6, "a token has room for six numbers");
        let start = (family as u64) << 8 | kind as u64;
        let pack = |token: u64, &number: &i32| token << 8 | u64::from((number + 32) as u8);
        let token = numbers.iter().fold(start, pack);
        // The family stays in the highest byte, however few the numbers.
        self.tokens.push(token << (8 * (6 - numbers.len().min(6))));
    }

    /// Notes a word that a player would say.
    fn name(&mut self, word: Word) {
        self.named.push(word);
    }

    /// What a player would say, as a test sees it.
    #[cfg(test)]
    pub(super) fn named(&self) -> impl Iterator<Item = Word> + '_ {
        self.named.iter().copied()
    }

    /// How many tokens each family has.
    pub(super) fn counts(&self) -> [u32; FAMILIES] {
        let mut counts = [0; FAMILIES];
        self.tokens.iter().for_each(|&it| counts[family(it)] += 1);
        counts
    }

    /// How many tokens of each family both have.
    pub(super) fn shared(&self, other: &Words) -> [u32; FAMILIES] {
        let mut counts = [0; FAMILIES];
        let mut theirs = other.tokens.iter().copied().peekable();
        for &token in &self.tokens {
            while theirs.next_if(|&it| it < token).is_some() {}
            if theirs.peek() == Some(&token) {
                counts[family(token)] += 1;
            }
        }
        counts
    }

    /// The words that both would say, those a player names first in front. Where only the
    /// square differs, the word is said without it.
    pub(super) fn said_of_both(&self, other: &Words) -> Vec<Word> {
        let both = |it: &Word| other.named.binary_search(it).is_ok();
        let mut said: Vec<Word> = self.named.iter().copied().filter(both).collect();
        for word in self.named.iter().filter(|it| !both(it)) {
            let general = word.anywhere();
            let is_shared = other.named.iter().any(|it| it.anywhere() == general);
            let is_said = said.iter().any(|it| it.anywhere() == general);
            if word.matters_anywhere() && is_shared && !is_said {
                said.push(general);
            }
        }
        said.sort_unstable();
        said
    }
}

fn family(token: u64) -> usize {
    (token >> 56) as usize
}
