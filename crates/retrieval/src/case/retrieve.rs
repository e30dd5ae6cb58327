//! Retrieving: the cases of an action whose positions are alike.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::{Board, Outcome, Role};
use tabiya_chess::{Action, CompactMove, Ply, wire};

use crate::{
    index::{
        Boards, FormatError, GameNumber, GameRecord, Games, Occurrence, Shard, Source, find_game,
        sound,
    },
    search::{Filter, GameFilter, Hit},
    term::{Encoding, Outline},
};

/// What is asked of the library.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// The position to react in.
    pub board: Board,
    /// The first filter: what the opponent has done, or may have done. No case
    /// has any other action.
    pub actions: Vec<Action>,
    /// The second filter: how alike the encodings must be, from 0 to 1.
    pub threshold: f64,
    /// Which games may speak.
    pub filter: Filter,
}

/// A reaction of the past: what was done in a position that an action led to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The weighted Jaccard index of its position's encoding and the one that
    /// was asked about.
    pub similarity: f64,
    /// The game.
    pub game: GameNumber,
    /// How many plies were played before the reaction.
    pub ply: Ply,
    /// What was done.
    pub reaction: CompactMove,
    /// The piece that did it.
    #[serde(with = "wire::role")]
    pub role: Role,
    /// How the game ended.
    #[serde(with = "wire::outcome")]
    pub result: Outcome,
    /// Where the game comes from.
    pub source: Source,
}

impl Case {
    /// The order of answers: most alike first, ties by game and ply.
    pub fn rank(&self, other: &Case) -> std::cmp::Ordering {
        let tie = |it: &Case| (it.game, it.ply);
        let closer = other.similarity.total_cmp(&self.similarity);
        closer.then_with(|| tie(self).cmp(&tie(other)))
    }
}

