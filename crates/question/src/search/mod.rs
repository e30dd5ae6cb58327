//! Finds the positions most similar to a given one.
//!
//! The first ranking finds the best 300 positions, each game answering with its best one. The
//! second orders them. A part carries what both need, so that parts merge exactly; what a hit
//! shows is worked out after that, for the hits of the page only.

mod answer;
mod part;

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use shakmaty::{Chess, Position};
use tabiya_engine::shallow::{self, Glance};
use tabiya_retrieval::{
    Explainer, Query,
    likeness::{Course, Judge},
    rank::Ranking,
    reached, rerank,
    search::{Cancel, Condition, Distinct, SideToMove},
    term::Family,
};

use crate::{
    AskError, Cost, Invalid, Question, Shards,
    parameter::{
        GameParameters, Grouping, Like, PositionFilterParameters, PositionParameters,
        RankingParameters, Rerank, SideChoice, SymmetryChoice, read_pattern,
    },
    shape::{Counts, Fen, parse_structure, structure_pattern},
};

pub use answer::{Answer, Asked, Hit, HitMove, Play, PlayedMove};
pub use part::Part;
use part::{Candidate, Ranked};

/// The number of positions of the first ranking that the second orders.
pub const DEPTH: usize = 300;

/// The greatest number of hits of a light search.
const LIGHT_TOP: usize = 200;

/// The number of positions that it orders at least, where they have thousands of games.
const FEW: usize = 40;

/// A search and its parameters.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Search {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Number of positions to find
    #[arg(long, value_name = "N", default_value_t = Query::TOP)]
    pub top: usize,

    /// Number of hits to skip (for paging)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub after: usize,

    /// Number of hits to return; moves are still counted over all hits found [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Number of reasons per hit
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub reasons: usize,

    /// Symmetric positions to include [default: swap, or those of the run]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub symmetry: Option<SymmetryChoice>,

    /// Search positions in the annotators' variations too
    #[arg(long)]
    pub variations: bool,

    /// Pattern that the positions must match, such as '@iqp and Q==1' (see tabiya find)
    #[arg(long = "where", id = "where", value_name = "QUERY")]
    #[serde(rename = "where")]
    pub pattern: Option<String>,

    /// Games with the same position: one hit, or one each
    /// [default: strongest, or none for the paper's runs]
    #[arg(long, value_enum, value_name = "HOW")]
    pub group: Option<Grouping>,

    /// What orders the best hits of the first ranking
    /// [default: likeness, or none for the paper's runs and given weights]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub rerank: Option<Rerank>,

    /// Compare best lines of short searches too (slower, better for tactics)
    #[arg(long)]
    pub deep: bool,

    /// What counts more than usual
    #[arg(long, value_enum, value_name = "WHAT")]
    pub like: Option<Like>,

    /// Only positions with this pawn structure, such as carlsbad, for either color
    #[arg(long, value_name = "NAME", value_parser = parse_structure)]
    pub structure: Option<String>,

    /// Leaves out explanations and moves that nobody will see.
    #[arg(skip)]
    #[serde(skip)]
    pub bare: bool,

    /// The ranking.
    #[command(flatten)]
    #[serde(flatten)]
    pub ranking: RankingParameters,

    /// The games to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub games: GameParameters,

    /// The positions to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub positions: PositionFilterParameters,
}

