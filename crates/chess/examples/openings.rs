//! Makes the table of opening names: reads `eco;name;moves` lines from
//! standard input, plays the moves, and writes `eco name epd` lines, separated
//! by tabs, to standard output. `data/openings.sh` runs it.
#![allow(clippy::print_stdout, reason = "the table is this program's answer")]

use std::{error::Error, io};

use shakmaty::{Chess, EnPassantMode, Position, fen::Epd, san::San};

fn main() -> Result<(), Box<dyn Error>> {
    for line in io::stdin().lines() {
        let line = line?;
        let mut fields = line.split(';');
        let (Some(eco), Some(name), Some(moves)) = (fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("not eco;name;moves: {line}").into());
        };
        println!("{eco}\t{name}\t{}", epd_after(moves)?);
    }
    Ok(())
}

/// The position after `1. e4 e5 2. Nf3`.
fn epd_after(moves: &str) -> Result<Epd, Box<dyn Error>> {
    let mut position = Chess::default();
    for word in moves.split_whitespace().filter(|it| !it.ends_with('.')) {
        let mv = word.parse::<San>()?.to_move(&position)?;
        position.play_unchecked(mv);
    }
    Ok(Epd::from_position(&position, EnPassantMode::Legal))
}
