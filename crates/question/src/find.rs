//! Finds positions that a pattern describes.

use std::{cmp::Ordering, collections::BTreeMap};

use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};
use shakmaty::Chess;
use tabiya_chess::{Ply, Symmetry, position};
use tabiya_pattern::{Pattern, program::SortKey};
use tabiya_retrieval::{
    Hit, VariationNumber,
    find::{self, FindQuery, Like, Match as StoredMatch, Step, Tally},
    index::Facts,
    played::{self, ResolvedHit},
    search::{Cancel, SideToMove},
};
use utoipa::ToSchema;

use crate::{
    AskError, Cost, Invalid, Question, Shards,
    parameter::{
        GameParameters, PatternParameter, PositionFilterParameters, SideChoice, parse_fen,
    },
    shape::{Counts, Fen, GameHeader},
};

/// A pattern and where to look for it.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Find {
    /// The pattern.
    #[command(flatten)]
    #[serde(flatten)]
    pub pattern: PatternParameter,

    /// Number of games to return
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// Number of games to skip (for paging)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub after: usize,

    /// Order of the games [default: likeness with --like, else as the pattern sorts, else by number]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub sort: Option<Order>,

    /// Position (FEN) to compare the matches with
    #[arg(long, value_name = "FEN", value_parser = parse_fen)]
    #[serde(serialize_with = "fen")]
    pub like: Option<Chess>,

    /// Look at positions in the annotators' variations too
    #[arg(long)]
    pub variations: bool,

    /// Count only: no games and no moves
    #[arg(long)]
    pub count: bool,

    /// Show the plan: what the index was asked, and the windows left after each step
    #[arg(long)]
    pub explain: bool,

    /// The games to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub games: GameParameters,

    /// The positions to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub positions: PositionFilterParameters,
}

fn fen<S: Serializer>(like: &Option<Chess>, to: S) -> Result<S::Ok, S::Error> {
    like.as_ref().map(position::to_fen).serialize(to)
}

/// The order of matching games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// By their numbers in the collection
    Number,
    /// Newest first
    Date,
    /// Highest rated first
    Rating,
    /// As the pattern's sort says
    Query,
    /// Most like the position of --like first
    Likeness,
}

/// What a pattern matches.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindAnswer)]
pub struct Answer {
    /// The pattern as it was understood.
    pub pattern: String,
    /// The size of the collection.
    pub collection: Counts,
    /// The number of games with a match.
    pub games: u64,
    /// The number of positions that match.
    pub positions: u64,
    /// The results of the games.
    pub results: Results,
    /// The labels of the pattern's sort filters.
    pub sorted_by: Vec<String>,
    /// The first games, with a position each.
    pub matches: Vec<Match>,
    /// The moves played in matching positions, most frequent first. A game counts once for a move.
    pub moves: Vec<NextMove>,
    /// The plan, if requested.
    pub plan: Option<Plan>,
}

/// The results of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FindResults)]
pub struct Results {
    /// Games that White won.
    pub white: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that Black won.
    pub black: u64,
    /// Games without a result.
    pub unknown: u64,
}

/// A game with positions that match.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = PatternMatch)]
pub struct Match {
    /// The place in the order, counted from one.
    pub rank: usize,
    /// The position: the first that matches, or the one most like the position of `like`.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The number of plies played before it.
    #[schema(value_type = usize)]
    pub ply: Ply,
    /// The plies of all positions of the game that match.
    #[schema(value_type = Vec<usize>)]
    pub plies: Vec<Ply>,
    /// The game.
    pub game: GameHeader,
    /// The number of the variation in the game, if the position is not in the game itself.
    #[schema(value_type = Option<u32>)]
    pub variation: Option<VariationNumber>,
    /// What the annotator says of the position.
    pub comments: Vec<String>,
    /// What the pattern's comments say of the position.
    pub remarks: Vec<String>,
    /// The moves that followed.
    pub next: Vec<String>,
    /// How like the position of `like` it is: 1 for the same.
    pub similarity: Option<f64>,
    /// The values that the pattern sorts by.
    pub sort: Vec<Option<i64>>,
}

/// A move played in matching positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NextMove {
    /// The side that moved: white or black.
    pub side: String,
    /// The move in SAN, without check marks and without what tells two pieces of a kind apart.
    pub san: String,
    /// The number of games that played it.
    pub games: u64,
    /// Games that White won.
    pub white: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that Black won.
    pub black: u64,
}

/// How the answer was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FindPlan)]
pub struct Plan {
    /// What the index was asked, in order.
    pub steps: Vec<PlanStep>,
    /// The positions that were replayed and looked at.
    pub looked_at: u64,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanStep {
    /// What it asks of a window of eight plies.
    pub what: String,
    /// The windows left after it.
    pub windows: u64,
}

/// What a group of shards contributes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    collection: Counts,
    games: u64,
    positions: u64,
    results: Results,
    matches: Vec<Ranked>,
    moves: Vec<NextMove>,
    plan: Plan,
}

