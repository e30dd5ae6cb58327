//! The list of all questions. To add a question, add a line to [`questions!`](crate::questions).

use std::time::{Duration, Instant};

use clap::Command;
use tabiya_retrieval::search::Cancel;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{AllOfBuilder, Ref, RefOr, Schema},
};

use crate::{
    AskError, Cost, Invalid, Question, Scope, Shards,
    document::{Coverage, Document},
    question::{answer, part},
    read, wire,
};

/// Calls a macro with the types of all questions.
#[macro_export]
macro_rules! questions {
    ($with:ident) => {
        $with! {
            $crate::search::Search,
            $crate::explain::Explain,
            $crate::find::Find,
            $crate::structures::Structures,
            $crate::cases::Cases,
            $crate::explore::Explore,
            $crate::twins::Twins,
            $crate::near::Near,
            $crate::record::Record,
            $crate::compare::Compare,
            $crate::traps::Traps,
            $crate::encode::Encode,
            $crate::exercises::Exercises,
            $crate::game::Game,
            $crate::stats::Stats,
            $crate::play::Play,
            $crate::review::Review,
            $crate::prepare::Prepare,
        }
    };
}

macro_rules! entries {
    ($($question:ty,)*) => {
        /// All questions, for adapters that do not need their types.
        pub const QUESTIONS: &[Entry] = &[$(Entry::of::<$question>()),*];
    };
}
questions!(entries);

/// Schemas by name.
pub(crate) type Schemas = Vec<(String, RefOr<Schema>)>;

/// Reads a question from parameters, within the limits of a server or without.
type Read = fn(&str, bool) -> Result<Box<dyn Ask>, Invalid>;

/// A question without its type.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name of its verb, its route and its Python method.
    pub name: &'static str,
    /// A one-line summary.
    pub about: &'static str,
    /// The path under `/api/v1/`.
    pub path: &'static str,
    pub(crate) limits: &'static [(&'static str, f64, f64)],
    pub(crate) command: fn() -> Command,
    pub(crate) schemas: fn(&mut Schemas) -> RefOr<Schema>,
    read: Read,
}

impl Entry {
    const fn of<Q: Question>() -> Entry {
        Entry {
            name: Q::NAME,
            about: Q::ABOUT,
            path: Q::PATH,
            limits: Q::LIMITS,
            command: read::command::<Q>,
            schemas: schemas::<Q>,
            read: |parameters, within_limits| {
                Ok(Box::new(match within_limits {
                    true => read::read_within_limits::<Q>(parameters)?,
                    false => read::read::<Q>(parameters)?,
                }))
            },
        }
    }

    /// The question with a name.
    pub fn named(name: &str) -> Option<&'static Entry> {
        QUESTIONS.iter().find(|it| it.name == name)
    }

    /// Reads the question from parameters.
    ///
    /// # Errors
    ///
    /// When a parameter is unknown, missing or invalid.
    pub fn read(&self, parameters: &str) -> Result<Box<dyn Ask>, Invalid> {
        (self.read)(parameters, false)
    }

    /// Reads the question within the limits of a server.
    ///
    /// # Errors
    ///
    /// Those of [`Entry::read`], and when a number exceeds a limit.
    pub fn read_within_limits(&self, parameters: &str) -> Result<Box<dyn Ask>, Invalid> {
        (self.read)(parameters, true)
    }
}

/// How long gathering the parts took, and which shards answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gathered {
    /// The time spent gathering.
    pub took: Duration,
    /// The shards that answered.
    pub coverage: Option<Coverage>,
}

/// A question with its parameters but without its type: answers are JSON, parts are bytes.
pub trait Ask: Send + Sync {
    /// The groups of shards to ask.
    fn scope(&self) -> Scope;

    /// What answering costs.
    fn cost(&self) -> Cost;

    /// Answers on one machine.
    ///
    /// # Errors
    ///
    /// Those of the question.
    fn answer(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<String, AskError>;

    /// The contribution of a group of shards.
    ///
    /// # Errors
    ///
    /// Those of the question.
    fn part(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Vec<u8>, AskError>;

    /// Merges the parts of all groups, in the order of their games, into the answer.
    ///
    /// # Errors
    ///
    /// Those of the question, and when a part belongs to another question or version.
    fn merge(
        &self,
        parts: &[Vec<u8>],
        gathered: Gathered,
        cancel: &Cancel,
    ) -> Result<String, AskError>;
}

impl<Q: Question> Ask for Q {
    fn scope(&self) -> Scope {
        Question::scope(self)
    }

    fn cost(&self) -> Cost {
        Question::cost(self)
    }

    fn answer(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<String, AskError> {
        let begin = Instant::now();
        let answer = answer(self, shards, cancel)?;
        to_json(&Document::new(self, &answer, begin.elapsed()))
    }

    fn part(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Vec<u8>, AskError> {
        wire::pack::<Q>(&part(self, shards, cancel)?)
    }

    fn merge(
        &self,
        parts: &[Vec<u8>],
        gathered: Gathered,
        cancel: &Cancel,
    ) -> Result<String, AskError> {
        let begin = Instant::now();
        let parts = parts.iter().map(|it| wire::unpack::<Q>(it));
        let parts = parts.collect::<Result<Vec<Q::Part>, AskError>>()?;
        let answer = Question::merge(self, parts, cancel)?;
        let took = gathered.took + begin.elapsed();
        to_json(&Document::new(self, &answer, took).covering(gathered.coverage))
    }
}

fn to_json<Q: Question>(document: &Document<'_, Q>) -> Result<String, AskError> {
    serde_json::to_string(document).map_err(|error| AskError::Part(error.to_string()))
}

/// The schema of a question's answer; adds the schemas it refers to.
fn schemas<Q: Question>(all: &mut Schemas) -> RefOr<Schema> {
    Q::Answer::schemas(all);
    let name = Q::Answer::name().into_owned();
    all.push((name.clone(), Q::Answer::schema()));
    let whole = AllOfBuilder::new()
        .item(Ref::from_schema_name("Document"))
        .item(Ref::from_schema_name(name));
    Schema::AllOf(whole.build()).into()
}
