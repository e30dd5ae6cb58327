//! Twins: positions of the collection that equal a given one after mirroring, swapping colors,
//! or both. All have the same statistic, so they are neighbors in the table.

use std::collections::BTreeSet;

use shakmaty::{Chess, Position};
use tabiya_chess::{Symmetry, exact::Exact, record::Record};

use super::explore::{Explored, View, find};
use crate::{
    index::{FormatError, Shard, sound},
    played,
    search::Filter,
};

/// A twin and the moves played there.
#[derive(Clone, Debug)]
pub struct Twin {
    /// The symmetry between query and twin.
    pub symmetry: Symmetry,
    /// The position in the games.
    pub position: Chess,
    /// The moves played there, in the query's view.
    pub explored: Explored,
}

/// Finds the twins of a position, including itself, by symmetry.
///
/// Swapping colors preserves the rules, so castling and en passant rights must match. A mirror
/// does not preserve castling, so only the board and the side to move must match.
pub fn twins(
    shards: &[Shard<'_>],
    query: &Chess,
    filter: &Filter,
) -> Result<Vec<Twin>, FormatError> {
    let mut twins = Vec::new();
    let mut seen = BTreeSet::new();
    for symmetry in Symmetry::ALL {
        for exact in stored(shards, query, symmetry)? {
            // A symmetric board is its own twin; it is listed once.
            if !seen.insert(exact) {
                continue;
            }
            let Ok(position) = exact.position() else {
                continue;
            };
            let found = find(shards, &exact, filter)?;
            let view = View {
                query,
                occurred: &position,
                symmetry,
            };
            let explored = view.explored(&found);
            if explored.total.games() > 0 {
                twins.push(Twin {
                    symmetry,
                    position,
                    explored,
                });
            }
        }
    }
    Ok(twins)
}

/// The stored positions that a symmetry maps onto the query.
fn stored(
    shards: &[Shard<'_>],
    query: &Chess,
    symmetry: Symmetry,
) -> Result<BTreeSet<Exact>, FormatError> {
    let mut stored = BTreeSet::new();
    let Ok(record) = Record::of(&symmetry.board(query.board())) else {
        return Ok(stored);
    };
    let turn = symmetry.color(query.turn());
    let strict = played::turn(query, symmetry).and_then(|it| Exact::of(&it).ok());
    for shard in shards {
        let found = shard.segment.exact()?.find_board(&record, shard.segment);
        for (rights, _) in found.map_err(|it| shard.segment.damaged(it.to_string()))? {
            let exact = Exact { record, rights };
            if exact.rights.turn() == turn && (symmetry.mirrors() || strict == Some(exact)) {
                stored.insert(exact);
            }
        }
    }
    sound(shards).map(|()| stored)
}

#[cfg(test)]
mod tests {
    use tabiya_chess::position;

    use super::*;
    use crate::testing::collection_of;

    /// White wins with 2. Qh5; Black wins the same way a move later (after a
    /// lost move of White's the colors are exchanged).
    const GAMES: &str = r#"
[White "Anna"]
[Black "Boris"]
[Result "1-0"]

1. e4 e5 2. Qh5 1-0

[White "Clara"]
[Black "Dora"]
[Result "0-1"]

1. e3 e5 2. e4 Qh4 0-1
"#;

    #[track_caller]
    fn check(pgn: &str, fen: &str, expected: &[(Symmetry, &str, u32, u32)]) {
        let (_folder, collection) = collection_of(pgn);
        let query = position::parse(fen).unwrap();
        let found = twins(&collection.shards(), &query, &Filter::default()).unwrap();
        let summary: Vec<(Symmetry, &str, u32, u32)> = found
            .iter()
            .map(|it| {
                let total = it.explored.total;
                let san = it.explored.moves.first().map_or("", |it| it.san.as_str());
                (it.symmetry, san, total.white, total.black)
            })
            .collect();
        assert_eq!(summary, expected);
    }

    #[test]
    fn a_color_twin_is_turned_back() {
        check(
            GAMES,
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
            &[(Symmetry::None, "Qh5", 1, 0), (Symmetry::Swap, "Qh5", 1, 0)],
        );
    }

    #[test]
    fn a_mirror_twin_is_found_on_the_other_wing() {
        let pgn = r#"
[SetUp "1"]
[FEN "6k1/8/8/8/8/8/5P2/6K1 w - - 0 1"]
[Result "1-0"]

1. f4 Kf7 1-0

[SetUp "1"]
[FEN "1k6/2p5/8/8/8/8/8/1K6 b - - 0 1"]
[Result "0-1"]

1... c6 0-1
"#;
        check(
            pgn,
            "1k6/8/8/8/8/8/2P5/1K6 w - - 0 1",
            &[(Symmetry::Mirror, "c4", 1, 0), (Symmetry::Swap, "c3", 1, 0)],
        );
    }
}