/// A match with what it is ordered by.
#[derive(Debug, Serialize, Deserialize)]
struct Ranked {
    shown: Match,
    facts: Facts,
}

impl Question for Find {
    const NAME: &'static str = "find";
    const ABOUT: &'static str = "Find positions that a pattern describes";
    const LIMITS: &'static [(&'static str, f64, f64)] =
        &[("top", 0.0, 1000.0), ("after", 0.0, 100_000.0)];

    type Part = Part;
    type Answer = Answer;

    fn settle(&mut self) -> Result<(), Invalid> {
        self.pattern.settle()?;
        let sorts = !self.pattern.pattern()?.program().sorts.is_empty();
        let order = self.sort.unwrap_or(match (&self.like, sorts) {
            (Some(_), _) => Order::Likeness,
            (None, true) => Order::Query,
            (None, false) => Order::Number,
        });
        self.sort = Some(order);
        if order == Order::Likeness && self.like.is_none() {
            return Err(Invalid::new(
                "sort",
                "give the position to compare with as like",
            ));
        }
        if order == Order::Query && !sorts {
            let remedy = "the pattern does not sort; add sort \"label\" and a number to it";
            return Err(Invalid::new("sort", remedy));
        }
        let same = self.positions.side_to_move == Some(SideChoice::Only(SideToMove::Same));
        if self.like.is_none() && (same || self.positions.compares_material()) {
            let remedy = "material and side_to_move=same compare with a position; give it as like";
            return Err(Invalid::whole(remedy));
        }
        Ok(())
    }

    /// A pattern may have to look at every game.
    fn cost(&self) -> Cost {
        Cost::Heavy
    }

    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Part, AskError> {
        let pattern = self.pattern.pattern()?;
        let query = FindQuery {
            filter: self.positions.narrow(self.games.filter()),
            position: self.like.clone().unwrap_or_default(),
            variations: self.variations,
            like: self
                .like
                .as_ref()
                .map(|it| Like::new(it, shards.statistics())),
            cancel: cancel.clone(),
            ..FindQuery::new(&pattern)
        };
        let found =
            find::find(shards.shards(), &query).map_err(|it| AskError::of_search("query", it))?;
        let mut part = Part {
            collection: Counts::of(shards),
            games: 0,
            positions: found.matches.iter().map(|it| it.plies.len() as u64).sum(),
            results: Results::default(),
            matches: Vec::new(),
            moves: found
                .moves
                .iter()
                .map(|(mv, tally)| NextMove::new(mv, tally))
                .collect(),
            plan: Plan::new(found.steps, found.looked_at),
        };
        let mut last = None;
        for matched in &found.matches {
            // Variations of a game that matches do not make it another game.
            if last.replace(matched.game) != Some(matched.game) {
                part.games += 1;
                part.results.count(&matched.facts);
            }
        }
        if !self.count {
            part.matches = self.first(found.matches, shards, &pattern)?;
        }
        Ok(part)
    }

    fn merge(&self, parts: Vec<Part>, _: &Cancel) -> Result<Answer, AskError> {
        let pattern = self.pattern.pattern()?;
        let keys = &pattern.program().sorts;
        let mut answer = Answer {
            pattern: pattern.to_string(),
            collection: parts.iter().map(|it| it.collection).sum(),
            games: parts.iter().map(|it| it.games).sum(),
            positions: parts.iter().map(|it| it.positions).sum(),
            results: Results::default(),
            sorted_by: keys.iter().map(|it| it.label.clone()).collect(),
            matches: Vec::new(),
            moves: Vec::new(),
            plan: None,
        };
        let mut matches = Vec::new();
        let mut moves = BTreeMap::new();
        let mut plan = Plan::default();
        for part in parts {
            answer.results += part.results;
            matches.extend(part.matches);
            plan.add(part.plan);
            for mv in part.moves {
                let tally = mv.tally();
                *moves
                    .entry((mv.side, mv.san))
                    .or_insert_with(Tally::default) += tally;
            }
        }
        matches.sort_by(|one: &Ranked, two| self.order(keys, one.keys(), two.keys()));
        let shown = (1..)
            .zip(matches)
            .map(|(rank, it)| Match { rank, ..it.shown });
        answer.matches = shown.skip(self.after).take(self.top).collect();
        if !self.count {
            let each = moves.into_iter();
            answer.moves = each
                .map(|((side, san), tally)| NextMove::of(side, san, tally))
                .collect();
            answer.moves.sort_by_key(|it| std::cmp::Reverse(it.games));
            answer.moves.truncate(MOVES);
        }
        answer.plan = self.explain.then_some(plan);
        Ok(answer)
    }
}

/// How many moves are shown.
const MOVES: usize = 20;

