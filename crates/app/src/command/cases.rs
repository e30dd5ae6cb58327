//! `tabiya cases`: how strong players reacted to a move.

use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use shakmaty::{Chess, Position, san::San, san::SanPlus, uci::UciMove};
use tabiya_answer::{
    Archive,
    filter::GameArguments,
    json::{Counts, Game},
};
use tabiya_chess::position;
use tabiya_retrieval::{
    Collection,
    case::{Action, Case, Impossible, Inquiry, Reaction, reactions, retrieve},
};

use tabiya_terminal::{
    exit::usage, game, json, position::PositionArguments, progress::grouped, sample::Database,
    style,
};

/// Find the cases in which the opponent did the same in a position like this
/// one, and count what was replied.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya cases \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\" --last-move e7e5
  tabiya cases --moves \"1.d4 Nf6 2.c4 e6 3.Nc3 Bb4\" --threshold 0.6 --db my-games

The first filter is the last move: the same piece came to the same square, and took something or
did not. The second is the weighted Jaccard index of the two positions' terms (tabiya encode).")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    /// The move that led to the FEN, as e7e5 or in the notation of players (Nxe5)
    #[arg(long, value_name = "MOVE")]
    last_move: Option<String>,

    /// How alike the positions must be, from 0 (the first filter alone) to 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.4)]
    threshold: f64,

    /// How many cases to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    games: GameArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    actions: Vec<String>,
    threshold: f64,
    collection: Counts,
    took_ms: f64,
    /// How many cases pass both filters.
    count: usize,
    reactions: Vec<Played>,
    cases: Vec<Shown>,
}

/// A reaction that is legal here; results are those of who played it.
#[derive(Serialize)]
struct Played {
    uci: String,
    san: String,
    cases: u32,
    won: u32,
    drawn: u32,
    lost: u32,
    weight: f64,
    similarity: f64,
}

#[derive(Serialize)]
struct Shown {
    similarity: f64,
    fen: String,
    ply: u16,
    reaction: String,
    source: &'static str,
    game: Game,
    #[serde(skip)]
    line: String,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if !(0.0..=1.0).contains(&options.threshold) {
        usage("--threshold lies between 0 and 1");
    }
    let query = options.position.required()?;
    let actions = actions(options, &query)?;
    let collection = options.database.open()?;
    let inquiry = Inquiry {
        board: query.board().clone(),
        actions,
        threshold: options.threshold,
        filter: options.games.filter(),
    };
    let start = Instant::now();
    let cases = retrieve(&collection.shards(), &inquiry)?;
    let took_ms = start.elapsed().as_secs_f64() * 1e3;
    let answer = Answer {
        fen: position::to_fen(&query),
        actions: inquiry.actions.iter().map(Action::to_string).collect(),
        threshold: options.threshold,
        collection: Counts::new(&Archive::from(&collection)),
        took_ms,
        count: cases.len(),
        reactions: reactions(&query, &cases)
            .iter()
            .map(|it| Played::new(&query, it))
            .collect(),
        cases: shown(&collection, &cases, options.top)?,
    };
    if options.json {
        return json::print(&answer);
    }
    print(&answer);
    Ok(())
}

/// What the opponent has done: told, or read from the game.
fn actions(options: &Options, query: &Chess) -> anyhow::Result<Vec<Action>> {
    if let Some(text) = &options.last_move {
        return Ok(told(text, query));
    }
    let Some((game, ply)) = options.position.line()? else {
        usage("give the move that led to the position with --last-move");
    };
    let last = ply.checked_sub(1);
    let found = last.and_then(|it| {
        let before = game.positions().nth(it)?;
        Action::of(before.board(), game.moves[it].to_move(before.board())?)
    });
    let action = found.context("there is no move before this position; give a later one")?;
    Ok(vec![action])
}

