//! From the bytes of a download to PGN text, as they arrive.

mod tar;
mod zip;

use std::io::{self, BufReader, Read};

use tabiya_chess::{pgn, puzzle::Puzzles};

/// What a download holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// PGN, compressed or not.
    Pgn,
    /// The table of Lichess puzzles, compressed or not.
    Puzzles,
    /// A zip archive of PGN files.
    Zip,
    /// A tar archive of PGN files, compressed or not.
    Tar,
}

/// What stands between two files, so that the last game of one does not run into the next.
const BETWEEN_FILES: &[u8] = b"\n\n";

/// The PGN text of a download.
///
/// # Errors
///
/// When its first bytes cannot be read.
pub(crate) fn unpack(
    form: Form,
    raw: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    Ok(match form {
        Form::Pgn => Box::new(pgn::decompress(raw)?),
        Form::Puzzles => Box::new(Puzzles::new(pgn::decompress(raw)?)),
        Form::Zip => Box::new(zip::Zip::new(BufReader::new(raw))),
        Form::Tar => Box::new(tar::Tar::new(pgn::decompress(raw)?)),
    })
}

/// Whether an archive's file holds games.
fn is_pgn(name: &[u8]) -> bool {
    name.to_ascii_lowercase().ends_with(b".pgn")
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
