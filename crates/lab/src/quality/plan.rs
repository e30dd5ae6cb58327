//! Plan: would one play alike in the query and in a hit? Another engine judges.
//!
//! A hit gets two points if the engine's best move is the same in both positions after turning,
//! one if the move played in the hit is good in the query, and one if the evaluations are near.
//! What the engine said is kept in a file, so that no position is judged twice.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use shakmaty::{Chess, Position, uci::UciMove};
use tabiya_chess::position;
use tabiya_retrieval::Collection;

use super::{Ranking, Values, games::answers};
use crate::{
    contest::{Budget, Entrant, Player},
    next_move::Case,
};

/// How many hits count.
const TOP: usize = 5;

/// A move that costs at most this much is good, in centipawns.
const GOOD: i32 = 30;

/// Evaluations that differ by less are near.
const NEAR: i32 = 50;

/// How long the engine may take for a position.
const PATIENCE: Duration = Duration::from_secs(120);

/// An engine that judges positions, and what it said so far.
pub(crate) struct Judge {
    player: Player,
    nodes: u64,
    known: HashMap<String, Verdict>,
    kept: Option<File>,
}

/// What the engine says of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Verdict {
    /// The best move; `(none)` where the game is over.
    best: String,
    /// In centipawns, as the player to move sees it.
    score: i32,
}

impl Judge {
    /// Starts an engine. `kept` is the file with what it said before; it grows.
    ///
    /// # Errors
    ///
    /// When the engine does not start, or the file cannot be read.
    pub(crate) fn start(command: &str, nodes: u64, kept: Option<&Path>) -> anyhow::Result<Judge> {
        let entrant = Entrant {
            name: command.to_owned(),
            command: command.to_owned(),
            options: Vec::new(),
            go: Budget::Nodes(nodes),
        };
        let player = Player::start(&entrant, |_| ());
        let player = player.map_err(|it| anyhow::anyhow!("{command}: {it}"))?;
        let mut judge = Judge {
            player,
            nodes,
            known: HashMap::new(),
            kept: None,
        };
        if let Some(path) = kept {
            judge
                .remember(path)
                .with_context(|| path.display().to_string())?;
        }
        Ok(judge)
    }

    /// Reads what was said before, and keeps what is said from now on.
    fn remember(&mut self, path: &Path) -> std::io::Result<()> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(path)?;
        for line in BufReader::new(&file).lines() {
            if let Some((nodes, fen, verdict)) = read(&line?)
                && nodes == self.nodes
            {
                self.known.insert(fen.to_owned(), verdict);
            }
        }
        self.kept = Some(file);
        Ok(())
    }

    fn verdict(&mut self, position: &Chess) -> anyhow::Result<Verdict> {
        let fen = position_name(position);
        if let Some(known) = self.known.get(&fen) {
            return Ok(known.clone());
        }
        let go = format!("go nodes {}", self.nodes);
        let failed = |it| anyhow::anyhow!("{fen}: {it}");
        // Without what it remembers of other positions, a verdict is always the same.
        self.player.new_game().map_err(failed)?;
        let choice = self
            .player
            .choose(&format!("position fen {fen}"), &go, PATIENCE);
        let choice = choice.map_err(failed)?;
        let verdict = Verdict {
            best: choice.mv,
            score: choice.score.unwrap_or(0),
        };
        if let Some(file) = &mut self.kept {
            let Verdict { best, score } = &verdict;
            writeln!(file, "{}\t{fen}\t{best}\t{score}", self.nodes)?;
        }
        self.known.insert(fen, verdict.clone());
        Ok(verdict)
    }

    /// How much of the plan two positions share, from 0 to 1. `reply` is what was played in the
    /// other.
    fn shared(&mut self, query: &Chess, other: &Chess, reply: Option<&str>) -> anyhow::Result<f64> {
        let (one, two) = (self.verdict(query)?, self.verdict(other)?);
        let mut points = 0;
        if one.best == two.best && one.best != "(none)" {
            points += 2;
        }
        if (one.score - two.score).abs() < NEAR {
            points += 1;
        }
        if let Some(after) = reply.and_then(|it| after(query, it)) {
            let left = -self.verdict(&after)?.score;
            points += i32::from(one.score - left <= GOOD);
        }
        Ok(f64::from(points) / 4.0)
    }
}

/// The position after a move; `None` if it is illegal.
fn after(query: &Chess, uci: &str) -> Option<Chess> {
    let mv = uci.parse::<UciMove>().ok()?.to_move(query).ok()?;
    query.clone().play(mv).ok()
}

/// The position without the numbers of moves.
fn position_name(position: &Chess) -> String {
    let fen = position::to_fen(position);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ") + " 0 1"
}

/// A line of the file: nodes, position, best move and score.
fn read(line: &str) -> Option<(u64, &str, Verdict)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [nodes, fen, best, score] = fields[..] else {
        return None;
    };
    let verdict = Verdict {
        best: best.to_owned(),
        score: score.parse().ok()?,
    };
    Some((nodes.parse().ok()?, fen, verdict))
}

/// How much of the plan the first hits share, on average.
///
/// # Errors
///
/// When the collection is damaged, or the engine fails.
pub(crate) fn plans(
    collection: &Collection,
    cases: &[Case],
    rankings: &[Ranking],
    judge: &mut Judge,
    done: impl Fn(),
) -> anyhow::Result<Values> {
    let mut found = Vec::new();
    for case in cases {
        let mut means = Vec::new();
        for hits in answers(collection, &case.position, rankings)? {
            let mut sum = 0.0;
            for (hit, _) in hits.iter().take(TOP) {
                let reply = hit.reached.replies.first().map(|it| it.uci.as_str());
                sum += judge.shared(&case.position, &hit.turned, reply)?;
            }
            means.push(sum / TOP as f64);
        }
        found.push(means);
        done();
    }
    Ok(Values::new("plan of the first five", found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_named_without_numbers_of_moves() {
        let position = position::parse("8/8/4k3/8/3KP3/8/8/8 w - - 7 61").unwrap();
        assert_eq!(position_name(&position), "8/8/4k3/8/3KP3/8/8/8 w - - 0 1");
        assert!(after(&position, "e4e5").is_some());
        assert!(after(&position, "e4e6").is_none());
        assert!(after(&position, "nonsense").is_none());
    }

    #[test]
    fn lines_are_read_or_skipped() {
        let verdict = Verdict {
            best: "e4e5".to_owned(),
            score: -31,
        };
        let fen = "8/8/4k3/8/3KP3/8/8/8 w - - 0 1";
        let line = format!("20000\t{fen}\te4e5\t-31");
        assert_eq!(read(&line), Some((20_000, fen, verdict)));
        for cut in ["", "20000", "20000\tx\te4e5", "x\tx\tx\t1", "1\tx\tx\ty"] {
            assert_eq!(read(cut), None, "{cut}");
        }
    }
}
