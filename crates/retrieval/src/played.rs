//! What was played: the moves that followed in similar positions, turned back
//! to the query's view and counted.

use serde::{Deserialize, Serialize};
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, FromSetup, Move, Outcome, Position, PositionError,
    san::SanPlus, uci::UciMove,
};
use tabiya_chess::{CompactMove, Game, Symmetry, Tags, wire};

use crate::search::Hit;

/// A hit with the position and the moves behind its numbers.
#[derive(Clone, Debug)]
pub struct Found {
    /// The numbers.
    pub hit: Hit,
    /// The game.
    pub game: Game,
    /// The position, as it was in the game.
    pub position: Chess,
    /// The position, turned to the query's view.
    pub turned: Chess,
    /// The moves that followed, as they were in the game.
    pub next: Vec<String>,
    /// The same, turned to the query's view.
    pub turned_next: Vec<String>,
    /// What the annotator says of the position.
    pub comments: Vec<String>,
    /// The very next move, if the game has one.
    pub reply: Option<Reply>,
}

/// The move that followed a hit and what became of the game, in the query's view:
/// all that the tally asks of a hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The move in the notation of engines.
    pub uci: String,
    /// The move in the notation of players.
    pub san: String,
    /// How like the query the position is.
    pub similarity: f64,
    /// How the game ended.
    #[serde(with = "wire::outcome")]
    pub result: Outcome,
    /// The mean rating of the players, if any is known.
    pub mean_elo: Option<f64>,
}

impl Reply {
    /// What became of a game in which this move followed a hit.
    pub fn new(mv: Move, san: String, hit: &Hit, tags: &Tags) -> Reply {
        Reply {
            uci: turned_uci(mv, hit.symmetry),
            san,
            similarity: hit.similarity,
            result: turned_result(tags.result, hit.symmetry),
            mean_elo: tags.mean_elo(),
        }
    }
}

/// How many of the moves that followed are told.
const NEXT: usize = 6;

impl Found {
    /// Looks up what a hit stands for. `None` if the game has no such variation or ply.
    pub fn new(hit: Hit, game: Game) -> Option<Found> {
        let variation = match hit.variation {
            Some(number) => Some(number.of(&game)?),
            None => None,
        };
        let moves = variation.as_ref().map_or(&game.moves, |it| &it.moves);
        let (annotations, own) = match &variation {
            Some(it) => (
                &it.branch.annotations,
                usize::from(hit.ply).saturating_sub(it.ply),
            ),
            None => (&game.annotations, hit.ply.into()),
        };
        let comments = annotations.words_at(own).collect();
        let position = game.position_along(moves, hit.ply.into())?;
        let turned = turn(&position, hit.symmetry)?;
        let moves = &moves[moves.len().min(hit.ply.into())..];
        let next = line(position.clone(), moves, Symmetry::None);
        let turned_next = line(position.clone(), moves, hit.symmetry);
        // A move in a variation was not played.
        let reply = moves
            .first()
            .filter(|_| variation.is_none())
            .and_then(|it| it.to_move(position.board()))
            .map(|mv| {
                let san = turned_next.first().cloned().unwrap_or_default();
                Reply::new(mv, san, &hit, &game.tags)
            });
        Some(Found {
            hit,
            position,
            turned,
            next,
            turned_next,
            comments,
            reply,
            game,
        })
    }
}

/// A game's result in the query's view.
fn turned_result(result: Outcome, symmetry: Symmetry) -> Outcome {
    match result {
        Outcome::Known(known) => Outcome::from_known(Some(match known.winner() {
            Some(winner) => shakmaty::KnownOutcome::Decisive {
                winner: symmetry.color(winner),
            },
            None => known,
        })),
        Outcome::Unknown => Outcome::Unknown,
    }
}

/// A move with what became of those who played it. Results are in the query's
/// view.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The move in the notation of engines.
    pub uci: String,
    /// The move in the notation of players.
    pub san: String,
    /// Whether it is possible in the query's position.
    pub legal: bool,
    /// In how many games it was played.
    pub games: u64,
    /// How many of them White won.
    pub white: u64,
    /// How many were drawn.
    pub draws: u64,
    /// How many Black won.
    pub black: u64,
    /// The sum of the similarities.
    pub weight: f64,
    /// The mean rating of the players, if any is known.
    pub average_elo: Option<f64>,
}

/// Counts the moves that followed the hits, by weight; moves that are possible
/// in the query's position first.
pub fn tally<'a>(query: &Chess, replies: impl IntoIterator<Item = &'a Reply>) -> Vec<Played> {
    let mut table: Vec<(Played, Vec<f64>)> = Vec::new();
    for reply in replies {
        let at = table.iter().position(|it| it.0.uci == reply.uci);
        let at = at.unwrap_or_else(|| {
            table.push((Played::new(query, reply), Vec::new()));
            table.len() - 1
        });
        let (played, elos) = &mut table[at];
        played.games += 1;
        played.weight += reply.similarity;
        match reply.result {
            Outcome::Known(known) => match known.winner() {
                Some(shakmaty::Color::White) => played.white += 1,
                Some(shakmaty::Color::Black) => played.black += 1,
                None => played.draws += 1,
            },
            Outcome::Unknown => {}
        }
        elos.extend(reply.mean_elo);
    }
    let mean = |(mut played, elos): (Played, Vec<f64>)| {
        played.average_elo =
            (!elos.is_empty()).then(|| elos.iter().sum::<f64>() / elos.len() as f64);
        played
    };
    let mut table: Vec<Played> = table.into_iter().map(mean).collect();
    table.sort_by(|one, two| {
        two.legal
            .cmp(&one.legal)
            .then(two.weight.total_cmp(&one.weight))
            .then(one.uci.cmp(&two.uci))
    });
    table
}

