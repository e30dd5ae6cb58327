//! Moves and sequences.

use shakmaty::{Bitboard, Rank};
use tabiya_pattern::{
    program::{Element, Motion, Sequence, Set},
    syntax::{Castle, Kinds},
};

use super::{Clue, Members, Planner, UNBOUNDED};

const WHITE_PAWN: Kinds = Kinds(1);
const BLACK_PAWN: Kinds = Kinds(1 << 6);

impl Planner {
    /// What a move leaves in the windows before and after it.
    pub(super) fn motion(&mut self, motion: &Motion) -> Clue {
        if motion.previous {
            let motion = Motion {
                previous: false,
                ..motion.clone()
            };
            let clue = self.elsewhere(|it| it.motion(&motion));
            return Clue::near(-1, -1, clue);
        }
        let mut part = |it: &Option<Set>| it.as_ref().map(|it| self.set(it));
        let (from, to, capture) = (part(&motion.from), part(&motion.to), part(&motion.capture));
        let mut clues = Vec::new();
        let mover = from
            .as_ref()
            .map_or(Kinds::PIECES, |it| it.members.kinds & Kinds::PIECES);
        if let Some(from) = from {
            clues.extend([Clue::some(from.members.among(mover)), from.clue]);
        }
        if motion.legal {
            let last_rank = Bitboard::from_rank(Rank::Eighth);
            let goes_last = to
                .as_ref()
                .is_some_and(|it| (it.members.squares & !last_rank).is_empty());
            if mover.0 & !WHITE_PAWN.0 == 0 && goes_last {
                clues.push(place(WHITE_PAWN, Bitboard::from_rank(Rank::Seventh)));
            }
            return Clue::and(clues);
        }
        // A pawn may stand there as another piece.
        let lands = match mover.meets(Kinds::PAWNS) {
            true => Kinds::PIECES,
            false => mover,
        };
        if let Some(to) = &to {
            clues.push(to.clue.clone());
            let landed = lands_on(mover, lands, to.members.squares);
            clues.push(Clue::near(1, 1, landed));
            if !to.members.may_be_empty() {
                clues.push(Clue::some(to.members));
            }
        }
        if let Some(capture) = capture {
            let victims = capture.members.among(Kinds::PIECES);
            clues.extend([Clue::some(victims), capture.clue]);
            // En passant, it lands elsewhere.
            if !mover.meets(Kinds::PAWNS) || !victims.kinds.meets(Kinds::PAWNS) {
                let landed = lands_on(mover, lands, victims.squares);
                clues.push(Clue::near(1, 1, landed));
            }
        }
        if motion.en_passant {
            let level = |rank| {
                let squares = Bitboard::from_rank(rank);
                Clue::and([place(WHITE_PAWN, squares), place(BLACK_PAWN, squares)])
            };
            clues.push(Clue::or([level(Rank::Fifth), level(Rank::Fourth)]));
        }
        if motion.promotion.is_some() {
            clues.push(about_to_promote());
        }
        if let Some(castle) = motion.castle {
            clues.push(Clue::near(1, 1, castled(castle)));
        }
        if let Some(after) = &motion.after {
            clues.push(self.near(1, 1, after));
        }
        Clue::and(clues)
    }

    pub(super) fn sequence(&mut self, sequence: &Sequence) -> Clue {
        let mut clues = Vec::new();
        self.elements(&sequence.elements, sequence, (0, 0), &mut clues);
        Clue::and(clues)
    }

    /// Adds the clues of elements that begin between two distances. Returns where the next begins.
    fn elements(
        &mut self,
        elements: &[Element],
        sequence: &Sequence,
        mut at: (i64, i64),
        clues: &mut Vec<Clue>,
    ) -> (i64, i64) {
        for element in elements {
            at = self.element(element, sequence, at, clues);
        }
        at
    }

    fn element(
        &mut self,
        element: &Element,
        sequence: &Sequence,
        at: (i64, i64),
        clues: &mut Vec<Clue>,
    ) -> (i64, i64) {
        let after = |by: i64| ((at.0 + by).min(UNBOUNDED), (at.1 + by).min(UNBOUNDED));
        let range = match sequence.backward {
            true => (-at.1, -at.0),
            false => at,
        };
        match element {
            Element::Step(truth) => {
                clues.push(self.near(range.0, range.1, truth));
                after(sequence.stride as i64)
            }
            Element::Here(truth) => {
                clues.push(self.near(range.0, range.1, truth));
                at
            }
            Element::Move(motion) => {
                let clue = match range {
                    (0, 0) => self.motion(motion),
                    _ => self.elsewhere(|it| it.motion(motion)),
                };
                // Moves of pieces out of focus may come before.
                let skips = sequence.focus.is_some() && at != (0, 0);
                let latest = if skips { UNBOUNDED } else { at.1 };
                clues.push(Clue::near(at.0, latest, clue));
                (at.0 + 1, (latest + 1).min(UNBOUNDED))
            }
            Element::Group(elements, repeat) => {
                let mut inner = Vec::new();
                let end = self.elements(elements, sequence, at, &mut inner);
                let (least, most) = (end.0 - at.0, (end.1 - at.1).max(0));
                if repeat.least > 0 {
                    clues.extend(inner);
                }
                let times = |by: i64, times: u32| by.saturating_mul(times.into()).min(UNBOUNDED);
                let least = times(least, repeat.least);
                let most = match end.1 >= UNBOUNDED && repeat.most > 0 {
                    true => UNBOUNDED,
                    false => times(most, repeat.most),
                };
                ((at.0 + least).min(UNBOUNDED), (at.1 + most).min(UNBOUNDED))
            }
        }
    }
}

pub(super) fn place(kinds: Kinds, squares: Bitboard) -> Clue {
    Clue::some(Members::on(squares).among(kinds))
}

/// A pawn stands one step from promotion.
pub(in crate::find) fn about_to_promote() -> Clue {
    let white = place(WHITE_PAWN, Bitboard::from_rank(Rank::Seventh));
    let black = place(BLACK_PAWN, Bitboard::from_rank(Rank::Second));
    Clue::or([white, black])
}

/// A piece of these came to one of these squares; pawns may have become another piece.
fn lands_on(mover: Kinds, lands: Kinds, squares: Bitboard) -> Clue {
    let ends = Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth);
    Clue::or([place(mover, squares), place(lands, squares & ends)])
}

fn castled(castle: Castle) -> Clue {
    let squares = match castle {
        Castle::Any => [6, 2, 62, 58].as_slice(),
        Castle::Short => &[6, 62],
        Castle::Long => &[2, 58],
    };
    let squares = squares.iter().fold(0, |all, it| all | 1u64 << it);
    place(Kinds::KINGS, Bitboard(squares))
}
