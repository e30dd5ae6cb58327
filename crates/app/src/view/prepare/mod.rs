//! Prints the answer of `tabiya prepare`.

mod slip;

use std::{path::PathBuf, time::Duration};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tabiya_question::{
    document::Document,
    prepare::{Answer, Branch, Parallel, Prepare, Repertoire, Results},
    shape::GameHeader,
};
use tabiya_terminal::{
    json,
    progress::counted,
    screen,
    style::{FAINT, PLAIN, STRONG},
};

use crate::{
    ask::{Asked, OpenCollection, View},
    view::diagram::escaped,
};
use slip::Slip;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Review the openings of the games to look at: where the opponent left what is known and erred
    #[arg(long)]
    review: bool,

    /// Write the trees as PGN with variations to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,

    /// Write a page that needs nothing else to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl View for Prepare {
    const HELP: &'static str = "Examples:
  tabiya prepare --against Carlsen --db my-games
  tabiya prepare --against Smith --since 2020 --depth 16 --pgn smith.pgn --html smith.html
  tabiya prepare --against Smith --review --repertoire my-lines.pgn

Scores are those of the opponent. Games that the opponent lost come first.";

    type Options = Options;

    fn print(&self, answer: &Answer, _: &Options, _: Duration) {
        for it in [&answer.white, &answer.black] {
            print_repertoire(it);
        }
        say!("\n{STRONG}structures after move 15{PLAIN}");
        answer.structures.iter().take(8).for_each(print_results);
        say!("\n{STRONG}endings{PLAIN}");
        answer.endings.iter().take(8).for_each(print_results);
        say!("\n{STRONG}games to look at{PLAIN}");
        for it in &answer.games {
            let words = format!("{FAINT}{}, {}{PLAIN}", it.color, it.result);
            say!("{:>8} {} {words}", it.game.id, cited(&it.game));
        }
        if !answer.parallels.is_empty() {
            say!("\n{STRONG}positions like those of the repertoire{PLAIN}");
            answer.parallels.iter().for_each(print_parallel);
        }
    }

    fn run(mut asked: Asked<Prepare>) -> anyhow::Result<()> {
        if let Some(path) = &mut asked.question.repertoire {
            *path = std::fs::read_to_string(&*path).with_context(|| path.clone())?;
        }
        let asked = asked.settled();
        let open = OpenCollection::open(&asked.database)?;
        let (answer, took) = open.answer(&asked.question)?;
        let slips = match asked.options.review {
            true => Slip::all(&asked.question, &answer, &open)?,
            false => Vec::new(),
        };
        let files = [
            (&asked.options.pgn, pgn(&asked.question, &answer, &slips)),
            (&asked.options.html, html(&asked.question, &answer, &slips)),
        ];
        for (path, text) in files {
            if let Some(path) = path {
                std::fs::write(path, text).with_context(|| path.display().to_string())?;
            }
        }
        if asked.json {
            let document = Document::new(&asked.question, &answer, took);
            return json::print(&Reviewed { document, slips });
        }
        asked.question.print(&answer, &asked.options, took);
        if asked.options.review {
            say!("\n{STRONG}left what is known and erred{PLAIN}");
            slips.iter().for_each(print_slip);
        }
        Ok(())
    }
}

/// An answer with what reviews of the openings say.
#[derive(Serialize)]
struct Reviewed<'a> {
    #[serde(flatten)]
    document: Document<'a, Prepare>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slips: Vec<Slip>,
}

/// A game in a line.
fn cited(game: &GameHeader) -> String {
    format!(
        "{} – {} {} {}",
        game.white, game.black, game.result, game.date
    )
}

fn print_parallel(parallel: &Parallel) {
    say!(
        "{:>4.0} % {} {FAINT}after {} plies, like {}{PLAIN}",
        100.0 * parallel.similarity,
        cited(&parallel.game),
        parallel.ply,
        parallel.line
    );
}

fn print_slip(slip: &Slip) {
    say!("{:>8} {}", slip.game.game.id, cited(&slip.game.game));
    screen::print("         ", &slip.words());
}

fn print_repertoire(repertoire: &Repertoire) {
    print_heading(&repertoire.total);
    repertoire.openings.iter().take(8).for_each(print_results);
    for it in &repertoire.tree {
        say!(
            "{FAINT}{:indent$}{PLAIN}{} {}",
            "",
            numbered(it),
            figures(&it.results),
            indent = 2 * it.ply
        );
    }
}

