//! Filters of games and positions.

use clap::Args;
use serde::{Serialize, Serializer};
use shakmaty::{Color, Outcome};
use tabiya_chess::{Date, Eco, Ply, game::parse_result};
use tabiya_retrieval::{
    GameNumber,
    index::Source,
    search::{Filter, Range, SideToMove},
};

use super::text;

/// Selects games by their tags.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[command(next_help_heading = "Games")]
pub struct TagParameters {
    /// Part of either player's name, ignoring case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,

    /// Part of White's name
    #[arg(long, value_name = "NAME")]
    white: Option<String>,

    /// Part of Black's name
    #[arg(long, value_name = "NAME")]
    black: Option<String>,

    /// Ratings of both players, such as 2400-2600, 2500- or -2000
    #[arg(long, value_name = "RANGE", value_parser = parse_elo, allow_hyphen_values = true)]
    #[serde(serialize_with = "text::one")]
    elo: Option<Range<u16>>,

    /// Date, such as 1990-1999, 2010.05- or -1970.12.31
    #[arg(long, value_name = "RANGE", value_parser = parse_date, allow_hyphen_values = true)]
    #[serde(serialize_with = "text::one")]
    date: Option<Range<Date>>,

    /// Opening code, such as B20-B99 or C67
    #[arg(long, value_name = "RANGE", value_parser = parse_eco, allow_hyphen_values = true)]
    #[serde(serialize_with = "text::one")]
    eco: Option<Range<Eco>>,

    /// Results, such as 1-0 or 1-0,0-1
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_outcome, allow_hyphen_values = true)]
    #[serde(serialize_with = "results")]
    result: Vec<Outcome>,

    /// Part of the event's name
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// Rating of exercises, such as 1500-1800
    #[arg(long, value_name = "RANGE", value_parser = parse_elo, allow_hyphen_values = true)]
    #[serde(serialize_with = "text::one")]
    rating: Option<Range<u16>>,

    /// Themes that exercises must have, such as fork,mateIn2
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[serde(serialize_with = "text::list")]
    theme: Vec<String>,
}

impl TagParameters {
    /// The filter for games.
    pub fn filter(&self) -> Filter {
        Filter {
            player: self.player.clone(),
            white: self.white.clone(),
            black: self.black.clone(),
            elo: self.elo.unwrap_or_default(),
            date: self.date.unwrap_or_default(),
            eco: self.eco.unwrap_or_default(),
            results: self.result.clone(),
            event: self.event.clone(),
            rating: self.rating.unwrap_or_default(),
            themes: self.theme.clone(),
            ..Filter::default()
        }
    }
}

/// Selects the games to search.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[command(next_help_heading = "Games")]
pub struct GameParameters {
    #[command(flatten)]
    #[serde(flatten)]
    tags: TagParameters,

    /// Source of the games: self (retained games of the engine) or archive (all others)
    #[arg(long, value_name = "SOURCE", value_parser = parse_source)]
    #[serde(serialize_with = "source")]
    source: Option<Source>,

    /// Numbers of games to leave out
    #[arg(long, value_name = "N", value_delimiter = ',')]
    #[serde(serialize_with = "text::list")]
    exclude_game: Vec<GameNumber>,
}

impl GameParameters {
    /// Whether the filter admits all games.
    pub fn is_empty(&self) -> bool {
        self.filter() == Filter::default()
    }

    /// The filter for games.
    pub fn filter(&self) -> Filter {
        Filter {
            source: self.source,
            exclude: self.exclude_game.iter().copied().collect(),
            ..self.tags.filter()
        }
    }
}

/// Selects the positions to search, in the query's view.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[command(next_help_heading = "Positions")]
pub struct PositionFilterParameters {
    /// Plies played before the position, such as 25- (no openings), 0-20 or 40
    #[arg(long, value_name = "RANGE", value_parser = parse_ply, allow_hyphen_values = true)]
    #[serde(serialize_with = "text::one")]
    ply: Option<Range<Ply>>,

    /// Side to move in the query's view: same, any, white or black [default: same, or that of the run]
    #[arg(long, value_name = "SIDE", value_parser = parse_side)]
    #[serde(serialize_with = "side")]
    pub(crate) side_to_move: Option<SideChoice>,

    /// Material: same, or the greatest difference in pieces
    #[arg(long, value_name = "same|N", value_parser = parse_material)]
    #[serde(serialize_with = "text::one")]
    material: Option<u32>,

    /// Number of pieces on the board, such as 7, 10-20 or -12
    #[arg(long, value_name = "RANGE", value_parser = parse_pieces, allow_hyphen_values = true)]
    #[serde(serialize_with = "text::one")]
    pieces: Option<Range<u32>>,
}

/// Which side may be to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideChoice {
    /// Either.
    Any,
    /// Only this one.
    Only(SideToMove),
}

impl PositionFilterParameters {
    /// Whether positions must have the material of another one.
    pub(crate) fn compares_material(&self) -> bool {
        self.material.is_some()
    }

    /// Adds these conditions to a filter of games.
    pub fn narrow(&self, filter: Filter) -> Filter {
        Filter {
            ply: self.ply.unwrap_or_default(),
            side_to_move: self.side_to_move.and_then(SideChoice::filter),
            material: self.material,
            pieces: self.pieces.unwrap_or_default(),
            ..filter
        }
    }
}

