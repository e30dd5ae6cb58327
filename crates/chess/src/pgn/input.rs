//! Where games come from: files, folders, standard input or any other reader, compressed or
//! not.

use std::{
    collections::BTreeSet,
    fmt,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::puzzle::{self, Puzzles};

/// One input of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file, by its path: PGN text, a table of puzzles, or the main file of a base.
    File(PathBuf),
    /// Standard input, written `-`.
    Stdin,
    /// Text that is part of the program, compressed or not.
    BuiltIn {
        /// Its name in messages.
        name: &'static str,
        /// The bytes.
        bytes: &'static [u8],
    },
    /// A reader, such as a download.
    Stream(Stream),
}

/// A reader with a name. It can be opened once; clones share it.
#[derive(Clone)]
pub struct Stream {
    name: Arc<str>,
    reader: Arc<Mutex<Option<Box<dyn Read + Send>>>>,
}

impl Stream {
    /// A stream that messages call `name`.
    pub fn new(name: &str, reader: impl Read + Send + 'static) -> Stream {
        Stream {
            name: name.into(),
            reader: Arc::new(Mutex::new(Some(Box::new(reader)))),
        }
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let message = "the stream can be read only once";
        reader.take().ok_or_else(|| io::Error::other(message))
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.name).finish()
    }
}

/// Streams are equal if they share their reader.
impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.reader, &other.reader)
    }
}

impl Eq for Stream {}

/// The endings of text that a folder is searched for.
const ENDINGS: [&str; 4] = [".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2"];

/// The endings of the main files of bases, which the crate `tabiya-base` reads. The other files of
/// a base are not inputs.
const BASES: [&str; 5] = [".si4", ".si5", ".cbh", ".cbv", ".2cbh"];