fn print_heading(total: &Results) {
    say!("\n{STRONG}with {}{PLAIN} {}", total.name, figures(total));
}

fn print_results(results: &Results) {
    say!("    {:<32} {}", results.name, figures(results));
}

/// Games, score and the last year.
fn figures(results: &Results) -> String {
    let score = results
        .score()
        .map_or(String::new(), |it| format!(", {:.0} %", 100.0 * it));
    let year = results
        .last_year
        .map_or(String::new(), |it| format!(", last {it}"));
    format!("{}{score}{year}", counted(results.games().into(), "game"))
}

fn numbered(branch: &Branch) -> String {
    let number = branch.ply / 2 + 1;
    match branch.ply.is_multiple_of(2) {
        true => format!("{number}.{}", branch.san),
        false => format!("{number}...{}", branch.san),
    }
}

/// A game for each line that no other continues, whose moves carry their figures; then one for
/// each slip, from the position before it.
fn pgn(question: &Prepare, answer: &Answer, slips: &[Slip]) -> String {
    let name = question.against.replace(['"', '\\', '\n'], "");
    let mut text = String::new();
    for side in [&answer.white, &answer.black] {
        for (number, leaf) in side.tree.iter().enumerate() {
            let is_leaf = side
                .tree
                .get(number + 1)
                .is_none_or(|it| it.ply <= leaf.ply);
            if is_leaf {
                let line = &leaf.results.name;
                text.push_str(&format!(
                    "[Event \"{name} with {}\"]\n[Result \"*\"]\n\n{line} {{ {} }} *\n\n",
                    side.total.name,
                    figures(&leaf.results)
                ));
            }
        }
    }
    for slip in slips {
        let moment = &slip.moment;
        text.push_str(&format!(
            "[Event \"{name} errs\"]\n[SetUp \"1\"]\n[FEN \"{}\"]\n[Result \"*\"]\n\n{} {{ {}: {} }} *\n\n",
            tabiya_chess::position::to_fen(&moment.fen.0),
            moment.played,
            cited(&slip.game.game).replace(['{', '}'], ""),
            slip.words()
        ));
    }
    text
}

fn html(question: &Prepare, answer: &Answer, slips: &[Slip]) -> String {
    let name = escaped(&question.against);
    let mut text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title><style>body{{font:16px/1.5 sans-serif;max-width:52rem;margin:2rem auto}}td{{padding:0 1rem 0 0}}</style></head><body><h1>{name}</h1>"
    );
    let table = |title: &str, rows: &[Results]| {
        let row = |it: &Results| {
            format!(
                "<tr><td>{}</td><td>{}</td></tr>",
                escaped(&it.name),
                figures(it)
            )
        };
        let rows: String = rows.iter().map(row).collect();
        format!("<h2>{title}</h2><table>{rows}</table>")
    };
    for side in [&answer.white, &answer.black] {
        let title = format!("With {}: {}", side.total.name, figures(&side.total));
        text.push_str(&table(&title, &side.openings));
        let lines: Vec<Results> = side.tree.iter().map(|it| it.results.clone()).collect();
        text.push_str(&table("Lines", &lines));
    }
    text.push_str(&table("Structures after move 15", &answer.structures));
    text.push_str(&table("Endings", &answer.endings));
    let mut list = |title: &str, rows: Vec<String>| {
        if !rows.is_empty() {
            let rows: String = rows.iter().map(|it| format!("<li>{it}</li>")).collect();
            text.push_str(&format!("<h2>{title}</h2><ul>{rows}</ul>"));
        }
    };
    let games = answer.games.iter().map(|it| escaped(&cited(&it.game)));
    list("Games to look at", games.collect());
    let slip = |it: &Slip| escaped(&format!("{}: {}", cited(&it.game.game), it.words()));
    list(
        "Left what is known and erred",
        slips.iter().map(slip).collect(),
    );
    let parallel = |it: &Parallel| {
        let likeness = 100.0 * it.similarity;
        let game = cited(&it.game);
        escaped(&format!(
            "{likeness:.0} %: {game} after {} plies, like {}",
            it.ply, it.line
        ))
    };
    list(
        "Positions like those of the repertoire",
        answer.parallels.iter().map(parallel).collect(),
    );
    text + "</body></html>\n"
}