impl Question for Search {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Find the positions most similar to a given one";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[
        ("top", 0.0, 1000.0),
        ("after", 0.0, 1000.0),
        ("limit", 0.0, 1000.0),
        ("reasons", 0.0, 200.0),
        ("k1", 0.0, 1000.0),
        ("b", 0.0, 1.0),
    ];

    type Part = Part;
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn settle(&mut self) -> Result<(), Invalid> {
        self.condition()?;
        self.position.settle()?;
        self.ranking.settle()?;
        self.symmetry.get_or_insert_default();
        let run = self.ranking.run();
        if run.same_side() {
            let same = SideChoice::Only(SideToMove::Same);
            self.positions.side_to_move.get_or_insert(same);
        }
        self.group.get_or_insert(match run.is_of_the_paper() {
            true => Grouping::None,
            false => Grouping::Strongest,
        });
        let rerank = *self.rerank.get_or_insert(match self.ranking.is_usual() {
            true => Rerank::Likeness,
            false => Rerank::None,
        });
        if self.like.is_some() && rerank != Rerank::Likeness {
            let remedy = "what counts more needs the order by likeness; leave out --rerank";
            return Err(Invalid::new("like", remedy));
        }
        if self.deep && rerank != Rerank::Likeness {
            let remedy = "best lines are part of the order by likeness; leave out --rerank";
            return Err(Invalid::new("deep", remedy));
        }
        Ok(())
    }

    fn cost(&self) -> Cost {
        let plays = self.rerank.and_then(Rerank::method).is_some();
        match plays || self.deep || self.pattern.is_some() || self.top > LIGHT_TOP {
            true => Cost::Heavy,
            false => Cost::Light,
        }
    }

    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Part, AskError> {
        let query = self.query(cancel);
        let board = query.position.board();
        let explainer = Explainer::new(board, &query.ranking, shards.statistics());
        let judge = self
            .judges()
            .then(|| Judge::new(&query.position, shards.statistics()));
        let look_up = |group| self.candidate(shards, group, judge.as_ref());
        let groups = shards.search_groups(&query);
        let groups = groups.map_err(|it| AskError::of_search("where", it))?;
        let candidates = groups
            .into_par_iter()
            .map(look_up)
            .collect::<Result<Vec<_>, AskError>>()?;
        Ok(Part {
            collection: Counts::of(shards),
            scorers: explainer.into_scorers(),
            candidates: candidates.into_iter().flatten().collect(),
        })
    }

    fn merge(&self, parts: Vec<Part>, cancel: &Cancel) -> Result<Answer, AskError> {
        let query = self.position.position();
        let collection = parts.iter().map(|it| it.collection).sum();
        let scorers = parts.first().map(|it| it.scorers.clone());
        let mut candidates = self.merged(parts);
        self.settle_likeness(query, &mut candidates, cancel);
        let hits = self.ranked(query, candidates, cancel);
        let explainer = scorers
            .filter(|_| !self.bare)
            .map(|it| Explainer::with(query.board(), it));
        let limit = self.limit.unwrap_or(usize::MAX);
        let shown = (1..).zip(&hits).skip(self.after).take(limit);
        let shown: Vec<(usize, &Ranked)> = shown.collect();
        let show = |(rank, it): (usize, &Ranked)| {
            Hit::new(rank, it, query, explainer.as_ref(), self.reasons)
        };
        let moves = reached::tally(query, hits.iter().map(Ranked::vote));
        Ok(Answer {
            query: Asked {
                fen: Fen(query.clone()),
            },
            collection,
            hits: shown.into_par_iter().map(show).collect(),
            game_count: hits.iter().map(|it| it.candidate.reached.games).sum(),
            move_games: moves.iter().map(|it| u64::from(it.count.games())).sum(),
            moves: moves.into_iter().map(PlayedMove::from).collect(),
        })
    }
}

impl Search {
    /// The query of the first ranking.
    pub fn query(&self, cancel: &Cancel) -> Query {
        let position = self.position.position().clone();
        Query {
            top: self.depth(),
            distinct: self.distinct(),
            symmetries: self.symmetry.unwrap_or_default().symmetries(),
            ranking: self.first_ranking(),
            same_first: !self.ranking.run().is_of_the_paper(),
            filter: self.positions.narrow(self.games.filter()),
            variations: self.variations,
            condition: self.condition().ok().flatten(),
            cancel: cancel.clone(),
            ..Query::new(position)
        }
    }

    /// The pattern and the pawn structure that positions must match.
    fn condition(&self) -> Result<Option<Condition>, Invalid> {
        let read = |text: &String| read_pattern(text).map_err(|it| Invalid::new("where", it));
        let pattern = self.pattern.as_ref().map(read).transpose()?;
        let structure = self.structure.as_deref().and_then(structure_pattern);
        let conditions = [pattern, structure].into_iter().flatten();
        Ok(conditions.map(Condition::from).reduce(Condition::and))
    }

