//! Prints the answer of `tabiya find`.

use std::{fs, io::Read, path::PathBuf, time::Duration};

use anyhow::Context;
use clap::{Args, ValueEnum};
use shakmaty::Position;
use tabiya_chess::{Game, annotation::Remark, pgn};
use tabiya_question::find::{Answer, Find, Match, NextMove, Plan, Results};
use tabiya_terminal::{
    board::{self, Figures},
    game,
    progress::{counted, grouped},
    style::{FAINT, PLAIN, STRONG},
};

use crate::ask::{Asked, OpenCollection, View};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// File with the pattern (- for standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    file: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["json", "count"])]
    output: Option<Output>,

    /// Style of the pieces
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Boards and numbers
    Text,
    /// The games, with a comment at each match
    Pgn,
}

impl View for Find {
    const HELP: &'static str = "Examples:
  tabiya find @iqp --db my-games --elo 2500- --sort rating
  tabiya find 'flipcolor {Pc4 Pe4 pd6 not Pd2-7 not pc2-7}' --count
  tabiya find 'flipcolor {path B[x]ph7 check K[x]h7 N--g5 check}' --output pgn > gifts.pgn
  tabiya find 'R==1 r==1 [QqBbNn]==0' --like \"8/5pk1/R5p1/4P2p/5P1P/r5P1/6K1/8 w - - 0 40\"
  tabiya find --file windmill.cql --explain

docs/patterns.md describes the language.";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, took: Duration) {
        for it in &answer.matches {
            print_match(it, options.figures);
        }
        print_totals(answer);
        if !answer.moves.is_empty() {
            print_moves(&answer.moves);
        }
        if let Some(plan) = &answer.plan {
            print_plan(plan);
        }
        say!(
            "{FAINT}{}, {}, {:.1} ms{PLAIN}",
            counted(answer.collection.games, "game"),
            counted(answer.collection.positions, "position"),
            took.as_secs_f64() * 1000.0
        );
    }

    fn run(mut asked: Asked<Find>) -> anyhow::Result<()> {
        if let Some(path) = &asked.options.file {
            asked.question.pattern.set(read(path)?);
        }
        let output = asked.options.output;
        let asked = asked.settled();
        if output != Some(Output::Pgn) {
            return asked.print();
        }
        let open = OpenCollection::open(&asked.database)?;
        let (answer, _) = open.answer(&asked.question)?;
        for it in &answer.matches {
            print_game(it, &open)?;
        }
        Ok(())
    }
}

fn read(path: &PathBuf) -> anyhow::Result<String> {
    let name = || path.display().to_string();
    if path.as_os_str() != "-" {
        return fs::read_to_string(path).with_context(name);
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .with_context(name)?;
    Ok(text)
}

fn print_match(it: &Match, figures: Figures) {
    say!("{STRONG}{}. {}{PLAIN}", it.rank, game::players(&it.game));
    let mut facts = vec![format!("ply {}", it.ply)];
    if it.plies.len() > 1 {
        facts.push(format!("{} positions match", it.plies.len()));
    }
    facts.extend(it.similarity.map(|it| format!("{:.1} % alike", 100.0 * it)));
    facts.extend(it.sort.iter().flatten().map(ToString::to_string));
    say!("   {FAINT}{}{PLAIN}", facts.join(", "));
    for line in board::draw(it.fen.0.board(), None, figures) {
        say!("   {line}");
    }
    for remark in it.remarks.iter().chain(&it.comments) {
        say!("   {remark}");
    }
    if !it.next.is_empty() {
        say!("   then {}", it.next.join(" "));
    }
    say!();
}

fn print_totals(answer: &Answer) {
    if answer.games == 0 {
        say!("no position matches");
        return;
    }
    let Results {
        white,
        draws,
        black,
        unknown,
    } = answer.results;
    say!(
        "{STRONG}{}, {}{PLAIN}; 1-0 {}, ½-½ {}, 0-1 {}{}",
        counted(answer.games, "game"),
        counted(answer.positions, "position"),
        grouped(white),
        grouped(draws),
        grouped(black),
        if unknown > 0 {
            format!(", * {}", grouped(unknown))
        } else {
            String::new()
        }
    );
}

fn print_moves(moves: &[NextMove]) {
    say!("played next:");
    for it in moves.iter().take(10) {
        let dots = if it.side == "white" { "" } else { "…" };
        say!(
            "  {:<8} {:>8} games  1-0 {:>6}  ½-½ {:>6}  0-1 {:>6}",
            format!("{dots}{}", it.san),
            grouped(it.games),
            grouped(it.white),
            grouped(it.draws),
            grouped(it.black)
        );
    }
}

fn print_plan(plan: &Plan) {
    say!("plan:");
    for step in &plan.steps {
        say!("{:>12} windows  {}", grouped(step.windows), step.what);
    }
    say!("{:>12} positions looked at", grouped(plan.looked_at));
}

/// Prints a game with a comment at each match.
fn print_game(it: &Match, open: &OpenCollection) -> anyhow::Result<()> {
    let Some(mut game) = open.shards().game(it.game.id)? else {
        return Ok(());
    };
    if it.variation.is_none() {
        mark(&mut game, it);
    }
    let mut text = String::new();
    pgn::write(&game, &mut text)?;
    say!("{}", text.trim_end());
    say!();
    Ok(())
}

fn mark(game: &mut Game, it: &Match) {
    for &ply in &it.plies {
        let remarks = it.remarks.iter().filter(|_| ply == it.ply);
        let words: Vec<&str> = std::iter::once("match")
            .chain(remarks.map(String::as_str))
            .collect();
        game.annotations
            .push(ply.0, Remark::Comment(words.join(": ")));
    }
}
