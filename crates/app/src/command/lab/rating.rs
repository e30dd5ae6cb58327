//! `tabiya lab rating`: ratings from games.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context;
use serde::Serialize;
use shakmaty::Color;
use tabiya_chess::pgn::{self, Source, Splitter};
use tabiya_lab::rating::{Model, Results, Unrated, fit, misfit};

use crate::view::json;

/// Rate the players of games by maximum likelihood.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya lab rating games.pgn --anchor SF-2023=2500 --anchor SF-1914=2300"
)]
pub(crate) struct Options {
    /// Games: PGN, plain or compressed.
    #[arg(required = true)]
    pgn: Vec<PathBuf>,
    /// A player's known rating, as NAME=ELO; at least one.
    #[arg(long, required = true)]
    anchor: Vec<String>,
    /// Elo for moving first.
    #[arg(long, default_value_t = 32.8)]
    advantage: f64,
    /// The greater, the more draws.
    #[arg(long, default_value_t = 97.3)]
    drawelo: f64,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// A player and what the results say of them.
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
        against: (0..names.len())
            .map(|opponent| against(player, opponent))
            .filter(|it| it.games > 0)
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
    for text in &options.anchor {
        let (name, elo) = text
            .rsplit_once('=')
            .with_context(|| format!("\"{text}\" is not of the form NAME=ELO"))?;
        let player = names.iter().position(|it| it == name).with_context(|| {
            format!(
                "nobody called \"{name}\" played; players are {}",
                names.join(", ")
            )
        })?;
        anchors[player] = Some(
            elo.parse::<f64>()
                .with_context(|| format!("\"{elo}\" is not a rating"))?,
        );
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
    let mut names: Vec<String> = Vec::new();
    let mut results: Vec<Results> = Vec::new();
    for path in &options.pgn {
        for source in Source::at(path).with_context(|| format!("cannot read {}", path.display()))? {
            let mut splitter = Splitter::new(source.open(Arc::new(AtomicU64::new(0)))?);
            let mut text = Vec::new();
            while splitter.next_into(&mut text)?.is_some() {
                let game = pgn::read(&text).game;
                text.clear();
                let Some((game, outcome)) =
                    game.and_then(|it| it.tags.result.known().map(|outcome| (it, outcome)))
                else {
                    continue;
                };
                let mut number = |name: &str| {
                    names.iter().position(|it| it == name).unwrap_or_else(|| {
                        names.push(name.to_owned());
                        names.len() - 1
                    })
                };
                let (white, black) = (number(&game.tags.white), number(&game.tags.black));
                let index = match outcome.winner() {
                    Some(Color::White) => 0,
                    None => 1,
                    Some(Color::Black) => 2,
                };
                let known = results
                    .iter()
                    .position(|it| (it.white, it.black) == (white, black));
                let known = known.unwrap_or_else(|| {
                    results.push(Results {
                        white,
                        black,
                        counts: [0; 3],
                    });
                    results.len() - 1
                });
                results[known].counts[index] += 1;
            }
        }
    }
    Ok((names, results))
}
