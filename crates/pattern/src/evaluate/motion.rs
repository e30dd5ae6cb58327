//! Moves: played and legal ones.

use shakmaty::{CastlingSide, Position};
use tabiya_chess::CompactMove;

use super::Look;
use crate::{
    program,
    syntax::{Castle, Kinds, MovePart},
    track::{Moment, Motion},
};

/// The sets of a motion at one position.
struct Wanted {
    from: u64,
    to: u64,
    capture: u64,
}

const fn bit(square: shakmaty::Square) -> u64 {
    1 << square as u32
}

impl program::Motion {
    /// Whether every move will do.
    fn is_any(&self) -> bool {
        let sets = [&self.from, &self.to, &self.capture];
        sets.iter().all(|it| it.is_none()) && self.promotion.is_none()
    }

    /// Whether a move is of the wanted kind, between the wanted squares.
    fn accepts(&self, mv: &Motion, wanted: &Wanted) -> bool {
        if self.captures && mv.captured.is_none() || self.en_passant && !mv.en_passant {
            return false;
        }
        if self.captures && mv.captured.is_none_or(|it| wanted.capture & bit(it) == 0) {
            return false;
        }
        if let Some(castle) = self.castle
            && !mv.castle.is_some_and(|it| is_side(castle, it.2))
        {
            return false;
        }
        if let Some(kinds) = self.promotion
            && !mv.promotion.is_some_and(|it| becomes(kinds, it))
        {
            return false;
        }
        let goes = |from, to| wanted.from & bit(from) != 0 && wanted.to & bit(to) != 0;
        goes(mv.from, mv.to)
            || self.rook_castles && mv.castle.is_some_and(|(from, to, _)| goes(from, to))
    }
}

fn is_side(castle: Castle, side: CastlingSide) -> bool {
    match castle {
        Castle::Any => true,
        Castle::Short => side == CastlingSide::KingSide,
        Castle::Long => side == CastlingSide::QueenSide,
    }
}

/// Whether a pawn may become this; the color of the letter does not matter.
fn becomes(kinds: Kinds, role: shakmaty::Role) -> bool {
    (kinds.0 | kinds.0 >> 6) >> (role as u32 - 1) & 1 == 1
}

impl Look<'_> {
    /// The value of a motion, if there is such a move: a square of it.
    pub(super) fn moved(&mut self, motion: &program::Motion, ply: usize) -> Option<u64> {
        if motion.legal {
            return self.legal_move(motion, ply);
        }
        let before = match motion.previous {
            true => ply.checked_sub(1)?,
            false => ply,
        };
        if before >= self.last() {
            return None;
        }
        let mv = self.sheet.mv(before);
        let moment = self.moment(before);
        let mv = Motion::of(mv, &moment)?;
        let wanted = self.wanted(motion, before);
        if !motion.accepts(&mv, &wanted) {
            return None;
        }
        if let Some(after) = &motion.after
            && !self.truth(after, before + 1)
        {
            return None;
        }
        Some(value(motion, &mv))
    }

    fn wanted(&mut self, motion: &program::Motion, ply: usize) -> Wanted {
        let mut set = |it: &Option<program::Set>| it.as_ref().map_or(!0, |it| self.set(it, ply));
        Wanted {
            from: set(&motion.from),
            to: set(&motion.to),
            capture: set(&motion.capture),
        }
    }

    /// The legal moves of a position that a motion accepts.
    fn for_each_legal(
        &mut self,
        motion: &program::Motion,
        ply: usize,
        mut visit: impl FnMut(&Motion, &Wanted),
    ) {
        let wanted = self.wanted(motion, ply);
        if wanted.from == 0 || wanted.to == 0 {
            return;
        }
        let moment: Moment = self.moment(ply);
        let Some(chess) = self.state.track.chess(self.sheet, ply) else {
            return;
        };
        for mv in chess.legal_moves() {
            if let Some(mv) = Motion::of(CompactMove::from(mv), &moment)
                && motion.accepts(&mv, &wanted)
            {
                visit(&mv, &wanted);
            }
        }
    }

    /// Where legal moves go.
    pub(super) fn legal_targets(&mut self, motion: &program::Motion, ply: usize) -> u64 {
        let mut targets = 0;
        self.for_each_legal(motion, ply, |mv, wanted| {
            let pairs = [Some((mv.from, mv.to)), mv.castle.map(|it| (it.0, it.1))];
            for (from, to) in pairs.into_iter().flatten() {
                if wanted.from & bit(from) != 0 && wanted.to & bit(to) != 0 {
                    targets |= bit(to);
                }
            }
        });
        targets
    }

    pub(super) fn count_legal(&mut self, motion: &program::Motion, ply: usize) -> i64 {
        if motion.is_any() {
            let chess = self.state.track.chess(self.sheet, ply);
            return chess.map_or(0, |it| it.legal_moves().len() as i64);
        }
        let mut count = 0;
        self.for_each_legal(motion, ply, |_, _| count += 1);
        count
    }

    fn legal_move(&mut self, motion: &program::Motion, ply: usize) -> Option<u64> {
        let mut found = None;
        self.for_each_legal(motion, ply, |mv, _| {
            found = Some(found.unwrap_or(0) | value(motion, mv));
        });
        found
    }
}

/// The square of the part that is the value.
fn value(motion: &program::Motion, mv: &Motion) -> u64 {
    match motion.value {
        Some(MovePart::To) => bit(mv.to),
        Some(MovePart::Capture) => mv.captured.map_or(0, bit),
        Some(MovePart::From) | None => bit(mv.from),
    }
}
