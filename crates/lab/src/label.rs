//! Positions with another engine's scores: what the network learns from.
//!
//! The positions come from walks. A walk leaves a game at a random place by up to three random
//! moves, then follows the labeling engine's best moves with some random ones between them. So
//! it meets what a search meets, pieces up and down included; masters' games alone would not
//! teach what a piece is worth. Only quiet positions are kept: nobody is in check and the best
//! move takes nothing.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};
use shakmaty::{Chess, Color, Move, Position, uci::UciMove};
use tabiya_chess::{Game, position};
use tabiya_gametree::Dice;

use crate::draw::Draw;

/// The most random moves at the start of a walk.
const STRAYING: usize = 3;
/// One move in this many is random, on average.
const RANDOM: usize = 8;
/// A walk ends after this many steps, on average.
const LAST: usize = 16;
/// Plies of a game before the first place to leave it.
const SKIP: usize = 6;
/// A walk ends beyond this many centipawns.
const DECIDED: i16 = 2_000;

/// Bytes of a [`Labeled`] position in a file.
pub(crate) const RECORD: usize = 26;

/// A quiet position with its score for the side to move.
///
/// In a file: the occupied squares as eight bytes, little-endian; for each of them in order four
/// bits, the role from 0 (pawn) to 5 (king) and 8 more for a piece of the side that is not to
/// move; the score in centipawns as two bytes. The board is seen from the side to move: with
/// Black to move its ranks are reversed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Labeled([u8; RECORD]);

impl Labeled {
    fn new(position: &Chess, score: i16) -> Labeled {
        let (board, turn) = (position.board(), position.turn());
        let occupied = match turn {
            Color::White => board.occupied(),
            Color::Black => board.occupied().flip_vertical(),
        };
        let mut record = [0; RECORD];
        record[..8].copy_from_slice(&occupied.0.to_le_bytes());
        for (index, square) in occupied.into_iter().enumerate().take(32) {
            let square = turn.fold_wb(square, square.flip_vertical());
            let nibble = board.piece_at(square).map_or(0, |it| {
                u8::from(it.role) - 1 + if it.color == turn { 0 } else { 8 }
            });
            record[8 + index / 2] |= nibble << (4 * (index % 2));
        }
        record[24..].copy_from_slice(&score.to_le_bytes());
        Labeled(record)
    }

    /// As in a file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A line that is followed from label to label.
#[derive(Clone, Debug)]
struct Walk {
    position: Chess,
    dice: Dice,
}

impl Walk {
    /// A walk that leaves a game; none if it leads nowhere.
    fn leave(game: &Game, mut dice: Dice) -> Option<Walk> {
        let plies = game.moves.len().checked_sub(SKIP)?;
        let from = SKIP + dice.index(plies + 1);
        let position = game.positions().nth(from)?;
        let mut walk = Walk { position, dice };
        for _ in 0..walk.dice.index(STRAYING + 1) {
            walk.stray()?;
        }
        walk.is_open().then_some(walk)
    }

    fn is_open(&self) -> bool {
        !self.position.is_game_over()
    }

    /// Plays a random move; none if there is none.
    fn stray(&mut self) -> Option<()> {
        let moves = self.position.legal_moves();
        let mv = *self.dice.choose(&moves)?;
        self.position.play_unchecked(mv);
        Some(())
    }

    /// Goes on after an answer; returns the position that it labels, if that is quiet.
    fn advance(&mut self, answer: &Answer) -> Option<Labeled> {
        let loud = answer.best.is_capture() || answer.best.is_promotion();
        let quiet = !self.position.is_check() && !loud;
        let labeled = quiet.then(|| Labeled::new(&self.position, answer.score));
        // After a loud move the walk is on the way to something quiet.
        if loud || self.dice.index(RANDOM) > 0 {
            self.position.play_unchecked(answer.best);
        } else {
            self.stray();
        }
        labeled
    }

    fn ends(&mut self, answer: &Answer) -> bool {
        !self.is_open() || answer.score.abs() > DECIDED || self.dice.index(LAST) == 0
    }
}

/// What the labeling engine says of a position.
#[derive(Clone, Copy, Debug)]
struct Answer {
    score: i16,
    best: Move,
}

/// An engine that labels.
pub(crate) struct Labeler {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    go: String,
}

impl Labeler {
    /// Starts a UCI program that is asked with `go`.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(command: &str, go: &str) -> anyhow::Result<Labeler> {
        let mut words = command.split_whitespace();
        let mut child = Command::new(words.next().unwrap_or_default())
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| command.to_owned())?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("{command} has no standard input or output");
        };
        writeln!(input, "uci\nsetoption name Hash value 4")?;
        Ok(Labeler {
            child,
            input,
            output: BufReader::new(output),
            go: go.to_owned(),
        })
    }

    /// Asks about all positions at once, few enough for a pipe: the engine reads on while it thinks.
    fn ask<'a>(
        &mut self,
        positions: impl Iterator<Item = &'a Chess>,
    ) -> anyhow::Result<Vec<Option<Answer>>> {
        let positions: Vec<&Chess> = positions.collect();
        let mut text = String::new();
        for position in &positions {
            let fen = position::to_fen(position);
            text.push_str(&format!("position fen {fen}\ngo {}\n", self.go));
        }
        self.input.write_all(text.as_bytes())?;
        self.input.flush()?;
        positions.into_iter().map(|it| self.answer(it)).collect()
    }

    fn answer(&mut self, position: &Chess) -> anyhow::Result<Option<Answer>> {
        let mut score = None;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the labeling engine ended");
            }
            if let Some(rest) = line.strip_prefix("bestmove ") {
                let best = rest.split_whitespace().next().unwrap_or_default();
                let best = best
                    .parse()
                    .ok()
                    .and_then(|it: UciMove| it.to_move(position).ok());
                return Ok(score.zip(best).map(|(score, best)| Answer { score, best }));
            }
            score = centipawns(&line).or(score);
        }
    }
}

