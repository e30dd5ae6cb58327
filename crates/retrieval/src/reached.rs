//! The games that reached a position: how many, what they played, how they ended, and which of
//! them to show.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position, san::SanPlus, uci::UciMove};
use tabiya_chess::{CompactMove, Date, Ply, Symmetry, exchange};

use crate::{
    index::{
        Facts, FormatError, GameNumber, Occurrence, Shard, TallySource, VariationNumber,
        exact::{Count, Tally},
        sound,
    },
    played::{ResolvedHit, turned_uci},
    search::Hit,
};

/// The games that reached a position. Moves and results are in the query's view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// How many games there are, those that reach it only in a variation included.
    pub games: u64,
    /// Their results, without those of variations.
    pub total: Count,
    /// The moves played, the most frequent first.
    pub replies: Vec<Reply>,
    /// The first games, in the order asked for.
    pub first: Vec<Visit>,
}

/// A move that was played in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The move in the notation of engines.
    pub uci: String,
    /// The games that played it.
    pub count: Count,
}

/// A game's visit to a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// The game.
    pub game: GameNumber,
    /// The variation, if the position is not of the game itself.
    pub variation: Option<VariationNumber>,
    /// How many plies were played before the position.
    pub ply: Ply,
    rating: Option<u16>,
    date: Date,
}

/// Which games come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Those with the best-rated players; the newer of equals.
    #[default]
    Strongest,
    /// The newest; the better-rated of equals.
    Newest,
}

impl Order {
    fn rank(self, one: &Visit, two: &Visit) -> Ordering {
        let rank = match self {
            Order::Strongest => (two.rating, two.date).cmp(&(one.rating, one.date)),
            Order::Newest => (two.date, two.rating).cmp(&(one.date, one.rating)),
        };
        rank.then_with(|| one.game.cmp(&two.game))
    }

    /// Keeps the first visits.
    fn sort(self, visits: &mut Vec<Visit>) {
        visits.sort_by(|one, two| self.rank(one, two));
        visits.truncate(Reached::FIRST);
    }
}

/// The visits of games to one position.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    games: u64,
    /// Without variations: a move in a variation was not played.
    tally: Tally,
    first: Vec<Visit>,
}

impl Visits {
    /// Collects the visits of hits in one position, which are in the order of games.
    ///
    /// # Errors
    ///
    /// When a segment is damaged.
    pub fn of(shards: &[Shard<'_>], hits: &[Hit], order: Order) -> Result<Visits, FormatError> {
        let mut visits = Visits::default();
        let mut rest = hits;
        for shard in shards {
            let here = rest.iter().take_while(|it| shard.index(it.game).is_some());
            let (here, later) = rest.split_at(here.count());
            rest = later;
            if !here.is_empty() {
                visits.add_all(shard, here)?;
            }
        }
        order.sort(&mut visits.first);
        sound(shards).map(|()| visits)
    }

    fn add_all(&mut self, shard: &Shard<'_>, hits: &[Hit]) -> Result<(), FormatError> {
        let games = shard.segment.games()?.facts();
        for hit in hits {
            let Some(game) = shard.index(hit.game) else {
                continue;
            };
            let Some(facts) = games.facts(game) else {
                continue;
            };
            self.add(hit, &facts);
            if hit.variation.is_none() {
                let mv = games.move_at(Occurrence { game, ply: hit.ply });
                self.tally.add(mv, &facts);
            }
        }
        Ok(())
    }

    fn add(&mut self, hit: &Hit, facts: &Facts) {
        self.games += 1;
        self.first.push(Visit {
            game: hit.game,
            variation: hit.variation,
            ply: hit.ply,
            rating: facts.rating,
            date: facts.date,
        });
    }

    /// The first visit.
    pub fn first(&self) -> Option<&Visit> {
        self.first.first()
    }
}

impl Reached {
    /// How many games are named.
    pub const FIRST: usize = 100;

    /// Counts the games that visited a position.
    pub fn new(visits: Visits, position: &Chess, symmetry: Symmetry) -> Reached {
        let reply = |(mv, count): &(Option<CompactMove>, Count)| {
            let mv = (*mv)?.to_move(position.board())?;
            Some(Reply {
                uci: turned_uci(mv, symmetry),
                count: count.turned(symmetry),
            })
        };
        let mut reached = Reached {
            games: visits.games,
            total: visits.tally.total().turned(symmetry),
            replies: visits.tally.moves.iter().filter_map(reply).collect(),
            first: visits.first,
        };
        reached.sort_replies();
        reached
    }

