//! Windows near the start of games. Games that begin alike have the same ones, so each is scored
//! once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use tabiya_chess::Symmetry;
use xxhash_rust::xxh3::xxh3_128;

use super::Board;
use crate::index::{GameRecord, WINDOW, WindowId, Windows};

/// How many windows of a game are remembered; later ones hardly ever repeat.
const WINDOWS: usize = 3;

/// The moves that lead to a window's positions, as a digest.
pub(super) type Beginning = u128;

/// The best position of a window and its score; `None` if none can matter.
pub(super) type Scored = Option<(f64, Board)>;

/// What is known of windows near the start of games, by view. Thresholds only rise, so what
/// could not matter once never can.
#[derive(Debug, Default)]
pub(super) struct Openings([Mutex<FxHashMap<Beginning, Scored>>; 4]);

impl Openings {
    /// The beginning that a window belongs to; `None` if it is not near a usual start.
    pub(super) fn beginning(
        windows: &Windows<'_>,
        record: &GameRecord,
        window: WindowId,
    ) -> Option<Beginning> {
        let moves = windows.moves_through(record, window)?;
        (moves.len() < WINDOWS * WINDOW).then(|| xxh3_128(moves.as_flattened()))
    }

    /// What is known of a window.
    pub(super) fn get(&self, symmetry: Symmetry, beginning: Beginning) -> Option<Scored> {
        self.lock(symmetry).get(&beginning).copied()
    }

    /// Remembers what is known of a window.
    pub(super) fn put(&self, symmetry: Symmetry, beginning: Beginning, scored: Scored) {
        self.lock(symmetry).insert(beginning, scored);
    }

    fn lock(&self, symmetry: Symmetry) -> MutexGuard<'_, FxHashMap<Beginning, Scored>> {
        // A thread that panicked while holding the lock left nothing half done.
        self.0[symmetry as usize]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
