//! `tabiya search`: the positions most like a given one.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::PathBuf,
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use shakmaty::{Chess, Color, Position};
use tabiya_answer::{
    Answer, Archive,
    filter::{GameArguments, PositionFilterArguments},
    query::{RankingArguments, Rerank, SymmetryChoice, parse_fen},
};
use tabiya_chess::{Symmetry, Tags, pgn, position};
use tabiya_retrieval::{
    Collection, Explanation, Query,
    played::{Found, Played},
    rerank::Play,
};

use tabiya_terminal::{
    board, board::Figures, exit::usage, game, json, position::PositionArguments, progress::grouped,
    sample::Database, style,
};

use crate::command::explain;

/// Find the positions most like a given one: of each game its best, best first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya search \"r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11\"
  tabiya search --moves \"1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6\" --db my-games --elo 2500-
  tabiya search --pgn game.pgn --game 2 --ply 40 --symmetry all --json
  tabiya search --queries positions.fen --top 50 --output trec
  tabiya search --moves \"1.e4 e5 2.Nf3 Nc6 3.Bc4 d6 4.Nc3 Bg4\" --rerank blend")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    #[command(flatten)]
    database: Database,

    /// How many games to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    #[command(flatten)]
    ranking: RankingArguments,

    /// Which twins of the position are searched as well [default: swap; with --run Tabiya all]
    #[arg(long, value_enum)]
    symmetry: Option<SymmetryChoice>,

    #[command(flatten)]
    games: GameArguments,

    #[command(flatten)]
    positions: PositionFilterArguments,

    /// Order the best 200 hits anew by how they play
    #[arg(long, value_enum, value_name = "METHOD")]
    rerank: Option<Rerank>,

    /// Answer many queries, a FEN a line (- for standard input), as JSON lines
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "pgn"])]
    queries: Option<PathBuf>,

    /// How many cores to use for a query [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print JSON
    #[arg(long, conflicts_with = "output")]
    json: bool,

    /// Print something else
    #[arg(long, value_enum, value_name = "FORMAT")]
    output: Option<Output>,

    /// How many reasons to tell for each hit
    #[arg(long, value_name = "N", default_value_t = 4)]
    reasons: usize,

    /// How pieces are drawn
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Boards and reasons
    Text,
    /// The games of the hits
    Pgn,
    /// The positions of the hits
    Epd,
    /// Lines for trec_eval: query Q0 game.ply rank score run
    Trec,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if !options.position.is_given() && options.queries.is_none() {
        usage("give a FEN, --moves, --pgn or --queries");
    }
    if let Some(threads) = options.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()?;
    }
    // A wrong argument is told before anything else is done.
    let single = options
        .queries
        .is_none()
        .then(|| options.position.position())
        .transpose()?;
    let session = Session {
        options,
        collection: options.database.open()?,
    };
    match single {
        Some(position) => session.answer_one(position),
        None => session.answer_many(),
    }
}

impl Options {
    /// The query for a position, or a usage error that ends the program.
    fn query(&self, position: Chess) -> Query {
        let filter = self.positions.narrow(self.games.filter());
        let query = self.ranking.query(position, self.symmetry, filter);
        Query {
            top: self.top,
            ..query.unwrap_or_else(|error| usage(&error.to_string()))
        }
    }
}

struct Session<'a> {
    options: &'a Options,
    collection: Collection,
}