impl Input {
    /// The inputs at a path: `-` is standard input, a folder
    /// all PGN files and bases below it in the order of their names.
    ///
    /// # Errors
    ///
    /// When the path does not exist, a folder cannot be read, or a folder has no such file.
    pub fn at(path: &Path) -> io::Result<Vec<Input>> {
        if path.as_os_str() == "-" {
            return Ok(vec![Input::Stdin]);
        }
        if !fs::metadata(path)?.is_dir() {
            return Ok(vec![Input::File(path.to_owned())]);
        }
        let mut inputs = Vec::new();
        collect(path, &mut BTreeSet::new(), &mut inputs)?;
        if inputs.is_empty() {
            let endings = [&ENDINGS[..], &BASES].concat().join(", ");
            let words = format!("holds no files of games ({endings})");
            return Err(io::Error::new(io::ErrorKind::NotFound, words));
        }
        Ok(inputs)
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Stdin => "standard input".to_owned(),
            Input::BuiltIn { name, .. } => (*name).to_owned(),
            Input::Stream(stream) => stream.name.to_string(),
        }
    }

    /// The number of bytes to be read, before decompression, if known.
    pub fn size(&self) -> Option<u64> {
        match self {
            Input::File(path) => fs::metadata(path).ok().map(|it| it.len()),
            Input::Stdin | Input::Stream(_) => None,
            Input::BuiltIn { bytes, .. } => Some(bytes.len() as u64),
        }
    }

    /// Opens the text, decompressed. `consumed` counts the bytes taken from
    /// the file, for progress bars.
    ///
    /// Compression is recognized by the first bytes, not by the name. A table of Lichess
    /// puzzles, recognized by its first line, becomes PGN.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is a base or UTF-16, or a stream was opened before.
    pub fn open(&self, consumed: Arc<AtomicU64>) -> io::Result<Box<dyn BufRead + Send>> {
        if let Input::File(path) = self
            && has_ending(path, &BASES)
        {
            let words = "a base, not text; `tabiya index` and then `tabiya export` make PGN of it";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        let raw: Box<dyn Read + Send> = match self {
            Input::File(path) => Box::new(File::open(path)?),
            Input::Stdin => Box::new(io::stdin()),
            Input::BuiltIn { bytes, .. } => Box::new(*bytes),
            Input::Stream(stream) => stream.open()?,
        };
        let mut text = decompress(Counted {
            inner: raw,
            consumed,
        })?;
        if text.fill_buf()?.starts_with(puzzle::HEAD) {
            return Ok(Box::new(BufReader::new(Puzzles::new(text))));
        }
        Ok(text)
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

/// The PGN files and bases below a folder. A folder that links lead to again is read once.
/// An input that cannot be opened fails when it is read, with an error that names it.
fn collect(folder: &Path, seen: &mut BTreeSet<PathBuf>, inputs: &mut Vec<Input>) -> io::Result<()> {
    let named = |error: io::Error| {
        let words = format!("{}: {error}", folder.display());
        io::Error::new(error.kind(), words)
    };
    if !seen.insert(fs::canonicalize(folder).map_err(named)?) {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(named)?;
    let paths = entries.map(|entry| entry.map(|it| it.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>().map_err(named)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, seen, inputs)?;
        } else if has_ending(&path, &ENDINGS) || has_ending(&path, &BASES) {
            inputs.push(Input::File(path));
        }
    }
    Ok(())
}

const BUFFER: usize = 1 << 18;

/// The text of a reader that may be compressed with zstd, gzip or bzip2, which
/// the first bytes show.
///
/// # Errors
///
/// When the first bytes cannot be read, or the text is UTF-16.
pub fn decompress(raw: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut text = unpack(raw)?;
    let head = text.fill_buf()?;
    if is_utf_16(head) {
        let message = "the text is UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)";
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    if has_old_line_ends(head) {
        let text = NewLineEnds(text);
        return Ok(Box::new(BufReader::with_capacity(BUFFER, text)));
    }
    Ok(text)
}

/// The bytes of a reader that may be compressed, whether they are text or not.
///
/// # Errors
///
/// When the first bytes cannot be read.
pub fn unpack(raw: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut raw = BufReader::with_capacity(BUFFER, raw);
    let head = raw.fill_buf()?;
    Ok(if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let mut decoder = zstd::stream::read::Decoder::with_buffer(raw)?;
        // Archives made with a long window (zstd --long) need as much here.
        decoder.window_log_max(31)?;
        Box::new(BufReader::with_capacity(BUFFER, decoder))
    } else if head.starts_with(&[0x1f, 0x8b]) {
        let decoder = flate2::bufread::MultiGzDecoder::new(raw);
        Box::new(BufReader::with_capacity(BUFFER, decoder))
    } else if head.starts_with(b"BZh") {
        let decoder = bzip2::bufread::MultiBzDecoder::new(raw);
        Box::new(BufReader::with_capacity(BUFFER, decoder))
    } else {
        Box::new(raw)
    })
}

/// Whether a text is UTF-16, with its mark or with zeros beside the first letters.
fn is_utf_16(head: &[u8]) -> bool {
    let pairs = &head.as_chunks::<2>().0[..head.len().min(32) / 2];
    let has_zeros = |place: usize| pairs.len() > 1 && pairs.iter().all(|it| it[place] == 0);
    let has_letters = |place: usize| pairs.iter().any(|it| it[place] != 0);
    head.starts_with(&[0xff, 0xfe])
        || head.starts_with(&[0xfe, 0xff])
        || has_zeros(0) && has_letters(1)
        || has_zeros(1) && has_letters(0)
}

/// Whether lines end as on old Macintoshes, in a carriage return alone.
fn has_old_line_ends(head: &[u8]) -> bool {
    memchr::memchr(b'\n', head).is_none() && memchr::memchr_iter(b'\r', head).nth(1).is_some()
}

/// A text in which lines end as everywhere else.
struct NewLineEnds<R>(R);

impl<R: Read> Read for NewLineEnds<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(into)?;
        let ends = into[..count].iter_mut().filter(|it| **it == b'\r');
        ends.for_each(|it| *it = b'\n');
        Ok(count)
    }
}

struct Counted<R> {
    inner: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &[u8] = b"[Event \"x\"]\n\n1. e4 *\n";

