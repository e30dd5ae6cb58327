//! Pairs of a query and a candidate with their features and grade: what the second stage
//! learns from.
//!
//! Three tasks give grades without people: puzzles by shared motifs (0 to 4), disturbed
//! positions by the game they came from (0 or 4), positions of games by the move that was
//! played next (0 or 2). The candidates are those of the first stage.

use rayon::prelude::*;
use shakmaty::{Chess, Position};
use tabiya_gametree::{Dice, mix};
use tabiya_question::search::courses;
use tabiya_retrieval::{
    Collection, GameNumber, Run,
    likeness::{Features, Judge, LINE_FEATURES},
    played::turn,
    search::{Cancel, SearchError},
};

use crate::{
    candidate::candidates,
    draw::Draw,
    known_item::{Disturbance, Item},
    motif::Benchmark,
    next_move::Case,
    position_index::{PositionIndex, PositionQuery},
    run_variant::past_openings,
};

/// From where a query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Puzzles of the same motif.
    Motif,
    /// A disturbed position.
    Known,
    /// The next move of a game.
    Next,
}

/// A query with its candidates.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) task: Task,
    /// The best sum of discounted gains at ten, where the task has one.
    pub(crate) ideal: f64,
    pub(crate) pairs: Vec<Pair>,
}

/// A candidate of a query.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) grade: u8,
    /// Its place in the first ranking; 0 if it was drawn from beyond the best.
    pub(crate) rank: u16,
    /// The similarity by the first ranking.
    pub(crate) first: f64,
    /// Names the move that followed, 0 if there is none or it is illegal here.
    pub(crate) reply: u32,
    pub(crate) features: Features,
    /// The features of the two best lines, if asked for.
    pub(crate) lines: Option<[f32; LINE_FEATURES]>,
}

/// How many candidates of the first ranking a group has.
pub(crate) const DEPTH: usize = 300;

/// How many relevant and how many other documents are drawn from beyond the best.
const BEYOND: usize = 20;

/// Puts the features of the best lines into pairs of a query and these positions.
fn add_lines(query: &Chess, turned: &[Chess], pairs: &mut [Pair]) {
    let all: Vec<&Chess> = std::iter::once(query).chain(turned).collect();
    let courses = courses(&all, &Cancel::default());
    for (pair, course) in pairs.iter_mut().zip(&courses[1..]) {
        pair.lines = Some(courses[0].features(course));
    }
}

/// The groups of a motif benchmark.
pub(crate) fn of_motifs(benchmark: &Benchmark, deep: bool, done: impl Fn() + Sync) -> Vec<Group> {
    let index = PositionIndex::new(&benchmark.positions());
    let group = |&(query, _): &(usize, usize)| {
        let position = &benchmark.puzzles[query].position;
        let run = Run::Tabiya;
        let seen = index.views(&PositionQuery {
            position,
            ranking: &run.ranking(),
            symmetries: run.symmetries(),
            same_side: run.same_side(),
        });
        let judge = Judge::new(position, index.statistics());
        let pair = |(rank, document): (usize, usize)| {
            let (first, symmetry) = seen[document];
            let turned = turn(&benchmark.puzzles[document].position, symmetry)?;
            let pair = Pair {
                grade: benchmark.grade(query, document) as u8,
                rank: rank as u16,
                first,
                reply: 0,
                features: judge.features(&turned),
                lines: None,
            };
            Some((turned, pair))
        };
        let scores: Vec<f64> = seen.iter().map(|it| it.0).collect();
        let order = benchmark.ranking(&scores, query);
        let (best, rest) = order.split_at(DEPTH.min(order.len()));
        let mut dice = Dice::new(query as u64);
        let relevant: Vec<usize> = rest
            .iter()
            .copied()
            .filter(|&it| benchmark.grade(query, it) > 1)
            .collect();
        let mut beyond = dice.sample(&relevant, BEYOND);
        beyond.extend(dice.sample(rest, BEYOND));
        beyond.sort_unstable();
        beyond.dedup();
        let best = (1..).zip(best.iter().copied());
        let pairs = best
            .chain(beyond.into_iter().map(|it| (0, it)))
            .filter_map(pair);
        let (turned, mut pairs): (Vec<Chess>, Vec<Pair>) = pairs.unzip();
        if deep {
            add_lines(position, &turned, &mut pairs);
        }
        done();
        Group {
            task: Task::Motif,
            ideal: benchmark.ideal(query),
            pairs,
        }
    };
    benchmark.queries.par_iter().map(group).collect()
}