impl Played {
    fn new(query: &Chess, reply: &Reply) -> Played {
        let uci: Option<UciMove> = reply.uci.parse().ok();
        let legal = uci.and_then(|it| it.to_move(query).ok());
        // The query's position may ask for another disambiguation.
        let san = legal.map_or_else(
            || reply.san.clone(),
            |mv| SanPlus::from_move(query.clone(), mv).to_string(),
        );
        Played {
            uci: reply.uci.clone(),
            san,
            legal: legal.is_some(),
            games: 0,
            white: 0,
            draws: 0,
            black: 0,
            weight: 0.0,
            average_elo: None,
        }
    }
}

/// The position seen through a symmetry.
pub fn turn(position: &Chess, symmetry: Symmetry) -> Option<Chess> {
    let setup = symmetry.setup(&position.to_setup(EnPassantMode::Legal));
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()
}

/// The first moves of a line in the notation of players, seen through a
/// symmetry. A mirrored castling has no name of its own and keeps the old one.
fn line(mut position: Chess, moves: &[CompactMove], symmetry: Symmetry) -> Vec<String> {
    let mut line = Vec::new();
    for mv in moves.iter().take(NEXT) {
        let next = mv.play(position.clone());
        line.push(match mv.to_move(position.board()) {
            _ if mv.is_null() => "--".to_owned(),
            Some(mv) => {
                match turn(&position, symmetry).filter(|_| !mv.is_castle() || !symmetry.mirrors()) {
                    Some(turned) if turned.is_legal(symmetry.mv(mv)) => {
                        SanPlus::from_move(turned, symmetry.mv(mv)).to_string()
                    }
                    _ => SanPlus::from_move(position.clone(), mv).to_string(),
                }
            }
            None => break,
        });
        match next {
            Some(next) => position = next,
            None => break,
        }
    }
    line
}

/// The move in the notation of engines: the king's target for castling.
pub(crate) fn turned_uci(mv: Move, symmetry: Symmetry) -> String {
    match UciMove::from_standard(mv) {
        UciMove::Normal {
            from,
            to,
            promotion,
        } => UciMove::Normal {
            from: symmetry.square(from),
            to: symmetry.square(to),
            promotion,
        },
        other => other,
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::GameNumber;
    use tabiya_chess::Ply;
    use tabiya_chess::{pgn, position};

    fn found(text: &str, ply: u16, symmetry: Symmetry) -> Found {
        let game = pgn::read(text.as_bytes()).game.unwrap();
        let hit = Hit {
            score: 1.0,
            similarity: 0.5,
            symmetry,
            game: GameNumber(1),
            variation: None,
            ply: Ply(ply),
        };
        Found::new(hit, game).unwrap()
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
        assert_eq!(games[1].turned_next, ["e4", "d5"]);
        let table = tally(&query, games.iter().filter_map(|it| it.reply.as_ref()));
        let e4 = &table[0];
        assert_eq!(
            (e4.uci.as_str(), e4.san.as_str(), e4.games),
            ("e2e4", "e4", 3)
        );
        // White's win in the swapped game is Black's in the query's view.
        assert_eq!((e4.white, e4.draws, e4.black), (1, 1, 1));
        assert_eq!((e4.weight, e4.average_elo), (1.5, Some(2000.0)));
        assert_eq!((table[1].san.as_str(), table[1].black), ("c4", 1));
    }

    #[test]
    fn impossible_moves_come_last() {
        let query = position::parse("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let games = [
            found("1. e4 *", 0, Symmetry::None),
            found(
                "[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Kd2 *",
                0,
                Symmetry::None,
            ),
        ];
        let table = tally(&query, games.iter().filter_map(|it| it.reply.as_ref()));
        assert_eq!(
            table
                .iter()
                .map(|it| (it.san.as_str(), it.legal))
                .collect::<Vec<_>>(),
            [("Kd2", true), ("e4", false)]
        );
    }

    #[test]
    fn castling_is_told_by_the_kings_target() {
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *";
        assert_eq!(found(text, 6, Symmetry::None).reply.unwrap().uci, "e1g1");
        assert_eq!(found(text, 6, Symmetry::Swap).reply.unwrap().uci, "e8g8");
        let mirrored = found(text, 6, Symmetry::Mirror).reply.unwrap();
        assert_eq!(
            (mirrored.uci.as_str(), mirrored.san.as_str()),
            ("d1b1", "O-O")
        );
    }
}
