//! Which games and positions may answer a query.
//!
//! Filters take part in the search: games are ruled out before any window is
//! looked at, positions before they are scored. So the answer is the best of
//! what is admitted, not what is admitted of the best.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

use shakmaty::{Board, Color, Outcome};
use tabiya_chess::{Date, Eco, Game, Ply, Symmetry, Tags};

use crate::index::{
    FormatError, GameIndex, GameNumber, GameRecord, Games, Planes, Shard, Source, StringId,
    Variations,
};
use crate::motif::{Exhibit, value};

/// An inclusive range of which either end may be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// The least value.
    pub from: Option<T>,
    /// The greatest value.
    pub to: Option<T>,
}

impl<T> Default for Range<T> {
    fn default() -> Range<T> {
        Range {
            from: None,
            to: None,
        }
    }
}

impl<T: PartialOrd + Copy> Range<T> {
    /// Whether the value lies in the range.
    pub fn contains(&self, value: T) -> bool {
        self.from.is_none_or(|it| value >= it) && self.to.is_none_or(|it| value <= it)
    }

    /// Whether the range holds everything.
    pub fn is_open(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Like [`Range::contains`]; what is unknown lies only in the open range.
    pub(crate) fn admits(&self, value: Option<T>) -> bool {
        self.is_open() || value.is_some_and(|it| self.contains(it))
    }
}

/// As `from-to`, either of which may be missing.
impl<T: fmt::Display> fmt::Display for Range<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |it: &Option<T>| it.as_ref().map_or(String::new(), ToString::to_string);
        write!(f, "{}-{}", end(&self.from), end(&self.to))
    }
}

/// Whose turn it should be, seen from the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideToMove {
    /// As in the query.
    Same,
    /// This side.
    Of(Color),
}

/// What a game or position must have to answer. The default admits all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// A part of the name of either player, in any case.
    pub player: Option<String>,
    /// A part of White's name.
    pub white: Option<String>,
    /// A part of Black's name.
    pub black: Option<String>,
    /// The ratings of both players.
    pub elo: Range<u16>,
    /// The day; a day of which a part is unknown counts as its earliest.
    pub date: Range<Date>,
    /// The opening.
    pub eco: Range<Eco>,
    /// The results that are allowed; empty for all.
    pub results: Vec<Outcome>,
    /// A part of the event's name.
    pub event: Option<String>,
    /// Where the games come from.
    pub source: Option<Source>,
    /// Games that are left out.
    pub exclude: BTreeSet<GameNumber>,
    /// The rating of an exercise.
    pub rating: Range<u16>,
    /// Themes that an exercise must have, in any case.
    pub themes: Vec<String>,
    /// How many half-moves were played before the position.
    pub ply: Range<Ply>,
    /// Whose turn it is, seen from the query.
    pub side_to_move: Option<SideToMove>,
    /// By how many pieces the material may differ from the query's.
    pub material: Option<u32>,
    /// The number of pieces on the board.
    pub pieces: Range<u32>,
}

impl Filter {
    /// Whether it admits a position of a game by the half-moves before it.
    pub(crate) fn admits_ply(&self, ply: Ply) -> bool {
        self.ply.contains(ply)
    }

    /// Whether it admits every game, and positions at any ply.
    pub(crate) fn admits_all_games(&self) -> bool {
        !self.concerns_games() && self.ply.is_open()
    }

    /// Whether a game with these tags may become part of a collection. What
    /// concerns games that have a number, or positions, is not asked.
    pub fn admits_tags(&self, tags: &Tags) -> bool {
        let has = |name: &str, part: &Option<String>| {
            let part = part.as_deref();
            part.is_none_or(|it| contains(name, it))
        };
        let date = Some(tags.date).filter(|it| it.year > 0);
        self.elo.admits(tags.white_elo)
            && self.elo.admits(tags.black_elo)
            && self.date.admits(date)
            && self.eco.admits(tags.eco)
            && (self.results.is_empty() || self.results.contains(&tags.result))
            && has(&tags.white, &self.white)
            && has(&tags.black, &self.black)
            && has(&tags.event, &self.event)
            && self.admits_exercise(|name| value(tags, name))
            && (has(&tags.white, &self.player) || has(&tags.black, &self.player))
    }

