//! The program plays itself, as any chess program would make it.

use std::sync::atomic::AtomicBool;

use tabiya_lab::contest::{Budget, End, Entrant, Rules, Score, play};

/// Twenty games at a few hundred nodes a move, every evaluation and pace among
/// them: no illegal move, no crash, no hang.
#[test]
fn twenty_fast_games_end_by_the_rules() {
    let entrant = |name: &str, options: &[(&str, &str)]| Entrant {
        name: name.to_owned(),
        command: format!("{} uci", env!("CARGO_BIN_EXE_tabiya")),
        options: options
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        go: Budget::Nodes(300),
    };
    let pairings = [
        (
            entrant("tuned", &[]),
            entrant("chains", &[("Evaluation", "chains")]),
        ),
        (
            entrant("two threads", &[("Threads", "2")]),
            entrant("information gain", &[("Pace", "information-gain")]),
        ),
    ];
    for (first, second) in pairings {
        let rules = Rules {
            games: 10,
            openings: vec![Vec::new()],
            concurrency: 2,
            adjudicate: false,
        };
        let mut score = Score::default();
        let mut ends = Vec::new();
        play(
            &[first, second],
            &rules,
            0,
            &AtomicBool::new(false),
            |played| {
                score.add(&played);
                ends.push(played.end);
            },
        )
        .expect("the program starts");
        assert_eq!(ends.len(), 10);
        assert!(ends.iter().all(|it| *it == End::Rules), "{ends:?}");
        assert_eq!(score.forfeits, [0, 0]);
    }
}
