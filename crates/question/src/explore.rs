//! The moves played in exactly this position. The JSON matches that of the Lichess opening
//! explorer, so that its clients can read it.

use clap::Args;
use serde::Serialize;
use shakmaty::{Chess, Outcome, Position, uci::UciMove};
use tabiya_chess::{Ply, opening};
use tabiya_retrieval::{
    VariationNumber,
    explorer::{self, Continuation, Explored, NotableGame, Remarks},
    search::Cancel,
};
use utoipa::ToSchema;

use crate::{
    AskError, Question, Shards,
    parameter::{GameParameters, PositionParameters},
    shape::GameHeader,
};

/// A position to explore.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Explore {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Number of top-rated and of most recent games to return, at most 8 each
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub show_games: usize,

    /// Include positions in the annotators' variations
    #[arg(long)]
    pub variations: bool,

    /// The games to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub games: GameParameters,
}

impl Question for Explore {
    const NAME: &'static str = "explore";
    const ABOUT: &'static str = "Show the moves and results of games with exactly this position";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[("show_games", 0.0, 8.0)];

    /// What was played, what annotators say, and the number of games that the filter admits.
    type Part = (Explored, Remarks, u64);
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Self::Part, AskError> {
        let (shards, position) = (shards.shards(), self.position.position());
        let filter = self.games.filter();
        Ok((
            explorer::explore(shards, position, &filter)?,
            explorer::remarks(shards, position, &filter, self.variations)?,
            explorer::admitted(shards, &filter)?,
        ))
    }

    fn merge(&self, parts: Vec<Self::Part>, _: &Cancel) -> Result<Answer, AskError> {
        let position = self.position.position();
        let (mut explored, mut remarks, mut admitted) = (Vec::new(), Vec::new(), 0);
        for part in parts {
            explored.push(part.0);
            remarks.push(part.1);
            admitted += part.2;
        }
        let mut explored = Explored::merge(explored);
        explored.opening = opening::Opening::of(position);
        let remarks = Remarks::merge(remarks);
        let answer = Answer::new(&explored, remarks, position, self.show_games);
        Ok(Answer {
            admitted: Some(admitted),
            ..answer
        })
    }
}

/// The moves played in a position.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExploreAnswer)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Games that White won.
    pub white: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that Black won.
    pub black: u32,
    /// Games without a known result, which Lichess does not have.
    pub unknown: u32,
    /// The moves, the most frequent first.
    pub moves: Vec<Move>,
    /// The games of the highest-rated players.
    pub top_games: Vec<Game>,
    /// The most recent games.
    pub recent_games: Vec<Game>,
    /// The opening named after the position, if any.
    pub opening: Option<Opening>,
    /// What annotators say of the position, which Lichess does not have.
    pub comments: Vec<Comment>,
    /// The moves that variations continue with, if they are included.
    pub variations: Vec<Suggestion>,
    /// The number of games that the filters admit, with or without this position; not for twins.
    pub admitted: Option<u64>,
}

impl Answer {
    /// Limits the lists of games to `games` each.
    pub(crate) fn new(
        explored: &Explored,
        remarks: Remarks,
        position: &Chess,
        games: usize,
    ) -> Answer {
        let total = &explored.total;
        let games = |shown: &[NotableGame]| shown.iter().take(games).map(Game::new).collect();
        Answer {
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
            comments: remarks.comments.into_iter().map(Comment::new).collect(),
            variations: remarks.moves.into_iter().map(Suggestion::new).collect(),
            admitted: None,
        }
    }
}

/// A comment on the position.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PositionComment)]
pub struct Comment {
    /// What the annotator says.
    pub text: String,
    /// The game.
    pub game: GameHeader,
    /// The number of the variation in the game, if the position is not in the game itself.
    #[schema(value_type = Option<u32>)]
    pub variation: Option<VariationNumber>,
    /// The number of plies played before the position.
    #[schema(value_type = u16)]
    pub ply: Ply,
}

impl Comment {
    fn new(comment: explorer::Comment) -> Comment {
        Comment {
            text: comment.text,
            game: GameHeader::new(comment.game, &comment.tags),
            variation: comment.variation,
            ply: comment.ply,
        }
    }
}

