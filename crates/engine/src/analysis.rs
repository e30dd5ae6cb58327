//! The analysis of a game: what each position is worth, and which moves cost something.
//!
//! Every position is searched alone, with an empty table, so that the result does not depend on
//! the number of threads. A move that seems to cost a little is searched once more, beside the best
//! move and ten times as long; only what this look confirms is a lapse.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::{Move, Position};
use tabiya_chess::{CompactMove, Game, Line};

use crate::{
    Score,
    search::{Candidates, Engine, Limits, Settings, Signal, Task},
};

/// What a search found in a position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// For the side to move.
    pub score: Score,
    /// The best line; empty if the score was known before.
    pub line: Vec<CompactMove>,
}

/// How bad a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It costs a tenth of the way from a sure loss to a sure win.
    Inaccuracy,
    /// It costs two tenths.
    Mistake,
    /// It costs three tenths or more.
    Blunder,
}

impl Severity {
    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Inaccuracy => "inaccuracy",
            Severity::Mistake => "mistake",
            Severity::Blunder => "blunder",
        }
    }

    /// The severity of a loss of winning chances; `None` if the move is good enough.
    fn of(loss: f64) -> Option<Severity> {
        match loss {
            _ if loss >= 0.3 => Some(Severity::Blunder),
            _ if loss >= 0.2 => Some(Severity::Mistake),
            _ if loss >= 0.1 => Some(Severity::Inaccuracy),
            _ => None,
        }
    }
}

/// A move that costs something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lapse {
    /// The number of plies before the move.
    pub ply: u16,
    /// How bad it is.
    pub severity: Severity,
    /// The loss of winning chances, which range from -1 to 1.
    pub loss: f64,
    /// The best play, for the player who moves.
    pub best: Verdict,
    /// The play after the move, for the same player; the line begins with the move.
    pub played: Verdict,
}

/// What is known of a game, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// For each position of the part, the first included.
    pub verdicts: Vec<Verdict>,
    /// The moves that cost something, in order.
    pub lapses: Vec<Lapse>,
}

/// The winning chances of a score, from -1 to 1: the curve that Lichess fitted to its games.
///
/// ```
/// use tabiya_engine::{Score, analysis::chance};
///
/// assert_eq!(chance(Score::DRAW), 0.0);
/// assert_eq!(chance(Score::mates_in(3)), 1.0);
/// assert!((chance(Score::evaluation(100)) - 0.18).abs() < 0.01);
/// ```
pub fn chance(score: Score) -> f64 {
    if score.is_decided() {
        return f64::from(score.value().signum());
    }
    let centipawns = f64::from(score.value().clamp(-1000, 1000));
    2.0 / (1.0 + (-0.003_682_08 * centipawns).exp()) - 1.0
}

/// A move that seems to lose less gets no longer look. A short search misjudges many moves by as
/// much, so this is far below the least lapse.
const SUSPICIOUS: f64 = 0.03;

/// How much longer the look at such a move is.
const LONGER: u64 = 10;

/// Analyzes some plies of a game, up to its first null move. Scores that are known (see
/// [`known_scores`]) are taken as they are; `step` is called before every search and says whether to go on. An
/// analysis that did not go on has no lapses and is meaningless.
pub fn analyze(
    game: &Game,
    plies: Range<usize>,
    limits: &Limits,
    known: &[Option<Score>],
    step: impl Fn() -> bool + Sync,
) -> Analysis {
    let mut lines = lines(game);
    lines.truncate(plies.end.saturating_add(1));
    let first = plies.start.min(lines.len() - 1);
    let verdict = |(ply, line): (usize, &Line)| match known.get(ply).copied().flatten() {
        Some(score) => Verdict {
            score,
            line: Vec::new(),
        },
        None if step() => search(line, limits.clone(), Candidates::All),
        None => Verdict::default(),
    };
    let searched = lines.par_iter().enumerate().skip(first);
    let verdicts: Vec<Verdict> = searched.map(verdict).collect();
    let suspicious = |&ply: &usize| {
        let (before, after) = (&verdicts[ply - first], &verdicts[ply + 1 - first]);
        let loss = chance(before.score) - chance(-after.score);
        loss >= SUSPICIOUS
    };
    let plies: Vec<usize> = (first..lines.len() - 1).filter(suspicious).collect();
    let look = |&ply: &usize| match step() {
        true => look(
            &lines[ply],
            lines[ply + 1].moves()[ply],
            &limits.times(LONGER),
        ),
        false => None,
    };
    let lapses = plies.par_iter().map(look);
    Analysis {
        lapses: lapses.collect::<Vec<_>>().into_iter().flatten().collect(),
        verdicts,
    }
}

/// The beginnings of a game, each with one move more; up to the first null move.
fn lines(game: &Game) -> Vec<Line> {
    let mut lines = vec![Line::new(game.start())];
    for compact in &game.moves {
        let mut line = lines[lines.len() - 1].clone();
        let mv = compact.to_move(line.position().board());
        match mv.map(|it| line.push(it)) {
            Some(Ok(())) => lines.push(line),
            _ => break,
        }
    }
    lines
}

