//! Moves: played and legal ones.

use shakmaty::{Board, CastlingSide, Chess, Color, Move, Position};
use tabiya_chess::{CompactMove, Tags};

use super::{Look, State};
use crate::{
    geometry, program,
    syntax::{Castle, Comparison, Kinds, MovePart},
    track::{Moment, Motion, Scoresheet},
};

/// The sets of a motion at one position.
struct Wanted {
    from: u64,
    to: u64,
    capture: u64,
}

/// A game up to a position, and another move there.
struct Otherwise<'a> {
    sheet: &'a dyn Scoresheet,
    ply: usize,
    mv: CompactMove,
}

impl Scoresheet for Otherwise<'_> {
    fn plies(&self) -> usize {
        self.ply + 1
    }

    fn mv(&self, ply: usize) -> CompactMove {
        match ply == self.ply {
            true => self.mv,
            false => self.sheet.mv(ply),
        }
    }

    fn first_turn(&self) -> Color {
        self.sheet.first_turn()
    }

    fn board_before(&self, ply: usize) -> (usize, Board) {
        self.sheet.board_before(ply.min(self.ply))
    }

    fn start(&self) -> Chess {
        self.sheet.start()
    }

    fn tags(&self) -> Tags {
        self.sheet.tags()
    }
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
        if !geometry::may_move(&moment, self.turn(ply), wanted.from, wanted.to) {
            return;
        }
        let Some(chess) = self.state.track.chess(self.sheet, ply).cloned() else {
            return;
        };
        for mv in chess.legal_moves() {
            let compact = CompactMove::from(mv);
            if let Some(accepted) = Motion::of(compact, &moment)
                && motion.accepts(&accepted, &wanted)
                && motion
                    .after
                    .as_ref()
                    .is_none_or(|it| self.holds_after(it, ply, &chess, mv))
            {
                visit(&accepted, &wanted);
            }
        }
    }

    /// Whether something holds after a legal move, as if the game had ended with it.
    fn holds_after(&mut self, after: &program::Truth, ply: usize, chess: &Chess, mv: Move) -> bool {
        let sheet = Otherwise {
            sheet: self.sheet,
            ply,
            mv: mv.into(),
        };
        let looked_once = self.state.once.len() / (self.last() + 1);
        let mut next = chess.clone();
        next.play_unchecked(mv);
        let mut state = State {
            track: self.state.track.after(ply, next),
            variables: self.state.variables.clone(),
            once: vec![0; looked_once * (ply + 2)],
            nest_bans: self.state.nest_bans.clone(),
            sorts: self.state.sorts.clone(),
            sort_least: self.state.sort_least.clone(),
            comments: Vec::new(),
            work: self.state.work,
        };
        let mut look = Look {
            sheet: &sheet,
            state: &mut state,
        };
        let holds = look.truth(after, ply + 1);
        self.state.work = state.work + 20;
        holds
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
        if motion.is_any() && motion.after.is_none() {
            let chess = self.state.track.chess(self.sheet, ply);
            return chess.map_or(0, |it| it.legal_moves().len() as i64);
        }
        let mut count = 0;
        self.for_each_legal(motion, ply, |_, _| count += 1);
        count
    }

    /// Whether the number of all legal moves compares so, if its bounds tell.
    pub(super) fn compare_moves(
        &mut self,
        motion: &program::Motion,
        by: Comparison,
        number: i64,
        ply: usize,
    ) -> Option<bool> {
        if !motion.is_any() || motion.after.is_some() {
            return None;
        }
        let turn = self.turn(ply);
        let moment = self.state.track.moment(self.sheet, ply);
        let (least, most) = geometry::legal_moves(moment, turn);
        match by {
            _ if least == most => Some(by.holds(least, number)),
            Comparison::Equal | Comparison::NotEqual => {
                let outside = number < least || most < number;
                outside.then_some(by == Comparison::NotEqual)
            }
            _ => {
                let holds = by.holds(least, number);
                (holds == by.holds(most, number)).then_some(holds)
            }
        }
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
