//! The judge: when a game need not be played to its end.

use shakmaty::{Color, KnownOutcome};

/// Ends games on which both programs have agreed for some moves.
///
/// Won: both see 10 pawns for the same side for 3 moves each. Drawn: after
/// move 40, both within 10 centipawns for 5 moves each.
#[derive(Default)]
pub(crate) struct Judge {
    white: u32,
    black: u32,
    draw: u32,
}

impl Judge {
    pub(crate) fn judge(
        &mut self,
        mover: Color,
        score: Option<i32>,
        plies: usize,
    ) -> Option<KnownOutcome> {
        let Some(score) = score else {
            *self = Judge::default();
            return None;
        };
        let white = mover.fold_wb(score, -score);
        let count = |holds: bool, so_far: u32| if holds { so_far + 1 } else { 0 };
        self.white = count(white >= 1_000, self.white);
        self.black = count(white <= -1_000, self.black);
        self.draw = count(white.abs() <= 10 && plies >= 80, self.draw);
        if self.white >= 6 {
            Some(KnownOutcome::Decisive {
                winner: Color::White,
            })
        } else if self.black >= 6 {
            Some(KnownOutcome::Decisive {
                winner: Color::Black,
            })
        } else {
            (self.draw >= 10).then_some(KnownOutcome::Draw)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_must_last() {
        let mut judge = Judge::default();
        for ply in 0..5 {
            let color = if ply % 2 == 0 {
                Color::White
            } else {
                Color::Black
            };
            assert_eq!(
                judge.judge(color, Some(color.fold_wb(1_500, -1_500)), ply),
                None
            );
        }
        assert_eq!(
            judge.judge(Color::Black, Some(-1_500), 5),
            Some(KnownOutcome::Decisive {
                winner: Color::White
            })
        );
        let mut judge = Judge::default();
        assert!((0..20).all(|ply| judge.judge(Color::White, Some(0), ply).is_none()));
    }
}