/// Searches the best move and the one that was played; `None` if that is good enough.
fn look(line: &Line, played: Move, limits: &Limits) -> Option<Lapse> {
    let best = search(line, limits.clone(), Candidates::All);
    if best.line.first() == Some(&CompactMove::from(played)) {
        return None;
    }
    let played = search(line, limits.clone(), Candidates::Only(vec![played]));
    let loss = chance(best.score) - chance(played.score);
    Some(Lapse {
        ply: line.moves().len() as u16,
        severity: Severity::of(loss)?,
        loss,
        best,
        played,
    })
}

fn search(line: &Line, limits: Limits, candidates: Candidates) -> Verdict {
    let mut engine = Engine::new(Settings::default());
    let task = Task {
        line: line.clone(),
        limits,
        candidates,
        lines: 1,
    };
    let found = engine.search(&task, &Signal::new(false), &mut |_| {});
    Verdict {
        score: found.score,
        line: found.line.into_iter().map(CompactMove::from).collect(),
    }
}

/// The scores that the comments of a game give its positions, as `[%eval 0.35]` or
/// `[%eval #-3]`, for the side to move; the first is that of the start.
pub fn known_scores(game: &Game) -> Vec<Option<Score>> {
    let start = game.start().turn();
    let score = |ply: usize| {
        let comments = game.annotations.comments_at(ply);
        let white = comments.filter_map(stated_score).next()?;
        let is_white = start.fold_wb(ply.is_multiple_of(2), !ply.is_multiple_of(2));
        Some(if is_white { white } else { -white })
    };
    (0..=game.moves.len()).map(score).collect()
}

/// The score of a comment, for White.
fn stated_score(comment: &str) -> Option<Score> {
    let (_, rest) = comment.split_once("[%eval ")?;
    let text = rest.split([']', ',']).next()?.trim();
    if let Some(moves) = text.strip_prefix('#') {
        let moves: i32 = moves.parse().ok()?;
        let plies = 2 * moves.unsigned_abs() as usize;
        let is_sound = plies <= Score::LONGEST_LINE;
        return is_sound.then(|| match moves > 0 {
            true => Score::mates_in(plies.max(1) - 1),
            false => Score::mated_in(plies),
        });
    }
    let pawns: f64 = text.parse().ok().filter(|it: &f64| it.is_finite())?;
    Some(Score::evaluation((100.0 * pawns).round() as i32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::pgn;

    fn game(text: &str) -> Game {
        pgn::read(text.as_bytes()).game.unwrap()
    }

    #[test]
    fn a_blunder_is_found_and_good_moves_are_not() {
        // 3...Nf6 allows mate; the moves before it are fine.
        let game = game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n");
        let analysis = analyze(&game, 0..7, &Limits::nodes(4000), &[], || true);
        assert_eq!(analysis.verdicts.len(), 8);
        let blunders: Vec<u16> = analysis
            .lapses
            .iter()
            .filter(|it| it.severity == Severity::Blunder)
            .map(|it| it.ply)
            .collect();
        assert_eq!(blunders, [5]);
        let lapse = &analysis.lapses[analysis.lapses.len() - 1];
        assert_eq!(lapse.played.score.mate_distance(), Some(-1));
        assert!(lapse.best.score.mate_distance().is_none());
    }

    #[test]
    fn known_scores_are_taken_and_still_checked() {
        // The comment claims that a good move loses a rook; a longer look denies it.
        let game = game("1. e4 { [%eval -5.0] } e5 { [%eval 0.2] } *\n");
        let known = known_scores(&game);
        assert_eq!(
            known,
            [
                None,
                Some(Score::evaluation(500)),
                Some(Score::evaluation(20))
            ]
        );
        let analysis = analyze(&game, 0..2, &Limits::nodes(2000), &known, || true);
        assert_eq!(analysis.verdicts[1].score, Score::evaluation(500));
        assert!(
            analysis
                .lapses
                .iter()
                .all(|it| it.severity < Severity::Mistake)
        );
    }

    #[test]
    fn stated_scores_are_read_or_ignored() {
        let mate = stated_score("[%eval #-3] oh").unwrap();
        assert_eq!(mate.mate_distance(), Some(-3));
        assert_eq!(stated_score("[%eval #2]").unwrap().mate_distance(), Some(2));
        assert_eq!(stated_score("[%eval 0.35,22]"), Some(Score::evaluation(35)));
        for wrong in [
            "",
            "[%eval x]",
            "[%eval #]",
            "[%eval nan]",
            "[%eval #99999]",
        ] {
            assert_eq!(stated_score(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_null_move_ends_the_analysis() {
        let game = game("1. e4 -- 2. d4 *\n");
        let analyze = |step: fn() -> bool| analyze(&game, 0..3, &Limits::nodes(100), &[], step);
        assert_eq!(analyze(|| true).verdicts.len(), 2);
        assert_eq!(analyze(|| false).lapses, []);
    }
}
