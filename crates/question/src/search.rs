//! Finds the positions most similar to a given one.

use clap::Args;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};
use tabiya_chess::{Ply, Symmetry};
use tabiya_engine::shallow;
use tabiya_retrieval::{
    Explainer, Hit as Found, Query, VariationNumber,
    played::{self, Found as Looked, Played, Reply},
    rerank,
    search::{Cancel, SideToMove},
};
use utoipa::ToSchema;

use crate::{
    AskError, Invalid, Question, Shards,
    parameter::{
        GameParameters, PositionFilterParameters, PositionParameters, RankingParameters, Rerank,
        SymmetryChoice,
    },
    shape::{Counts, Families, Fen, GameHeader, Reason, piece_names, reasons},
};

/// A search and its parameters.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Search {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Number of games to find
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// Number of hits to skip (for paging)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub after: usize,

    /// Number of hits to return; moves are still counted over all hits found [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Number of reasons per hit
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub reasons: usize,

    /// Symmetric positions to include [default: swap, or those of the run]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub symmetry: Option<SymmetryChoice>,

    /// Search positions in the annotators' variations too
    #[arg(long)]
    pub variations: bool,

    /// Re-rank the best 200 hits by how they play
    #[arg(long, value_enum, value_name = "METHOD")]
    pub rerank: Option<Rerank>,

    /// The ranking.
    #[command(flatten)]
    #[serde(flatten)]
    pub ranking: RankingParameters,

    /// The games to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub games: GameParameters,

    /// The positions to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub positions: PositionFilterParameters,
}

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
    /// The moves played in all hits found, in the query's view.
    pub moves: Vec<PlayedMove>,
}

/// The position asked about.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueryPosition)]
pub struct Asked {
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
}

/// The best position of a game.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Hit {
    /// The rank, counted from one.
    pub rank: usize,
    /// The score.
    pub score: f64,
    /// The score divided by the query's score for itself: 1 for the same position.
    pub similarity: f64,
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
    /// The game.
    pub game: GameHeader,
    /// The number of the variation in the game, if the position is not in the game itself.
    #[schema(value_type = Option<u32>)]
    pub variation: Option<VariationNumber>,
    /// What the annotator says of the position.
    pub comments: Vec<String>,
    /// The moves that followed.
    pub next: Vec<String>,
    /// The moves that followed, in the query's view.
    pub turned_next: Vec<String>,
    /// The shares of the score by family.
    pub families: Families,
    /// The reasons for the hit, strongest first.
    pub shared: Vec<Reason>,
    /// Pieces on their squares in the query only, such as `Nc3`.
    pub only_query: Vec<String>,
    /// Pieces on their squares in this position only, in the query's view.
    pub only_other: Vec<String>,
    /// The result of the re-ranking, if requested.
    pub rerank: Option<Play>,
}

/// A hit's result in the re-ranking.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
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
    /// Whether the move is legal in the query.
    pub legal: bool,
    /// The number of games that played it.
    pub games: u64,
    /// Games that White won.
    pub white: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that Black won.
    pub black: u64,
    /// The sum of the similarities.
    pub weight: f64,
    /// The mean rating of the rated players.
    pub average_elo: Option<u32>,
}

/// The best hits of a group of shards.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    collection: Counts,
    hits: Vec<HitPart>,
}

/// A hit, and the reply that the answer counts.
#[derive(Debug, Serialize, Deserialize)]
pub struct HitPart {
    hit: Hit,
    reply: Option<Reply>,
}

