//! The positions of a game whose best line is known: that of an exercise, and those that
//! an import has searched.
//!
//! Both are told by tags, so that exhibits are a function of the game alone. An exercise
//! begins in a set-up position and has the tag `Themes`, as the puzzles of Lichess have:
//! the opponent moves first, then the solution begins. The tag `Moments` holds plies with
//! their lines, such as `31 e5f7 e8f7 f3g5; 47 d1d8`.

use shakmaty::{Chess, Move, Position, uci::UciMove};
use tabiya_chess::{Game, Ply, Tags};

/// A position of a game with its best line.
#[derive(Clone, Debug, PartialEq)]
pub struct Exhibit {
    /// How many plies were played before the position.
    pub ply: Ply,
    /// The position.
    pub position: Chess,
    /// The line.
    pub line: Vec<Move>,
}

impl Exhibit {
    /// The tag that names an exercise.
    pub const NAME: &'static str = "PuzzleId";
    /// The tag that names the themes of an exercise.
    pub const THEMES: &'static str = "Themes";
    /// The tag that holds the rating of an exercise.
    pub const RATING: &'static str = "Rating";
    /// The tag that holds searched moments.
    pub const MOMENTS: &'static str = "Moments";
}

/// The tag that says which positions of a game were searched, with their lines. A game that
/// has such a tag keeps its own.
pub fn note_moments<'a>(tags: &mut Tags, moments: impl Iterator<Item = (Ply, &'a [Move])>) {
    if value(tags, Exhibit::MOMENTS).is_some() {
        return;
    }
    let text = moments.map(|(ply, line)| {
        let moves = line.iter().map(|&it| UciMove::from_standard(it));
        let moves = moves.map(|it| format!(" {it}"));
        format!("{ply}{}", moves.collect::<String>())
    });
    let text = text.collect::<Vec<_>>().join("; ");
    if !text.is_empty() {
        tags.others.push((Exhibit::MOMENTS.to_owned(), text));
    }
}

/// The exhibits of a game, in the order of their plies. What cannot be played is left out.
pub fn exhibits(game: &Game) -> Vec<Exhibit> {
    let mut exhibits = Vec::new();
    if game.setup.is_some() && value(&game.tags, Exhibit::THEMES).is_some() {
        exhibits.extend(solution(game));
    }
    if let Some(moments) = value(&game.tags, Exhibit::MOMENTS) {
        exhibits.extend(moments.split(';').filter_map(|it| moment(game, it)));
    }
    exhibits.sort_by_key(|it| it.ply);
    exhibits.dedup_by_key(|it| it.ply);
    exhibits
}

/// The value of a tag that has no field of its own.
pub(crate) fn value<'a>(tags: &'a Tags, name: &str) -> Option<&'a str> {
    let mut others = tags.others.iter();
    others.find(|it| it.0 == name).map(|it| it.1.as_str())
}

fn solution(game: &Game) -> Option<Exhibit> {
    let position = game.position(1)?;
    let mut here = position.clone();
    let mut line = Vec::new();
    for compact in &game.moves[1..] {
        let mv = compact.to_move(here.board())?;
        if !here.is_legal(mv) {
            break;
        }
        here.play_unchecked(mv);
        line.push(mv);
    }
    (!line.is_empty()).then_some(Exhibit {
        ply: Ply(1),
        position,
        line,
    })
}

fn moment(game: &Game, text: &str) -> Option<Exhibit> {
    let mut words = text.split_ascii_whitespace();
    let ply: u16 = words.next()?.parse().ok()?;
    let position = game.position(ply.into())?;
    let mut here = position.clone();
    let mut line = Vec::new();
    for word in words {
        let mv = word.parse::<UciMove>().ok()?.to_move(&here).ok()?;
        here.play_unchecked(mv);
        line.push(mv);
    }
    (!line.is_empty()).then_some(Exhibit {
        ply: Ply(ply),
        position,
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::pgn;

    fn read(text: &str) -> Game {
        pgn::read(text.as_bytes()).game.unwrap()
    }

    const EXERCISE: &str = "[SetUp \"1\"]\n[FEN \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1\"]\n[Themes \"mate backRankMate\"]\n\n1... h5 2. Rd8+ Kh7 *\n";

    #[test]
    fn a_solution_begins_after_the_opponents_move() {
        let exhibits = exhibits(&read(EXERCISE));
        assert_eq!(exhibits.len(), 1);
        assert_eq!((exhibits[0].ply, exhibits[0].line.len()), (Ply(1), 2));
        assert_eq!(exhibits[0].line[0].to_string(), "Rd1-d8");
    }

    #[test]
    fn a_set_up_position_without_themes_is_not_an_exercise() {
        assert!(exhibits(&read(&EXERCISE.replace("Themes", "Annotator"))).is_empty());
        assert!(exhibits(&read("[Themes \"fork\"]\n\n1. e4 e5 *\n")).is_empty());
        let alone = EXERCISE.replace(" 2. Rd8+ Kh7", "");
        assert!(exhibits(&read(&alone)).is_empty());
    }

    #[test]
    fn noted_moments_are_read_again() {
        let mut game = read("1. e4 e5 2. Nf3 Nc6 *\n");
        let start = game.position(2).unwrap();
        let line = vec![
            UciMove::from_ascii(b"g1f3")
                .unwrap()
                .to_move(&start)
                .unwrap(),
        ];
        note_moments(&mut game.tags, [(Ply(2), line.as_slice())].into_iter());
        let exhibits = exhibits(&game);
        assert_eq!((exhibits[0].ply, &exhibits[0].line), (Ply(2), &line));
        // What is there stays; nothing to note leaves no tag.
        note_moments(&mut game.tags, std::iter::empty());
        assert_eq!(game.tags.others.len(), 1);
        let mut quiet = read("1. e4 *\n");
        note_moments(&mut quiet.tags, std::iter::empty());
        assert!(quiet.tags.others.is_empty());
    }

    #[test]
    fn moments_are_read_as_far_as_they_are_sound() {
        let moments = "2 g1f3 b8c6; 1 e7e5; 9 e1e2; x; 1 e2e4; 0";
        let game = read(&format!("[Moments \"{moments}\"]\n\n1. e4 e5 2. Nf3 *\n"));
        let plies: Vec<u16> = exhibits(&game).iter().map(|it| it.ply.0).collect();
        assert_eq!(plies, [1, 2]);
    }
}