    /// Whether the rating and the themes are admitted, given the values of tags.
    fn admits_exercise<'a>(&self, tag: impl Fn(&str) -> Option<&'a str>) -> bool {
        let rating = || tag(Exhibit::RATING).and_then(|it| it.parse().ok());
        let has = |theme: &String| {
            let mut themes = tag(Exhibit::THEMES).unwrap_or_default().split(' ');
            themes.any(|it| it.eq_ignore_ascii_case(theme))
        };
        (self.rating.is_open() || self.rating.admits(rating())) && self.themes.iter().all(has)
    }

    fn concerns_games(&self) -> bool {
        let nothing = Filter {
            ply: self.ply,
            side_to_move: self.side_to_move,
            material: self.material,
            pieces: self.pieces,
            ..Filter::default()
        };
        *self != nothing
    }
}

/// Hands over all games that a filter admits, with their numbers, in order, until `visit`
/// breaks off.
///
/// # Errors
///
/// When a shard is damaged, or what `visit` broke off with.
pub fn for_each_game<E: From<FormatError>>(
    shards: &[Shard<'_>],
    filter: &Filter,
    mut visit: impl FnMut(GameNumber, Game) -> Result<(), E>,
) -> Result<(), E> {
    for shard in shards {
        let games = shard.segment.games()?;
        let admitted = GameFilter::new(filter, &games, shard);
        shard.segment.sound()?;
        for index in games.indices().filter(|&it| admitted.admits(it)) {
            let game = games.game(index);
            shard.segment.sound()?;
            visit(shard.number(index), game)?;
        }
    }
    Ok(())
}

/// The games of a segment that a filter admits.
#[derive(Debug)]
pub(crate) struct GameFilter {
    /// By game; `None` admits all.
    games: Option<Vec<bool>>,
    /// The windows of admitted games, as a bitmap.
    windows: Option<Vec<u64>>,
}

impl GameFilter {
    pub(crate) fn new(filter: &Filter, games: &Games<'_>, shard: &Shard<'_>) -> GameFilter {
        if filter.admits_all_games() {
            return GameFilter {
                games: None,
                windows: None,
            };
        }
        let mut names = Names::new(games);
        let (by_game, windows) = admitted(filter, games, |game, record| {
            !filter.exclude.contains(&shard.number(game)) && admits(filter, record, &mut names)
        });
        GameFilter {
            windows: Some(windows),
            games: filter.concerns_games().then_some(by_game),
        }
    }

    /// The same for the variations of the games.
    pub(crate) fn of_variations(&self, filter: &Filter, variations: &Variations<'_>) -> GameFilter {
        if filter.admits_all_games() {
            return GameFilter {
                games: None,
                windows: None,
            };
        }
        let lines = &variations.windows;
        let (by_line, windows) =
            admitted(filter, lines, |it, _| self.admits(variations.place(it).0));
        GameFilter {
            windows: Some(windows),
            games: Some(by_line),
        }
    }

    pub(crate) fn admits(&self, game: GameIndex) -> bool {
        self.games.as_ref().is_none_or(|it| it[usize::from(game)])
    }

    /// The number of admitted games, of `all`.
    pub(crate) fn count(&self, all: u64) -> u64 {
        let admitted = self.games.as_ref();
        admitted.map_or(all, |it| it.iter().filter(|&&it| it).count() as u64)
    }

    pub(crate) fn windows(&self) -> Option<&[u64]> {
        self.windows.as_deref()
    }
}

/// Which games are admitted, and their windows within the plies of the filter as a bitmap.
fn admitted(
    filter: &Filter,
    games: &Games<'_>,
    mut admits: impl FnMut(GameIndex, &GameRecord) -> bool,
) -> (Vec<bool>, Vec<u64>) {
    let mut windows = vec![0u64; games.summary.windows.div_ceil(64) as usize];
    let mut first_window = 0;
    let by_game = games.indices().map(|game| {
        let record = games.record(game);
        let is_admitted = admits(game, &record);
        if is_admitted {
            let of_plies = record.windows_of(filter.ply.from, filter.ply.to);
            for window in of_plies.map(|it| first_window + it) {
                if let Some(word) = windows.get_mut(window / 64) {
                    *word |= 1 << (window % 64);
                }
            }
        }
        first_window += record.windows();
        is_admitted
    });
    (by_game.collect(), windows)
}

fn admits<'a>(filter: &'a Filter, record: &GameRecord, names: &mut Names<'a>) -> bool {
    let elo = |it: u16| filter.elo.admits(Some(it).filter(|&it| it > 0));
    let date = Some(record.date).filter(|it| it.year > 0);
    elo(record.white_elo)
        && elo(record.black_elo)
        && filter.source.is_none_or(|it| it == record.source())
        && filter.date.admits(date)
        && filter.eco.admits(record.eco())
        && (filter.results.is_empty() || filter.results.contains(&record.result()))
        && names.have(record.white, filter.white.as_deref())
        && names.have(record.black, filter.black.as_deref())
        && names.have(record.event, filter.event.as_deref())
        && filter.admits_exercise(|name| names.games.other(record, name))
        && (names.have(record.white, filter.player.as_deref())
            || names.have(record.black, filter.player.as_deref()))
}

