//! Laws: what is written parses back, transforms commute, and no text breaks the parser.

use proptest::prelude::*;
use shakmaty::{Chess, Position};
use tabiya_chess::Game;
use tabiya_pattern::{Evaluator, Names, Pattern, Played};

/// A random query of the language.
fn query() -> impl Strategy<Value = String> {
    let set = prop_oneof![
        Just("R"),
        Just("Pd4"),
        Just("[Qq]a-h1-4"),
        Just("_e4"),
        Just("a-d1-8"),
        Just("k"),
        Just("A"),
        Just("."),
        Just("n[c6,f6]"),
        Just("passedpawns"),
    ]
    .prop_map(str::to_owned);
    let set = set.prop_recursive(3, 12, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| format!("({a} | {b})")),
            two.clone().prop_map(|(a, b)| format!("({a} & {b})")),
            two.clone().prop_map(|(a, b)| format!("({a} attacks {b})")),
            two.clone()
                .prop_map(|(a, b)| format!("({a} attackedby {b})")),
            two.clone().prop_map(|(a, b)| format!("({a}->{b})")),
            two.clone().prop_map(|(a, b)| format!("ray ({a} {b})")),
            two.clone().prop_map(|(a, b)| format!("between ({a} {b})")),
            two.prop_map(|(a, b)| format!("(square x in {a} {{x attacks {b}}})")),
            inner.clone().prop_map(|a| format!("(~{a})")),
            inner.clone().prop_map(|a| format!("(up 1 {a})")),
            inner.clone().prop_map(|a| format!("(diagonal 1 2 {a})")),
            inner.clone().prop_map(|a| format!("(light {a})")),
            inner.clone().prop_map(|a| format!("(pin through {a})")),
            inner.prop_map(|a| format!("(flipcolor {a})")),
        ]
    });
    let filter = prop_oneof![
        set.clone(),
        (set.clone(), 0..4).prop_map(|(a, n)| format!("{a}>={n}")),
        (set.clone(), 0..4).prop_map(|(a, n)| format!("#{a} - 1<{n}")),
        (set.clone(), set.clone()).prop_map(|(a, b)| format!("power {a}==power {b}")),
        (set.clone(), set.clone()).prop_map(|(a, b)| format!("move from {a} to {b}")),
        (set.clone(), set.clone()).prop_map(|(a, b)| format!("{a}--{{{b}}}")),
        set.prop_map(|a| format!("rank {a}<=4")),
        prop_oneof![
            Just("wtm"),
            Just("check"),
            Just("ply<=9"),
            Just("terminal"),
            Just("castle"),
            Just("result 1-0"),
            Just("--(check)")
        ]
        .prop_map(str::to_owned),
    ];
    filter.prop_recursive(3, 16, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| format!("{{{a} {b}}}")),
            two.clone().prop_map(|(a, b)| format!("({a} or {b})")),
            two.clone().prop_map(|(a, b)| format!("({a} and {b})")),
            two.clone()
                .prop_map(|(a, b)| format!("(line --> {{{a}}}{{1,3}} --> {b})")),
            two.clone()
                .prop_map(|(a, b)| format!("{{path {{{a}}} --+ {{{b}}}}}")),
            inner.clone().prop_map(|a| format!("(not {a})")),
            inner.clone().prop_map(|a| format!("(flipcolor {a})")),
            inner.clone().prop_map(|a| format!("(flipvertical {a})")),
            inner.clone().prop_map(|a| format!("(shifthorizontal {a})")),
            inner.clone().prop_map(|a| format!("(find {a})")),
            inner.clone().prop_map(|a| format!("(find <-- {a})")),
            inner.prop_map(|a| format!("child:{{{a}}}")),
        ]
    })
}

