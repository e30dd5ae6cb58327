//! Prints the answer of `tabiya search`.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
    time::Duration,
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use shakmaty::{Chess, Color, Position};
use tabiya_chess::{Line, Symmetry, pgn, position};
use tabiya_question::{
    document::Document,
    parameter::parse_fen,
    search::{Answer, Hit, Play, Search},
    shape::{Contributions, GameHeader},
};
use tabiya_terminal::{
    board::{self, Figures},
    game,
    progress::{counted, grouped},
    screen,
    style::{DIFFERENT, FAINT, PLAIN, STRONG},
};

use super::explain::differences;
use crate::ask::{Asked, OpenCollection, View};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// File of queries, one FEN per line (- for standard input); answers are JSON lines
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "pgn"])]
    queries: Option<PathBuf>,

    /// Number of threads for a query [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    output: Option<Output>,

    /// Style of the pieces
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Boards and reasons
    Text,
    /// Games of the hits
    Pgn,
    /// Positions of the hits
    Epd,
    /// Lines for trec_eval: query Q0 game.ply rank score run
    Trec,
}

impl View for Search {
    const HELP: &'static str = "Examples:
  tabiya search \"r2q1rk1/pb2bppp/1pn1pn2/8/3P4/P1NB1N2/1P3PPP/R1BQR1K1 w - - 3 13\"
  tabiya search --moves \"1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6\" --db my-games --elo 2500-
  tabiya search --pgn game.pgn --game 2 --at 40 --symmetry all --json
  tabiya search --queries positions.fen --top 50 --output trec
  tabiya search --moves \"1.e4 e5 2.Nf3 Nc6 3.Bc4 d6 4.Nc3 Bg4\" --deep
  tabiya search \"8/5pk1/R5p1/4P2p/5P1P/r5P1/6K1/8 w - - 0 40\" --like endgame --group newest
  tabiya search --moves \"1.d4 Nf6 2.c4 g6 3.Nc3 d5\" --ply 20- --variations";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, took: Duration) {
        for hit in &answer.hits {
            print_hit(&answer.query.fen.0, hit, options.figures);
        }
        if answer.hits.is_empty() {
            say!("no position found; try a wider filter");
        } else {
            print_moves(answer);
        }
        say!(
            "{FAINT}{}, {}, {:.1} ms{PLAIN}",
            counted(answer.collection.games, "game"),
            counted(answer.collection.positions, "position"),
            took.as_secs_f64() * 1000.0
        );
    }

    fn run(asked: Asked<Search>) -> anyhow::Result<()> {
        if let Some(threads) = asked.options.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()?;
        }
        let (path, output) = (asked.options.queries.clone(), asked.options.output);
        if let Some(path) = path {
            return Batch::new(asked)?.answer_all(&path);
        }
        let asked = asked.settled();
        match output {
            None | Some(Output::Text) => asked.print(),
            Some(output) => {
                let open = OpenCollection::open(&asked.database)?;
                let bare = Search {
                    bare: true,
                    ..asked.question
                };
                let (answer, _) = open.answer(&bare)?;
                print_lines(&bare, output, 1, &answer, &open)
            }
        }
    }
}

/// The longest line of a file of queries, in bytes.
const LONGEST_LINE: u64 = 4096;

/// After this many lines that are not positions, the file is taken for something else.
const MOST_WRONG: usize = 1000;

/// A search for many positions.
struct Batch {
    asked: Asked<Search>,
    open: OpenCollection,
}

impl Batch {
    fn new(mut asked: Asked<Search>) -> anyhow::Result<Batch> {
        // Report invalid arguments before the first position.
        asked.question.position.set(Line::default());
        let asked = asked.settled();
        let open = OpenCollection::open(&asked.database)?;
        Ok(Batch { asked, open })
    }

