//! The program plays itself, as any chess program would make it.

use std::{collections::BTreeSet, sync::atomic::AtomicBool, time::Duration};

use tabiya_lab::contest::{Budget, End, Entrant, News, Rules, Score, play};

fn entrant(options: &[(&str, &str)], go: Budget) -> Entrant {
    Entrant {
        name: format!("{options:?}"),
        command: format!("{} uci", env!("CARGO_BIN_EXE_tabiya")),
        options: options
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        go,
    }
}

/// No illegal move, no crash, no hang, no overstepped clock.
#[track_caller]
fn all_end_by_the_rules(entrants: &[Entrant; 2], games: usize) {
    let rules = Rules {
        games,
        openings: vec![Vec::new()],
        concurrency: 2,
        adjudicate: false,
        guard: Duration::from_secs(60),
    };
    let mut score = Score::default();
    let mut ends = Vec::new();
    let mut remarks = Vec::new();
    let stop = AtomicBool::new(false);
    play(
        entrants,
        &rules,
        &BTreeSet::new(),
        &stop,
        |news| match news {
            News::Remark(_, remark) => remarks.push(remark.to_owned()),
            News::Played(played) => {
                score.add(played);
                ends.push(played.end.clone());
            }
        },
    )
    .expect("the program starts");
    assert!(remarks.is_empty(), "{remarks:?}");
    assert_eq!(ends.len(), games);
    assert!(ends.iter().all(|it| *it == End::Rules), "{ends:?}");
    assert_eq!(score.forfeits, [0, 0]);
}

#[test]
fn evaluations_play_each_other() {
    let nodes = Budget::Nodes(300);
    let chains = entrant(&[("Evaluation", "chains")], nodes);
    all_end_by_the_rules(&[entrant(&[], nodes), chains], 10);
}

#[test]
fn threads_and_paces_play_each_other() {
    let nodes = Budget::Nodes(300);
    let two_threads = entrant(&[("Threads", "2")], nodes);
    let information_gain = entrant(&[("Pace", "information-gain")], nodes);
    all_end_by_the_rules(&[two_threads, information_gain], 10);
}

#[test]
fn clocks_are_not_overstepped() {
    let seconds = Budget::Clock(Duration::from_secs(1), Duration::from_millis(100));
    all_end_by_the_rules(&[entrant(&[], seconds), entrant(&[], seconds)], 4);
}