fn game() -> impl Strategy<Value = Game> {
    proptest::collection::vec(any::<proptest::sample::Index>(), 0..60).prop_map(|choices| {
        let mut here = Chess::default();
        let mut game = Game::default();
        for choice in choices {
            let legal = here.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[choice.index(legal.len())];
            game.moves.push(mv.into());
            here.play_unchecked(mv);
        }
        game
    })
}

fn plies(game: &Game, query: &str) -> Vec<usize> {
    let pattern: Pattern = query
        .parse()
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    Evaluator::new(pattern.program())
        .matches(&Played::new(game))
        .unwrap()
        .plies
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_parses_back(query in query()) {
        let pattern: Pattern = query.parse().unwrap();
        let written = pattern.to_string();
        let again = written.parse::<Pattern>();
        let again = again.map_err(|error| TestCaseError::fail(format!("{written}: {error}")))?;
        prop_assert_eq!(again.filter(), pattern.filter(), "{}", written);
    }

    #[test]
    fn written_queries_mean_the_same(query in query(), game in game()) {
        let written = query.parse::<Pattern>().unwrap().to_string();
        prop_assert_eq!(plies(&game, &query), plies(&game, &written), "{}", written);
    }

    #[test]
    fn transforms_commute(query in query(), game in game()) {
        let one = plies(&game, &format!("flipcolor flipvertical {{{query}}}"));
        let two = plies(&game, &format!("flipvertical flipcolor {{{query}}}"));
        prop_assert_eq!(&one, &two);
        let twice = plies(&game, &format!("flipcolor flipcolor {{{query}}}"));
        prop_assert_eq!(twice, plies(&game, &format!("flipcolor {{{query}}}")));
        let turned = plies(&game, &format!("rotate90 flipvertical {{{query}}}"));
        prop_assert_eq!(turned, plies(&game, &format!("flip {{{query}}}")));
    }

    #[test]
    fn a_transform_holds_where_its_filter_does(query in query(), game in game()) {
        let plain = plies(&game, &query);
        for transform in ["flipcolor", "flip", "shifthorizontal", "rotate90"] {
            let found = plies(&game, &format!("{transform} {{{query}}}"));
            prop_assert!(plain.iter().all(|it| found.contains(it)), "{}", transform);
        }
    }

    #[test]
    fn any_text_is_a_query_or_an_error(text in "\\PC{0,80}") {
        let _ = Pattern::read(&text, Names::built_in());
    }

    #[test]
    fn words_in_any_order_are_a_query_or_an_error(words in proptest::collection::vec(
        prop_oneof![
            Just("R"), Just("Pa4"), Just("{"), Just("}"), Just("("), Just(")"), Just("line"), Just("path"), Just("-->"), Just("--"),
            Just("[x]"), Just("*"), Just("{2,}"), Just("not"), Just("or"), Just("and"), Just("=="), Just("2"), Just("#"), Just("flipcolor"),
            Just("shift"), Just("find"), Just("parent:"), Just("x="), Just("x"), Just("square"), Just("in"), Just("piece"), Just("move"),
            Just("from"), Just("->"), Just("&"), Just("|"), Just("~"), Just("up"), Just("sort"), Just("\"a\""), Just("comment"), Just("@iqp"),
        ],
        0..25,
    )) {
        let text = words.join(" ");
        if let Ok(pattern) = text.parse::<Pattern>() {
            let written = pattern.to_string();
            let again: Pattern = written.parse().map_err(|error| TestCaseError::fail(format!("{text} as {written}: {error}")))?;
            prop_assert_eq!(again.filter(), pattern.filter(), "{} as {}", text, written);
        }
    }
}

#[test]
fn all_built_in_patterns_are_queries() {
    let names = Names::built_in();
    assert!(names.iter().count() >= 40);
    for it in names.iter() {
        let pattern = Pattern::read(&it.query, names);
        assert!(pattern.is_ok(), "{}: {}", it.name, pattern.unwrap_err());
        assert!(!it.about.is_empty() && !it.group.is_empty(), "{}", it.name);
    }
}
