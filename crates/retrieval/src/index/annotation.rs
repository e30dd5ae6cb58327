//! What annotators wrote, compressed: the sections that keep the annotations of a segment.
//!
//! ```text
//! annotated    per annotated game, in order: its index u32, where its group begins u32,
//!              where its annotations begin in the group u32, and 2 × their length u32, + 1 if
//!              they have words, not only glyphs and commands such as clocks
//! annotations  groups: the length of the rest u32, the length unpacked u32, and the
//!              annotations of some games, compressed together with zstd
//! ```
//! A game without annotations takes no byte in either.

use tabiya_chess::Annotations;

use super::{GameIndex, Section, partition_point, u32_at};

const ENTRY: usize = 16;
const HEAD: usize = 8;

/// A group is full at this many bytes: enough to compress well, few enough to unpack for one
/// game.
const GROUP: usize = 16 << 10;

/// No game has annotations as long as this.
const LONGEST: usize = 1 << 28;

/// Good and quick.
const LEVEL: i32 = 6;

/// Collects annotations on their way into a segment.
#[derive(Debug, Default)]
pub(super) struct AnnotationsBuilder {
    annotated: Vec<u8>,
    groups: Vec<u8>,
    /// The group that is not full.
    open: Vec<u8>,
}

impl AnnotationsBuilder {
    pub(super) fn add(&mut self, game: GameIndex, annotations: &Annotations) {
        if annotations.is_empty() {
            return;
        }
        let bytes = annotations.to_bytes();
        for value in [
            game.0,
            self.groups.len() as u32,
            self.open.len() as u32,
            (bytes.len() as u32) << 1 | u32::from(annotations.has_words()),
        ] {
            self.annotated.extend_from_slice(&value.to_le_bytes());
        }
        self.open.extend(bytes);
        if self.open.len() >= GROUP {
            self.close();
        }
    }

    fn close(&mut self) {
        let unpacked = std::mem::take(&mut self.open);
        let length = unpacked.len();
        let packed = zstd::bulk::compress(&unpacked, LEVEL).ok();
        // What does not become shorter is kept as it is.
        let packed = packed.filter(|it| it.len() < length).unwrap_or(unpacked);
        let head = [packed.len() as u32, length as u32];
        self.groups
            .extend(head.iter().flat_map(|it| it.to_le_bytes()));
        self.groups.extend(packed);
    }

    /// The two sections.
    pub(super) fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        if !self.open.is_empty() {
            self.close();
        }
        (self.annotated, self.groups)
    }
}

/// The annotations of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredAnnotations<'a> {
    pub(super) annotated: Section<'a>,
    pub(super) groups: Section<'a>,
}

impl StoredAnnotations<'_> {
    /// The annotations of a game. Those that cannot be read break the section's seal.
    pub(super) fn of(&self, game: GameIndex) -> Annotations {
        let read = self.read(game);
        read.unwrap_or_else(|| {
            self.groups.refuse();
            Annotations::default()
        })
    }

    /// Whether any game is annotated.
    pub(super) fn is_empty(&self) -> bool {
        self.annotated.len() == 0
    }

    /// Whether the annotations of a game have words.
    pub(super) fn have_words(&self, game: GameIndex) -> bool {
        self.entry(game).is_some_and(|it| it[12] & 1 == 1)
    }

    /// What the list says of a game; `None` if it is not annotated.
    fn entry(&self, game: GameIndex) -> Option<&[u8; ENTRY]> {
        let count = self.annotated.len() / ENTRY;
        let index = |it: usize| self.annotated.u32_at(it * ENTRY);
        let at = partition_point(count, |it| index(it) < game.0);
        let entry = self.annotated.record::<ENTRY>(at)?;
        (u32_at(entry, 0) == game.0).then_some(entry)
    }

    fn read(&self, game: GameIndex) -> Option<Annotations> {
        let Some(entry) = self.entry(game) else {
            return Some(Annotations::default());
        };
        let [group, start, length] = [4, 8, 12].map(|it| u32_at(entry, it) as usize);
        let unpacked = self.unpack(group)?;
        Annotations::from_bytes(unpacked.get(start..start.checked_add(length / 2)?)?)
    }

    fn unpack(&self, group: usize) -> Option<Vec<u8>> {
        let packed = self.groups.u32_at(group) as usize;
        let unpacked = self.groups.u32_at(group.checked_add(4)?) as usize;
        let start = group.checked_add(HEAD)?;
        let bytes = self.groups.get(start..start.checked_add(packed)?);
        if packed == unpacked {
            return Some(bytes.to_vec());
        }
        zstd::bulk::decompress(bytes, unpacked.min(LONGEST)).ok()
    }
}
