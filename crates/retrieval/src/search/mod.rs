//! Finding the best positions: bounds first, exact scores for the few that
//! are left.
//!
//! The answer is defined by the formula alone: of each game the position most
//! similar to the query, best first, ties by score, game number, ply and
//! symmetry. Similarity compares views of the query fairly: one with rare
//! terms scores more than another without being more alike. Where the query
//! asks for it, the same board comes before all others, which a shorter
//! document could otherwise outscore. `bound` finds
//! the windows that could hold such a position, [`probe`](self) scores them
//! exactly, `best` keeps the top. The exhaustive twin walks over everything
//! and must agree to the last bit.

mod adder;
mod best;
mod bound;
mod cancel;
mod condition;
mod error;
mod exhaustive;
mod filter;
mod group;
mod harvest;
mod opening;
mod probe;
mod work;

use std::sync::{
    Mutex, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};
use tabiya_chess::{Ply, Symmetry};
use tabiya_pattern::TooMuchWork;

pub use cancel::Cancel;
pub use condition::Condition;
pub(crate) use condition::{Lines, Test};
pub use error::SearchError;
pub use exhaustive::search as search_exhaustively;
pub use filter::{Filter, Range, SideToMove, for_each_game};
pub(crate) use filter::{GameFilter, PositionFilter};
pub use group::{Distinct, Enough, Group, Rank};

pub use crate::index::Shard;
use crate::{
    index::{
        FormatError, GameIndex, GameNumber, GameRecord, Planes, Statistics, VariationNumber,
        Variations, WINDOW, WindowId, Windows, sound,
    },
    rank::{Ranking, Scorer},
};
use best::Best;
use bound::{Bound, Candidate};
use group::first_hits;
use opening::{Openings, Scored};
use probe::Probe;
use work::Counters;
pub use work::Work;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Query {
    /// The position.
    pub position: Chess,
    /// How many hits are wanted.
    pub top: usize,
    /// What makes hits distinct.
    pub distinct: Distinct,
    /// The ways in which the position may be turned; at least one.
    pub symmetries: Vec<Symmetry>,
    /// The parameters of the formula.
    pub ranking: Ranking,
    /// Whether only the same board may have similarity 1. By the formula alone a shorter
    /// document can have more.
    pub same_first: bool,
    /// Which games and positions may answer.
    pub filter: Filter,
    /// What positions must be, beside what the filter says.
    pub condition: Option<Condition>,
    /// Whether positions in variations may answer too.
    pub variations: bool,
    /// Cancels the search. The answer of a canceled search is meaningless.
    pub cancel: Cancel,
}

impl Query {
    /// How many games a query finds if nothing else is said.
    pub const TOP: usize = 10;

    /// A query with the usual settings: ten games, colors swapped as well.
    pub fn new(position: Chess) -> Query {
        Query {
            position,
            top: Query::TOP,
            distinct: Distinct::default(),
            symmetries: vec![Symmetry::None, Symmetry::Swap],
            ranking: Ranking::default(),
            same_first: false,
            filter: Filter::default(),
            condition: None,
            variations: false,
            cancel: Cancel::default(),
        }
    }
}

/// A position of the collection that answers a query.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// score(q,p), the query being turned by `symmetry`.
    pub score: f64,
    /// The score as a part of the turned query's own.
    pub similarity: f64,
    /// How the query was turned to meet this position.
    pub symmetry: Symmetry,
    /// The game.
    pub game: GameNumber,
    /// The variation of the game, if the position is not of the game itself.
    pub variation: Option<VariationNumber>,
    /// How many half-moves were played before the position.
    pub ply: Ply,
}

impl Hit {
    /// The order of answers: most similar first, ties by score, game, variation, ply and
    /// symmetry.
    pub fn rank(&self, other: &Hit) -> std::cmp::Ordering {
        let tie = |it: &Hit| (it.game, it.variation, it.ply, it.symmetry);
        other
            .similarity
            .total_cmp(&self.similarity)
            .then_with(|| other.score.total_cmp(&self.score))
            .then_with(|| tie(self).cmp(&tie(other)))
    }
}

