//! Contests between UCI programs.
//!
//! Every opening is played twice with colors reversed. Programs run as child
//! processes; one that hangs, dies, loses on time or makes an illegal move
//! forfeits that game and the contest goes on with a fresh process.

mod player;
mod series;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, KnownOutcome, Move, Outcome, Position};
use tabiya_chess::{CompactMove, Game, Tags};

pub use player::Failure;
use player::Player;
pub use series::{Series, SeriesError};

/// A program that takes part.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// As results call it.
    pub name: String,
    /// The program and its arguments.
    pub command: String,
    /// UCI options to set.
    pub options: Vec<(String, String)>,
    /// What it may spend on a move.
    pub go: Budget,
}

/// What a program may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Nodes a move.
    Nodes(u64),
    /// Plies a move.
    Depth(u32),
    /// A clock for the game, and what is added after each move.
    Clock(Duration, Duration),
}

/// The longest that a clock may be set to, and what is added after a move.
const LONGEST_CLOCK: Duration = Duration::from_secs(24 * 60 * 60);

/// A text that does not say what a program may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseBudgetError;

impl fmt::Display for ParseBudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write 10+0.1 (seconds, at most a day), nodes:50000 or depth:7")
    }
}

impl std::error::Error for ParseBudgetError {}

impl FromStr for Budget {
    type Err = ParseBudgetError;

    /// Reads `10+0.1` (seconds), `nodes:50000` or `depth:7`.
    fn from_str(text: &str) -> Result<Budget, ParseBudgetError> {
        if let Some(nodes) = text.strip_prefix("nodes:") {
            let nodes = nodes.parse().map_err(|_| ParseBudgetError)?;
            return Ok(Budget::Nodes(nodes));
        }
        if let Some(depth) = text.strip_prefix("depth:") {
            let depth = depth.parse().map_err(|_| ParseBudgetError)?;
            return Ok(Budget::Depth(depth));
        }
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |it: &str| {
            let seconds = it.parse::<f64>().ok();
            let duration = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
            let duration = duration.filter(|&it| it <= LONGEST_CLOCK);
            duration.ok_or(ParseBudgetError)
        };
        Ok(Budget::Clock(seconds(base)?, seconds(increment)?))
    }
}

impl fmt::Display for Budget {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Nodes(nodes) => write!(f, "nodes:{nodes}"),
            Budget::Depth(depth) => write!(f, "depth:{depth}"),
            Budget::Clock(base, increment) => {
                write!(f, "{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
        }
    }
}

/// How a contest is played.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Games in all; an even number plays every opening with both colors.
    pub games: usize,
    /// Openings, as lines of moves from the start.
    pub openings: Vec<Vec<Move>>,
    /// Games at the same time.
    pub concurrency: usize,
    /// End games early when both programs agree for some moves; off plays to the end.
    pub adjudicate: bool,
    /// How long a program without a clock may take for a move.
    pub guard: Duration,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By the rules: mate, stalemate, repetition, fifty moves, want of material.
    Rules,
    /// Both programs agreed on the outcome for some moves.
    Adjudicated,
    /// This side broke down: crash, hang, illegal move or overstepped clock.
    Forfeit(Color, String),
}

/// A game of a contest.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its number, from 0; opening `number / 2`.
    pub number: usize,
    /// The first entrant had White.
    pub first_is_white: bool,
    /// The outcome.
    pub outcome: KnownOutcome,
    /// How it came about.
    pub end: End,
    /// The moves.
    pub moves: Vec<Move>,
}

impl Played {
    /// Half points of the first entrant: 2 for a win.
    pub fn half_points(&self) -> usize {
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
    pub fn to_game(&self, first: &str, second: &str) -> Game {
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
            setup: None,
            moves: self.moves.iter().map(|&mv| CompactMove::from(mv)).collect(),
        }
    }
}

/// Reads openings: a table with a `moves` column, or a line of moves a line; SAN
/// with or without numbers. Empty lines are skipped.
///
/// # Errors
/// If the file cannot be read, or a line has something else than legal moves.
pub fn read_openings(path: &Path) -> io::Result<Vec<Vec<Move>>> {
    let text = std::fs::read_to_string(path)?;
    let column = text
        .lines()
        .next()
        .and_then(|head| head.split('\t').position(|it| it == "moves"));
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(usize::from(column.is_some())) {
        if line.trim().is_empty() {
            continue;
        }
        let cell = line.split('\t').nth(column.unwrap_or(0));
        let moves = cell
            .ok_or_else(|| "there is no column of moves".to_owned())
            .and_then(read_line);
        openings.push(moves.map_err(|reason| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("line {number}: {reason}"),
            )
        })?);
    }
    Ok(openings)
}

