//! `tabiya-lab contest`: games between UCI programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use tabiya_terminal::json;

use crate::contest::{Budget, Entrant, News, Played, Rules, Score, Series, read_openings};
use crate::rating::{SPRT_BOUND, likelihood_ratio, paired};

/// Play games between two UCI programs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab contest --engine 'tabiya uci;go=nodes:20000' \\\n    --engine 'stockfish;name=SF-2023;UCI_LimitStrength=true;UCI_Elo=2023;go=nodes:50000' \\\n    --games 200 --openings sample/openings.tsv --pgn games.pgn"
)]
pub(crate) struct Options {
    /// A program with its arguments, then `;name=value` for UCI options, for
    /// `name` and for `go` (10+0.1, nodes:50000, depth:7). Give two.
    #[arg(long, required = true, value_parser = program)]
    engine: Vec<Program>,
    /// Games to play.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Time control for programs without a `go` of their own.
    #[arg(long, default_value = "10+0.1")]
    tc: Budget,
    /// Openings: a table with a column `moves`, or one line of moves per line.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Cut openings to N plies; openings that are then equal count once.
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// Number of concurrent games.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Append the games to this file; games already there are not played again.
    #[arg(long)]
    pgn: Option<PathBuf>,
    /// Play every game to its end.
    #[arg(long)]
    no_adjudication: bool,
    /// Seconds that a program without a clock has for a move before it forfeits.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    guard: u64,
    /// Stop when a sequential test (SPRT) between these Elo differences is decided, such as `0,10`.
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = hypotheses)]
    sprt: Option<(f64, f64)>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// Reads two Elo differences, the lower one first.
fn hypotheses(text: &str) -> Result<(f64, f64), &'static str> {
    let number = |it: &str| it.trim().parse::<f64>().ok().filter(|it| it.is_finite());
    text.split_once(',')
        .and_then(|(low, high)| Some((number(low)?, number(high)?)))
        .filter(|(low, high)| low < high)
        .ok_or("give two numbers, the lower one first, as in 0,10")
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let entrants = entrants(options)?;
    let mut openings = openings(options.openings.as_deref())?;
    if let Some(plies) = options.opening_plies {
        cut(&mut openings, plies);
    }
    let rules = Rules {
        games: options.games,
        openings,
        concurrency: options.concurrency,
        adjudicate: !options.no_adjudication,
        guard: Duration::from_secs(options.guard),
    };
    let series = Series {
        entrants,
        rules,
        pgn: options.pgn.clone(),
    };
    let stop = stop_on_interrupt()?;
    let score = series.play(&stop, |score, news| {
        match news {
            News::Remark(entrant, remark) => eprintln!("{}: {remark}", entrant.name),
            News::Played(_) if options.json => (),
            News::Played(played) => eprintln!("{}", line(score, &series.entrants, played)),
        }
        if let Some((low, high)) = options.sprt
            && likelihood_ratio(score.pairs, low, high).abs() >= SPRT_BOUND
        {
            stop.store(true, Ordering::SeqCst);
        }
    })?;
    summarize(options, &series.entrants, &score)
}

/// Openings from a file; without one, the usual start.
pub(crate) fn openings(path: Option<&Path>) -> anyhow::Result<Vec<Vec<shakmaty::Move>>> {
    let openings = match path {
        Some(path) => {
            read_openings(path).with_context(|| format!("cannot read {}", path.display()))?
        }
        None => vec![Vec::new()],
    };
    anyhow::ensure!(
        !openings.is_empty(),
        "no openings in the file; give one line of moves per line"
    );
    Ok(openings)
}

/// Cuts openings; keeps the first of those that are then equal.
fn cut(openings: &mut Vec<Vec<shakmaty::Move>>, plies: usize) {
    let mut seen = Vec::new();
    openings.retain_mut(|it| {
        it.truncate(plies);
        let is_new = !seen.contains(it);
        if is_new {
            seen.push(it.clone());
        }
        is_new
    });
}