    fn check(name: &str, bytes: &[u8]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let inputs = Input::at(folder.path()).unwrap();
        assert_eq!(inputs, [Input::File(path)]);
        let consumed = Arc::new(AtomicU64::new(0));
        let mut text = Vec::new();
        inputs[0]
            .open(consumed.clone())
            .unwrap()
            .read_to_end(&mut text)
            .unwrap();
        // Two members, as concatenated archives have.
        assert_eq!(text, TEXT.repeat(2));
        assert_eq!(consumed.load(Ordering::Relaxed), inputs[0].size().unwrap());
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(text).unwrap();
        gz.finish().unwrap()
    }

    fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bz.write_all(text).unwrap();
        bz.finish().unwrap()
    }

    #[test]
    fn every_compression_is_read_to_its_end() {
        check("a.pgn", &TEXT.repeat(2));
        check("a.pgn.zst", &zstd::encode_all(TEXT, 3).unwrap().repeat(2));
        check("a.pgn.gz", &gzip(TEXT).repeat(2));
        check("a.pgn.bz2", &bzip2(TEXT).repeat(2));
    }

    #[test]
    fn old_line_ends_are_read_inside_an_archive_too() {
        let mut text = String::new();
        let old = gzip(b"[Event \"x\"]\r\r1. e4 *\r");
        let mut reader = decompress(io::Cursor::new(old)).unwrap();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text.as_bytes(), TEXT);
    }

    #[test]
    fn a_table_of_puzzles_becomes_games() {
        let table = b"PuzzleId,FEN,Moves,Rating,Themes,GameUrl\n\
            7,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 d1d8,900,mate,u\n";
        let input = Input::BuiltIn {
            name: "puzzles",
            bytes: table,
        };
        let mut text = String::new();
        let mut reader = input.open(Arc::default()).unwrap();
        reader.read_to_string(&mut text).unwrap();
        assert!(
            text.contains("[Themes \"mate\"]") && text.contains("\n\nh6 Rd8 *"),
            "{text}"
        );
    }

    #[test]
    fn utf_16_is_refused_with_and_without_its_mark() {
        let units = || "\u{feff}[Event \"x\"]\n\n1. e4 *\n".encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let swapped = little.chunks(2).flat_map(|it| [it[1], it[0]]);
        let big: Vec<u8> = swapped.collect();
        for bytes in [&little[..], &little[2..], &big, &big[2..]] {
            let zstd = zstd::encode_all(bytes, 3).unwrap();
            for packed in [bytes.to_vec(), zstd, gzip(bytes), bzip2(bytes)] {
                let error = decompress(io::Cursor::new(packed)).err().unwrap();
                assert!(error.to_string().contains("iconv"), "{error}");
            }
        }
        for bytes in [TEXT, b"", b"x", b"\0\0", &[0; 64], b"1. e4 \0"] {
            assert!(
                decompress(io::Cursor::new(bytes.to_vec())).is_ok(),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn a_stream_is_read_once() {
        let bytes = zstd::encode_all(TEXT, 3).unwrap();
        let stream = Stream::new("a download", io::Cursor::new(bytes));
        let input = Input::Stream(stream.clone());
        assert_eq!((input.name().as_str(), input.size()), ("a download", None));
        assert_eq!(input, Input::Stream(stream));
        let mut text = Vec::new();
        let mut reader = input.open(Arc::default()).unwrap();
        reader.read_to_end(&mut text).unwrap();
        assert_eq!(text, TEXT);
        let error = input.open(Arc::default()).err().unwrap();
        assert!(error.to_string().contains("only once"));
    }

    #[test]
    fn bases_are_found_without_their_companions() {
        let folder = tempfile::tempdir().unwrap();
        let names = "a.si4 a.sg4 a.sn4 b.CBH b.cbg b.cbp c.cbv d.si5 e.2cbh e.2cbg f.txt";
        for name in names.split(' ') {
            fs::write(folder.path().join(name), b"").unwrap();
        }
        let inputs = Input::at(folder.path()).unwrap();
        let found = ["a.si4", "b.CBH", "c.cbv", "d.si5", "e.2cbh"];
        let found = found.map(|it| Input::File(folder.path().join(it)));
        assert_eq!(inputs, found);
        let error = inputs[0].open(Arc::default()).err().unwrap();
        assert!(error.to_string().contains("a base"), "{error}");
    }
}
