//! `tabiya lab rating`: ratings from games.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context;
use shakmaty::Color;
use tabiya_chess::pgn::{self, Source, Splitter};
use tabiya_lab::rating::{Model, Results, fit, misfit, superiority};

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

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let (names, results) = read(options)?;
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
    let model = Model {
        advantage: options.advantage,
        draw: options.drawelo,
    };
    let ratings = fit(&results, &anchors, model);
    let elo: Vec<f64> = ratings.iter().map(|it| it.elo).collect();
    let mut rows = Vec::new();
    for (player, name) in names.iter().enumerate() {
        let fits: Vec<_> = (0..names.len())
            .map(|opponent| (opponent, misfit(&results, &elo, model, player, opponent)))
            .filter(|it| it.1.1 > 0)
            .map(|(opponent, (chi_square, games))| {
                let [won, drawn, lost] = score(&results, player, opponent);
                let superior = superiority(&ratings[player], &ratings[opponent]);
                serde_json::json!({"opponent": names[opponent], "superiority": superior, "games": games, "won": won, "drawn": drawn, "lost": lost, "chi_square": chi_square})
            })
            .collect();
        rows.push(serde_json::json!({"player": name, "elo": elo[player], "error": ratings[player].error, "anchored": anchors[player].is_some(), "against": fits}));
    }
    if options.json {
        return json::print(&rows);
    }
    say!(
        "| player | rating | against | games | won-drawn-lost | superiority | chi-square |\n|---|---|---|---|---|---|---|"
    );
    for row in rows.iter().filter(|it| it["anchored"] == false) {
        let rating = format!(
            "{:.0} ± {:.0}",
            row["elo"].as_f64().unwrap_or(0.0),
            row["error"].as_f64().unwrap_or(f64::INFINITY)
        );
        for it in row["against"].as_array().into_iter().flatten() {
            say!(
                "| {} | {rating} | {} | {} | {}-{}-{} | {:.1} % | {:.1} |",
                row["player"].as_str().unwrap_or(""),
                it["opponent"].as_str().unwrap_or(""),
                it["games"],
                it["won"],
                it["drawn"],
                it["lost"],
                100.0 * it["superiority"].as_f64().unwrap_or(0.0),
                it["chi_square"].as_f64().unwrap_or(0.0),
            );
        }
    }
    Ok(())
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