/// Searches some shards of a collection with the statistics of the whole: the first hit of each
/// group. The answer to a canceled query is incomplete.
///
/// # Errors
///
/// When a segment is damaged, or the condition takes too long.
pub fn search(
    shards: &[Shard<'_>],
    query: &Query,
    statistics: &Statistics,
) -> Result<Vec<Hit>, SearchError> {
    search_groups(shards, query, statistics).map(|it| first_hits(&it))
}

/// Searches some shards of a collection with the statistics of the whole. The
/// answer to a canceled query is incomplete.
///
/// # Errors
///
/// When a segment is damaged, or the condition takes too long.
pub fn search_groups(
    shards: &[Shard<'_>],
    query: &Query,
    statistics: &Statistics,
) -> Result<Vec<Group>, SearchError> {
    search_and_count(shards, query, statistics).map(|it| it.0)
}

/// Searches, and says how much there was to do.
///
/// # Errors
///
/// When a segment is damaged, or the condition takes too long.
pub fn search_and_count(
    shards: &[Shard<'_>],
    query: &Query,
    statistics: &Statistics,
) -> Result<(Vec<Group>, Work), SearchError> {
    if query.top == 0 || statistics.positions() == 0 {
        return Ok((Vec::new(), Work::default()));
    }
    let views = View::all(query, statistics);
    let rooms = shards
        .par_iter()
        .map(|shard| Room::open(*shard, query))
        .collect::<Result<Vec<_>, FormatError>>()?;
    let rooms: Vec<Room<'_>> = rooms.into_iter().flatten().collect();
    // `top` may exceed the number of games.
    let games = shards.iter().map(|it| it.segment.summary().games as usize);
    let games = games.sum();
    let admitted = rooms.iter().map(Room::games).sum();
    let enough = query.distinct.enough(query.top.min(games)).of(admitted);
    let mut spare = query.distinct.spare(query.top);
    let mut work = Work::default();
    let groups = loop {
        let answer = Answer::new(enough.plus(spare), &query.cancel);
        harvest::score(&rooms, &views, &answer);
        work = work + answer.work.so_far();
        answer.fault.get().copied().map_or(Ok(()), Err)?;
        match answer.into_groups(enough) {
            Some(groups) => break groups,
            None if query.cancel.is_canceled() => break Vec::new(),
            // With room for one more than can come, nothing is dropped.
            None => spare = (4 * spare + 1).min(games + 1),
        }
    };
    sound(shards)?;
    Ok((groups, work))
}

/// Merges the answers of several groups of shards into one.
pub fn merge(answers: impl IntoIterator<Item = Vec<Hit>>, top: usize) -> Vec<Hit> {
    let mut hits: Vec<Hit> = answers.into_iter().flatten().collect();
    hits.sort_by(Hit::rank);
    hits.truncate(top);
    hits
}

/// Similarities are rounded quotients; this covers what the way back may lose.
const ROUNDING: f64 = 1.0 - 1e-12;

/// The greatest similarity of another board where the same one comes first: not 1 when it is
/// rounded for a reader either.
const ALMOST_SAME: f64 = 0.999;

/// The query turned one way, ready to score.
#[derive(Debug)]
struct View {
    symmetry: Symmetry,
    scorer: Scorer,
    probe: Probe,
    positions: PositionFilter,
    distinct: Distinct,
    /// The query's board, if it comes before all others.
    first: Option<Planes>,
}

impl View {
    fn all(query: &Query, statistics: &Statistics) -> Vec<View> {
        query
            .symmetries
            .iter()
            .map(|&it| View::new(query, it, statistics))
            .collect()
    }

    fn new(query: &Query, symmetry: Symmetry, statistics: &Statistics) -> View {
        let board = symmetry.board(query.position.board());
        let scorer = Scorer::new(&board, &query.ranking, statistics);
        let turn = symmetry.color(query.position.turn());
        View {
            symmetry,
            probe: Probe::new(&scorer),
            positions: PositionFilter::new(&query.filter, symmetry, &board, turn),
            scorer,
            distinct: query.distinct,
            first: query.same_first.then(|| Planes::from(&board)),
        }
    }

    /// The least score of this view that can still matter.
    fn threshold(&self, answer: &Answer<'_>) -> f64 {
        self.scorer.score_at(answer.threshold()) * ROUNDING
    }

    /// The greatest score by which a board rules out others that score less.
    fn ceiling(&self) -> f64 {
        match self.first {
            Some(_) => self.scorer.score_at(1.0) * ROUNDING,
            None => f64::INFINITY,
        }
    }

    /// The similarity of a board with this score.
    fn similarity(&self, score: f64, board: &Planes) -> f64 {
        let similarity = self.scorer.similarity(score);
        match &self.first {
            Some(first) if first != board => similarity.min(ALMOST_SAME),
            _ => similarity,
        }
    }

    fn hit(
        &self,
        score: f64,
        board: &Planes,
        line: (GameNumber, Option<VariationNumber>),
        ply: Ply,
    ) -> Hit {
        let (game, variation) = line;
        Hit {
            score,
            similarity: self.similarity(score, board),
            symmetry: self.symmetry,
            game,
            variation,
            ply,
        }
    }
}

/// The games of a shard as a query sees them, or the variations in these games.
struct Room<'a> {
    shard: Shard<'a>,
    windows: Windows<'a>,
    /// The games themselves, which have the tags.
    main: Windows<'a>,
    games: GameFilter,
    /// What positions must be, and the windows that can have one.
    condition: Option<(Condition, Vec<u64>)>,
    variations: Option<Variations<'a>>,
}

impl<'a> Room<'a> {
    fn open(shard: Shard<'a>, query: &Query) -> Result<Vec<Room<'a>>, FormatError> {
        let windows = shard.segment.windows()?;
        let games = GameFilter::new(&query.filter, &windows, &shard);
        let mut rooms = Vec::new();
        if let Some(variations) = variations_of(&shard, query)? {
            rooms.push(Room {
                shard,
                windows: variations.windows,
                main: windows,
                games: games.of_variations(&query.filter, &variations),
                condition: None,
                variations: Some(variations),
            });
        }
        rooms.push(Room {
            shard,
            windows,
            main: windows,
            games,
            condition: None,
            variations: None,
        });
        if let Some(condition) = &query.condition {
            for room in &mut rooms {
                let mut windows = condition.0.windows(room.lines());
                let admitted = room.games.windows().into_iter().flatten();
                windows
                    .iter_mut()
                    .zip(admitted)
                    .for_each(|(it, admitted)| *it &= admitted);
                room.condition = Some((condition.clone(), windows));
            }
        }
        Ok(rooms)
    }

    /// How many games may answer; those that only variations can answer for are counted with the games.
    fn games(&self) -> usize {
        match self.variations {
            Some(_) => 0,
            None => self.games.count(self.main.len() as u64) as usize,
        }
    }

    fn lines(&self) -> Lines<'_> {
        Lines {
            windows: &self.windows,
            games: &self.main,
            variations: self.variations.as_ref(),
        }
    }

    /// The windows that may hold a hit; `None` for all.
    fn admitted(&self) -> Option<&[u64]> {
        let condition = self.condition.as_ref().map(|it| it.1.as_slice());
        condition.or(self.games.windows())
    }

    /// How many windows may hold a hit.
    fn size(&self) -> usize {
        match self.admitted() {
            None => self.windows.summary.windows as usize,
            Some(admitted) => admitted.iter().map(|it| it.count_ones() as usize).sum(),
        }
    }

    /// Whether the condition holds at a position.
    fn passes(&self, line: GameIndex, ply: Ply, answer: &Answer<'_>) -> bool {
        let Some((condition, _)) = &self.condition else {
            return true;
        };
        let passes = condition.0.passes(self.lines(), line, ply);
        passes.unwrap_or_else(|fault| {
            answer.fault.get_or_init(|| fault);
            false
        })
    }

    /// The line that a game or variation of the room is.
    fn line(&self, index: GameIndex) -> (GameNumber, Option<VariationNumber>) {
        let Some(variations) = &self.variations else {
            return (self.shard.number(index), None);
        };
        let (game, number) = variations.place(index);
        (self.shard.number(game), Some(number))
    }

    /// Scores all windows that can matter, but for those that are done.
    fn search(&self, view: &View, done: &[WindowId], answer: &Answer<'_>) {
        if answer.is_over() {
            return;
        }
        let bound = Bound::new(&view.scorer, view.threshold(answer));
        let survey = bound.survey(&self.windows, self.admitted());
        answer.work.summed(survey.windows());
        let mut found = Vec::new();
        survey.for_each(bound.least()..u32::MAX, |_, it| {
            if done.binary_search(&it.window).is_err() {
                found.push(it);
            }
        });
        drop(survey);
        found.sort_unstable_by(|one, two| two.bound.total_cmp(&one.bound));
        for candidate in found {
            if candidate.bound < view.threshold(answer) || answer.is_over() {
                return;
            }
            self.score(&candidate, view, answer);
        }
    }

    /// Offers the best position of a window.
    fn score(&self, candidate: &Candidate, view: &View, answer: &Answer<'_>) {
        let game = candidate.game;
        let record = self.windows.record(game);
        let beginning = match self.condition {
            // It may look at the rest of the game.
            Some(_) => None,
            None => Openings::beginning(&self.windows, &record, candidate.window),
        };
        let known = beginning.and_then(|it| answer.openings.get(view.symmetry, it));
        let best = known.unwrap_or_else(|| {
            let best = self.best(candidate, (game, &record), view, answer);
            if let Some(beginning) = beginning {
                answer.openings.put(view.symmetry, beginning, best);
            }
            best
        });
        if let Some((score, board)) = best {
            let hit = view.hit(score, &board.planes, self.line(game), board.ply);
            if hit.similarity >= answer.threshold() {
                let turn = board.ply.turn(self.windows.first_turn(&record));
                answer.offer(hit, view.distinct.rank(&hit, &board.planes, turn));
            }
        }
    }

    /// The best position of a window and its score; `None` if none can matter. Only positions that can
    /// are scored.
    fn best(
        &self,
        candidate: &Candidate,
        (game, record): (GameIndex, &GameRecord),
        view: &View,
        answer: &Answer<'_>,
    ) -> Scored {
        let limit = view.probe.limit(&candidate.present);
        let first = self.windows.first_turn(record);
        let mut threshold = view.threshold(answer);
        let View {
            probe,
            scorer,
            positions,
            ..
        } = view;
        let mut boards = [Board::default(); WINDOW];
        let mut count = 0;
        self.windows
            .for_each_position(record, candidate.window, |ply, length, &planes| {
                let most = probe.most(&limit, &planes, length);
                if most >= threshold && positions.admits(&planes, ply, ply.turn(first)) {
                    boards[count] = Board {
                        most,
                        ply,
                        length,
                        planes,
                    };
                    count += 1;
                }
            });
        // The best one often shows that no other is better.
        let boards = &mut boards[..count];
        boards.sort_unstable_by(|one, two| two.most.total_cmp(&one.most));
        let mut best: Option<((f64, f64), &Board)> = None;
        let mut scored = 0;
        for board in &*boards {
            if board.most < threshold {
                break;
            }
            scored += 1;
            let score = probe.score(scorer, &candidate.present, &board.planes, board.length);
            let value = (view.similarity(score, &board.planes), score);
            // Of equal positions the first one counts.
            let is_better =
                |it: ((f64, f64), &Board)| value > it.0 || value == it.0 && board.ply < it.1.ply;
            if score >= threshold
                && best.is_none_or(is_better)
                && self.passes(game, board.ply, answer)
            {
                threshold = threshold.max(score.min(view.ceiling()));
                best = Some((value, board));
            }
        }
        answer.work.scored(scored);
        best.map(|((_, score), board)| (score, *board))
    }
}

/// A board of a window that could matter.
#[derive(Clone, Copy, Debug, Default)]
struct Board {
    /// The most that it can score.
    most: f64,
    ply: Ply,
    length: u8,
    planes: Planes,
}

/// The variations of a shard, if a query asks for them.
fn variations_of<'a>(
    shard: &Shard<'a>,
    query: &Query,
) -> Result<Option<Variations<'a>>, FormatError> {
    match query.variations {
        true => shard.segment.variations(),
        false => Ok(None),
    }
}

