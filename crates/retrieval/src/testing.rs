//! Random material for the tests of this crate.

use shakmaty::{Board, Chess, Color, KnownOutcome, Move, Outcome, Position};
use tabiya_chess::{
    Annotations, CompactMove, Date, Eco, Game, Ply, Symmetry, Tags,
    annotation::{Branch, Remark},
    pgn::Input,
};
pub(crate) use tabiya_gametree::Dice;

use crate::{
    Collection, Filter, GameNumber, Query, Run,
    collection::{Import, Progress},
    search::{Condition, Distinct, Range, SideToMove},
    term::{ByFamily, Family},
};

/// A game of random legal moves of at most this many plies.
pub(crate) fn random_game(dice: &mut Dice, plies: usize) -> Game {
    Game {
        moves: random_line(dice, Chess::default(), plies),
        ..Game::default()
    }
}

/// A position of a random game, and the moves that followed.
pub(crate) fn random_course(dice: &mut Dice) -> (Chess, Vec<Move>) {
    let game = random_game(dice, 60);
    let ply = dice.below(game.moves.len());
    let start = game.position(ply).unwrap();
    let (mut here, mut line) = (start.clone(), Vec::new());
    for mv in &game.moves[ply..] {
        let mv = mv.to_move(here.board()).unwrap();
        line.push(mv);
        here.play_unchecked(mv);
    }
    (start, line)
}

fn random_line(dice: &mut Dice, mut position: Chess, plies: usize) -> Vec<CompactMove> {
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
    moves
}

/// A random game with comments, glyphs and variations, some of them nested.
pub(crate) fn annotated_game(dice: &mut Dice, plies: usize) -> Game {
    let mut game = random_game(dice, plies);
    game.annotations = annotations(dice, &Chess::default(), &game.moves, 3);
    game
}

fn annotations(dice: &mut Dice, start: &Chess, moves: &[CompactMove], depth: usize) -> Annotations {
    let mut annotations = Annotations::default();
    let mut position = start.clone();
    for (ply, mv) in (1..).zip(moves) {
        let before = position.clone();
        let Some(next) = mv.play(position) else { break };
        position = next;
        match dice.below(12) {
            0 => annotations.push(ply, Remark::Nag(dice.below(140) as u8)),
            1 => {
                let text = [
                    "[%clk 0:10:00]",
                    "A novelty.",
                    "[%eval 0.2] Better was Ünal's 7. a3.",
                ];
                annotations.push(ply, Remark::Comment(text[dice.below(3)].to_owned()));
            }
            2 if depth > 0 => {
                let plies = 1 + dice.below(20);
                let moves = random_line(dice, before.clone(), plies);
                let branch = Branch {
                    annotations: self::annotations(dice, &before, &moves, depth - 1),
                    moves,
                };
                annotations.push(ply, Remark::Variation(branch));
            }
            _ => {}
        }
    }
    annotations
}

/// A collection of the games of a text, and the folder it lies in.
pub(crate) fn collection_of(pgn: &str) -> (tempfile::TempDir, Collection) {
    let folder = tempfile::tempdir().unwrap();
    let (file, home) = (folder.path().join("games.pgn"), folder.path().join("home"));
    std::fs::write(&file, pgn).unwrap();
    let import = Import::new(vec![Input::File(file)]);
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

/// The board `plies` before the end of the same random game.
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

/// A query for a position of one of the games, with any settings.
pub(crate) fn random_query(dice: &mut Dice, games: &[Game]) -> Query {
    // Positions of the games themselves, so that good hits exist.
    let game = &games[dice.below(games.len())];
    let positions: Vec<Chess> = game.positions().collect();
    let mut query = Query::new(positions[dice.below(positions.len())].clone());
    query.top = match dice.below(6) {
        0 => 30 + dice.below(20),
        _ => 1 + dice.below(12),
    };
    if dice.below(2) == 0 {
        let (games, few) = (1 + dice.below(30), dice.below(8));
        query.distinct = Distinct::Positions { games, few };
    }
    query.symmetries = Symmetry::ALL
        .into_iter()
        .filter(|_| dice.below(2) == 0)
        .collect();
    if query.symmetries.is_empty() {
        query.symmetries.push(Symmetry::None);
    }
    match dice.below(4) {
        0 => query.ranking.weights = Run::ALL[dice.below(7)].weights(),
        1 => {
            query.ranking.k1 = dice.below(30) as f64 / 10.0;
            query.ranking.b = dice.below(11) as f64 / 10.0;
        }
        2 => {
            let mut weights = ByFamily::all(0.0);
            Family::ALL
                .iter()
                .for_each(|&it| weights[it] = dice.below(5) as f64 / 2.0);
            weights[Family::Attack] += 0.5;
            query.ranking.weights = weights;
        }
        _ => {}
    }
    query.same_first = dice.below(2) == 0;
    query.variations = dice.below(2) == 0;
    if dice.below(4) == 0 {
        let patterns = [
            "check or Pe4",
            "not Q",
            "move from N",
            "[Pp]<=14 wtm",
            "find check",
        ];
        let is_both = dice.below(3) == 0;
        let mut condition = || -> Option<Condition> {
            let pattern = patterns[dice.below(5)].parse::<tabiya_pattern::Pattern>();
            pattern.ok().map(Into::into)
        };
        query.condition = condition();
        if is_both {
            let other = condition();
            query.condition = query.condition.zip(other).map(|(one, two)| one.and(two));
        }
    }
    random_filter(dice, &mut query.filter);
    query
}

fn random_filter(dice: &mut Dice, filter: &mut Filter) {
    match dice.below(12) {
        0 => filter.player = Some("a".into()),
        1 => filter.white = Some("B".into()),
        2 => filter.elo.from = Some(1500),
        3 => filter.eco.to = Eco::parse("C50"),
        4 => filter.results = vec![Outcome::Unknown],
        5 => filter.side_to_move = Some(SideToMove::Same),
        6 => filter.side_to_move = Some(SideToMove::Of(Color::Black)),
        7 => filter.material = Some(dice.below(6) as u32),
        8 => {
            filter.pieces = Range {
                from: Some(20),
                to: Some(30),
            }
        }
        10 => {
            let from = dice.below(40) as u16;
            let to = (dice.below(2) == 0).then(|| from + dice.below(30) as u16);
            filter.ply = Range {
                from: Some(Ply(from)),
                to: to.map(Ply),
            }
        }
        9 => filter.exclude.extend([1, 3].map(GameNumber)),
        _ => {}
    }
}
