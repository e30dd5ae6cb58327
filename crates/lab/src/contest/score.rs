//! The score of a contest.

use std::collections::BTreeMap;

use shakmaty::Color;

use super::{End, Played};

/// The running result of the first entrant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    /// Won, drawn, lost.
    pub(crate) counts: [u32; 3],
    /// Won, drawn, lost with White.
    pub(crate) with_white: [u32; 3],
    /// Games lost by breaking down: first entrant, second entrant.
    pub(crate) forfeits: [u32; 2],
    halves: BTreeMap<usize, usize>,
    /// Pairs by half points of the first entrant.
    pub(crate) pairs: [u32; 5],
}

impl Score {
    /// Counts a game.
    pub(crate) fn add(&mut self, played: &Played) {
        let points = played.half_points();
        self.counts[2 - points] += 1;
        if played.first_is_white {
            self.with_white[2 - points] += 1;
        }
        if let End::Forfeit(color, _) = played.end {
            let loser = usize::from((color == Color::White) != played.first_is_white);
            self.forfeits[loser] += 1;
        }
        match self.halves.remove(&(played.number / 2)) {
            Some(other) => self.pairs[points + other] += 1,
            None => {
                self.halves.insert(played.number / 2, points);
            }
        }
    }

    /// Share of the points.
    pub(crate) fn share(&self) -> f64 {
        let games: u32 = self.counts.iter().sum();
        (f64::from(self.counts[0]) + f64::from(self.counts[1]) / 2.0) / f64::from(games.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::KnownOutcome;

    #[test]
    fn pairs_are_counted_whatever_the_order() {
        let game = |number, outcome| Played {
            number,
            first_is_white: number % 2 == 0,
            outcome,
            end: End::Rules,
            moves: Vec::new(),
        };
        let white = KnownOutcome::Decisive {
            winner: Color::White,
        };
        let mut score = Score::default();
        for played in [
            game(1, white),
            game(2, white),
            game(0, white),
            game(3, KnownOutcome::Draw),
        ] {
            score.add(&played);
        }
        // Game 0 won, game 1 lost with Black; game 2 won, game 3 drawn.
        assert_eq!((score.counts, score.pairs), ([2, 1, 1], [0, 0, 1, 1, 0]));
    }
}
