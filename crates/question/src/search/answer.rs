//! The answer of a search.

use serde::Serialize;
use shakmaty::{Chess, Position, uci::UciMove};
use tabiya_chess::{Ply, Symmetry};
use tabiya_retrieval::{
    Explainer, GameNumber, VariationNumber, likeness, played,
    reached::{Played, Reply},
    rerank,
};
use utoipa::ToSchema;

use super::part::Ranked;
use crate::shape::{
    Contributions, Counts, Families, Fen, GameHeader, Reason, SharedWord, piece_names, reasons, san,
};

/// The hits of a search and the moves played in them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SearchAnswer)]
pub struct Answer {
    /// The position asked about.
    pub query: Asked,
    /// The size of the collection.
    pub collection: Counts,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The moves played in all hits found, in the query's view; only those that make sense in the
    /// query's position.
    pub moves: Vec<PlayedMove>,
    /// The number of games that played these moves.
    pub move_games: u64,
    /// The number of games of all hits found.
    pub game_count: u64,
}

/// The position asked about.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueryPosition)]
pub struct Asked {
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
}

/// A position that games reached, the most similar one of each of them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Hit {
    /// The rank, counted from one.
    pub rank: usize,
    /// How similar the position is, from 0 to 1. It orders the hits.
    pub similarity: f64,
    /// The score of the first ranking.
    pub score: f64,
    /// The rank in the first ranking.
    pub first_rank: usize,
    /// The score of the first ranking divided by the query's score for itself.
    pub first_similarity: f64,
    /// The symmetry that maps the query onto this position: none, swap, mirror or both.
    #[schema(value_type = String)]
    pub symmetry: Symmetry,
    /// The position in the game.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The position in the query's view.
    #[schema(value_type = String)]
    pub turned_fen: Fen,
    /// The number of plies played before it.
    #[schema(value_type = usize)]
    pub ply: Ply,
    /// The game: of several, the first in the order asked for.
    pub game: GameHeader,
    /// The number of games whose most similar position this is.
    pub game_count: u64,
    /// The numbers of these games, at most a hundred, in the order asked for.
    #[schema(value_type = Vec<u64>)]
    pub games: Vec<GameNumber>,
    /// Games that White won, in the query's view.
    pub white: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that Black won, in the query's view.
    pub black: u32,
    /// The moves played in these games, in the query's view, the most frequent first.
    pub moves: Vec<HitMove>,
    /// The number of the variation in the game, if the position is not in the game itself.
    #[schema(value_type = Option<u32>)]
    pub variation: Option<VariationNumber>,
    /// What the annotator says of the position.
    pub comments: Vec<String>,
    /// The moves that followed.
    pub next: Vec<String>,
    /// The moves that followed, in the query's view.
    pub turned_next: Vec<String>,
    /// What makes the positions alike or different, by group; `null` if another ranking orders
    /// the hits.
    pub contributions: Option<Contributions>,
    /// What a player would say of both positions, the most important first.
    pub both: Vec<SharedWord>,
    /// The named pawn structures of the position in the query's view, such as `carlsbad`.
    pub structures: Vec<String>,
    /// The shares of the first ranking's score by family.
    pub families: Families,
    /// The terms that both positions share, the most telling first.
    pub shared: Vec<Reason>,
    /// Pieces on their squares in the query only, such as `Nc3`.
    pub only_query: Vec<String>,
    /// Pieces on their squares in this position only, in the query's view.
    pub only_other: Vec<String>,
    /// The result of a re-ranking by play, if requested.
    pub rerank: Option<Play>,
}

/// A move that was played in a hit, and its results, in the query's view.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HitMove {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN, in the position turned to the query's view.
    pub san: String,
    /// The number of games that played it.
    pub games: u32,
    /// Games that White won.
    pub white: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that Black won.
    pub black: u32,
}

/// A hit's result in a re-ranking by play.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Reranked)]
pub struct Play {
    /// How similarly the two positions play.
    pub similarity: f64,
    /// The score that orders the hits.
    pub score: f64,
    /// The rank before re-ranking.
    pub first_rank: usize,
    /// A remark if the two rankings differ most.
    pub flag: Option<String>,
}