/// What a match is ordered by.
#[derive(Clone, Copy)]
struct Keys<'a> {
    place: (tabiya_retrieval::GameNumber, Option<VariationNumber>),
    facts: &'a Facts,
    sorts: &'a [Option<i64>],
    similarity: Option<f64>,
}

impl Find {
    /// The first games in order, looked up.
    fn first(
        &self,
        mut matches: Vec<StoredMatch>,
        shards: &Shards<'_>,
        pattern: &Pattern,
    ) -> Result<Vec<Ranked>, AskError> {
        let sorts = &pattern.program().sorts;
        matches.sort_by(|one, two| self.order(sorts, of_found(one), of_found(two)));
        matches.truncate(self.after.saturating_add(self.top));
        let look_up = |found: StoredMatch| -> Result<Option<Ranked>, AskError> {
            let likeness = found.likeness;
            let ply = likeness.map_or(found.plies[0], |it| it.ply);
            let hit = Hit {
                score: 0.0,
                similarity: likeness.map_or(0.0, |it| it.similarity),
                symmetry: Symmetry::None,
                game: found.game,
                variation: found.variation,
                ply,
            };
            let game = shards.game(found.game)?;
            let Some(looked) = game.and_then(|game| ResolvedHit::new(hit, game)) else {
                return Ok(None);
            };
            let next = played::line(&looked.position, &looked.next, Symmetry::None);
            let remarks = found.comments.into_iter().filter(|it| it.0 == ply);
            let shown = Match {
                rank: 0,
                ply,
                game: GameHeader::new(found.game, &looked.game.tags),
                fen: Fen(looked.position),
                plies: found.plies,
                variation: found.variation,
                comments: looked.comments,
                remarks: remarks.map(|it| it.1).collect(),
                next,
                similarity: likeness.map(|it| it.similarity),
                sort: found.sorts,
            };
            let facts = found.facts;
            Ok(Some(Ranked { shown, facts }))
        };
        let ranked = matches.into_par_iter().map(look_up);
        let ranked = ranked.collect::<Result<Vec<_>, AskError>>()?;
        Ok(ranked.into_iter().flatten().collect())
    }

    fn order(&self, sorts: &[SortKey], one: Keys<'_>, two: Keys<'_>) -> Ordering {
        let chosen = match self.sort.unwrap_or(Order::Number) {
            Order::Number => Ordering::Equal,
            Order::Date => two.facts.date.cmp(&one.facts.date),
            Order::Rating => two.facts.rating.cmp(&one.facts.rating),
            Order::Query => tabiya_pattern::order(sorts, one.sorts, two.sorts),
            Order::Likeness => {
                let similarity = |it: Keys<'_>| it.similarity.unwrap_or(0.0);
                similarity(two).total_cmp(&similarity(one))
            }
        };
        chosen.then_with(|| one.place.cmp(&two.place))
    }
}

fn of_found(found: &StoredMatch) -> Keys<'_> {
    Keys {
        place: (found.game, found.variation),
        facts: &found.facts,
        sorts: &found.sorts,
        similarity: found.likeness.map(|it| it.similarity),
    }
}

impl Ranked {
    fn keys(&self) -> Keys<'_> {
        Keys {
            place: (self.shown.game.id, self.shown.variation),
            facts: &self.facts,
            sorts: &self.shown.sort,
            similarity: self.shown.similarity,
        }
    }
}

impl Results {
    fn count(&mut self, facts: &Facts) {
        let mut tally = Tally::default();
        tally.count(facts.outcome);
        self.white += tally.white;
        self.draws += tally.draws;
        self.black += tally.black;
        self.unknown += tally.games - tally.white - tally.draws - tally.black;
    }
}

impl std::ops::AddAssign for Results {
    fn add_assign(&mut self, other: Results) {
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.unknown += other.unknown;
    }
}

impl NextMove {
    fn new(mv: tabiya_chess::Action, tally: Tally) -> NextMove {
        let side = mv.color().fold_wb("white", "black");
        NextMove::of(side.to_owned(), mv.to_string(), tally)
    }

    fn of(side: String, san: String, tally: Tally) -> NextMove {
        NextMove {
            side,
            san,
            games: tally.games,
            white: tally.white,
            draws: tally.draws,
            black: tally.black,
        }
    }

    fn tally(&self) -> Tally {
        Tally {
            games: self.games,
            white: self.white,
            draws: self.draws,
            black: self.black,
        }
    }
}

impl Plan {
    fn new(steps: Vec<Step>, looked_at: u64) -> Plan {
        let step = |it: Step| PlanStep {
            what: it.what,
            windows: it.windows,
        };
        Plan {
            steps: steps.into_iter().map(step).collect(),
            looked_at,
        }
    }

    /// Adds what another group of shards did by the same plan.
    fn add(&mut self, other: Plan) {
        self.looked_at += other.looked_at;
        if self.steps.is_empty() {
            self.steps = other.steps;
            return;
        }
        for (step, more) in self.steps.iter_mut().zip(other.steps) {
            step.windows += more.windows;
        }
    }
}