    /// The one game of a hit.
    pub fn of_found(found: &ResolvedHit) -> Reached {
        let tags = &found.game.tags;
        let facts = Facts {
            outcome: tags.result,
            rating: tags.mean_elo().map(|it| it as u16),
            date: tags.date,
        };
        let mut visits = Visits::default();
        visits.add(&found.hit, &facts);
        if found.hit.variation.is_none() {
            visits.tally.add(found.next.first().copied(), &facts);
        }
        Reached::new(visits, &found.position, found.hit.symmetry)
    }

    fn add_reply(&mut self, reply: Reply) {
        match self.replies.iter_mut().find(|it| it.uci == reply.uci) {
            Some(known) => known.count.merge(&reply.count),
            None => self.replies.push(reply),
        }
    }

    /// Adds the games of other shards, or those that reached the position by another symmetry.
    pub fn merge(&mut self, other: Reached, order: Order) {
        self.games += other.games;
        self.total.merge(&other.total);
        other.replies.into_iter().for_each(|it| self.add_reply(it));
        self.sort_replies();
        self.first.extend(other.first);
        order.sort(&mut self.first);
    }

    fn sort_replies(&mut self) {
        self.replies.sort_by(|one, two| {
            let games = two.count.games().cmp(&one.count.games());
            games.then_with(|| one.uci.cmp(&two.uci))
        });
    }
}

/// The hits of a group, as the tally sees them.
#[derive(Clone, Copy, Debug)]
pub struct Vote<'a> {
    /// The position in the query's view.
    pub turned: &'a Chess,
    /// How similar it is.
    pub similarity: f64,
    /// What was played there.
    pub reached: &'a Reached,
}

/// A move with what became of those who played it. Results are in the query's
/// view.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The move in the notation of engines.
    pub uci: String,
    /// The move in the notation of players.
    pub san: String,
    /// The games that played it.
    pub count: Count,
    /// The sum of the similarities of these games.
    pub weight: f64,
}

/// Counts the moves that followed the hits, by weight. A move counts if it makes
/// sense in the query's position.
pub fn tally<'a>(query: &Chess, hits: impl IntoIterator<Item = Vote<'a>>) -> Vec<Played> {
    let mut table: Vec<Played> = Vec::new();
    for hit in hits {
        for reply in &hit.reached.replies {
            let Some(mv) = makes_sense(query, hit.turned, reply) else {
                continue;
            };
            let at = table.iter().position(|it| it.uci == reply.uci);
            let at = at.unwrap_or_else(|| {
                table.push(Played {
                    uci: reply.uci.clone(),
                    san: SanPlus::from_move(query.clone(), mv).to_string(),
                    count: Count::default(),
                    weight: 0.0,
                });
                table.len() - 1
            });
            table[at].count.merge(&reply.count);
            table[at].weight += hit.similarity * f64::from(reply.count.games());
        }
    }
    table.sort_by(|one, two| {
        let weight = two.weight.total_cmp(&one.weight);
        weight.then(one.uci.cmp(&two.uci))
    });
    table
}