impl Session<'_> {
    fn answer(&self, position: Chess) -> anyhow::Result<Answer> {
        let query = self.options.query(position);
        let second = self.options.rerank.map(Rerank::method);
        Ok(Answer::to(
            &query,
            &Archive::from(&self.collection),
            second,
        )?)
    }

    fn to_json(&self, answer: &Answer) -> tabiya_answer::json::Answer {
        answer.to_json(&Archive::from(&self.collection), self.options.reasons)
    }

    fn answer_one(&self, position: Chess) -> anyhow::Result<()> {
        let answer = self.answer(position)?;
        if self.options.json {
            return json::print(&self.to_json(&answer));
        }
        match self.options.output {
            None | Some(Output::Text) => self.print_text(&answer),
            Some(output) => self.print_lines(output, 1, &answer)?,
        }
        Ok(())
    }

    /// Answers a file of queries. A line that is no position is told in its
    /// place, and does not stop the others.
    fn answer_many(&self) -> anyhow::Result<()> {
        let Some(path) = &self.options.queries else {
            return Ok(());
        };
        let name = || path.display().to_string();
        let lines: Box<dyn BufRead> = if path.as_os_str() == "-" {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(path).with_context(name)?))
        };
        let mut wrong = 0;
        for (number, line) in (1..).zip(lines.lines()) {
            let line = line.with_context(name)?;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match parse_fen(line) {
                Ok(position) => self.print_one_of_many(number, &self.answer(position)?)?,
                Err(error) => {
                    wrong += 1;
                    self.print_wrong(number, line, &error)?;
                }
            }
        }
        if wrong > 0 {
            bail!("{wrong} lines of {} are no positions", name());
        }
        Ok(())
    }

    fn print_one_of_many(&self, number: usize, answer: &Answer) -> anyhow::Result<()> {
        match self.options.output {
            None => {
                let mut out = io::stdout().lock();
                serde_json::to_writer(&mut out, &self.to_json(answer))?;
                writeln!(out)?;
            }
            Some(Output::Text) => self.print_text(answer),
            Some(output) => self.print_lines(output, number, answer)?,
        }
        Ok(())
    }

    fn print_wrong(&self, number: usize, line: &str, error: &str) -> anyhow::Result<()> {
        if self.options.output.is_some() {
            anstream::eprintln!("line {number}: {error}");
        } else {
            let value =
                serde_json::json!({ "query": { "fen": line }, "line": number, "error": error });
            writeln!(io::stdout().lock(), "{value}")?;
        }
        Ok(())
    }

    fn print_lines(&self, output: Output, number: usize, answer: &Answer) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        for (rank, (found, _)) in (1..).zip(&answer.hits) {
            let hit = &found.hit;
            match output {
                Output::Text => {}
                Output::Pgn => {
                    let mut text = String::new();
                    pgn::write(&found.game, &mut text)?;
                    write!(out, "{text}")?;
                }
                Output::Epd => writeln!(out, "{}", epd(found))?,
                Output::Trec => writeln!(
                    out,
                    "{number} Q0 {} {rank} {} {}",
                    hit.document(),
                    hit.score,
                    self.options.ranking.name()
                )?,
            }
        }
        Ok(())
    }

    fn print_text(&self, answer: &Answer) {
        for (rank, (found, why)) in (1..).zip(&answer.hits) {
            let title = match found.hit.symmetry {
                Symmetry::None => format!("hit {rank}"),
                symmetry => format!("hit {rank} ({})", symmetry.name()),
            };
            let text = self.describe(found, why, answer.play(rank));
            let (one, other) = (answer.position.board(), found.turned.board());
            let boards =
                board::side_by_side(("query", one), (&title, other), &text, self.options.figures);
            say!("{boards}\n");
        }
        if answer.hits.is_empty() {
            say!("nothing found; a wider filter may help");
        } else {
            print_moves(&answer.moves);
        }
        say!(
            "{}{} games, {} positions, {:.1} ms{}",
            style::FAINT,
            grouped(self.collection.games()),
            grouped(self.collection.positions()),
            answer.took.as_secs_f64() * 1000.0,
            style::PLAIN
        );
    }

    /// What stands to the right of a hit's board.
    fn describe(&self, found: &Found, why: &Explanation, play: Option<&Play>) -> Vec<String> {
        let tags = &found.game.tags;
        let mut lines = vec![format!(
            "{}{:.1} %{}  {}",
            style::STRONG,
            100.0 * found.hit.similarity,
            style::PLAIN,
            game::players(tags)
        )];
        lines.extend(play.map(second_opinion));
        lines.push(occasion(found.hit.game, tags));
        let next = if found.turned_next.is_empty() {
            "the end".to_owned()
        } else {
            found.turned_next.join(" ")
        };
        lines.push(format!(
            "{} then {}{next}{}",
            place(found),
            style::STRONG,
            style::PLAIN
        ));
        let shares = why.families.iter().filter(|it| it.1 >= 0.005);
        let shares: Vec<String> = shares
            .map(|(family, share)| format!("{family} {:.0} %", 100.0 * share))
            .collect();
        lines.push(format!(
            "{}{}{}",
            style::FAINT,
            shares.join(", "),
            style::PLAIN
        ));
        // The same place on the same square can be seen on the boards.
        let telling = why
            .shared
            .iter()
            .filter(|it| it.family != tabiya_retrieval::term::Family::Place);
        lines.extend(
            telling
                .take(self.options.reasons)
                .map(|it| format!("· {}", why.words(it))),
        );
        lines.extend(explain::differences(why));
        lines
    }
}

