//! Explains why two positions are similar and how they differ.

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};
use tabiya_chess::Symmetry;
use tabiya_retrieval::{
    Explainer, Explanation,
    likeness::{self, Judge, Likeness, Word},
    played,
    search::Cancel,
};
use utoipa::ToSchema;

use crate::{
    AskError, Invalid, Question, Scope, Shards,
    parameter::{PairParameters, RankingParameters, SymmetryChoice},
    shape::{Contributions, Families, Fen, Reason, SharedWord, piece_names, reasons},
};

/// Two positions to explain. The weight of a term depends on its frequency in the collection.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Explain {
    /// The positions.
    #[command(flatten)]
    #[serde(flatten)]
    pub pair: PairParameters,

    /// Number of shared terms to return
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub reasons: usize,

    /// Symmetric positions to include; the best match is explained
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub symmetry: SymmetryChoice,

    /// The ranking.
    #[command(flatten)]
    #[serde(flatten)]
    pub ranking: RankingParameters,
}

/// What two positions share, and how they differ.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ExplainAnswer)]
pub struct Answer {
    /// How similar the positions are, from 0 to 1: by likeness, or by the run or the weights given.
    pub similarity: f64,
    /// The score of the second position for the first, by the first ranking.
    pub score: f64,
    /// The score divided by the score of the first position for itself.
    pub first_similarity: f64,
    /// The symmetry that maps the first position onto the second.
    #[schema(value_type = String)]
    pub symmetry: Symmetry,
    /// The second position in the view of the first.
    #[schema(value_type = String)]
    pub turned_fen: Fen,
    /// What makes the positions alike or different, by group; `null` for a run or weights given.
    pub contributions: Option<Contributions>,
    /// What a player would say of both positions, the most important first.
    pub both: Vec<SharedWord>,
    /// The shares of the score by family.
    pub families: Families,
    /// The shared terms, the most telling first.
    pub shared: Vec<Reason>,
    /// Pieces on their squares in the first position only.
    pub only_query: Vec<String>,
    /// Pieces on their squares in the second position only.
    pub only_other: Vec<String>,
}

impl Question for Explain {
    const NAME: &'static str = "explain";
    const ABOUT: &'static str = "Explain why two positions are similar and how they differ";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[
        ("reasons", 0.0, 1000.0),
        ("k1", 0.0, 1000.0),
        ("b", 0.0, 1.0),
    ];

    type Part = Answer;
    type Answer = Answer;

    fn settle(&mut self) -> Result<(), Invalid> {
        self.ranking.settle()
    }

    fn scope(&self) -> Scope {
        Scope::Anyone
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Answer, AskError> {
        let PairParameters { fen, other } = &self.pair;
        let ranking = self.ranking.ranking();
        let explainer = Explainer::new(fen.board(), &ranking, shards.statistics());
        let judge = self
            .ranking
            .is_usual()
            .then(|| Judge::new(fen, shards.statistics()));
        let explain = |symmetry| Way::new(other, symmetry, &explainer, judge.as_ref());
        let mut ways = self.symmetry.symmetries().into_iter().map(explain);
        let first = ways.next().unwrap_or_else(|| explain(Symmetry::None));
        // The first of equally good ones wins.
        let best = ways.fold(first, |best, it| {
            match it.similarity() > best.similarity() {
                true => it,
                false => best,
            }
        });
        Ok(self.answer(&best))
    }

    fn merge(&self, parts: Vec<Answer>, _: &Cancel) -> Result<Answer, AskError> {
        let first = parts.into_iter().next();
        first.ok_or_else(|| AskError::Missing("no shard answered; try again".to_owned()))
    }
}

/// The second position as the first sees it through a symmetry.
struct Way {
    symmetry: Symmetry,
    turned: Chess,
    why: Explanation,
    likeness: Option<Likeness>,
}

impl Way {
    fn new(other: &Chess, symmetry: Symmetry, explainer: &Explainer, judge: Option<&Judge>) -> Way {
        let turned = played::turn(other, symmetry).unwrap_or_else(|| other.clone());
        Way {
            symmetry,
            why: explainer.explain(other.board(), symmetry),
            likeness: judge.map(|it| it.judge(&turned)),
            turned,
        }
    }

    fn similarity(&self) -> f64 {
        let likeness = self.likeness.as_ref();
        likeness.map_or(self.why.similarity, |it| it.similarity)
    }
}

impl Explain {
    fn answer(&self, way: &Way) -> Answer {
        let Way {
            symmetry,
            turned,
            why,
            likeness,
        } = way;
        let first = &self.pair.fen;
        let both = likeness::said_of_both(first, turned);
        let word = |it: &Word| SharedWord::new(it, first.board(), turned.board());
        Answer {
            similarity: way.similarity().clamp(0.0, 1.0),
            score: why.score,
            first_similarity: why.similarity,
            symmetry: *symmetry,
            turned_fen: Fen(turned.clone()),
            contributions: likeness.as_ref().map(|it| Contributions::new(&it.groups)),
            both: both.iter().map(word).collect(),
            families: Families::new(&why.families),
            shared: reasons(why, self.reasons),
            only_query: piece_names(&why.only_query),
            only_other: piece_names(&why.only_other),
        }
    }
}