/// The move in the query's position, if it is legal there and means what it meant: the same piece
/// moves, takes the same kind of piece or nothing, and loses nothing in exchanges, unless it was
/// offered as a sacrifice there too.
fn makes_sense(query: &Chess, turned: &Chess, reply: &Reply) -> Option<Move> {
    let uci: UciMove = reply.uci.parse().ok()?;
    let (here, there) = (uci.to_move(query).ok()?, uci.to_move(turned).ok()?);
    let is_same = (here.role(), here.capture()) == (there.role(), there.capture());
    let is_sound = |position, mv| exchange::wins_at_least(position, mv, 0);
    (is_same && (is_sound(query, here) || !is_sound(turned, there))).then_some(here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::played::line;
    use tabiya_chess::{pgn, position};

    fn found(text: &str, ply: u16, symmetry: Symmetry) -> ResolvedHit {
        let game = pgn::read(text.as_bytes()).game.unwrap();
        let hit = Hit {
            score: 1.0,
            similarity: 0.5,
            symmetry,
            game: GameNumber(1),
            variation: None,
            ply: Ply(ply),
        };
        ResolvedHit::new(hit, game).unwrap()
    }

    fn table(query: &Chess, games: &[ResolvedHit]) -> Vec<Played> {
        let reached: Vec<Reached> = games.iter().map(Reached::of_found).collect();
        let votes = games.iter().zip(&reached).map(|(found, reached)| Vote {
            turned: &found.turned,
            similarity: 0.5,
            reached,
        });
        tally(query, votes)
    }

    fn names(table: &[Played]) -> Vec<&str> {
        table.iter().map(|it| it.san.as_str()).collect()
    }

    #[test]
    fn moves_are_turned_back_and_counted_together() {
        let query = Chess::default();
        let games = [
            found(
                "[Result \"1-0\"][WhiteElo \"2000\"]\n\n1. e4 e5 1-0",
                0,
                Symmetry::None,
            ),
            // Black answers 1... e5 to a pass: the same move from the other side.
            found("[Result \"1-0\"]\n\n1. -- e5 2. d4 1-0", 1, Symmetry::Swap),
            found("[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2", 0, Symmetry::Mirror),
            found("[Result \"0-1\"]\n\n1. c4 0-1", 0, Symmetry::None),
        ];
        let swapped = &games[1];
        let line = line(&swapped.position, &swapped.next, swapped.hit.symmetry);
        assert_eq!(line, ["e4", "d5"]);
        let table = table(&query, &games);
        let e4 = &table[0];
        assert_eq!(
            (e4.uci.as_str(), e4.san.as_str(), e4.count.games()),
            ("e2e4", "e4", 3)
        );
        // White's win in the swapped game is Black's in the query's view.
        let count = &e4.count;
        assert_eq!((count.white, count.draws, count.black), (1, 1, 1));
        assert_eq!((e4.weight, count.mean_rating()), (1.5, Some(2000)));
        assert_eq!((table[1].san.as_str(), table[1].count.black), ("c4", 1));
    }

    #[test]
    fn only_moves_that_make_sense_are_counted() {
        let query = position::parse("4k3/8/8/3p4/8/2N5/8/4K2R w - - 0 1").unwrap();
        let played = |fen: &str, san: &str| {
            found(&format!("[FEN \"{fen}\"]\n\n1. {san} *"), 0, Symmetry::None)
        };
        let games = [
            // The same piece takes the same.
            played("4k3/8/8/3p4/8/2N5/8/5K2 w - - 0 1", "Nxd5"),
            // Takes something else, or nothing.
            played("4k3/8/8/3r4/8/2N5/8/4K3 w - - 0 1", "Nxd5"),
            played("4k3/8/8/8/8/2N5/8/4K3 w - - 0 1", "Nd5"),
            played("4k3/8/8/8/8/2N5/8/4K3 w - - 0 1", "Kd2"),
            // Not legal here.
            played("4k3/8/8/8/8/2N5/8/3K4 w - - 0 1", "Kc2"),
            // The pawn on d5 takes the knight here.
            played("4k3/8/8/8/8/2N5/8/4K3 w - - 0 1", "Ne4"),
            // A sacrifice there too.
            played("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1", "Ne4"),
        ];
        assert_eq!(names(&table(&query, &games[..6])), ["Nxd5", "Kd2"]);
        assert_eq!(names(&table(&query, &games[6..])), ["Ne4"]);
    }

    #[test]
    fn castling_is_told_by_the_kings_target() {
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *";
        let uci = |symmetry| {
            let reached = Reached::of_found(&found(text, 6, symmetry));
            reached.replies[0].uci.clone()
        };
        assert_eq!(uci(Symmetry::None), "e1g1");
        assert_eq!(uci(Symmetry::Swap), "e8g8");
        assert_eq!(uci(Symmetry::Mirror), "d1b1");
        let mirrored = found(text, 6, Symmetry::Mirror);
        let line = line(&mirrored.position, &mirrored.next, Symmetry::Mirror);
        assert_eq!(line, ["O-O"]);
    }
}