/// The best hits so far, shared by all searching threads.
struct Answer<'a> {
    top: usize,
    cancel: &'a Cancel,
    best: Mutex<Best>,
    openings: Openings,
    work: Counters,
    /// Set when the condition took too long: the search then fails.
    fault: OnceLock<TooMuchWork>,
    /// The bits of the least similarity that can still matter. Similarities are
    /// positive, and the bits of positive numbers are ordered as the numbers are.
    threshold: AtomicU64,
}

impl<'a> Answer<'a> {
    fn new(room: Enough, cancel: &'a Cancel) -> Answer<'a> {
        Answer {
            top: room.groups,
            cancel,
            best: Mutex::new(Best::new(room)),
            openings: Openings::default(),
            work: Counters::default(),
            fault: OnceLock::new(),
            threshold: AtomicU64::new(0),
        }
    }

    /// Whether nobody waits for more.
    fn is_over(&self) -> bool {
        self.cancel.is_canceled() || self.fault.get().is_some()
    }

    fn threshold(&self) -> f64 {
        f64::from_bits(self.threshold.load(Ordering::Relaxed))
    }

    fn offer(&self, hit: Hit, rank: Rank) {
        // A thread that panicked while holding the lock left nothing half done.
        let mut best = self
            .best
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        best.offer(hit, rank);
        self.threshold
            .fetch_max(best.threshold().to_bits(), Ordering::Relaxed);
    }

    fn into_groups(self, enough: Enough) -> Option<Vec<Group>> {
        self.best
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .into_groups(enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        index::{Segment, SegmentBuilder, numbered},
        testing::{Dice, annotated_game, random_game, random_query, random_tags},
    };
    use proptest::prelude::*;
    use tabiya_chess::Game;

    /// Writes games as segments of the given sizes and opens them.
    fn segments(games: &[Game], sizes: &[usize], folder: &std::path::Path) -> Vec<Segment> {
        let mut rest = games;
        let mut segments = Vec::new();
        for (number, &size) in sizes.iter().enumerate() {
            let (here, later) = rest.split_at(size.min(rest.len()));
            rest = later;
            let mut builder = SegmentBuilder::new(6);
            here.iter().for_each(|it| builder.add(it));
            let path = folder.join(number.to_string());
            builder.write(&path).unwrap();
            segments.push(Segment::open(&path).unwrap());
        }
        segments
    }

    fn merged(mut groups: Vec<Group>, enough: Enough) -> Vec<Group> {
        groups.sort_by_key(|it| it.rank);
        groups.dedup_by(|next, group| {
            let is_same = next.rank == group.rank;
            if is_same {
                group.hits.append(&mut next.hits);
            }
            is_same
        });
        let mut games = 0;
        let ends = |(at, group): (usize, &Group)| {
            let is_met = enough.is_met(at, games);
            games += group.hits.len();
            is_met
        };
        let end = groups.iter().enumerate().position(ends);
        groups.truncate(end.unwrap_or(groups.len()));
        groups
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn pruning_never_changes_the_answer(seed: u64) {
            let mut dice = Dice::new(seed);
            let games: Vec<Game> = (0..40).map(|_| {
                let plies = dice.below(90);
                Game { tags: random_tags(&mut dice), ..annotated_game(&mut dice, plies) }
            }).collect();
            let folder = tempfile::tempdir().unwrap();
            let split = [dice.below(15), dice.below(15), 40];
            let segments = segments(&games, &split, folder.path());
            let statistics = Statistics::of(&segments).unwrap();
            let shards = numbered(&segments);
            for _ in 0..4 {
                let query = random_query(&mut dice, &games);
                let pruned = search_groups(&shards, &query, &statistics).unwrap();
                let exhaustive = exhaustive::search_groups(&shards, &query, &statistics).unwrap();
                prop_assert_eq!(&pruned, &exhaustive);
                // Any split of the shards gives the same, merged.
                let parts = shards.iter().map(|it| search_groups(&[*it], &query, &statistics).unwrap());
                let enough = query.distinct.enough(query.top);
                prop_assert_eq!(merged(parts.flatten().collect(), enough), pruned);
            }
        }
    }

    #[test]
    fn a_search_that_was_called_off_looks_at_nothing() {
        let mut dice = Dice::new(5);
        let games: Vec<Game> = (0..5).map(|_| random_game(&mut dice, 60)).collect();
        let folder = tempfile::tempdir().unwrap();
        let segments = segments(&games, &[5], folder.path());
        let statistics = Statistics::of(&segments).unwrap();
        let query = Query {
            top: usize::MAX,
            ..Query::new(Chess::default())
        };
        let ask = || search(&numbered(&segments), &query, &statistics).unwrap();
        assert_eq!(ask().len(), 5);
        query.cancel.cancel();
        assert!(ask().is_empty());
    }

    #[test]
    fn a_position_finds_itself_first() {
        let mut dice = Dice::new(7);
        let games: Vec<Game> = (0..30).map(|_| random_game(&mut dice, 60)).collect();
        let folder = tempfile::tempdir().unwrap();
        let segments = segments(&games, &[30], folder.path());
        let statistics = Statistics::of(&segments).unwrap();
        let position = games[11].positions().nth(40).unwrap();
        let hits = search(&numbered(&segments), &Query::new(position), &statistics).unwrap();
        assert_eq!(
            (hits[0].game, hits[0].ply, hits[0].symmetry),
            (GameNumber(12), Ply(40), Symmetry::None)
        );
        assert_eq!(hits[0].similarity, 1.0);
        assert_eq!(hits.len(), 10);
    }

    /// After 1.e4 the initial position is a shorter document and scores more.
    #[test]
    fn a_shorter_document_stays_behind_the_same_board() {
        let text = b"1. e4 e5 2. Nf3 Nc6 3. Bb5 *";
        let games = [tabiya_chess::pgn::read(text).game.unwrap()];
        let folder = tempfile::tempdir().unwrap();
        let mut builder = SegmentBuilder::new(0);
        games.iter().for_each(|it| builder.add(it));
        let path = folder.path().join("segment");
        builder.write(&path).unwrap();
        let segments = [Segment::open(&path).unwrap()];
        let statistics = Statistics::of(&segments).unwrap();
        let position = games[0].position(1).unwrap();
        let first = |same_first: bool| {
            let query = Query {
                same_first,
                ..Query::new(position.clone())
            };
            search(&numbered(&segments), &query, &statistics).unwrap()[0]
        };
        let by_formula = first(false);
        assert_eq!(by_formula.ply, Ply(0));
        assert!(by_formula.similarity > 1.0);
        let same = first(true);
        assert_eq!((same.ply, same.similarity), (Ply(1), 1.0));
    }
}
