//! `tabiya play`: a move for a position, or a game in the terminal.

use std::{
    io::{self, BufRead},
    path::PathBuf,
};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use shakmaty::{Move, Position, san::SanPlus, uci::UciMove};
use tabiya_chess::{Line, line::read_move, position};
use tabiya_engine::{
    Choice, Player,
    library::{
        FEWEST_CHOICES, Library, Mode, Notebook, Settings as LibrarySettings, retain_at_last,
    },
    search::{Allowance, Engine, Limits, Settings, Signal, Task},
};

use tabiya_terminal::{
    board, board::Figures, exit::usage, json, position::PositionArguments, sample::Database, style,
};

use crate::{view::memory::Memory, view::traps};

/// Choose a move by search and memory, or play a game in the terminal.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya play --moves \"1.d4 Nf6 2.c4 e6 3.Nc3 Bb4\" --explain --db my-games
  tabiya play --interactive --db my-games --retain

In a game, write moves as e2e4 or Nf3; \"back\" takes a pair of moves back, \"resign\" gives the
game up, \"quit\" ends it.")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    #[command(flatten)]
    database: Database,

    /// Say which cases speak for the move
    #[arg(long)]
    explain: bool,

    /// Play a game against the engine, which moves second from the position on
    #[arg(long, conflicts_with = "json")]
    interactive: bool,

    /// Add the game to the collection when it ends (needs --db)
    #[arg(long, requires = "interactive", requires = "db")]
    retain: bool,

    /// What remembered moves are to the search: prior, restrict+tactics or restrict
    #[arg(long, value_name = "MODE", default_value = "prior")]
    mode: Mode,

    /// How alike the cases' positions must be, from 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.4)]
    threshold: f64,

    /// Search without a library
    #[arg(long, conflicts_with_all = ["explain", "retain"])]
    without_cases: bool,

    /// Positions to visit for a move; without, see --seconds
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Seconds for a move
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0)]
    seconds: f64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut table = Table::new(options)?;
    if options.interactive {
        return table.play_game();
    }
    let choice = table.choose();
    let shown = Shown::new(&table, &choice)?;
    if options.json {
        return json::print(&shown);
    }
    shown.print(options.explain);
    Ok(())
}

/// A player at a board.
struct Table<'a> {
    options: &'a Options,
    player: Player,
    line: Line,
    limits: Limits,
    /// Where the game is retained, if it is to be; the library may be lost on
    /// the way.
    archive: Option<PathBuf>,
}