/// Moves in SAN from the start; else what is wrong with them.
fn read_line(text: &str) -> Result<Vec<Move>, String> {
    let mut here = Chess::default();
    let mut moves = Vec::new();
    for word in text.split_whitespace() {
        let san = word.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.');
        // A number of a move, or the end of a line of PGN.
        if san.is_empty() || san == "*" {
            continue;
        }
        let mv = san
            .parse::<SanPlus>()
            .ok()
            .and_then(|it| it.san.to_move(&here).ok())
            .ok_or_else(|| {
                format!(
                    "\"{word}\" is not a legal move after {} half-moves",
                    moves.len()
                )
            })?;
        here.play_unchecked(mv);
        moves.push(mv);
    }
    Ok(moves)
}

/// What there is to tell of a contest while it is played.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// What a program said before its first game, for instance that it cannot
    /// do what an option asks for.
    Remark(&'a Entrant, &'a str),
    /// A game ended.
    Played(&'a Played),
}

/// Plays the games that are not done yet; `report` hears of each as it ends.
///
/// # Errors
/// If a program cannot be started at all, or lacks an option.
pub fn play(
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
        // Whoever cannot be started at all ends the contest.
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
            self.tell(News::Played(&played));
        }
    }

    fn start(&self, seat: usize) -> Result<Player, Failure> {
        let entrant = &self.entrants[seat];
        let is_known = self.introduced[seat].swap(true, Ordering::SeqCst);
        Player::start(entrant, |remark| {
            if !is_known {
                self.tell(News::Remark(entrant, remark));
            }
        })
    }

    /// Starts again who broke down in the game before; else tells who cannot play.
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

    fn tell(&self, news: News<'_>) {
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

/// The longest game; longer ones are drawn.
const LONGEST: usize = 500;
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
            .hear(color, choice.score, board.moves.len())
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

/// The game so far.
struct Board {
    position: Chess,
    moves: Vec<Move>,
    seen: Vec<Chess>,
}

impl Board {
    fn new(opening: &[Move]) -> Board {
        let mut board = Board {
            position: Chess::default(),
            moves: Vec::new(),
            seen: vec![Chess::default()],
        };
        for &mv in opening {
            board.make(mv);
        }
        board
    }

    fn make(&mut self, mv: Move) {
        if mv.is_zeroing() {
            self.seen.clear();
        }
        self.position.play_unchecked(mv);
        self.moves.push(mv);
        self.seen.push(self.position.clone());
    }

    fn play(&mut self, text: &str) -> bool {
        let mv = text
            .parse::<UciMove>()
            .ok()
            .and_then(|it| it.to_move(&self.position).ok());
        match mv.filter(|&it| self.position.is_legal(it)) {
            Some(mv) => {
                self.make(mv);
                true
            }
            None => false,
        }
    }

    fn outcome(&self) -> Option<KnownOutcome> {
        if let Outcome::Known(outcome) = self.position.outcome() {
            return Some(outcome);
        }
        let times = self.seen.iter().filter(|&it| *it == self.position).count();
        let drawn = times >= 3 || self.position.halfmoves() >= 100 || self.moves.len() >= LONGEST;
        drawn.then_some(KnownOutcome::Draw)
    }

    fn command(&self) -> String {
        let moves: Vec<String> = self
            .moves
            .iter()
            .map(|it| it.to_uci(shakmaty::CastlingMode::Standard).to_string())
            .collect();
        if moves.is_empty() {
            "position startpos".to_owned()
        } else {
            format!("position startpos moves {}", moves.join(" "))
        }
    }
}

/// Ends games on which both programs have agreed for some moves.
///
/// Won: both see 10 pawns for the same side for 3 moves each. Drawn: after
/// move 40, both within 10 centipawns for 5 moves each.
#[derive(Default)]
struct Judge {
    white: u32,
    black: u32,
    draw: u32,
}

impl Judge {
    fn hear(&mut self, mover: Color, score: Option<i32>, plies: usize) -> Option<KnownOutcome> {
        let Some(score) = score else {
            *self = Judge::default();
            return None;
        };
        let white = mover.fold_wb(score, -score);
        let count = |holds: bool, so_far: u32| if holds { so_far + 1 } else { 0 };
        self.white = count(white >= 1_000, self.white);
        self.black = count(white <= -1_000, self.black);
        self.draw = count(white.abs() <= 10 && plies >= 80, self.draw);
        if self.white >= 6 {
            Some(KnownOutcome::Decisive {
                winner: Color::White,
            })
        } else if self.black >= 6 {
            Some(KnownOutcome::Decisive {
                winner: Color::Black,
            })
        } else {
            (self.draw >= 10).then_some(KnownOutcome::Draw)
        }
    }
}

/// The running result of the first entrant.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Won, drawn, lost.
    pub counts: [u32; 3],
    /// Won, drawn, lost with White.
    pub with_white: [u32; 3],
    /// Games lost by breaking down: first entrant, second entrant.
    pub forfeits: [u32; 2],
    halves: std::collections::BTreeMap<usize, usize>,
    /// Pairs by half points of the first entrant.
    pub pairs: [u32; 5],
}

