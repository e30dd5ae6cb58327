//! Prints the answer of `tabiya traps`.

use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use shakmaty::{Chess, Move, Position};
use tabiya_chess::{Symmetry, position, trap::library};
use tabiya_question::{
    shape::{line, san},
    traps::{Answer, NearTrap, Traps},
};
use tabiya_retrieval::{
    Collection,
    trap::{Mine, MinedTrap, Vault},
};
use tabiya_terminal::{
    json,
    progress::grouped,
    screen,
    style::{ERROR, FAINT, PLAIN, STRONG},
};

use crate::{
    ask::{Asked, OpenCollection, View},
    follow::{following, games},
};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Mine the games of the collection for traps and store them with it
    #[arg(long, requires = "db", conflicts_with_all = ["fen", "moves", "pgn"])]
    mine: bool,

    /// List the traps of the library, or with --db the mined traps
    #[arg(long, conflicts_with_all = ["fen", "moves", "pgn", "mine"])]
    list: bool,
}

impl View for Traps {
    const HELP: &'static str = "Examples:
  tabiya traps \"r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5\"
  tabiya traps --moves \"1.d4 Nf6 2.c4 e5 3.dxe5 Ng4 4.Bf4 Nc6 5.Nf3 Bb4+ 6.Nbd2 Qe7 7.a3 Ngxe5\"
  tabiya traps --mine --db my-games
  tabiya traps --list

Search has proved every trap marked as a warning; the others only resemble the position. Traps
mined from the collection are searched in addition to those of the library.";

    type Options = Options;

    fn print(&self, answer: &Answer, _: &Options, _: Duration) {
        answer.traps.iter().for_each(print_trap);
        let proved = answer.traps.iter().filter(|it| it.verified).count();
        say!(
            "{FAINT}search proved {proved} of the {} nearest traps; {} are known{PLAIN}",
            answer.traps.len(),
            grouped(answer.known as u64)
        );
    }

    fn run(asked: Asked<Traps>) -> anyhow::Result<()> {
        if asked.options.list {
            let collection = asked.database.folder().map(Collection::open);
            return list(&asked, collection.transpose()?.as_ref());
        }
        if asked.options.mine {
            return mine(&asked, &asked.database.open()?);
        }
        let asked = asked.settled();
        let open = OpenCollection::open(&asked.database)?;
        if asked.database.folder().is_some() && !asked.json {
            hint_at_mining(open.collection())?;
        }
        asked.print_from(&open)
    }
}

/// Suggests mining the collection if that has not been done.
fn hint_at_mining(collection: &Collection) -> anyhow::Result<()> {
    if Vault::open(collection)?.is_none() {
        let folder = collection.folder().display();
        anstream::eprintln!(
            "searching only the library; to find traps in the games, run: tabiya traps --mine --db {folder}"
        );
    }
    Ok(())
}

fn print_trap(near: &NearTrap) {
    let name = match (&near.trap, near.game, near.ply) {
        (Some(name), ..) => name.clone(),
        (None, game, ply) => {
            format!(
                "game {}, ply {}",
                game.unwrap_or_default(),
                ply.unwrap_or_default()
            )
        }
    };
    // The name belongs to the trap's own move; another move only resembles it.
    let like = if near.verified && near.own_move {
        ""
    } else {
        "like "
    };
    let swapped = match near.symmetry {
        Symmetry::Swap => ", colors swapped",
        _ => "",
    };
    screen::print(
        "    ",
        &format!(
            "{like}{STRONG}{name}{PLAIN}{swapped}: play {:.0} % alike, appearance {:.0} % alike",
            100.0 * near.play,
            100.0 * near.looks
        ),
    );
    print_bait(near);
}

fn print_bait(near: &NearTrap) {
    let there = &near.trap_bait;
    let words = match (&near.bait, near.verified) {
        (Some(bait), true) => {
            let prize = match (near.mate_in, near.gain) {
                (Some(moves), _) => format!("mate in {moves}"),
                (None, Some(gain)) => format!("wins {:.1} pawns", f64::from(gain) / 100.0),
                (None, None) => String::new(),
            };
            let better = near.better.as_ref();
            let better = better.map_or(String::new(), |it| format!("; {it} is better"));
            let refutation = near.refutation.join(" ");
            format!("  {ERROR}warning:{PLAIN} {bait} loses to {refutation} ({prize}){better}")
        }
        (Some(bait), false) => {
            format!(
                "  {FAINT}similar only: {bait} matches {there} in the trap; search found no loss{PLAIN}"
            )
        }
        (None, _) => {
            format!("  {FAINT}similar only: no move here matches {there} in the trap{PLAIN}")
        }
    };
    screen::print("    ", &words);
}

#[derive(Serialize)]
struct Summary {
    games: u64,
    traps: usize,
    new_games: u64,
    new_traps: usize,
    stopped: bool,
    seconds: f64,
}

fn mine(asked: &Asked<Traps>, collection: &Collection) -> anyhow::Result<()> {
    let before = Vault::open(collection)?.unwrap_or_default();
    let begin = Instant::now();
    let vault = following(Some(collection.games()), games, |progress| {
        Mine::default().run(collection, progress)
    })?;
    let summary = Summary {
        games: vault.games,
        traps: vault.traps.len(),
        new_games: vault.games - before.games,
        new_traps: vault.traps.len() - before.traps.len(),
        stopped: vault.games < collection.games(),
        seconds: begin.elapsed().as_secs_f64(),
    };
    if asked.json {
        return json::print(&summary);
    }
    say!(
        "found {} new traps in {} games ({:.1} s); the collection now has {}",
        grouped(summary.new_traps as u64),
        grouped(summary.new_games),
        summary.seconds,
        grouped(summary.traps as u64)
    );
    if summary.stopped {
        say!(
            "stopped after game {}; run the same command to continue",
            summary.games
        );
    }
    Ok(())
}

#[derive(Serialize)]
struct Entry {
    name: String,
    fen: String,
    bait: String,
    refutation: Vec<String>,
}

impl Entry {
    fn new(name: String, position: &Chess, bait: Move, refutation: &[Move]) -> Entry {
        Entry {
            name,
            fen: position::to_fen(position),
            bait: san(position, bait),
            refutation: line(&after(position, bait), refutation),
        }
    }
}

/// Lists the traps of the library, or those mined from a collection.
fn list(asked: &Asked<Traps>, collection: Option<&Collection>) -> anyhow::Result<()> {
    let traps: Vec<Entry> = match collection {
        None => library()
            .iter()
            .map(|it| Entry::new(it.name.clone(), &it.position, it.bait, &it.refutation))
            .collect(),
        Some(collection) => {
            let vault = Vault::open(collection)?.unwrap_or_default();
            let name = |it: &MinedTrap| format!("game {}, ply {}", it.game, it.ply);
            let listed =
                |it: &MinedTrap| Entry::new(name(it), &it.position, it.bait, &it.refutation);
            vault.traps.iter().map(listed).collect()
        }
    };
    if asked.json {
        return json::print(&traps);
    }
    for trap in traps {
        say!("{STRONG}{}{PLAIN}", trap.name);
        say!("  {}", trap.fen);
        say!("  {} {}", trap.bait, trap.refutation.join(" "));
    }
    Ok(())
}

fn after(position: &Chess, mv: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(mv);
    after
}
