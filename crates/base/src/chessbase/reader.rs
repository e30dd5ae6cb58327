//! Reading a ChessBase base game by game.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use cbvault::pgn::PgnWriter;
use cbvault_chess::{
    decode::GameRef,
    start::{Start, decode_start},
    tree::{MovesBuf, decode_game_into},
};
use cbvault_format::{
    cbh::{Annotations, Entities, GameHeader, GameMoves, Headers, Wide},
    error::Error,
    file::DbFile,
    game::RecordKind,
};
use shakmaty::{Board, Color, Piece, Role, Square};

use super::{line, reason};
use crate::{BaseError, Record, file::sibling, record::Step, text::TextWriter};

/// The files that every base has.
const FILES: [&str; 7] = ["cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs"];

/// No game's moves take more bytes. The longest that ChessBase users write,
/// whole opening books, take some hundred thousand.
const LONGEST_MOVES: usize = 1 << 20;

/// The writer keeps every set-up position in memory, so a new one replaces it after this many
/// games.
const GAMES_A_WRITER: u32 = 4096;

/// An open ChessBase base.
#[derive(Debug)]
pub(crate) struct Reader {
    headers: Headers,
    entities: Entities,
    annotations: Annotations,
    wide: Option<Wide>,
    moves: DbFile,
    moves_size: u64,
    writer: PgnWriter,
    tree: MovesBuf,
    /// The number of the next game, counted from one.
    next: u32,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Reader, BaseError> {
        for ending in FILES {
            let file = sibling(path, ending);
            if !file.is_file() {
                return Err(BaseError::Missing(file));
            }
        }
        let path = path.to_owned();
        let opened = catch_unwind(move || Reader::open_checked(&path));
        opened.unwrap_or_else(|_| Err(panicked()))
    }

    fn open_checked(path: &Path) -> Result<Reader, BaseError> {
        let stem = path.with_extension("");
        let moves = DbFile::open(sibling(path, "cbg"))?;
        Ok(Reader {
            headers: Headers::open_path(sibling(path, "cbh"))?,
            entities: Entities::open(&stem)?,
            annotations: Annotations::open(&stem)?,
            wide: Wide::open_auto(&stem),
            moves_size: moves.size()?,
            moves,
            writer: PgnWriter::new(),
            tree: MovesBuf::default(),
            next: 1,
        })
    }

    pub(crate) fn entries(&self) -> u64 {
        self.headers.records().into()
    }

    /// The next record of the base.
    pub(crate) fn next_into(&mut self, text: &mut TextWriter) -> Result<Step, BaseError> {
        if self.next > self.headers.records() {
            return Ok(Step::End);
        }
        let header = self.headers.record(self.next)?;
        if self.next.is_multiple_of(GAMES_A_WRITER) {
            self.writer = PgnWriter::new();
        }
        self.next += 1;
        if header.is_deleted() {
            return Ok(Step::Record(Record::Deleted));
        }
        if header.kind() != RecordKind::Game {
            return Ok(Step::Record(Record::Other));
        }
        let read = catch_unwind(AssertUnwindSafe(|| self.read(&header, text)));
        let fault = read.unwrap_or_else(|_| {
            // Whatever it was in the middle of.
            self.writer = PgnWriter::new();
            self.tree = MovesBuf::default();
            text.bytes.clear();
            text.end_tags();
            Some("the game's data is invalid".to_owned())
        });
        Ok(Step::Record(Record::Game { fault }))
    }

    /// Appends the text of a game; returns what is wrong with it.
    fn read(&mut self, header: &GameHeader, text: &mut TextWriter) -> Option<String> {
        let fault = self.read_game(header, text);
        let mut others = TextWriter::default();
        self.write_other_tags(header, &mut others);
        // After the last tag, before the blank line.
        let end = text.bytes.windows(2).position(|it| it == b"\n\n");
        let end = end.map_or(0, |it| it + 1);
        text.bytes.splice(end..end, others.bytes);
        fault
    }

    fn read_game(&mut self, header: &GameHeader, text: &mut TextWriter) -> Option<String> {
        let record = match self.move_record(header) {
            Ok(record) => record,
            Err(error) => {
                self.write_tags(header, text);
                text.end_tags();
                return Some(format!("the moves cannot be read: {error}"));
            }
        };
        let game = match checked(self.moves.path(), &record) {
            Ok(game) => game,
            Err(what) => {
                self.write_tags(header, text);
                text.end_tags();
                return Some(what);
            }
        };
        // The writer takes every move for legal, so that they are walked
        // through first.
        if let Err(error) = decode_game_into(GameRef::new(header.id()), &game, &mut self.tree) {
            self.write_tags(header, text);
            line::write(header.id(), &game, &self.tree, text);
            return Some(reason(&error));
        }
        let mut scratch = Vec::new();
        let annotations = self
            .annotations
            .of(header, self.wide.as_ref(), &mut scratch);
        let fault;
        let begin = text.bytes.len();
        let (writer, entities) = (&mut self.writer, &self.entities);
        match annotations {
            Ok(annotations) => {
                let annotations = Some(&annotations);
                match writer.write_game(&mut text.bytes, header, entities, &game, annotations) {
                    Ok(()) => return None,
                    Err(error) => fault = reason_of(&error),
                }
            }
            Err(error) => fault = reason(&error),
        }
        let fault = format!("comments dropped, because they are damaged: {fault}");
        text.bytes.truncate(begin);
        match writer.write_game(&mut text.bytes, header, entities, &game, None) {
            Ok(()) => Some(fault),
            Err(error) => {
                text.bytes.truncate(begin);
                self.write_tags(header, text);
                line::write(header.id(), &game, &self.tree, text);
                Some(reason_of(&error))
            }
        }
    }

