//! Contests between UCI programs.
//!
//! Every opening is played twice with colors reversed. Programs run as child
//! processes; one that hangs, dies, loses on time or makes an illegal move
//! forfeits that game and the contest goes on with a fresh process.

mod board;
mod budget;
mod judge;
mod opening;
mod player;
mod score;
mod series;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use shakmaty::{Color, KnownOutcome, Move, Outcome, Position};
use tabiya_chess::{CompactMove, Game, Tags};

use board::Board;
pub(crate) use budget::Budget;
use judge::Judge;
pub(crate) use opening::read_openings;
pub(crate) use player::{Failure, Player};
pub(crate) use score::Score;
pub(crate) use series::Series;

/// A program that takes part.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    /// As results call it.
    pub(crate) name: String,
    /// The program and its arguments.
    pub(crate) command: String,
    /// UCI options to set.
    pub(crate) options: Vec<(String, String)>,
    /// What it may spend on a move.
    pub(crate) go: Budget,
}

/// How a contest is played.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Games in all; an even number plays every opening with both colors.
    pub(crate) games: usize,
    /// Openings, as lines of moves from the start.
    pub(crate) openings: Vec<Vec<Move>>,
    /// Games at the same time.
    pub(crate) concurrency: usize,
    /// End games early when both programs agree for some moves; off plays to the end.
    pub(crate) adjudicate: bool,
    /// How long a program without a clock may take for a move.
    pub(crate) guard: Duration,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By the rules: mate, stalemate, repetition, fifty moves, want of material.
    Rules,
    /// Both programs agreed on the outcome for some moves.
    Adjudicated,
    /// This side broke down: crash, hang, illegal move or overstepped clock.
    Forfeit(Color, String),
}

/// A game of a contest.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    /// Its number, from 0; opening `number / 2`.
    pub(crate) number: usize,
    /// The first entrant had White.
    pub(crate) first_is_white: bool,
    /// The outcome.
    pub(crate) outcome: KnownOutcome,
    /// How it came about.
    pub(crate) end: End,
    /// The moves.
    pub(crate) moves: Vec<Move>,
}

impl Played {
    /// Half points of the first entrant: 2 for a win.
    pub(crate) fn half_points(&self) -> usize {
        let first = if self.first_is_white {
            Color::White
        } else {
            Color::Black
        };
        match self.outcome.winner() {
            None => 1,
            Some(winner) if winner == first => 2,
            Some(_) => 0,
        }
    }

    /// The game as PGN.
    pub(crate) fn to_game(&self, first: &str, second: &str) -> Game {
        let (white, black) = if self.first_is_white {
            (first, second)
        } else {
            (second, first)
        };
        let end = match &self.end {
            End::Rules => "normal".to_owned(),
            End::Adjudicated => "adjudication".to_owned(),
            End::Forfeit(color, reason) => {
                format!("{} forfeits: {reason}", color.fold_wb("White", "Black"))
            }
        };
        Game {
            tags: Tags {
                event: "Contest".to_owned(),
                round: (self.number + 1).to_string(),
                white: white.to_owned(),
                black: black.to_owned(),
                result: Outcome::Known(self.outcome),
                others: vec![("Termination".to_owned(), end)],
                ..Tags::default()
            },
            moves: self.moves.iter().map(|&mv| CompactMove::from(mv)).collect(),
            ..Game::default()
        }
    }
}

/// News of a contest while it is played.
#[derive(Clone, Copy, Debug)]
pub(crate) enum News<'a> {
    /// What a program said before its first game, for instance that it cannot
    /// do what an option asks for.
    Remark(&'a Entrant, &'a str),
    /// A game ended.
    Played(&'a Played),
}

/// Plays the games that are not done yet; calls `report` with each as it ends.
///
/// # Errors
/// If a program cannot be started at all, or lacks an option.
pub(crate) fn play(
    entrants: &[Entrant; 2],
    rules: &Rules,
    done: &BTreeSet<usize>,
    stop: &AtomicBool,
    report: impl FnMut(News<'_>) + Send,
) -> Result<(), Failure> {
    let contest = Contest {
        entrants,
        rules,
        open: (0..rules.games).filter(|it| !done.contains(it)).collect(),
        next: AtomicUsize::new(0),
        stop,
        introduced: Default::default(),
        report: Mutex::new(report),
    };
    std::thread::scope(|scope| {
        let hands: Vec<_> = (0..rules.concurrency.max(1))
            .map(|_| scope.spawn(|| contest.play_some()))
            .collect();
        hands
            .into_iter()
            .try_for_each(|it| it.join().unwrap_or(Err(Failure::Gone)))
    })
}

/// What those who play games at the same time share.
struct Contest<'a, R> {
    entrants: &'a [Entrant; 2],
    rules: &'a Rules,
    /// The numbers of the games to play.
    open: Vec<usize>,
    next: AtomicUsize,
    stop: &'a AtomicBool,
    /// Who was started before; the remarks of later starts are the same.
    introduced: [AtomicBool; 2],
    report: Mutex<R>,
}