impl<'a> Table<'a> {
    fn new(options: &'a Options) -> anyhow::Result<Table<'a>> {
        if !(0.0..=1.0).contains(&options.threshold) {
            usage("--threshold lies between 0 and 1");
        }
        if !options.seconds.is_finite() || options.seconds < 0.0 {
            usage("--seconds is a number, 0 or more");
        }
        let line = line(&options.position)?;
        let mut player = Player::new(Engine::new(Settings::default()));
        player.settings = LibrarySettings {
            threshold: options.threshold,
            mode: options.mode,
            ..LibrarySettings::default()
        };
        let mut archive = None;
        if !options.without_cases {
            let folder = options.database.open()?.folder().to_owned();
            player.library = Some(Library::open(&folder)?);
            archive = options.retain.then_some(folder);
        }
        Ok(Table {
            options,
            player,
            line,
            limits: limits(options),
            archive,
        })
    }

    fn choose(&mut self) -> Choice {
        let task = Task {
            line: self.line.clone(),
            limits: self.limits.clone(),
            ..Task::default()
        };
        let mut tell = |words: &str| eprintln!("{words}");
        self.player
            .choose(&task, &Signal::new(false), &mut |_| {}, &mut tell)
    }

    /// A game, which is retained whatever has ended it.
    fn play_game(&mut self) -> anyhow::Result<()> {
        let mut notebook = Notebook::default();
        let played = self.play_moves(&mut notebook);
        notebook.set(&self.line);
        self.retain(notebook)?;
        played
    }

    /// Reads moves and answers them until somebody has had enough.
    fn play_moves(&mut self, notebook: &mut Notebook) -> anyhow::Result<()> {
        self.show();
        for line in io::stdin().lock().split(b'\n') {
            // What is no text is no move, and no reason to end the game.
            let line = line?;
            match String::from_utf8_lossy(&line).trim() {
                "" => continue,
                "quit" | "exit" => break,
                "resign" => {
                    notebook.resign(self.line.position().turn());
                    break;
                }
                "back" => self.take_back(notebook),
                text => match read_move(self.line.position(), text) {
                    Ok(mv) => {
                        self.line.push(mv)?;
                        self.reply(notebook)?;
                    }
                    Err(_) => say!("\"{text}\" is no legal move here; write it as e2e4 or Nf3"),
                },
            }
            self.show();
            if self.line.position().is_game_over() {
                say!("{}", self.line.position().outcome().as_str());
                break;
            }
        }
        Ok(())
    }

    fn reply(&mut self, notebook: &mut Notebook) -> anyhow::Result<()> {
        if self.line.position().is_game_over() {
            return Ok(());
        }
        let choice = self.choose();
        let shown = Shown::new(self, &choice);
        notebook.set(&self.line);
        if let Some(mv) = choice.result.best {
            notebook.chose(mv, choice.result.score);
            self.line.push(mv)?;
        }
        shown?.print(self.options.explain);
        Ok(())
    }

    fn take_back(&mut self, notebook: &mut Notebook) {
        let left = self.line.moves().len().saturating_sub(2);
        self.line.truncate(left);
        notebook.take_back_to(left);
    }

    fn show(&self) {
        for row in board::draw(self.line.position().board(), None, Figures::default()) {
            say!("{row}");
        }
    }

    fn retain(&mut self, mut notebook: Notebook) -> anyhow::Result<()> {
        let Some(folder) = &self.archive else {
            return Ok(());
        };
        let Some(game) = notebook.close() else {
            say!("too short to be retained: fewer than {FEWEST_CHOICES} moves of the engine");
            return Ok(());
        };
        let added = retain_at_last(self.player.library.as_mut(), folder, &[game])
            .context("the game is not retained")?;
        match added {
            0 => say!("the collection has this game already"),
            _ => say!("1 game retained"),
        }
        Ok(())
    }
}

/// The game so far; without its past if that has a null move, which an engine cannot be given.
fn line(arguments: &PositionArguments) -> anyhow::Result<Line> {
    if !arguments.is_given() {
        return Ok(Line::default());
    }
    let game = arguments.line()?;
    match game.and_then(|(game, ply)| Line::of_game(&game, ply)) {
        Some(line) => Ok(line),
        None => Ok(Line::new(arguments.position()?)),
    }
}

fn limits(options: &Options) -> Limits {
    let seconds = options.seconds.clamp(0.001, 86_400.0);
    match options.nodes {
        Some(nodes) => Limits::nodes(nodes.max(1)),
        None => Limits {
            time: Some(Allowance::Move(std::time::Duration::from_secs_f64(seconds))),
            ..Limits::default()
        },
    }
}

/// A choice, ready to be shown.
#[derive(Serialize)]
struct Shown {
    fen: String,
    mode: Option<&'static str>,
    uci: Option<String>,
    san: Option<String>,
    score: String,
    nodes: u64,
    line: Vec<String>,
    #[serde(flatten)]
    memory: Memory,
}

impl Shown {
    fn new(table: &Table<'_>, choice: &Choice) -> anyhow::Result<Shown> {
        let position = table.line.position();
        let best = choice.result.best;
        let san = |mv: Move| SanPlus::from_move(position.clone(), mv).to_string();
        Ok(Shown {
            fen: position::to_fen(position),
            mode: table.player.mode().map(Mode::name),
            uci: best.map(|it| UciMove::from_standard(it).to_string()),
            san: best.map(san),
            score: choice.result.score.to_string(),
            nodes: choice.result.nodes,
            line: traps::line(position, &choice.result.line),
            memory: Memory::behind(choice, position, table.player.library.as_ref())?,
        })
    }

    fn print(&self, explain: bool) {
        let Some(san) = &self.san else {
            say!("the game is over");
            return;
        };
        say!(
            "{}{san}{}  {}{}, {}{}",
            style::STRONG,
            style::PLAIN,
            style::FAINT,
            self.score,
            self.line.join(" "),
            style::PLAIN
        );
        if !explain {
            return;
        }
        match &self.memory.because {
            Some(words) => say!("{words}"),
            None => say!("no case is alike; the move is the search's own"),
        }
        for it in self.memory.remembered.iter().take(8) {
            say!(
                "  {:<8}{:>4.0} %  {} cases, {} games with this position",
                it.san,
                100.0 * it.support,
                it.cases,
                it.games
            );
        }
    }
}
