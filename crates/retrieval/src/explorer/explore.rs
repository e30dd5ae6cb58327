//! The moves played in exactly this position, their results, and the most notable games.

use std::cmp::{Ordering, Reverse};

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position, san::SanPlus, uci::UciMove};
use tabiya_chess::{Ply, Symmetry, Tags, exact::Exact, opening::Opening};

use crate::{
    index::{
        Facts, FormatError, GameNumber, Games, Occurrence, Shard, TallySource,
        exact::{
            Count, DamagedTable, Tally,
            table::Payload,
            tally::{best_first, newest_first},
        },
        sound,
    },
    played,
    search::{Filter, GameFilter},
};

/// The games with a position.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Explored {
    /// The results of all games, each counted once.
    pub total: Count,
    /// The moves played, the most frequent first.
    pub moves: Vec<Continuation>,
    /// The games of the highest-rated players.
    pub best: Vec<NotableGame>,
    /// The most recent games.
    pub newest: Vec<NotableGame>,
    /// The opening named after the position.
    #[serde(skip)]
    pub opening: Option<&'static Opening>,
}

/// A move and the results of its games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuation {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// Results and ratings.
    pub count: Count,
}

/// A notable game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotableGame {
    /// The game.
    pub game: GameNumber,
    /// The ply at which the position occurred.
    pub ply: Ply,
    /// The move played there in UCI notation, if any.
    pub uci: Option<String>,
    /// The mean rating of the players that have one.
    pub rating: Option<u16>,
    /// Players, event, result.
    pub tags: Tags,
}

impl Explored {
    /// Merges the parts of several groups of shards into the answer of one machine.
    pub fn merge(parts: impl IntoIterator<Item = Explored>) -> Explored {
        let mut whole = Explored::default();
        for part in parts {
            whole.total.merge(&part.total);
            for it in part.moves {
                match whole.moves.iter_mut().find(|known| known.uci == it.uci) {
                    Some(known) => known.count.merge(&it.count),
                    None => whole.moves.push(it),
                }
            }
            whole.best.extend(part.best);
            whole.newest.extend(part.newest);
            whole.opening = whole.opening.or(part.opening);
        }
        whole.moves.sort_by(Continuation::rank);
        whole
            .best
            .sort_by_key(|it| (Reverse((it.rating, it.tags.date)), it.game));
        whole
            .newest
            .sort_by_key(|it| (Reverse((it.tags.date, it.rating)), it.game));
        whole.best.truncate(Tally::SHOWN);
        whole.newest.truncate(Tally::SHOWN);
        whole
    }
}

impl Continuation {
    /// The order of moves: the most frequent first, ties by name.
    fn rank(&self, other: &Continuation) -> Ordering {
        let games = |it: &Continuation| it.count.games();
        games(other)
            .cmp(&games(self))
            .then_with(|| self.uci.cmp(&other.uci))
    }
}

/// The games with a position in all shards.
///
/// A game that repeats the position counts once, with the move played there last.
pub fn explore(
    shards: &[Shard<'_>],
    position: &Chess,
    filter: &Filter,
) -> Result<Explored, FormatError> {
    let Ok(exact) = Exact::of(position) else {
        // A board with more pieces than a game can have is never stored.
        return Ok(Explored::default());
    };
    let view = View {
        query: position,
        occurred: position,
        symmetry: Symmetry::None,
    };
    let found = find(shards, &exact, filter)?;
    let explored = Explored {
        opening: Opening::of(position),
        ..view.explored(&found)
    };
    sound(shards).map(|()| explored)
}

/// The number of games that a filter admits.
///
/// # Errors
///
/// When a segment is damaged.
pub fn admitted(shards: &[Shard<'_>], filter: &Filter) -> Result<u64, FormatError> {
    let mut sum = 0;
    for shard in shards {
        let games = shard.segment.games()?;
        let all = games.indices().count() as u64;
        sum += GameFilter::new(filter, &games, shard).count(all);
    }
    Ok(sum)
}

/// The tally of a position over all shards, without games to show.
pub(super) fn tally(shards: &[Shard<'_>], exact: &Exact) -> Result<Tally, FormatError> {
    let mut sum = Tally::default();
    for found in find(shards, exact, &Filter::default())? {
        sum.merge_moves(&found.tally);
    }
    sound(shards).map(|()| sum)
}

/// The games of one shard with a position.
pub(super) struct ShardTally<'a> {
    shard: Shard<'a>,
    games: Games<'a>,
    tally: Tally,
}

pub(super) fn find<'a>(
    shards: &[Shard<'a>],
    exact: &Exact,
    filter: &Filter,
) -> Result<Vec<ShardTally<'a>>, FormatError> {
    let mut all = Vec::new();
    for &shard in shards {
        let damaged = |error: DamagedTable| shard.segment.damaged(error.to_string());
        let Some(payload) = shard
            .segment
            .exact()?
            .find(exact, shard.segment)
            .map_err(damaged)?
        else {
            continue;
        };
        let games = shard.segment.games()?;
        let tally = tally_of(payload, filter, &games, &shard).map_err(damaged)?;
        all.push(ShardTally {
            shard,
            games,
            tally,
        });
    }
    Ok(all)
}

fn tally_of(
    payload: Payload<'_>,
    filter: &Filter,
    games: &Games<'_>,
    shard: &Shard<'_>,
) -> Result<Tally, DamagedTable> {
    if filter.admits_all_games() {
        return payload.tally(&games.facts());
    }
    let admitted = GameFilter::new(filter, games, shard);
    let mut occurrences = payload.occurrences()?;
    occurrences
        .retain(|it| games.has(it.game) && admitted.admits(it.game) && filter.admits_ply(it.ply));
    Ok(Tally::of(&occurrences, &games.facts()))
}

/// How a stored position maps onto the query.
pub(super) struct View<'a> {
    /// The position asked about.
    pub(super) query: &'a Chess,
    /// The stored position.
    pub(super) occurred: &'a Chess,
    /// The symmetry between them.
    pub(super) symmetry: Symmetry,
}

