//! Builds a collection in a separate process, so that its peak memory is that of the import
//! alone.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use tabiya_bench::bytes_in;
use tabiya_chess::pgn::Input;
use tabiya_retrieval::{
    Collection,
    collection::{Import, Progress},
};
use tempfile::TempDir;

use crate::{
    corpus::Corpus,
    table::{Table, count},
};

/// An index with its build time and memory.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) folder: TempDir,
    pub(crate) games: u64,
    pub(crate) positions: u64,
    pub(crate) took: Duration,
    /// The peak memory in bytes, if the system reports it.
    pub(crate) peak: Option<u64>,
}

impl Built {
    pub(crate) fn open(&self) -> Result<Collection> {
        Ok(Collection::open(self.folder.path())?)
    }

    fn row(&self, name: &str) -> Result<Vec<String>> {
        let bytes = bytes_in(self.folder.path(), false)?;
        let positions = self.positions.max(1) as f64;
        let rate = positions / self.took.as_secs_f64().max(1e-9);
        let peak = self
            .peak
            .map_or("-".to_owned(), |it| count(it.div_ceil(1 << 20)));
        Ok(vec![
            name.to_owned(),
            count(self.games),
            count(self.positions),
            format!("{:.2}", self.took.as_secs_f64()),
            count(rate as u64),
            peak,
            format!("{:.1}", bytes as f64 / positions),
        ])
    }
}

/// The table of build times, one row per index.
pub(crate) fn table(built: &[(&str, &Built)]) -> Table {
    let mut table = Table::new(
        "Building",
        &[
            "index",
            "games",
            "positions",
            "seconds",
            "positions/s",
            "peak MiB",
            "bytes/position",
        ],
    );
    for (name, built) in built {
        match built.row(name) {
            Ok(row) => table.row(row),
            Err(error) => table.note(&format!("{name}: {error}")),
        }
    }
    table
}

/// Builds a collection from a corpus in a child process of this program.
pub(crate) fn build(corpus: &Corpus) -> Result<Built> {
    let folder = TempDir::new()?;
    let child = Command::new(env::current_exe()?)
        .arg(corpus.path())
        .arg("--build-into")
        .arg(folder.path())
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(
        child.status.success(),
        "cannot build a collection from {}; see the message above",
        corpus.name()
    );
    let printed = String::from_utf8(child.stdout)?;
    parse(&printed, folder).with_context(|| format!("the builder printed \"{}\"", printed.trim()))
}

/// The child process: builds the collection and prints its time and memory.
pub(crate) fn build_here(pgn: &Path, folder: &Path) -> Result<()> {
    let import = Import::new(Input::at(pgn)?);
    let begin = Instant::now();
    let report = import.run(folder, &Progress::default())?;
    let took = begin.elapsed();
    if let Some((input, reason)) = report.failed_inputs.first() {
        bail!("{input}: {reason}");
    }
    let peak = peak_memory(std::process::id()).map_or(String::new(), |it| it.to_string());
    let (games, positions) = (report.games, report.positions);
    println!("{games} {positions} {} {peak}", took.as_nanos());
    Ok(())
}

fn parse(printed: &str, folder: TempDir) -> Result<Built> {
    let numbers = printed
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<Vec<u64>, _>>()?;
    let [games, positions, nanoseconds, ref peak @ ..] = numbers[..] else {
        bail!("expected games, positions, nanoseconds and the peak");
    };
    Ok(Built {
        folder,
        games,
        positions,
        took: Duration::from_nanos(nanoseconds),
        peak: peak.first().copied(),
    })
}

/// The peak memory of a process in bytes; Linux only.
pub(crate) fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
