//! The explorer's answer as JSON in the shape of the Lichess opening explorer, so
//! that its clients can read ours.

use serde::Serialize;
use shakmaty::{Chess, Outcome, Position, uci::UciMove};
use tabiya_chess::{Tags, opening};
use tabiya_retrieval::explorer::{Continuation, Explored, Shown};
use utoipa::ToSchema;

/// What was played in a position.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explorer {
    white: u32,
    draws: u32,
    black: u32,
    /// Games without a known result, which Lichess does not have.
    unknown: u32,
    moves: Vec<Move>,
    top_games: Vec<Game>,
    recent_games: Vec<Game>,
    opening: Option<Opening>,
}

impl Explorer {
    /// What was found in this position.
    pub fn new(explored: &Explored, position: &Chess) -> Explorer {
        let total = &explored.total;
        let games = |shown: &[Shown]| shown.iter().map(Game::new).collect();
        Explorer {
            white: total.white,
            draws: total.draws,
            black: total.black,
            unknown: total.unknown,
            moves: explored
                .moves
                .iter()
                .map(|it| Move::new(it, position))
                .collect(),
            top_games: games(&explored.best),
            recent_games: games(&explored.newest),
            opening: explored.opening.map(Opening::new),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExploredMove)]
struct Move {
    uci: String,
    san: String,
    average_rating: Option<u64>,
    white: u32,
    draws: u32,
    black: u32,
    unknown: u32,
    last_year: Option<u16>,
    /// The opening that the move leads to.
    opening: Option<Opening>,
}

impl Move {
    fn new(played: &Continuation, position: &Chess) -> Move {
        let count = &played.count;
        Move {
            uci: played.uci.clone(),
            san: played.san.clone(),
            average_rating: count.mean_rating(),
            white: count.white,
            draws: count.draws,
            black: count.black,
            unknown: count.unknown,
            last_year: Some(count.last_year).filter(|&it| it > 0),
            opening: opening_after(position, &played.uci).map(Opening::new),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct Opening {
    eco: &'static str,
    name: &'static str,
}

impl Opening {
    fn new(opening: &opening::Opening) -> Opening {
        Opening {
            eco: opening.eco(),
            name: opening.name(),
        }
    }
}

fn opening_after(position: &Chess, uci: &str) -> Option<&'static opening::Opening> {
    let mv = uci.parse::<UciMove>().ok()?.to_move(position).ok()?;
    opening::Opening::of(&position.clone().play(mv).ok()?)
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExploredGame)]
struct Game {
    uci: Option<String>,
    id: String,
    winner: Option<&'static str>,
    white: Player,
    black: Player,
    year: Option<u16>,
    month: Option<String>,
    /// The ply at which the position stands.
    ply: u16,
    result: &'static str,
    event: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct Player {
    name: String,
    rating: Option<u16>,
}

impl Game {
    fn new(shown: &Shown) -> Game {
        let Tags {
            white,
            black,
            white_elo,
            black_elo,
            date,
            result,
            event,
            ..
        } = shown.tags.clone();
        Game {
            uci: shown.uci.clone(),
            id: shown.game.to_string(),
            winner: match result {
                Outcome::Known(known) => known.winner().map(|it| it.fold_wb("white", "black")),
                Outcome::Unknown => None,
            },
            white: Player {
                name: white,
                rating: white_elo,
            },
            black: Player {
                name: black,
                rating: black_elo,
            },
            year: Some(date.year).filter(|&it| it > 0),
            month: (date.year > 0 && date.month > 0)
                .then(|| format!("{:04}-{:02}", date.year, date.month)),
            ply: shown.ply,
            result: result.as_str(),
            event,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::Date;
    use tabiya_retrieval::explorer::Count;

    #[test]
    fn the_json_has_the_shape_of_lichess() {
        let count = Count {
            white: 2,
            draws: 1,
            rating_sum: 5000,
            rated: 2,
            last_year: 1999,
            ..Count::default()
        };
        let shown = Shown {
            game: 7,
            ply: 0,
            uci: Some("e2e4".into()),
            tags: Tags {
                white: "Anna".into(),
                white_elo: Some(2500),
                date: Date::parse("1999.05.01"),
                ..Tags::default()
            },
        };
        let explored = Explored {
            total: count,
            moves: vec![Continuation {
                uci: "e2e4".into(),
                san: "e4".into(),
                count,
            }],
            best: vec![shown],
            ..Explored::default()
        };
        let json = serde_json::to_value(Explorer::new(&explored, &Chess::default())).unwrap();
        assert_eq!(
            (&json["white"], &json["draws"], &json["black"]),
            (&2.into(), &1.into(), &0.into())
        );
        let mv = &json["moves"][0];
        assert_eq!((&mv["uci"], &mv["san"]), (&"e2e4".into(), &"e4".into()));
        assert_eq!(mv["averageRating"], 2500);
        assert_eq!(mv["opening"]["eco"], "B00");
        let game = &json["topGames"][0];
        assert_eq!(
            (&game["id"], &game["month"]),
            (&"7".into(), &"1999-05".into())
        );
        assert_eq!(
            game["white"],
            serde_json::json!({ "name": "Anna", "rating": 2500 })
        );
        assert!(game["winner"].is_null() && json["opening"].is_null());
        assert!(json["recentGames"].as_array().is_some_and(Vec::is_empty));
    }
}