/// The groups of disturbed items, each disturbed in one way in turn.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn of_items(
    collection: &Collection,
    items: &[Item],
    seed: u64,
    deep: bool,
    done: impl Fn() + Sync,
) -> Result<Vec<Group>, SearchError> {
    let ways = [
        Disturbance::Shifts(2),
        Disturbance::Shifts(4),
        Disturbance::Shifts(6),
        Disturbance::Shifts(4),
        Disturbance::PawnRemoved,
        Disturbance::Tempo,
    ];
    let group = |(at, item): (usize, &Item)| {
        let mut dice = Dice::new(seed ^ (at as u64) << 20);
        let position = ways[at % ways.len()].apply(&item.position, &mut dice);
        done();
        let Some(position) = position else {
            return Ok(None);
        };
        let grade = |game: GameNumber, _: u32| 4 * u8::from(game == item.game);
        of_collection(collection, &position, Task::Known, deep, grade).map(Some)
    };
    let groups = items.par_iter().enumerate().map(group);
    let groups = groups.collect::<Result<Vec<_>, SearchError>>()?;
    Ok(groups.into_iter().flatten().collect())
}

/// The groups of cases.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn of_cases(
    collection: &Collection,
    cases: &[Case],
    deep: bool,
    done: impl Fn() + Sync,
) -> Result<Vec<Group>, SearchError> {
    let group = |case: &Case| {
        done();
        let truth = name(&case.uci);
        let grade = |_: GameNumber, reply: u32| 2 * u8::from(reply == truth);
        of_collection(collection, &case.position, Task::Next, deep, grade)
    };
    cases.par_iter().map(group).collect()
}

fn of_collection(
    collection: &Collection,
    position: &Chess,
    task: Task,
    deep: bool,
    grade: impl Fn(GameNumber, u32) -> u8,
) -> Result<Group, SearchError> {
    let query = past_openings(Run::Tabiya.query(position.clone(), DEPTH));
    let judge = Judge::new(position, collection.statistics());
    let legal: Vec<u32> = legal_names(position);
    let (mut turned, mut pairs) = (Vec::new(), Vec::new());
    for (rank, it) in (1..).zip(candidates(collection, &query)?) {
        let reply = it.reached.replies.first().map_or(0, |it| name(&it.uci));
        let reply = if legal.contains(&reply) { reply } else { 0 };
        pairs.push(Pair {
            grade: grade(it.game, reply),
            rank,
            first: it.similarity,
            reply,
            features: judge.features(&it.turned),
            lines: None,
        });
        turned.push(it.turned);
    }
    if deep {
        add_lines(position, &turned, &mut pairs);
    }
    Ok(Group {
        task,
        ideal: 0.0,
        pairs,
    })
}

/// A number that stands for a move, never 0.
fn name(uci: &str) -> u32 {
    let digest = uci
        .bytes()
        .fold(0, |sum, it| mix(sum ^ u64::from(it)).wrapping_add(1));
    digest as u32 | 1
}

fn legal_names(position: &Chess) -> Vec<u32> {
    let uci = |mv| shakmaty::uci::UciMove::from_standard(mv).to_string();
    position
        .legal_moves()
        .into_iter()
        .map(|it| name(&uci(it)))
        .collect()
}
