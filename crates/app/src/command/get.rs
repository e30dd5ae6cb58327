//! `tabiya get`: fetch a public collection by its name and index it while it arrives.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use anyhow::bail;
use clap::Args;
use indicatif::DecimalBytes;
use serde::Serialize;
use tabiya_chess::pgn::{Input, Stream};
use tabiya_fetch::{
    Check, Download, Settings,
    catalog::{self, ENTRIES, Item},
};
use tabiya_retrieval::collection::{Progress, Report};

use tabiya_terminal::{
    cache, json,
    progress::{Bar, on_interrupt},
    screen, style,
};

use super::import::{ImportParameters, print, rates};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya get
  tabiya get twic-1490..1500 --db twic
  tabiya get lichess-2024-01 --db strong --elo 2200- --time-control 600-
  tabiya get lichess-puzzles --db puzzles

Without a name, lists the collections; nothing is fetched. The games are indexed while they arrive,
and become part of the collection when the whole file has arrived and passed its checks: the size,
and the SHA-256 checksum where one is published. With --limit, the download stops when the games are
taken, and these checks are left out. A cut connection is continued. After Ctrl-C, run the same
command again: it continues the download. --time-control compares base + 40 increments.")]
pub(crate) struct Options {
    /// Name of a collection, or a range such as twic-1490..1500
    #[arg(value_name = "NAME", requires = "db")]
    name: Option<String>,

    /// Directory of the collection
    #[arg(long, value_name = "DIR", requires = "name")]
    db: Option<PathBuf>,

    /// Address to fetch from instead of the collection's own, such as a mirror
    #[arg(long, value_name = "URL")]
    from: Option<String>,

    /// Keep the downloaded file
    #[arg(long)]
    keep: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    import: ImportParameters,
}

/// A row of the list.
#[derive(Serialize)]
struct Row {
    name: String,
    what: &'static str,
    size: &'static str,
    license: &'static str,
    address: &'static str,
}

#[derive(Serialize)]
struct List {
    collections: Vec<Row>,
}

/// A file in a summary.
#[derive(Serialize)]
struct Fetched<'a> {
    name: &'a str,
    address: &'a str,
    license: &'static str,
    bytes: u64,
    /// What the file was checked against, if it was: `sha256` or `size`.
    checked: Option<&'static str>,
    /// Where the file is kept, if it is.
    kept: Option<&'a Path>,
    #[serde(flatten)]
    indexed: &'a Report,
}

#[derive(Serialize)]
struct Summary<'a> {
    games: u64,
    positions: u64,
    collections: Vec<Fetched<'a>>,
    canceled: bool,
    seconds: f64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    match (&options.name, &options.db) {
        (Some(name), Some(db)) => get(&catalog::find(name)?, db, options),
        _ => list(options.json),
    }
}

fn list(as_json: bool) -> anyhow::Result<()> {
    let rows = ENTRIES.iter().map(|it| Row {
        name: it.pattern(),
        what: it.what,
        size: it.size,
        license: it.license,
        address: it.base,
    });
    let list = List {
        collections: rows.collect(),
    };
    if as_json {
        return json::print(&list);
    }
    for row in &list.collections {
        say!("{}{}{}", style::STRONG, row.name, style::PLAIN);
        say!("  {}", row.what);
        let terms = format!("  size: {}; license: {}", row.size, row.license);
        screen::print("    ", &terms);
    }
    say!("fetch one with: tabiya get NAME --db DIR");
    Ok(())
}

fn get(items: &[Item], db: &Path, options: &Options) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut run = Run {
        db,
        options,
        progress: Arc::default(),
        stop: Arc::default(),
        left: options.import.limit(),
    };
    on_interrupt({
        let (progress, stop) = (run.progress.clone(), run.stop.clone());
        move || {
            stop.store(true, Ordering::Relaxed);
            progress.cancel();
        }
    });
    let (done, failure) = run.get_all(items);
    let is_stopped = run.stop.load(Ordering::Relaxed) && failure.is_some();
    if options.json {
        json::print(&Summary {
            games: done.iter().map(|it| it.report.games).sum(),
            positions: done.iter().map(|it| it.report.positions).sum(),
            collections: done.iter().map(Done::summary).collect(),
            canceled: is_stopped,
            seconds: begin.elapsed().as_secs_f64(),
        })?;
    }
    let Some(failure) = failure else {
        return Ok(());
    };
    let rest = catalog::range(&items[done.len()..]);
    let again = format!("continue with: tabiya get {rest} --db {}", db.display());
    if is_stopped {
        bail!("stopped; the download so far is kept, {again} (and the same options)");
    }
    match done.is_empty() {
        true => Err(failure),
        false => Err(failure.context(format!("{} of {} done; {again}", done.len(), items.len()))),
    }
}

