//! A second ranking that reads the play.
//!
//! The first ranking compares how positions look; this one re-orders its best hits
//! by how they play, measured on their game trees. Both similarities are kept, and
//! hits about which the two rankings differ most are flagged. It finds nothing that
//! the first ranking did not.

use rayon::prelude::*;
use shakmaty::{Chess, Move};
use tabiya_chess::rules::ChessRules;
use tabiya_gametree::similarity::{Blend, Continuations, Freedom, Measure, Structural};

use crate::{
    motif::{self, Motif},
    played::ResolvedHit,
    search::Cancel,
};

/// How many hits of the first ranking are looked at.
pub const DEPTH: usize = 200;

/// By what hits are re-ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Moves that can occur in both within two plies.
    Continuations,
    /// The shapes of the two trees, over continuations of two plies.
    Structural,
    /// How free the player to move remains.
    Freedom,
    /// The mean of the first ranking's similarity and of the play's, which is half
    /// freedom and half continuations.
    Blend,
    /// What happens in the best line, and a little of the first ranking's similarity.
    Motif,
}

/// Finds the best line of each position. Only [`Method::Motif`] calls it; this crate has no
/// engine.
pub type Lines<'a> = dyn Fn(&[Chess]) -> Vec<Vec<Move>> + 'a;

/// [`Lines`] without an engine: all lines are empty.
pub fn no_lines(positions: &[Chess]) -> Vec<Vec<Move>> {
    vec![Vec::new(); positions.len()]
}

/// How a hit fares in the second ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// The game-tree similarity.
    pub similarity: f64,
    /// What the hits are ordered by: the similarity, or the blend with the first.
    pub score: f64,
    /// The place in the first ranking, counted from one.
    pub first_rank: usize,
    /// Set where the two rankings differ most.
    pub flag: Option<Flag>,
}

/// In which way looks and play differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// High by looks, low by play.
    PlaysDifferently,
    /// High by play, low by looks.
    LooksDifferent,
}

impl Flag {
    /// The flag in words.
    pub const fn words(self) -> &'static str {
        match self {
            Flag::PlaysDifferently => "looks alike, plays differently",
            Flag::LooksDifferent => "looks different, plays alike",
        }
    }
}

/// What the second ranking asks of a hit.
pub trait Rankable {
    /// The position, turned to the query's view.
    fn turned(&self) -> &Chess;

    /// How like the query it is by the first ranking.
    fn similarity(&self) -> f64;
}

impl Rankable for ResolvedHit {
    fn turned(&self) -> &Chess {
        &self.turned
    }

    fn similarity(&self) -> f64 {
        self.hit.similarity
    }
}

/// Orders hits, given best first by looks, by how they play. Ties keep the first
/// ranking's order. The order of a canceled call is meaningless.
pub fn rerank<H: Rankable>(
    query: &Chess,
    found: Vec<H>,
    method: Method,
    lines: &Lines<'_>,
    cancel: &Cancel,
) -> Vec<(H, Play)> {
    let positions: Vec<&Chess> = found.iter().map(Rankable::turned).collect();
    let similarities = play_similarities(query, &positions, method, lines, cancel);
    let ranks = ranks(&similarities);
    let mut hits: Vec<(H, Play)> = found
        .into_iter()
        .enumerate()
        .map(|(at, found)| {
            let similarity = similarities[at];
            let score = match method {
                Method::Blend => (similarity + found.similarity()) / 2.0,
                Method::Motif => motif::blend(similarity, found.similarity()),
                _ => similarity,
            };
            (
                found,
                Play {
                    similarity,
                    score,
                    first_rank: at + 1,
                    flag: None,
                },
            )
        })
        .collect();
    flag_disagreements(&mut hits, &ranks);
    hits.sort_by(|one, two| two.1.score.total_cmp(&one.1.score));
    hits
}

/// The game-tree similarity of each position to the query; zero for positions that
/// were not reached before the call was canceled.
pub fn play_similarities(
    query: &Chess,
    positions: &[&Chess],
    method: Method,
    lines: &Lines<'_>,
    cancel: &Cancel,
) -> Vec<f64> {
    let shared = Continuations::new(2);
    match method {
        Method::Continuations => similarities(query, positions, &shared, cancel),
        Method::Structural => similarities(query, positions, &Structural::over(shared), cancel),
        Method::Freedom => similarities(query, positions, &Freedom, cancel),
        Method::Blend => similarities(query, positions, &Blend::new(Freedom, shared, 0.5), cancel),
        Method::Motif => motif_similarities(query, positions, lines),
    }
}

fn motif_similarities(query: &Chess, positions: &[&Chess], lines: &Lines<'_>) -> Vec<f64> {
    let all = std::iter::once(query).chain(positions.iter().copied());
    let all: Vec<Chess> = all.cloned().collect();
    let motifs: Vec<Motif> = all
        .iter()
        .zip(lines(&all))
        .map(|(position, line)| Motif::of(position, &line))
        .collect();
    match motifs.split_first() {
        Some((own, others)) => others.iter().map(|it| own.similarity(it)).collect(),
        None => Vec::new(),
    }
}

