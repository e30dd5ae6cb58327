//! However the shards of a collection are grouped, every question has the answer of one machine,
//! byte for byte.

use std::path::Path;

use proptest::prelude::*;
use shakmaty::{Chess, Position};
use tabiya_chess::{
    Annotations, CompactMove, Game, Ply,
    annotation::{Branch, Remark},
    pgn, position,
    trap::library,
};
use tabiya_gametree::Dice;
use tabiya_question::{Entry, QUESTIONS, Shards, list::Gathered};
use tabiya_retrieval::{
    GameNumber, Statistics,
    collection::{Import, Progress},
    index::Segment,
    search::{Cancel, Shard},
    shard,
    trap::{MinedTrap, Pattern},
};

/// Ways to ask each question; `FEN` stands for a position of a game.
const WAYS: &[(&str, &[&str])] = &[
    (
        "search",
        &[
            "fen=FEN",
            "fen=FEN&top=2&symmetry=all",
            "fen=FEN&top=3&after=1&limit=1&rerank=blend",
            "fen=FEN&run=Tabiya&result=1-0,0-1",
            "fen=START&group=newest&side_to_move=any&symmetry=all",
            "fen=FEN&group=none&like=pawns&top=3",
            "fen=FEN&deep=true&like=threats&symmetry=all",
            "fen=FEN&run=CombAll&group=strongest&top=4",
            "fen=FEN&rerank=none&ply=1-6",
            "fen=FEN&variations=true&ply=2-20",
            "fen=FEN&where=check+or+Pe4",
        ],
    ),
    ("explain", &["fen=FEN&other=FEN2&symmetry=all"]),
    (
        "find",
        &[
            "query=flipcolor+{Pd4+pd5}&explain=true",
            "query=check&sort=date&top=3&variations=true",
            "query=check+sort+%22pieces%22+%23[Aa]&top=4&after=1",
            "query=Pe4&like=FEN&ply=2-&material=20",
            "query=move+from+[Nn]&sort=rating&result=1-0&count=true",
        ],
    ),
    ("structures", &["fen=FEN", "fen=START"]),
    (
        "cases",
        &["moves=e4&threshold=0.1&top=3", "moves=d4&threshold=0"],
    ),
    (
        "explore",
        &[
            "fen=FEN",
            "fen=START&show_games=8&result=1-0",
            "fen=FEN&variations=true",
            "fen=START&variations=true",
        ],
    ),
    ("twins", &["fen=FEN", "fen=START"]),
    (
        "near",
        &["fen=FEN&chi2=2&top=5", "fen=START&chi2=0.5&top=1"],
    ),
    ("record", &["fen=FEN"]),
    (
        "prepare",
        &[
            "against=Player+1&depth=6&least=1",
            "against=player&since=1991&top=2",
            "against=Player+1&repertoire=1.e4+e5+2.Nf3+*",
            "against=nobody",
        ],
    ),
    ("compare", &["fen=FEN&other=FEN2&depth=1"]),
    ("traps", &["fen=FEN&top=3"]),
    ("encode", &["fen=FEN&query=true"]),
    (
        "exercises",
        &[
            "fen=FEN&top=3",
            "fen=FEN2&rating=1200-1800",
            "fen=FEN&theme=fork",
        ],
    ),
    ("game", &["id=1", "id=7", "id=999"]),
    ("stats", &[""]),
    (
        "play",
        &[
            "fen=START&nodes=300",
            "fen=START&moves=e4&nodes=300&mode=restrict&threshold=0.1",
            "fen=FEN&nodes=300",
            "fen=START&nodes=300&without_cases=true",
        ],
    ),
    (
        "review",
        &[
            "pgn=1.e4+e5+2.Bc4+Nc6+3.Qh5+Nf6+4.Qxf7&nodes=300&similar=1",
            "pgn=1.f3+e5+2.g4+Qh4&nodes=300&least=inaccuracy&practice=1",
        ],
    ),
];

/// A game of random moves; many share their first ones.
fn game(dice: &mut Dice, number: usize) -> Game {
    let mut game = Game::default();
    game.tags.white = format!("Player {}", dice.below(6));
    game.tags.event = format!("Event {number}");
    game.tags.white_elo = (dice.below(2) == 0).then(|| 2000 + dice.below(5) as u16);
    game.tags.date.year = 1990 + dice.below(3) as u16;
    let results = ["1-0", "0-1", "1/2-1/2"];
    game.tags.result =
        shakmaty::Outcome::from_known(tabiya_chess::game::parse_result(results[dice.below(3)]));
    if dice.below(2) == 0 {
        game.tags.others = exercise_tags(dice);
    }
    let mut here = Chess::default();
    for ply in 0..10 + dice.below(40) {
        let legal = here.legal_moves();
        if legal.is_empty() {
            break;
        }
        let choice = if ply < 3 {
            dice.below(3)
        } else {
            dice.below(legal.len())
        };
        let mv = legal[(choice * 7) % legal.len()];
        let before = here.clone();
        game.moves.push(mv.into());
        here.play_unchecked(mv);
        match dice.below(8) {
            0 => {
                let text = format!("[%clk 0:0{ply}:00] Remark {number}.");
                game.annotations.push(ply as u16 + 1, Remark::Comment(text));
            }
            1 => {
                let moves = random_moves(before, dice);
                let mut annotations = Annotations::default();
                annotations.push(1, Remark::Comment("Also possible.".to_owned()));
                let branch = Branch { moves, annotations };
                game.annotations
                    .push(ply as u16 + 1, Remark::Variation(branch));
            }
            _ => {}
        }
    }
    game
}

