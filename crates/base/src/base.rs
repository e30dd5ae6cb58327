//! A base of any kind, opened by its name.

use std::path::Path;

use crate::{
    BaseError, Record,
    chessbase::{self, Archive},
    record::Step,
    scid,
    text::TextWriter,
};

/// The endings of the main files of bases.
const ENDINGS: [&str; 9] = [
    "si4", "si5", "si3", "si", "cbh", "cbv", "cbz", "2cbh", "cbf",
];

/// Whether a file is a base rather than text, by its name.
pub fn is_base(path: &Path) -> bool {
    ENDINGS.contains(&ending(path).as_str())
}

fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    ending.to_string_lossy().to_lowercase()
}

/// A base while its games are read, one after another.
#[derive(Debug)]
pub struct Base {
    kind: Kind,
    text: TextWriter,
    number: u64,
}

#[derive(Debug)]
enum Kind {
    Scid(Box<scid::Reader>),
    ChessBase(Box<chessbase::Reader>),
    Archive(Box<Archive>),
}

impl Base {
    /// No game's text is longer than this; the rest is cut off.
    pub const LONGEST_TEXT: usize = 4 << 20;

    /// Opens the base with this main file: `.si4`, `.si5`, `.cbh`, `.cbv`.
    ///
    /// # Errors
    ///
    /// When a file of the base is missing or damaged, or this crate cannot read
    /// this kind of base.
    pub fn open(path: &Path) -> Result<Base, BaseError> {
        Base::open_unless(path, &|| false)
    }

    /// Like [`Base::open`], for archives that take long to unpack: stops with
    /// an error when `is_canceled` says so.
    ///
    /// # Errors
    ///
    /// Those of [`Base::open`], and when it is canceled.
    pub fn open_unless(path: &Path, is_canceled: &dyn Fn() -> bool) -> Result<Base, BaseError> {
        let kind = match ending(path).as_str() {
            "si4" => Kind::Scid(Box::new(scid::Reader::open(scid::Format::Si4, path)?)),
            "si5" => Kind::Scid(Box::new(scid::Reader::open(scid::Format::Si5, path)?)),
            "cbh" => Kind::ChessBase(Box::new(chessbase::Reader::open(path)?)),
            "cbv" => Kind::Archive(Box::new(Archive::open(path, is_canceled)?)),
            other => return Err(BaseError::unsupported(other)),
        };
        Ok(Base {
            kind,
            text: TextWriter::default(),
            number: 0,
        })
    }

    /// How many records there are, deleted ones and others included.
    pub fn records(&self) -> u64 {
        match &self.kind {
            Kind::Scid(reader) => reader.entries(),
            Kind::ChessBase(reader) => reader.entries(),
            Kind::Archive(archive) => archive.entries(),
        }
    }

    /// The number of the last record, counted from one, as the base's own
    /// program shows it.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next record and appends the text of its game to `text`. None
    /// is the end.
    ///
    /// # Errors
    ///
    /// When the files cannot be read. A damaged game is not an error: its record says what is
    /// wrong.
    pub fn next_into(&mut self, text: &mut Vec<u8>) -> Result<Option<Record>, BaseError> {
        self.text.bytes.clear();
        let step = match &mut self.kind {
            Kind::Scid(reader) => reader.next_into(&mut self.text),
            Kind::ChessBase(reader) => reader.next_into(&mut self.text),
            Kind::Archive(archive) => archive.next_into(&mut self.text),
        };
        let Step::Record(mut record) = step? else {
            return Ok(None);
        };
        self.number += 1;
        if let Record::Game { fault } = &mut record
            && self.text.bytes.len() > Base::LONGEST_TEXT
        {
            self.text.bytes.truncate(Base::LONGEST_TEXT);
            fault.get_or_insert_with(|| "the game's text exceeds 4 MiB".to_owned());
        }
        if let Record::Game { .. } = record {
            text.extend_from_slice(&self.text.bytes);
        }
        Ok(Some(record))
    }
}
