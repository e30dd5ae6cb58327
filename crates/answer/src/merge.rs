//! Answers of several groups of shards, made into the one that a single machine
//! gives for all of them.
//!
//! Each group answers [for its part](crate::request::Search::for_a_part) with the
//! statistics of the whole collection, so scores can be compared to the last bit.
//! Everything else that is told over all hits (their ranks, the second ranking, what
//! was played) is made here, from what the hits themselves say.

use std::fmt;

use shakmaty::{Chess, Outcome, san::SanPlus};
use tabiya_chess::{Symmetry, Tags, game::parse_result, position};
use tabiya_retrieval::{
    Hit,
    played::{self, Reply},
    rerank::Seen,
};

use crate::{answer::reranked, json, query::Rerank, request::Cut};

/// Why answers cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// There are none.
    Nothing,
    /// They answer different questions.
    Queries(String, String),
    /// A hit was ordered anew by one who did not know them all.
    Reranked,
    /// A hit says something that no hit of ours says.
    Malformed {
        /// Which field.
        field: &'static str,
        /// What it says.
        value: String,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Nothing => f.write_str("there are no answers to merge; give at least one"),
            MergeError::Queries(one, other) => write!(
                f,
                "the answers are to different queries, \"{one}\" and \"{other}\"; \
                 merge those to one query"
            ),
            MergeError::Reranked => f.write_str(
                "an answer was ordered anew before it was merged; \
                 ask the parts without rerank, and give it when merging",
            ),
            MergeError::Malformed { field, value } => {
                write!(f, "no answer of ours has \"{value}\" as its {field}")
            }
        }
    }
}

impl std::error::Error for MergeError {}

fn malformed(field: &'static str, value: &str) -> MergeError {
    let value = value.to_owned();
    MergeError::Malformed { field, value }
}

/// Merges the answers that groups of shards gave for their parts, and cuts the whole.
///
/// # Errors
///
/// When they do not belong together, or are none of ours.
pub fn merge(
    answers: impl IntoIterator<Item = json::Answer>,
    cut: &Cut,
) -> Result<json::Answer, MergeError> {
    let mut whole = gather(answers)?;
    let query = read_back("fen", &whole.query.fen)?;
    let mut hits = std::mem::take(&mut whole.hits)
        .into_iter()
        .map(Told::new)
        .collect::<Result<Vec<Told>, MergeError>>()?;
    hits.sort_by(|one, two| one.numbers.rank(&two.numbers));
    hits.truncate(cut.depth());
    let hits = order_anew(&query, hits, cut);
    let replies = hits.iter().filter_map(|it| it.reply.as_ref());
    let moves = played::tally(&query, replies);
    whole.moves = moves.into_iter().map(json::Move::from).collect();
    let ranked = (1..).zip(hits);
    whole.hits = ranked.map(|(rank, it)| it.hit.ranked(rank)).collect();
    cut.apply(&mut whole.hits);
    Ok(whole)
}

/// All hits in one answer, unordered. It took as long as the slowest part.
fn gather(answers: impl IntoIterator<Item = json::Answer>) -> Result<json::Answer, MergeError> {
    let mut answers = answers.into_iter();
    let mut whole = answers.next().ok_or(MergeError::Nothing)?;
    for part in answers {
        if part.query.fen != whole.query.fen {
            return Err(MergeError::Queries(whole.query.fen, part.query.fen));
        }
        whole.collection.add(&part.collection);
        whole.took_ms = whole.took_ms.max(part.took_ms);
        whole.hits.extend(part.hits);
    }
    Ok(whole)
}

/// The hits by the second ranking, if one is asked for.
fn order_anew(query: &Chess, mut hits: Vec<Told>, cut: &Cut) -> Vec<Told> {
    let Some(method) = cut.rerank.map(Rerank::method) else {
        return hits;
    };
    let ranked = reranked(query, std::mem::take(&mut hits), method, cut.top);
    let told = ranked.into_iter().map(|(mut told, play)| {
        told.hit.rerank = Some(json::Play::new(&play));
        told
    });
    told.collect()
}

/// A hit as it was told, and what that says.
struct Told {
    hit: json::Hit,
    numbers: Hit,
    turned: Chess,
    reply: Option<Reply>,
}

impl Seen for Told {
    fn turned(&self) -> &Chess {
        &self.turned
    }

    fn similarity(&self) -> f64 {
        self.numbers.similarity
    }
}

impl Told {
    fn new(hit: json::Hit) -> Result<Told, MergeError> {
        if hit.rerank.is_some() {
            return Err(MergeError::Reranked);
        }
        let symmetry = Symmetry::from_name(&hit.symmetry);
        let numbers = Hit {
            score: hit.score,
            similarity: hit.similarity,
            symmetry: symmetry.ok_or_else(|| malformed("symmetry", &hit.symmetry))?,
            game: hit.game.id,
            ply: hit.ply,
        };
        Ok(Told {
            turned: read_back("turned_fen", &hit.turned_fen)?,
            reply: reply(&hit, &numbers)?,
            numbers,
            hit,
        })
    }
}

/// The move that followed, unless the game ends there or somebody passed.
fn reply(hit: &json::Hit, numbers: &Hit) -> Result<Option<Reply>, MergeError> {
    let (Some(san), Some(turned)) = (hit.next.first(), hit.turned_next.first()) else {
        return Ok(None);
    };
    if san == "--" {
        return Ok(None);
    }
    let position = read_back("fen", &hit.fen)?;
    let mv = san.parse::<SanPlus>().ok();
    let mv = mv.and_then(|it| it.san.to_move(&position).ok());
    let mv = mv.ok_or_else(|| malformed("next", san))?;
    let tags = tags(&hit.game);
    Ok(Some(Reply::new(mv, turned.clone(), numbers, &tags)))
}

/// Of a game's tags, those that the tally asks for.
fn tags(game: &json::Game) -> Tags {
    let elo = |elo: u16| Some(elo).filter(|&it| it > 0);
    Tags {
        white_elo: elo(game.white_elo),
        black_elo: elo(game.black_elo),
        result: Outcome::from_known(parse_result(&game.result)),
        ..Tags::default()
    }
}

fn read_back(field: &'static str, fen: &str) -> Result<Chess, MergeError> {
    position::read_back(fen).ok_or_else(|| malformed(field, fen))
}
