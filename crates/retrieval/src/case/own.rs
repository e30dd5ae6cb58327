//! What the engine itself has lost: games that speak against their moves.

use shakmaty::{Chess, Color, Move, Outcome, Position};
use tabiya_chess::exact::Exact;

use crate::{
    index::{
        FormatError, GameIndex, Games, Occurrence, Shard, Source, TallySource, exact::DamagedTable,
        last_in_each_game, sound,
    },
    search::{Filter, GameFilter},
};

/// Whether any game of a shard is the engine's own. Looks at every game, so
/// this is asked once and remembered.
pub fn has_own_games(shard: &Shard<'_>) -> Result<bool, FormatError> {
    let games = shard.segment.games()?;
    let mut records = games.indices().map(|it| games.record(it));
    let has_own = records.any(|it| it.source() == Source::Own);
    shard.segment.sound().map(|()| has_own)
}

/// How often each move was played in exactly this position in a game of the
/// engine's own that its side then lost. As in the explorer, a game that comes
/// back to the position counts once, with the move it played there in the end.
pub fn own_losses(
    shards: &[Shard<'_>],
    position: &Chess,
    filter: &Filter,
) -> Result<Vec<(Move, u32)>, FormatError> {
    let mut losses: Vec<(Move, u32)> = Vec::new();
    let Ok(exact) = Exact::of(position) else {
        // More pieces than a game has: never stored.
        return Ok(losses);
    };
    for shard in shards {
        let games = shard.segment.games()?;
        let admitted = GameFilter::new(filter, &games, shard);
        for visit in last_in_each_game(&visits(shard, &exact)?) {
            let counts = games.has(visit.game)
                && admitted.admits(visit.game)
                && is_own_loss(&games, visit.game, position.turn());
            let mv = games.facts().move_at(visit).filter(|_| counts);
            let Some(mv) = mv.and_then(|it| it.to_move(position.board())) else {
                continue;
            };
            match losses.iter_mut().find(|it| it.0 == mv) {
                Some((_, times)) => *times += 1,
                None => losses.push((mv, 1)),
            }
        }
    }
    sound(shards).map(|()| losses)
}

/// Where a shard's games had the position, by game, then ply.
fn visits(shard: &Shard<'_>, exact: &Exact) -> Result<Vec<Occurrence>, FormatError> {
    let damaged = |error: DamagedTable| shard.segment.damaged(error.to_string());
    let found = shard.segment.exact()?.find(exact, shard.segment);
    match found.map_err(damaged)? {
        Some(payload) => payload.occurrences().map_err(damaged),
        None => Ok(Vec::new()),
    }
}

fn is_own_loss(games: &Games<'_>, game: GameIndex, mover: Color) -> bool {
    let record = games.record(game);
    let winner = match record.result() {
        Outcome::Known(known) => known.winner(),
        Outcome::Unknown => None,
    };
    record.source() == Source::Own && winner == Some(!mover)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{index::GameNumber, testing::collection_of};

    #[test]
    fn only_own_games_that_the_mover_lost_are_counted() {
        let text = "[White \"A\"][Result \"0-1\"][Source \"self\"]\n\n1. e4 e5 0-1\n\n\
            [White \"B\"][Result \"0-1\"][Source \"self\"]\n\n1. e4 c5 0-1\n\n\
            [White \"C\"][Result \"0-1\"][Source \"self\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. d4 0-1\n\n\
            [White \"D\"][Result \"1-0\"][Source \"self\"]\n\n1. e4 e6 1-0\n\n\
            [White \"E\"][Result \"*\"][Source \"self\"]\n\n1. e4 d5 *\n\n\
            [White \"F\"][Result \"0-1\"]\n\n1. c4 e5 0-1\n";
        let (_folder, collection) = collection_of(text);
        let shards = collection.shards();
        assert!(has_own_games(&shards[0]).unwrap());
        let start = Chess::default();
        let losses = |filter: &Filter| -> BTreeSet<(String, u32)> {
            let losses = own_losses(&shards, &start, filter).unwrap();
            losses
                .iter()
                .map(|(mv, times)| (mv.to().to_string(), *times))
                .collect()
        };
        let of = |pairs: &[(&str, u32)]| pairs.iter().map(|it| (it.0.to_owned(), it.1)).collect();
        assert_eq!(losses(&Filter::default()), of(&[("e4", 2), ("d4", 1)]));
        let without_the_first = Filter {
            exclude: [GameNumber(1)].into(),
            ..Filter::default()
        };
        assert_eq!(losses(&without_the_first), of(&[("e4", 1), ("d4", 1)]));
        // The other side of the same games has won them.
        let after = start.legal_moves().into_iter();
        let after = after.filter(|it| it.to() == shakmaty::Square::E4);
        for mv in after {
            let reply = start.clone().play(mv).unwrap();
            let losses = own_losses(&shards, &reply, &Filter::default()).unwrap();
            assert_eq!(losses.len(), 1, "1. e4 e6, which Black has lost");
        }
        let (_folder, others) = collection_of("1. e4 e5 *\n");
        assert!(!has_own_games(&others.shards()[0]).unwrap());
    }
}
