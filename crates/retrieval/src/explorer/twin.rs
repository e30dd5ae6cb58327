//! Twins: positions of the collection that equal a given one up to a
//! left-right mirror, a swap of colors, or both.
//!
//! The statistic is the same for all of them, so that they stand in one narrow
//! range of the table, each found by its board.

use std::collections::BTreeSet;

use shakmaty::{Chess, Position};
use tabiya_chess::{Symmetry, exact::Exact, record::Record};

use super::explore::{Explored, View, find};
use crate::{
    index::FormatError,
    played,
    search::{Filter, Shard},
};

/// A twin and what was played there.
#[derive(Clone, Debug)]
pub struct Twin {
    /// What turns the one into the other.
    pub symmetry: Symmetry,
    /// The position as it occurred.
    pub position: Chess,
    /// What was played there, in the query's view.
    pub explored: Explored,
}

/// Finds the twins of a position, itself among them, by symmetry.
///
/// Swapping colors keeps the rules, so there castling and en passant must be
/// the same. A mirror does not keep castling; there the board and the side to
/// move decide.
///
/// # Errors
///
/// When a segment is damaged.
pub fn twins(
    shards: &[Shard<'_>],
    query: &Chess,
    filter: &Filter,
) -> Result<Vec<Twin>, FormatError> {
    let mut twins = Vec::new();
    let mut seen = BTreeSet::new();
    for symmetry in Symmetry::ALL {
        for exact in stored(shards, query, symmetry)? {
            // A symmetric board is its own twin; it is told once.
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

/// The stored positions that a symmetry turns into the query.
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
        let found = shard.segment.exact()?.find_board(&record);
        for entry in found.map_err(|it| shard.segment.damaged(it.to_string()))? {
            let exact = Exact {
                record,
                rights: entry.rights(),
            };
            if exact.rights.turn() == turn && (symmetry.mirrors() || strict == Some(exact)) {
                stored.insert(exact);
            }
        }
    }
    Ok(stored)
}
