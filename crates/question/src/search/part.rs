//! What a group of shards contributes to a search.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};

use serde::{Deserialize, Serialize};
use shakmaty::{Board, Chess, Color, Position};
use tabiya_chess::{CompactMove, Ply, Symmetry};
use tabiya_retrieval::{
    Hit, VariationNumber,
    likeness::{Judge, Likeness},
    played,
    rank::Scorer,
    reached::{Order, Reached, Visit, Visits, Vote},
    rerank,
    search::{Enough, Group, Rank},
};

use super::Search;
use crate::{
    AskError, Shards,
    shape::{Counts, Fen, GameHeader, structure_names},
};

/// The best positions of a group of shards, and what explains them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    pub(super) collection: Counts,
    /// The query's terms with their weights in the collection, by symmetry.
    pub(super) scorers: [Scorer; 4],
    pub(super) candidates: Vec<Candidate>,
}

/// A position that the second ranking may put in the answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Candidate {
    /// Its place in the first ranking.
    pub(super) rank: Rank,
    /// The games that reached it.
    pub(super) reached: Reached,
    /// The first of them.
    pub(super) shown: Example,
}

/// The position in the game that is shown.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Example {
    pub(super) symmetry: Symmetry,
    pub(super) position: Fen,
    /// The position in the query's view.
    pub(super) turned: Fen,
    pub(super) game: GameHeader,
    pub(super) variation: Option<VariationNumber>,
    pub(super) ply: Ply,
    pub(super) next: Vec<CompactMove>,
    pub(super) comments: Vec<String>,
    pub(super) likeness: Option<Likeness>,
}

impl Search {
    /// Looks up what a group of hits stands for. `None` if its game is damaged.
    pub(super) fn candidate(
        &self,
        shards: &Shards<'_>,
        group: Group,
        judge: Option<&Judge>,
    ) -> Result<Option<Candidate>, AskError> {
        let Some(&first) = group.hits.first() else {
            return Ok(None);
        };
        let order = self.grouping().order();
        let visits = Visits::of(shards.shards(), &group.hits, order)?;
        let hit = visits.first().map_or(first, |it| at(&first, it));
        let found = shards.game(hit.game)?;
        let found = found.and_then(|game| played::ResolvedHit::new(hit, game));
        Ok(found.map(|found| {
            let likeness = judge.map(|it| it.judge(&found.turned));
            Candidate {
                rank: group.rank,
                reached: Reached::new(visits, &found.position, hit.symmetry),
                shown: Example::new(found, likeness),
            }
        }))
    }
}

/// The hit of another game of the same group.
fn at(hit: &Hit, visit: &Visit) -> Hit {
    Hit {
        game: visit.game,
        variation: visit.variation,
        ply: visit.ply,
        ..*hit
    }
}

impl Example {
    fn new(found: played::ResolvedHit, likeness: Option<Likeness>) -> Example {
        Example {
            symmetry: found.hit.symmetry,
            position: Fen(found.position),
            turned: Fen(found.turned),
            game: GameHeader::new(found.hit.game, &found.game.tags),
            variation: found.hit.variation,
            ply: found.hit.ply,
            next: found.next,
            comments: found.comments,
            likeness,
        }
    }
}

impl Candidate {
    /// The pawn structures in the query's view.
    pub(super) fn structures(&self) -> Vec<String> {
        structure_names(&self.shown.turned.0)
    }

    /// Adds the games of another candidate in the same position. The first of all games is shown.
    fn merge(&mut self, other: Candidate, order: Order) {
        self.reached.merge(other.reached, order);
        let first = self.reached.first.first().map(|it| it.game);
        if first == Some(other.shown.game.id) {
            self.shown = other.shown;
        }
    }
}

/// The best candidates in the order of the first ranking, each once, until they are enough.
pub(super) fn merged(candidates: Vec<Candidate>, enough: Enough, order: Order) -> Vec<Candidate> {
    let mut best = BTreeMap::<Rank, Candidate>::new();
    for candidate in candidates {
        match best.get_mut(&candidate.rank) {
            Some(known) => known.merge(candidate, order),
            None => drop(best.insert(candidate.rank, candidate)),
        }
    }
    let (mut first, mut games) = (Vec::new(), 0);
    for candidate in best.into_values() {
        if enough.is_met(first.len(), games) {
            break;
        }
        games += candidate.reached.games as usize;
        first.push(candidate);
    }
    first
}

/// Puts candidates together that are the same position in the query's view, in the place of the
/// better one.
pub(super) fn without_twins(candidates: Vec<Candidate>, order: Order) -> Vec<Candidate> {
    let mut places = HashMap::<(Board, Color), usize>::new();
    let mut distinct: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let turned = &candidate.shown.turned.0;
        match places.entry((turned.board().clone(), turned.turn())) {
            Entry::Occupied(place) => distinct[*place.get()].merge(candidate, order),
            Entry::Vacant(place) => {
                place.insert(distinct.len());
                distinct.push(candidate);
            }
        }
    }
    distinct
}

/// A candidate in the order of the answer.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) candidate: Candidate,
    pub(super) first_rank: usize,
    pub(super) play: Option<rerank::Play>,
}

impl Ranked {
    pub(super) fn new((first_rank, candidate): (usize, Candidate)) -> Ranked {
        Ranked {
            candidate,
            first_rank,
            play: None,
        }
    }

    pub(super) fn by_play((candidate, play): (Candidate, rerank::Play)) -> Ranked {
        Ranked {
            candidate,
            first_rank: play.first_rank,
            play: Some(play),
        }
    }

    /// The score by which likeness orders.
    pub(super) fn likeness(&self) -> f64 {
        let likeness = self.candidate.shown.likeness.as_ref();
        likeness.map_or(0.0, |it| it.score)
    }

    /// What the answer is ordered by.
    pub(super) fn similarity(&self) -> f64 {
        match (&self.play, &self.candidate.shown.likeness) {
            (Some(play), _) => play.score,
            (None, Some(likeness)) => likeness.similarity,
            (None, None) => self.candidate.rank.similarity,
        }
    }

    pub(super) fn vote(&self) -> Vote<'_> {
        Vote {
            turned: &self.candidate.shown.turned.0,
            similarity: self.similarity(),
            reached: &self.candidate.reached,
        }
    }
}

impl rerank::Rankable for Candidate {
    fn turned(&self) -> &Chess {
        &self.shown.turned.0
    }

    fn similarity(&self) -> f64 {
        self.rank.similarity
    }
}
