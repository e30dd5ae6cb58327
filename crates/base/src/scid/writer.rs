//! Writing a Scid base: games as PGN text in, three files out.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{
    EVENT, Format, LONGEST_GAME, PLAYER, ROUND, SITE,
    encode::{Encoded, encode},
    names,
};
use crate::BaseError;

/// What did not fit into the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Losses {
    /// Games that could not be written at all.
    pub games: u64,
    /// Games written without comments, variations and glyphs, which took too
    /// many bytes.
    pub annotations: u64,
    /// Tags that were cut or left out.
    pub tags: u64,
    /// Glyphs that were left out.
    pub glyphs: u64,
}

/// A Scid base while it is written. The files have temporary names until all are complete; the
/// index is renamed last.
#[derive(Debug)]
pub struct Writer {
    format: Format,
    targets: [PathBuf; 3],
    index: Output,
    names_path: PathBuf,
    games: Output,
    games_size: u64,
    /// For each kind, the names in the order of their numbers, with the
    /// number of their uses.
    names: [Vec<(String, u32)>; 4],
    numbers: [HashMap<String, u32>; 4],
    count: u64,
    losses: Losses,
}

/// A file under a temporary name, removed unless it gets its own.
#[derive(Debug)]
struct Output {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Output {
    fn create(path: PathBuf) -> Result<Output, BaseError> {
        let file = File::create(&path).map_err(BaseError::io(&path))?;
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(Output { path, file })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), BaseError> {
        let written = self.file.write_all(bytes);
        written.map_err(BaseError::io(&self.path))
    }

    fn sync(&mut self) -> Result<(), BaseError> {
        let flushed = self.file.flush();
        let synced = flushed.and_then(|()| self.file.get_ref().sync_all());
        synced.map_err(BaseError::io(&self.path))
    }
}

/// No game crosses the end of a block: readers fetch one block for a game.
const BLOCK: u64 = 1 << 17;

impl Format {
    /// How many players, events, sites and rounds the index has numbers for.
    fn most_names(self) -> [usize; 4] {
        match self {
            Format::Si4 => [(1 << 20) - 1, (1 << 19) - 1, (1 << 19) - 1, (1 << 18) - 1],
            Format::Si5 => [1 << 28, 1 << 28, (1 << 32) - 1, 1 << 31],
        }
    }

    fn most_games(self) -> u64 {
        match self {
            Format::Si4 => (1 << 24) - 2,
            Format::Si5 => (1 << 32) - 2,
        }
    }

    fn most_bytes(self) -> u64 {
        match self {
            Format::Si4 => 1 << 32,
            Format::Si5 => 1 << 47,
        }
    }
}

impl Writer {
    /// Begins a base. `path` may have the ending of the index or none.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written to.
    pub fn create(format: Format, path: &Path) -> Result<Writer, BaseError> {
        let [index, ..] = format.endings();
        let has_ending = path
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case(index));
        let stem = if has_ending {
            path.with_extension("")
        } else {
            path.to_owned()
        };
        let with_ending = |ending: &str| {
            let mut name = stem.clone().into_os_string();
            name.push(format!(".{ending}"));
            PathBuf::from(name)
        };
        let targets = format.endings().map(with_ending);
        let [index, names_path, games] = format
            .endings()
            .map(|it| with_ending(&format!("{it}.part")));
        let mut index = Output::create(index)?;
        index.write(&vec![0; format.header_size()])?;
        Ok(Writer {
            format,
            targets,
            index,
            names_path,
            games: Output::create(games)?,
            games_size: 0,
            names: Default::default(),
            numbers: Default::default(),
            count: 0,
            losses: Losses::default(),
        })
    }