    /// Answers a file of queries. Reports a line that is not a position in its place, and
    /// continues with the next.
    fn answer_all(&mut self, path: &PathBuf) -> anyhow::Result<()> {
        let name = || path.display().to_string();
        let mut lines: Box<dyn BufRead> = if path.as_os_str() == "-" {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(path).with_context(name)?))
        };
        let mut wrong = 0;
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let mut limited = lines.by_ref().take(LONGEST_LINE);
            if limited.read_until(b'\n', &mut line).with_context(name)? == 0 {
                break;
            }
            if line.len() as u64 == LONGEST_LINE {
                bail!("line {number} of {} is too long for a position", name());
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match parse_fen(line) {
                Ok(position) => self.answer(number, position)?,
                Err(error) => {
                    wrong += 1;
                    self.report(number, line, &error)?;
                    if wrong == MOST_WRONG {
                        let words = "give a file with one FEN on each line";
                        bail!("{wrong} lines of {} are not positions; {words}", name());
                    }
                }
            }
        }
        if wrong > 0 {
            bail!("{wrong} lines of {} are not positions", name());
        }
        Ok(())
    }

    fn answer(&mut self, number: usize, position: Chess) -> anyhow::Result<()> {
        let Asked {
            question, options, ..
        } = &mut self.asked;
        question.position.set(Line::new(position));
        question.bare = options.output.is_some_and(|it| it != Output::Text);
        let (answer, took) = self.open.answer(question)?;
        match options.output {
            None => {
                let mut out = io::stdout().lock();
                serde_json::to_writer(&mut out, &Document::new(question, &answer, took))?;
                writeln!(out)?;
            }
            Some(Output::Text) => question.print(&answer, options, took),
            Some(output) => print_lines(question, output, number, &answer, &self.open)?,
        }
        Ok(())
    }

    fn report(&self, number: usize, line: &str, error: &str) -> anyhow::Result<()> {
        if self.asked.options.output.is_some() {
            anstream::eprintln!("line {number}: {error}");
        } else {
            let value =
                serde_json::json!({ "query": { "fen": line }, "line": number, "error": error });
            writeln!(io::stdout().lock(), "{value}")?;
        }
        Ok(())
    }
}

fn print_lines(
    question: &Search,
    output: Output,
    number: usize,
    answer: &Answer,
    open: &OpenCollection,
) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for hit in &answer.hits {
        match output {
            Output::Text => {}
            Output::Pgn => {
                let mut text = String::new();
                if let Some(game) = open.collection().game(hit.game.id)? {
                    pgn::write(&game, &mut text)?;
                }
                write!(out, "{text}")?;
            }
            Output::Epd => writeln!(out, "{}", epd(hit))?,
            Output::Trec => writeln!(
                out,
                "{number} Q0 {}.{} {} {} {}",
                hit.game.id,
                hit.ply,
                hit.rank,
                hit.similarity,
                question.ranking.name()
            )?,
        }
    }
    Ok(())
}

fn epd(hit: &Hit) -> String {
    let fen = position::to_fen(&hit.fen.0);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let next = hit.next.first();
    let next = next.map_or(String::new(), |it| format!(" pm {it};"));
    let id = format!("game {} ply {}", hit.game.id, hit.ply);
    format!(
        "{}{next} id \"{id}\"; c0 \"similarity {:.4}\";",
        fields.join(" "),
        hit.similarity
    )
}

fn print_hit(query: &Chess, hit: &Hit, figures: Figures) {
    let title = match hit.symmetry {
        Symmetry::None => format!("hit {}", hit.rank),
        symmetry => format!("hit {} ({})", hit.rank, symmetry.name()),
    };
    let boards = board::side_by_side(
        ("query", query.board()),
        (&title, hit.turned_fen.0.board()),
        &describe(hit),
        figures,
    );
    say!("{boards}\n");
}

/// The text to the right of a hit's board.
fn describe(hit: &Hit) -> Vec<String> {
    let mut lines = vec![format!(
        "{STRONG}{:.1} %{PLAIN}  {}",
        100.0 * hit.similarity,
        game::players(&hit.game)
    )];
    lines.extend(hit.rerank.as_ref().map(reranked));
    lines.push(occasion(&hit.game));
    lines.extend((hit.game_count > 1).then(|| others(hit)));
    let next = match hit.turned_next.as_slice() {
        [] => "the end".to_owned(),
        moves => moves.join(" "),
    };
    lines.push(format!("{} then {STRONG}{next}{PLAIN}", place(hit)));
    lines.extend(
        hit.variation
            .map(|_| format!("{DIFFERENT}in a variation{PLAIN}")),
    );
    lines.extend(hit.comments.iter().map(|it| format!("“{it}”")));
    lines.extend(reasons(hit));
    lines.extend(differences(&hit.only_query, &hit.only_other));
    lines
}