/// The engine of this build as an entrant.
pub(crate) fn own_engine(
    name: &str,
    options: Vec<(String, String)>,
    go: Budget,
) -> anyhow::Result<Entrant> {
    let program = std::env::current_exe().context("cannot find this program")?;
    Ok(Entrant {
        name: name.to_owned(),
        command: format!("{} uci", program.display()),
        options,
        go,
    })
}

/// A flag that an interrupt sets; the games played so far are kept.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || handler.store(true, Ordering::SeqCst))?;
    Ok(stop)
}

/// A program as it is named on the command line.
#[derive(Clone, Debug)]
struct Program {
    name: Option<String>,
    command: String,
    options: Vec<(String, String)>,
    go: Option<Budget>,
}

fn program(text: &str) -> Result<Program, String> {
    let mut parts = text.split(';');
    let mut program = Program {
        name: None,
        command: parts.next().unwrap_or_default().trim().to_owned(),
        options: Vec::new(),
        go: None,
    };
    for part in parts {
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| format!("\"{part}\" is not of the form name=value"))?;
        match name.trim() {
            "name" => program.name = Some(value.to_owned()),
            "go" => program.go = Some(value.parse().map_err(|it| format!("go: {it}"))?),
            name => program.options.push((name.to_owned(), value.to_owned())),
        }
    }
    Ok(program)
}

fn entrants(options: &Options) -> anyhow::Result<[Entrant; 2]> {
    let entrant = |it: &Program| Entrant {
        name: it.name.as_ref().unwrap_or(&it.command).clone(),
        command: it.command.clone(),
        options: it.options.clone(),
        go: it.go.unwrap_or(options.tc),
    };
    let entrants: Vec<Entrant> = options.engine.iter().map(entrant).collect();
    let entrants: [Entrant; 2] = entrants
        .try_into()
        .map_err(|_| anyhow::anyhow!("give --engine exactly twice"))?;
    anyhow::ensure!(
        entrants[0].name != entrants[1].name,
        "both programs have the name \"{}\"; give one another with ;name=",
        entrants[0].name
    );
    Ok(entrants)
}

pub(crate) fn line(score: &Score, entrants: &[Entrant; 2], played: &Played) -> String {
    let [won, drawn, lost] = score.counts;
    let elo =
        paired(score.pairs).map(|it| format!("{:+.0} [{:+.0}, {:+.0}]", it.elo, it.low, it.high));
    format!(
        "{} {won}-{drawn}-{lost} {} ({:.1} %), Elo {}, forfeits {}-{}; game {}: {} {:?}",
        entrants[0].name,
        entrants[1].name,
        100.0 * score.share(),
        elo.as_deref().unwrap_or("-"),
        score.forfeits[0],
        score.forfeits[1],
        played.number + 1,
        played.outcome,
        played.end,
    )
}

fn summarize(options: &Options, entrants: &[Entrant; 2], score: &Score) -> anyhow::Result<()> {
    let result = paired(score.pairs);
    let ratio = options
        .sprt
        .map(|(low, high)| likelihood_ratio(score.pairs, low, high));
    if options.json {
        return json::print(&serde_json::json!({
            "first": entrants[0].name, "second": entrants[1].name, "counts": score.counts, "with_white": score.with_white,
            "pairs": score.pairs, "forfeits": score.forfeits, "match": result, "likelihood_ratio": ratio,
        }));
    }
    let [won, drawn, lost] = score.counts;
    say!(
        "{} against {}: {won}-{drawn}-{lost}, {:.1} %",
        entrants[0].name,
        entrants[1].name,
        100.0 * score.share()
    );
    let judged = result.map(|it| {
        format!(
            "{:+.1} [{:+.1}, {:+.1}], superiority {:.1} %",
            it.elo,
            it.low,
            it.high,
            100.0 * it.superiority
        )
    });
    say!(
        "Elo {}, pairs {:?}, forfeits {:?}",
        judged.as_deref().unwrap_or("-"),
        score.pairs,
        score.forfeits
    );
    if let Some(ratio) = ratio {
        say!("log-likelihood ratio {ratio:.2} of ±{:.2}", SPRT_BOUND);
    }
    Ok(())
}