    /// Adds a game in the PGN that `tabiya_chess::pgn::write` makes.
    ///
    /// # Errors
    ///
    /// When a file cannot be written, or the format has no room for more.
    pub fn add(&mut self, text: &str) -> Result<(), BaseError> {
        let is_si4 = self.format == Format::Si4;
        let Some(mut game) = encode(text, is_si4, &mut self.losses) else {
            self.losses.games += 1;
            return Ok(());
        };
        if self.count == self.format.most_games() {
            return Err(self.full(format!("{} games", self.count)));
        }
        self.number_names(&mut game)?;
        let length = game.bytes.len() as u64;
        let room = BLOCK - self.games_size % BLOCK;
        if room < length {
            self.games.write(&vec![0; room as usize])?;
            self.games_size += room;
        }
        if self.games_size + LONGEST_GAME as u64 >= self.format.most_bytes() {
            return Err(self.full(format!("{} bytes of games", self.format.most_bytes())));
        }
        game.entry.offset = self.games_size;
        game.entry.length = length as u32;
        self.games.write(&game.bytes)?;
        self.games_size += length;
        let mut entry = Vec::with_capacity(56);
        game.entry.write(self.format, &mut entry);
        self.index.write(&entry)?;
        self.count += 1;
        Ok(())
    }

    fn number_names(&mut self, game: &mut Encoded) -> Result<(), BaseError> {
        let kinds = [PLAYER, PLAYER, EVENT, SITE, ROUND];
        let mut numbers = [0; 5];
        for ((name, kind), number) in game.names.iter().zip(kinds).zip(&mut numbers) {
            let name = if name.is_empty() { "?" } else { name };
            *number = match self.numbers[kind].get(name) {
                Some(&number) => number,
                None => self.add_name(kind, name)?,
            };
            let uses = &mut self.names[kind][*number as usize].1;
            // Scid has three bytes for it.
            *uses = (*uses + 1).min((1 << 24) - 1);
        }
        let entry = &mut game.entry;
        [
            entry.white,
            entry.black,
            entry.event,
            entry.site,
            entry.round,
        ] = numbers;
        Ok(())
    }

    fn add_name(&mut self, kind: usize, name: &str) -> Result<u32, BaseError> {
        let count = self.names[kind].len();
        if count == self.format.most_names()[kind] {
            let kind = ["players", "events", "sites", "rounds"][kind];
            return Err(self.full(format!("{count} {kind}")));
        }
        self.names[kind].push((name.to_owned(), 0));
        self.numbers[kind].insert(name.to_owned(), count as u32);
        Ok(count as u32)
    }

    fn full(&self, what: String) -> BaseError {
        let [ending, ..] = self.format.endings();
        let what = format!("the format {ending} holds at most {what}");
        BaseError::Full { what }
    }

    /// Completes the base; returns how many games are in it and what was lost.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn finish(mut self) -> Result<(u64, Losses), BaseError> {
        let names = match self.format {
            Format::Si4 => names::write_si4(&self.names),
            Format::Si5 => names::write_si5(&self.names),
        };
        let mut output = Output::create(self.names_path.clone())?;
        output.write(&names)?;
        output.sync()?;
        self.games.sync()?;
        if self.format == Format::Si4 {
            let start = self.index.file.seek(SeekFrom::Start(0));
            start.map_err(BaseError::io(&self.index.path))?;
            self.index.write(&header(self.count))?;
        }
        self.index.sync()?;
        let [index, names, games] = &self.targets;
        for (from, to) in [
            (&self.games.path, games),
            (&self.names_path, names),
            (&self.index.path, index),
        ] {
            fs::rename(from, to).map_err(BaseError::io(to))?;
        }
        Ok((self.count, self.losses))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Renamed files are no longer at these paths.
        for path in [&self.index.path, &self.names_path, &self.games.path] {
            let _ = fs::remove_file(path);
        }
    }
}

/// The beginning of an si4 index.
fn header(count: u64) -> Vec<u8> {
    let mut header = b"Scid.si\0".to_vec();
    header.extend([400_u16 >> 8, 400 & 255].map(|it| it as u8));
    header.extend([0; 4]);
    header.extend([16, 8, 0].map(|it| (count >> it) as u8));
    header.resize(182, 0);
    header
}
