//! The shapes of our JSON.

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Chess, Piece, Square};
use tabiya_chess::{Symmetry, Tags, position};
use tabiya_retrieval::{
    Explanation,
    played::{Found, Played},
    term::ByFamily,
};
use utoipa::ToSchema;

use crate::Archive;

/// The answer to a query.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Answer {
    pub(crate) query: Query,
    pub(crate) collection: Counts,
    pub(crate) took_ms: f64,
    pub(crate) hits: Vec<Hit>,
    pub(crate) moves: Vec<Move>,
}

/// The position that was asked about.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Query {
    pub(crate) fen: String,
}

impl Query {
    /// The position.
    pub fn new(position: &Chess) -> Query {
        Query {
            fen: position::to_fen(position),
        }
    }
}

/// How much a collection holds.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    games: u64,
    positions: u64,
}

impl Counts {
    /// Of an archive.
    pub fn new(archive: &Archive<'_>) -> Counts {
        Counts {
            games: archive.games(),
            positions: archive.positions(),
        }
    }

    /// Adds those of another part of the collection.
    pub(crate) fn add(&mut self, other: &Counts) {
        self.games = self.games.saturating_add(other.games);
        self.positions = self.positions.saturating_add(other.positions);
    }
}

/// The best position of a game.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Hit {
    pub(crate) rank: usize,
    pub(crate) score: f64,
    pub(crate) similarity: f64,
    pub(crate) symmetry: String,
    pub(crate) fen: String,
    pub(crate) turned_fen: String,
    pub(crate) ply: usize,
    pub(crate) game: Game,
    pub(crate) next: Vec<String>,
    pub(crate) turned_next: Vec<String>,
    families: Families,
    shared: Vec<Shared>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rerank: Option<Play>,
}

/// How a hit fares in the second ranking.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Play {
    pub(crate) similarity: f64,
    pub(crate) score: f64,
    first_rank: usize,
    flag: Option<String>,
}

impl Play {
    /// A play of the library.
    pub fn new(play: &tabiya_retrieval::rerank::Play) -> Play {
        Play {
            similarity: play.similarity,
            score: play.score,
            first_rank: play.first_rank,
            flag: play.flag.map(|it| it.words().to_owned()),
        }
    }
}

impl Hit {
    /// A hit and why it is one, with so many reasons.
    pub fn new(
        rank: usize,
        found: &Found,
        why: &Explanation,
        reasons: usize,
        rerank: Option<Play>,
    ) -> Hit {
        Hit {
            rank,
            score: found.hit.score,
            similarity: found.hit.similarity,
            symmetry: found.hit.symmetry.name().to_owned(),
            fen: position::to_fen(&found.position),
            turned_fen: position::to_fen(&found.turned),
            ply: found.hit.ply,
            game: Game::new(found.hit.game, &found.game.tags),
            next: found.next.clone(),
            turned_next: found.turned_next.clone(),
            families: Families::new(&why.families),
            shared: shared(why, reasons),
            rerank,
        }
    }

    /// The same at another place.
    pub(crate) fn ranked(self, rank: usize) -> Hit {
        Hit { rank, ..self }
    }
}

/// A game's tags. A rating that is not known is 0, a code "": a field has one
/// type.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Game {
    pub(crate) id: u64,
    white: String,
    black: String,
    pub(crate) white_elo: u16,
    pub(crate) black_elo: u16,
    event: String,
    site: String,
    date: String,
    round: String,
    pub(crate) result: String,
    eco: String,
}

impl Game {
    /// A game by its number.
    pub fn new(id: u64, tags: &Tags) -> Game {
        Game {
            id,
            white: tags.white.clone(),
            black: tags.black.clone(),
            white_elo: tags.white_elo.unwrap_or(0),
            black_elo: tags.black_elo.unwrap_or(0),
            event: tags.event.clone(),
            site: tags.site.clone(),
            date: tags.date.to_string(),
            round: tags.round.clone(),
            result: tags.result.as_str().to_owned(),
            eco: tags.eco.map_or(String::new(), |it| it.to_string()),
        }
    }
}

/// The parts of a score that the families have.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Families(std::collections::BTreeMap<String, f64>);

impl Families {
    /// The shares of the families.
    pub fn new(families: &ByFamily<f64>) -> Families {
        Families(
            families
                .iter()
                .map(|(family, share)| (family.name().to_owned(), share))
                .collect(),
        )
    }
}

/// A term that both positions hold.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Shared {
    term: String,
    family: String,
    weight: f64,
    share: f64,
    words: String,
    /// The square that the term speaks of, as the query sees it.
    square: String,
    /// Where the pieces stand that the term speaks of, in the query.
    here: Vec<String>,
    /// The same in the other position, as the query sees it.
    there: Vec<String>,
}

/// The strongest shared terms.
pub fn shared(why: &Explanation, count: usize) -> Vec<Shared> {
    let squares = |set: Bitboard| set.into_iter().map(|it| it.to_string()).collect();
    let one = |it: &tabiya_retrieval::explain::Shared| {
        let (here, there) = why.origins(it);
        Shared {
            term: it.term.to_string(),
            family: it.family.name().to_owned(),
            weight: it.weight.value(),
            share: it.share,
            words: why.words(it),
            square: it.term.square().to_string(),
            here: squares(here),
            there: squares(there),
        }
    };
    why.shared.iter().take(count).map(one).collect()
}

/// Why two positions are alike, and in what they differ.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Explained {
    pub(crate) score: f64,
    pub(crate) similarity: f64,
    pub(crate) symmetry: String,
    families: Families,
    shared: Vec<Shared>,
    only_query: Vec<String>,
    only_other: Vec<String>,
}

impl Explained {
    /// An explanation with so many reasons.
    pub fn new(why: &Explanation, symmetry: Symmetry, reasons: usize) -> Explained {
        Explained {
            score: why.score,
            similarity: why.similarity,
            symmetry: symmetry.name().to_owned(),
            families: Families::new(&why.families),
            shared: shared(why, reasons),
            only_query: piece_names(&why.only_query),
            only_other: piece_names(&why.only_other),
        }
    }
}

/// Pieces with their squares, such as `Nc3`.
pub fn piece_names(pieces: &[(Piece, Square)]) -> Vec<String> {
    pieces
        .iter()
        .map(|(piece, square)| format!("{}{square}", piece.char()))
        .collect()
}

/// A move that was played in similar positions.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Move {
    uci: String,
    san: String,
    legal: bool,
    games: u64,
    white: u64,
    draws: u64,
    black: u64,
    weight: f64,
    average_elo: u32,
}

impl From<Played> for Move {
    fn from(played: Played) -> Move {
        Move {
            uci: played.uci,
            san: played.san,
            legal: played.legal,
            games: played.games,
            white: played.white,
            draws: played.draws,
            black: played.black,
            weight: played.weight,
            average_elo: played.average_elo.map_or(0, |it| it.round() as u32),
        }
    }
}