/// A file that was fetched and indexed.
struct Done<'a> {
    item: &'a Item,
    address: String,
    bytes: u64,
    check: Check,
    kept: Option<PathBuf>,
    report: Report,
}

impl Done<'_> {
    fn summary(&self) -> Fetched<'_> {
        Fetched {
            name: &self.item.name,
            address: &self.address,
            license: self.item.entry.license,
            bytes: self.bytes,
            checked: match self.check {
                Check::Checksum => Some("sha256"),
                Check::Size => Some("size"),
                Check::Nothing => None,
            },
            kept: self.kept.as_deref(),
            indexed: &self.report,
        }
    }

    fn print(&self, seconds: f64, folder: &Path) {
        print(&self.report, seconds, folder);
        let check = match self.check {
            Check::Checksum => "its SHA-256 checksum is the published one",
            Check::Size => "its size is right; no checksum is published",
            Check::Nothing => "it was not checked, because it was not read to its end",
        };
        say!(
            "fetched {} from {}: {check}",
            DecimalBytes(self.bytes),
            self.address
        );
        if let Some(path) = &self.kept {
            say!("the download is kept in {}", path.display());
        }
    }
}

/// What the files of one run share.
struct Run<'a> {
    db: &'a Path,
    options: &'a Options,
    progress: Arc<Progress>,
    stop: Arc<AtomicBool>,
    /// Games that may still be taken.
    left: Option<u64>,
}

impl Run<'_> {
    /// Gets one file after another, up to the first failure.
    fn get_all<'a>(&mut self, items: &'a [Item]) -> (Vec<Done<'a>>, Option<anyhow::Error>) {
        let mut done = Vec::new();
        for item in items {
            if self.left == Some(0) {
                break;
            }
            match self.get(item) {
                Ok(it) => done.push(it),
                Err(error) => return (done, Some(error)),
            }
        }
        (done, None)
    }

    fn get<'a>(&mut self, item: &'a Item) -> anyhow::Result<Done<'a>> {
        if !self.options.json {
            say!("{}: {}", item.name, item.entry.what);
            say!("license: {}", item.entry.license);
        }
        let begin = Instant::now();
        let base = self.options.from.as_deref();
        let notice = |text: &str| anstream::eprintln!("{text}");
        let download = Download::start(
            item,
            base,
            &cache::downloads(),
            &Settings::default(),
            self.stop.clone(),
            notice,
        )?;
        let report = self.index(item, &download)?;
        if let Some((_, reason)) = report.failed_inputs.first() {
            bail!("{reason}; the collection is unchanged");
        }
        if report.canceled {
            bail!("stopped");
        }
        let taken = report.games + report.duplicates;
        self.left = self.left.map(|it| it.saturating_sub(taken));
        let done = Done {
            item,
            address: item.address(base),
            bytes: download.progress().stored.load(Ordering::Relaxed),
            check: download.check(),
            kept: self.settle(download)?,
            report,
        };
        if !self.options.json {
            done.print(begin.elapsed().as_secs_f64(), self.db);
        }
        Ok(done)
    }

    /// Indexes a download while it arrives.
    fn index(&self, item: &Item, download: &Download) -> anyhow::Result<Report> {
        let stream = Stream::new(&item.name, download.text()?);
        let mut import = self.options.import.import(vec![Input::Stream(stream)]);
        import.selection.limit = self.left;
        import.all_or_nothing = true;
        let (begin, total) = (Instant::now(), download.total());
        let (indexed, fetched) = (self.progress.clone(), download.progress());
        let _bar = Bar::start(total, move || {
            let seconds = begin.elapsed().as_secs_f64().max(0.001);
            let [stored, arrived, read] = [&fetched.stored, &fetched.arrived, &fetched.read]
                .map(|it| it.load(Ordering::Relaxed));
            let all = total.map_or(String::new(), |it| format!(" of {}", DecimalBytes(it)));
            let rate = DecimalBytes((arrived as f64 / seconds) as u64);
            let games = rates(&indexed, begin);
            (
                read,
                format!("{}{all}, {rate}/s, {games}", DecimalBytes(stored)),
            )
        });
        Ok(import.run(self.db, &self.progress)?)
    }

    fn settle(&self, download: Download) -> anyhow::Result<Option<PathBuf>> {
        if self.options.keep {
            return Ok(Some(download.keep()?));
        }
        download.remove();
        Ok(None)
    }
}