/// A move that variations continue with.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SuggestedMove)]
pub struct Suggestion {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// The number of variations.
    pub variations: u64,
}

impl Suggestion {
    fn new(suggestion: explorer::Suggestion) -> Suggestion {
        Suggestion {
            uci: suggestion.uci,
            san: suggestion.san,
            variations: suggestion.variations,
        }
    }
}

/// A move and the results of its games.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExploredMove)]
pub struct Move {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// The mean rating of the rated games.
    pub average_rating: Option<u64>,
    /// Games that White won.
    pub white: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that Black won.
    pub black: u32,
    /// Games without a known result.
    pub unknown: u32,
    /// The year of the most recent game.
    pub last_year: Option<u16>,
    /// The opening that the move leads to.
    pub opening: Option<Opening>,
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

/// A named opening.
#[derive(Debug, Serialize, ToSchema)]
pub struct Opening {
    /// The ECO code.
    pub eco: &'static str,
    /// The name.
    pub name: &'static str,
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

/// A game in which the position occurred.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExploredGame)]
pub struct Game {
    /// The move played in the position.
    pub uci: Option<String>,
    /// The number of the game in the collection.
    pub id: String,
    /// The winner: white or black.
    pub winner: Option<&'static str>,
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// The year.
    pub year: Option<u16>,
    /// The month, such as `1972-07`.
    pub month: Option<String>,
    /// The number of plies played before the position.
    #[schema(value_type = u16)]
    pub ply: Ply,
    /// The result.
    pub result: &'static str,
    /// The tournament or match.
    pub event: String,
}

/// A player.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExploredPlayer)]
pub struct Player {
    /// The name.
    pub name: String,
    /// The rating.
    pub rating: Option<u16>,
}

impl Game {
    fn new(shown: &NotableGame) -> Game {
        let tags = &shown.tags;
        let player = |name: &str, rating| Player {
            name: name.to_owned(),
            rating,
        };
        Game {
            uci: shown.uci.clone(),
            id: shown.game.to_string(),
            winner: match tags.result {
                Outcome::Known(known) => known.winner().map(|it| it.fold_wb("white", "black")),
                Outcome::Unknown => None,
            },
            white: player(&tags.white, tags.white_elo),
            black: player(&tags.black, tags.black_elo),
            year: Some(tags.date.year).filter(|&it| it > 0),
            month: (tags.date.year > 0 && tags.date.month > 0)
                .then(|| format!("{:04}-{:02}", tags.date.year, tags.date.month)),
            ply: shown.ply,
            result: tags.result.as_str(),
            event: tags.event.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tabiya_chess::{Date, Tags};
    use tabiya_retrieval::{GameNumber, explorer::Count};

    #[test]
    fn the_json_matches_that_of_lichess() {
        let count = Count {
            white: 2,
            draws: 1,
            rating_sum: 5000,
            rated: 2,
            last_year: 1999,
            ..Count::default()
        };
        let shown = NotableGame {
            game: GameNumber(7),
            ply: Ply::FIRST,
            uci: Some("e2e4".into()),
            rating: Some(2500),
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
        let answer = Answer::new(&explored, Remarks::default(), &Chess::default(), 4);
        let json = serde_json::to_value(answer).unwrap();
        for (path, expected) in [
            ("/white", json!(2)),
            ("/draws", json!(1)),
            ("/black", json!(0)),
            ("/moves/0/uci", json!("e2e4")),
            ("/moves/0/san", json!("e4")),
            ("/moves/0/averageRating", json!(2500)),
            ("/moves/0/opening/eco", json!("B00")),
            ("/topGames/0/id", json!("7")),
            ("/topGames/0/month", json!("1999-05")),
            (
                "/topGames/0/white",
                json!({ "name": "Anna", "rating": 2500 }),
            ),
            ("/topGames/0/winner", json!(null)),
            ("/opening", json!(null)),
            ("/recentGames", json!([])),
        ] {
            assert_eq!(json.pointer(path), Some(&expected), "{path}");
        }
    }
}
