//! The exhaustive twin: every position of every game, scored from its full
//! encoding. Slow, simple, and the measure of what is right.

use super::{
    Best, Enough, GameFilter, Group, Hit, Query, SearchError, Shard, Statistics, View,
    group::first_hits,
};
use crate::{
    index::{Planes, VariationNumber, sound},
    term::Encoding,
};
use tabiya_chess::{CompactMove, Ply};

/// Answers a query by scoring everything, straight from the formula: the first hit of each
/// group. For tests and benchmarks.
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

pub(super) fn search_groups(
    shards: &[Shard<'_>],
    query: &Query,
    statistics: &Statistics,
) -> Result<Vec<Group>, SearchError> {
    if query.top == 0 {
        return Ok(Vec::new());
    }
    let views = View::all(query, statistics);
    let mut best = Best::new(Enough::groups(usize::MAX));
    for shard in shards {
        let games = shard.segment.games()?;
        let admitted = GameFilter::new(&query.filter, &games, shard);
        for index in games.indices().filter(|&it| admitted.admits(it)) {
            let record = games.record(index);
            let first = games.first_turn(&record);
            let game = games.game(index);
            let mut look = |variation, moves: &[CompactMove], first_ply: Ply| {
                let condition = query.condition.as_ref();
                let passing = condition.map(|it| it.0.plies(&game, moves)).transpose()?;
                for (ply, board) in game.boards_along(moves).enumerate().skip(first_ply.into()) {
                    let ply = Ply::after(ply);
                    if passing.as_ref().is_some_and(|it| !it.contains(&ply)) {
                        continue;
                    }
                    let document = Encoding::of_document(&board);
                    let board = Planes::from(&board);
                    for view in views
                        .iter()
                        .filter(|it| it.positions.admits(&board, ply, ply.turn(first)))
                    {
                        let score = view.scorer.score(&document);
                        let hit = view.hit(score, &board, (shard.number(index), variation), ply);
                        best.offer(hit, view.distinct.rank(&hit, &board, ply.turn(first)));
                    }
                }
                Ok::<(), SearchError>(())
            };
            look(None, &game.moves, record.first_ply)?;
            if query.variations {
                let variations = game.annotations.variations(&game.moves);
                for (number, it) in (1..).map(VariationNumber).zip(variations) {
                    look(
                        Some(number),
                        &it.moves,
                        record.first_ply.max(Ply::after(it.ply + 1)),
                    )?;
                }
            }
        }
    }
    sound(shards)?;
    let groups = best.into_groups(query.distinct.enough(query.top));
    Ok(groups.unwrap_or_default())
}
