//! The PGN files of a tar archive, one after another.
//!
//! An archive is a sequence of headers of 512 bytes, each followed by the bytes of its file and
//! filled up to a multiple of 512. See POSIX.1-2008, `pax`, ustar Interchange Format.

use std::io::{self, BufRead, Read};

use super::{Archive, damaged, ends_early, fill};

const BLOCK: usize = 512;

/// A tar archive.
pub(super) struct Tar<R> {
    raw: R,
    /// Bytes left of the current file.
    left: u64,
    /// Bytes between the current file and the next header.
    padding: u64,
}

impl<R: BufRead> Tar<R> {
    pub(super) fn new(raw: R) -> Tar<R> {
        Tar {
            raw,
            left: 0,
            padding: 0,
        }
    }
}

impl<R: BufRead> Archive for Tar<R> {
    const NAME: &'static str = "tar";

    fn next_file(&mut self) -> io::Result<Option<Vec<u8>>> {
        let skipped = io::copy(&mut (&mut self.raw).take(self.padding), &mut io::sink())?;
        if skipped < self.padding {
            return Err(ends_early::<Self>());
        }
        if self.raw.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut header = [0; BLOCK];
        fill::<Self>(&mut self.raw, &mut header)?;
        if header.iter().all(|&it| it == 0) {
            return Ok(None);
        }
        check(&header)?;
        self.left = number(&header[124..136]).ok_or_else(|| damaged("not a tar archive"))?;
        self.padding = self.left.next_multiple_of(BLOCK as u64) - self.left;
        let name = header[..100].split(|&it| it == 0).next().unwrap_or(b"");
        // Folders and links have no games.
        let is_file = matches!(header[156], b'0' | 0);
        Ok(Some(if is_file { name.to_vec() } else { Vec::new() }))
    }

    fn unpack(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = (&mut self.raw).take(self.left).read(buffer)?;
        if count == 0 && self.left > 0 {
            return Err(ends_early::<Self>());
        }
        self.left -= count as u64;
        Ok(count)
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
    use crate::unpack::tests as archives;

    /// An archive of files, each a name, a type and contents.
    fn archive(files: &[(&str, u8, &str)]) -> Vec<u8> {
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
        archives::read(Tar::new(BufReader::with_capacity(7, bytes)))
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
        let check = |bytes: &[u8], words: &str| archives::check(read(bytes), words);
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
        archives::damage(&whole, read);
    }
}
