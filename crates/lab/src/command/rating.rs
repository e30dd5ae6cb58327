//! `tabiya-lab rating`: ratings from games.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;
use shakmaty::Color;
use tabiya_chess::{Tags, pgn};
use tabiya_terminal::json;

use crate::games::for_each_text;
use crate::rating::{Model, Results, Unrated, fit, misfit};

/// Rate the players of games by maximum likelihood.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab rating games.pgn --anchor SF-2023=2500 --anchor SF-1914=2300"
)]
pub(crate) struct Options {
    /// Games: PGN, plain or compressed.
    #[arg(required = true)]
    pgn: Vec<PathBuf>,
    /// A player's known rating as NAME=ELO; give at least one.
    #[arg(long, required = true, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Vec<(String, f64)>,
    /// Elo for playing White.
    #[arg(long, default_value_t = 32.8, allow_hyphen_values = true, value_parser = elo)]
    advantage: f64,
    /// Elo for drawing: greater values mean more draws, 0 means none.
    #[arg(long, default_value_t = 97.3, allow_hyphen_values = true, value_parser = draw_elo)]
    drawelo: f64,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// The most players: all are rated at once, and the time grows with the third power of
/// their number (about a minute here).
const MOST_PLAYERS: usize = 3_000;

/// Reads a player's name and rating.
fn anchor(text: &str) -> Result<(String, f64), String> {
    let (name, rating) = text
        .rsplit_once('=')
        .ok_or_else(|| format!("\"{text}\" is not of the form NAME=ELO"))?;
    Ok((name.to_owned(), elo(rating)?))
}

/// Reads a number that may be a rating or a difference.
fn elo(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|it| it.abs() <= 10_000.0)
        .ok_or_else(|| format!("\"{text}\" is not a rating; give a number from -10000 to 10000"))
}

/// Reads the Elo for drawing. Below 0, wins and losses would exceed all games.
fn draw_elo(text: &str) -> Result<f64, String> {
    let number = elo(text)?;
    Some(number)
        .filter(|&it| it >= 0.0)
        .ok_or_else(|| "cannot be negative; 0 means no draws".to_owned())
}

/// A player's rating and results.
#[derive(Serialize)]
struct Row {
    player: String,
    elo: Option<f64>,
    error: Option<f64>,
    unrated: Option<Unrated>,
    anchored: bool,
    against: Vec<Opponent>,
}

/// Results against one opponent.
#[derive(Serialize)]
struct Opponent {
    opponent: String,
    games: u32,
    won: u32,
    drawn: u32,
    lost: u32,
    superiority: Option<f64>,
    chi_square: Option<f64>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let (names, results) = read(options)?;
    anyhow::ensure!(
        !results.is_empty(),
        "no games with a result; give a PGN file with finished games"
    );
    anyhow::ensure!(
        names.len() <= MOST_PLAYERS,
        "{} players; the most that can be rated together is {MOST_PLAYERS}",
        names.len()
    );
    let anchors = anchors(options, &names)?;
    let model = Model {
        advantage: options.advantage,
        draw: options.drawelo,
    };
    let ratings = fit(&results, &anchors, model);
    let against = |player: usize, opponent: usize| {
        let [won, drawn, lost] = score(&results, player, opponent);
        Opponent {
            opponent: names[opponent].clone(),
            games: won + drawn + lost,
            won,
            drawn,
            lost,
            superiority: ratings.superiority(player, opponent),
            chi_square: misfit(&results, &ratings, model, player, opponent),
        }
    };
    let row = |player: usize| Row {
        player: names[player].clone(),
        elo: ratings.of(player).ok().map(|it| it.elo),
        error: ratings.of(player).ok().map(|it| it.error),
        unrated: ratings.of(player).err(),
        anchored: anchors[player].is_some(),
        against: opponents(&results, player)
            .into_iter()
            .map(|opponent| against(player, opponent))
            .collect(),
    };
    let rows: Vec<Row> = (0..names.len()).map(row).collect();
    if options.json {
        return json::print(&rows);
    }
    print(&rows);
    Ok(())
}

/// The known rating of every player that has one.
fn anchors(options: &Options, names: &[String]) -> anyhow::Result<Vec<Option<f64>>> {
    let mut anchors = vec![None; names.len()];
    for (name, elo) in &options.anchor {
        let player = names.iter().position(|it| it == name).with_context(|| {
            format!(
                "no player has the name \"{name}\"; choose from {}",
                names.join(", ")
            )
        })?;
        anchors[player] = Some(*elo);
    }
    Ok(anchors)
}

fn print(rows: &[Row]) {
    say!(
        "| player | rating | against | games | won-drawn-lost | superiority | chi-square |\n|---|---|---|---|---|---|---|"
    );
    let or_dash = |it: Option<String>| it.unwrap_or("-".to_owned());
    for row in rows.iter().filter(|it| !it.anchored) {
        let rating = match (row.elo, row.error) {
            (Some(elo), Some(error)) => format!("{elo:.0} ± {error:.0}"),
            _ => or_dash(row.unrated.map(|it| it.to_string())),
        };
        for it in &row.against {
            say!(
                "| {} | {rating} | {} | {} | {}-{}-{} | {} | {} |",
                row.player,
                it.opponent,
                it.games,
                it.won,
                it.drawn,
                it.lost,
                or_dash(it.superiority.map(|it| format!("{:.1} %", 100.0 * it))),
                or_dash(it.chi_square.map(|it| format!("{it:.1}"))),
            );
        }
    }
}

/// The opponents of a player.
fn opponents(results: &[Results], player: usize) -> BTreeSet<usize> {
    let other = |it: &Results| match player {
        player if player == it.white => Some(it.black),
        player if player == it.black => Some(it.white),
        _ => None,
    };
    results.iter().filter_map(other).collect()
}

/// Won, drawn and lost by a player against an opponent with both colors.
fn score(results: &[Results], player: usize, opponent: usize) -> [u32; 3] {
    let mut sum = [0; 3];
    for it in results {
        for outcome in 0..3 {
            if (it.white, it.black) == (player, opponent) {
                sum[outcome] += it.counts[outcome];
            } else if (it.black, it.white) == (player, opponent) {
                sum[2 - outcome] += it.counts[outcome];
            }
        }
    }
    sum
}

/// The players and their results, pairing by pairing.
fn read(options: &Options) -> anyhow::Result<(Vec<String>, Vec<Results>)> {
    let mut table = Table::default();
    for path in &options.pgn {
        for_each_text(path, |text| {
            if let Some(game) = pgn::read(text).game {
                table.add(&game.tags);
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok((table.names, table.results))
}

/// The players so far, and their results.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    results: Vec<Results>,
}

impl Table {
    /// Counts a game, if it has a result.
    fn add(&mut self, tags: &Tags) {
        let Some(outcome) = tags.result.known() else {
            return;
        };
        let (white, black) = (self.number(&tags.white), self.number(&tags.black));
        let index = match outcome.winner() {
            Some(Color::White) => 0,
            None => 1,
            Some(Color::Black) => 2,
        };
        let mut known = self.results.iter_mut();
        match known.find(|it| (it.white, it.black) == (white, black)) {
            Some(known) => known.counts[index] += 1,
            None => {
                let mut counts = [0; 3];
                counts[index] = 1;
                self.results.push(Results {
                    white,
                    black,
                    counts,
                });
            }
        }
    }

    fn number(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|it| it == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}