/// A move that was played in similar positions; results are in the query's view.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlayedMove {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// The number of games that played it.
    pub games: u64,
    /// Games that White won.
    pub white: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that Black won.
    pub black: u64,
    /// The sum of the games' similarities.
    pub weight: f64,
    /// The mean rating of the rated players.
    pub average_elo: Option<u32>,
}

impl Hit {
    /// What a reader sees of a hit; without an explainer only its numbers.
    pub(super) fn new(
        rank: usize,
        ranked: &Ranked,
        query: &Chess,
        explainer: Option<&Explainer>,
        reasons_wanted: usize,
    ) -> Hit {
        let candidate = &ranked.candidate;
        let (shown, reached) = (&candidate.shown, &candidate.reached);
        let (position, turned) = (&shown.position.0, &shown.turned.0);
        let why = explainer.map(|it| it.explain(position.board(), shown.symmetry));
        let why = why.as_ref();
        let next = match explainer {
            Some(_) => shown.next.as_slice(),
            None => &shown.next[..shown.next.len().min(1)],
        };
        let both = explainer.map(|_| likeness::said_of_both(query, turned));
        let both = both.unwrap_or_default();
        let word = |it: &likeness::Word| SharedWord::new(it, query.board(), turned.board());
        let of_judge = shown.likeness.as_ref();
        Hit {
            rank,
            similarity: ranked.similarity().clamp(0.0, 1.0),
            score: candidate.rank.score,
            first_rank: ranked.first_rank,
            first_similarity: candidate.rank.similarity,
            symmetry: shown.symmetry,
            fen: shown.position.clone(),
            turned_fen: shown.turned.clone(),
            ply: shown.ply,
            game: shown.game.clone(),
            game_count: reached.games,
            games: reached.first.iter().map(|it| it.game).collect(),
            white: reached.total.white,
            draws: reached.total.draws,
            black: reached.total.black,
            moves: explainer.map_or_else(Vec::new, |_| moves(turned, &reached.replies)),
            variation: shown.variation,
            comments: shown.comments.clone(),
            next: played::line(position, next, Symmetry::None),
            turned_next: played::line(position, next, shown.symmetry),
            contributions: of_judge.map(|it| Contributions::new(&it.groups)),
            both: both.iter().take(WORDS).map(word).collect(),
            structures: explainer.map_or_else(Vec::new, |_| candidate.structures()),
            families: Families::of(why),
            shared: why.map_or_else(Vec::new, |it| reasons(it, reasons_wanted)),
            only_query: why.map_or_else(Vec::new, |it| piece_names(&it.only_query)),
            only_other: why.map_or_else(Vec::new, |it| piece_names(&it.only_other)),
            rerank: ranked.play.as_ref().map(Play::new),
        }
    }
}

/// The number of words about both positions.
const WORDS: usize = 8;

/// The moves of a hit that are legal in its turned position: a mirrored castling is not.
fn moves(turned: &Chess, replies: &[Reply]) -> Vec<HitMove> {
    let legal = |it: &Reply| {
        let mv = it.uci.parse::<UciMove>().ok()?.to_move(turned).ok()?;
        Some(HitMove {
            uci: it.uci.clone(),
            san: san(turned, mv),
            games: it.count.games(),
            white: it.count.white,
            draws: it.count.draws,
            black: it.count.black,
        })
    };
    replies.iter().filter_map(legal).collect()
}

impl Play {
    fn new(play: &rerank::Play) -> Play {
        Play {
            similarity: play.similarity,
            score: play.score,
            first_rank: play.first_rank,
            flag: play.flag.map(|it| it.words().to_owned()),
        }
    }
}

impl From<Played> for PlayedMove {
    fn from(played: Played) -> PlayedMove {
        let count = &played.count;
        PlayedMove {
            uci: played.uci,
            san: played.san,
            games: count.games().into(),
            white: count.white.into(),
            draws: count.draws.into(),
            black: count.black.into(),
            weight: played.weight,
            average_elo: count.mean_rating().map(|it| it as u32),
        }
    }
}
