//! Random material for the tests of this crate.

use shakmaty::{Board, Chess, Color, KnownOutcome, Outcome, Position};
use tabiya_chess::{CompactMove, Date, Eco, Game, Tags, pgn::Source};
pub(crate) use tabiya_gametree::Dice;

use crate::{
    Collection,
    collection::{Import, Progress},
};

/// A game of random legal moves of at most this many plies.
pub(crate) fn random_game(dice: &mut Dice, plies: usize) -> Game {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[dice.below(legal.len())];
        moves.push(CompactMove::from(mv));
        position.play_unchecked(mv);
    }
    Game {
        moves,
        ..Game::default()
    }
}

/// A collection of the games of a text, and the folder it lies in.
pub(crate) fn collection_of(pgn: &str) -> (tempfile::TempDir, Collection) {
    let folder = tempfile::tempdir().unwrap();
    let (file, home) = (folder.path().join("games.pgn"), folder.path().join("home"));
    std::fs::write(&file, pgn).unwrap();
    let import = Import::new(vec![Source::File(file)]);
    import.run(&home, &Progress::default()).unwrap();
    let collection = Collection::open(&home).unwrap();
    (folder, collection)
}

/// The board at the end of a random game.
pub(crate) fn random_board(seed: u64) -> Board {
    let mut dice = Dice::new(seed);
    let plies = dice.below(150);
    random_game(&mut dice, plies)
        .boards()
        .last()
        .unwrap_or_default()
}

/// A board so many plies before the end of the same random game.
pub(crate) fn random_board_near(seed: u64, plies: usize) -> Board {
    let mut dice = Dice::new(seed);
    let longest = dice.below(150);
    let boards: Vec<Board> = random_game(&mut dice, longest).boards().collect();
    boards[boards.len().saturating_sub(plies + 1)].clone()
}

/// Tags with a bit of everything.
pub(crate) fn random_tags(dice: &mut Dice) -> Tags {
    let name = |dice: &mut Dice| ["Anna", "Bert", "Carla", "Dov", "?"][dice.below(5)].to_owned();
    let results = [
        None,
        Some(KnownOutcome::Draw),
        Some(KnownOutcome::Decisive {
            winner: Color::White,
        }),
    ];
    Tags {
        white: name(dice),
        black: name(dice),
        event: name(dice),
        date: Date {
            year: dice.below(2030) as u16,
            month: dice.below(13) as u8,
            day: 0,
        },
        white_elo: Some(1000 + dice.below(1800) as u16),
        black_elo: Some(1000 + dice.below(1800) as u16).filter(|_| dice.below(4) > 0),
        eco: Eco::from_index(dice.below(600) as u16),
        result: Outcome::from_known(results[dice.below(3)]),
        others: (0..dice.below(3))
            .map(|it| (format!("Tag{it}"), name(dice)))
            .collect(),
        ..Tags::default()
    }
}