impl Question for Search {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Find the positions most similar to a given one";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[
        ("top", 0.0, 1000.0),
        ("after", 0.0, 1000.0),
        ("limit", 0.0, 1000.0),
        ("reasons", 0.0, 200.0),
        ("k1", 0.0, 1000.0),
        ("b", 0.0, 1.0),
    ];

    type Part = Part;
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn settle(&mut self) -> Result<(), Invalid> {
        self.position.settle()?;
        self.ranking.settle()?;
        let run = self.ranking.run();
        self.symmetry.get_or_insert_default();
        if run.same_side() {
            self.positions.side_to_move.get_or_insert(SideToMove::Same);
        }
        Ok(())
    }

    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Part, AskError> {
        let query = self.query(cancel);
        let explainer = Explainer::new(query.position.board(), &query.ranking, shards.statistics());
        let look_up = |hit: Found| -> Result<Option<HitPart>, AskError> {
            let game = shards.game(hit.game)?;
            let looked = game.and_then(|game| Looked::new(hit, game));
            Ok(looked.map(|it| HitPart::new(it, &explainer, self.reasons)))
        };
        let found = shards.search(&query)?.into_par_iter().map(look_up);
        let hits = found.collect::<Result<Vec<_>, AskError>>()?;
        Ok(Part {
            collection: Counts::of(shards),
            hits: hits.into_iter().flatten().collect(),
        })
    }

    fn merge(&self, parts: Vec<Part>, cancel: &Cancel) -> Result<Answer, AskError> {
        let query = self.position.position();
        let collection = parts.iter().map(|it| it.collection).sum();
        let mut hits: Vec<HitPart> = parts.into_iter().flat_map(|it| it.hits).collect();
        hits.sort_by(|one, two| one.numbers().rank(&two.numbers()));
        hits.truncate(self.depth());
        let hits = self.reranked(query, hits, cancel);
        let moves = played::tally(query, hits.iter().filter_map(|it| it.reply.as_ref()));
        let ranked = (1..).zip(hits).map(|(rank, it)| Hit { rank, ..it.hit });
        let limit = self.limit.unwrap_or(usize::MAX);
        Ok(Answer {
            query: Asked {
                fen: Fen(query.clone()),
            },
            collection,
            hits: ranked.skip(self.after).take(limit).collect(),
            moves: moves.into_iter().map(PlayedMove::from).collect(),
        })
    }
}

impl Search {
    /// The query before re-ranking.
    pub fn query(&self, cancel: &Cancel) -> Query {
        let position = self.position.position().clone();
        Query {
            top: self.depth(),
            symmetries: self.symmetry.unwrap_or_default().symmetries(),
            ranking: self.ranking.ranking(),
            filter: self.positions.narrow(self.games.filter()),
            variations: self.variations,
            cancel: cancel.clone(),
            ..Query::new(position)
        }
    }

    /// The number of hits to retrieve before re-ranking.
    fn depth(&self) -> usize {
        match self.rerank {
            Some(_) => self.top.max(rerank::DEPTH),
            None => self.top,
        }
    }

    /// Re-ranks the hits, if requested.
    fn reranked(&self, query: &Chess, hits: Vec<HitPart>, cancel: &Cancel) -> Vec<HitPart> {
        let Some(method) = self.rerank.map(Rerank::method) else {
            return hits;
        };
        let lines = |it: &[Chess]| shallow::lines(it, shallow::NODES, || !cancel.is_canceled());
        let mut ranked = rerank::rerank(query, hits, method, &lines, cancel);
        ranked.truncate(self.top);
        let with_play = |(mut it, play): (HitPart, rerank::Play)| {
            it.hit.rerank = Some(Play::new(&play));
            it
        };
        ranked.into_iter().map(with_play).collect()
    }
}

impl HitPart {
    fn new(found: Looked, explainer: &Explainer, count: usize) -> HitPart {
        let why = explainer.explain(found.position.board(), found.hit.symmetry);
        let hit = Hit {
            rank: 0,
            score: found.hit.score,
            similarity: found.hit.similarity,
            symmetry: found.hit.symmetry,
            fen: Fen(found.position),
            turned_fen: Fen(found.turned),
            ply: found.hit.ply,
            game: GameHeader::new(found.hit.game, &found.game.tags),
            variation: found.hit.variation,
            comments: found.comments,
            next: found.next,
            turned_next: found.turned_next,
            families: Families::new(&why.families),
            shared: reasons(&why, count),
            only_query: piece_names(&why.only_query),
            only_other: piece_names(&why.only_other),
            rerank: None,
        };
        HitPart {
            hit,
            reply: found.reply,
        }
    }

    fn numbers(&self) -> Found {
        Found {
            score: self.hit.score,
            similarity: self.hit.similarity,
            symmetry: self.hit.symmetry,
            game: self.hit.game.id,
            variation: self.hit.variation,
            ply: self.hit.ply,
        }
    }
}

impl rerank::Seen for HitPart {
    fn turned(&self) -> &Chess {
        &self.hit.turned_fen.0
    }

    fn similarity(&self) -> f64 {
        self.hit.similarity
    }
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
        PlayedMove {
            uci: played.uci,
            san: played.san,
            legal: played.legal,
            games: played.games,
            white: played.white,
            draws: played.draws,
            black: played.black,
            weight: played.weight,
            average_elo: played.average_elo.map(|it| it.round() as u32),
        }
    }
}
