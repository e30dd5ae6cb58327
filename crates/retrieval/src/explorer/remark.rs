//! What annotators say of a position: their comments on it, and the moves that they give in
//! variations.

use std::{cmp::Reverse, collections::BTreeMap};

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position, san::SanPlus, uci::UciMove};
use tabiya_chess::{Annotations, CompactMove, Ply, Tags, exact::Exact};

use crate::{
    index::{
        FormatError, GameIndex, GameNumber, Games, Occurrence, Replay, Shard, TallySource,
        VariationNumber,
        exact::{DamagedTable, Table},
        sound,
    },
    search::{Filter, GameFilter},
};

/// What annotators say of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remarks {
    /// Comments, by game, variation and ply.
    pub comments: Vec<Comment>,
    /// The moves that variations continue with, the most frequent first.
    pub moves: Vec<Suggestion>,
}

/// A comment on a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comment {
    /// The game.
    pub game: GameNumber,
    /// The variation of the game, if the position is not of the game itself.
    pub variation: Option<VariationNumber>,
    /// The number of plies played before the position.
    pub ply: Ply,
    /// Players, event, result.
    pub tags: Tags,
    /// What the annotator says, without commands such as `[%clk 0:10:00]`.
    pub text: String,
}

/// A move in the annotators' variations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// The number of variations that continue with it.
    pub variations: u64,
}

impl Remarks {
    /// The greatest number of comments.
    pub const COMMENTS: usize = 8;

    /// Merges the parts of several groups of shards into the answer of one machine.
    pub fn merge(parts: impl IntoIterator<Item = Remarks>) -> Remarks {
        let mut whole = Remarks::default();
        for part in parts {
            whole.comments.extend(part.comments);
            for it in part.moves {
                match whole.moves.iter_mut().find(|known| known.uci == it.uci) {
                    Some(known) => known.variations += it.variations,
                    None => whole.moves.push(it),
                }
            }
        }
        let place = |it: &Comment| (it.game, it.variation, it.ply);
        whole.comments.sort_by_key(place);
        whole.comments.truncate(Remarks::COMMENTS);
        let rank = |it: &Suggestion| (Reverse(it.variations), it.uci.clone());
        whole.moves.sort_by_cached_key(rank);
        whole
    }
}

/// What annotators say of exactly this position in the games that a filter admits; with
/// `variations` also where it is reached in their variations.
pub fn remarks(
    shards: &[Shard<'_>],
    position: &Chess,
    filter: &Filter,
    variations: bool,
) -> Result<Remarks, FormatError> {
    let Ok(exact) = Exact::of(position) else {
        // More pieces than a game has: never stored.
        return Ok(Remarks::default());
    };
    let query = Query {
        position,
        exact,
        filter,
    };
    let parts = shards.iter().map(|shard| query.of_shard(shard, variations));
    let parts = parts.collect::<Result<Vec<_>, FormatError>>()?;
    sound(shards).map(|()| Remarks::merge(parts))
}

struct Query<'a> {
    position: &'a Chess,
    exact: Exact,
    filter: &'a Filter,
}

