//! Reads games from standard input and writes them to standard output, with all their annotations.
//!
//!     cargo run -p tabiya-chess --example rewrite < games.pgn > again.pgn

use std::io::{self, BufRead, BufWriter, Write};

use tabiya_chess::pgn::{self, Splitter};

fn main() -> io::Result<()> {
    rewrite(io::stdin().lock(), BufWriter::new(io::stdout().lock()))
}

fn rewrite(games: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut splitter = Splitter::new(games);
    let (mut source, mut text) = (Vec::new(), String::new());
    while splitter.next_into(&mut source)?.is_some() {
        if let Some(game) = pgn::read(&source).game {
            pgn::write(&game, &mut text).map_err(io::Error::other)?;
            out.write_all(text.as_bytes())?;
        }
        source.clear();
        text.clear();
    }
    out.flush()
}