/// All cases that pass both filters, most alike first.
///
/// A bound rejects nearly all cases that are not alike enough, and what
/// the first moves of many games lead to is looked at once.
pub fn retrieve(shards: &[Shard<'_>], inquiry: &Inquiry) -> Result<Vec<Case>, FormatError> {
    let outline = Outline::of(&inquiry.board);
    let similarity = |board: &Board| outline.jaccard_from(board, inquiry.threshold);
    retrieve_by(shards, inquiry, || {
        // A third of all cases is what the first moves of others led to as well.
        let mut openings: HashMap<&[u8], Option<(f64, Board)>> = HashMap::new();
        move |boards, record, ply| match boards.opening(record, ply) {
            Some(moves) => openings
                .entry(moves)
                .or_insert_with(|| look(boards, record, ply, similarity))
                .clone(),
            None => look(boards, record, ply, similarity),
        }
    })
}

/// The slow twin of [`retrieve`]: encodes every case.
pub fn retrieve_exhaustively(
    shards: &[Shard<'_>],
    inquiry: &Inquiry,
) -> Result<Vec<Case>, FormatError> {
    let encoding = Encoding::of_document(&inquiry.board);
    let similarity = |board: &Board| {
        let similarity = encoding.jaccard(&Encoding::of_document(board));
        Some(similarity).filter(|&it| it >= inquiry.threshold)
    };
    retrieve_by(shards, inquiry, || {
        move |boards, record, ply| look(boards, record, ply, similarity)
    })
}

/// The board at a ply of a game and how alike it is; `None` if not enough.
fn look(
    boards: &Boards<'_>,
    record: &GameRecord,
    ply: Ply,
    similarity: impl Fn(&Board) -> Option<f64>,
) -> Option<(f64, Board)> {
    let board = boards.board_at(record, ply)?;
    similarity(&board).map(|it| (it, board))
}

/// Asks every shard, each with a way of its own to look at a game's ply.
fn retrieve_by<'a, Look>(
    shards: &[Shard<'a>],
    inquiry: &Inquiry,
    look: impl Fn() -> Look + Sync,
) -> Result<Vec<Case>, FormatError>
where
    Look: FnMut(&Boards<'a>, &GameRecord, Ply) -> Option<(f64, Board)>,
{
    let of_shard = |shard: &Shard<'a>| of_shard(shard, inquiry, look());
    let found: Vec<Vec<Case>> = shards.par_iter().map(of_shard).collect::<Result<_, _>>()?;
    let mut cases = found.concat();
    cases.sort_by(Case::rank);
    Ok(cases)
}

fn of_shard<'a>(
    shard: &Shard<'a>,
    inquiry: &Inquiry,
    mut look: impl FnMut(&Boards<'a>, &GameRecord, Ply) -> Option<(f64, Board)>,
) -> Result<Vec<Case>, FormatError> {
    let library = shard.segment.cases()?;
    let boards = shard.segment.boards()?;
    let admitted = GameFilter::new(&inquiry.filter, &boards, shard);
    let mut cases = Vec::new();
    for &action in &inquiry.actions {
        let occurrences = library
            .of(action)
            .ok_or_else(|| shard.segment.damaged("its cases cannot be read"))?;
        for it in occurrences {
            let is_admitted = admitted.admits(it.game) && inquiry.filter.admits_ply(it.ply);
            if boards.has(it.game) && is_admitted {
                let record = boards.record(it.game);
                let found = look(&boards, &record, it.ply);
                cases.extend(found.and_then(|found| case_of(shard, &boards, &record, it, found)));
            }
        }
    }
    shard.segment.sound().map(|()| cases)
}

/// The positions of a search's answer as cases, whatever led to them: those
/// alike to a threshold, most alike first. Games that ended there are left out:
/// they have no reaction.
pub fn at_hits(
    shards: &[Shard<'_>],
    hits: &[Hit],
    board: &Board,
    threshold: f64,
) -> Result<Vec<Case>, FormatError> {
    let outline = Outline::of(board);
    let alike = |it: &Board| outline.jaccard_from(it, threshold);
    let mut cases = Vec::new();
    for hit in hits {
        let Some((shard, game)) = find_game(shards, hit.game) else {
            continue;
        };
        let occurrence = Occurrence { game, ply: hit.ply };
        let boards = shard.segment.boards()?;
        let record = boards.record(game);
        let found = look(&boards, &record, hit.ply, alike);
        cases.extend(found.and_then(|it| case_of(shard, &boards, &record, occurrence, it)));
    }
    cases.sort_by(Case::rank);
    sound(shards).map(|()| cases)
}

/// The case at a place in a game, given how alike it is and its board.
fn case_of(
    shard: &Shard<'_>,
    games: &Games<'_>,
    record: &GameRecord,
    occurrence: Occurrence,
    (similarity, board): (f64, Board),
) -> Option<Case> {
    let reaction = games.moves(record, occurrence.ply).next()?;
    Some(Case {
        similarity,
        game: shard.number(occurrence.game),
        ply: occurrence.ply,
        reaction,
        role: board.role_at(reaction.origin())?,
        result: record.result(),
        source: record.source(),
    })
}

#[cfg(test)]
mod tests {
    use shakmaty::Position;
    use tabiya_chess::pgn;

    use super::*;
    use crate::{
        case::{Reaction, reactions},
        testing::{Dice, collection_of, random_game, random_tags},
    };

    /// Games that leave a few common openings at random.
    fn random_games(games: usize) -> String {
        let mut dice = Dice::new(3);
        let mut text = String::new();
        let lines = ["d2d4 d7d5 c2c4 e7e6", "e2e4 c7c5 g1f3 d7d6", ""];
        for _ in 0..games {
            let plies = 30 + dice.below(40);
            let mut game = random_game(&mut dice, plies);
            let line = lines[dice.below(3)];
            let mut position = shakmaty::Chess::default();
            let mut moves = Vec::new();
            for uci in line.split_whitespace() {
                let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
                let mv = uci.to_move(&position).unwrap();
                moves.push(CompactMove::from(mv));
                position.play_unchecked(mv);
            }
            for _ in 0..plies {
                let legal = position.legal_moves();
                let Some(&mv) = legal.get(dice.below(legal.len().max(1))) else {
                    break;
                };
                moves.push(CompactMove::from(mv));
                position.play_unchecked(mv);
            }
            game.moves = moves;
            game.tags = random_tags(&mut dice);
            pgn::write(&game, &mut text).unwrap();
        }
        text
    }

    #[test]
    fn bounds_change_nothing() {
        let (_folder, collection) = collection_of(&random_games(60));
        let shards = collection.shards();
        let mut kept = 0;
        for number in [1, 17, 40].map(GameNumber) {
            let game = collection.game(number).unwrap().unwrap();
            let boards: Vec<Board> = game.boards().collect();
            for ply in (1..game.moves.len()).step_by(3) {
                let action = Action::of_compact(&boards[ply - 1], game.moves[ply - 1]);
                for threshold in [0.0, 0.3, 0.5, 0.8] {
                    let inquiry = Inquiry {
                        board: boards[ply].clone(),
                        actions: action.into_iter().collect(),
                        threshold,
                        filter: Filter::default(),
                    };
                    let fast = retrieve(&shards, &inquiry).unwrap();
                    assert_eq!(fast, retrieve_exhaustively(&shards, &inquiry).unwrap());
                    // The game remembers itself best.
                    assert_eq!(fast[0].similarity, 1.0);
                    assert!(
                        fast.iter()
                            .any(|it| (it.game, usize::from(it.ply)) == (number, ply))
                    );
                    kept += fast.len();
                }
            }
        }
        assert!(kept > 1_000);
    }

    #[test]
    fn filters_and_exclusions_hold() {
        let (_folder, collection) = collection_of(&random_games(30));
        let game = collection.game(GameNumber(2)).unwrap().unwrap();
        let board = game.boards().nth(1).unwrap();
        let action = Action::of_compact(&Board::new(), game.moves[0]).unwrap();
        let mut inquiry = Inquiry {
            board,
            actions: vec![action],
            threshold: 0.4,
            filter: Filter::default(),
        };
        let all = retrieve(&collection.shards(), &inquiry).unwrap();
        assert!(all.iter().any(|it| it.game == GameNumber(2)));
        inquiry.filter.exclude.insert(GameNumber(2));
        let rest = retrieve(&collection.shards(), &inquiry).unwrap();
        assert_eq!(rest.len() + 1, all.len());
        inquiry.actions.clear();
        assert_eq!(retrieve(&collection.shards(), &inquiry).unwrap(), []);
    }

    #[test]
    fn reactions_are_counted_and_lost_games_of_our_own_weigh_little() {
        let text = "[White \"A\"][Result \"0-1\"]\n\n1. e4 e5 2. Nf3 0-1\n\n\
            [White \"B\"][Result \"1-0\"]\n\n1. e4 e5 2. Nc3 1-0\n\n\
            [White \"C\"][Result \"1-0\"][Source \"self\"]\n\n1. e4 c5 1-0\n\n\
            [White \"D\"][Result \"1-0\"]\n\n1. e4 c5 1-0\n";
        let (_folder, collection) = collection_of(text);
        let after = shakmaty::Chess::default();
        let mv = after
            .legal_moves()
            .into_iter()
            .find(|it| (it.from(), it.to()) == (Some(shakmaty::Square::E2), shakmaty::Square::E4));
        let action = Action::of(after.board(), mv.unwrap()).unwrap();
        let after = after.play(mv.unwrap()).unwrap();
        let inquiry = Inquiry {
            board: after.board().clone(),
            actions: vec![action],
            threshold: 0.9,
            filter: Filter::default(),
        };
        let cases = retrieve(&collection.shards(), &inquiry).unwrap();
        assert_eq!(cases.len(), 4);
        assert_eq!(cases[2].source, Source::Own);
        let found = reactions(&after, &cases);
        let summary: Vec<_> = found
            .iter()
            .map(|it: &Reaction| (it.mv.to().to_string(), it.cases, it.won, it.lost))
            .collect();
        assert_eq!(summary, [("e5".into(), 2, 1, 1), ("c5".into(), 2, 0, 2)]);
        assert!((found[0].weight - 2.0).abs() < 1e-9, "{found:?}");
        assert!((found[1].weight - 0.6).abs() < 1e-9, "{found:?}");
        assert_eq!(
            found[0].games,
            [(GameNumber(1), Ply(1)), (GameNumber(2), Ply(1))]
        );
        assert_eq!((found[0].own_lost, found[1].own_lost), (0, 1));
        assert!(!found[1].is_own_loss(), "another player played it too");
        assert!(reactions(&after, &cases[2..3])[0].is_own_loss());
    }
}
