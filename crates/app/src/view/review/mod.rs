//! `tabiya review`: one game or many, as text, annotated PGN, JSON or HTML.

mod annotated;
mod html;
mod ledger;
mod profile;

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use shakmaty::Color;
use tabiya_chess::{
    Game,
    pgn::{self, Input, Splitter},
};
use tabiya_question::{
    Question,
    document::Document,
    exercises::Exercises,
    read::read,
    review::{Answer, Moment, Review},
};
use tabiya_retrieval::{Collection, Filter, GameNumber, index::FormatError};
use tabiya_terminal::{
    exit::usage,
    json,
    progress::{Bar, counted, on_interrupt},
    screen,
    style::{FAINT, PLAIN, STRONG},
};

use crate::ask::{Asked, OpenCollection, View, as_argument};
use ledger::Ledger;
use profile::{Profile, Repertoire};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Review this game of the collection instead of a file
    #[arg(long, value_name = "N", conflicts_with = "pgn")]
    game: Option<GameNumber>,

    /// Collection of exercises to choose practice from [default: the collection itself]
    #[arg(long, value_name = "DIR")]
    exercises: Option<PathBuf>,

    /// What to write
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Summarize the games: mistakes by motif, phase and opening, results, departures (needs --player)
    #[arg(long, requires = "player")]
    summary: bool,

    /// PGN file with the player's repertoire, to see where games left it
    #[arg(long, value_name = "FILE", requires = "summary")]
    repertoire: Option<PathBuf>,

    /// Collection of games by players of the same rating, to compare with
    #[arg(long, value_name = "DIR", requires = "summary")]
    reference: Option<PathBuf>,

    /// Number of games of the reference to analyze
    #[arg(long, value_name = "N", default_value_t = 20, requires = "reference")]
    reference_games: usize,

    /// File that keeps finished analyses, so that a review that was stopped goes on
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Sentences for the terminal
    #[default]
    Text,
    /// The games with evaluations, glyphs, comments and better lines
    Pgn,
    /// A page that needs nothing else
    Html,
}

impl View for Review {
    const HELP: &'static str = "Examples:
  tabiya review game.pgn --db masters --exercises puzzles
  tabiya review my-games.pgn --player Smith --format pgn -o reviewed.pgn --resume reviews.jsonl
  tabiya review --game 17 --db my-games --format html -o review.html
  tabiya review --player Smith --db my-games --summary --resume reviews.jsonl

Without a file, --player reviews all games of the player in the collection.

A moment is a move that costs at least two tenths of the way from a sure loss to a sure win; a second,
longer search confirms it. Evaluations in the file ([%eval]) are used. Ctrl-C keeps finished
analyses in the file of --resume.";

    type Options = Options;

    fn print(&self, answer: &Answer, _: &Options, _: Duration) {
        let game = &answer.game;
        let title = format!(
            "{STRONG}{} – {}{PLAIN}, {} {}, {}",
            game.white, game.black, game.event, game.date, game.result
        );
        screen::print("  ", &title);
        for it in &answer.players {
            let count = format!(
                "{FAINT}{}, {}: inaccuracies {}, mistakes {}, blunders {}{PLAIN}",
                it.name,
                counted(it.moves as u64, "move"),
                it.inaccuracies,
                it.mistakes,
                it.blunders
            );
            screen::print("  ", &count);
        }
        if let Some(departure) = &answer.departure {
            screen::print("  ", &departure.words);
        }
        answer.moments.iter().for_each(print_moment);
        say!();
    }

    fn run(mut asked: Asked<Review>) -> anyhow::Result<()> {
        let open = OpenCollection::open(&asked.database)?;
        let games = match (&asked.question.pgn, asked.options.game) {
            (Some(file), _) => read_games(Path::new(file))?,
            (None, Some(number)) => vec![pgn::to_string(&stored_game(open.collection(), number)?)],
            (None, None) => match &asked.question.player {
                Some(name) => games_of(open.collection(), name)?,
                None => usage("give a PGN file, a game with --game, or a --player"),
            },
        };
        if asked.options.summary {
            // Neither similar positions nor exercises are summed up.
            (asked.question.similar, asked.question.practice) = (0, 0);
        }
        if asked.json {
            asked.options.format = Format::Text;
        }
        let practice = asked.options.exercises.as_deref().map(Collection::open);
        let work = Work {
            open,
            practice: practice.transpose()?.map(OpenCollection::of),
            ledger: asked
                .options
                .resume
                .as_deref()
                .map(Ledger::open)
                .transpose()?,
            stopped: Arc::default(),
        };
        let stopped = work.stopped.clone();
        on_interrupt(move || stopped.store(true, Ordering::Relaxed));
        work.run(&asked, games)
    }
}

