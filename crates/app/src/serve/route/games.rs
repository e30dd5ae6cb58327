//! `GET /api/v1/games`: games as a list, page by page, and as PGN.

use std::sync::Arc;

use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderName, Uri, header},
};
use clap::{Args, ValueEnum};
use serde::Serialize;
use shakmaty::Chess;
use tabiya_chess::{Ply, pgn};
use tabiya_question::{
    Invalid, Shards,
    parameter::{GameParameters, parse_fen},
    read::read_arguments,
    shape::GameHeader,
};
use tabiya_retrieval::{
    GameNumber,
    explorer::{self, Listed, Listing},
};
use utoipa::ToSchema;

use crate::serve::{Problem, State, problem::ProblemBody, state::Asked};

/// The most games of a page, and of a PGN file.
const LARGEST_PAGE: usize = 200;
const LARGEST_FILE: usize = 1000;

/// Which games to list, and how.
#[derive(Clone, Debug, Args)]
struct Parameters {
    #[arg(long, value_parser = parse_fen)]
    fen: Option<Chess>,

    #[arg(long, value_delimiter = ',')]
    ids: Vec<GameNumber>,

    #[arg(long, value_enum, default_value_t)]
    order: Order,

    #[arg(long)]
    reversed: bool,

    #[arg(long, default_value_t = 0)]
    after: usize,

    #[arg(long, default_value_t = 50)]
    limit: usize,

    #[command(flatten)]
    games: GameParameters,
}

/// The order of the list.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Order {
    #[default]
    Number,
    Date,
    Rating,
    White,
    Black,
    Result,
    Event,
}

impl From<Order> for explorer::Order {
    fn from(order: Order) -> explorer::Order {
        match order {
            Order::Number => explorer::Order::Number,
            Order::Date => explorer::Order::Date,
            Order::Rating => explorer::Order::Rating,
            Order::White => explorer::Order::White,
            Order::Black => explorer::Order::Black,
            Order::Result => explorer::Order::Result,
            Order::Event => explorer::Order::Event,
        }
    }
}

impl Parameters {
    fn read(uri: &Uri, most: usize) -> Result<(Asked, Parameters), Problem> {
        let (asked, rest) = Asked::of(uri.query().unwrap_or_default());
        let parameters: Parameters = read_arguments(&rest)?;
        if !(1..=most).contains(&parameters.limit) {
            let words = format!("the server accepts 1 to {most}");
            return Err(Invalid::new("limit", words).into());
        }
        Ok((asked, parameters))
    }

    fn listing(&self) -> Listing {
        Listing {
            position: self.fen.clone(),
            filter: self.games.filter(),
            order: self.order.into(),
            reversed: self.reversed,
            after: self.after,
            limit: self.limit,
        }
    }

    /// The numbers of the games: those given, or those listed.
    fn numbers(&self, shards: &Shards<'_>) -> Result<Vec<GameNumber>, Problem> {
        if self.ids.is_empty() {
            let page = explorer::list(shards.shards(), &self.listing())?;
            return Ok(page.games.iter().map(|it| it.game).collect());
        }
        Ok(self.ids.iter().copied().take(self.limit).collect())
    }
}

/// One page of games.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GamePage {
    /// The number of games in the whole list.
    total: usize,
    /// The games of the page.
    games: Vec<ListedGame>,
}

/// A game of the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedGame {
    /// The number of plies played before the position.
    #[schema(value_type = u16)]
    ply: Ply,
    /// The move played in the position.
    uci: Option<String>,
    game: GameHeader,
}

impl From<Listed> for ListedGame {
    fn from(listed: Listed) -> ListedGame {
        ListedGame {
            ply: listed.ply,
            uci: listed.uci,
            game: GameHeader::new(listed.game, &listed.tags),
        }
    }
}

/// List games: all, or those with a position.
#[utoipa::path(
    get,
    path = "/api/v1/games",
    params(
        ("collection" = Option<String>, Query, description = "Names of collections, with commas between"),
        ("fen" = Option<String>, Query, description = "A position that the games have"),
        ("order" = Option<String>, Query, description = "number, date, rating, white, black, result or event"),
        ("reversed" = Option<bool>, Query, description = "Turns the order around"),
        ("after" = Option<u64>, Query, description = "Number of games to skip"),
        ("limit" = Option<u64>, Query, description = "Number of games of the page, 1 to 200"),
        ("player" = Option<String>, Query, description = "Part of either player's name"),
        ("white" = Option<String>, Query, description = "Part of White's name"),
        ("black" = Option<String>, Query, description = "Part of Black's name"),
        ("elo" = Option<String>, Query, description = "Ratings of both players, such as 2400-2600"),
        ("date" = Option<String>, Query, description = "Date, such as 1990-1999"),
        ("eco" = Option<String>, Query, description = "Opening code, such as B20-B99"),
        ("event" = Option<String>, Query, description = "Part of the event's name"),
        ("result" = Option<String>, Query, description = "Results, such as 1-0"),
    ),
    responses(
        (status = 200, description = "The games", body = GamePage),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 404, description = "There is no such collection", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn games(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
) -> Result<Json<GamePage>, Problem> {
    let (asked, parameters) = Parameters::read(&uri, LARGEST_PAGE)?;
    let open = state.find(&asked)?;
    let page = state.work.run(move |_| {
        let shards = open.shards();
        let page = shards.intact(|| explorer::list(shards.shards(), &parameters.listing()))?;
        Ok(GamePage {
            total: page.total,
            games: page.games.into_iter().map(ListedGame::from).collect(),
        })
    });
    Ok(Json(page.await?))
}

/// Games as PGN: those with the numbers in `ids`, or those of the list.
#[utoipa::path(
    get,
    path = "/api/v1/games/pgn",
    params(
        ("collection" = Option<String>, Query, description = "Names of collections, with commas between"),
        ("ids" = Option<String>, Query, description = "Numbers of games, with commas between"),
        ("fen" = Option<String>, Query, description = "A position that the games have"),
        ("limit" = Option<u64>, Query, description = "Number of games, 1 to 1000"),
    ),
    responses(
        (status = 200, description = "The games", body = String, content_type = "application/x-chess-pgn"),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 404, description = "There is no such collection", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn pgn(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
) -> Result<([(HeaderName, &'static str); 1], String), Problem> {
    let (asked, parameters) = Parameters::read(&uri, LARGEST_FILE)?;
    let open = state.find(&asked)?;
    let text = state.work.run(move |_| {
        let shards = open.shards();
        shards.intact(|| {
            let mut text = String::new();
            for number in parameters.numbers(&shards)? {
                if let Some(game) = shards.game(number)? {
                    text += &pgn::to_string(&game);
                    text.push('\n');
                }
            }
            Ok(text)
        })
    });
    let kind = [(
        header::CONTENT_TYPE,
        "application/x-chess-pgn; charset=utf-8",
    )];
    Ok((kind, text.await?))
}
