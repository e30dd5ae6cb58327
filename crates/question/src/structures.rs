//! Says which named patterns a position has.

use clap::Args;
use serde::Serialize;
use tabiya_pattern::structures_of;
use tabiya_retrieval::search::Cancel;
use utoipa::ToSchema;

use crate::{
    AskError, Question, Scope, Shards,
    parameter::{PositionParameters, pattern_names},
    shape::Fen,
};

/// A position.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Structures {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,
}

/// The named patterns of a position.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StructuresAnswer)]
pub struct Answer {
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The patterns it has, in the order of the list.
    pub structures: Vec<Structure>,
}

/// A named pattern that a position has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Structure {
    /// The name; `tabiya find @name` finds games with it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The kind: structures, material or endings, …
    pub group: String,
    /// The pattern.
    pub query: String,
}

impl Question for Structures {
    const NAME: &'static str = "structures";
    const ABOUT: &'static str = "Say which named patterns a position has";

    type Part = ();
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn scope(&self) -> Scope {
        Scope::Anyone
    }

    fn ask(&self, _: &Shards<'_>, _: &Cancel) -> Result<(), AskError> {
        Ok(())
    }

    fn merge(&self, _: Vec<()>, _: &Cancel) -> Result<Answer, AskError> {
        let names = pattern_names().map_err(|error| crate::Invalid::new("fen", error))?;
        let position = self.position.position();
        let structures = structures_of(names, position).map(|it| Structure {
            name: it.name.clone(),
            about: it.about.clone(),
            group: it.group.clone(),
            query: it.query.clone(),
        });
        Ok(Answer {
            fen: Fen(position.clone()),
            structures: structures.collect(),
        })
    }
}
