//! Reading a Scid base game by game.

use std::{
    fs::File,
    io::{BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{Format, decode::decode, entry::Entry, names::Names};
use crate::{BaseError, Record, record::Step, text::TextWriter};

const INDEX_MAGIC: &[u8] = b"Scid.si\0";

/// An open Scid base.
#[derive(Debug)]
pub(crate) struct Reader {
    format: Format,
    index_path: PathBuf,
    index: BufReader<File>,
    games_path: PathBuf,
    games: BufReader<File>,
    games_size: u64,
    /// Where the next byte of `games` is.
    at: u64,
    names: Names,
    entries: u64,
    /// Why there are fewer entries than there should be.
    shortfall: Option<String>,
    next: u64,
    bytes: Vec<u8>,
}

impl Reader {
    pub(crate) fn open(format: Format, path: &Path) -> Result<Reader, BaseError> {
        let [index_path, names_path, games_path] = format.files(path);
        for path in [&index_path, &names_path, &games_path] {
            if !path.is_file() {
                return Err(BaseError::Missing(path.clone()));
            }
        }
        let open = |path: &Path| {
            let file = File::open(path).map_err(BaseError::io(path))?;
            let size = file.metadata().map_err(BaseError::io(path))?.len();
            Ok::<_, BaseError>((BufReader::with_capacity(1 << 16, file), size))
        };
        let (mut index, index_size) = open(&index_path)?;
        let (games, games_size) = open(&games_path)?;
        let (header, size) = (format.header_size() as u64, format.entry_size() as u64);
        let room = index_size.saturating_sub(header) / size;
        let mut entries = room;
        let mut shortfall = None;
        match format {
            Format::Si4 => {
                let listed = read_header(&mut index)
                    .map_err(|what| BaseError::damaged(&index_path, what))?;
                entries = room.min(listed);
                if listed > room {
                    shortfall = Some(format!(
                        "the header announces {listed} games, the file holds {room}"
                    ));
                }
            }
            Format::Si5 if !index_size.is_multiple_of(size) => {
                shortfall = Some("truncated inside an entry".to_owned());
            }
            Format::Si5 => {}
        }
        Ok(Reader {
            format,
            names: Names::read(format, &names_path)?,
            index_path,
            index,
            games_path,
            games,
            games_size,
            at: 0,
            entries,
            shortfall,
            next: 0,
            bytes: Vec::new(),
        })
    }

    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// The next game of the index.
    pub(crate) fn next_into(&mut self, text: &mut TextWriter) -> Result<Step, BaseError> {
        if self.next == self.entries {
            let shortfall = self.shortfall.take();
            return match shortfall {
                Some(what) => Err(BaseError::damaged(&self.index_path, what)),
                None => Ok(Step::End),
            };
        }
        self.next += 1;
        let mut buffer = [0; 56];
        let buffer = &mut buffer[..self.format.entry_size()];
        let read = self.index.read_exact(buffer);
        read.map_err(BaseError::io(&self.index_path))?;
        let entry = Entry::read(self.format, buffer);
        if entry.is_deleted() {
            return Ok(Step::Record(Record::Deleted));
        }
        let end = entry.offset + u64::from(entry.length);
        self.bytes.clear();
        let lies_outside = end > self.games_size;
        if !lies_outside {
            self.read_game(&entry)
                .map_err(BaseError::io(&self.games_path))?;
        }
        let fault = decode(&entry, &self.names, &self.bytes, text);
        let fault = if lies_outside {
            let name = self.games_path.file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            Some(format!("the moves lie beyond the end of {name}"))
        } else {
            fault
        };
        Ok(Step::Record(Record::Game { fault }))
    }

    fn read_game(&mut self, entry: &Entry) -> std::io::Result<()> {
        // Games mostly follow each other, so that the next is often read
        // already.
        match i64::try_from(entry.offset)
            .ok()
            .zip(i64::try_from(self.at).ok())
        {
            Some((to, from)) => self.games.seek_relative(to - from)?,
            None => drop(self.games.seek(SeekFrom::Start(entry.offset))?),
        }
        self.bytes.resize(entry.length as usize, 0);
        // If reading fails, nothing more is read.
        self.games.read_exact(&mut self.bytes)?;
        self.at = entry.offset + u64::from(entry.length);
        Ok(())
    }
}

/// How many games the header of an si4 index announces.
fn read_header(index: &mut impl Read) -> Result<u64, String> {
    let mut header = [0; 182];
    let is_whole = index.read_exact(&mut header).is_ok();
    if !is_whole || !header.starts_with(INDEX_MAGIC) {
        return Err("not a Scid index".to_owned());
    }
    let version = u16::from(header[8]) << 8 | u16::from(header[9]);
    if version != 400 {
        return Err(format!(
            "format version {version}, expected 400; open it once in Scid 4, which converts it"
        ));
    }
    let count = header[14..17].iter();
    Ok(count.fold(0, |sum, &it| sum << 8 | u64::from(it)))
}
