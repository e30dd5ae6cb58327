//! Patterns beside the answers of another program, query by query.

use std::{collections::BTreeSet, fs, path::PathBuf};

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Deserialize;
use tabiya_chess::Game;
use tabiya_pattern::{Evaluator, Matches, Pattern, Played};
use tabiya_retrieval::{
    Collection,
    find::{FindQuery, find},
};

use super::steps::Steps;
use crate::games;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab patterns --oracle patterns-dev.jsonl --games games-small.pgn.zst")]
pub(crate) struct Options {
    /// Queries with the games and positions they match, one JSON object per line
    #[arg(long, value_name = "FILE")]
    oracle: PathBuf,

    /// The games that the answers are about, as PGN
    #[arg(long, value_name = "PGN", required_unless_present = "db")]
    games: Option<PathBuf>,

    /// The same games as an indexed collection: compare the planned search
    #[arg(long, value_name = "DIR", conflicts_with = "games")]
    db: Option<PathBuf>,

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
struct Observed {
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
    let games = Games::open(options)?;
    let steps = Steps::start(queries.len(), "queries");
    let mut differing = 0;
    for expected in &queries {
        let differences = match games.find(&expected.query) {
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

/// The games that are searched.
enum Games {
    /// By the exact evaluator alone.
    Pgn(Vec<Game>),
    /// By plan and evaluator.
    Indexed(Box<Collection>),
}

impl Games {
    fn open(options: &Options) -> anyhow::Result<Games> {
        Ok(match (&options.games, &options.db) {
            (Some(path), _) => Games::Pgn(games::read(path)?),
            (None, Some(folder)) => Games::Indexed(Box::new(Collection::open(folder)?)),
            (None, None) => Games::Pgn(Vec::new()),
        })
    }

    /// What a query matches.
    fn find(&self, query: &str) -> anyhow::Result<Observed> {
        let pattern: Pattern = query.parse()?;
        let mut matching: Vec<(usize, usize, Vec<Option<i64>>)> = match self {
            Games::Pgn(games) => {
                let look = |it: &mut Evaluator<'_>, game| it.matches(&Played::new(game));
                let evaluator = || Evaluator::new(pattern.program());
                let each = games.par_iter().map_init(evaluator, look);
                let each = each.collect::<Result<Vec<Matches>, _>>()?;
                let each = (1..).zip(each).filter(|it| !it.1.plies.is_empty());
                each.map(|(game, it)| (game, it.plies.len(), it.sorts))
                    .collect()
            }
            Games::Indexed(collection) => {
                let found = find(&collection.shards(), &FindQuery::new(&pattern))?;
                let each = found.matches.into_iter();
                each.map(|it| (it.game.0 as usize, it.plies.len(), it.sorts))
                    .collect()
            }
        };
        let games = matching.iter().map(|it| it.0).collect();
        let positions = matching.iter().map(|it| it.1).sum();
        matching
            .sort_by(|one, two| tabiya_pattern::order(&pattern.program().sorts, &one.2, &two.2));
        Ok(Observed {
            games,
            positions,
            order: matching.iter().map(|it| it.0).collect(),
        })
    }
}

impl Expected {
    fn differences(&self, found: &Observed) -> Vec<String> {
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

    fn differences_medium(&self, found: &Observed) -> Vec<String> {
        let there = self.games_medium.unwrap_or_default();
        let here = found.games.len();
        let differs = (here != there).then(|| format!("{here} games here, {there} there"));
        differs.into_iter().collect()
    }
}
