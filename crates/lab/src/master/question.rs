//! Positions of masters' games: what was played?

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

use tabiya_chess::{CompactMove, Game, pgn};
use tabiya_retrieval::{Collection, Filter, index::FormatError};

use crate::games::for_each_text;

/// Which positions are asked about.
#[derive(Clone, Debug)]
pub(crate) struct Criteria {
    /// How many, each from another game.
    pub(crate) positions: usize,
    /// The ratings of both players.
    pub(crate) elo: RangeInclusive<u16>,
    /// The first ply that is asked about.
    pub(crate) first_ply: usize,
}

/// A position of a game: what did the master play?
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// Its number, in the order of the games.
    pub(crate) number: usize,
    /// The game up to the position; its last move is the answer.
    pub(crate) game: Game,
}

/// A hash of the moves of a game, regardless of the players.
fn moves_of(moves: &[CompactMove]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for mv in moves {
        mv.to_bits().hash(&mut hasher);
    }
    hasher.finish()
}

/// The games of a collection, by their moves.
///
/// # Errors
/// If the collection is damaged.
pub(crate) fn known_games(collection: &Collection) -> Result<HashSet<u64>, FormatError> {
    let mut known = HashSet::new();
    collection.for_each_game(&Filter::default(), |_, game| {
        known.insert(moves_of(&game.moves));
        Ok::<(), FormatError>(())
    })?;
    Ok(known)
}

/// Draws a position from each of some games, spread evenly over those that
/// qualify; no game that is known, and none twice.
///
/// # Errors
/// If the games cannot be read.
pub(crate) fn draw(
    path: &Path,
    known: &HashSet<u64>,
    criteria: &Criteria,
) -> io::Result<Vec<Question>> {
    let games = eligible(path, known, criteria)?;
    let step = games.len() / criteria.positions.max(1);
    if step == 0 {
        let (found, wanted) = (games.len(), criteria.positions);
        let what = format!("only {found} games qualify, {wanted} are needed");
        return Err(io::Error::other(what));
    }
    let spread = games.into_iter().step_by(step).take(criteria.positions);
    let question = |(number, game): (usize, Game)| cut(number, game, criteria.first_ply);
    Ok(spread.enumerate().map(question).collect())
}

fn eligible(path: &Path, known: &HashSet<u64>, criteria: &Criteria) -> io::Result<Vec<Game>> {
    let mut seen = HashSet::new();
    let mut games = Vec::new();
    for_each_text(path, |text| {
        // Tags first: reading moves takes a hundred times as long.
        if may_qualify(text, &criteria.elo)
            && let Some(game) = pgn::read(text).game.filter(|it| qualifies(it, criteria))
        {
            let moves = moves_of(&game.moves);
            if !known.contains(&moves) && seen.insert(moves) {
                games.push(game);
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(games)
}

fn may_qualify(text: &[u8], elo: &RangeInclusive<u16>) -> bool {
    let text = String::from_utf8_lossy(text);
    ["WhiteElo", "BlackElo"]
        .iter()
        .all(|it| elo_tag(&text, it).is_some_and(|it| elo.contains(&it)))
}

/// The number in a tag's value, without a look at anything else.
fn elo_tag(text: &str, name: &str) -> Option<u16> {
    let (_, rest) = text.split_once(name)?;
    let (_, rest) = rest.split_once('"')?;
    let (value, _) = rest.split_once('"')?;
    value.trim().parse().ok()
}

fn qualifies(game: &Game, criteria: &Criteria) -> bool {
    let fits = |elo: Option<u16>| elo.is_some_and(|it| criteria.elo.contains(&it));
    fits(game.tags.white_elo)
        && fits(game.tags.black_elo)
        && game.setup.is_none()
        && game.moves.len() > criteria.first_ply + 1
        && !game.moves.iter().any(|it| it.is_null())
}

/// The game up to a ply that depends on its moves alone.
fn cut(number: usize, mut game: Game, first_ply: usize) -> Question {
    let choices = game.moves.len() - first_ply;
    let ply = first_ply + (moves_of(&game.moves) % choices as u64) as usize;
    game.truncate(ply + 1);
    Question { number, game }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_weak_games_are_never_asked_about() {
        let folder = std::env::temp_dir().join(format!("tabiya-draw-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("games.pgn");
        let game = |elo: u32, line: &str| {
            format!("[WhiteElo \"{elo}\"]\n[BlackElo \"{elo}\"]\n\n{line} *\n\n")
        };
        let lines = [
            "1. e4 e5 2. Nf3",
            "1. d4 d5 2. c4",
            "1. c4 e5 2. g3",
            "1. Nf3 d5 2. d4",
        ];
        let mut text: String = lines.iter().map(|it| game(2600, it)).collect();
        text += &game(2600, lines[0]);
        text += &game(2800, "1. f4 e5 2. e3");
        text += &game(2400, "1. f4 d5 2. e3");
        std::fs::write(&path, text).unwrap();
        let first = pgn::read(format!("{} *", lines[1]).as_bytes())
            .game
            .unwrap();
        let known = HashSet::from([moves_of(&first.moves)]);
        let criteria = Criteria {
            positions: 3,
            elo: 2500..=2700,
            first_ply: 1,
        };
        let drawn = draw(&path, &known, &criteria).unwrap();
        assert_eq!(
            drawn.iter().map(|it| it.number).collect::<Vec<_>>(),
            [0, 1, 2]
        );
        for it in &drawn {
            assert!((2..=3).contains(&it.game.moves.len()));
            assert_ne!(it.game.moves[..], first.moves[..it.game.moves.len()]);
        }
        let more = Criteria {
            positions: 4,
            ..criteria
        };
        assert!(draw(&path, &known, &more).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn ratings_are_read_as_numbers() {
        let game = |white: &str, black: &str| {
            format!("[Event \"x\"]\n[WhiteElo \"{white}\"] [BlackElo  \"{black}\"]\n\n1. e4 *\n")
        };
        for (white, black, least, expected) in [
            ("2600", "2500", 2500, true),
            ("2600", "2499", 2500, false),
            ("1500", "1490", 1400, true),
            ("950", "1490", 1400, false),
            ("950", " 1010 ", 900, true),
            ("?", "2600", 900, false),
            ("", "2600", 900, false),
        ] {
            let text = game(white, black);
            assert_eq!(
                may_qualify(text.as_bytes(), &(least..=u16::MAX)),
                expected,
                "{text}"
            );
        }
        assert!(!may_qualify(b"1. e4 *", &(0..=9999)));
        assert!(!may_qualify(b"[WhiteElo \"", &(0..=9999)));
    }
}
