//! A review claims only what is so: moments, better moves, ideas, known positions.

use tabiya_chess::pgn::Input;
use tabiya_question::{
    Shards, answer,
    read::read,
    review::{Answer, Review},
};
use tabiya_retrieval::{
    Collection,
    collection::{Import, Progress},
    search::Cancel,
};

const GAMES: &str = "[White \"Master\"]\n[Black \"Other\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 g6 4. Qf3 Nf6 1-0\n
[SetUp \"1\"]\n[FEN \"r1bqkb1r/pppp1ppp/2n5/4p2Q/2B1n3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4\"]\n[Themes \"mate attackingF2F7\"]\n[Rating \"900\"]\n\n4... d6 5. Qxf7# *\n";

fn reviewed(parameters: &str) -> Answer {
    reviewed_among(GAMES, parameters)
}

fn reviewed_among(games: &str, parameters: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    std::fs::write(&pgn, games).unwrap();
    let import = Import::new(vec![Input::File(pgn)]);
    let home = folder.path().join("db");
    import.run(&home, &Progress::default()).unwrap();
    let collection = Collection::open(&home).unwrap();
    let question = read::<Review>(parameters).unwrap();
    answer(&question, &Shards::from(&collection), &Cancel::default()).unwrap()
}

#[test]
fn a_blunder_is_told_with_its_evidence() {
    let answer = reviewed("pgn=1.e4+e5+2.Bc4+Nc6+3.Qh5+Nf6+4.Qxf7&nodes=4000");
    assert_eq!(answer.evaluations.len(), 8);
    // The last position is mate, which White won.
    let last = &answer.evaluations[7];
    assert_eq!((last.mate_in, last.chance), (Some(0), 1.0));
    assert_eq!(answer.moments.len(), 1, "{:?}", answer.moments);
    let moment = &answer.moments[0];
    assert_eq!((moment.ply, moment.played.as_str()), (5, "3...Nf6"));
    assert_eq!(moment.severity, "blunder");
    assert_eq!(moment.after.mate_in, Some(1));
    assert_eq!(moment.allowed, ["mate in one move"]);
    assert_eq!(moment.played_line[1], "Qxf7#");
    // The collection knows the position: one game, another move.
    assert_eq!((moment.known.games, moment.known.same), (1, 0));
    let exercise = &moment.exercises[0];
    assert_eq!(exercise.solution, ["Qxf7#"]);
    assert_eq!(
        (exercise.rating, exercise.ideas.as_slice()),
        (Some(900), &["mate in one move".to_owned()][..])
    );
    let words = moment.words.join(" ");
    for part in [
        "3...Nf6 is a blunder",
        "It allows Qxf7#, with mate in one move.",
        "1 game with this position",
    ] {
        assert!(words.contains(part), "{words}");
    }
    let black = &answer.players[1];
    assert_eq!((black.blunders, answer.players[0].blunders), (1, 0));
}

#[test]
fn good_moves_and_other_players_have_no_moments() {
    let quiet = reviewed("pgn=1.e4+e5+2.Nf3+Nc6+3.Bb5+a6+4.Ba4+Nf6&nodes=4000");
    assert!(quiet.moments.is_empty(), "{:?}", quiet.moments);
    let game = "[White+\"Anna\"]%0A[Black+\"Berta\"]%0A%0A1.e4+e5+2.Bc4+Nc6+3.Qh5+Nf6+4.Qxf7";
    let white = reviewed(&format!("pgn={game}&player=anna&nodes=4000"));
    assert!(white.moments.iter().all(|it| it.ply % 2 == 0));
    let black = reviewed(&format!("pgn={game}&player=berta&nodes=4000"));
    assert_eq!(black.moments.len(), 1);
    let error = read::<Review>(&format!("pgn={game}&player=clara")).unwrap_err();
    assert!(
        error.to_string().contains("neither Anna nor Berta"),
        "{error}"
    );
}

#[test]
fn texts_without_a_game_are_refused() {
    for text in ["pgn=", "pgn=hello", "", "pgn=1.e5"] {
        assert!(read::<Review>(text).is_err(), "{text}");
    }
}

#[test]
fn a_line_without_an_idea_is_given_no_name() {
    // A piece is left en prise to a guarded exchange: worse, but nothing of the list.
    let answer = reviewed("pgn=1.e4+e5+2.Nf3+Nc6+3.Bb5+Qg5+4.O-O+h6&nodes=4000&least=inaccuracy");
    for moment in &answer.moments {
        for idea in moment.missed.iter().chain(&moment.allowed) {
            let words = moment.words.join(" ");
            assert!(words.contains(idea), "{words}");
        }
        let names_nothing = moment.missed.is_empty() && moment.allowed.is_empty();
        assert!(!names_nothing || !moment.words.join(" ").contains(", with "));
    }
}

/// The words about the move after nine plies of a game that reaches Legal's trap.
fn legal(reply: &str) -> Option<String> {
    let game = format!("1.e4+e5+2.Nf3+d6+3.Bc4+Nc6+4.Nc3+Bg4+5.Nxe5+{reply}");
    let answer = reviewed(&format!("pgn={game}&nodes=6000&similar=0"));
    let moment = answer.moments.iter().find(|it| it.ply == 9)?;
    assert_eq!(
        moment.trap.is_some(),
        moment.words.join(" ").contains("falls into a trap")
    );
    Some(moment.words.join(" "))
}

#[test]
fn a_trap_is_named_only_if_the_move_is_its_bait() {
    let bait = legal("Bxd1").unwrap();
    assert!(bait.contains("falls into a trap"), "{bait}");
    assert!(bait.contains("It allows Bxf7+, with "), "{bait}");
    // Another blunder in the same position is not the bait; the right move is not a moment.
    let other = legal("Ke7").unwrap();
    assert!(!other.contains("trap"), "{other}");
    assert_eq!(legal("Nxe5"), None);
}

#[test]
fn a_better_move_is_what_the_search_says() {
    let answer = reviewed("pgn=1.e4+e5+2.Bc4+Nc6+3.Qh5+Nf6+4.Qxf7&nodes=4000");
    let moment = &answer.moments[0];
    assert_eq!(moment.better, moment.better_line[0]);
    assert!(moment.words[1].starts_with(&format!("Better is {}", moment.better)));
    assert!(moment.before.chance > -0.5 && moment.after.chance == 1.0);
    // The position after the move is where what was allowed begins.
    let fen = tabiya_chess::position::to_fen(&moment.after_fen.0);
    assert!(
        fen.starts_with("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w"),
        "{fen}"
    );
}

/// What is left by a game among five games with 3.Bb5 and some with 3.Bc4.
fn departed(moves: &str, others: usize) -> Option<(String, String, u32, u32)> {
    let game = |event: usize, moves: &str| {
        format!("[Event \"{event}\"]\n[White \"{event}\"]\n\n{moves} *\n\n")
    };
    let known = (0..5).map(|it| game(it, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"));
    let rare = (5..5 + others).map(|it| game(it, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5"));
    let games: String = known.chain(rare).collect();
    let parameters = format!("pgn={}&nodes=10", moves.replace(' ', "+"));
    let left = reviewed_among(&games, &parameters).departure?;
    assert!(left.words.starts_with(&left.played));
    Some((left.played, left.side, left.games, left.same))
}

#[test]
fn a_game_leaves_what_is_known_where_few_games_follow() {
    let left = departed("1. e4 e5 2. Nf3 Nc6 3. Bb5 f5 4. d3", 0);
    assert_eq!(left, Some(("3...f5".into(), "black".into(), 5, 0)));
    let left = departed("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", 4);
    assert_eq!(left, Some(("3.Bc4".into(), "white".into(), 9, 4)));
    // Five games are enough, and then only their end is left.
    assert_eq!(departed("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", 5), None);
    assert_eq!(departed("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", 0), None);
    // Where the collection has fewer than five games, it knows nothing that could be left.
    assert_eq!(departed("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4", 0), None);
    let before = reviewed("pgn=1.e4+e5+2.Bc4+Nc6+3.Qh5+Nf6&nodes=10");
    assert_eq!(before.departure, None);
}

#[test]
fn reviews_of_parts_make_up_that_of_the_game() {
    let game = "pgn=1.e4+e5+2.Bc4+Nc6+3.Qh5+Nf6+4.Qxf7&nodes=2000&least=inaccuracy";
    let whole = reviewed(game);
    let parts = [(0, 3), (3, 3), (6, 3)];
    let parts =
        parts.map(|(after, plies)| reviewed(&format!("{game}&after={after}&plies={plies}")));
    assert_eq!(parts.each_ref().map(|it| it.plies), [7; 3]);
    let mut evaluations = parts[0].evaluations.clone();
    let later = parts[1..].iter().flat_map(|it| &it.evaluations[1..]);
    evaluations.extend(later.cloned());
    assert_eq!(evaluations, whole.evaluations);
    let words = |it: &Answer| {
        it.moments
            .iter()
            .map(|it| it.words.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(parts.each_ref().map(words).concat(), words(&whole));
    for side in [0, 1] {
        let moves: usize = parts.iter().map(|it| it.players[side].moves).sum();
        assert_eq!(moves, whole.players[side].moves);
    }
    assert!(reviewed(&format!("{game}&after=9")).moments.is_empty());
}

#[test]
fn a_review_of_the_first_plies_ends_there() {
    let game = "pgn=1.e4+e5+2.Bc4+Nc6+3.Qh5+Nf6+4.Qxf7&nodes=2000";
    let answer = reviewed(&format!("{game}&plies=5"));
    assert_eq!(answer.evaluations.len(), 6);
    assert!(answer.moments.is_empty(), "{:?}", answer.moments);
    let answer = reviewed(&format!("{game}&plies=6"));
    assert_eq!(answer.moments.len(), 1);
}