    fn first_ranking(&self) -> Ranking {
        let mut ranking = self.ranking.ranking();
        if let Some(like) = self.like {
            for family in Family::ALL {
                ranking.weights[family] *= like.family(family);
            }
        }
        ranking
    }

    fn grouping(&self) -> Grouping {
        self.group.unwrap_or(Grouping::Strongest)
    }

    fn judges(&self) -> bool {
        self.rerank == Some(Rerank::Likeness)
    }

    fn distinct(&self) -> Distinct {
        self.grouping().distinct(self.wanted().max(FEW))
    }

    /// The number of positions to retrieve for the hits alone. One that is met in several views
    /// is retrieved in each.
    fn wanted(&self) -> usize {
        let views = match self.grouping() {
            Grouping::None => 1,
            _ => self.symmetry.unwrap_or_default().symmetries().len(),
        };
        self.top.saturating_mul(views)
    }

    /// The number of positions to retrieve before re-ranking.
    fn depth(&self) -> usize {
        let least = match self.rerank {
            None | Some(Rerank::None) => 0,
            Some(Rerank::Likeness) => DEPTH,
            Some(_) => rerank::DEPTH,
        };
        match self.wanted() {
            0 => 0,
            wanted => least.max(wanted),
        }
    }

    /// Puts the candidates of all groups of shards together: the best of the first ranking in
    /// its order.
    fn merged(&self, parts: Vec<Part>) -> Vec<Candidate> {
        let order = self.grouping().order();
        let candidates = parts.into_iter().flat_map(|it| it.candidates).collect();
        let enough = self.distinct().enough(self.depth());
        let best = part::merged(candidates, enough, order);
        match self.grouping() {
            Grouping::None => best,
            _ => part::without_twins(best, order),
        }
    }

    /// Adds what best lines say to the likeness of candidates, and emphasizes what was asked for.
    fn settle_likeness(&self, query: &Chess, candidates: &mut [Candidate], cancel: &Cancel) {
        if self.deep {
            let turned = candidates.iter().map(|it| &it.shown.turned.0);
            let all: Vec<&Chess> = std::iter::once(query).chain(turned).collect();
            let mut courses = courses(&all, cancel).into_iter();
            let own = courses.next();
            for (candidate, course) in candidates.iter_mut().zip(courses) {
                if let (Some(own), Some(likeness)) = (&own, &mut candidate.shown.likeness) {
                    *likeness = likeness.deepened(own, &course);
                }
            }
        }
        if let Some(like) = self.like {
            for likeness in candidates
                .iter_mut()
                .filter_map(|it| it.shown.likeness.as_mut())
            {
                *likeness = likeness.emphasized(&like.groups());
            }
        }
    }

    /// Orders the candidates by the second ranking; ties keep the order of the first.
    fn ranked(&self, query: &Chess, candidates: Vec<Candidate>, cancel: &Cancel) -> Vec<Ranked> {
        let mut ranked: Vec<Ranked> = match self.rerank.and_then(Rerank::method) {
            Some(method) => {
                let lines =
                    |it: &[Chess]| shallow::lines(it, shallow::NODES, || !cancel.is_canceled());
                let ranked = rerank::rerank(query, candidates, method, &lines, cancel);
                ranked.into_iter().map(Ranked::by_play).collect()
            }
            None => (1..).zip(candidates).map(Ranked::new).collect(),
        };
        if self.judges() {
            ranked.sort_by(|one, two| two.likeness().total_cmp(&one.likeness()));
        }
        ranked.truncate(self.top);
        ranked
    }
}

/// What happens from each position on, by a glance at it; of those that are left when the work is
/// canceled, nothing.
pub fn courses(positions: &[&Chess], cancel: &Cancel) -> Vec<Course> {
    let glances = shallow::glances(positions, || !cancel.is_canceled());
    let course = |(position, glance): (&&Chess, Option<Glance>)| match glance {
        Some(it) => Course::new(position, &it.line, it.score.value()),
        None => Course::new(position, &[], 0),
    };
    positions.iter().zip(glances).map(course).collect()
}