/// Looks for parts of names, each name once.
struct Names<'a> {
    games: &'a Games<'a>,
    answers: HashMap<(StringId, &'a str), bool>,
}

impl<'a> Names<'a> {
    fn new(games: &'a Games<'a>) -> Names<'a> {
        Names {
            games,
            answers: HashMap::new(),
        }
    }

    /// Whether the name has the part; every name has no part.
    fn have(&mut self, name: StringId, part: Option<&'a str>) -> bool {
        let Some(part) = part else { return true };
        let games = self.games;
        *self
            .answers
            .entry((name, part))
            .or_insert_with(|| contains(games.string(name), part))
    }
}

/// Whether a name has a part, in any case.
fn contains(name: &str, part: &str) -> bool {
    if name.is_ascii() && part.is_ascii() {
        let (name, part) = (name.as_bytes(), part.as_bytes());
        // Windows of no bytes are not defined.
        let mut places = name.windows(part.len().max(1));
        return part.is_empty() || places.any(|it| it.eq_ignore_ascii_case(part));
    }
    name.to_lowercase().contains(&part.to_lowercase())
}

/// The positions that a filter admits, as one view of the query sees them.
#[derive(Debug)]
pub(crate) struct PositionFilter {
    ply: Range<Ply>,
    turn: Option<Color>,
    material: Option<(u32, [u32; 12])>,
    pieces: Range<u32>,
}

impl PositionFilter {
    /// `board` and `turn` are the query's, turned by `symmetry`.
    pub(crate) fn new(
        filter: &Filter,
        symmetry: Symmetry,
        board: &Board,
        turn: Color,
    ) -> PositionFilter {
        PositionFilter {
            ply: filter.ply,
            turn: filter.side_to_move.map(|it| match it {
                SideToMove::Same => turn,
                SideToMove::Of(color) => symmetry.color(color),
            }),
            material: filter
                .material
                .map(|most| (most, counts(&Planes::from(board)))),
            pieces: filter.pieces,
        }
    }

    /// Whether it admits every position.
    pub(crate) fn admits_all(&self) -> bool {
        let any = self.ply.is_open() && self.pieces.is_open();
        any && self.turn.is_none() && self.material.is_none()
    }

    pub(crate) fn admits(&self, board: &Planes, ply: Ply, turn: Color) -> bool {
        self.ply.contains(ply)
            && self.turn.is_none_or(|it| it == turn)
            && (self.pieces.is_open() || self.pieces.contains(board.occupied().count_ones()))
            && self.material.is_none_or(|(most, wanted)| {
                let found = counts(board);
                let differ = wanted.iter().zip(found).map(|(one, two)| one.abs_diff(two));
                differ.sum::<u32>() <= most
            })
    }
}

/// How many pieces there are of each kind, White's pawn to king, then Black's.
fn counts(board: &Planes) -> [u32; 12] {
    board.pieces().map(|it| it.count() as u32)
}