    /// The tags that the writer leaves out.
    fn write_other_tags(&self, header: &GameHeader, text: &mut TextWriter) {
        let names = [
            ("Annotator", self.entities.annotator(header.annotator())),
            ("Source", self.entities.source(header.source())),
        ];
        for (tag, name) in names {
            if let Some(name) = name.ok().flatten().filter(|it| !it.trim().is_empty()) {
                text.tag(tag.as_bytes(), name.trim().as_bytes());
            }
        }
        let event = self.entities.tournament(header.tournament());
        if let Some(event) = event.ok().flatten() {
            let date = event.start.text();
            if !date.starts_with(b"?") {
                text.tag(b"EventDate", &date);
            }
        }
    }

    /// The tags to know a game by that the writer could not write.
    fn write_tags(&self, header: &GameHeader, text: &mut TextWriter) {
        for (tag, number) in [("White", header.white()), ("Black", header.black())] {
            let player = self.entities.player(number).ok().flatten();
            let name = player.map_or("?".to_owned(), |it| match it.first.as_str() {
                "" => it.last,
                first => format!("{}, {first}", it.last),
            });
            text.tag(tag.as_bytes(), name.as_bytes());
        }
        text.tag(b"Date", &header.played_date().text());
        let result = cbvault::pgn::result_tag(header.result());
        text.tag(b"Result", result.as_bytes());
    }

    /// The bytes of the game's moves, within the file and not too many.
    fn move_record(&self, header: &GameHeader) -> Result<Vec<u8>, String> {
        let short = (header.moves_offset(), header.annotations_offset());
        let at = match &self.wide {
            Some(wide) => {
                wide.offsets(header.id(), short)
                    .map_err(|it| reason(&it))?
                    .0
            }
            None => short.0.into(),
        };
        let outside = "they lie beyond the end of the .cbg file";
        if at.checked_add(4).is_none_or(|end| end > self.moves_size) {
            return Err(outside.to_owned());
        }
        let mut head = [0; 4];
        self.moves
            .read_into(at, &mut head)
            .map_err(|it| reason(&it))?;
        let size = head[1..]
            .iter()
            .fold(0, |sum, &it| sum << 8 | usize::from(it));
        if at + size as u64 > self.moves_size {
            return Err(outside.to_owned());
        }
        if size > LONGEST_MOVES {
            return Err(format!("{size} bytes are too many for one game"));
        }
        self.moves.read(at, size).map_err(|it| reason(&it))
    }
}

fn panicked() -> BaseError {
    BaseError::Damaged {
        path: PathBuf::new(),
        what: "invalid data".to_owned(),
    }
}

fn reason_of(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|it| it.downcast_ref::<Error>());
    inner.map_or_else(|| error.to_string(), reason)
}

/// The moves, if their start is a position that the decoder can take.
fn checked<'a>(path: &Path, record: &'a [u8]) -> Result<GameMoves<'a>, String> {
    let game = GameMoves::parse(path, record).map_err(|it| reason(&it))?;
    if game.is_text() {
        return Err("a text instead of moves".to_owned());
    }
    let Some(start) = game.start_position() else {
        return Ok(game);
    };
    let start = decode_start(start, game.chess960_squares()).map_err(|it| reason(&it))?;
    if let Start::Setup(setup) = &start {
        let mut board = Board::empty();
        for (square, piece) in Square::ALL.into_iter().zip(setup.pieces) {
            if let Some((color, role)) = piece {
                // Pawn to king in both crates; white is one in theirs.
                let role = Role::ALL[role as usize % 6];
                let color = Color::from_white(color as u8 == 1);
                board.set_piece_at(square, Piece { color, role });
            }
        }
        if !Color::ALL.into_iter().all(|it| is_possible(&board, it)) {
            return Err("impossible starting position".to_owned());
        }
    }
    Ok(game)
}

/// Whether a side can have these pieces: one king, eight pawns, and for each
/// piece too many one pawn less.
fn is_possible(board: &Board, color: Color) -> bool {
    let count = |role: Role| board.by_piece(Piece { color, role }).count();
    let pawns = count(Role::Pawn);
    let usual = [
        (Role::Queen, 1),
        (Role::Rook, 2),
        (Role::Bishop, 2),
        (Role::Knight, 2),
    ];
    let promoted: usize = usual
        .into_iter()
        .map(|(role, usual)| count(role).saturating_sub(usual))
        .sum();
    count(Role::King) == 1 && pawns + promoted <= 8
}