/// Reads `a-b`, `a-`, `-b` or `a`. A single value is a range from itself to itself.
pub(super) fn parse_range<T: Copy + PartialOrd>(
    text: &str,
    mut parse: impl FnMut(&str) -> Result<(T, T), String>,
) -> Result<Range<T>, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let mut end = |text: &str| match text.trim() {
        "" => Ok(None),
        text => parse(text).map(Some),
    };
    let (from, to) = (end(from)?.map(|it| it.0), end(to)?.map(|it| it.1));
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err("the range ends before it begins".to_owned()),
        (None, None) => Err("give at least one end of the range".to_owned()),
        _ => Ok(Range { from, to }),
    }
}

fn parse_elo(text: &str) -> Result<Range<u16>, String> {
    let rating = |it: &str| it.parse().map(|it| (it, it));
    parse_range(text, |it| {
        rating(it).map_err(|_| format!("\"{it}\" is not a rating; try 2400-2600, 2500- or -2000"))
    })
}

fn parse_pieces(text: &str) -> Result<Range<u32>, String> {
    parse_range(text, |it| number(it).map(|it| (it, it)))
}

fn parse_ply(text: &str) -> Result<Range<Ply>, String> {
    parse_range(text, |it| number(it).map(|it| (it, it)))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("\"{text}\" is not a valid number; try 20, 10-20 or 10-"))
}

/// A date without month or day means the whole year or month.
fn parse_date(text: &str) -> Result<Range<Date>, String> {
    parse_range(text, |it| {
        let date = Date::parse(&it.replace('/', "."));
        if date.year == 0 {
            return Err(format!("\"{it}\" is not a date; try 1999 or 1999.12.31"));
        }
        let last = Date {
            month: if date.month == 0 { 12 } else { date.month },
            day: if date.day == 0 { 31 } else { date.day },
            ..date
        };
        Ok((date, last))
    })
}

fn parse_eco(text: &str) -> Result<Range<Eco>, String> {
    parse_range(text, |it| {
        let eco = Eco::parse(it).filter(|_| it.len() == 3);
        eco.map(|it| (it, it)).ok_or(format!(
            "\"{it}\" is not an opening code; codes are A00 to E99"
        ))
    })
}

fn parse_outcome(text: &str) -> Result<Outcome, String> {
    match parse_result(text) {
        Some(known) => Ok(Outcome::Known(known)),
        None if text == "*" => Ok(Outcome::Unknown),
        None => Err("expected 1-0, 0-1, 1/2-1/2 or *".to_owned()),
    }
}

impl SideChoice {
    fn filter(self) -> Option<SideToMove> {
        match self {
            SideChoice::Any => None,
            SideChoice::Only(side) => Some(side),
        }
    }
}

fn parse_side(text: &str) -> Result<SideChoice, String> {
    match text {
        "any" => Ok(SideChoice::Any),
        "same" => Ok(SideChoice::Only(SideToMove::Same)),
        "white" | "w" => Ok(SideChoice::Only(SideToMove::Of(Color::White))),
        "black" | "b" => Ok(SideChoice::Only(SideToMove::Of(Color::Black))),
        _ => Err("expected same, any, white or black".to_owned()),
    }
}

fn parse_source(text: &str) -> Result<Source, String> {
    let mut sources = [Source::Own, Source::Imported].into_iter();
    let source = sources.find(|it| it.name() == text);
    source.ok_or_else(|| "expected self or archive".to_owned())
}

fn parse_material(text: &str) -> Result<u32, String> {
    if text == "same" { Ok(0) } else { number(text) }
}

fn results<S: Serializer>(results: &[Outcome], to: S) -> Result<S::Ok, S::Error> {
    let names: Vec<&str> = results.iter().map(|it| it.as_str()).collect();
    text::list(&names, to)
}

fn source<S: Serializer>(source: &Option<Source>, to: S) -> Result<S::Ok, S::Error> {
    text::one(&source.map(Source::name), to)
}

fn side<S: Serializer>(side: &Option<SideChoice>, to: S) -> Result<S::Ok, S::Error> {
    let name = |it: SideChoice| match it {
        SideChoice::Any => "any",
        SideChoice::Only(SideToMove::Same) => "same",
        SideChoice::Only(SideToMove::Of(color)) => color.fold_wb("white", "black"),
    };
    text::one(&side.map(name), to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_with_open_ends() {
        let both = parse_elo("2400-2600").unwrap();
        assert_eq!((both.from, both.to), (Some(2400), Some(2600)));
        assert_eq!(parse_elo("2500-").unwrap().to, None);
        assert_eq!(parse_elo("-2000").unwrap().from, None);
        assert_eq!(
            parse_pieces("7").unwrap(),
            Range {
                from: Some(7),
                to: Some(7)
            }
        );
        for text in ["", "-", "x", "3-2", "99999"] {
            assert!(parse_elo(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_year_is_all_of_its_days() {
        let year = parse_date("1999").unwrap();
        assert!(
            year.contains(Date::parse("1999.??.??")) && year.contains(Date::parse("1999.12.31"))
        );
        assert!(!year.contains(Date::parse("2000.01.01")));
        let months = parse_date("1999.02-1999.03").unwrap();
        assert!(
            months.contains(Date::parse("1999.03.31"))
                && !months.contains(Date::parse("1999.01.31"))
        );
        assert!(parse_date("soon").is_err());
    }
}
