//! Patterns beside the answers of another program, query by query.

use std::{collections::BTreeSet, fs, path::PathBuf};

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Deserialize;
use tabiya_chess::Game;
use tabiya_pattern::{Evaluator, Matches, Pattern, Played};

use super::steps::Steps;
use crate::games;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Queries with the games and positions they match, one JSON object per line
    #[arg(long, value_name = "FILE")]
    oracle: PathBuf,

    /// The games that the answers are about, as PGN
    #[arg(long, value_name = "PGN")]
    games: PathBuf,

    /// The games are those of the field games_medium, not of games_small
    #[arg(long)]
    medium: bool,

    /// Only queries whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// A query and its answer by another program.
#[derive(Debug, Deserialize)]
struct Expected {
    id: String,
    query: String,
    #[serde(default)]
    game_numbers: Vec<usize>,
    positions_small: Option<usize>,
    game_order: Option<Vec<usize>>,
    games_medium: Option<usize>,
}

/// What a query matches here.
#[derive(Debug, Default)]
struct Found {
    games: Vec<usize>,
    positions: usize,
    order: Vec<usize>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let name = options.oracle.display();
    let text = fs::read_to_string(&options.oracle).with_context(|| name.to_string())?;
    let queries = text.lines().map(serde_json::from_str::<Expected>);
    let queries = queries.collect::<Result<Vec<_>, _>>();
    let mut queries = queries.with_context(|| name.to_string())?;
    queries.retain(|it| it.id.contains(&options.only));
    if options.medium {
        queries.retain(|it| it.games_medium.is_some());
    }
    let games = games::read(&options.games)?;
    let steps = Steps::start(queries.len(), "queries");
    let mut differing = 0;
    for expected in &queries {
        let differences = match found(&expected.query, &games) {
            Ok(found) if options.medium => expected.differences_medium(&found),
            Ok(found) => expected.differences(&found),
            Err(error) => vec![format!("{error:#}")],
        };
        steps.step();
        if !differences.is_empty() {
            differing += 1;
            say!("{}: {}", expected.id, expected.query);
            for difference in differences {
                say!("    {difference}");
            }
        }
    }
    drop(steps);
    let agreeing = queries.len() - differing;
    say!("{agreeing} of {} queries agree", queries.len());
    anyhow::ensure!(differing == 0, "{differing} queries differ");
    Ok(())
}

/// What a query matches, by the exact evaluator alone.
fn found(query: &str, games: &[Game]) -> anyhow::Result<Found> {
    let pattern: Pattern = query.parse()?;
    let look = |evaluator: &mut Evaluator<'_>, game| evaluator.matches(&Played::new(game));
    let evaluator = || Evaluator::new(pattern.program());
    let each = games.par_iter().map_init(evaluator, look);
    let each = each.collect::<Result<Vec<Matches>, _>>()?;
    let matching = (1..).zip(&each).filter(|it| !it.1.plies.is_empty());
    let mut matching: Vec<(usize, &Matches)> = matching.collect();
    let positions = matching.iter().map(|it| it.1.plies.len()).sum();
    let games = matching.iter().map(|it| it.0).collect();
    matching.sort_by(|one, two| {
        tabiya_pattern::order(&pattern.program().sorts, &one.1.sorts, &two.1.sorts)
    });
    Ok(Found {
        games,
        positions,
        order: matching.iter().map(|it| it.0).collect(),
    })
}

impl Expected {
    fn differences(&self, found: &Found) -> Vec<String> {
        let mut differences = Vec::new();
        let here: BTreeSet<usize> = found.games.iter().copied().collect();
        let there: BTreeSet<usize> = self.game_numbers.iter().copied().collect();
        let list = |it: Vec<&usize>| {
            let numbers = it.iter().take(8).map(ToString::to_string);
            let more = if it.len() > 8 { ", …" } else { "" };
            numbers.collect::<Vec<_>>().join(", ") + more
        };
        let counts = format!("{} games here, {} there", here.len(), there.len());
        let (only_here, only_there): (Vec<_>, Vec<_>) = (
            here.difference(&there).collect(),
            there.difference(&here).collect(),
        );
        if !only_here.is_empty() || !only_there.is_empty() {
            differences.push(format!(
                "{counts}; only here: {}; only there: {}",
                list(only_here),
                list(only_there)
            ));
        }
        if let Some(positions) = self.positions_small.filter(|&it| it != found.positions) {
            let here = found.positions;
            differences.push(format!("{here} positions here, {positions} there"));
        }
        if let Some(order) = self.game_order.as_ref().filter(|&it| *it != found.order) {
            differences.push(format!("order here {:?}, there {order:?}", found.order));
        }
        differences
    }

    fn differences_medium(&self, found: &Found) -> Vec<String> {
        let there = self.games_medium.unwrap_or_default();
        let here = found.games.len();
        let differs = (here != there).then(|| format!("{here} games here, {there} there"));
        differs.into_iter().collect()
    }
}