impl<R: FnMut(News<'_>)> Contest<'_, R> {
    fn play_some(&self) -> Result<(), Failure> {
        // A program that does not start at all ends the contest.
        let mut players = [Some(self.start(0)?), Some(self.start(1)?)];
        loop {
            let number = self.open.get(self.next.fetch_add(1, Ordering::SeqCst));
            let Some(&number) = number.filter(|_| !self.stop.load(Ordering::SeqCst)) else {
                return Ok(());
            };
            let played = match self.revive(&mut players) {
                Ok([first, second]) => {
                    play_game([first, second], self.entrants, self.rules, number)
                }
                Err((seat, failure)) => absent(number, seat, &failure),
            };
            if self.stop.load(Ordering::SeqCst) {
                // A signal may have ended the programs, too: the game does not count.
                return Ok(());
            }
            if let End::Forfeit(color, _) = played.end {
                let loser = usize::from((color == Color::White) != played.first_is_white);
                players[loser] = None;
            }
            self.publish(News::Played(&played));
        }
    }

    fn start(&self, seat: usize) -> Result<Player, Failure> {
        let entrant = &self.entrants[seat];
        let is_known = self.introduced[seat].swap(true, Ordering::SeqCst);
        Player::start(entrant, |remark| {
            if !is_known {
                self.publish(News::Remark(entrant, remark));
            }
        })
    }

    /// Restarts a program that broke down in the game before; returns its seat if it does not start.
    fn revive<'p>(
        &self,
        players: &'p mut [Option<Player>; 2],
    ) -> Result<[&'p mut Player; 2], (usize, Failure)> {
        for (seat, player) in players.iter_mut().enumerate() {
            if player.is_none() {
                *player = Some(self.start(seat).map_err(|failure| (seat, failure))?);
            }
        }
        match players {
            [Some(first), Some(second)] => Ok([first, second]),
            _ => Err((0, Failure::Gone)),
        }
    }

    fn publish(&self, news: News<'_>) {
        if let Ok(mut report) = self.report.lock() {
            report(news);
        }
    }
}

/// A game that one side could not begin.
fn absent(number: usize, seat: usize, failure: &Failure) -> Played {
    let first_is_white = number.is_multiple_of(2);
    let color = Color::from_white((seat == 0) == first_is_white);
    Played {
        number,
        first_is_white,
        outcome: KnownOutcome::Decisive { winner: !color },
        end: End::Forfeit(color, failure.to_string()),
        moves: Vec::new(),
    }
}

/// Beyond its clock a program may take this long before it forfeits.
const GRACE: Duration = Duration::from_millis(50);

fn play_game(
    players: [&mut Player; 2],
    entrants: &[Entrant; 2],
    rules: &Rules,
    number: usize,
) -> Played {
    let opening = &rules.openings[(number / 2) % rules.openings.len().max(1)];
    let first_is_white = number.is_multiple_of(2);
    let seat = |color: Color| usize::from((color == Color::White) != first_is_white);
    let mut board = Board::new(opening);
    let mut clocks = [entrants[0].go, entrants[1].go];
    let mut judge = Judge::default();
    let played = |board: Board, outcome, end| Played {
        number,
        first_is_white,
        outcome,
        end,
        moves: board.moves,
    };
    let forfeit = |board: Board, color: Color, reason: String| {
        played(
            board,
            KnownOutcome::Decisive { winner: !color },
            End::Forfeit(color, reason),
        )
    };

    for color in Color::ALL {
        if let Err(failure) = players[seat(color)].new_game() {
            return forfeit(board, color, failure.to_string());
        }
    }
    loop {
        if let Some(outcome) = board.outcome() {
            return played(board, outcome, End::Rules);
        }
        let color = board.position.turn();
        let mover = seat(color);
        let clock = |color: Color| clocks[seat(color)];
        let (go, patience) = go_command(clocks[mover], clock(Color::White), clock(Color::Black));
        let patience = patience.unwrap_or(rules.guard);
        let choice = match players[mover].choose(&board.command(), &go, patience) {
            Ok(choice) => choice,
            Err(failure) => return forfeit(board, color, failure.to_string()),
        };
        if let Budget::Clock(left, increment) = clocks[mover] {
            let Some(rest) = (left + GRACE).checked_sub(choice.elapsed) else {
                return forfeit(board, color, "time".to_owned());
            };
            clocks[mover] = Budget::Clock(rest.saturating_sub(GRACE) + increment, increment);
        }
        if !board.play(&choice.mv) {
            return forfeit(board, color, format!("illegal move {}", choice.mv));
        }
        if let Some(outcome) = judge
            .judge(color, choice.score, board.moves.len())
            .filter(|_| rules.adjudicate)
        {
            return played(board, outcome, End::Adjudicated);
        }
    }
}

/// The command, and how long the program may take if it has a clock.
fn go_command(own: Budget, white: Budget, black: Budget) -> (String, Option<Duration>) {
    match own {
        Budget::Nodes(nodes) => (format!("go nodes {nodes}"), None),
        Budget::Depth(depth) => (format!("go depth {depth}"), None),
        Budget::Clock(left, increment) => {
            let clock = |it: Budget| match it {
                Budget::Clock(left, increment) => (left.as_millis(), increment.as_millis()),
                _ => (left.as_millis(), increment.as_millis()),
            };
            let ((white_left, white_more), (black_left, black_more)) = (clock(white), clock(black));
            (
                format!(
                    "go wtime {white_left} btime {black_left} winc {white_more} binc {black_more}"
                ),
                Some(left + GRACE * 2),
            )
        }
    }
}
