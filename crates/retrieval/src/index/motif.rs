//! The words of motifs and where they occur: the sections that exercises are found by.
//!
//! ```text
//! exhibits  per exhibit: game u32, ply u16, the number of its words in each of ten families u8
//! lexicon   per word, in order: family u32, the end of its exhibits u32, the word u64
//! motifs    per word: the exhibits that have it, u16 each
//! ```

use std::collections::BTreeMap;

use tabiya_chess::{Game, Ply};

use super::{GameIndex, Section, partition_point, u32_at};
use crate::motif::{FAMILIES, Motif, exhibits};

/// The size of an exhibit.
const EXHIBIT: usize = 6 + FAMILIES;

/// The size of an entry of the lexicon.
const ENTRY: usize = 16;

/// How many exhibits a segment holds at the most, so that their numbers fit in sixteen bits.
const MOST: usize = 1 << 16;

/// Collects the motifs of games on their way into a segment.
#[derive(Debug, Default)]
pub(crate) struct MotifsBuilder {
    exhibits: Vec<u8>,
    words: BTreeMap<(usize, u64), Vec<u16>>,
}

impl MotifsBuilder {
    /// Adds the exhibits of a game, as far as there is room.
    pub(crate) fn add(&mut self, index: GameIndex, game: &Game) {
        for exhibit in exhibits(game) {
            let number = self.exhibits.len() / EXHIBIT;
            let Some(number) = u16::try_from(number).ok().filter(|_| number < MOST) else {
                return;
            };
            let motif = Motif::of(&exhibit.position, &exhibit.line);
            self.exhibits.extend_from_slice(&index.0.to_le_bytes());
            self.exhibits
                .extend_from_slice(&exhibit.ply.0.to_le_bytes());
            let counts = motif.counts().map(|it| it.min(255) as u8);
            self.exhibits.extend_from_slice(&counts);
            for word in motif.words() {
                self.words.entry(word).or_default().push(number);
            }
        }
    }

    /// The three sections; `None` if there are no exhibits.
    pub(crate) fn finish(self) -> Option<[Vec<u8>; 3]> {
        let (mut lexicon, mut motifs) = (Vec::new(), Vec::new());
        for ((family, word), exhibits) in self.words {
            motifs.extend(exhibits.iter().flat_map(|it| it.to_le_bytes()));
            lexicon.extend_from_slice(&(family as u32).to_le_bytes());
            lexicon.extend_from_slice(&(motifs.len() as u32).to_le_bytes());
            lexicon.extend_from_slice(&word.to_le_bytes());
        }
        (!self.exhibits.is_empty()).then_some([self.exhibits, lexicon, motifs])
    }
}

/// The motifs of a segment, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motifs<'a> {
    pub(super) exhibits: Section<'a>,
    pub(super) lexicon: Section<'a>,
    pub(super) motifs: Section<'a>,
}

impl<'a> Motifs<'a> {
    /// How many exhibits there are.
    pub(crate) fn len(&self) -> usize {
        self.exhibits.len() / EXHIBIT
    }

    /// The place of an exhibit, and the number of its words by family.
    pub(crate) fn exhibit(&self, number: usize) -> Option<(GameIndex, Ply, [usize; FAMILIES])> {
        let bytes: &[u8; EXHIBIT] = self.exhibits.record(number)?;
        let counts = std::array::from_fn(|it| usize::from(bytes[6 + it]));
        let ply = u16::from_le_bytes([bytes[4], bytes[5]]);
        Some((GameIndex(u32_at(bytes, 0)), Ply(ply), counts))
    }

    /// The numbers of the exhibits that have a word.
    pub(crate) fn having(
        &self,
        (family, word): (usize, u64),
    ) -> impl Iterator<Item = usize> + use<'a> {
        let lexicon = self.lexicon;
        let key = |at: usize| {
            (
                lexicon.u32_at(at * ENTRY) as usize,
                lexicon.u64_at(at * ENTRY + 8),
            )
        };
        let count = lexicon.len() / ENTRY;
        let at = partition_point(count, |it| key(it) < (family, word));
        let end = |at: usize| lexicon.u32_at(at * ENTRY + 4) as usize;
        let bytes = match at < count && key(at) == (family, word) {
            true => self.motifs.get(at.checked_sub(1).map_or(0, end)..end(at)),
            false => &[],
        };
        let numbers = bytes.as_chunks::<2>().0.iter();
        numbers.map(|it| usize::from(u16::from_le_bytes(*it)))
    }
}
