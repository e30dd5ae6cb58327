//! Makes each question a verb: the question's arguments, a collection and a view.

use std::{
    fmt,
    time::{Duration, Instant},
};

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand, error::ErrorKind};
use tabiya_question::{
    AskError, Invalid, Question, Shards, answer, document::Document, questions, shards::OwnShards,
};
use tabiya_retrieval::{Collection, search::Cancel};
use tabiya_terminal::{exit::usage, json, position::PgnPlace, sample::Database};

/// Prints the answer to a question in a terminal.
pub(crate) trait View: Question {
    /// Examples and notes at the end of the verb's help.
    const HELP: &'static str;

    /// Arguments that only the terminal needs.
    type Options: Args + fmt::Debug;

    /// Prints an answer.
    fn print(&self, answer: &Self::Answer, options: &Self::Options, took: Duration);

    /// Runs the verb.
    fn run(asked: Asked<Self>) -> anyhow::Result<()> {
        asked.settled().print()
    }
}

/// A verb without terminal arguments.
#[derive(Debug, Args)]
pub(crate) struct NoOptions {}

/// A question and its options, as read from the command line.
#[derive(Debug)]
pub(crate) struct Asked<Q: View> {
    pub(crate) question: Q,
    pub(crate) options: Q::Options,
    pub(crate) database: Database,
    pub(crate) json: bool,
    place: Option<PgnPlace>,
}

#[derive(Debug, Args)]
struct Json {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl<Q: View> Asked<Q> {
    fn command() -> Command {
        let mut command = Q::augment_args(Command::new(Q::NAME));
        command = command.next_help_heading(None);
        if has_position(&command) {
            command = PgnPlace::augment_args(command);
        }
        command = Database::augment_args(command);
        command = Q::Options::augment_args(command);
        command = Json::augment_args(command);
        command.about(Q::ABOUT).long_about(None).after_help(Q::HELP)
    }

    fn from_matches(matches: &ArgMatches) -> Result<Asked<Q>, clap::Error> {
        let has_place = has_position(&Q::augment_args(Command::new(Q::NAME)));
        let place = has_place.then(|| PgnPlace::from_arg_matches(matches));
        Ok(Asked {
            question: Q::from_arg_matches(matches)?,
            options: Q::Options::from_arg_matches(matches)?,
            database: Database::from_arg_matches(matches)?,
            json: Json::from_arg_matches(matches)?.json,
            place: place.transpose()?,
        })
    }

    /// Settles the question. Exits with a usage error if an argument is invalid.
    pub(crate) fn settled(mut self) -> Asked<Q> {
        match self.settle() {
            Ok(Ok(())) => self,
            Ok(Err(invalid)) => usage(&as_argument(&invalid)),
            Err(error) => std::process::exit(tabiya_terminal::exit::failure(&error)),
        }
    }

    fn settle(&mut self) -> anyhow::Result<Result<(), Invalid>> {
        let line = self
            .place
            .as_ref()
            .map(PgnPlace::line)
            .transpose()?
            .flatten();
        if let (Some(line), Some(position)) = (line, self.question.position()) {
            position.set(line);
        }
        Ok(self.question.settle())
    }

    /// Opens the collection, asks it and prints the answer.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        self.print_from(&OpenCollection::open(&self.database)?)
    }

    /// Asks a collection and prints the answer.
    pub(crate) fn print_from(&self, open: &OpenCollection) -> anyhow::Result<()> {
        let (answer, took) = open.answer(&self.question)?;
        if self.json {
            return json::print(&Document::new(&self.question, &answer, took));
        }
        self.question.print(&answer, &self.options, took);
        Ok(())
    }
}

fn has_position(command: &Command) -> bool {
    command.get_arguments().any(|it| it.get_id() == "moves")
}

/// Reports an invalid parameter under the name of its argument.
pub(crate) fn as_argument(invalid: &Invalid) -> String {
    match invalid.parameter() {
        Some("fen") | None => invalid.message().to_owned(),
        Some(name) => format!("--{}: {}", name.replace('_', "-"), invalid.message()),
    }
}

/// A collection, open for questions.
pub(crate) struct OpenCollection {
    collection: Collection,
    own: OwnShards,
}

impl OpenCollection {
    pub(crate) fn open(database: &Database) -> anyhow::Result<OpenCollection> {
        Ok(OpenCollection::of(database.open()?))
    }

    pub(crate) fn of(collection: Collection) -> OpenCollection {
        OpenCollection {
            collection,
            own: OwnShards::default(),
        }
    }

    pub(crate) fn shards(&self) -> Shards<'_> {
        Shards::from(&self.collection).with_own(&self.own)
    }

    pub(crate) fn collection(&self) -> &Collection {
        &self.collection
    }

    /// Answers a settled question. Exits with a usage error if an argument is invalid.
    pub(crate) fn answer<Q: Question>(
        &self,
        question: &Q,
    ) -> anyhow::Result<(Q::Answer, Duration)> {
        let begin = Instant::now();
        match answer(question, &self.shards(), &Cancel::default()) {
            Ok(answer) => Ok((answer, begin.elapsed())),
            Err(AskError::Invalid(invalid)) => usage(&as_argument(&invalid)),
            Err(error) => Err(error.into()),
        }
    }
}

/// A verb of the command line.
pub(crate) struct Verb {
    name: &'static str,
    command: fn() -> Command,
    run: fn(&ArgMatches) -> Result<anyhow::Result<()>, clap::Error>,
}

impl Verb {
    const fn of<Q: View>() -> Verb {
        Verb {
            name: Q::NAME,
            command: Asked::<Q>::command,
            run: |matches| Ok(Q::run(Asked::from_matches(matches)?)),
        }
    }
}

macro_rules! verbs {
    ($($question:ty,)*) => {
        const VERBS: &[Verb] = &[$(Verb::of::<$question>()),*];
    };
}
questions!(verbs);

/// The verb of a question with its arguments.
#[derive(Debug)]
pub(crate) struct Ask {
    name: String,
    matches: ArgMatches,
}

impl Ask {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let verb = VERBS.iter().find(|it| it.name == self.name);
        match verb.map(|it| (it.run)(&self.matches)) {
            Some(Ok(result)) => result,
            Some(Err(error)) => error.exit(),
            None => Ok(()),
        }
    }
}

impl FromArgMatches for Ask {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Ask, clap::Error> {
        let (name, matches) = matches
            .subcommand()
            .ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
        Ok(Ask {
            name: name.to_owned(),
            matches: matches.clone(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Ask::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Ask {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(VERBS.iter().map(|it| (it.command)()))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Ask::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        VERBS.iter().any(|it| it.name == name)
    }
}