fn similarities<M>(query: &Chess, positions: &[&Chess], measure: &M, cancel: &Cancel) -> Vec<f64>
where
    M: Measure<ChessRules> + Sync,
    M::Profile: Send + Sync,
{
    let rules = ChessRules::default();
    let own = measure.read(&rules, query);
    let compare = |it: &&Chess| match cancel.is_canceled() {
        true => 0.0,
        false => measure.compare_readings(&own, &measure.read(&rules, it)),
    };
    positions.par_iter().map(compare).collect()
}

/// The place of each value, the greatest being first.
fn ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &two| values[two].total_cmp(&values[one]));
    let mut ranks = vec![0; values.len()];
    for (rank, at) in (1..).zip(order) {
        ranks[at] = rank;
    }
    ranks
}

/// Flags the tenth of the hits whose places differ most, if they differ by more
/// than a third of the list. `hits` are in the first ranking's order still.
fn flag_disagreements<H>(hits: &mut [(H, Play)], play_ranks: &[usize]) {
    let distance = |at: usize| (at + 1).abs_diff(play_ranks[at]);
    let mut order: Vec<usize> = (0..hits.len())
        .filter(|&at| 3 * distance(at) > hits.len())
        .collect();
    order.sort_by_key(|&at| std::cmp::Reverse(distance(at)));
    for at in order.into_iter().take(hits.len().div_ceil(10)) {
        let plays_worse = play_ranks[at] > at + 1;
        let flag = if plays_worse {
            Flag::PlaysDifferently
        } else {
            Flag::LooksDifferent
        };
        hits[at].1.flag = Some(flag);
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::Ply;
    use tabiya_chess::{Symmetry, pgn};

    use super::*;
    use crate::{index::GameNumber, search::Hit};

    /// Three hits of one game, by looks in the order of their plies.
    fn found() -> Vec<ResolvedHit> {
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d4 exd4 6. cxd4 Bb4+ *";
        let game = pgn::read(text.as_bytes()).game.unwrap();
        let hit = |ply: u16| Hit {
            score: 1.0,
            similarity: 1.0 - f64::from(ply) / 20.0,
            symmetry: Symmetry::None,
            game: GameNumber(1),
            variation: None,
            ply: Ply(ply),
        };
        [4, 6, 12]
            .map(|ply| ResolvedHit::new(hit(ply), game.clone()).unwrap())
            .into()
    }

    #[test]
    fn motif_reads_the_lines_it_is_given() {
        let hits = found();
        let query = hits[2].turned.clone();
        let ranked = rerank(&query, hits, Method::Motif, &no_lines, &Cancel::default());
        let same = ranked.iter().find(|it| it.1.first_rank == 3).unwrap();
        assert_eq!(same.1.similarity, 1.0);
        assert_eq!(same.1.score, motif::blend(1.0, same.0.hit.similarity));
    }

    #[test]
    fn the_same_position_comes_first_whatever_its_first_rank() {
        let hits = found();
        let query = hits[2].turned.clone();
        let methods = [Method::Continuations, Method::Structural, Method::Freedom];
        for method in methods {
            let ranked = rerank(&query, hits.clone(), method, &no_lines, &Cancel::default());
            assert_eq!(ranked[0].1.first_rank, 3);
            assert_eq!(ranked[0].1.score, 1.0);
            assert_eq!(ranked.len(), 3);
        }
        let blended = rerank(
            &query,
            hits.clone(),
            Method::Blend,
            &no_lines,
            &Cancel::default(),
        );
        let same = blended.iter().find(|it| it.1.first_rank == 3).unwrap();
        assert_eq!(same.1.score, (1.0 + same.0.hit.similarity) / 2.0);
    }

    #[test]
    fn hits_that_move_far_are_flagged() {
        let hits = found();
        let query = hits[2].turned.clone();
        let ranked = rerank(
            &query,
            hits,
            Method::Continuations,
            &no_lines,
            &Cancel::default(),
        );
        let flags: Vec<_> = ranked.iter().filter_map(|it| it.1.flag).collect();
        assert_eq!(flags, [Flag::LooksDifferent]);
        assert_eq!(ranked[0].1.flag, Some(Flag::LooksDifferent));
    }

    #[test]
    fn one_that_was_called_off_looks_at_nothing() {
        let hits = found();
        let query = hits[2].turned.clone();
        let cancel = Cancel::default();
        cancel.cancel();
        let ranked = rerank(&query, hits, Method::Freedom, &no_lines, &cancel);
        assert!(ranked.iter().all(|it| it.1.similarity == 0.0));
    }

    #[test]
    fn nothing_is_ranked_as_nothing() {
        assert!(
            rerank(
                &Chess::default(),
                Vec::<ResolvedHit>::new(),
                Method::Blend,
                &no_lines,
                &Cancel::default()
            )
            .is_empty()
        );
    }
}
