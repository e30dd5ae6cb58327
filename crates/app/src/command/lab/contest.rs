//! `tabiya lab contest`: games between UCI programs.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use anyhow::Context;
use tabiya_chess::pgn::{self, Source, Splitter};
use tabiya_lab::contest::{Budget, End, Entrant, Played, Rules, Score, play, read_openings};
use tabiya_lab::rating::{likelihood_ratio, paired};

/// Play games between two UCI programs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya lab contest --engine 'tabiya uci;go=nodes:20000' \\\n    --engine 'stockfish;name=SF-2023;UCI_LimitStrength=true;UCI_Elo=2023;go=nodes:50000' \\\n    --games 200 --openings sample/openings.tsv --pgn games.pgn"
)]
pub(crate) struct Options {
    /// A program with its arguments, then `;name=value` for UCI options, for
    /// `name` and for `go` (10+0.1, nodes:50000, depth:7). Give two.
    #[arg(long, required = true)]
    engine: Vec<String>,
    /// Games to play.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Time control for programs without a `go` of their own.
    #[arg(long, default_value = "10+0.1")]
    tc: String,
    /// Openings: a table with a column `moves`, or a line of moves a line.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Games at the same time.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Append the games to this file; games already there are not played again.
    #[arg(long)]
    pgn: Option<PathBuf>,
    /// Play every game to its end.
    #[arg(long)]
    no_adjudication: bool,
    /// Stop when a sequential test between these two Elo differences is decided, as in `0,10`.
    #[arg(long, value_delimiter = ',', num_args = 2)]
    sprt: Vec<f64>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let entrants = entrants(options)?;
    let openings = match &options.openings {
        Some(path) => {
            read_openings(path).with_context(|| format!("cannot read {}", path.display()))?
        }
        None => vec![Vec::new()],
    };
    anyhow::ensure!(
        !openings.is_empty(),
        "no openings in the file; give a line of moves a line"
    );
    let rules = Rules {
        games: options.games,
        openings,
        concurrency: options.concurrency,
        adjudicate: !options.no_adjudication,
    };
    let mut score = Score::default();
    let done = already_played(options, &entrants, &mut score)?;
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || handler.store(true, std::sync::atomic::Ordering::SeqCst))?;
    let file = options
        .pgn
        .as_ref()
        .map(|path| OpenOptions::new().create(true).append(true).open(path))
        .transpose()?;
    let halt = Arc::clone(&stop);
    let mut trouble = None;
    play(&entrants, &rules, done, &stop, |played| {
        score.add(&played);
        if let Some(error) = file
            .as_ref()
            .and_then(|it| append(it, &played, &entrants).err())
        {
            trouble = Some(error);
            halt.store(true, std::sync::atomic::Ordering::SeqCst);
        }
        if !options.json {
            eprintln!("{}", line(&score, &entrants, &played));
        }
        if let [low, high] = options.sprt[..]
            && likelihood_ratio(score.pairs, low, high).abs() >= tabiya_lab::rating::SPRT_BOUND
        {
            halt.store(true, std::sync::atomic::Ordering::SeqCst);
        }
    })
    .map_err(|failure| anyhow::anyhow!("{failure}; check the command after --engine"))?;
    if let Some(error) = trouble {
        return Err(error);
    }
    summarize(options, &entrants, &score)
}

fn entrants(options: &Options) -> anyhow::Result<[Entrant; 2]> {
    let entrants = options
        .engine
        .iter()
        .map(|it| entrant(it, &options.tc))
        .collect::<anyhow::Result<Vec<_>>>()?;
    entrants
        .try_into()
        .map_err(|_| anyhow::anyhow!("give --engine exactly twice"))
}

fn entrant(text: &str, tc: &str) -> anyhow::Result<Entrant> {
    let mut parts = text.split(';');
    let command = parts.next().unwrap_or_default().trim().to_owned();
    let mut entrant = Entrant {
        name: command.clone(),
        command,
        options: Vec::new(),
        go: budget(tc)?,
    };
    for part in parts {
        let (name, value) = part
            .split_once('=')
            .with_context(|| format!("\"{part}\" is not of the form name=value"))?;
        match name.trim() {
            "name" => entrant.name = value.to_owned(),
            "go" => entrant.go = budget(value)?,
            name => entrant.options.push((name.to_owned(), value.to_owned())),
        }
    }
    Ok(entrant)
}

