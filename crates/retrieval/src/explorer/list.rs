//! Games as a list: all of them, or those that have a position, in an order and page by page.

use std::cmp::Reverse;

use shakmaty::Chess;
use tabiya_chess::{Ply, Symmetry, Tags, exact::Exact};

use crate::{
    index::{
        FormatError, GameIndex, GameNumber, GameRecord, Games, Occurrence, Shard, TallySource,
        exact::DamagedTable,
    },
    played,
    search::{Filter, GameFilter},
};

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By number in the collection.
    #[default]
    Number,
    /// The newest first.
    Date,
    /// The players with the best ratings first.
    Rating,
    /// By White's name.
    White,
    /// By Black's name.
    Black,
    /// White's wins first.
    Result,
    /// By event.
    Event,
}

/// Which games to list.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The position that the games have.
    pub position: Option<Chess>,
    /// What the games must have.
    pub filter: Filter,
    /// The order.
    pub order: Order,
    /// Whether the order is turned around.
    pub reversed: bool,
    /// The number of games to skip.
    pub after: usize,
    /// The greatest number of games to return.
    pub limit: usize,
}

/// A game of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The game.
    pub game: GameNumber,
    /// The number of plies before the position.
    pub ply: Ply,
    /// The move played there in the notation of engines.
    pub uci: Option<String>,
    /// Players, event, result.
    pub tags: Tags,
}

/// One page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The number of games in the whole list.
    pub total: usize,
    /// The games of the page.
    pub games: Vec<Listed>,
}

/// What a list is sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number,
    Greatest(Reverse<u32>),
    Text(String),
}

