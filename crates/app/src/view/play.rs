//! Prints the answer of `tabiya play`, or plays a game in the terminal.

use std::{
    io::{self, BufRead},
    path::PathBuf,
    time::Duration,
};

use anyhow::Context;
use clap::Args;
use shakmaty::Position;
use tabiya_chess::{Line, line::read_move};
use tabiya_engine::{
    Choice, Player,
    library::{FEWEST_CHOICES, Library, Notebook, retain_at_last},
    search::{Engine, Limits, Settings, Signal, Task},
};
use tabiya_question::play::{Answer, Play};
use tabiya_terminal::{
    board::{self, Figures},
    screen,
    style::{FAINT, PLAIN, STRONG},
};

use crate::ask::{Asked, View};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Show the cases that support the move
    #[arg(long, conflicts_with = "without_cases")]
    explain: bool,

    /// Play a game against the engine from the position; you move first
    #[arg(long, conflicts_with = "json")]
    interactive: bool,

    /// Add the game to the collection when it ends (needs --db)
    #[arg(
        long,
        requires = "interactive",
        requires = "db",
        conflicts_with = "without_cases"
    )]
    retain: bool,
}

impl View for Play {
    const HELP: &'static str = "Examples:
  tabiya play --moves \"1.d4 Nf6 2.c4 e6 3.Nc3 Bb4\" --explain --db my-games
  tabiya play --interactive --db my-games --retain

In a game, enter moves as e2e4 or Nf3. \"back\" takes back your last move and the reply,
\"resign\" resigns, \"quit\" ends the game.";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, _: Duration) {
        print(answer, options.explain);
    }

    fn run(asked: Asked<Play>) -> anyhow::Result<()> {
        let asked = asked.settled();
        match asked.options.interactive {
            true => Table::new(&asked)?.play_game(),
            false => asked.print(),
        }
    }
}

fn print(answer: &Answer, explain: bool) {
    let Some(san) = &answer.san else {
        say!("the game is over");
        return;
    };
    let score = match answer.mate_in {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", answer.score),
    };
    let line = answer.line.join(" ");
    screen::print(
        "",
        &format!("{STRONG}{san}{PLAIN}  {FAINT}{score}, {line}{PLAIN}"),
    );
    if !explain {
        return;
    }
    match &answer.memory.because {
        Some(words) => screen::print("", words),
        None => say!("no similar case; the move comes from search alone"),
    }
    for it in answer.memory.remembered.iter().take(8) {
        say!(
            "  {:<8}{:>4.0} %  {} cases, {} games with this position",
            it.san,
            100.0 * it.support,
            it.cases,
            it.games
        );
    }
}

/// A game in the terminal.
struct Table<'a> {
    question: &'a Play,
    explains: bool,
    player: Player,
    line: Line,
    limits: Limits,
    /// The collection to retain the game in, known even if the library fails.
    retained_in: Option<PathBuf>,
}

impl<'a> Table<'a> {
    fn new(asked: &'a Asked<Play>) -> anyhow::Result<Table<'a>> {
        let question = &asked.question;
        let mut player = Player::new(Engine::new(Settings::default()));
        player.settings = question.settings();
        let mut retained_in = None;
        if !question.without_cases {
            let folder = asked.database.open()?.folder().to_owned();
            player.library = Some(Library::open(&folder)?);
            retained_in = asked.options.retain.then_some(folder);
        }
        Ok(Table {
            question,
            explains: asked.options.explain,
            player,
            line: question.position.line().clone(),
            limits: question.limits(),
            retained_in,
        })
    }

    fn choose(&mut self) -> Choice {
        let task = Task {
            line: self.line.clone(),
            limits: self.limits.clone(),
            ..Task::default()
        };
        let mut report = |words: &str| eprintln!("{words}");
        self.player
            .choose(&task, &Signal::new(false), &mut |_| {}, &mut report)
    }

    fn answer(&self, choice: &Choice) -> Answer {
        let library = self.player.library.as_ref();
        let games = choice.memory.reactions.iter().flat_map(|it| &it.games);
        let tags = games.filter_map(|&(game, _)| Some((game, library?.tags(game)?)));
        let mode = library.map(|_| self.question.mode);
        Answer::new(
            self.line.position(),
            choice,
            mode,
            &tags.collect::<Vec<_>>(),
        )
    }

    /// Plays a game and retains it, however it ends.
    fn play_game(&mut self) -> anyhow::Result<()> {
        let mut notebook = Notebook::default();
        let played = self.play_moves(&mut notebook);
        notebook.set(&self.line);
        self.retain(notebook)?;
        played
    }

    /// Reads moves and answers them until the game ends.
    fn play_moves(&mut self, notebook: &mut Notebook) -> anyhow::Result<()> {
        self.show();
        for line in io::stdin().lock().split(b'\n') {
            // Invalid UTF-8 is not a move, but does not end the game.
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
                    Err(_) => {
                        say!("\"{text}\" is not a legal move here; enter a move as e2e4 or Nf3")
                    }
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
        let answer = self.answer(&choice);
        notebook.set(&self.line);
        if let Some(mv) = choice.result.best {
            notebook.chose(mv, choice.result.score);
            self.line.push(mv)?;
        }
        print(&answer, self.explains);
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
        let Some(folder) = &self.retained_in else {
            return Ok(());
        };
        let Some(game) = notebook.close() else {
            say!("game not retained: the engine made fewer than {FEWEST_CHOICES} moves");
            return Ok(());
        };
        let added = retain_at_last(self.player.library.as_mut(), folder, &[game])
            .context("cannot retain the game")?;
        match added {
            0 => say!("the collection already has this game"),
            _ => say!("retained 1 game"),
        }
        Ok(())
    }
}