impl Query<'_> {
    fn of_shard(&self, shard: &Shard<'_>, variations: bool) -> Result<Remarks, FormatError> {
        let games = shard.segment.games()?;
        let mut remarks = Remarks::default();
        if !games.has_annotations() {
            return Ok(remarks);
        }
        let admitted = GameFilter::new(self.filter, &games, shard);
        let admits = |game: GameIndex, ply: Ply| {
            games.has(game) && admitted.admits(game) && self.filter.admits_ply(ply)
        };
        for visit in self.visits(shard, shard.segment.exact()?, shard.segment)? {
            if remarks.comments.len() == Remarks::COMMENTS {
                break;
            }
            if admits(visit.game, visit.ply) && games.words_of(visit.game) {
                let annotations = games.annotations(visit.game);
                let text = said(&annotations, visit.ply.into());
                let comment =
                    text.map(|it| comment(shard, &games, visit.game, None, visit.ply, it));
                remarks.comments.extend(comment);
            }
        }
        let Some(lines) = variations
            .then(|| shard.segment.variations())
            .transpose()?
            .flatten()
        else {
            return Ok(remarks);
        };
        let mut replies: BTreeMap<u16, u64> = BTreeMap::new();
        for visit in self.visits(shard, lines.exact, &lines)? {
            let (game, number) = lines.place(visit.game);
            if !admits(game, visit.ply) {
                continue;
            }
            if let Some(mv) = lines.windows.facts().move_at(visit) {
                *replies.entry(mv.to_bits()).or_default() += 1;
            }
            let whole = games.game(game);
            let text = number.of(&whole).and_then(|it| {
                let own = usize::from(visit.ply).checked_sub(it.ply)?;
                said(&it.branch.annotations, own)
            });
            let comment = text.map(|it| comment(shard, &games, game, Some(number), visit.ply, it));
            remarks.comments.extend(comment);
        }
        remarks.moves = replies
            .iter()
            .filter_map(|it| self.suggestion(it))
            .collect();
        Ok(Remarks::merge([remarks]))
    }

    /// Where the position occurs in a table, by line, then ply.
    fn visits(
        &self,
        shard: &Shard<'_>,
        table: Table<'_>,
        lines: &impl Replay,
    ) -> Result<Vec<Occurrence>, FormatError> {
        let damaged = |error: DamagedTable| shard.segment.damaged(error.to_string());
        match table.find(&self.exact, lines).map_err(damaged)? {
            Some(payload) => payload.occurrences().map_err(damaged),
            None => Ok(Vec::new()),
        }
    }

    fn suggestion(&self, (&mv, &variations): (&u16, &u64)) -> Option<Suggestion> {
        let mv = CompactMove::from_bits(mv).to_move(self.position.board())?;
        let mv = Some(mv).filter(|&it| self.position.is_legal(it))?;
        Some(Suggestion {
            uci: UciMove::from_standard(mv).to_string(),
            san: SanPlus::from_move(self.position.clone(), mv).to_string(),
            variations,
        })
    }
}

/// The comments after this many moves of a line, in words.
fn said(annotations: &Annotations, ply: usize) -> Option<String> {
    let comments: Vec<String> = annotations.words_at(ply).collect();
    (!comments.is_empty()).then(|| comments.join(" "))
}

fn comment(
    shard: &Shard<'_>,
    games: &Games<'_>,
    game: GameIndex,
    variation: Option<VariationNumber>,
    ply: Ply,
    text: String,
) -> Comment {
    Comment {
        game: shard.number(game),
        variation,
        ply,
        tags: games.tags(&games.record(game)),
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::collection_of;
    use tabiya_chess::Line;

    const GAMES: &str = r#"
[White "Anna"]
[Black "Boris"]

1. e4 e5 2. Nf3 {[%clk 0:10:00]} Nc6 {The main road.} 3. Bb5 (3. Bc4 {Italian.} Bc5 {Quiet.}) (3. d4
{Scotch.}) a6 *

[White "Clara"]
[Black "Dora"]

1. e4 e5 2. Nf3 Nc6 {Again.} 3. Bb5 (3. Bc4 Nf6 (3... Bc5 {Calm.})) *

[White "Emil"]
[Black "Franz"]

1. e4 c5 (1... e5 2. Nf3 Nc6 {By the way.} 3. Bc4) *
"#;

    fn said(moves: &str, filter: &Filter, variations: bool) -> (Vec<String>, Vec<(String, u64)>) {
        let (_folder, collection) = collection_of(GAMES);
        let line = Line::read(Chess::default(), moves).unwrap();
        let remarks = remarks(&collection.shards(), line.position(), filter, variations).unwrap();
        let comments = remarks.comments.into_iter().map(|it| it.text);
        let moves = remarks.moves.into_iter().map(|it| (it.san, it.variations));
        (comments.collect(), moves.collect())
    }

    #[test]
    fn comments_and_variations_are_found_where_the_position_is() {
        let knights = "1. e4 e5 2. Nf3 Nc6";
        let all = Filter::default();
        assert_eq!(
            said(knights, &all, false),
            (vec!["The main road.".into(), "Again.".into()], vec![])
        );
        let (comments, moves) = said(knights, &all, true);
        assert_eq!(comments, ["The main road.", "Again.", "By the way."]);
        assert_eq!(moves, [("Bc4".to_owned(), 3), ("d4".to_owned(), 1)]);
        let (comments, moves) = said("1. e4 e5 2. Nf3 Nc6 3. Bc4", &all, true);
        assert_eq!(comments, ["Italian."]);
        assert_eq!(moves, [("Bc5".to_owned(), 2), ("Nf6".to_owned(), 1)]);
        let clara = Filter {
            player: Some("clara".into()),
            ..Filter::default()
        };
        assert_eq!(said(knights, &clara, true).0, ["Again."]);
        // A clock is not a comment.
        assert!(said("1. e4 e5 2. Nf3", &all, true).0.is_empty());
    }
}
