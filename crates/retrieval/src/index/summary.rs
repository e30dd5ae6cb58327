//! What a segment holds, in numbers.

use super::{u32_at, u64_at};

/// What a segment holds, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many games.
    pub games: u32,
    /// How many windows.
    pub windows: u32,
    /// How many indexed positions.
    pub positions: u64,
    /// The sum of the lengths of all positions' documents.
    pub total_length: u64,
}

impl Summary {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = self.games.to_le_bytes().to_vec();
        bytes.extend_from_slice(&self.windows.to_le_bytes());
        bytes.extend_from_slice(&self.positions.to_le_bytes());
        bytes.extend_from_slice(&self.total_length.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Summary {
        Summary {
            games: u32_at(bytes, 0),
            windows: u32_at(bytes, 4),
            positions: u64_at(bytes, 8),
            total_length: u64_at(bytes, 16),
        }
    }
}