fn print_moment(moment: &Moment) {
    say!();
    say!(
        "{FAINT}{}{PLAIN}",
        tabiya_chess::position::to_fen(&moment.fen.0)
    );
    for (number, words) in moment.words.iter().enumerate() {
        match number {
            0 => screen::print("  ", &format!("{STRONG}{words}{PLAIN}")),
            _ => screen::print("  ", words),
        }
    }
    for it in &moment.exercises {
        let name = it
            .name
            .clone()
            .unwrap_or_else(|| format!("game {}", it.game.id));
        let rating = it
            .rating
            .map_or(String::new(), |it| format!(", rated {it}"));
        let practice = format!(
            "{FAINT}practice: exercise {name}{rating}, motif {:.0} % alike{PLAIN}",
            100.0 * it.similarity
        );
        screen::print("  ", &practice);
    }
}

/// What a run of reviews needs.
struct Work {
    open: OpenCollection,
    practice: Option<OpenCollection>,
    ledger: Option<Ledger>,
    stopped: Arc<AtomicBool>,
}

impl Work {
    fn run(mut self, asked: &Asked<Review>, games: Vec<String>) -> anyhow::Result<()> {
        if asked.options.summary {
            return self.summarize(asked, games);
        }
        let mut out = Output::create(asked)?;
        self.review(asked, games, |question, answer, took| {
            out.write(question, answer, asked, took)
        })?;
        out.finish()
    }

    /// Reviews all games and prints what they have in common.
    fn summarize(mut self, asked: &Asked<Review>, games: Vec<String>) -> anyhow::Result<()> {
        let repertoire = asked
            .options
            .repertoire
            .as_deref()
            .map(|path| -> anyhow::Result<_> {
                let texts = read_games(path)?;
                let games = texts.iter().filter_map(|it| pgn::read(it.as_bytes()).game);
                Ok(Repertoire::new(&games.collect::<Vec<_>>()))
            });
        let repertoire = repertoire.transpose()?;
        let mut profile = Profile::default();
        let mut ratings = Vec::new();
        self.review(asked, games, |question, answer, _| {
            let tags = &question.game.tags;
            ratings.extend(profile::side(question).and_then(|it| tags.elo(it)));
            profile.add(question, answer, repertoire.as_ref());
            Ok(())
        })?;
        if let Some(path) = &asked.options.reference {
            let rating = ratings.iter().map(|&it| u32::from(it)).sum::<u32>();
            let Some(mean) = rating.checked_div(ratings.len() as u32) else {
                bail!("the games have no ratings of the player; --reference cannot compare");
            };
            profile.compare(self.reference(asked, path, mean)?);
        }
        if asked.json {
            return json::print(&profile);
        }
        profile.print();
        Ok(())
    }

    /// The profile of players of a rating, a game each.
    fn reference(
        &mut self,
        asked: &Asked<Review>,
        path: &Path,
        rating: u32,
    ) -> anyhow::Result<Profile> {
        let collection = Collection::open(path)?;
        let mut chosen: Vec<(String, String)> = Vec::new();
        let most = asked.options.reference_games;
        collection.for_each_game(&Filter::default(), |_, game| {
            let is_near = |it: &Color| {
                let elo = game.tags.elo(*it).map(u32::from);
                elo.is_some_and(|it| it.abs_diff(rating) <= 100)
            };
            if let Some(side) = Color::ALL
                .into_iter()
                .find(is_near)
                .filter(|_| chosen.len() < most)
            {
                let name = side.fold_wb(&game.tags.white, &game.tags.black);
                chosen.push((name.clone(), pgn::to_string(&game)));
            }
            Ok::<(), FormatError>(())
        })?;
        let mut profile = Profile::default();
        for (name, game) in chosen {
            let mut asked_here = asked.question.clone();
            asked_here.player = Some(name);
            self.review_as(&asked_here, vec![game], |question, answer, _| {
                profile.add(question, answer, None);
                Ok(())
            })?;
        }
        Ok(profile)
    }

    fn review(
        &mut self,
        asked: &Asked<Review>,
        games: Vec<String>,
        visit: impl FnMut(&Review, &Answer, Duration) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.review_as(&asked.question, games, visit)
    }

    /// Reviews games one by one.
    fn review_as(
        &mut self,
        asked: &Review,
        games: Vec<String>,
        mut visit: impl FnMut(&Review, &Answer, Duration) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let count = games.len();
        for (number, game) in games.into_iter().enumerate() {
            let mut question = asked.clone();
            question.pgn = Some(game);
            if let Err(invalid) = question.settle() {
                if count == 1 {
                    usage(&as_argument(&invalid));
                }
                anstream::eprintln!("game {}: {invalid}; skipped", number + 1);
                continue;
            }
            self.analyze(&mut question, number, count)?;
            if self.stopped.load(Ordering::Relaxed) {
                bail!(
                    "stopped after {number} of {count} games; with --resume FILE the next run goes on"
                );
            }
            let begin = Instant::now();
            let (mut answer, _) = self.open.answer(&question)?;
            self.add_practice(&question, &mut answer)?;
            visit(&question, &answer, begin.elapsed())?;
        }
        Ok(())
    }

