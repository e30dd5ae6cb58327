//! `tabiya train`: solve exercises with spaced repetition, or export them for a lesson.

mod session;

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use shakmaty::Chess;
use tabiya_chess::position;
use tabiya_question::{
    exercises::Exercises,
    parameter::{GameParameters, parse_fen},
    read::read,
};
use tabiya_retrieval::{
    Collection, GameNumber,
    search::Cancel,
    training::{Exercise, History},
};
use tabiya_terminal::{
    json,
    style::{FAINT, PLAIN, STRONG},
};

use crate::training::{
    Course,
    export::{self, Format},
    now,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya train --db puzzles --rating 1400-1600 --theme fork
  tabiya train --db puzzles --due
  tabiya train --db puzzles --progress
  tabiya train --db puzzles --like '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1'
  tabiya train --db puzzles --theme pin --export html -o lesson.html
  tabiya train --db puzzles --exercises 812,17 --export anki -o set.txt

Type a move, such as Nxf7 or f3f7, to solve an exercise; ? shows the solution, an empty line ends the
session. A move that is not the solution counts as well if the engine finds it as good. With
--herrings 4, every fourth position has nothing to find: type - there. Exercises come back
when nine of ten such exercises are still remembered (FSRS). The history is in training.jsonl in
the collection.")]
pub(crate) struct Options {
    /// Directory of the collection of exercises
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Name of the learner
    #[arg(long, value_name = "NAME", default_value = "me")]
    learner: String,

    /// Number of exercises: those that are due first, then new ones
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,

    /// Show a position with nothing to find after each N exercises
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    herrings: Option<u64>,

    /// Give exercises whose motif is like that of this position, the most similar first
    #[arg(long, value_name = "FEN", value_parser = parse_fen)]
    like: Option<Chess>,

    /// Give the exercises of these games, in this order
    #[arg(long, value_name = "N", value_delimiter = ',', conflicts_with = "like")]
    exercises: Vec<GameNumber>,

    /// Order of the exercises
    #[arg(long, value_enum, default_value_t)]
    order: Order,

    /// List the exercises that are due
    #[arg(long)]
    due: bool,

    /// Show progress by theme
    #[arg(long, conflicts_with = "due")]
    progress: bool,

    /// Write the exercises in this format instead
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["due", "progress"])]
    export: Option<Format>,

    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "export")]
    output: Option<PathBuf>,

    /// Print JSON (with --due or --progress)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    games: GameParameters,
}

/// The order of exercises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Order {
    /// What is due first, then new exercises as they come
    #[default]
    Due,
    /// The easiest first
    Rating,
    /// By their first motif
    Motif,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = Collection::open(&options.db)?;
    let mut history = History::open(&options.db)?;
    let cards = history.cards(&options.learner);
    let course = Course {
        collection: &collection,
        cards: &cards,
        filter: options.games.filter(),
        now: now(),
    };
    if options.progress {
        return progress(options, &course);
    }
    if options.due {
        return due(options, &course);
    }
    let chosen = choose(options, &course)?;
    if chosen.is_empty() && course.untried(1)?.is_empty() && course.known()?.is_empty() {
        anyhow::bail!(
            "{} holds no such exercises; see tabiya exercises --help",
            options.db.display()
        );
    }
    match options.export {
        Some(format) => write(&export::text(&chosen, format), options),
        None => session::run(&chosen, options, &mut history),
    }
}

/// The exercises of a session or a set: those that were named, those like a position, or those
/// that are due and then new ones. A set for a lesson does not ask what its maker has solved.
fn choose(options: &Options, course: &Course<'_>) -> anyhow::Result<Vec<Exercise>> {
    let mut chosen = Vec::new();
    if let Some(position) = &options.like {
        let fen = position::to_fen(position).replace(' ', "+");
        let top = options.count + course.cards.len();
        let question = read::<Exercises>(&format!("fen={fen}&top={top}"))?;
        let question = Exercises {
            games: options.games.clone(),
            ..question
        };
        chosen = course.like(&question, &Cancel::default())?;
    } else if !options.exercises.is_empty() {
        for &number in &options.exercises {
            let exercises = course.at(number)?;
            if exercises.is_empty() {
                anyhow::bail!("game {number} is not an exercise of the collection");
            }
            chosen.extend(exercises);
        }
    } else {
        let known = match options.export {
            Some(_) => course.known()?,
            None => course.due()?,
        };
        chosen.extend(known.into_iter().map(|it| it.exercise));
        chosen.extend(course.untried(options.count.saturating_sub(chosen.len()))?);
    }
    if options.exercises.is_empty() {
        chosen.truncate(options.count);
    }
    match options.order {
        Order::Due => {}
        Order::Rating => chosen.sort_by_key(|it| it.rating),
        Order::Motif => chosen.sort_by(|one, two| one.motifs.cmp(&two.motifs)),
    }
    Ok(chosen)
}

fn write(text: &str, options: &Options) -> anyhow::Result<()> {
    match &options.output {
        Some(path) => fs::write(path, text).with_context(|| path.display().to_string()),
        None => Ok(io::stdout().write_all(text.as_bytes())?),
    }
}

#[derive(Serialize)]
struct Due {
    exercise: String,
    game: GameNumber,
    fen: String,
    attempts: u32,
    failures: u32,
    overdue_days: f64,
}

fn due(options: &Options, course: &Course<'_>) -> anyhow::Result<()> {
    let rows = course.due()?.into_iter().map(|it| Due {
        overdue_days: it.overdue_days(course.now),
        game: it.exercise.game,
        fen: it.exercise.fen(),
        attempts: it.card.attempts,
        failures: it.card.failures,
        exercise: it.exercise.name,
    });
    let rows: Vec<Due> = rows.collect();
    if options.json {
        return json::print(&rows);
    }
    for it in &rows {
        say!(
            "{STRONG}{}{PLAIN} {FAINT}{} attempts, {} failed, due for {:.1} days{PLAIN}",
            it.exercise,
            it.attempts,
            it.failures,
            it.overdue_days
        );
        say!("    {}", it.fen);
    }
    say!("{} exercises are due", rows.len());
    Ok(())
}

fn progress(options: &Options, course: &Course<'_>) -> anyhow::Result<()> {
    let rows = course.progress()?;
    if options.json {
        return json::print(&rows);
    }
    if rows.is_empty() {
        let learner = &options.learner;
        say!("{learner} has not tried any of these exercises yet");
    }
    for row in rows {
        say!(
            "{:<20} {:>4} exercises, {:>4} attempts, {:>4} failed, {:>3.0} % remembered",
            row.motif,
            row.exercises,
            row.attempts,
            row.failures,
            100.0 * row.recall
        );
    }
    Ok(())
}
