//! Lucene on the same documents, in its best way and in the paper's (`lucene/Peer.java`).
//!
//! Its best way is that of tantivy: a term for each distance, frequencies, and block-max WAND. The
//! paper's way keeps the weight of each term as a payload, and cannot skip documents.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, BufWriter, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use shakmaty::{Board, Position};
use tabiya_chess::Game;
use tabiya_retrieval::{Collection, GameNumber, Query, Statistics, rank::Scorer, term::Encoding};
use tempfile::TempDir;

use crate::{
    building::{Built, peak_memory},
    peer,
    timing::Measured,
};

/// How Lucene finds the weight of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// In the term.
    Pruned,
    /// In a payload.
    Payloads,
}

impl Way {
    /// What reports call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Way::Pruned => "Lucene, pruned",
            Way::Payloads => "Lucene, payloads",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Way::Pruned => "pruned",
            Way::Payloads => "payloads",
        }
    }

    fn text(self, board: &Board) -> String {
        match self {
            Way::Pruned => peer::text(board),
            Way::Payloads => {
                let mut text = String::new();
                for (term, weight) in Encoding::of_document(board).iter() {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "{term}|{} ", weight.sixty_fourths());
                }
                text
            }
        }
    }

    fn gains(self, query: &Query, statistics: &Statistics) -> Vec<(String, f64)> {
        match self {
            Way::Pruned => peer::gains(query, statistics),
            Way::Payloads => {
                let scorer = Scorer::new(query.position.board(), &query.ranking, statistics);
                let gains = scorer.gains().iter();
                gains
                    .map(|(term, gain)| (term.to_string(), *gain))
                    .collect()
            }
        }
    }
}

/// A running Lucene with an index.
pub(crate) struct Lucene {
    way: Way,
    child: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// Compiles the peer for the jars of a class path; the folder has the classes.
pub(crate) fn compile(jars: &str) -> Result<TempDir> {
    let folder = TempDir::new()?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("lucene/Peer.java");
    let compiled = Command::new("javac")
        .args(["-cp", jars, "-d"])
        .args([folder.path(), &source])
        .status()
        .context("javac")?;
    ensure!(
        compiled.success(),
        "javac failed; LUCENE must name the jars of lucene-core and lucene-queries 8, separated by colons"
    );
    Ok(folder)
}

impl Lucene {
    /// Builds an index over the positions of a collection, in one segment.
    pub(crate) fn build(
        way: Way,
        (jars, classes): (&str, &Path),
        collection: &Collection,
        games: &[(GameNumber, Game)],
    ) -> Result<(Lucene, Built)> {
        let folder = TempDir::new()?;
        let mut child = Command::new("java")
            .args(["-Xmx3g", "-cp"])
            .arg(format!("{jars}:{}", classes.display()))
            .args(["Peer", way.word()])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("java")?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.context("java has no pipes")?;
        let mut lucene = Lucene {
            way,
            child,
            input: BufWriter::new(input),
            output: BufReader::new(output),
        };
        let skip = collection.manifest().skip.into();
        let mut positions = 0;
        for (number, game) in games {
            for (_, board) in peer::boards(game, skip) {
                writeln!(lucene.input, "{} {}", number.0, way.text(&board).trim_end())?;
                positions += 1;
            }
        }
        writeln!(lucene.input)?;
        let seconds: f64 = lucene.line()?.trim().parse()?;
        let built = Built {
            folder,
            games: collection.games(),
            positions,
            took: Duration::from_secs_f64(seconds),
            peak: peak_memory(lucene.child.id()),
        };
        Ok((lucene, built))
    }

    /// Runs every query once to warm up and once for the clock. The answers are the games of the best
    /// positions.
    pub(crate) fn measure(
        &mut self,
        queries: &[Query],
        statistics: &Statistics,
    ) -> Result<Measured<Vec<u64>>> {
        for query in queries {
            self.ask(query, statistics)?;
        }
        let mut measured = Measured {
            latencies: Vec::new(),
            answers: Vec::new(),
        };
        for query in queries {
            let (took, games) = self.ask(query, statistics)?;
            measured.latencies.push(took);
            measured.answers.push(games);
        }
        Ok(measured)
    }

    fn ask(&mut self, query: &Query, statistics: &Statistics) -> Result<(Duration, Vec<u64>)> {
        write!(self.input, "{}", peer::depth(query.top))?;
        for (term, gain) in self.way.gains(query, statistics) {
            write!(self.input, " {term}^{gain}")?;
        }
        writeln!(self.input)?;
        let line = self.line()?;
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        let took = numbers.next().context("Lucene gave no time")??;
        let mut games: Vec<u64> = Vec::new();
        for game in numbers {
            let game = game?;
            if games.len() < query.top && !games.contains(&game) {
                games.push(game);
            }
        }
        Ok((Duration::from_nanos(took), games))
    }

    fn line(&mut self) -> Result<String> {
        self.input.flush()?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("Lucene ended early; see its message above");
        }
        Ok(line)
    }
}

impl Drop for Lucene {
    fn drop(&mut self) {
        // It has no work left; that it has ended already is no fault.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