impl Score {
    /// Counts a game.
    pub fn add(&mut self, played: &Played) {
        let points = played.half_points();
        self.counts[2 - points] += 1;
        if played.first_is_white {
            self.with_white[2 - points] += 1;
        }
        if let End::Forfeit(color, _) = played.end {
            let loser = usize::from((color == Color::White) != played.first_is_white);
            self.forfeits[loser] += 1;
        }
        match self.halves.remove(&(played.number / 2)) {
            Some(other) => self.pairs[points + other] += 1,
            None => {
                self.halves.insert(played.number / 2, points);
            }
        }
    }

    /// Share of the points.
    pub fn share(&self) -> f64 {
        let games: u32 = self.counts.iter().sum();
        (f64::from(self.counts[0]) + f64::from(self.counts[1]) / 2.0) / f64::from(games.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read() {
        let clock = Budget::Clock(Duration::from_secs(10), Duration::from_millis(100));
        for (text, budget) in [
            ("nodes:50000", Budget::Nodes(50_000)),
            ("depth:7", Budget::Depth(7)),
            ("10+0.1", clock),
        ] {
            assert_eq!(text.parse(), Ok(budget));
            assert_eq!(budget.to_string(), text);
        }
        assert!("86400".parse::<Budget>().is_ok());
        for text in [
            "ten", "", "-1+0", "1e19", "86401", "1+86401", "nan", "inf", "1+nan", "nodes:-1",
        ] {
            assert_eq!(text.parse::<Budget>(), Err(ParseBudgetError), "{text}");
        }
    }

    #[test]
    fn openings_are_lines_of_san() {
        assert_eq!(read_line("1. e4 e5 2.Nf3 Nc6 *").unwrap().len(), 4);
        for (line, wrong) in [("e4 e5 Ke3", "\"Ke3\""), ("garbage", "\"garbage\"")] {
            assert!(read_line(line).unwrap_err().contains(wrong));
        }
    }

    #[test]
    fn repetition_and_mate_end_a_game() {
        let mut board = Board::new(&[]);
        for mv in [
            "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8",
        ] {
            assert_eq!(board.outcome(), None);
            assert!(board.play(mv));
        }
        assert_eq!(board.outcome(), Some(KnownOutcome::Draw));
        let mut board = Board::new(&read_line("f3 e5 g4").unwrap());
        assert!(!board.play("d8h9") && board.play("d8h4"));
        assert_eq!(
            board.outcome(),
            Some(KnownOutcome::Decisive {
                winner: Color::Black
            })
        );
    }

    #[test]
    fn agreement_must_last() {
        let mut judge = Judge::default();
        for ply in 0..5 {
            let color = if ply % 2 == 0 {
                Color::White
            } else {
                Color::Black
            };
            assert_eq!(
                judge.hear(color, Some(color.fold_wb(1_500, -1_500)), ply),
                None
            );
        }
        assert_eq!(
            judge.hear(Color::Black, Some(-1_500), 5),
            Some(KnownOutcome::Decisive {
                winner: Color::White
            })
        );
        let mut judge = Judge::default();
        assert!((0..20).all(|ply| judge.hear(Color::White, Some(0), ply).is_none()));
    }

    #[test]
    fn pairs_are_counted_whatever_the_order() {
        let game = |number, outcome| Played {
            number,
            first_is_white: number % 2 == 0,
            outcome,
            end: End::Rules,
            moves: Vec::new(),
        };
        let white = KnownOutcome::Decisive {
            winner: Color::White,
        };
        let mut score = Score::default();
        for played in [
            game(1, white),
            game(2, white),
            game(0, white),
            game(3, KnownOutcome::Draw),
        ] {
            score.add(&played);
        }
        // Game 0 won, game 1 lost with Black; game 2 won, game 3 drawn.
        assert_eq!((score.counts, score.pairs), ([2, 1, 1], [0, 0, 1, 1, 0]));
    }
}
