//! The tally of a position: what was played there, how it ended, and the games
//! most worth showing.
//!
//! Tallies add up, so a position's tally over many segments is the sum of
//! theirs. A table stores the tally of a position that occurs often, for the
//! first position of half a million games cannot be counted in a millisecond;
//! the others are counted when asked for.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use shakmaty::{Color, KnownOutcome, Outcome};
use tabiya_chess::{CompactMove, Date, Symmetry};

use crate::index::{
    GameIndex,
    occurrence::{self, Facts, Occurrence, TallySource},
    varint,
};

/// Results and ratings of the games that played one move, or that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Games that White won.
    pub white: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that Black won.
    pub black: u32,
    /// Games without a known result.
    pub unknown: u32,
    /// The sum of the rated games' ratings.
    pub rating_sum: u64,
    /// The number of rated games.
    pub rated: u32,
    /// The year of the newest game, 0 if no year is known.
    pub last_year: u16,
}

impl Count {
    /// All games.
    pub fn games(&self) -> u32 {
        self.white + self.draws + self.black + self.unknown
    }

    /// The mean rating of the rated games.
    pub fn mean_rating(&self) -> Option<u64> {
        (self.rating_sum + u64::from(self.rated) / 2).checked_div(self.rated.into())
    }

    /// The results as White and Black see them after a symmetry.
    #[must_use]
    pub fn turned(mut self, symmetry: Symmetry) -> Count {
        if symmetry.swaps() {
            std::mem::swap(&mut self.white, &mut self.black);
        }
        self
    }

    /// Counts one game.
    pub fn add(&mut self, facts: &Facts) {
        match facts.outcome {
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::White,
            }) => self.white += 1,
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::Black,
            }) => self.black += 1,
            Outcome::Known(KnownOutcome::Draw) => self.draws += 1,
            Outcome::Unknown => self.unknown += 1,
        }
        self.rating_sum += facts.rating.map_or(0, u64::from);
        self.rated += u32::from(facts.rating.is_some());
        self.last_year = self.last_year.max(facts.date.year);
    }

    /// Adds the games of another count.
    pub fn merge(&mut self, other: &Count) {
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.unknown += other.unknown;
        self.rating_sum += other.rating_sum;
        self.rated += other.rated;
        self.last_year = self.last_year.max(other.last_year);
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        let results = [self.white, self.draws, self.black, self.unknown, self.rated];
        results.iter().for_each(|&it| varint::put(it.into(), bytes));
        varint::put(self.rating_sum, bytes);
        varint::put(self.last_year.into(), bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Count> {
        Some(Count {
            white: varint::take_as(bytes)?,
            draws: varint::take_as(bytes)?,
            black: varint::take_as(bytes)?,
            unknown: varint::take_as(bytes)?,
            rated: varint::take_as(bytes)?,
            rating_sum: varint::take(bytes)?,
            last_year: varint::take_as(bytes)?,
        })
    }
}

/// What a segment's games did at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Each move played, `None` where games ended; in the order of the moves'
    /// bits, the end first.
    pub moves: Vec<(Option<CompactMove>, Count)>,
    /// The games with the best-rated players, best first.
    pub best: Vec<Occurrence>,
    /// The newest games, newest first.
    pub newest: Vec<Occurrence>,
}

impl Tally {
    /// How many of the best-rated and of the newest games are kept.
    pub const SHOWN: usize = 8;

    /// Counts the games of a sorted list of occurrences. A game that comes
    /// back to the position counts once, with the move it played in the end.
    pub fn of(occurrences: &[Occurrence], games: &impl TallySource) -> Tally {
        let mut tally = Tally::default();
        let mut best = Podium::new();
        let mut newest = Podium::new();
        for visit in occurrence::last_in_each_game(occurrences) {
            let Some(facts) = games.facts(visit.game) else {
                continue;
            };
            tally.add(games.move_at(visit), &facts);
            best.offer(best_first(&facts), visit);
            newest.offer(newest_first(&facts), visit);
        }
        tally.best = best.into_winners();
        tally.newest = newest.into_winners();
        tally
    }

    /// Counts one game by its move, without showing it.
    pub fn add(&mut self, mv: Option<CompactMove>, facts: &Facts) {
        self.count(mv).add(facts);
    }

    /// All games together.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        self.moves.iter().for_each(|(_, count)| total.merge(count));
        total
    }

    /// Adds the moves of another tally. The games shown are the caller's to
    /// choose, for their numbers mean nothing in another segment.
    pub fn merge_moves(&mut self, other: &Tally) {
        for (mv, count) in &other.moves {
            self.count(*mv).merge(count);
        }
    }

    fn count(&mut self, mv: Option<CompactMove>) -> &mut Count {
        let index = match self.moves.binary_search_by_key(&bits(mv), |it| bits(it.0)) {
            Ok(index) => index,
            Err(index) => {
                self.moves.insert(index, (mv, Count::default()));
                index
            }
        };
        &mut self.moves[index].1
    }

    /// Appends the tally.
    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        varint::put(self.moves.len() as u64, bytes);
        for (mv, count) in &self.moves {
            bytes.extend_from_slice(&bits(*mv).to_le_bytes());
            count.put(bytes);
        }
        for shown in [&self.best, &self.newest] {
            varint::put(shown.len() as u64, bytes);
            for it in shown {
                varint::put(it.game.0.into(), bytes);
                varint::put(it.ply.into(), bytes);
            }
        }
    }

    /// Takes a tally off the front.
    pub(crate) fn take(bytes: &mut &[u8]) -> Option<Tally> {
        let mut tally = Tally::default();
        for _ in 0..varint::take(bytes)? {
            let coded = u16::from_le_bytes(varint::take_bytes(bytes, 2)?.try_into().ok()?);
            let mv = (coded != ENDED).then_some(CompactMove::from_bits(coded));
            tally.moves.push((mv, Count::take(bytes)?));
        }
        for shown in [&mut tally.best, &mut tally.newest] {
            for _ in 0..varint::take(bytes)? {
                let game = GameIndex(varint::take_as(bytes)?);
                let ply = varint::take_as(bytes)?;
                shown.push(Occurrence { game, ply });
            }
        }
        Some(tally)
    }
}

