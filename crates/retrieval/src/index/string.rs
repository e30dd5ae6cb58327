//! Strings kept once each: names of players, events and places repeat.

use std::collections::HashMap;

use super::Section;

/// The number of a string within its segment.
pub(crate) type StringId = u32;

/// Collects strings and numbers them.
#[derive(Debug, Default)]
pub(super) struct StringBuilder {
    ids: HashMap<String, StringId>,
    ends: Vec<u32>,
    heap: Vec<u8>,
}

impl StringBuilder {
    pub(super) fn intern(&mut self, text: &str) -> StringId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = self.ends.len() as StringId;
        self.heap.extend_from_slice(text.as_bytes());
        self.ends.push(self.heap.len() as u32);
        self.ids.insert(text.to_owned(), id);
        id
    }

    /// The count, the ends of the strings, and their text.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = (self.ends.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.ends.iter().flat_map(|it| it.to_le_bytes()));
        bytes.extend(self.heap);
        bytes
    }
}

/// The strings of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strings<'a>(pub(super) Section<'a>);

impl<'a> Strings<'a> {
    pub(crate) fn len(self) -> usize {
        self.0.u32_at(0) as usize
    }

    /// The string with this number; empty if there is none.
    pub(crate) fn get(self, id: StringId) -> &'a str {
        let (id, count) = (id as usize, self.len());
        if id >= count {
            return "";
        }
        let end = |index: usize| self.0.u32_at(4 + index * 4) as usize;
        let begin = if id == 0 { 0 } else { end(id - 1) };
        let heap = 4 + count * 4;
        str::from_utf8(self.0.get(heap + begin..heap + end(id))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_come_back_once_each(texts in proptest::collection::vec("\\PC{0,5}", 0..50)) {
            let mut builder = StringBuilder::default();
            let ids: Vec<_> = texts.iter().map(|it| builder.intern(it)).collect();
            let bytes = builder.finish();
            let strings = Strings(bytes.as_slice().into());
            for (text, id) in texts.iter().zip(ids) {
                prop_assert_eq!(strings.get(id), text);
            }
            let distinct = texts.iter().collect::<std::collections::BTreeSet<_>>().len();
            prop_assert_eq!(strings.len(), distinct);
            prop_assert_eq!(strings.get(u32::MAX), "");
        }
    }
}
