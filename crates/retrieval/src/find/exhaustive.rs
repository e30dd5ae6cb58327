//! The exhaustive twin: every position of every game. Slow, simple, and the measure of what is right.

use tabiya_chess::{CompactMove, Game, Ply};
use tabiya_pattern::{Evaluator, Played, Scoresheet};

use super::{FindQuery, Match};
use crate::{
    index::{Planes, TallySource, VariationNumber, sound},
    search::{GameFilter, PositionFilter, SearchError, Shard},
};

/// Finds all positions that match a pattern by looking at everything. For tests and benchmarks.
///
/// # Errors
///
/// When a segment is damaged, or the query takes too long.
pub fn find(shards: &[Shard<'_>], query: &FindQuery<'_>) -> Result<Vec<Match>, SearchError> {
    let positions = query.positions();
    let mut evaluator = Evaluator::new(query.pattern.program());
    let mut matches = Vec::new();
    for shard in shards {
        let games = shard.segment.games()?;
        let admitted = GameFilter::new(&query.filter, &games, shard);
        for index in games.indices().filter(|&it| admitted.admits(it)) {
            let game = games.game(index);
            let number = shard.number(index);
            let mut look =
                |variation, moves: &[CompactMove], first: Ply| -> Result<(), SearchError> {
                    let found = look_at(&mut evaluator, &game, moves, &positions)?;
                    let plies: Vec<Ply> =
                        found.plies.into_iter().filter(|&it| it >= first).collect();
                    if !plies.is_empty() {
                        let comments = found.comments.into_iter();
                        matches.push(Match {
                            game: number,
                            variation,
                            facts: games.facts().facts(index).unwrap_or_default(),
                            likeness: None,
                            comments: comments.filter(|it| plies.contains(&it.0)).collect(),
                            plies,
                            sorts: found.sorts,
                        });
                    }
                    Ok(())
                };
            look(None, &game.moves, Ply::FIRST)?;
            if query.variations {
                let variations = game.annotations.variations(&game.moves);
                for (number, it) in (1..).map(VariationNumber).zip(variations) {
                    // Variations count where they are indexed.
                    let first = games.record(index).first_ply.max(Ply::after(it.ply + 1));
                    look(Some(number), &it.moves, first)?;
                }
            }
        }
    }
    sound(shards)?;
    Ok(matches)
}

struct Looked {
    plies: Vec<Ply>,
    sorts: Vec<Option<i64>>,
    comments: Vec<(Ply, String)>,
}

fn look_at(
    evaluator: &mut Evaluator<'_>,
    game: &Game,
    moves: &[CompactMove],
    positions: &PositionFilter,
) -> Result<Looked, SearchError> {
    let sheet = Played::along(game, moves);
    let found = evaluator.matches(&sheet)?;
    let boards: Vec<_> = game.boards_along(moves).collect();
    let first = sheet.first_turn();
    let admits = |&ply: &Ply| {
        positions.admits(
            &Planes::from(&boards[usize::from(ply)]),
            ply,
            ply.turn(first),
        )
    };
    let comments = found.comments.into_iter();
    Ok(Looked {
        plies: found
            .plies
            .into_iter()
            .map(Ply::after)
            .filter(admits)
            .collect(),
        sorts: found.sorts,
        comments: comments
            .map(|(ply, text)| (Ply::after(ply), text))
            .collect(),
    })
}
