//! Prints the answer of `tabiya prepare`.

use std::{path::PathBuf, time::Duration};

use anyhow::Context;
use clap::Args;
use tabiya_question::prepare::{Answer, Branch, Prepare, Repertoire, Results};
use tabiya_terminal::style::{FAINT, PLAIN, STRONG};

use crate::{
    ask::{Asked, OpenCollection, View},
    view::diagram::escaped,
};

#[derive(Debug, Args)]
pub(crate) struct Options {
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
            let game = &it.game;
            say!(
                "{:>8} {} – {} {} {} {FAINT}{}, {}{PLAIN}",
                game.id,
                game.white,
                game.black,
                game.result,
                game.date,
                it.color,
                it.result
            );
        }
    }

    fn run(asked: Asked<Prepare>) -> anyhow::Result<()> {
        let asked = asked.settled();
        let open = OpenCollection::open(&asked.database)?;
        let (answer, _) = open.answer(&asked.question)?;
        let files = [
            (&asked.options.pgn, pgn(&asked.question, &answer)),
            (&asked.options.html, html(&asked.question, &answer)),
        ];
        for (path, text) in files {
            if let Some(path) = path {
                std::fs::write(path, text).with_context(|| path.display().to_string())?;
            }
        }
        asked.print_from(&open)
    }
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
    format!("{} games{score}{year}", results.games())
}

fn numbered(branch: &Branch) -> String {
    let number = branch.ply / 2 + 1;
    match branch.ply.is_multiple_of(2) {
        true => format!("{number}.{}", branch.san),
        false => format!("{number}...{}", branch.san),
    }
}

/// A game for each line that no other continues; the moves carry their figures.
fn pgn(question: &Prepare, answer: &Answer) -> String {
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
                    "[Event \"{} with {}\"]\n[Result \"*\"]\n\n{line} {{ {} }} *\n\n",
                    question.against.replace(['"', '\\', '\n'], ""),
                    side.total.name,
                    figures(&leaf.results)
                ));
            }
        }
    }
    text
}

fn html(question: &Prepare, answer: &Answer) -> String {
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
    text.push_str("<h2>Games to look at</h2><ul>");
    for it in &answer.games {
        let game = &it.game;
        text.push_str(&format!(
            "<li>{} – {}, {}, {} ({})</li>",
            escaped(&game.white),
            escaped(&game.black),
            escaped(&game.event),
            escaped(&game.date),
            escaped(&game.result)
        ));
    }
    text + "</ul></body></html>\n"
}
