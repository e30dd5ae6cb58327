//! The PGN files of a zip archive, one after another, without the directory at its end.
//!
//! Each file has a header with its name, size and checksum; a writer that does not know the
//! latter puts them after the file. See PKWARE's APPNOTE, sections 4.3.7 to 4.3.9.

use std::io::{self, BufRead, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::{Archive, damaged, ends_early, fill};

const FILE: u32 = 0x0403_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;
const DIRECTORY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;

/// A size that is written elsewhere, because it needs more than four bytes.
const LARGE: u32 = u32::MAX;

/// Bits of a header's flags.
const ENCRYPTED: u16 = 1;
const SIZES_FOLLOW: u16 = 1 << 3;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// A zip archive.
pub(super) struct Zip<R> {
    raw: R,
    file: Option<Packed>,
}

/// A file that is being read.
struct Packed {
    header: Header,
    packing: Packing,
    sum: Crc,
    size: u64,
}

enum Packing {
    /// As it is, with the number of bytes left.
    Stored(u64),
    Deflated(Box<Decompress>),
}

/// What the header of a file says.
struct Header {
    flags: u16,
    method: u16,
    sum: u32,
    packed_size: u32,
    size: u32,
}

impl<R: BufRead> Zip<R> {
    pub(super) fn new(raw: R) -> Zip<R> {
        Zip { raw, file: None }
    }

    /// Compares a file with its checksum and its size.
    fn check(&mut self, file: &Packed) -> io::Result<()> {
        let header = &file.header;
        let (sum, size) = if header.flags & SIZES_FOLLOW == 0 {
            (header.sum, header.size)
        } else {
            let sum = match self.number()? {
                DESCRIPTOR => self.number()?,
                sum => sum,
            };
            let _packed_size = self.number()?;
            (sum, self.number()?)
        };
        let has_size = size == LARGE || u64::from(size) == file.size;
        match file.sum.sum() == sum && has_size {
            true => Ok(()),
            false => Err(damaged(
                "the zip archive is damaged: wrong checksum or size",
            )),
        }
    }

    fn number(&mut self) -> io::Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        fill::<Self>(&mut self.raw, &mut bytes)?;
        Ok(bytes)
    }

    /// Inflates some bytes; none at the end of the deflated data.
    fn inflate(&mut self, inflate: &mut Decompress, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.raw.fill_buf()?;
            let is_end = input.is_empty();
            let (taken, given) = (inflate.total_in(), inflate.total_out());
            let status = inflate.decompress(input, buffer, FlushDecompress::None);
            let status = status.map_err(|_| damaged("the zip archive is damaged: invalid data"))?;
            let taken = inflate.total_in() - taken;
            let given = inflate.total_out() - given;
            // Neither is more than the slices that were handed over.
            self.raw.consume(usize::try_from(taken).unwrap_or(0));
            if given > 0 || status == Status::StreamEnd {
                return Ok(usize::try_from(given).unwrap_or(0));
            }
            if is_end || taken == 0 {
                return Err(ends_early::<Self>());
            }
        }
    }
}

impl<R: BufRead> Archive for Zip<R> {
    const NAME: &'static str = "zip";

    fn next_file(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self.number()? {
            FILE => {}
            DIRECTORY | END => return Ok(None),
            _ => return Err(damaged("not a zip archive, or a damaged one")),
        }
        // Version, flags, method, time, date, checksum, two sizes, two lengths.
        let bytes = self.bytes::<26>()?;
        let two = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let four = |at: usize| u32::from(two(at)) | u32::from(two(at + 2)) << 16;
        let header = Header {
            flags: two(2),
            method: two(4),
            sum: four(10),
            packed_size: four(14),
            size: four(18),
        };
        let mut name = vec![0; two(22).into()];
        fill::<Self>(&mut self.raw, &mut name)?;
        let mut extra = vec![0; two(24).into()];
        fill::<Self>(&mut self.raw, &mut extra)?;
        self.file = Some(Packed {
            packing: header.packing()?,
            header,
            sum: Crc::new(),
            size: 0,
        });
        Ok(Some(name))
    }

    fn unpack(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(mut file) = self.file.take() else {
            return Ok(0);
        };
        let count = match &mut file.packing {
            Packing::Stored(left) => {
                let count = (&mut self.raw).take(*left).read(buffer)?;
                if count == 0 && *left > 0 {
                    return Err(ends_early::<Self>());
                }
                *left -= count as u64;
                count
            }
            Packing::Deflated(inflate) => self.inflate(inflate, buffer)?,
        };
        if count == 0 {
            return self.check(&file).map(|()| 0);
        }
        file.sum.update(&buffer[..count]);
        file.size += count as u64;
        self.file = Some(file);
        Ok(count)
    }
}