/// Lists games. Games with equal keys stand in the order of their numbers.
///
/// # Errors
///
/// When a segment is damaged.
pub fn list(shards: &[Shard<'_>], listing: &Listing) -> Result<Page, FormatError> {
    let mut found = Vec::new();
    for (at, shard) in shards.iter().enumerate() {
        let games = shard.segment.games()?;
        let admitted = GameFilter::new(&listing.filter, &games, shard);
        for visit in visits(shard, &games, listing.position.as_ref())? {
            if games.has(visit.game) && admitted.admits(visit.game) {
                let key = key(listing.order, &games.record(visit.game), &games);
                found.push((key, shard.number(visit.game), at, visit));
            }
        }
    }
    let total = found.len();
    found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    if listing.reversed {
        found.reverse();
    }
    let page = found.into_iter().skip(listing.after).take(listing.limit);
    let games = page
        .map(|(_, game, at, visit)| listed(&shards[at], game, visit, listing.position.as_ref()));
    Ok(Page {
        total,
        games: games.collect::<Result<_, _>>()?,
    })
}

/// Each game once: at the position, or at its start.
fn visits(
    shard: &Shard<'_>,
    games: &Games<'_>,
    position: Option<&Chess>,
) -> Result<Vec<Occurrence>, FormatError> {
    let Some(position) = position else {
        let start = |game: GameIndex| Occurrence { game, ply: Ply(0) };
        return Ok(games.indices().map(start).collect());
    };
    let Ok(exact) = Exact::of(position) else {
        // More pieces than a game has: never stored.
        return Ok(Vec::new());
    };
    let damaged = |error: DamagedTable| shard.segment.damaged(error.to_string());
    let payload = shard
        .segment
        .exact()?
        .find(&exact, shard.segment)
        .map_err(damaged)?;
    let mut visits = match payload {
        Some(payload) => payload.occurrences().map_err(damaged)?,
        None => Vec::new(),
    };
    visits.sort_by_key(|it| (it.game, it.ply));
    visits.dedup_by_key(|it| it.game);
    Ok(visits)
}

fn key(order: Order, record: &GameRecord, games: &Games<'_>) -> Key {
    let text = |id| Key::Text(games.string(id).to_lowercase());
    match order {
        Order::Number => Key::Number,
        Order::Date => {
            let date = record.date;
            let days =
                u32::from(date.year) << 16 | u32::from(date.month) << 8 | u32::from(date.day);
            Key::Greatest(Reverse(days))
        }
        Order::Rating => {
            let sum = u32::from(record.white_elo) + u32::from(record.black_elo);
            Key::Greatest(Reverse(sum))
        }
        Order::White => text(record.white),
        Order::Black => text(record.black),
        Order::Event => text(record.event),
        Order::Result => Key::Text(record.result().as_str().replace("0-1", "2")),
    }
}

fn listed(
    shard: &Shard<'_>,
    game: GameNumber,
    visit: Occurrence,
    position: Option<&Chess>,
) -> Result<Listed, FormatError> {
    let games = shard.segment.games()?;
    let mv = position.and_then(|it| {
        let mv = games.facts().move_at(visit)?;
        mv.to_move(shakmaty::Position::board(it))
    });
    Ok(Listed {
        game,
        ply: visit.ply,
        uci: mv.map(|it| played::turned_uci(it, Symmetry::None)),
        tags: games.tags(&games.record(visit.game)),
    })
}

#[cfg(test)]
mod tests {
    use tabiya_chess::pgn::Input;

    use super::*;
    use crate::{
        Collection,
        collection::{Import, Progress},
    };

    const GAMES: &[u8] = b"[White \"Clara\"]\n[WhiteElo \"2500\"]\n[Date \"1999.01.01\"]\n[Result \"0-1\"]\n\n1. e4 e5 0-1\n\n\
        [White \"Anna\"]\n[WhiteElo \"2700\"]\n[Date \"1998.01.01\"]\n[Result \"1-0\"]\n\n1. d4 d5 1-0\n\n\
        [White \"Berta\"]\n[Date \"2001.01.01\"]\n[Result \"1/2-1/2\"]\n\n1. e4 c5 1/2-1/2\n";

    fn names(listing: &Listing) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        let bytes = Input::BuiltIn {
            name: "games",
            bytes: GAMES,
        };
        Import::new(vec![bytes])
            .run(&home, &Progress::default())
            .unwrap();
        let collection = Collection::open(&home).unwrap();
        let page = list(&collection.shards(), listing).unwrap();
        assert!(page.total >= page.games.len());
        page.games.into_iter().map(|it| it.tags.white).collect()
    }

    #[test]
    fn games_are_sorted_paged_and_filtered() {
        let by = |order| Listing {
            order,
            limit: 9,
            ..Listing::default()
        };
        assert_eq!(names(&by(Order::Number)), ["Clara", "Anna", "Berta"]);
        assert_eq!(names(&by(Order::Date)), ["Berta", "Clara", "Anna"]);
        assert_eq!(names(&by(Order::Rating)), ["Anna", "Clara", "Berta"]);
        assert_eq!(names(&by(Order::White)), ["Anna", "Berta", "Clara"]);
        assert_eq!(names(&by(Order::Result)), ["Anna", "Berta", "Clara"]);
        let second = Listing {
            reversed: true,
            after: 1,
            limit: 1,
            ..by(Order::White)
        };
        assert_eq!(names(&second), ["Berta"]);
        let filter = Filter {
            white: Some("ann".to_owned()),
            ..Filter::default()
        };
        assert_eq!(
            names(&Listing {
                filter,
                ..by(Order::Number)
            }),
            ["Anna"]
        );
    }

    #[test]
    fn games_with_a_position_are_listed_with_the_move_played() {
        use shakmaty::Position;
        let mut position = Chess::default();
        let e4 = position
            .legal_moves()
            .into_iter()
            .find(|it| it.to() == shakmaty::Square::E4)
            .unwrap();
        position.play_unchecked(e4);
        let listing = Listing {
            position: Some(position),
            limit: 9,
            ..Listing::default()
        };
        assert_eq!(names(&listing), ["Clara", "Berta"]);
    }
}