/// The games of a hit together.
fn others(hit: &Hit) -> String {
    let moves = hit.moves.iter().take(3);
    let moves: Vec<String> = moves.map(|it| format!("{} {}", it.san, it.games)).collect();
    format!(
        "{STRONG}{} games{PLAIN} have it: +{} ={} -{}; {}",
        grouped(hit.game_count),
        grouped(hit.white.into()),
        grouped(hit.draws.into()),
        grouped(hit.black.into()),
        moves.join(", ")
    )
}

/// Why the positions are alike: what a player would say, then what weighs most in the ranking.
fn reasons(hit: &Hit) -> Vec<String> {
    let mut lines = Vec::new();
    match &hit.contributions {
        Some(contributions) => lines.push(format!("{FAINT}{}{PLAIN}", balance(contributions))),
        None => {
            let shares = hit.families.iter().filter(|it| it.1 >= 0.005);
            let shares: Vec<String> = shares
                .map(|(family, share)| format!("{family} {:.0} %", 100.0 * share))
                .collect();
            lines.push(format!("{FAINT}{}{PLAIN}", shares.join(", ")));
        }
    }
    if !hit.structures.is_empty() {
        lines.push(format!("structure: {}", hit.structures.join(", ")));
    }
    let both: Vec<&str> = hit.both.iter().map(|it| it.words.as_str()).collect();
    if !both.is_empty() {
        lines.push(format!("both: {}", both.join("; ")));
    }
    // The boards already show pieces on the same squares.
    let shared = hit.shared.iter().filter(|it| it.family != "place");
    lines.extend(shared.map(|it| format!("· {}", it.words)));
    lines
}

/// What makes the positions alike, and what different.
pub(super) fn balance(contributions: &Contributions) -> String {
    let all = contributions.greatest_first();
    let named = |it: &(&str, f64)| format!("{} {:+.1}", it.0, it.1);
    let parts = all.iter().filter(|it| it.1.abs() >= 0.05).map(named);
    parts.collect::<Vec<_>>().join(", ")
}

/// A hit's result in the re-ranking.
fn reranked(play: &Play) -> String {
    let flag = play.flag.as_ref();
    let flag = flag.map_or(String::new(), |it| format!("  {DIFFERENT}{it}{PLAIN}"));
    format!(
        "play {:.1} % alike; hit {} of the first ranking{flag}",
        100.0 * play.similarity,
        play.first_rank
    )
}

fn occasion(game: &GameHeader) -> String {
    let eco = game
        .eco
        .as_ref()
        .map_or(String::new(), |it| format!(", {it}"));
    format!(
        "{FAINT}game {}: {}, {}{eco}{PLAIN}",
        game.id,
        game.event,
        game::year(game.year)
    )
}

/// The move number of the hit; the side to move is that of the query's view.
fn place(hit: &Hit) -> String {
    let number = hit.fen.0.fullmoves();
    match hit.turned_fen.0.turn() {
        Color::White => format!("before {number}."),
        Color::Black => format!("before {number}..."),
    }
}

/// Prints the table of moves.
fn print_moves(answer: &Answer) {
    const ROWS: usize = 8;
    let moves = &answer.moves;
    if moves.is_empty() {
        return;
    }
    let title = format!(
        "{STRONG}What was played, in the query's view{PLAIN} {FAINT}({} of {} games; the moves of \
         the others are impossible or senseless here){PLAIN}",
        grouped(answer.move_games),
        grouped(answer.game_count)
    );
    screen::print("  ", &title);
    say!(
        "{FAINT}  {:<8}{:>9}{:>12}{:>9}{:>9}{:>9}{:>7}{PLAIN}",
        "move",
        "games",
        "weight",
        "White",
        "draw",
        "Black",
        "Elo"
    );
    for played in moves.iter().take(ROWS) {
        let elo = played
            .average_elo
            .map_or("-".to_owned(), |it| it.to_string());
        say!(
            "  {STRONG}{:<8}{PLAIN}{:>9}{:>12.2}{:>9}{:>9}{:>9}{elo:>7}",
            played.san,
            grouped(played.games),
            played.weight,
            grouped(played.white),
            grouped(played.draws),
            grouped(played.black)
        );
    }
    if moves.len() > ROWS {
        say!("{FAINT}  and {} more{PLAIN}", moves.len() - ROWS);
    }
    say!();
}