/// Tags of a game with a moment, rated and labeled as exercises are.
fn exercise_tags(dice: &mut Dice) -> Vec<(String, String)> {
    let themes = ["fork", "pin fork", "mate"][dice.below(3)];
    let rating = (1000 + dice.below(1000)).to_string();
    let tags = [
        ("Themes", themes),
        ("Rating", &rating),
        ("Moments", "0 e2e4 e7e5; 0 d2d4"),
    ];
    tags.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

fn random_moves(mut here: Chess, dice: &mut Dice) -> Vec<CompactMove> {
    let mut moves = Vec::new();
    for _ in 0..1 + dice.below(12) {
        let legal = here.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[dice.below(legal.len())];
        moves.push(mv.into());
        here.play_unchecked(mv);
    }
    moves
}

/// The segments of some games, one import a segment.
fn segments(folder: &Path, games: &[Game], dice: &mut Dice) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut rest = games;
    while !rest.is_empty() {
        let (part, later) = rest.split_at(1 + dice.below(rest.len()));
        rest = later;
        let name = segments.len().to_string();
        let file = folder.join(&name).with_extension("pgn");
        let mut text = String::new();
        for game in part {
            pgn::write(game, &mut text).unwrap();
            text.push('\n');
        }
        std::fs::write(&file, text).unwrap();
        let import = Import {
            skip: Some(0),
            ..Import::new(vec![pgn::Input::File(file)])
        };
        let built = shard::build(&import, &folder.join(name), &Progress::default()).unwrap();
        segments.extend(built.shards.iter().map(|it| shard::open(it).unwrap()));
    }
    segments
}

/// Mined traps: those of the library, as if games had them.
fn mined(games: u64, dice: &mut Dice) -> Vec<MinedTrap> {
    let mut mined: Vec<MinedTrap> = library()
        .iter()
        .map(|it| MinedTrap {
            game: GameNumber(1 + dice.below(games as usize) as u64),
            ply: Ply::after(dice.below(20)),
            position: it.position.clone(),
            bait: it.bait,
            refutation: it.refutation.clone(),
            gain: 500,
        })
        .collect();
    mined.sort_by_key(|it| (it.game, it.ply));
    mined
}

/// The answer without its time.
fn timeless(answer: Result<String, tabiya_question::AskError>) -> String {
    match answer {
        Ok(json) => {
            let mut value: serde_json::Value = serde_json::from_str(&json).unwrap();
            value["took_ms"] = 0.into();
            value.to_string()
        }
        Err(error) => error.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn groups_of_shards_answer_as_one_machine(seed: u64) {
        let mut dice = Dice::new(seed);
        let games: Vec<Game> = (0..12).map(|it| game(&mut dice, it)).collect();
        let folder = tempfile::tempdir().unwrap();
        let segments = segments(folder.path(), &games, &mut dice);
        let statistics = Statistics::of(&segments).unwrap();
        let shards = shard::numbered(&segments);
        let count: u64 = segments.iter().map(|it| u64::from(it.summary().games)).sum();
        let mined = mined(count, &mut dice);
        let patterns: Vec<Pattern> = mined.iter().map(Pattern::from).collect();
        let whole = Shards::new(shards.clone(), &statistics).with_traps(&patterns);
        let groups = groups(&shards, &mut dice);
        let traps: Vec<Vec<Pattern>> = groups.iter().map(|it| traps_of(it, &mined)).collect();
        for (name, ways) in WAYS {
            let entry = Entry::named(name).unwrap();
            for way in *ways {
                let asked = with_positions(way, &games, &mut dice);
                let question = entry.read(&asked).unwrap();
                let expected = timeless(question.answer(&whole, &Cancel::default()));
                let parts: Vec<Vec<u8>> = groups.iter().zip(&traps).map(|(group, traps)| {
                    let shards = Shards::new(group.to_vec(), &statistics).with_traps(traps);
                    question.part(&shards, &Cancel::default()).unwrap()
                }).collect();
                let merged = question.merge(&parts, Gathered::default(), &Cancel::default());
                prop_assert_eq!(timeless(merged), expected, "{} {}", name, asked);
            }
        }
    }
}

/// Neighboring shards in groups.
fn groups<'a, 'b>(mut rest: &'b [Shard<'a>], dice: &mut Dice) -> Vec<&'b [Shard<'a>]> {
    let mut groups = Vec::new();
    while !rest.is_empty() {
        let (group, later) = rest.split_at(1 + dice.below(rest.len()));
        groups.push(group);
        rest = later;
    }
    groups
}