fn budget(text: &str) -> anyhow::Result<Budget> {
    Budget::parse(text)
        .with_context(|| format!("cannot read \"{text}\"; write 10+0.1, nodes:50000 or depth:7"))
}

/// Counts the games in the output file; the contest goes on after them.
fn already_played(
    options: &Options,
    entrants: &[Entrant; 2],
    score: &mut Score,
) -> anyhow::Result<usize> {
    let Some(path) = options.pgn.as_ref().filter(|it| it.exists()) else {
        return Ok(0);
    };
    let mut splitter = Splitter::new(Source::File(path.clone()).open(Arc::new(AtomicU64::new(0)))?);
    let mut text = Vec::new();
    let mut count = 0;
    while splitter.next_into(&mut text)?.is_some() {
        let game = pgn::read(&text).game;
        text.clear();
        let Some(game) = game else { continue };
        let first_is_white = game.tags.white == entrants[0].name;
        let names = (game.tags.white.as_str(), game.tags.black.as_str());
        let ours = names == (entrants[0].name.as_str(), entrants[1].name.as_str())
            || names == (entrants[1].name.as_str(), entrants[0].name.as_str());
        anyhow::ensure!(
            ours,
            "{} holds games of other players; give another file",
            path.display()
        );
        let (Some(outcome), Ok(round)) =
            (game.tags.result.known(), game.tags.round.parse::<usize>())
        else {
            continue;
        };
        score.add(&Played {
            number: round.saturating_sub(1),
            first_is_white,
            outcome,
            end: End::Rules,
            moves: Vec::new(),
        });
        count += 1;
    }
    Ok(count)
}

fn append(
    mut file: &std::fs::File,
    played: &Played,
    entrants: &[Entrant; 2],
) -> anyhow::Result<()> {
    let mut text = String::new();
    pgn::write(
        &played.to_game(&entrants[0].name, &entrants[1].name),
        &mut text,
    )?;
    file.write_all(text.as_bytes())?;
    Ok(())
}

fn line(score: &Score, entrants: &[Entrant; 2], played: &Played) -> String {
    let [won, drawn, lost] = score.counts;
    let result = paired(score.pairs);
    format!(
        "{} {won}-{drawn}-{lost} {} ({:.1} %), Elo {:+.0} [{:+.0}, {:+.0}], forfeits {}-{}; game {}: {} {:?}",
        entrants[0].name,
        entrants[1].name,
        100.0 * score.share(),
        result.elo,
        result.low,
        result.high,
        score.forfeits[0],
        score.forfeits[1],
        played.number + 1,
        played.outcome,
        played.end,
    )
}

fn summarize(options: &Options, entrants: &[Entrant; 2], score: &Score) -> anyhow::Result<()> {
    let result = paired(score.pairs);
    let ratio = if let [low, high] = options.sprt[..] {
        Some(likelihood_ratio(score.pairs, low, high))
    } else {
        None
    };
    if options.json {
        println!(
            "{}",
            serde_json::json!({
                "first": entrants[0].name, "second": entrants[1].name, "counts": score.counts, "with_white": score.with_white,
                "pairs": score.pairs, "forfeits": score.forfeits, "match": result, "likelihood_ratio": ratio,
            })
        );
        return Ok(());
    }
    let [won, drawn, lost] = score.counts;
    println!(
        "{} against {}: {won}-{drawn}-{lost}, {:.1} %",
        entrants[0].name,
        entrants[1].name,
        100.0 * score.share()
    );
    println!(
        "Elo {:+.1} [{:+.1}, {:+.1}], superiority {:.1} %, pairs {:?}, forfeits {:?}",
        result.elo,
        result.low,
        result.high,
        100.0 * result.superiority,
        score.pairs,
        score.forfeits
    );
    if let Some(ratio) = ratio {
        println!(
            "log-likelihood ratio {ratio:.2} of ±{:.2}",
            tabiya_lab::rating::SPRT_BOUND
        );
    }
    Ok(())
}
