//! How filters are given, on the command line and in a request.

use clap::Args;
use serde::{Deserialize, Deserializer};
use shakmaty::{Color, Outcome};
use tabiya_chess::{Date, Eco, game::parse_result};
use tabiya_retrieval::{
    index::Source,
    search::{Filter, Range, SideToMove},
};
use utoipa::IntoParams;

use crate::text;

/// Which games may answer.
#[derive(Clone, Debug, Default, Args, Deserialize, IntoParams)]
#[command(next_help_heading = "Which games")]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct GameArguments {
    /// A part of either player's name, in any case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,

    /// A part of White's name
    #[arg(long, value_name = "NAME")]
    white: Option<String>,

    /// A part of Black's name
    #[arg(long, value_name = "NAME")]
    black: Option<String>,

    /// The ratings of both players, such as 2400-2600, 2500- or -2000
    #[arg(long, value_name = "RANGE", value_parser = parse_elo, allow_hyphen_values = true)]
    #[serde(deserialize_with = "elo")]
    #[param(value_type = Option<String>, example = "2400-2600")]
    elo: Option<Range<u16>>,

    /// The date, such as 1990-1999, 2010.05- or -1970.12.31
    #[arg(long, value_name = "RANGE", value_parser = parse_date, allow_hyphen_values = true)]
    #[serde(deserialize_with = "date")]
    #[param(value_type = Option<String>, example = "1990-1999")]
    date: Option<Range<Date>>,

    /// The opening's code, such as B20-B99 or C67
    #[arg(long, value_name = "RANGE", value_parser = parse_eco, allow_hyphen_values = true)]
    #[serde(deserialize_with = "eco")]
    #[param(value_type = Option<String>, example = "B20-B99")]
    eco: Option<Range<Eco>>,

    /// The results, such as 1-0 or 1-0,0-1
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_outcome, allow_hyphen_values = true)]
    #[serde(deserialize_with = "outcomes")]
    #[param(value_type = Option<String>, example = "1-0,0-1")]
    result: Vec<Outcome>,

    /// A part of the event's name
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// Where the games come from: self (played by the engine and retained) or archive
    #[arg(long, value_name = "SOURCE", value_parser = parse_source)]
    #[serde(deserialize_with = "source")]
    #[param(value_type = Option<String>, example = "archive")]
    source: Option<Source>,

    /// Leave out these games, by number
    #[arg(long, value_name = "N", value_delimiter = ',')]
    #[serde(deserialize_with = "numbers")]
    #[param(value_type = Option<String>, example = "12,345")]
    exclude_game: Vec<u64>,
}

impl GameArguments {
    /// Whether nothing is asked of the games.
    pub fn is_empty(&self) -> bool {
        self.filter() == Filter::default()
    }

    /// As the library asks for it.
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
            source: self.source,
            exclude: self.exclude_game.iter().copied().collect(),
            ..Filter::default()
        }
    }
}

/// Which positions of the games may answer, as the query sees them.
#[derive(Clone, Debug, Default, Args, Deserialize, IntoParams)]
#[command(next_help_heading = "Which positions")]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct PositionFilterArguments {
    /// Whose turn it is, in the query's view: same, white or black
    #[arg(long, value_name = "SIDE", value_parser = parse_side)]
    #[serde(deserialize_with = "side")]
    #[param(value_type = Option<String>, example = "same")]
    side_to_move: Option<SideToMove>,

    /// The material: same, or by how many pieces it may differ
    #[arg(long, value_name = "same|N", value_parser = parse_material)]
    #[serde(deserialize_with = "material")]
    #[param(value_type = Option<String>, example = "same")]
    material: Option<u32>,

    /// The number of pieces on the board, such as 7, 10-20 or -12
    #[arg(long, value_name = "RANGE", value_parser = parse_pieces, allow_hyphen_values = true)]
    #[serde(deserialize_with = "pieces")]
    #[param(value_type = Option<String>, example = "10-20")]
    pieces: Option<Range<u32>>,
}

impl PositionFilterArguments {
    /// A filter of games, narrowed to these positions.
    pub fn narrow(&self, filter: Filter) -> Filter {
        Filter {
            side_to_move: self.side_to_move,
            material: self.material,
            pieces: self.pieces.unwrap_or_default(),
            ..filter
        }
    }
}

/// Reads `a-b`, `a-`, `-b` or `a`. A single value is a range of its own.
fn parse_range<T: Copy + PartialOrd>(
    text: &str,
    mut parse: impl FnMut(&str) -> Result<(T, T), String>,
) -> Result<Range<T>, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (from.trim(), to.trim());
    let from = if from.is_empty() {
        None
    } else {
        Some(parse(from)?.0)
    };
    let to = if to.is_empty() {
        None
    } else {
        Some(parse(to)?.1)
    };
    let range = Range { from, to };
    match (range.from, range.to) {
        (Some(from), Some(to)) if from > to => Err("the range ends before it begins".to_owned()),
        (None, None) => Err("give at least one end of the range".to_owned()),
        _ => Ok(range),
    }
}

fn parse_elo(text: &str) -> Result<Range<u16>, String> {
    parse_range(text, |it| number(it).map(|it| (it, it)))
}

fn parse_pieces(text: &str) -> Result<Range<u32>, String> {
    parse_range(text, |it| number(it).map(|it| (it, it)))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("\"{text}\" is no number in range"))
}

/// A date stands for its whole year or month if the rest is left out.
fn parse_date(text: &str) -> Result<Range<Date>, String> {
    parse_range(text, |it| {
        let date = Date::parse(&it.replace('/', "."));
        if date.year == 0 {
            return Err(format!(
                "\"{it}\" is no date; expected for instance 1999 or 1999.12.31"
            ));
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
        eco.map(|it| (it, it))
            .ok_or(format!("\"{it}\" is no code; expected A00 to E99"))
    })
}

fn parse_outcome(text: &str) -> Result<Outcome, String> {
    match parse_result(text) {
        Some(known) => Ok(Outcome::Known(known)),
        None if text == "*" => Ok(Outcome::Unknown),
        None => Err("expected 1-0, 0-1, 1/2-1/2 or *".to_owned()),
    }
}

fn parse_side(text: &str) -> Result<SideToMove, String> {
    match text {
        "same" => Ok(SideToMove::Same),
        "white" | "w" => Ok(SideToMove::Of(Color::White)),
        "black" | "b" => Ok(SideToMove::Of(Color::Black)),
        _ => Err("expected same, white or black".to_owned()),
    }
}

fn parse_source(text: &str) -> Result<Source, String> {
    match text {
        Source::OWN => Ok(Source::Own),
        "archive" => Ok(Source::Imported),
        _ => Err("expected self or archive".to_owned()),
    }
}

fn parse_material(text: &str) -> Result<u32, String> {
    if text == "same" { Ok(0) } else { number(text) }
}

/// Names a parser of the command line for serde.
macro_rules! readers {
    ($($name:ident: $type:ty = $read:ident($parse:expr);)*) => {$(
        fn $name<'de, D: Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
            text::$read(from, $parse)
        }
    )*};
}

readers! {
    elo: Option<Range<u16>> = optional(parse_elo);
    date: Option<Range<Date>> = optional(parse_date);
    eco: Option<Range<Eco>> = optional(parse_eco);
    outcomes: Vec<Outcome> = list(parse_outcome);
    source: Option<Source> = optional(parse_source);
    numbers: Vec<u64> = list(number);
    side: Option<SideToMove> = optional(parse_side);
    material: Option<u32> = optional(parse_material);
    pieces: Option<Range<u32>> = optional(parse_pieces);
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
