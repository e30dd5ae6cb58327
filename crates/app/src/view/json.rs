//! The shapes of our JSON.

use serde::Serialize;
use shakmaty::{Bitboard, Chess, Piece, Square};
use tabiya_chess::{Symmetry, Tags, position};
use tabiya_retrieval::{
    Collection, Explanation,
    played::{Found, Played},
    term::ByFamily,
};
use utoipa::ToSchema;

/// The answer to a query.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer {
    pub(crate) query: Query,
    pub(crate) collection: Counts,
    pub(crate) took_ms: f64,
    pub(crate) hits: Vec<Hit>,
    pub(crate) moves: Vec<Move>,
}

/// The position that was asked about.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Query {
    pub(crate) fen: String,
}

impl Query {
    pub(crate) fn new(position: &Chess) -> Query {
        Query {
            fen: position::to_fen(position),
        }
    }
}

/// How much a collection holds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Counts {
    games: u64,
    positions: u64,
}

impl Counts {
    pub(crate) fn new(collection: &Collection) -> Counts {
        Counts {
            games: collection.games(),
            positions: collection.positions(),
        }
    }
}

/// The best position of a game.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Hit {
    rank: usize,
    score: f64,
    similarity: f64,
    symmetry: &'static str,
    fen: String,
    turned_fen: String,
    ply: usize,
    game: Game,
    next: Vec<String>,
    turned_next: Vec<String>,
    families: Families,
    shared: Vec<Shared>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerank: Option<Play>,
}

/// How a hit fares in the second ranking.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Play {
    similarity: f64,
    score: f64,
    first_rank: usize,
    flag: Option<&'static str>,
}

impl Play {
    pub(crate) fn new(play: &tabiya_retrieval::rerank::Play) -> Play {
        Play {
            similarity: play.similarity,
            score: play.score,
            first_rank: play.first_rank,
            flag: play.flag.map(|it| it.words()),
        }
    }
}

impl Hit {
    pub(crate) fn new(
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
            symmetry: found.hit.symmetry.name(),
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
}

/// A game's tags. A rating that is not known is 0, a code "": a field has one
/// type.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Game {
    id: u64,
    white: String,
    black: String,
    white_elo: u16,
    black_elo: u16,
    event: String,
    site: String,
    date: String,
    round: String,
    result: &'static str,
    eco: String,
}

impl Game {
    pub(crate) fn new(id: u64, tags: &Tags) -> Game {
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
            result: tags.result.as_str(),
            eco: tags.eco.map_or(String::new(), |it| it.to_string()),
        }
    }
}

/// The parts of a score that the families have.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Families(std::collections::BTreeMap<&'static str, f64>);

impl Families {
    pub(crate) fn new(families: &ByFamily<f64>) -> Families {
        Families(
            families
                .iter()
                .map(|(family, share)| (family.name(), share))
                .collect(),
        )
    }
}

/// A term that both positions hold.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Shared {
    term: String,
    family: &'static str,
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
pub(crate) fn shared(why: &Explanation, count: usize) -> Vec<Shared> {
    let squares = |set: Bitboard| set.into_iter().map(|it| it.to_string()).collect();
    let one = |it: &tabiya_retrieval::explain::Shared| {
        let (here, there) = why.origins(it);
        Shared {
            term: it.term.to_string(),
            family: it.family.name(),
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
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Explained {
    score: f64,
    similarity: f64,
    symmetry: &'static str,
    families: Families,
    shared: Vec<Shared>,
    only_query: Vec<String>,
    only_other: Vec<String>,
}

impl Explained {
    pub(crate) fn new(why: &Explanation, symmetry: Symmetry, reasons: usize) -> Explained {
        Explained {
            score: why.score,
            similarity: why.similarity,
            symmetry: symmetry.name(),
            families: Families::new(&why.families),
            shared: shared(why, reasons),
            only_query: piece_names(&why.only_query),
            only_other: piece_names(&why.only_other),
        }
    }
}

/// Pieces with their squares, such as `Nc3`.
pub(crate) fn piece_names(pieces: &[(Piece, Square)]) -> Vec<String> {
    pieces
        .iter()
        .map(|(piece, square)| format!("{}{square}", piece.char()))
        .collect()
}

/// A move that was played in similar positions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Move {
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

/// Prints a value as JSON, indented for people.
pub(crate) fn print(value: &impl Serialize) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}
