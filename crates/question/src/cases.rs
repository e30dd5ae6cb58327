//! How strong players replied to a move in similar positions.

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position, san::San, uci::UciMove};
use tabiya_chess::Ply;
use tabiya_retrieval::{
    case::{self, Action, Case, Impossible, Inquiry, Reaction},
    search::Cancel,
};
use utoipa::ToSchema;

use crate::{
    AskError, Invalid, Question, Shards,
    parameter::{GameParameters, PositionParameters},
    shape::{Counts, Fen, GameHeader, san, uci},
};

/// A position and the move that led to it.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Cases {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Move that led to the position, such as e7e5 or Nxe5 [default: the last of --moves]
    #[arg(long, value_name = "MOVE")]
    pub last_move: Option<String>,

    /// Least similarity of a case's position, from 0 (any) to 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.4)]
    pub threshold: f64,

    /// Number of cases to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// The games to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub games: GameParameters,

    #[arg(skip)]
    #[serde(skip)]
    actions: Vec<Action>,
}

/// The cases that pass both filters, and their replies.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CasesAnswer)]
pub struct Answer {
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The opponent's last move; two actions if it may or may not have been a capture.
    pub actions: Vec<String>,
    /// The least similarity.
    pub threshold: f64,
    /// The size of the collection.
    pub collection: Counts,
    /// The number of cases that pass both filters.
    pub count: usize,
    /// The replies that are legal in the position, by decreasing weight.
    pub reactions: Vec<Reply>,
    /// The most similar cases.
    pub cases: Vec<ListedCase>,
}

/// A reply that is legal in the position; results are from the view of the side that played it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CaseReply)]
pub struct Reply {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// The number of cases.
    pub cases: u32,
    /// The number of cases won.
    pub won: u32,
    /// The number of cases drawn.
    pub drawn: u32,
    /// The number of cases lost.
    pub lost: u32,
    /// The sum of the cases' weights.
    pub weight: f64,
    /// The greatest similarity.
    pub similarity: f64,
}

/// A case with its game.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ListedCase {
    /// The similarity of the positions.
    pub similarity: f64,
    /// The position in the game.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The number of plies played before the reply.
    #[schema(value_type = u16)]
    pub ply: Ply,
    /// The reply.
    pub reaction: String,
    /// The source of the game: self or archive.
    pub source: String,
    /// The game.
    pub game: GameHeader,
}

/// All cases of a group of shards, and the games of the best ones.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    collection: Counts,
    cases: Vec<Case>,
    listed: Vec<ListedCase>,
}

impl Question for Cases {
    const NAME: &'static str = "cases";
    const ABOUT: &'static str = "Show how strong players replied to a move in similar positions";
    const LIMITS: &'static [(&'static str, f64, f64)] =
        &[("top", 0.0, 1000.0), ("threshold", 0.0, 1.0)];

    type Part = Part;
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn settle(&mut self) -> Result<(), Invalid> {
        self.position.settle()?;
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(Invalid::new("threshold", "give a number from 0 to 1"));
        }
        self.actions = match &self.last_move {
            Some(text) => written(text, self.position.position())?,
            None => vec![self.played()?],
        };
        Ok(())
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Part, AskError> {
        let inquiry = Inquiry {
            board: self.position.position().board().clone(),
            actions: self.actions.clone(),
            threshold: self.threshold,
            filter: self.games.filter(),
        };
        let cases = case::retrieve(shards.shards(), &inquiry)?;
        let mut listed = Vec::new();
        for case in cases.iter().take(self.top) {
            listed.extend(ListedCase::look_up(case, shards)?);
        }
        Ok(Part {
            collection: Counts::of(shards),
            cases,
            listed,
        })
    }

    fn merge(&self, parts: Vec<Part>, _: &Cancel) -> Result<Answer, AskError> {
        let query = self.position.position();
        let collection = parts.iter().map(|it| it.collection).sum();
        let (mut cases, mut listed) = (Vec::new(), Vec::new());
        for part in parts {
            cases.extend(part.cases);
            listed.extend(part.listed);
        }
        cases.sort_by(Case::rank);
        listed.sort_by(ListedCase::rank);
        listed.truncate(self.top);
        let reactions = case::reactions(query, &cases);
        Ok(Answer {
            fen: Fen(query.clone()),
            actions: self.actions.iter().map(Action::to_string).collect(),
            threshold: self.threshold,
            collection,
            count: cases.len(),
            reactions: reactions.iter().map(|it| Reply::new(query, it)).collect(),
            cases: listed,
        })
    }
}

impl Cases {
    /// The last move of the line.
    fn played(&self) -> Result<Action, Invalid> {
        let last = self.position.line().last();
        let action = last.and_then(|(mv, before)| Action::of(before.board(), mv));
        let remedy = "give the move that led to the position";
        action.ok_or_else(|| Invalid::new("last_move", remedy))
    }
}

/// The actions that a written last move may stand for.
fn written(text: &str, query: &Chess) -> Result<Vec<Action>, Invalid> {
    let (board, mover) = (query.board(), !query.turn());
    let impossible = |error: Impossible| {
        let words = format!(
            "{text} cannot be the last move: {error}; the FEN must be the position after it"
        );
        Invalid::new("last_move", words)
    };
    if let Ok(UciMove::Normal {
        from,
        to,
        promotion,
    }) = text.parse()
    {
        return Action::that_led_to(board, mover, from, to, promotion).map_err(impossible);
    }
    let san: San = text.trim_end_matches(['+', '#']).parse().map_err(|_| {
        Invalid::new(
            "last_move",
            format!("\"{text}\" is not a move; write it as e7e5 or Nxe5"),
        )
    })?;
    Ok(vec![
        Action::written(board, mover, &san).map_err(impossible)?,
    ])
}

impl ListedCase {
    fn look_up(case: &Case, shards: &Shards<'_>) -> Result<Option<ListedCase>, AskError> {
        let game = shards.game(case.game)?;
        let found = game.and_then(|it| Some((it.position(case.ply.into())?, it)));
        Ok(found.map(|(here, game)| {
            let reaction = case.reaction.to_move(here.board());
            ListedCase {
                similarity: case.similarity,
                ply: case.ply,
                reaction: reaction.map_or(String::new(), |it| san(&here, it)),
                source: case.source.name().to_owned(),
                game: GameHeader::new(case.game, &game.tags),
                fen: Fen(here),
            }
        }))
    }

    /// Compares cases: the most similar first, then by game and ply.
    fn rank(&self, other: &ListedCase) -> std::cmp::Ordering {
        let place = |it: &ListedCase| (it.game.id, it.ply);
        let closer = other.similarity.total_cmp(&self.similarity);
        closer.then_with(|| place(self).cmp(&place(other)))
    }
}

impl Reply {
    fn new(query: &Chess, reaction: &Reaction) -> Reply {
        Reply {
            uci: uci(reaction.mv),
            san: san(query, reaction.mv),
            cases: reaction.cases,
            won: reaction.won,
            drawn: reaction.drawn,
            lost: reaction.lost,
            weight: reaction.weight,
            similarity: reaction.similarity,
        }
    }
}
