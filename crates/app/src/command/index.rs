//! `tabiya index`: add PGN files and bases to a collection.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use tabiya_chess::pgn::Source;
use tabiya_question::shape::ImportReport;
use tabiya_retrieval::collection::{Import, Progress, Report};

use tabiya_terminal::{json, progress::Bar, progress::grouped, progress::on_interrupt, style};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya index games.pgn more.pgn.zst --db my-games
  zcat twic*.pgn.gz | tabiya index - --db twic
  tabiya index base.si4 Mega.cbv --db my-games

A game with an error is kept up to the error if an indexed position comes before it. The file
import.log in the collection lists all errors. Ctrl-C keeps the games indexed so far.")]
pub(crate) struct Options {
    /// PGN files (plain, .zst, .gz, .bz2), bases (.si4, .si5, .cbh, .cbv), folders of them, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pgn: Vec<PathBuf>,

    /// Directory of the collection
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Number of opening plies to leave out of the index [default: 24, or as the collection has it]
    #[arg(long, value_name = "PLIES")]
    skip: Option<u16>,

    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    indexed: ImportReport<'a>,
    cancelled: bool,
    seconds: f64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut sources = Vec::new();
    for path in &options.pgn {
        sources.extend(Source::at(path).with_context(|| path.display().to_string())?);
    }
    let total = sources.iter().map(Source::size).sum::<Option<u64>>();
    let import = Import {
        sources,
        skip: options.skip,
        threads: options.threads.map(usize::from),
    };
    let progress = Arc::new(Progress::default());
    on_interrupt({
        let progress = progress.clone();
        move || progress.cancel()
    });
    let begin = Instant::now();
    let report = {
        let seen = progress.clone();
        let _bar = Bar::start(total, move || look(&seen, begin));
        import.run(&options.db, &progress)?
    };
    let seconds = begin.elapsed().as_secs_f64();
    if options.json {
        json::print(&Summary {
            indexed: ImportReport::from(&report),
            cancelled: report.cancelled,
            seconds,
        })?;
    } else {
        print(&report, seconds, &options.db);
    }
    if !report.failed_sources.is_empty() {
        bail!(
            "{} of the files could not be read to the end; see the messages above",
            report.failed_sources.len()
        );
    }
    if report.cancelled {
        bail!(
            "stopped early; run the same command again to continue (games already indexed are skipped)"
        );
    }
    Ok(())
}

fn look(progress: &Progress, begin: Instant) -> (u64, String) {
    let seconds = begin.elapsed().as_secs_f64().max(0.001);
    let games = progress.games.load(Ordering::Relaxed);
    let positions = progress.positions.load(Ordering::Relaxed);
    let rate = |count: u64| grouped((count as f64 / seconds) as u64);
    let message = format!(
        "{} games, {} games/s, {} positions/s",
        grouped(games),
        rate(games),
        rate(positions)
    );
    (progress.consumed.load(Ordering::Relaxed), message)
}

fn print(report: &Report, seconds: f64, folder: &std::path::Path) {
    for problem in &report.problems {
        anstream::eprintln!("{}{problem}{}", style::FAINT, style::PLAIN);
    }
    let with_errors = report.skipped + report.cut_short;
    if with_errors > report.problems.len() as u64 {
        anstream::eprintln!(
            "... and more: {} lists all {}",
            folder.join("import.log").display(),
            grouped(with_errors)
        );
    }
    for (source, reason) in &report.failed_sources {
        anstream::eprintln!("{}{source}: {reason}{}", style::ERROR, style::PLAIN);
    }
    say!(
        "added {}{} games{} with {} positions in {seconds:.1} s ({} positions/s)",
        style::STRONG,
        grouped(report.games),
        style::PLAIN,
        grouped(report.positions),
        grouped((report.positions as f64 / seconds.max(0.001)) as u64),
    );
    let rows = [
        (report.duplicates, "duplicates skipped"),
        (
            report.deleted,
            "games skipped that are marked as deleted in their base",
        ),
        (report.skipped, "unreadable games or variants skipped"),
        (report.cut_short, "games kept up to their first error"),
        (report.variations, "variations skipped"),
        (
            report.disagreeing_results,
            "games whose Result tag contradicts the result after the moves",
        ),
    ];
    for (count, what) in rows.into_iter().filter(|it| it.0 > 0) {
        say!("{:>12} {what}", grouped(count));
    }
}