impl Drop for Labeler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The score of an `info` line; mates are as far as scores go.
fn centipawns(line: &str) -> Option<i16> {
    let mut words = line.split_whitespace().skip_while(|&it| it != "score");
    let kind = words.nth(1)?;
    let number: i32 = words.next()?.parse().ok()?;
    let score = match kind {
        "cp" => number,
        "mate" if number > 0 => i32::from(i16::MAX),
        "mate" => -i32::from(i16::MAX),
        _ => return None,
    };
    let greatest = i32::from(i16::MAX);
    i16::try_from(score.clamp(-greatest, greatest)).ok()
}

/// Follows one walk from each game and die; calls `take` with every label.
///
/// # Errors
/// If the engine fails.
pub(crate) fn label<'a>(
    labeler: &mut Labeler,
    games: impl IntoIterator<Item = (&'a Game, Dice)>,
    mut take: impl FnMut(&Labeled),
) -> anyhow::Result<()> {
    let leave = |(game, dice): (&Game, Dice)| Walk::leave(game, dice);
    let mut walks: Vec<Walk> = games.into_iter().filter_map(leave).collect();
    while !walks.is_empty() {
        let answers = labeler.ask(walks.iter().map(|it| &it.position))?;
        let mut open = Vec::with_capacity(walks.len());
        for (mut walk, answer) in walks.into_iter().zip(answers) {
            let Some(answer) = answer else { continue };
            if let Some(labeled) = walk.advance(&answer) {
                take(&labeled);
            }
            if !walk.ends(&answer) {
                open.push(walk);
            }
        }
        walks = open;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::pgn;

    fn position(fen: &str) -> Chess {
        position::parse(fen).unwrap()
    }

    #[test]
    fn a_record_shows_the_board_from_the_side_to_move() {
        let white = Labeled::new(&position("4k3/8/8/8/8/8/P7/4K2R w - - 0 1"), -300);
        let black = Labeled::new(&position("4k2r/p7/8/8/8/8/8/4K3 b - - 0 1"), -300);
        assert_eq!(white, black);
        let mut expected = [0; RECORD];
        expected[..8].copy_from_slice(&0x1000_0000_0000_0190_u64.to_le_bytes());
        // King, rook, pawn and the enemy's king.
        expected[8..10].copy_from_slice(&[0x35, 0xd0]);
        expected[24..].copy_from_slice(&[0xd4, 0xfe]);
        assert_eq!(white.bytes(), expected);
    }

    #[test]
    fn scores_are_read_and_mates_are_the_greatest() {
        assert_eq!(centipawns("info depth 3 score cp -31 nodes 5"), Some(-31));
        assert_eq!(centipawns("info score mate -2"), Some(-i16::MAX));
        assert_eq!(centipawns("info score cp 99999"), Some(i16::MAX));
        assert_eq!(centipawns("info string score"), None);
        assert_eq!(centipawns("bestmove e2e4"), None);
    }

    #[test]
    fn walks_keep_quiet_positions_and_follow_captures() {
        let start = position("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
        let takes = UciMove::from_ascii(b"e4d5")
            .unwrap()
            .to_move(&start)
            .unwrap();
        let mut walk = Walk {
            position: start,
            dice: Dice::new(1),
        };
        let answer = Answer {
            score: 250,
            best: takes,
        };
        assert_eq!(walk.advance(&answer), None);
        assert_eq!(walk.position.board().occupied().count(), 3);
        let best = walk.position.legal_moves()[0];
        let before = walk.position.clone();
        let answer = Answer { score: -250, best };
        assert_eq!(walk.advance(&answer), Some(Labeled::new(&before, -250)));
        let decided = Answer { score: 2_001, best };
        assert!(walk.ends(&decided));
    }

    #[test]
    fn a_walk_leaves_its_game_the_same_way_for_the_same_seed() {
        let game = pgn::read(b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 1-0")
            .game
            .unwrap();
        let left = |seed| Walk::leave(&game, Dice::new(seed)).unwrap().position;
        assert_eq!(left(1), left(1));
        assert!((0..20).any(|seed| left(seed) != left(1)));
        let short = pgn::read(b"1. e4 1-0").game.unwrap();
        assert!(Walk::leave(&short, Dice::new(1)).is_none());
    }
}
