//! From the bytes of a download to PGN text, as they arrive.

mod tar;
mod zip;

use std::io::{self, BufReader, Read};

use tabiya_chess::pgn::{self, Puzzles};

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
        Form::Zip => Box::new(Files::new(zip::Zip::new(BufReader::new(raw)))),
        Form::Tar => Box::new(Files::new(tar::Tar::new(pgn::unpack(raw)?))),
    })
}

/// An archive that is read from front to back.
trait Archive {
    /// The format's name.
    const NAME: &'static str;

    /// Goes to the next file and returns its name; `None` at the end.
    fn next_file(&mut self) -> io::Result<Option<Vec<u8>>>;

    /// Unpacks some bytes of the file; none at its end.
    fn unpack(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
}

/// The PGN files of an archive, one after another.
struct Files<A> {
    archive: A,
    /// Whether the current file is PGN.
    file: Option<bool>,
    /// Text that comes next.
    pending: &'static [u8],
    has_games: bool,
    is_done: bool,
}

impl<A: Archive> Files<A> {
    fn new(archive: A) -> Files<A> {
        Files {
            archive,
            file: None,
            pending: b"",
            has_games: false,
            is_done: false,
        }
    }

    fn next_file(&mut self) -> io::Result<()> {
        let Some(name) = self.archive.next_file()? else {
            self.is_done = true;
            return match self.has_games {
                true => Ok(()),
                false => Err(damaged(&format!(
                    "the {} archive holds no PGN file",
                    A::NAME
                ))),
            };
        };
        let is_pgn = name.to_ascii_lowercase().ends_with(b".pgn");
        if is_pgn && self.has_games {
            // The last game of a file must not run into the next file.
            self.pending = b"\n\n";
        }
        self.has_games |= is_pgn;
        self.file = Some(is_pgn);
        Ok(())
    }
}

impl<A: Archive> Read for Files<A> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_done && !buffer.is_empty() {
            if !self.pending.is_empty() {
                return self.pending.read(buffer);
            }
            let Some(is_pgn) = self.file else {
                self.next_file()?;
                continue;
            };
            match self.archive.unpack(buffer)? {
                0 => self.file = None,
                count if is_pgn => return Ok(count),
                _ => {}
            }
        }
        Ok(0)
    }
}

/// Fills a buffer. An archive that ends meanwhile is damaged.
fn fill<A: Archive>(raw: &mut impl Read, buffer: &mut [u8]) -> io::Result<()> {
    raw.read_exact(buffer).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ends_early::<A>(),
        _ => error,
    })
}

fn ends_early<A: Archive>() -> io::Error {
    damaged(&format!("the {} archive ends early", A::NAME))
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of an archive's PGN files.
    pub(super) fn read(archive: impl Archive) -> io::Result<String> {
        let mut text = String::new();
        Files::new(archive).read_to_string(&mut text).map(|_| text)
    }

    #[track_caller]
    pub(super) fn check(text: io::Result<String>, words: &str) {
        let error = text.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    /// Reads an archive with each byte changed and cut at each byte.
    pub(super) fn damage(whole: &[u8], read: impl Fn(&[u8]) -> io::Result<String>) {
        for at in 0..whole.len() {
            let mut bytes = whole.to_vec();
            bytes[at] = bytes[at].wrapping_add(0x81);
            let _ = read(&bytes);
            let _ = read(&whole[..at]);
        }
    }
}
