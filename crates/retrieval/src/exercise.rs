//! Exercises like a position: exhibits whose motif is like that of its best line.
//!
//! The words of all exhibits are in the index, so that no line is searched but that of the
//! query. [`alike`] finds the best by [`Motif::similarity`]; [`order`] ranks them again by
//! the themes that the best have in common, since exercises are labeled and the query is not.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tabiya_chess::Ply;

use crate::{
    index::{FormatError, GameNumber, Shard},
    motif::{self, FAMILIES, Motif},
    search::{Filter, GameFilter},
};

/// How many exhibits [`order`] should see.
pub const DEPTH: usize = 200;

/// An exhibit by its motif.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alike {
    /// The game.
    pub game: GameNumber,
    /// How many plies were played before the position.
    pub ply: Ply,
    /// How like the query's its motif is, from 0 to 1.
    pub similarity: f64,
}

impl Alike {
    /// The better first; equally good ones by their place.
    pub fn rank(&self, other: &Alike) -> std::cmp::Ordering {
        let by_similarity = other.similarity.total_cmp(&self.similarity);
        by_similarity.then((self.game, self.ply).cmp(&(other.game, other.ply)))
    }
}

/// The number of exhibits.
///
/// # Errors
///
/// When a shard is damaged.
pub fn count(shards: &[Shard<'_>]) -> Result<usize, FormatError> {
    let of = |it: &Shard<'_>| Ok(it.segment.motifs()?.map_or(0, |it| it.len()));
    shards.iter().map(of).sum()
}

/// The exhibits whose motifs are most like the given one, best first, among the games that a
/// filter admits.
///
/// # Errors
///
/// When a shard is damaged.
pub fn alike(
    shards: &[Shard<'_>],
    motif: &Motif,
    filter: &Filter,
    top: usize,
) -> Result<Vec<Alike>, FormatError> {
    let found = shards.par_iter().map(|it| of_shard(it, motif, filter, top));
    let mut found: Vec<Alike> = found.collect::<Result<Vec<_>, _>>()?.concat();
    keep_best(&mut found, top);
    Ok(found)
}

fn keep_best(found: &mut Vec<Alike>, top: usize) {
    if top > 0 && found.len() > top {
        found.select_nth_unstable_by(top - 1, Alike::rank);
    }
    found.truncate(top);
    found.sort_unstable_by(Alike::rank);
}

fn of_shard(
    shard: &Shard<'_>,
    motif: &Motif,
    filter: &Filter,
    top: usize,
) -> Result<Vec<Alike>, FormatError> {
    let Some(motifs) = shard.segment.motifs()? else {
        return Ok(Vec::new());
    };
    let mut shared = vec![[0u8; FAMILIES]; motifs.len()];
    for word in motif.words() {
        for number in motifs.having(word) {
            if let Some(counts) = shared.get_mut(number) {
                counts[word.0] = counts[word.0].saturating_add(1);
            }
        }
    }
    let admitted = GameFilter::new(filter, &shard.segment.games()?, shard);
    let own = motif.counts();
    let mut found = Vec::with_capacity(shared.len());
    for (number, shared) in shared.iter().enumerate() {
        let Some((index, ply, counts)) = motifs.exhibit(number) else {
            continue;
        };
        if admitted.admits(index) && filter.admits_ply(ply) {
            found.push(Alike {
                game: shard.number(index),
                ply,
                similarity: motif::similarity(&shared.map(usize::from), &own, &counts),
            });
        }
    }
    keep_best(&mut found, top);
    shard.segment.sound()?;
    Ok(found)
}

/// How much the best exercises' themes count beside the motif.
const THEMES: f64 = 0.5;

/// How many exercises say which themes the query has.
const WITNESSES: usize = 20;

/// The order in which to show exercises that [`alike`] found, given their similarities, best
/// first, and their themes: the best agree on the themes of the query, and an exercise gains by
/// having those. Rare themes say more, so a theme counts as far as it is more frequent among the
/// best than among all.
pub fn order<T: AsRef<str>>(found: &[(f64, Vec<T>)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    let lift = lift(found);
    let score = |it: usize| {
        let (similarity, themes) = &found[it];
        let gain = |it: &T| lift.get(it.as_ref()).copied().unwrap_or(0.0);
        similarity + THEMES * themes.iter().map(gain).sum::<f64>()
    };
    let scores: Vec<f64> = order.iter().map(|&it| score(it)).collect();
    order.sort_by(|&one, &two| scores[two].total_cmp(&scores[one]).then(one.cmp(&two)));
    order
}

/// How much more frequent each theme is among the best than among all, as a share of the best.
fn lift<T: AsRef<str>>(found: &[(f64, Vec<T>)]) -> BTreeMap<&str, f64> {
    let shares = |some: &'_ [(f64, Vec<T>)]| -> BTreeMap<String, f64> {
        let mut shares = BTreeMap::new();
        for theme in some.iter().flat_map(|it| &it.1) {
            *shares.entry(theme.as_ref().to_owned()).or_insert(0.0) += 1.0 / some.len() as f64;
        }
        shares
    };
    let best = shares(&found[..found.len().min(WITNESSES)]);
    let all = shares(found);
    let mut lift = BTreeMap::new();
    for theme in found.iter().flat_map(|it| &it.1) {
        let share = |of: &BTreeMap<String, f64>| of.get(theme.as_ref()).copied().unwrap_or(0.0);
        lift.insert(theme.as_ref(), (share(&best) - share(&all)).max(0.0));
    }
    lift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        index::{Segment, SegmentBuilder, numbered},
        motif::exhibits,
        testing::{Dice, random_game},
    };
    use shakmaty::{Position, uci::UciMove};
    use tabiya_chess::Game;

    /// A random game with moments whose lines are the moves that followed.
    fn game(dice: &mut Dice) -> Game {
        let mut game = random_game(dice, 40);
        let mut moments = Vec::new();
        for _ in 0..3 {
            let ply = dice.below(game.moves.len().max(1));
            let Some(mut here) = game.position(ply) else {
                continue;
            };
            let mut words = vec![ply.to_string()];
            for mv in game.moves[ply..].iter().take(5) {
                let Some(mv) = mv.to_move(here.board()) else {
                    break;
                };
                words.push(UciMove::from_standard(mv).to_string());
                here.play_unchecked(mv);
            }
            moments.push(words.join(" "));
        }
        let rating = (1000 + dice.below(1000)).to_string();
        game.tags.others = vec![
            ("Moments".to_owned(), moments.join("; ")),
            ("Rating".to_owned(), rating),
        ];
        game
    }

    #[test]
    fn the_index_finds_what_comparing_all_motifs_finds() {
        let mut dice = Dice::new(11);
        let games: Vec<Game> = (0..60).map(|_| game(&mut dice)).collect();
        let folder = tempfile::tempdir().unwrap();
        let segments: Vec<Segment> = games
            .chunks(25)
            .enumerate()
            .map(|(number, games)| {
                let mut builder = SegmentBuilder::new(0);
                games.iter().for_each(|it| builder.add(it));
                let path = folder.path().join(number.to_string());
                builder.write(&path).unwrap();
                Segment::open(&path).unwrap()
            })
            .collect();
        let shards = numbered(&segments);
        for (number, query) in games.iter().enumerate().take(12) {
            let asked = &exhibits(query)[0];
            let motif = Motif::of(&asked.position, &asked.line);
            let mut filter = Filter::default();
            if number % 2 == 0 {
                filter.rating.from = Some(1500);
            }
            let mut expected = Vec::new();
            for (game, number) in games.iter().zip(1..) {
                let rating: u16 = game.tags.others[1].1.parse().unwrap();
                let admitted = filter.rating.contains(rating);
                for it in exhibits(game).into_iter().filter(|_| admitted) {
                    expected.push(Alike {
                        game: GameNumber(number),
                        ply: it.ply,
                        similarity: motif.similarity(&Motif::of(&it.position, &it.line)),
                    });
                }
            }
            expected.sort_by(Alike::rank);
            expected.truncate(10);
            assert_eq!(alike(&shards, &motif, &filter, 10).unwrap(), expected);
        }
    }

    #[test]
    fn themes_of_the_best_decide_among_the_others() {
        let row = |similarity: f64, themes: &str| {
            (
                similarity,
                themes.split(' ').map(str::to_owned).collect::<Vec<_>>(),
            )
        };
        let mut found: Vec<_> = (0..20).map(|_| row(0.9, "fork short")).collect();
        found.push(row(0.5, "pin short"));
        found.push(row(0.49, "fork short"));
        found.extend((0..20).map(|_| row(0.1, "mate short")));
        let order = order(&found);
        assert!(order.iter().position(|&it| it == 21) < order.iter().position(|&it| it == 20));
        assert_eq!(super::order::<String>(&[]), Vec::<usize>::new());
    }
}