/// What the second ranking says of a hit.
fn second_opinion(play: &Play) -> String {
    let flag = play.flag.map_or(String::new(), |it| {
        format!("  {}{}{}", style::DIFFERENT, it.words(), style::PLAIN)
    });
    format!(
        "plays {:.1} % alike; by looks it was hit {}{flag}",
        100.0 * play.similarity,
        play.first_rank
    )
}

fn occasion(number: u64, tags: &Tags) -> String {
    let (year, eco) = (
        game::year(tags),
        tags.eco.map_or(String::new(), |it| format!(", {it}")),
    );
    format!(
        "{}game {number}: {}, {year}{eco}{}",
        style::FAINT,
        tags.event,
        style::PLAIN
    )
}

/// Where in the game the position stands.
fn place(found: &Found) -> String {
    let number = found.position.fullmoves();
    // The moves beside it are told as the query sees them.
    match found.turned.turn() {
        Color::White => format!("before {number}."),
        Color::Black => format!("before {number}..."),
    }
}

fn epd(found: &Found) -> String {
    let fen = position::to_fen(&found.position);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let next = found
        .next
        .first()
        .map_or(String::new(), |it| format!(" pm {it};"));
    let id = format!("game {} ply {}", found.hit.game, found.hit.ply);
    format!(
        "{}{next} id \"{id}\"; c0 \"similarity {:.4}\";",
        fields.join(" "),
        found.hit.similarity
    )
}

/// The table of what was played.
fn print_moves(moves: &[Played]) {
    const ROWS: usize = 8;
    if moves.is_empty() {
        return;
    }
    say!(
        "{}What was played, seen from here:{}",
        style::STRONG,
        style::PLAIN
    );
    say!(
        "{}  {:<8}{:>6}{:>8}{:>7}{:>7}{:>7}{:>7}{}",
        style::FAINT,
        "move",
        "games",
        "weight",
        "White",
        "draw",
        "Black",
        "Elo",
        style::PLAIN
    );
    for played in moves.iter().take(ROWS) {
        let (tone, note) = if played.legal {
            (style::STRONG, "")
        } else {
            (style::FAINT, "  not possible here")
        };
        say!(
            "  {tone}{:<8}{}{:>6}{:>8.2}{:>7}{:>7}{:>7}{:>7}{}{note}{}",
            played.san,
            style::PLAIN,
            played.games,
            played.weight,
            played.white,
            played.draws,
            played.black,
            played
                .average_elo
                .map_or("-".to_owned(), |it| format!("{it:.0}")),
            style::FAINT,
            style::PLAIN
        );
    }
    if moves.len() > ROWS {
        say!(
            "{}  and {} more{}",
            style::FAINT,
            moves.len() - ROWS,
            style::PLAIN
        );
    }
    say!();
}