/// The traps of a group's games.
fn traps_of(group: &[Shard<'_>], mined: &[MinedTrap]) -> Vec<Pattern> {
    let holds = |game: GameNumber| group.iter().any(|it| it.index(game).is_some());
    mined
        .iter()
        .filter(|it| holds(it.game))
        .map(Pattern::from)
        .collect()
}

fn with_positions(way: &str, games: &[Game], dice: &mut Dice) -> String {
    let mut fen = || {
        let game = &games[dice.below(games.len())];
        let position = game.position(dice.below(game.moves.len() + 1)).unwrap();
        position::to_fen(&position).replace(' ', "+")
    };
    let start = position::to_fen(&Chess::default()).replace(' ', "+");
    way.replace("FEN2", &fen())
        .replace("FEN", &fen())
        .replace("START", &start)
}

#[test]
fn every_question_is_split() {
    let tried: Vec<&str> = WAYS.iter().map(|it| it.0).collect();
    for entry in QUESTIONS {
        assert!(tried.contains(&entry.name), "no way to ask {}", entry.name);
    }
}

/// The settings of an answer, asked again, give the same answer.
#[test]
fn settings_repeat_an_answer() {
    let mut dice = Dice::new(7);
    let games: Vec<Game> = (0..12).map(|it| game(&mut dice, it)).collect();
    let folder = tempfile::tempdir().unwrap();
    let segments = segments(folder.path(), &games, &mut dice);
    let statistics = Statistics::of(&segments).unwrap();
    let shards = Shards::new(shard::numbered(&segments), &statistics);
    for (name, ways) in WAYS {
        let entry = Entry::named(name).unwrap();
        for way in *ways {
            let asked = with_positions(way, &games, &mut dice);
            let Ok(first) = entry
                .read(&asked)
                .unwrap()
                .answer(&shards, &Cancel::default())
            else {
                continue;
            };
            let value: serde_json::Value = serde_json::from_str(&first).unwrap();
            let settings = value["settings"].as_object().unwrap();
            let said = settings.iter().filter(|it| !it.1.is_null());
            let text = |it: &serde_json::Value| it.as_str().map_or(it.to_string(), str::to_owned);
            let again = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(said.map(|(name, value)| (name, text(value))))
                .finish();
            let again = entry
                .read(&again)
                .unwrap_or_else(|error| panic!("{name} {again}: {error}"));
            let again = timeless(again.answer(&shards, &Cancel::default()));
            assert_eq!(again, timeless(Ok(first)), "{name} {asked}");
        }
    }
}

/// A flipped bit in a segment makes an answer an error, or does not change it.
#[test]
fn a_flipped_bit_never_makes_another_answer() {
    let mut dice = Dice::new(11);
    let games: Vec<Game> = (0..12).map(|it| game(&mut dice, it)).collect();
    let folder = tempfile::tempdir().unwrap();
    let sound = segments(folder.path(), &games, &mut dice);
    let statistics = Statistics::of(&sound).unwrap();
    let whole = Shards::new(shard::numbered(&sound), &statistics);
    let asked: Vec<(&str, String, String)> = WAYS
        .iter()
        .flat_map(|(name, ways)| ways.iter().map(move |way| (name, way)))
        .map(|(name, way)| {
            let asked = with_positions(way, &games, &mut dice);
            let question = Entry::named(name).unwrap().read(&asked).unwrap();
            let answer = timeless(question.answer(&whole, &Cancel::default()));
            (*name, asked, answer)
        })
        .collect();
    let mut errors = 0;
    for _ in 0..150 {
        let damaged = dice.below(sound.len());
        let mut bytes = sound[damaged].bytes().to_vec();
        let at = dice.below(bytes.len());
        bytes[at] ^= 1 << dice.below(8);
        let path = folder.path().join("damaged");
        std::fs::write(&path, bytes).unwrap();
        let opened = |(number, it): (usize, &Segment)| {
            let path = if number == damaged { &path } else { it.path() };
            Segment::open(path)
        };
        let segments: Result<Vec<_>, _> = sound.iter().enumerate().map(opened).collect();
        let Ok(segments) = segments else {
            errors += 1;
            continue;
        };
        let Ok(statistics) = Statistics::of(&segments) else {
            errors += 1;
            continue;
        };
        let shards = Shards::new(shard::numbered(&segments), &statistics);
        // Some of the ways each time: all of them take a minute.
        for (name, asked, expected) in asked.iter().filter(|_| dice.below(5) == 0) {
            let question = Entry::named(name).unwrap().read(asked).unwrap();
            match question.answer(&shards, &Cancel::default()) {
                Err(error) if error.to_string().contains("damaged") => errors += 1,
                answer => assert_eq!(&timeless(answer), expected, "{name} {asked}, byte {at}"),
            }
        }
    }
    assert!(errors > 50, "{errors}");
}