impl View<'_> {
    /// The answer in the query's view.
    pub(super) fn explored(&self, found: &[ShardTally<'_>]) -> Explored {
        let mut sum = Tally::default();
        found.iter().for_each(|it| sum.merge_moves(&it.tally));
        let mut moves: Vec<Continuation> = sum
            .moves
            .iter()
            .filter_map(|(mv, count)| {
                let mv = (*mv)?.to_move(self.occurred.board())?;
                Some(self.continuation(mv, count))
            })
            .collect();
        moves.sort_by(Continuation::rank);
        Explored {
            total: self.turned(sum.total()),
            moves,
            best: self.shown(found, |it| &it.best, best_first),
            newest: self.shown(found, |it| &it.newest, newest_first),
            opening: None,
        }
    }

    fn continuation(&self, mv: Move, count: &Count) -> Continuation {
        let uci = played::turned_uci(mv, self.symmetry);
        let legal = uci
            .parse::<UciMove>()
            .ok()
            .and_then(|it| it.to_move(self.query).ok());
        // Mirrored castling is not a move in the query and keeps its name.
        let san = match legal {
            Some(mv) => SanPlus::from_move(self.query.clone(), mv),
            None => SanPlus::from_move(self.occurred.clone(), mv),
        };
        Continuation {
            uci,
            san: san.to_string(),
            count: self.turned(*count),
        }
    }

    fn turned(&self, count: Count) -> Count {
        count.turned(self.symmetry)
    }

    fn shown<R: Ord>(
        &self,
        found: &[ShardTally<'_>],
        list: impl Fn(&Tally) -> &Vec<Occurrence>,
        rank: impl Fn(&Facts) -> R,
    ) -> Vec<NotableGame> {
        let mut ranked = Vec::new();
        for one in found {
            let games = one.games.facts();
            for &visit in list(&one.tally) {
                let Some(facts) = games.facts(visit.game) else {
                    continue;
                };
                ranked.push((rank(&facts), one.shard.number(visit.game), visit, one));
            }
        }
        ranked.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        ranked.truncate(Tally::SHOWN);
        let show = |(_, game, visit, one): (R, GameNumber, Occurrence, &ShardTally<'_>)| {
            let mv = one.games.facts().move_at(visit);
            let mv = mv.and_then(|it| it.to_move(self.occurred.board()));
            NotableGame {
                game,
                ply: visit.ply,
                uci: mv.map(|it| played::turned_uci(it, self.symmetry)),
                rating: one.games.facts().facts(visit.game).and_then(|it| it.rating),
                tags: one.games.tags(&one.games.record(visit.game)),
            }
        };
        ranked.into_iter().map(show).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tabiya_chess::{pgn::Input, position};

    use super::*;
    use crate::{
        Collection,
        collection::{Import, Progress, merge},
        search::Range,
    };

    /// Two move orders that meet after four plies, and one that does not.
    const GAMES: &str = r#"
[White "Anna"]
[Black "Boris"]
[WhiteElo "2500"]
[BlackElo "2400"]
[Date "1999.05.01"]
[Result "1-0"]

1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 1-0

[White "Clara"]
[Black "Anna"]
[WhiteElo "2700"]
[Date "2010.01.02"]
[Result "1/2-1/2"]

1. c4 e6 2. d4 Nf6 3. Nc3 d5 1/2-1/2

[White "Dora"]
[Black "Emil"]
[Date "2020.??.??"]
[Result "0-1"]

1. c4 Nf6 2. d4 e6 3. Nf3 0-1

[White "Fritz"]
[Black "Gert"]
[Result "*"]

1. Nf3 Nf6 2. Ng1 Ng8 3. d4 Nf6 4. c4 e6 *
"#;

    fn add(folder: &Path, pgn: &str) {
        let file = folder.with_extension("pgn");
        std::fs::write(&file, pgn).unwrap();
        let import = Import::new(vec![Input::File(file)]);
        import.run(folder, &Progress::default()).unwrap();
    }

    fn collection() -> (tempfile::TempDir, Collection) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        // A segment for each import.
        let (first, rest) = GAMES.split_at(GAMES.find("[White \"Clara").unwrap());
        add(&home, first);
        add(&home, rest);
        let collection = Collection::open(&home).unwrap();
        assert_eq!(collection.segments().len(), 2);
        (folder, collection)
    }

    const MEETING: &str = "rnbqkb1r/pppp1ppp/4pn2/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3";

    fn ask(collection: &Collection, fen: &str, filter: &Filter) -> Explored {
        let position = position::parse(fen).unwrap();
        explore(&collection.shards(), &position, filter).unwrap()
    }

    #[test]
    fn move_orders_that_meet_are_answered_together() {
        let (_folder, collection) = collection();
        let found = ask(&collection, MEETING, &Filter::default());
        let total = found.total;
        assert_eq!(
            (total.white, total.draws, total.black, total.unknown),
            (1, 1, 1, 1)
        );
        assert_eq!(total.mean_rating(), Some(2575));
        assert_eq!(total.last_year, 2020);
        let moves: Vec<(&str, u32)> = found
            .moves
            .iter()
            .map(|it| (it.san.as_str(), it.count.games()))
            .collect();
        assert_eq!(moves, [("Nc3", 2), ("Nf3", 1)]);
        let best: Vec<u64> = found.best.iter().map(|it| it.game.0).collect();
        assert_eq!(best, [2, 1, 3, 4]);
        let newest: Vec<u64> = found.newest.iter().map(|it| it.game.0).collect();
        assert_eq!(newest, [3, 2, 1, 4]);
        assert_eq!(found.newest[0].tags.white, "Dora");
        assert_eq!(found.newest[0].uci.as_deref(), Some("g1f3"));
        assert_eq!(found.best[3].uci, None);
    }

    #[test]
    fn a_named_position_has_its_name() {
        let (_folder, collection) = collection();
        let fen = "rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1";
        let opening = ask(&collection, fen, &Filter::default()).opening;
        assert_eq!(
            opening.map(|it| it.to_string()).as_deref(),
            Some("A10 English Opening")
        );
        assert_eq!(ask(&collection, MEETING, &Filter::default()).opening, None);
    }

    #[test]
    fn a_game_that_returns_to_a_position_counts_once() {
        let (_folder, collection) = collection();
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let found = ask(&collection, start, &Filter::default());
        assert_eq!(found.total.games(), 4);
        let moves: Vec<(&str, u32)> = found
            .moves
            .iter()
            .map(|it| (it.uci.as_str(), it.count.games()))
            .collect();
        // Gert's opponent went 1. Nf3, came back, and went 3. d4.
        assert_eq!(moves, [("c2c4", 2), ("d2d4", 2)]);
    }

    #[test]
    fn filters_choose_the_games() {
        let (_folder, collection) = collection();
        let anna = Filter {
            player: Some("anna".into()),
            ..Filter::default()
        };
        assert_eq!(ask(&collection, MEETING, &anna).total.games(), 2);
        let rated = Filter {
            elo: Range {
                from: Some(2300),
                to: None,
            },
            ..Filter::default()
        };
        let found = ask(&collection, MEETING, &rated);
        assert_eq!((found.total.games(), found.best.len()), (1, 1));
    }

    #[test]
    fn an_unknown_position_has_no_games() {
        let (_folder, collection) = collection();
        let fen = MEETING.replace(" w ", " b ");
        let found = ask(&collection, &fen, &Filter::default());
        assert_eq!(found.total.games(), 0);
        assert!(found.moves.is_empty() && found.best.is_empty());
        // The same board without a castling right is another position.
        let fen = MEETING.replace("KQkq", "KQk");
        assert_eq!(ask(&collection, &fen, &Filter::default()).total.games(), 0);
    }

    #[test]
    fn merging_segments_changes_no_answer() {
        let (_folder, collection) = collection();
        let home = collection.folder().to_owned();
        let before = ask(&collection, MEETING, &Filter::default());
        drop(collection);
        merge(&home, &Default::default()).unwrap();
        let collection = Collection::open(&home).unwrap();
        assert_eq!(collection.segments().len(), 1);
        let after = ask(&collection, MEETING, &Filter::default());
        assert_eq!(after.total, before.total);
        assert_eq!(after.moves, before.moves);
        assert_eq!(after.best, before.best);
        assert_eq!(after.newest, before.newest);
    }

    #[test]
    fn every_position_of_every_game_is_found() {
        let (_folder, collection) = collection();
        let shards = collection.shards();
        for number in (1..=collection.games()).map(GameNumber) {
            let game = collection.game(number).unwrap().unwrap();
            for position in game.positions() {
                let found = explore(&shards, &position, &Filter::default()).unwrap();
                assert!(found.best.iter().any(|it| it.game == number));
            }
        }
    }
}
