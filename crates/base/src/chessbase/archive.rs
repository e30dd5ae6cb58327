//! Archives of ChessBase bases (`.cbv`): unpacked into a temporary folder,
//! then read like any other base.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use cbvault_format::archive::{self, BLOCK_HEAD, BlockHead, Member, Mode, huffman, lz};
use tempfile::TempDir;

use super::Reader;
use crate::{BaseError, record::Step, text::TextWriter};

/// The files of a base that are read; an archive holds many others.
const WANTED: [&str; 9] = [
    "cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbj",
];

/// Sound archives grow some two to twenty times.
const GROWTH: u64 = 64;

/// Small archives may grow to this.
const FREE_GROWTH: u64 = 64 << 20;

/// What back-references can reach, and more.
const WINDOW: usize = 1 << 13;

/// An unpacked archive, whose bases are read one after another.
#[derive(Debug)]
pub(crate) struct Archive {
    readers: Vec<Reader>,
    next: usize,
    entries: u64,
    /// Removed when the archive is done with.
    _folder: TempDir,
}

impl Archive {
    pub(crate) fn open(path: &Path, is_canceled: &dyn Fn() -> bool) -> Result<Archive, BaseError> {
        let folder = tempfile::tempdir().map_err(BaseError::io(path))?;
        let unpacked = catch_unwind(AssertUnwindSafe(|| {
            unpack(path, folder.path(), is_canceled)
        }));
        let damaged = || BaseError::damaged(path, "invalid data");
        let bases = unpacked.unwrap_or_else(|_| Err(damaged()))?;
        // Messages about files inside name the archive.
        let inside = |error: BaseError| match error {
            BaseError::Missing(file) => {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                BaseError::damaged(path, format!("it does not contain {name}"))
            }
            BaseError::Damaged { path: file, what } => {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                BaseError::damaged(path, format!("{name} inside: {what}"))
            }
            error => error,
        };
        let readers: Vec<Reader> = bases
            .iter()
            .map(|it| Reader::open(it).map_err(inside))
            .collect::<Result<_, _>>()?;
        Ok(Archive {
            entries: readers.iter().map(Reader::entries).sum(),
            readers,
            next: 0,
            _folder: folder,
        })
    }

    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// The next record of the archive's bases.
    pub(crate) fn next_into(&mut self, text: &mut TextWriter) -> Result<Step, BaseError> {
        while let Some(reader) = self.readers.get_mut(self.next) {
            match reader.next_into(text)? {
                Step::End => self.next += 1,
                step => return Ok(step),
            }
        }
        Ok(Step::End)
    }
}

/// Unpacks the bases of an archive; returns their `.cbh` files.
fn unpack(
    path: &Path,
    folder: &Path,
    is_canceled: &dyn Fn() -> bool,
) -> Result<Vec<PathBuf>, BaseError> {
    let archive = archive::Archive::open(path).map_err(|error| match error {
        archive::Error::Format(error) => error.into(),
        error => BaseError::damaged(path, error.to_string()),
    })?;
    let ending = |member: &Member| {
        let ending = member.name().rsplit_once('.').map_or("", |it| it.1);
        ending.to_lowercase()
    };
    if archive.list().iter().any(|it| ending(it) == "2cbh") {
        return Err(BaseError::unsupported("2cbh"));
    }
    let wanted: Vec<&Member> = archive
        .list()
        .iter()
        .filter(|it| WANTED.contains(&ending(it).as_str()))
        .collect();
    let total: u64 = wanted.iter().map(|it| it.size()).sum();
    if total > FREE_GROWTH.max(archive.size().saturating_mul(GROWTH)) {
        let what = format!("it claims to unpack to {total} bytes, which is implausible");
        return Err(BaseError::damaged(path, what));
    }
    let mut bases = Vec::new();
    for (number, member) in wanted.into_iter().enumerate() {
        // Its own name may hold folders.
        let Some(name) = member.relative_path() else {
            return Err(BaseError::damaged(path, "a member has an unsafe path"));
        };
        let target = folder.join(name);
        let parent = target.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(BaseError::io(path))?;
        let stream = archive.stream(member).map_err(|error| {
            let what = format!("file {} inside: {error}", number + 1);
            BaseError::damaged(path, what)
        })?;
        let file = File::create(&target).map_err(BaseError::io(path))?;
        let mut file = BufWriter::new(file);
        let decoded = decode(&stream, member.size(), &mut file, is_canceled);
        decoded.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                BaseError::damaged(path, format!("{} inside: {error}", member.name()))
            }
            _ => BaseError::io(path)(error),
        })?;
        if ending(member) == "cbh" {
            bases.push(target);
        }
    }
    if bases.is_empty() {
        return Err(BaseError::damaged(path, "it contains no base (.cbh)"));
    }
    Ok(bases)
}

/// Unpacks a stream of blocks, `size` bytes in all.
fn decode(
    stream: &[u8],
    size: u64,
    into: &mut impl Write,
    is_canceled: &dyn Fn() -> bool,
) -> io::Result<()> {
    let damaged = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let ends_early = || damaged("truncated inside a block".to_owned());
    let (mut out, mut stage) = (Vec::new(), Vec::new());
    let mut table = Box::new(huffman::Table::new());
    let (mut rest, mut produced) = (stream, 0);
    while !rest.is_empty() {
        if is_canceled() {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "canceled"));
        }
        let head = BlockHead::parse(rest).ok_or_else(ends_early)?;
        let after = &rest[BLOCK_HEAD..];
        let block = after.split_at_checked(head.payload_len.into());
        let (block, after) = block.ok_or_else(ends_early)?;
        rest = after;
        let Some((&mode, body)) = block.split_first() else {
            return Err(damaged("empty block".to_owned()));
        };
        let before = out.len();
        let decoded = match mode {
            Mode::STORED => {
                out.extend_from_slice(body);
                Ok(())
            }
            Mode::LZ => lz::decode("", body, &mut out, 0),
            Mode::HUFFMAN => huffman::decode("", body, &mut out, &mut table, 0),
            Mode::HUFFMAN_LZ => {
                stage.clear();
                huffman::decode("", body, &mut stage, &mut table, 0)
                    .and_then(|()| lz::decode("", &stage, &mut out, 0))
            }
            _ => return Err(damaged(format!("unknown block type {mode}"))),
        };
        decoded.map_err(|error| damaged(error.to_string()))?;
        into.write_all(&out[before..])?;
        produced += (out.len() - before) as u64;
        if produced > size {
            return Err(damaged("longer than the archive announces".to_owned()));
        }
        out.drain(..out.len().saturating_sub(WINDOW));
    }
    if produced < size {
        return Err(damaged("shorter than the archive announces".to_owned()));
    }
    into.flush()
}