    /// Analyzes a game with progress, unless the ledger has it.
    fn analyze(
        &mut self,
        question: &mut Review,
        number: usize,
        count: usize,
    ) -> anyhow::Result<()> {
        let known = self.ledger.as_ref().and_then(|it| it.get(question));
        if known.is_some() {
            question.analysis = known;
            return Ok(());
        }
        let total = question.reviewed().len() as u64 + 1;
        let done = Arc::new(AtomicU64::new(0));
        let seen = done.clone();
        let _bar = Bar::start(Some(total), move || {
            (
                seen.load(Ordering::Relaxed),
                format!("game {} of {count}", number + 1),
            )
        });
        let stopped = self.stopped.clone();
        let analysis = question.analyzed(|| {
            done.fetch_add(1, Ordering::Relaxed);
            !stopped.load(Ordering::Relaxed)
        });
        if self.stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.put(question, &analysis)?;
        }
        question.analysis = Some(analysis);
        Ok(())
    }

    /// Takes exercises from the collection of exercises.
    fn add_practice(&self, question: &Review, answer: &mut Answer) -> anyhow::Result<()> {
        let Some(practice) = &self.practice else {
            return Ok(());
        };
        for moment in &mut answer.moments {
            let (position, line) = moment.practice();
            let fen = tabiya_chess::position::to_fen(&position).replace(' ', "+");
            let parameters = format!(
                "fen={fen}&top={}&line={}",
                question.practice,
                line.join("+")
            );
            let question = read::<Exercises>(&parameters.replace('#', "%23"))?;
            moment.exercises = practice.answer(&question)?.0.exercises;
        }
        Ok(())
    }
}

/// Where reviews are written.
struct Output {
    file: Box<dyn Write>,
    page: html::Page,
    format: Format,
}

impl Output {
    fn create(asked: &Asked<Review>) -> anyhow::Result<Output> {
        let format = asked.options.format;
        let path = &asked.options.output;
        if path.is_some() && format == Format::Text && !asked.json {
            usage("--output needs --format pgn or html, or --json");
        }
        let file: Box<dyn Write> = match path {
            Some(path) => {
                let file = File::create(path).with_context(|| path.display().to_string())?;
                Box::new(BufWriter::new(file))
            }
            None => Box::new(std::io::stdout()),
        };
        Ok(Output {
            file,
            page: html::Page::default(),
            format,
        })
    }

    fn write(
        &mut self,
        question: &Review,
        answer: &Answer,
        asked: &Asked<Review>,
        took: Duration,
    ) -> anyhow::Result<()> {
        if asked.json {
            let document = Document::new(question, answer, took);
            if asked.options.output.is_none() {
                return json::print(&document);
            }
            serde_json::to_writer(&mut self.file, &document)?;
            writeln!(self.file)?;
            return Ok(());
        }
        match self.format {
            Format::Text => question.print(answer, &asked.options, took),
            Format::Pgn => {
                let game = annotated::annotated(question, answer);
                self.file.write_all(pgn::to_string(&game).as_bytes())?;
            }
            Format::Html => self.page.add(answer),
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<()> {
        if self.format == Format::Html {
            self.file.write_all(self.page.text().as_bytes())?;
        }
        Ok(self.file.flush()?)
    }
}

fn stored_game(collection: &Collection, number: GameNumber) -> anyhow::Result<Game> {
    let game = collection.game(number)?;
    game.with_context(|| format!("there is no game {number} in the collection"))
}

/// The games of a player in a collection.
fn games_of(collection: &Collection, player: &str) -> anyhow::Result<Vec<String>> {
    let filter = Filter {
        player: Some(player.to_owned()),
        ..Filter::default()
    };
    let mut games = Vec::new();
    collection.for_each_game(&filter, |_, game| {
        games.push(pgn::to_string(&game));
        Ok::<(), FormatError>(())
    })?;
    if games.is_empty() {
        bail!("the collection has no games of {player}");
    }
    Ok(games)
}

/// The texts of the games in a PGN file.
fn read_games(path: &Path) -> anyhow::Result<Vec<String>> {
    let name = || path.display().to_string();
    let mut games = Vec::new();
    for input in Input::at(path).with_context(name)? {
        let mut splitter = Splitter::new(input.open(Arc::default()).with_context(name)?);
        loop {
            let mut text = Vec::new();
            if splitter.next_into(&mut text).with_context(name)?.is_none() {
                break;
            }
            games.push(String::from_utf8_lossy(&text).into_owned());
        }
    }
    if games.is_empty() {
        bail!("{} holds no game", path.display());
    }
    Ok(games)
}
