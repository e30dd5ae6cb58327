//! `tabiya traps`: traps near a position, and traps mined from a collection.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use shakmaty::{Chess, Move, san::SanPlus};
use tabiya_chess::trap::{Effort, library};
use tabiya_chess::{Symmetry, position};
use tabiya_retrieval::Collection;
use tabiya_retrieval::trap::{Mine, MinedTrap, Near, Origin, Pattern, Vault, near};

use tabiya_terminal::{
    exit::usage, json, position::PositionArguments, progress::Bar, progress::grouped,
    progress::on_interrupt, style,
};

use crate::view::traps as view;

/// Find traps near a position, or mine a collection for traps that players fell into.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya traps \"r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5\"
  tabiya traps --moves \"1.d4 Nf6 2.c4 e5 3.dxe5 Ng4 4.Bf4 Nc6 5.Nf3 Bb4+ 6.Nbd2 Qe7 7.a3 Ngxe5\"
  tabiya traps --mine --db my-games
  tabiya traps --list

A warning is proved by search. What only resembles a trap is said to be that. With --db
the traps mined from the collection are searched too.")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    /// The collection whose mined traps are searched, or which is mined
    #[arg(long, value_name = "DIR")]
    db: Option<std::path::PathBuf>,

    /// Look for traps in the collection's games and keep them with it
    #[arg(long, requires = "db", conflicts_with_all = ["fen", "moves", "pgn"])]
    mine: bool,

    /// List the library, or with --db the mined traps
    #[arg(long, conflicts_with_all = ["fen", "moves", "pgn", "mine"])]
    list: bool,

    /// How many traps to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.db.as_deref().map(Collection::open).transpose()?;
    match &collection {
        Some(collection) if options.mine => return mine(options, collection),
        _ if options.list => return list(options, collection.as_ref()),
        _ => {}
    }
    if !options.position.is_given() {
        usage("give a FEN, --moves or --pgn, or --mine with --db, or --list");
    }
    let position = options.position.position()?;
    let mut patterns: Vec<Pattern> = library().iter().map(Pattern::from).collect();
    if let Some(collection) = &collection {
        let vault = Vault::open(collection)?.with_context(|| {
            let folder = collection.folder().display();
            format!("{folder} was not mined yet; run: tabiya traps --mine --db {folder}")
        })?;
        patterns.extend(vault.traps.iter().map(Pattern::from));
    }
    let found = near(&position, &patterns, options.top, Effort::default());
    if options.json {
        return json::print(&view::Traps::new(&found, &position));
    }
    print(&found, &position, patterns.len());
    Ok(())
}

fn print(found: &[Near], position: &Chess, patterns: usize) {
    for near in found {
        let name = match &near.origin {
            Origin::Library(name) => name.clone(),
            Origin::Game { number, ply } => format!("game {number}, after {ply} half-moves"),
        };
        let swapped = if near.symmetry == Symmetry::Swap {
            ", colors exchanged"
        } else {
            ""
        };
        say!(
            "{}{name}{}{swapped}: plays {:.0} % alike, looks {:.0} % alike",
            style::STRONG,
            style::PLAIN,
            100.0 * near.play,
            100.0 * near.looks
        );
        print_bait(near, position);
    }
    let proved = found.iter().filter(|it| it.proof.is_some()).count();
    say!(
        "{}{proved} of the {} nearest of {} traps proved by search{}",
        style::FAINT,
        found.len(),
        grouped(patterns as u64),
        style::PLAIN
    );
}

fn print_bait(near: &Near, position: &Chess) {
    let told = view::Trap::new(near, position);
    match (&told.bait, told.verified) {
        (Some(bait), true) => {
            let prize = match (told.mate_in, told.gain) {
                (Some(moves), _) => format!("mate in {moves}"),
                (None, Some(gain)) => format!("wins {:.1} pawns", f64::from(gain) / 100.0),
                (None, None) => String::new(),
            };
            let better = told
                .better
                .map_or(String::new(), |it| format!("; better is {it}"));
            say!(
                "  {}warning:{} {bait} loses to {} ({prize}){better}",
                style::ERROR,
                style::PLAIN,
                told.refutation.join(" ")
            );
        }
        (Some(bait), false) => say!(
            "  {}resembles it only: {bait} stands where {} stands there; no loss was found{}",
            style::FAINT,
            told.trap_bait,
            style::PLAIN
        ),
        (None, _) => say!(
            "  {}resembles it only: nothing here stands where {} stands there{}",
            style::FAINT,
            told.trap_bait,
            style::PLAIN
        ),
    }
}

#[derive(Serialize)]
struct Mined {
    games: u64,
    traps: usize,
    new_games: u64,
    new_traps: usize,
    stopped: bool,
    seconds: f64,
}

fn mine(options: &Options, collection: &Collection) -> anyhow::Result<()> {
    let before = Vault::open(collection)?.unwrap_or_default();
    let done = Arc::new(AtomicU64::new(before.games));
    let stop = Arc::new(AtomicBool::new(false));
    on_interrupt({
        let stop = stop.clone();
        move || stop.store(true, Ordering::Relaxed)
    });
    let begin = Instant::now();
    let vault = {
        let seen = done.clone();
        let _bar = Bar::start(Some(collection.games()), move || {
            let games = seen.load(Ordering::Relaxed);
            (games, format!("{} games", grouped(games)))
        });
        Mine::default().run(collection, &done, &|| stop.load(Ordering::Relaxed))?
    };
    let mined = Mined {
        games: vault.games,
        traps: vault.traps.len(),
        new_games: vault.games - before.games,
        new_traps: vault.traps.len() - before.traps.len(),
        stopped: vault.games < collection.games(),
        seconds: begin.elapsed().as_secs_f64(),
    };
    if options.json {
        return json::print(&mined);
    }
    say!(
        "{} new traps in {} games ({:.1} s); {} in all, kept with the collection",
        grouped(mined.new_traps as u64),
        grouped(mined.new_games),
        mined.seconds,
        grouped(mined.traps as u64)
    );
    if mined.stopped {
        say!(
            "stopped after game {}; run the same command to go on",
            mined.games
        );
    }
    Ok(())
}

#[derive(Serialize)]
struct Listed {
    name: String,
    fen: String,
    bait: String,
    refutation: Vec<String>,
}

impl Listed {
    fn new(name: String, position: &Chess, bait: Move, refutation: &[Move]) -> Listed {
        Listed {
            name,
            fen: position::to_fen(position),
            bait: SanPlus::from_move(position.clone(), bait).to_string(),
            refutation: view::line(&view::play(position, bait), refutation),
        }
    }
}

/// The library, or what was mined.
fn list(options: &Options, collection: Option<&Collection>) -> anyhow::Result<()> {
    let traps: Vec<Listed> = match collection {
        None => library()
            .iter()
            .map(|it| Listed::new(it.name.clone(), &it.position, it.bait, &it.refutation))
            .collect(),
        Some(collection) => {
            let vault = Vault::open(collection)?.unwrap_or_default();
            let name = |it: &MinedTrap| format!("game {}, ply {}", it.game, it.ply);
            let listed =
                |it: &MinedTrap| Listed::new(name(it), &it.position, it.bait, &it.refutation);
            vault.traps.iter().map(listed).collect()
        }
    };
    if options.json {
        return json::print(&traps);
    }
    for trap in traps {
        say!(
            "{}{}{}  {}",
            style::STRONG,
            trap.name,
            style::PLAIN,
            trap.fen
        );
        say!("  {} {}", trap.bait, trap.refutation.join(" "));
    }
    Ok(())
}
