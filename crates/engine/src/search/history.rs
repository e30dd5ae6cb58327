//! What a search remembers of moves: which were good, wherever they occurred.
//!
//! All of it only orders moves and tunes reductions; nothing here changes what
//! a position is worth.

use shakmaty::{Color, Move, Role, Square};

use super::Depth;

/// The bound that every remembered number approaches.
const MOST: i32 = 16_384;

/// A number that moves towards ±[`MOST`] and forgets what is long past.
fn move_towards(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / MOST) as i16;
}

/// What a cutoff at this depth teaches.
pub(crate) fn bonus(depth: Depth) -> i32 {
    depth.times(170).clamp(0, 1_800)
}

/// A piece and where it went: the key of continuations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

const PIECE_TO: usize = 12 * 64;

impl PieceTo {
    pub(crate) fn new(color: Color, mv: Move) -> PieceTo {
        let piece = (usize::from(mv.role()) - 1) * 2 + usize::from(color == Color::White);
        PieceTo((piece * 64 + mv.to().to_usize()) as u16)
    }
}

/// How well moves did, by color and squares, by what came before, by what they took.
pub(crate) struct History {
    quiet: Vec<i16>,
    captures: Vec<i16>,
    continuation: Vec<i16>,
}

impl History {
    pub(crate) fn new() -> History {
        History {
            quiet: vec![0; 2 * 64 * 64],
            captures: vec![0; 6 * 64 * 6],
            continuation: vec![0; PIECE_TO * PIECE_TO],
        }
    }

    /// Forgets everything; quiet moves only if they were learned.
    pub(crate) fn clear(&mut self, has_quiet: bool) {
        self.captures.fill(0);
        if has_quiet {
            self.quiet.fill(0);
            self.continuation.fill(0);
        }
    }

    /// How promising a quiet move is after the moves before it.
    pub(crate) fn quiet(&self, color: Color, mv: Move, before: &[Option<PieceTo>; 2]) -> i32 {
        let mut sum = i32::from(self.quiet[quiet_index(color, mv)]);
        let this = PieceTo::new(color, mv);
        for previous in before.iter().flatten() {
            sum += i32::from(self.continuation[continuation_index(*previous, this)]);
        }
        sum
    }

    pub(crate) fn capture(&self, mv: Move) -> i32 {
        i32::from(self.captures[capture_index(mv)])
    }

    pub(crate) fn learn_quiet(
        &mut self,
        color: Color,
        mv: Move,
        before: &[Option<PieceTo>; 2],
        bonus: i32,
    ) {
        move_towards(&mut self.quiet[quiet_index(color, mv)], bonus);
        let this = PieceTo::new(color, mv);
        for previous in before.iter().flatten() {
            move_towards(
                &mut self.continuation[continuation_index(*previous, this)],
                bonus,
            );
        }
    }

    pub(crate) fn learn_capture(&mut self, mv: Move, bonus: i32) {
        move_towards(&mut self.captures[capture_index(mv)], bonus);
    }
}

fn quiet_index(color: Color, mv: Move) -> usize {
    let from = mv.from().unwrap_or(Square::A1).to_usize();
    (color.fold_wb(1, 0) * 64 + from) * 64 + mv.to().to_usize()
}

fn capture_index(mv: Move) -> usize {
    let taken = usize::from(mv.capture().unwrap_or(Role::Pawn)) - 1;
    ((usize::from(mv.role()) - 1) * 64 + mv.to().to_usize()) * 6 + taken
}

fn continuation_index(previous: PieceTo, this: PieceTo) -> usize {
    usize::from(previous.0) * PIECE_TO + usize::from(this.0)
}

/// How far the evaluation of positions with the same pawns was off.
///
/// What a search finds out about one position says something about others
/// with the same pawn structure.
pub(crate) struct Corrections {
    by_pawns: Vec<i32>,
}

/// Entries a color; must be a power of two.
const PAWN_STRUCTURES: usize = 1 << 14;
/// Parts of a centipawn in which corrections are kept.
const GRAIN: i32 = 256;
const MOST_CORRECTION: i32 = 64 * GRAIN;

impl Corrections {
    pub(crate) fn new() -> Corrections {
        Corrections {
            by_pawns: vec![0; 2 * PAWN_STRUCTURES],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.by_pawns.fill(0);
    }

    /// What to add to the evaluation, in centipawns.
    pub(crate) fn of(&self, color: Color, pawns: u64) -> i32 {
        self.by_pawns[correction_index(color, pawns)] / GRAIN
    }

    pub(crate) fn learn(&mut self, color: Color, pawns: u64, error: i32, depth: Depth) {
        let entry = &mut self.by_pawns[correction_index(color, pawns)];
        let weight = (depth.whole() + 1).clamp(1, 16);
        let target = (error * GRAIN).clamp(-MOST_CORRECTION * 2, MOST_CORRECTION * 2);
        let moved = (*entry * (256 - weight) + target * weight) / 256;
        *entry = moved.clamp(-MOST_CORRECTION, MOST_CORRECTION);
    }
}

fn correction_index(color: Color, pawns: u64) -> usize {
    color.fold_wb(1, 0) * PAWN_STRUCTURES + (pawns as usize & (PAWN_STRUCTURES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_bounds_and_forget() {
        let mut value = 0;
        for _ in 0..10_000 {
            move_towards(&mut value, 1_800);
        }
        assert!(i32::from(value) <= MOST && i32::from(value) > MOST * 9 / 10);
        move_towards(&mut value, -1_800);
        assert!(
            i32::from(value) < MOST * 9 / 10,
            "bad news weighs more against a good name"
        );
    }

    #[test]
    fn corrections_approach_the_error() {
        let mut corrections = Corrections::new();
        for _ in 0..500 {
            corrections.learn(Color::White, 77, 40, Depth::plies(10));
        }
        assert!((35..=40).contains(&corrections.of(Color::White, 77)));
        assert_eq!(corrections.of(Color::Black, 77), 0);
    }
}
