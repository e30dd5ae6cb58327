//! `tabiya train`: solve exercises with spaced repetition, or export them for a lesson.

mod exercise;
mod export;
mod session;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use clap::Args;
use serde::Serialize;
use tabiya_question::parameter::GameParameters;
use tabiya_retrieval::{
    Collection,
    training::{Card, Cards, History},
};
use tabiya_terminal::{
    json,
    style::{FAINT, PLAIN, STRONG},
};

use exercise::Exercise;
use export::Format;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya train --db puzzles --rating 1400-1600 --theme fork
  tabiya train --db puzzles --due
  tabiya train --db puzzles --progress
  tabiya train --db puzzles --theme pin --count 12 --export html -o lesson.html

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

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = Collection::open(&options.db)?;
    let mut history = History::open(&options.db)?;
    let cards = history.cards(&options.learner);
    let all = exercise::all(&collection, &options.games.filter())?;
    if all.is_empty() {
        anyhow::bail!(
            "{} holds no such exercises; see tabiya exercises --help",
            options.db.display()
        );
    }
    if options.progress {
        return progress(options, &all, &cards);
    }
    let chosen = choose(all, &cards, options);
    if options.due {
        return due(options, &chosen, &cards);
    }
    match options.export {
        Some(format) => export::write(&chosen, format, options.output.as_deref()),
        None => session::run(&chosen, options, &mut history),
    }
}

/// The exercises of a session: those that are due, the longest overdue first, then new ones in
/// the order of the collection. A list of what is due has no new ones.
fn choose(all: Vec<Exercise>, cards: &Cards, options: &Options) -> Vec<Exercise> {
    let now = now();
    let card = |it: &Exercise| cards.get(&it.key());
    let (mut old, new): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| card(it).is_some());
    old.retain(|it| options.export.is_some() || card(it).is_some_and(|it| it.due() <= now));
    old.sort_by_key(|it| card(it).map(Card::due));
    if !options.due {
        old.extend(new);
    }
    old.truncate(options.count);
    old
}

/// Seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| it.as_secs())
}

#[derive(Serialize)]
struct Due<'a> {
    exercise: &'a str,
    fen: String,
    attempts: u32,
    failures: u32,
    overdue_days: f64,
}

fn due(options: &Options, chosen: &[Exercise], cards: &Cards) -> anyhow::Result<()> {
    let now = now();
    let row = |it: &'_ Exercise| {
        let card = cards.get(&it.key())?;
        Some((
            it.fen(),
            card,
            now.saturating_sub(card.due()) as f64 / 86_400.0,
        ))
    };
    if options.json {
        let rows = chosen.iter().filter_map(|it| {
            let (fen, card, overdue_days) = row(it)?;
            Some(Due {
                exercise: &it.name,
                fen,
                attempts: card.attempts,
                failures: card.failures,
                overdue_days,
            })
        });
        return json::print(&rows.collect::<Vec<_>>());
    }
    for it in chosen {
        if let Some((fen, card, days)) = row(it) {
            say!(
                "{STRONG}{}{PLAIN} {FAINT}{} attempts, {} failed, due for {days:.1} days{PLAIN}",
                it.name,
                card.attempts,
                card.failures
            );
            say!("    {fen}");
        }
    }
    say!("{} exercises are due", chosen.len());
    Ok(())
}

/// What a learner did with a theme.
#[derive(Default, Serialize)]
struct Progress {
    exercises: u32,
    attempts: u32,
    failures: u32,
    /// The mean chance to solve such an exercise now.
    recall: f64,
}

fn progress(options: &Options, all: &[Exercise], cards: &Cards) -> anyhow::Result<()> {
    let now = now();
    let mut themes: BTreeMap<&str, Progress> = BTreeMap::new();
    for exercise in all {
        let Some(card) = cards.get(&exercise.key()) else {
            continue;
        };
        let days = now.saturating_sub(card.last) as f64 / 86_400.0;
        for theme in &exercise.themes {
            let row = themes.entry(theme).or_default();
            row.exercises += 1;
            row.attempts += card.attempts;
            row.failures += card.failures;
            row.recall += card.memory.recall(days);
        }
    }
    for row in themes.values_mut() {
        row.recall /= f64::from(row.exercises);
    }
    if options.json {
        return json::print(&themes);
    }
    if themes.is_empty() {
        say!(
            "{} has not solved any of these exercises yet",
            options.learner
        );
    }
    for (theme, row) in themes {
        say!(
            "{theme:<20} {:>4} exercises, {:>4} attempts, {:>4} failed, {:>3.0} % remembered",
            row.exercises,
            row.attempts,
            row.failures,
            100.0 * row.recall
        );
    }
    Ok(())
}
