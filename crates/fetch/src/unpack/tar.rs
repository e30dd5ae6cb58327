//! The PGN files of a tar archive, one after another.
//!
//! An archive is a sequence of headers of 512 bytes, each followed by the bytes of its file and
//! filled up to a multiple of 512. See POSIX.1-2008, `pax`, ustar Interchange Format.

use std::io::{self, BufRead, Read};

use super::{BETWEEN_FILES, damaged, is_pgn};

const BLOCK: usize = 512;

/// Reads the PGN files of an archive.
pub(super) struct Tar<R> {
    raw: R,
    /// Text that comes next.
    pending: &'static [u8],
    /// Bytes left of the current file, which is PGN.
    left: u64,
    /// Bytes to skip before the next header.
    skip: u64,
    has_games: bool,
    is_done: bool,
}

impl<R: BufRead> Tar<R> {
    pub(super) fn new(raw: R) -> Tar<R> {
        Tar {
            raw,
            pending: b"",
            left: 0,
            skip: 0,
            has_games: false,
            is_done: false,
        }
    }

    /// Goes to the next PGN file, or to the end.
    fn next_file(&mut self) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.raw).take(self.skip), &mut io::sink())?;
        if skipped < self.skip {
            return Err(damaged("the tar archive ends early"));
        }
        self.skip = 0;
        if self.raw.fill_buf()?.is_empty() {
            return self.end();
        }
        let mut header = [0; BLOCK];
        let read = self.raw.read_exact(&mut header);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("the tar archive ends early"),
            _ => error,
        })?;
        if header.iter().all(|&it| it == 0) {
            return self.end();
        }
        check(&header)?;
        let size = number(&header[124..136]).ok_or_else(|| damaged("not a tar archive"))?;
        let padding = size.next_multiple_of(BLOCK as u64) - size;
        let name = header[..100].split(|&it| it == 0).next().unwrap_or(b"");
        let is_file = matches!(header[156], b'0' | 0);
        if is_file && is_pgn(name) {
            (self.left, self.skip) = (size, padding);
            self.pending = if self.has_games { BETWEEN_FILES } else { b"" };
            self.has_games = true;
        } else {
            self.skip = size + padding;
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.is_done = true;
        match self.has_games {
            true => Ok(()),
            false => Err(damaged("the tar archive holds no PGN file")),
        }
    }
}

impl<R: BufRead> Read for Tar<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while !self.is_done {
            if !self.pending.is_empty() {
                return self.pending.read(buffer);
            }
            if self.left > 0 {
                let count = (&mut self.raw).take(self.left).read(buffer)?;
                self.left -= count as u64;
                return match count {
                    0 => Err(damaged("the tar archive ends early")),
                    count => Ok(count),
                };
            }
            self.next_file()?;
        }
        Ok(0)
    }
}

/// A header's checksum is the sum of its bytes, those of the checksum taken as spaces.
fn check(header: &[u8; BLOCK]) -> io::Result<()> {
    let sum = |range: std::ops::Range<usize>| header[range].iter().map(|&it| u64::from(it)).sum();
    let (before, after): (u64, u64) = (sum(0..148), sum(156..BLOCK));
    let expected = before + 8 * u64::from(b' ') + after;
    match number(&header[148..156]) {
        Some(found) if found == expected => Ok(()),
        _ => Err(damaged("not a tar archive, or a damaged one")),
    }
}

/// An octal number with spaces or zero bytes around it; at most 8 GB, which no book of games has.
fn number(field: &[u8]) -> Option<u64> {
    let text = str::from_utf8(field).ok()?;
    let text = text.trim_matches(|it| it == ' ' || it == '\0');
    let number = u64::from_str_radix(text, 8).ok()?;
    (number < 1 << 36).then_some(number)
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// An archive of files, each a name, a type and contents.
    pub(crate) fn archive(files: &[(&str, u8, &str)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, kind, contents) in files {
            let mut header = [0; BLOCK];
            header[..name.len()].copy_from_slice(name.as_bytes());
            header[124..135].copy_from_slice(format!("{:011o}", contents.len()).as_bytes());
            header[148..156].fill(b' ');
            header[156] = *kind;
            let sum: u64 = header.iter().map(|&it| u64::from(it)).sum();
            header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
            bytes.extend(header);
            bytes.extend(contents.as_bytes());
            bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        }
        bytes.extend([0; 2 * BLOCK]);
        bytes
    }

    fn read(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        let mut tar = Tar::new(BufReader::with_capacity(7, bytes));
        tar.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn pgn_files_are_read_and_others_skipped() {
        let whole = archive(&[
            ("book/", b'5', ""),
            ("book/README", b'0', "not a game"),
            ("book/a.pgn", b'0', "1. e4 *\n"),
            ("book/link.pgn", b'2', ""),
            ("book/B.PGN", 0, "1. d4 *"),
        ]);
        assert_eq!(read(&whole).unwrap(), "1. e4 *\n\n\n1. d4 *");
    }

    #[test]
    fn damaged_archives_are_errors() {
        let whole = archive(&[("a.pgn", b'0', "1. e4 *\n")]);
        let check = |bytes: &[u8], words: &str| {
            let error = read(bytes).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        check(b"", "no PGN file");
        check(&archive(&[("a.txt", b'0', "x")]), "no PGN file");
        check(&whole[..515], "ends early");
        check(&whole[..100], "ends early");
        check(&[b'x'; 2000], "not a tar archive");
        let mut bytes = whole.clone();
        bytes[130] ^= 1;
        check(&bytes, "damaged");
    }

    #[test]
    fn no_bytes_cause_a_panic() {
        let whole = archive(&[("a.pgn", b'0', "1. e4 *\n"), ("b.pgn", b'0', "1. d4 *\n")]);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] = bytes[at].wrapping_add(0x81);
            let _ = read(&bytes);
            let _ = read(&whole[..at]);
        }
    }
}
