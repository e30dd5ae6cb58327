//! Finds a position mirrored or with colors swapped.

use std::collections::BTreeMap;

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::Position;
use tabiya_chess::{Symmetry, chi_square::ChiSquare, exact::Exact};
use tabiya_retrieval::{
    explorer::{self, Explored, Remarks},
    search::Cancel,
};
use utoipa::ToSchema;

use crate::{
    AskError, Question, Shards, explore,
    parameter::{GameParameters, PositionParameters},
    shape::Fen,
};

/// A position whose twins to find.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Twins {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// The games to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub games: GameParameters,
}

/// The twins of a position in the games.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TwinsAnswer)]
pub struct Answer {
    /// The position asked about.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The χ² statistic that all twins share.
    pub chi2: f64,
    /// The twins, including the position itself.
    pub twins: Vec<Twin>,
}

/// A twin and the moves played in it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Twin {
    /// The symmetry between the position and the twin: none, mirror, swap or both.
    #[schema(value_type = String)]
    pub symmetry: Symmetry,
    /// The position in the games.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The number of games.
    pub games: u32,
    /// The moves, in the query's view.
    #[serde(flatten)]
    pub explored: explore::Answer,
}

/// The contribution of a group of shards to a twin.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    symmetry: Symmetry,
    position: Fen,
    explored: Explored,
}

/// The number of top-rated and of most recent games per twin.
const GAMES: usize = 8;

impl Question for Twins {
    const NAME: &'static str = "twins";
    const ABOUT: &'static str = "Find a position mirrored or with colors swapped";

    type Part = Vec<Part>;
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Vec<Part>, AskError> {
        let query = self.position.position();
        let twins = explorer::twins(shards.shards(), query, &self.games.filter())?;
        let part = |it: explorer::Twin| Part {
            symmetry: it.symmetry,
            position: Fen(it.position),
            explored: it.explored,
        };
        Ok(twins.into_iter().map(part).collect())
    }

    fn merge(&self, parts: Vec<Vec<Part>>, _: &Cancel) -> Result<Answer, AskError> {
        let query = self.position.position();
        let mut twins = BTreeMap::<_, (Symmetry, Fen, Vec<Explored>)>::new();
        for part in parts.into_iter().flatten() {
            let key = (part.symmetry, Exact::of(&part.position.0).ok());
            let twin = (part.symmetry, part.position, Vec::new());
            twins.entry(key).or_insert(twin).2.push(part.explored);
        }
        let twin = |(symmetry, fen, parts): (Symmetry, Fen, Vec<Explored>)| {
            let explored = Explored::merge(parts);
            Twin {
                symmetry,
                fen,
                games: explored.total.games(),
                explored: explore::Answer::new(&explored, Remarks::default(), query, GAMES),
            }
        };
        Ok(Answer {
            fen: Fen(query.clone()),
            chi2: ChiSquare::of(query.board()).to_f64(),
            twins: twins.into_values().map(twin).collect(),
        })
    }
}