/// The rank of a game among the best-rated, smaller is better; the newer of
/// equals first.
pub(crate) fn best_first(facts: &Facts) -> Reverse<(Option<u16>, Date)> {
    Reverse((facts.rating, facts.date))
}

/// The rank of a game among the newest, smaller is newer; the better-rated of
/// equals first.
pub(crate) fn newest_first(facts: &Facts) -> Reverse<(Date, Option<u16>)> {
    Reverse((facts.date, facts.rating))
}

/// A move from a1 to a1, which no piece makes, marks the end of the game.
const ENDED: u16 = 0;

fn bits(mv: Option<CompactMove>) -> u16 {
    mv.map_or(ENDED, CompactMove::to_bits)
}

/// The first few of many, in order; of equals those that came first.
struct Podium<R> {
    winners: Vec<(R, Occurrence)>,
}

impl<R: Ord + Copy> Podium<R> {
    fn new() -> Podium<R> {
        Podium {
            winners: Vec::with_capacity(Tally::SHOWN + 1),
        }
    }

    fn offer(&mut self, rank: R, visit: Occurrence) {
        if self.winners.len() == Tally::SHOWN && self.winners.last().is_some_and(|it| it.0 <= rank)
        {
            return;
        }
        let place = self.winners.partition_point(|it| it.0 <= rank);
        self.winners.insert(place, (rank, visit));
        self.winners.truncate(Tally::SHOWN);
    }

    fn into_winners(self) -> Vec<Occurrence> {
        self.winners.into_iter().map(|it| it.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tabiya_chess::Ply;

    use super::*;

    fn date(year: u16) -> Date {
        Date::parse(&format!("{year}.01.01"))
    }

    /// Twenty games: White wins every third, game n is rated 2000 + n and was
    /// played in 2020 - n; all played the same move but the last, which ended.
    struct Twenty;

    impl TallySource for Twenty {
        fn facts(&self, GameIndex(game): GameIndex) -> Option<Facts> {
            let winner = if game.is_multiple_of(3) {
                Color::White
            } else {
                Color::Black
            };
            (game < 20).then_some(Facts {
                outcome: Outcome::Known(KnownOutcome::Decisive { winner }),
                rating: Some(2000 + game as u16),
                date: date(2020 - game as u16),
            })
        }

        fn move_at(&self, occurrence: Occurrence) -> Option<CompactMove> {
            (occurrence.game.0 < 19).then_some(CompactMove::from_bits(0x031c))
        }
    }

    fn visits(games: std::ops::Range<u32>) -> Vec<Occurrence> {
        let visit = |game| Occurrence { game, ply: Ply(3) };
        games.map(GameIndex).map(visit).collect()
    }

    #[test]
    fn a_tally_counts_ranks_and_comes_back() {
        let tally = Tally::of(&visits(0..20), &Twenty);
        let total = tally.total();
        assert_eq!((total.white, total.black, total.games()), (7, 13, 20));
        assert_eq!(total.mean_rating(), Some(2010));
        assert_eq!(total.last_year, 2020);
        assert_eq!(tally.moves.len(), 2);
        assert_eq!((tally.moves[0].0, tally.moves[0].1.games()), (None, 1));
        let numbers = |shown: &[Occurrence]| shown.iter().map(|it| it.game.0).collect::<Vec<_>>();
        assert_eq!(numbers(&tally.best), [19, 18, 17, 16, 15, 14, 13, 12]);
        assert_eq!(numbers(&tally.newest), [0, 1, 2, 3, 4, 5, 6, 7]);
        let mut bytes = Vec::new();
        tally.put(&mut bytes);
        assert_eq!(Tally::take(&mut bytes.as_slice()), Some(tally));
    }

    #[test]
    fn tallies_add_up() {
        let whole = Tally::of(&visits(0..20), &Twenty);
        let mut sum = Tally::of(&visits(0..7), &Twenty);
        sum.merge_moves(&Tally::of(&visits(7..20), &Twenty));
        assert_eq!(sum.moves, whole.moves);
    }

    #[test]
    fn a_game_that_comes_back_counts_once() {
        let visits = [3, 7, 11].map(|ply| Occurrence {
            game: GameIndex(2),
            ply: Ply(ply),
        });
        let tally = Tally::of(&visits, &Twenty);
        assert_eq!(tally.total().games(), 1);
        assert_eq!(tally.best, visits[2..]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_safe(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = Tally::take(&mut bytes.as_slice());
        }
    }
}