fn told(text: &str, query: &Chess) -> Vec<Action> {
    let mover = !query.turn();
    if let Ok(UciMove::Normal {
        from,
        to,
        promotion,
    }) = text.parse()
    {
        let found = Action::that_led_to(query.board(), mover, from, to, promotion);
        return found.unwrap_or_else(|error| cannot_be(text, error));
    }
    match text.trim_end_matches(['+', '#']).parse::<San>() {
        Ok(san) => match Action::written(query.board(), mover, &san) {
            Ok(action) => vec![action],
            Err(error) => cannot_be(text, error),
        },
        Err(_) => usage(&format!("--last-move {text}: write it as e7e5 or Nxe5")),
    }
}

/// Ends the program: the move told is not the last one.
fn cannot_be(text: &str, error: Impossible) -> ! {
    usage(&format!(
        "--last-move {text}: {error}; the FEN is the position after the move"
    ))
}

fn shown(collection: &Collection, cases: &[Case], top: usize) -> anyhow::Result<Vec<Shown>> {
    let mut shown = Vec::new();
    for case in cases.iter().take(top) {
        let Some(found) = collection.game(case.game)? else {
            continue;
        };
        let Some(here) = found.position(case.ply.into()) else {
            continue;
        };
        let reaction = case.reaction.to_move(here.board());
        let reaction = reaction.map_or(String::new(), |it| {
            SanPlus::from_move(here.clone(), it).to_string()
        });
        let dots = here.turn().fold_wb(".", "...");
        let line = format!(
            "{}  {}{}{dots}{reaction}, {}, game {}{}",
            game::players(&found.tags),
            style::FAINT,
            here.fullmoves(),
            game::year(&found.tags),
            case.game,
            style::PLAIN
        );
        shown.push(Shown {
            similarity: case.similarity,
            fen: position::to_fen(&here),
            ply: case.ply,
            reaction,
            source: source_name(case),
            game: Game::new(case.game, &found.tags),
            line,
        });
    }
    Ok(shown)
}

const fn source_name(case: &Case) -> &'static str {
    match case.source {
        tabiya_retrieval::index::Source::Own => "self",
        tabiya_retrieval::index::Source::Imported => "archive",
    }
}

impl Played {
    fn new(query: &Chess, reaction: &Reaction) -> Played {
        Played {
            uci: UciMove::from_standard(reaction.mv).to_string(),
            san: SanPlus::from_move(query.clone(), reaction.mv).to_string(),
            cases: reaction.cases,
            won: reaction.won,
            drawn: reaction.drawn,
            lost: reaction.lost,
            weight: reaction.weight,
            similarity: reaction.similarity,
        }
    }
}

fn print(answer: &Answer) {
    say!(
        "{}{} cases{} of {} at least {:.0} % alike  {}{:.1} ms{}",
        style::STRONG,
        grouped(answer.count as u64),
        style::PLAIN,
        answer.actions.join(" or "),
        100.0 * answer.threshold,
        style::FAINT,
        answer.took_ms,
        style::PLAIN
    );
    if answer.count == 0 {
        say!("no case is alike enough; lower --threshold, or give a larger collection with --db");
        return;
    }
    if answer.reactions.is_empty() {
        say!("none of their reactions is possible here");
    } else {
        print_reactions(&answer.reactions);
    }
    for it in &answer.cases {
        say!("{:>6.1} %  {}", 100.0 * it.similarity, it.line);
    }
}

fn print_reactions(reactions: &[Played]) {
    let total: f64 = reactions.iter().map(|it| it.weight).sum();
    say!(
        "{}  {:<8}{:>7}{:>7}{:>7}{:>7}{:>9}{:>7}{}",
        style::FAINT,
        "reply",
        "cases",
        "won",
        "drawn",
        "lost",
        "nearest",
        "share",
        style::PLAIN
    );
    for it in reactions {
        say!(
            "  {}{:<8}{}{:>7}{:>7}{:>7}{:>7}{:>7.0} %{:>5.0} %",
            style::STRONG,
            it.san,
            style::PLAIN,
            it.cases,
            it.won,
            it.drawn,
            it.lost,
            100.0 * it.similarity,
            100.0 * it.weight / total.max(f64::MIN_POSITIVE)
        );
    }
}
