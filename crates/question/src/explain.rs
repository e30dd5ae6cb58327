//! Explains why two positions are similar and how they differ.

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::Position;
use tabiya_chess::Symmetry;
use tabiya_retrieval::{Explainer, Explanation, played, search::Cancel};
use utoipa::ToSchema;

use crate::{
    AskError, Invalid, Question, Scope, Shards,
    parameter::{PairParameters, RankingParameters, SymmetryChoice},
    shape::{Families, Fen, Reason, piece_names, reasons},
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
    /// The score of the second position for the first.
    pub score: f64,
    /// The score divided by the score of the first position for itself.
    pub similarity: f64,
    /// The symmetry that maps the first position onto the second.
    #[schema(value_type = String)]
    pub symmetry: Symmetry,
    /// The second position in the view of the first.
    #[schema(value_type = String)]
    pub turned_fen: Fen,
    /// The shares of the score by family.
    pub families: Families,
    /// The shared terms, the strongest first.
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
        let explain = |symmetry| (symmetry, explainer.explain(other.board(), symmetry));
        let mut ways = self.symmetry.symmetries().into_iter().map(explain);
        let first = ways.next().unwrap_or_else(|| explain(Symmetry::None));
        // The first of equally good ones wins.
        let best = ways.fold(first, |best, it| {
            match it.1.similarity > best.1.similarity {
                true => it,
                false => best,
            }
        });
        Ok(self.answer(best.0, &best.1))
    }

    fn merge(&self, parts: Vec<Answer>, _: &Cancel) -> Result<Answer, AskError> {
        let first = parts.into_iter().next();
        first.ok_or_else(|| AskError::Missing("no shard answered; try again".to_owned()))
    }
}

impl Explain {
    fn answer(&self, symmetry: Symmetry, why: &Explanation) -> Answer {
        let other = &self.pair.other;
        Answer {
            score: why.score,
            similarity: why.similarity,
            symmetry,
            turned_fen: Fen(played::turn(other, symmetry).unwrap_or_else(|| other.clone())),
            families: Families::new(&why.families),
            shared: reasons(why, self.reasons),
            only_query: piece_names(&why.only_query),
            only_other: piece_names(&why.only_other),
        }
    }
}