impl Header {
    fn packing(&self) -> io::Result<Packing> {
        if self.flags & ENCRYPTED != 0 {
            return Err(damaged("the zip archive is encrypted"));
        }
        match self.method {
            DEFLATED => Ok(Packing::Deflated(Box::new(Decompress::new(false)))),
            STORED if self.flags & SIZES_FOLLOW == 0 && self.packed_size != LARGE => {
                Ok(Packing::Stored(self.packed_size.into()))
            }
            _ => Err(damaged(
                "the zip archive is packed in a way that cannot be read as it arrives",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::{Compression, write::DeflateEncoder};

    use super::*;
    use crate::unpack::tests as archives;

    /// A file of an archive, with the sizes before or after it.
    fn packed(name: &str, method: u16, flags: u16, contents: &[u8]) -> Vec<u8> {
        let mut data = contents.to_vec();
        if method == DEFLATED {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(contents).unwrap();
            data = encoder.finish().unwrap();
        }
        let mut sum = Crc::new();
        sum.update(contents);
        let sizes = [sum.sum(), data.len() as u32, contents.len() as u32];
        let sizes: Vec<u8> = sizes.iter().flat_map(|it| it.to_le_bytes()).collect();
        let follows = flags & SIZES_FOLLOW != 0;
        let mut bytes = FILE.to_le_bytes().to_vec();
        bytes.extend([20, 0]);
        bytes.extend(flags.to_le_bytes());
        bytes.extend(method.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(if follows { &[0; 12][..] } else { &sizes });
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(3u16.to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(b"ext");
        bytes.extend(data);
        if follows {
            bytes.extend(DESCRIPTOR.to_le_bytes());
            bytes.extend(sizes);
        }
        bytes
    }

    fn archive(files: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = files.concat();
        bytes.extend(DIRECTORY.to_le_bytes());
        bytes.extend(b"whatever the directory says");
        bytes
    }

    fn read(bytes: &[u8]) -> io::Result<String> {
        archives::read(Zip::new(BufReader::with_capacity(5, bytes)))
    }

    #[track_caller]
    fn check(bytes: &[u8], words: &str) {
        archives::check(read(bytes), words);
    }

    #[test]
    fn pgn_files_are_read_and_others_skipped() {
        let text = "1. e4 e5 2. Nf3 *\n".repeat(1000);
        let whole = archive(&[
            packed("readme.txt", DEFLATED, 0, b"not a game"),
            packed("a.pgn", DEFLATED, 0, text.as_bytes()),
            packed("B.PGN", STORED, 0, b"1. d4 *"),
            packed("c.pgn", DEFLATED, SIZES_FOLLOW, b"1. c4 *"),
            packed("empty.pgn", STORED, 0, b""),
        ]);
        let expected = format!("{text}\n\n1. d4 *\n\n1. c4 *\n\n");
        assert_eq!(read(&whole).unwrap(), expected);
    }

    #[test]
    fn damaged_archives_are_errors() {
        let whole = packed("a.pgn", DEFLATED, 0, b"1. e4 e5 2. Nf3 Nc6 *");
        check(b"", "ends early");
        check(b"<html>not found</html>", "not a zip archive");
        check(&whole, "ends early");
        check(&whole[..whole.len() - 3], "ends early");
        check(&archive(&[packed("a.txt", STORED, 0, b"x")]), "no PGN file");
        check(
            &archive(&[packed("a.pgn", STORED, ENCRYPTED, b"x")]),
            "encrypted",
        );
        check(&archive(&[packed("a.pgn", 12, 0, b"x")]), "packed in a way");
        check(
            &archive(&[packed("a.pgn", STORED, SIZES_FOLLOW, b"x")]),
            "packed in a way",
        );
        let mut bytes = archive(&[packed("a.pgn", STORED, 0, b"1. e4 *")]);
        bytes[38] ^= 1;
        check(&bytes, "wrong checksum");
    }

    #[test]
    fn no_bytes_cause_a_panic() {
        let whole = archive(&[
            packed("a.pgn", DEFLATED, 0, b"1. e4 e5 2. Nf3 Nc6 *"),
            packed("b.pgn", DEFLATED, SIZES_FOLLOW, b"1. d4 d5 *"),
            packed("c.pgn", STORED, 0, b"1. c4 *"),
        ]);
        archives::damage(&whole, read);
    }
}
