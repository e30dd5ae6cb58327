//! Each construct of the language, as `docs/patterns.md` describes it.

use tabiya_chess::{Game, pgn};
use tabiya_pattern::{Evaluator, Matches, Pattern, Played};

fn matches(game: &Game, query: &str) -> Matches {
    let pattern: Pattern = query
        .parse()
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    let found = Evaluator::new(pattern.program()).matches(&Played::new(game));
    found.unwrap_or_else(|error| panic!("{query}: {error}"))
}

fn game(movetext: &str) -> Game {
    pgn::read(movetext.as_bytes()).game.unwrap()
}

/// The plies of a game that match.
fn plies(movetext: &str, query: &str) -> Vec<usize> {
    matches(&game(movetext), query).plies
}

fn set_up(fen: &str) -> Game {
    game(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n*"))
}

#[track_caller]
fn check(fen: &str, holds: &[&str], fails: &[&str]) {
    let game = set_up(fen);
    for query in holds {
        assert!(
            !matches(&game, query).plies.is_empty(),
            "{query} does not hold"
        );
    }
    for query in fails {
        assert!(matches(&game, query).plies.is_empty(), "{query} holds");
    }
}

#[track_caller]
fn wrong(query: &str, message: &str) {
    let error = query
        .parse::<Pattern>()
        .map(|it| it.to_string())
        .unwrap_err();
    assert!(error.to_string().contains(message), "{query}: {error}");
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn sets_hold_if_they_have_members_and_are_counted_or_compared_as_sets() {
    check(
        START,
        &[
            "Ra1",
            "[RQ]d1",
            "P==8",
            "_e1-8==4",
            "2<=R<=3",
            "R==r or true",
            "#A==#a",
            "a-h1 & A",
            ". & K",
            "~(A|a)==32",
            "A!=a",
            "K|r&q",
            "#P & a-h2==8",
            "P[a2,c2-4,h2]==3",
            "not ~.",
            "#R",
            "~. == ~.",
        ],
        &["Ra2", "not R", "_a1", "R==3", "R==r", "#R>2", "not #R"],
    );
    for query in ["A>a", "R 2", "{R 2}", "Ra", "R1", "a1-b2", "KQ"] {
        assert!(query.parse::<Pattern>().is_err(), "{query}");
    }
    wrong("A>a", "count both sides with #");
    wrong("#A - a", "expected a number");
    wrong("R attacks 3", "expected a set of squares");
}

#[test]
fn power_rank_file_and_shades() {
    check(
        "4k3/8/8/8/8/8/4P3/R3KB2 w - - 0 1",
        &[
            "power A==9",
            "power R|B==8",
            "power _==0",
            "rank K==1",
            "file R==1",
            "abs(file R - file k)==4",
            "light B",
            "1+2*3==7",
            "7/2==3",
            "7%4==3",
            "dark R",
            "light P|k",
        ],
        &[
            "rank A==1",
            "not rank A!=1 and false",
            "dark B",
            "rank A!=99",
        ],
    );
    // a1 is dark.
    check(START, &["dark a1", "light h1"], &["light a1"]);
}

#[test]
fn pawn_structure() {
    check(
        "4k3/p6p/8/3p4/1P1P2P1/1P6/P5P1/4K3 w - - 0 1",
        &[
            "(doubledpawns & P)==4",
            "(isolatedpawns & P)==3",
            "isolatedpawns & pd5",
            "isolatedpawns & pa7",
            "(passedpawns & P)==0",
            "(connectedpawns & P)==3",
            "isolatedpawns & P[g2,g4]",
        ],
        &[
            "doubledpawns & p",
            "passedpawns & Pd4",
            "connectedpawns & Pd4",
        ],
    );
    // A pawn level with it does not stop a pawn; own pawns ahead do not matter.
    check(
        "4k3/8/8/3Pp3/3P1p2/8/8/4K3 w - - 0 1",
        &["(passedpawns & P)==1", "passedpawns & pf4"],
        &[],
    );
}

#[test]
fn attacks_ignore_pins_and_own_pieces_are_defended() {
    let fen = "4k3/4r3/8/8/4N3/8/3P4/4K3 w - - 0 1";
    check(
        fen,
        &[
            "N attacks d6",
            "d6 attackedby N",
            "N attacks P",
            "P attackedby K",
            "r->N",
            "N<-r",
            "K attacks f2",
            "P attacks c3",
            "r->N->K",
            "K<-N<-r",
            "(r->N->K) & e7",
            "(K<-N<-r) & e1",
        ],
        &["P attacks d3", "r attacks K", "N attacks k", "r->K->N"],
    );
    check(
        "4k3/8/8/3q4/8/8/1N6/4K3 w - - 0 1",
        &["N->q|a4", "N attacks q|K"],
        &["N attacks q", "N->q"],
    );
}

#[test]
fn rays_pins_directions_and_between() {
    check(
        "4k3/4r3/8/8/4N3/8/8/4K3 w - - 0 1",
        &[
            "ray (K N r)",
            "ray up (K N r k)",
            "xray (r N K)",
            "ray attack (r N K)",
            "(ray (K N r)) & e7",
            "pin",
            "pin through N",
            "(pin) & e4",
            "(pin from r) & e7",
            "(pin to K from r) & e1",
            "ray (K _ N)",
            "between (K k)==6",
            "(between (N a4)) & b4",
            "up 1 N & e5",
            "vertical 3 4 K & e4 | e5",
            "K & down N",
            "(diagonal 1 N)==4",
            "up 0 K==K",
            "maindiagonal 1 N & d3",
            "offdiagonal 1 N & d5",
            "(anydirection N)==27",
        ],
        &[
            "xray (K N r)",
            "ray down (K N r)",
            "ray (K r)",
            "pin through n",
            "pin to k",
            "between (N a3)",
            "ray (r _ k)",
        ],
    );
    // The pinned piece and the pinner have opposite colors, with nothing else between.
    check(
        "k7/4R3/8/8/4N3/8/8/4K3 w - - 0 1",
        &["xray (R N K)"],
        &["pin"],
    );
    check(
        "3qk3/8/5n2/6B1/8/8/8/4K3 w - - 0 1",
        &["pin from B through n to q"],
        &["pin from B through n"],
    );
}

#[test]
fn positions_know_check_mate_and_stalemate() {
    let fools = "1. f3 e5 2. g4 Qh4# 0-1";
    assert_eq!(plies(fools, "mate"), [4]);
    assert_eq!(plies(fools, "check"), [4]);
    assert_eq!(plies(fools, "initial or terminal"), [0, 4]);
    assert_eq!(plies(fools, "movenumber==2"), [2, 3]);
    assert_eq!(plies(fools, "wtm ply>=2"), [2, 4]);
    check(
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        &["stalemate", "btm"],
        &["mate", "check"],
    );
    check(
        "k7/P7/K7/8/8/8/8/8 w - - 0 1",
        &["countmoves legal -- ==3", "legal K--b6"],
        &["legal P--a-h8", "legal R--"],
    );
    check(
        "8/P6k/8/8/8/8/8/K7 w - - 0 1",
        &["legal P--a-h8", "countmoves legal P-- ==4"],
        &["move from P"],
    );
    wrong("legal N[x]", "legal moves are written with --");
    wrong("move legal capture n", "neither capture nor promote");
}

#[test]
fn transforms_try_variants() {
    let fen = "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1";
    check(
        "4k3/p7/8/8/8/8/8/4K2R w - - 0 1",
        &[
            "flipcolor Pa2",
            "flipvertical Ra1",
            "fliphorizontal Rh8",
            "rotate90 Ra1",
            "flip Ra8",
            "flipcolor {Pa2 btm}",
            "flipcolor {rank K==1}",
            "shift {Rg1 Kd1}",
            "shifthorizontal ph7",
            "shiftvertical pa3",
            "flipcolor {up 1 P & a3}",
            "flip {Rh1 left K}",
            "flipcolor notransform pa7",
            "flipcolor {light a8}",
        ],
        &[
            "flipvertical Ra8",
            "flipcolor {rank K==8 and false}",
            "shift {Rg1 Kd2}",
            "shiftvertical ph7",
            "flipcolor notransform Pa2",
            "shift {Rh1 not Kf1 not pa8 false}",
            "flipcolor {Pa2 wtm}",
        ],
    );
    check(fen, &["shift {Pb4 Pb5}"], &[]);
    // A designator that falls off the board takes its variant with it, even under not.
    check(
        "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
        &["shift {Ra1 not ka2}"],
        &["shift {Rb2 not ka1}"],
    );
    // Full ranges stay full, others are cut at the edge.
    check(
        "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
        &["shift {Ra1-8 Ke1-8}", "shift {Ra-b1 Kf1}"],
        &[],
    );
    check(
        START,
        &["(flipcolor #Pa-c2)==3", "(flipcolor Pa2)==2"],
        &["(flipcolor #Pa-c2)!=3"],
    );
}

#[test]
fn moves_are_tested_before_they_are_made() {
    let text = "1. e4 d5 2. exd5 e5 3. dxe6 Nf6 4. Nf3 Bd6 5. Be2 O-O 6. O-O *";
    assert_eq!(plies(text, "move from P capture p"), [2, 4]);
    assert_eq!(plies(text, "move enpassant"), [4]);
    assert_eq!(plies(text, "move capture pe5"), [4]);
    assert_eq!(plies(text, "move to e6"), [4]);
    assert_eq!(plies(text, "P[x]e5"), [4]);
    assert_eq!(plies(text, "[x]e6"), [] as [usize; 0]);
    assert_eq!(plies(text, "P--e6"), [4]);
    assert_eq!(plies(text, "move previous enpassant"), [5]);
    assert_eq!(plies(text, "previous P--e6"), [5]);
    assert_eq!(plies(text, "move o-o"), [9, 10]);
    assert_eq!(plies(text, "o-o"), [10, 11]);
    assert_eq!(plies(text, "castle parent:castle"), [11]);
    assert_eq!(plies(text, "R--"), [10]);
    assert_eq!(plies(text, "K--g1"), [10]);
    assert_eq!(plies(text, "K--f1"), [] as [usize; 0]);
    assert_eq!(plies(text, "move from R"), [] as [usize; 0]);
    assert_eq!(plies(text, "move from K to g1"), [10]);
    assert_eq!(plies(text, "(move to .) & e6"), [4]);
    assert_eq!(plies(text, "N--(n attackedby B)"), [] as [usize; 0]);
    assert_eq!(plies(text, "B--(Be2 not Bf1)"), [8]);
    // True at any position with a pawn: a union binds tighter than the word.
    assert_eq!(plies(text, "(move capture n|p) and not p").len(), 0);
    let promotion = "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=N Kg7 *";
    assert_eq!(plies(promotion, "move promote N"), [0]);
    assert_eq!(plies(promotion, "P--=N"), [0]);
    assert_eq!(plies(promotion, "P--=[QRB]"), [] as [usize; 0]);
}

const LINE: &str = "1. e4 e5 2. Qh5 Nc6 3. Bc4 g6 4. Qf3 Nf6 5. Qb3 Qe7 6. Bxf7+ Kd8 7. Bg8 Rxg8 *";

#[test]
fn lines_repeat_and_count_positions() {
    assert_eq!(plies(LINE, "line --> check --> move from B"), [11]);
    assert_eq!(plies(LINE, "line --> Qh5 --> Qh5"), [3, 4, 5]);
    assert_eq!(plies(LINE, "(line --> Qh5+)==4"), [3]);
    assert_eq!(plies(LINE, "line 2 3 --> Qh5+"), [4, 5]);
    assert_eq!(plies(LINE, "line --> Qh5{2,} --> Qf3"), [3, 4, 5]);
    assert_eq!(plies(LINE, "line --> {wtm}* --> check ply==11"), [11]);
    assert_eq!(plies(LINE, "line nestban --> Qh5+"), [3]);
    assert_eq!(plies(LINE, "(line firstmatch --> Qh5+)==1"), [3, 4, 5, 6]);
    assert_eq!(plies(LINE, "line <-- Qf3 <-- Qh5"), [7]);
    assert_eq!(
        plies(LINE, "line singlecolor --> Qh5 --> Qh5 --> Qf3"),
        [3, 4]
    );
    assert_eq!(plies(LINE, "line --> (Qh5 --> Qh5)+ --> Qf3"), [3, 5]);
    assert_eq!(plies(LINE, "line --> Qh5 --> .* --> check"), [3, 4, 5, 6]);
    assert_eq!(plies(LINE, "line --> Qh5 --> Qh5 btm"), [3, 5]);
    assert_eq!(plies(LINE, "line --> true* --> false"), [] as [usize; 0]);
    assert_eq!(
        plies(LINE, "x=line lastposition --> Qh5+ x:Qh5 x:btm ply==4"),
        [] as [usize; 0]
    );
    assert_eq!(
        plies(LINE, "x=line lastposition --> Qh5+ x:Qh5 x:wtm ply==4"),
        [4]
    );
}

#[test]
fn paths_are_moves_with_filters() {
    assert_eq!(plies(LINE, "path Q-- -- Q--"), [6]);
    assert_eq!(plies(LINE, "path [x] check k--"), [10]);
    assert_eq!(plies(LINE, "path Bc4 --* Bf7"), [5, 6, 7, 8, 9, 10]);
    assert_eq!(plies(LINE, "(path --{3,})==14 initial"), [0]);
    assert_eq!(plies(LINE, "path focus Q Q--{3,}"), [2]);
    assert_eq!(plies(LINE, "path focus A Q-- B--"), [2, 8]);
    assert_eq!(plies(LINE, "path nestban Q-- --"), [2, 6]);
    assert_eq!(plies(LINE, "path (Q-- --){2}"), [6]);
    assert_eq!(plies(LINE, "path -- btm -- wtm{1,} Qf3"), [6]);
    assert_eq!(plies(LINE, "path B[x]p(check) k-- B--"), [10]);
}

#[test]
fn find_counts_and_fails_at_zero() {
    assert_eq!(plies(LINE, "find check"), (0..=11).collect::<Vec<_>>());
    assert_eq!(plies(LINE, "find <-- check"), [11, 12, 13, 14]);
    assert_eq!(plies(LINE, "find 4 Qh5"), [0, 1, 2, 3]);
    assert_eq!(plies(LINE, "find 1 2 Qh5"), [5, 6]);
    assert_eq!(plies(LINE, "(find all Qh5)>=3"), [0, 1, 2, 3, 4]);
    assert_eq!(plies(LINE, "(find all Qh5)==0"), [] as [usize; 0]);
    assert_eq!(
        plies(LINE, "not find all Qh5"),
        (7..=14).collect::<Vec<_>>()
    );
    // One filter with its and; the next one is looked at here.
    assert_eq!(plies(LINE, "find Qh5 and Bc4"), (0..=6).collect::<Vec<_>>());
    assert_eq!(plies(LINE, "find Qf3 Qh5"), [3, 4, 5, 6]);
    assert_eq!(plies(LINE, "parent:check"), [12]);
    assert_eq!(plies(LINE, "child:check and btm"), [] as [usize; 0]);
    assert_eq!(plies(LINE, "child:check and wtm"), [10]);
    assert_eq!(plies(LINE, "initialposition:Qd1 terminal"), [14]);
}

#[test]
fn variables_hold_sets_numbers_positions_and_pieces() {
    assert_eq!(plies(LINE, "x=Q x attacks pf7 check"), [] as [usize; 0]);
    assert_eq!(plies(LINE, "x=B & Bf7 x attacks k"), [11]);
    assert_eq!(plies(LINE, "n1=#p n1==7 ply==11"), [11]);
    assert_eq!(
        plies(LINE, "now=power a was=parent:power a was - now==1"),
        [11]
    );
    assert_eq!(
        plies(LINE, "(square x in p {not x attackedby a})>=1 initial"),
        [] as [usize; 0]
    );
    assert_eq!(plies(LINE, "initial square all x in P {x & a-h2}"), [0]);
    assert_eq!(plies(LINE, "terminal square all x in Qh5 {false}"), [14]);
    assert_eq!(plies(LINE, "initial piece x in B {find x & g8}"), [0]);
    assert_eq!(
        plies(LINE, "initial (piece x in A {find x & [g8,b3]})==2"),
        [0]
    );
    assert_eq!(plies(LINE, "initial piece x=Bf1 find x & f7"), [0]);
    assert_eq!(
        plies(LINE, "z=currentposition find {Qf3 z:Qh5}"),
        [3, 4, 5, 6]
    );
    let promotion = "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=Q Kg7 2. Qh8+ Kxh8 *";
    assert_eq!(plies(promotion, "initial piece x in P {find x & h8}"), [0]);
    assert_eq!(plies(promotion, "initial piece x in P {find Q & x}"), [0]);
    wrong(
        "x attacks k",
        "neither a word of the language nor a variable",
    );
    wrong("x=R x:K", "is not a position");
    wrong("x=R x=3 K", "of another kind");
}

#[test]
fn tags_sort_and_comments() {
    let tags = "[White \"Tal, Mikhail\"]\n[Black \"Botvinnik\"]\n[Date \"1960.03.15\"]\n[ECO \"C18\"]\n[WhiteElo \"2600\"]\n[Result \"1-0\"]\n\n";
    let text = format!("{tags}1. e4 e6 2. d4 1-0");
    for query in [
        "player \"Tal\"",
        "player white \"Tal\"",
        "flipcolor {player black \"Tal\"}",
        "eco \"C1\"",
        "date \"1960\"",
        "year==1960",
        "elo==2600",
        "elo white==2600",
        "not elo black",
        "result 1-0",
        "flipcolor result 0-1",
        "not player \"tal\"",
    ] {
        assert_eq!(plies(&text, &format!("initial {query}")), [0], "{query}");
    }
    for query in [
        "player black \"Tal\"",
        "result 0-1",
        "elo black>0",
        "year>=1961",
    ] {
        assert_eq!(plies(&text, query), [] as [usize; 0], "{query}");
    }
    let game = game(LINE);
    let found = matches(&game, "sort \"pawns\" #p Qf3");
    // Values count where later filters fail.
    assert_eq!((found.plies.len(), found.sorts), (2, vec![Some(8)]));
    assert_eq!(
        matches(&game, "Qf3 sort min \"pieces\" #[Aa]>=3").sorts,
        [Some(32)]
    );
    let found = matches(&game, "check comment(\"by \" A attacks k \" at \" ply)");
    assert_eq!(found.comments, [(11, "by Bf7 at 11".to_owned())]);
    assert_eq!(
        matches(&game, "flipcolor {check comment(\"x\")}")
            .comments
            .len(),
        2
    );
}

#[test]
fn comments_in_the_text_and_signs_are_read() {
    check(
        START,
        &[
            "/* a */ K // b\n Q ; c\n",
            "♔e1 ♚e8 △ ▲ □e4",
            "K≠Q",
            "R≤2",
            "♖|♕∩d1",
        ],
        &["⬓{♔e2}"],
    );
    assert_eq!(plies(LINE, "⊢ ♗×♟f7 check"), [10]);
    assert_eq!(plies(LINE, "♕――h5"), [2]);
}

#[test]
fn precedence_is_that_of_the_table() {
    for (query, same) in [
        ("K or Q r", "{K or Q} r"),
        ("K or Q and r", "K or {Q and r}"),
        ("not K and r", "{not K} and r"),
        ("not R==3", "not {R==3}"),
        ("A->h7>=2", "(A->h7)>=2"),
        ("N->q|K", "N->(q|K)"),
        ("N attacks q|K", "(N attacks q)|K"),
        ("K|r&q", "K|(r&q)"),
        ("q attackedby N & d5", "(q attackedby N) & d5"),
        ("light P|p", "(light P)|p"),
        ("#P & a-h4==1", "#(P & a-h4)==1"),
        ("move capture n|p", "(move capture n)|p"),
        ("parent:B--d5", "(parent:B)--d5"),
        ("child:Bd5 and wtm", "{child:Bd5} and wtm"),
    ] {
        let one: Pattern = query.parse().unwrap();
        let two: Pattern = same.parse().unwrap();
        let plain = |it: &Pattern| it.to_string().replace(['{', '}'], "");
        assert_eq!(plain(&one), plain(&two), "{query}");
    }
}

#[test]
fn explosive_queries_are_refused_or_bounded() {
    wrong(
        "shift flip shift flip shift {Ka1 Qb1 ka3}",
        "the transforms make more than",
    );
    wrong(&format!("{}K{}", "{".repeat(500), "}".repeat(500)), "nest");
    wrong(&"~".repeat(5000), "nest");
    wrong(&"K ".repeat(20_000), "longer than");
    let stars = "line --> .* --> .* --> .* --> .* --> .* --> false";
    assert_eq!(plies(LINE, stars), [] as [usize; 0]);
}

#[test]
fn what_holds_after_a_legal_move_can_be_asked() {
    // Back-rank mate in one.
    let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    check(
        fen,
        &[
            "legal --(mate)",
            "countmoves legal --(mate)==1",
            "legal --(mate)==a8",
            "countmoves legal R--(check)==1",
            "legal K--(Kh1)",
            "legal --(previous R--a4)",
            "initial legal --(terminal ply==1 not initial)",
            "square x in legal R--(R attacks k) {rank x==8}",
        ],
        &[
            "legal P--(check)",
            "legal --(wtm)",
            "legal --(stalemate)",
            "legal --(child:true)",
        ],
    );
    // The variable of the position before is seen after the move.
    check(
        fen,
        &["y=R legal --(y==a1 not R==y)"],
        &["y=R legal --(not y)"],
    );
}

#[test]
fn other_positions_take_not_and_signs_before_a_set() {
    assert_eq!(plies(LINE, "child:not wtm"), plies(LINE, "child:btm"));
    assert_eq!(
        plies(LINE, "parent:not check wtm"),
        plies(LINE, "parent:{not check} and wtm")
    );
    assert_eq!(plies(LINE, "child:~A==48"), plies(LINE, "{child:(~A)}==48"));
    assert_eq!(
        plies(LINE, "child:up 1 K & P"),
        plies(LINE, "(child:(up 1 K)) & P")
    );
}

#[test]
fn a_last_position_is_there_only_if_the_line_is() {
    assert_eq!(plies(LINE, "line lastposition --> false"), [] as [usize; 0]);
    assert_eq!(
        plies(LINE, "line lastposition --> check --> not check"),
        plies(LINE, "line --> check --> not check")
    );
    assert_eq!(
        plies(LINE, "end=line lastposition --> check --> .  end:btm"),
        plies(LINE, "check child:btm")
    );
}

#[test]
fn a_variable_of_a_loop_lives_in_the_loop() {
    // The same name for squares and for pieces, and for a set outside.
    check(
        START,
        &[
            "{square x in P {x attacks a3}} {piece x in N {find x & N}}",
            "x=K {square x in R {x & a1}} x & e1",
            "piece x in N {x attacks f3} piece all x in P {x attackedby A}",
        ],
        &["x=K {square x in R {x & a1}} x & h1"],
    );
    wrong(
        "square x in R {x attacks k} x attacks q",
        "\"x\" is neither",
    );
}

#[test]
fn a_position_does_not_depend_on_variables_of_an_earlier_one() {
    // Only the first position sets it.
    assert_eq!(plies(LINE, "{initial zz=K true} or zz"), [0]);
    assert_eq!(plies(LINE, "{false zz=1} or zz>=0"), [] as [usize; 0]);
}

#[test]
fn numbers_after_find_are_written_so_that_they_are_read_again() {
    for (query, written) in [
        ("find 3 (8<=ply)", "find 3 3 8 <= ply"),
        ("find 3 check", "find 3 check"),
        ("find 1 5 (2==R)", "find 1 5 2 == R"),
    ] {
        let pattern: Pattern = query.parse().unwrap();
        assert_eq!(pattern.to_string(), written);
        let again: Pattern = written.parse().unwrap();
        assert_eq!(again.filter(), pattern.filter(), "{query}");
    }
}

#[test]
fn a_query_without_end_stops_with_a_message() {
    let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(60);
    let pattern: Pattern = "find find find find find {x=K false}".parse().unwrap();
    let found = Evaluator::new(pattern.program()).matches(&Played::new(&game(&moves)));
    assert!(
        found
            .unwrap_err()
            .to_string()
            .contains("too many filters in one game")
    );
}
