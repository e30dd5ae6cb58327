//! Reading the tags of one game: values into their fields, and whatever is
//! needed to write them as they were.

use std::{
    borrow::Cow,
    fmt::{self, Display, Write},
    io,
    ops::ControlFlow,
};

use pgn_reader::{RawTag, Reader, Visitor};
use shakmaty::{Chess, Outcome};

use super::text::decode;
use crate::{
    Layout,
    game::{Date, Eco, Tags, parse_elo},
    layout::NAMES,
    position,
};

/// The longest line of a tag.
const LONGEST_LINE: usize = 4096;

/// The tags of a game as its source has them.
#[derive(Debug, Default)]
pub(super) struct TagPairs {
    /// The texts of the tags with fields of their own, the last one of each.
    texts: [Option<String>; NAMES.len()],
    /// Whether the source has a tag several times, a bit each.
    repeated: u16,
    /// All other tags, and texts that later ones replaced.
    others: Vec<(String, String)>,
    /// The letters of the tags in order; see [`Layout`].
    letters: String,
}

impl TagPairs {
    /// Reads the tags at the beginning of a game's text; also returns where they end.
    ///
    /// # Errors
    ///
    /// When a tag never ends. The tags before it are read.
    pub(super) fn read(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut reader = Reader::build(text)
            .set_supported_tag_line_length(LONGEST_LINE)
            .finish();
        reader.read_game(self)?;
        let buffered = reader.buffer().len();
        Ok(text.len() - buffered - reader.into_inner().len())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// The Result tag.
    pub(super) fn result(&self) -> Option<&str> {
        self.texts[6].as_deref()
    }

    /// The FEN tag.
    pub(super) fn fen(&self) -> Option<&str> {
        self.texts[11].as_deref()
    }

    /// The name of a variant of chess, if it is one.
    pub(super) fn variant(&self) -> Option<&str> {
        let names = self.others.iter().filter(|it| it.0 == "Variant");
        names.map(|it| it.1.as_str()).find(|it| !is_standard(it))
    }

    /// The tags of a game with this start and this result.
    pub(super) fn into_tags(mut self, setup: Option<&Chess>, outcome: Outcome) -> Tags {
        let layout = Layout::of(&self.letters, setup.is_some());
        let [
            event,
            site,
            date,
            round,
            white,
            black,
            result,
            white_elo,
            black_elo,
            eco,
            set_up,
            fen,
        ] = std::mem::take(&mut self.texts);
        let tags = Tags {
            date: date.as_deref().map_or_else(Date::default, Date::parse),
            white_elo: white_elo.as_deref().and_then(parse_elo),
            black_elo: black_elo.as_deref().and_then(parse_elo),
            eco: eco.as_deref().and_then(Eco::parse),
            result: outcome,
            event: self.field(0, event),
            site: self.field(1, site),
            round: self.field(3, round),
            white: self.field(4, white),
            black: self.field(5, black),
            others: Vec::new(),
            layout,
        };
        self.keep(2, date, Some(tags.date));
        self.keep(6, result, Some(outcome.as_str()));
        self.keep(7, white_elo, tags.white_elo);
        self.keep(8, black_elo, tags.black_elo);
        self.keep(9, eco, tags.eco);
        self.keep(10, set_up, setup.map(|_| "1"));
        if fen.is_some() {
            self.keep(11, fen, setup.map(position::to_fen));
        }
        Tags {
            others: self.others,
            ..tags
        }
    }

    /// The value of a tag whose field is its text.
    fn field(&mut self, rank: usize, text: Option<String>) -> String {
        if self.is_repeated(rank) {
            let text = text.clone().unwrap_or_default();
            self.others.push((NAMES[rank].to_owned(), text));
        }
        text.unwrap_or_else(|| "?".to_owned())
    }

    /// Keeps the text of a tag if a writer would make another one of its field.
    fn keep(&mut self, rank: usize, text: Option<String>, field: Option<impl Display>) {
        let Some(text) = text else { return };
        let is_same = field.is_some_and(|it| reads(it, &text));
        if !is_same || self.is_repeated(rank) {
            self.others.push((NAMES[rank].to_owned(), text));
        }
    }

    const fn is_repeated(&self, rank: usize) -> bool {
        self.repeated >> rank & 1 == 1
    }
}

impl Visitor for TagPairs {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        self.letters.reserve(16);
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        // Most names are plain; in others, what is left without control characters counts.
        let name = match name.trim_ascii() {
            name if name.iter().all(u8::is_ascii_graphic) => Cow::Borrowed(name),
            name => Cow::Owned(decode(name).trim().as_bytes().to_owned()),
        };
        let value = decode(&unescape(value.as_bytes()));
        let rank = NAMES.iter().position(|it| it.as_bytes() == &*name);
        self.letters.push(Layout::letter(rank));
        let Some(rank) = rank else {
            self.others.push((decode(&name), value));
            return ControlFlow::Continue(());
        };
        if let Some(former) = self.texts[rank].replace(value) {
            self.others.push((NAMES[rank].to_owned(), former));
            self.repeated |= 1 << rank;
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn end_game(&mut self, (): ()) {}
}

/// Whether a value is written as this text. Allocates nothing.
fn reads(value: impl Display, text: &str) -> bool {
    struct Rest<'a>(&'a str);

    impl Write for Rest<'_> {
        fn write_str(&mut self, written: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(written).ok_or(fmt::Error)?;
            Ok(())
        }
    }

    let mut rest = Rest(text);
    write!(rest, "{value}").is_ok() && rest.0.is_empty()
}

fn is_standard(variant: &str) -> bool {
    let name = variant.trim().to_lowercase();
    matches!(
        name.as_str(),
        "" | "?" | "standard" | "chess" | "normal" | "from position" | "fromposition"
    )
}

/// A tag's value without the backslashes before quotes and backslashes.
fn unescape(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|&next| byte == b'\\' && matches!(next, b'"' | b'\\'));
        plain.push(escaped.unwrap_or(byte));
    }
    Cow::Owned(plain)
}
