//! Fits the weights of an evaluation to the results of games.
//!
//! Logistic regression (Texel's tuning method): the evaluation of a quiet
//! position predicts the score of the game it came from. Every weight has a
//! value for the middlegame and one for the endgame; what a position says about
//! them is linear, so gradients are exact. Only results are used, no engine's opinion.
//!
//! Material is given, not fitted. A master who is a piece down in a quiet
//! position has compensation for it, or would not be there; fitted to such
//! games a pawn comes out at a third of its worth in the middlegame, and an engine that
//! believes it gives pieces away. With material fixed, and the mean of each piece's
//! places and mobility held at zero, what makes up for material is credited
//! to what it is: activity, safety and threats.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use shakmaty::{Chess, Move, Position};
use tabiya_chess::CompactMove;
use tabiya_chess::exchange::wins_at_least;
use tabiya_engine::eval::{FULL_SCALE, Phase, contacts, standard, tuned};

use crate::sampling::Sampling;

/// Which evaluation is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Material and half-board places.
    Standard,
    /// Contacts between pieces, on top of the standard evaluation as it is.
    Contacts,
    /// Everything the strong evaluation looks at.
    Tuned,
}

impl Subject {
    fn weights(self) -> usize {
        match self {
            Subject::Standard => standard::WEIGHTS,
            Subject::Contacts => standard::WEIGHTS + contacts::WEIGHTS,
            Subject::Tuned => tuned::layout::WEIGHTS,
        }
    }

    /// What is given, in centipawns; the weights that follow are fitted, beginning with zero.
    fn given(self) -> Vec<[f32; 2]> {
        match self {
            Subject::Contacts => (0..standard::WEIGHTS)
                .map(standard::weight)
                .map(|it| [it.middlegame() as f32, it.endgame() as f32])
                .collect(),
            Subject::Standard | Subject::Tuned => MATERIAL.to_vec(),
        }
    }

    fn trace(self, position: &Chess, mut count: impl FnMut(usize, i32)) -> i32 {
        match self {
            Subject::Standard => {
                standard::trace(position.board(), count);
                FULL_SCALE
            }
            Subject::Contacts => {
                standard::trace(position.board(), &mut count);
                contacts::trace(position.board(), |weight, times| {
                    count(standard::WEIGHTS + weight, times);
                });
                FULL_SCALE
            }
            Subject::Tuned => tuned::trace(position, count),
        }
    }
}

/// What one position says: its phase, the game's score for White, and which
/// weights speak how often.
struct Sample {
    middlegame: f32,
    endgame: f32,
    result: f32,
    first: u32,
    last: u32,
}

/// Positions with what the evaluation sees in them.
pub(crate) struct Samples {
    subject: Subject,
    samples: Vec<Sample>,
    findings: Vec<(u16, i16)>,
}

impl Samples {
    /// Draws quiet positions from every decided or drawn game of a PGN file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn from_pgn(
        subject: Subject,
        path: &Path,
        sampling: Sampling,
    ) -> io::Result<Samples> {
        let mut samples = Samples {
            subject,
            samples: Vec::new(),
            findings: Vec::new(),
        };
        sampling.games(path, |game| {
            for sampled in sampling.positions(game) {
                if is_quiet(&sampled.position, sampled.next) {
                    samples.add(&sampled.position, sampled.result);
                }
            }
        })?;
        Ok(samples)
    }

    /// How many positions.
    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Is there none?
    pub(crate) fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Adds one position whose game ended so for White.
    pub(crate) fn add(&mut self, position: &Chess, result: f32) {
        let first = self.findings.len();
        let mut counts = std::collections::BTreeMap::new();
        let scale = self.subject.trace(position, |weight, times| {
            *counts.entry(weight as u16).or_insert(0_i16) += times as i16;
        });
        self.findings
            .extend(counts.into_iter().filter(|it| it.1 != 0));
        let phase = Phase::of(position.board()).value() as f32 / Phase::OPENING.value() as f32;
        self.samples.push(Sample {
            middlegame: phase,
            endgame: (1.0 - phase) * scale as f32 / FULL_SCALE as f32,
            result,
            first: first as u32,
            last: self.findings.len() as u32,
        });
    }

    fn evaluate(&self, sample: &Sample, weights: &[[f32; 2]]) -> f32 {
        let (mut middlegame, mut endgame) = (0.0, 0.0);
        for &(weight, times) in &self.findings[sample.first as usize..sample.last as usize] {
            let [early, late] = weights[usize::from(weight)];
            middlegame += early * f32::from(times);
            endgame += late * f32::from(times);
        }
        middlegame * sample.middlegame + endgame * sample.endgame
    }
}

/// Nothing hangs, nobody is in check, and the game went on quietly.
fn is_quiet(position: &Chess, next: CompactMove) -> bool {
    let quiet = |mv: Move| !mv.is_capture() && !mv.is_promotion();
    !position.is_check()
        && next.to_move(position.board()).is_some_and(quiet)
        && position
            .legal_moves()
            .into_iter()
            .all(|mv| quiet(mv) || !wins_at_least(position, mv, 1))
}

/// Steps and their size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// Passes over all positions.
    pub(crate) epochs: usize,
    /// Centipawns that a weight moves at first.
    pub(crate) rate: f32,
    /// Pull of every weight toward zero, against noise in rare ones.
    pub(crate) decay: f32,
}

/// Fitted weights and how well they predict.
pub(crate) struct Fit {
    /// Middlegame and endgame, in centipawns.
    pub(crate) weights: Vec<[f32; 2]>,
    /// Mean squared error of the predicted score on every tenth position, which was not fitted.
    pub(crate) held_out: f64,
    /// The same with what is given alone.
    pub(crate) held_out_before: f64,
}

/// Fits the weights, beginning with what is given alone.
pub(crate) fn fit(
    samples: &Samples,
    schedule: Schedule,
    mut progress: impl FnMut(usize, f64),
) -> Fit {
    let mut weights = initial(samples.subject);
    let given = samples.subject.given().len();
    let slope = best_slope(samples, &weights);
    let centered = Centering::new(samples);
    let held_out_before = error(samples, &weights, slope);
    let mut momentum = vec![[0.0_f32; 2]; weights.len()];
    let mut variance = vec![[0.0_f32; 2]; weights.len()];
    for epoch in 1..=schedule.epochs {
        let gradient = gradient(samples, &weights, slope);
        let rate = schedule.rate * (1.0 - 0.9 * epoch as f32 / schedule.epochs as f32);
        adam(
            &mut weights[given..],
            &mut momentum[given..],
            &mut variance[given..],
            &gradient[given..],
            rate,
            schedule.decay,
            epoch,
        );
        centered.apply(&mut weights);
        if epoch % 20 == 0 || epoch == schedule.epochs {
            progress(epoch, error(samples, &weights, slope));
        }
    }
    let held_out = error(samples, &weights, slope);
    Fit {
        weights,
        held_out,
        held_out_before,
    }
}

/// Centipawns of pawn to queen, middlegame and endgame.
const MATERIAL: [[f32; 2]; 5] = [
    [88.0, 120.0],
    [335.0, 345.0],
    [350.0, 365.0],
    [480.0, 610.0],
    [990.0, 1110.0],
];

fn initial(subject: Subject) -> Vec<[f32; 2]> {
    let mut weights = subject.given();
    weights.resize(subject.weights(), [0.0; 2]);
    weights
}

/// Groups of weights of which exactly one speaks for each piece, with how
/// often each does: their mean is part of the piece's value and is held at zero.
struct Centering {
    groups: Vec<(usize, usize)>,
    frequency: Vec<f64>,
}

impl Centering {
    fn new(samples: &Samples) -> Centering {
        let mut frequency = vec![0.0; samples.subject.weights()];
        for &(weight, times) in &samples.findings {
            frequency[usize::from(weight)] += f64::from(times).abs();
        }
        let groups = match samples.subject {
            Subject::Standard => (0..6)
                .map(|it| (5 + it * standard::HALF_BOARD, standard::HALF_BOARD))
                .collect(),
            Subject::Contacts => Vec::new(),
            Subject::Tuned => {
                let group = |name: &str| {
                    tuned::layout::GROUPS
                        .iter()
                        .find(|it| it.0 == name)
                        .map(|it| (it.1, it.2))
                };
                let places = group("PLACES")
                    .into_iter()
                    .flat_map(|(first, _)| (0..6).map(move |it| (first + it * 64, 64)));
                let mobility = [
                    "KNIGHT_MOBILITY",
                    "BISHOP_MOBILITY",
                    "ROOK_MOBILITY",
                    "QUEEN_MOBILITY",
                ];
                places
                    .chain(mobility.into_iter().filter_map(group))
                    .collect()
            }
        };
        Centering { groups, frequency }
    }

    fn apply(&self, weights: &mut [[f32; 2]]) {
        for &(first, size) in &self.groups {
            let group = &mut weights[first..first + size];
            let frequency = &self.frequency[first..first + size];
            let total: f64 = frequency.iter().sum();
            for half in 0..2 {
                let sum: f64 = group
                    .iter()
                    .zip(frequency)
                    .map(|(it, often)| f64::from(it[half]) * often)
                    .sum();
                let mean = (sum / total.max(1.0)) as f32;
                for (it, _) in group.iter_mut().zip(frequency).filter(|it| *it.1 > 0.0) {
                    it[half] -= mean;
                }
            }
        }
    }
}

/// Every tenth position is kept apart to judge the fit.
fn is_held_out(index: usize) -> bool {
    index % 10 == 9
}

fn predicted(evaluation: f32, slope: f32) -> f32 {
    1.0 / (1.0 + (-evaluation * slope).exp())
}

/// Mean squared error on the positions held out.
fn error(samples: &Samples, weights: &[[f32; 2]], slope: f32) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for (_, sample) in samples
        .samples
        .iter()
        .enumerate()
        .filter(|it| is_held_out(it.0))
    {
        let miss = predicted(samples.evaluate(sample, weights), slope) - sample.result;
        sum += f64::from(miss * miss);
        count += 1;
    }
    sum / f64::from(count.max(1))
}

/// The slope of the logistic curve for which what is given alone predicts best:
/// it fixes what a centipawn means.
fn best_slope(samples: &Samples, weights: &[[f32; 2]]) -> f32 {
    let candidates = (1..=40).map(|step| step as f32 * 0.0002);
    let mut best = (f64::INFINITY, 0.004);
    for slope in candidates {
        let error = error(samples, weights, slope);
        if error < best.0 {
            best = (error, slope);
        }
    }
    best.1
}

fn gradient(samples: &Samples, weights: &[[f32; 2]], slope: f32) -> Vec<[f32; 2]> {
    let mut sums = vec![[0.0_f64; 2]; weights.len()];
    let mut count = 0_u32;
    for (_, sample) in samples
        .samples
        .iter()
        .enumerate()
        .filter(|it| !is_held_out(it.0))
    {
        let expected = predicted(samples.evaluate(sample, weights), slope);
        let pull = (expected - sample.result) * expected * (1.0 - expected) * slope;
        for &(weight, times) in &samples.findings[sample.first as usize..sample.last as usize] {
            let sum = &mut sums[usize::from(weight)];
            sum[0] += f64::from(pull * sample.middlegame * f32::from(times));
            sum[1] += f64::from(pull * sample.endgame * f32::from(times));
        }
        count += 1;
    }
    let scale = f64::from(count.max(1));
    sums.into_iter()
        .map(|it| it.map(|sum| (sum / scale) as f32))
        .collect()
}

/// One step of Adam, with weights pulled toward zero apart from the gradient.
fn adam(
    weights: &mut [[f32; 2]],
    momentum: &mut [[f32; 2]],
    variance: &mut [[f32; 2]],
    gradient: &[[f32; 2]],
    rate: f32,
    decay: f32,
    epoch: usize,
) {
    const KEEP: [f32; 2] = [0.9, 0.999];
    let warm = KEEP.map(|it| 1.0 - it.powi(epoch as i32));
    for index in 0..weights.len() {
        for half in 0..2 {
            let slope = gradient[index][half];
            let mean = &mut momentum[index][half];
            let square = &mut variance[index][half];
            *mean = KEEP[0] * *mean + (1.0 - KEEP[0]) * slope;
            *square = KEEP[1] * *square + (1.0 - KEEP[1]) * slope * slope;
            let step = (*mean / warm[0]) / ((*square / warm[1]).sqrt() + 1e-9);
            let weight = &mut weights[index][half];
            *weight -= rate * (step + decay * *weight);
        }
    }
}

/// The weights as the Rust table that the engine compiles.
pub(crate) fn to_rust(subject: Subject, weights: &[[f32; 2]], made_by: &str) -> String {
    let parts = match subject {
        Subject::Contacts => contacts::PARTS as f32,
        Subject::Standard | Subject::Tuned => 1.0,
    };
    let weights: Vec<String> = weights
        .iter()
        .map(|it| it.map(|it| (it * parts).round()))
        .map(|[middlegame, endgame]| format!("t({middlegame}, {endgame})"))
        .collect();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "//! Weights fitted to games; do not edit. Made by\n//! `{made_by}`\n"
    );
    match subject {
        Subject::Standard => {
            text.push_str("use super::Taper;\n\nconst fn t(middlegame: i32, endgame: i32) -> Taper {\n    Taper::new(middlegame, endgame)\n}\n");
            let _ = writeln!(
                text,
                "\n/// Pawn to queen.\n#[rustfmt::skip]\npub(crate) const MATERIAL: [Taper; 5] = [\n    {},\n];",
                weights[..5].join(", ")
            );
            let _ = writeln!(
                text,
                "\n/// Half-boards from a1 to d8, pawn to king.\n#[rustfmt::skip]\npub(crate) const PLACES: [[Taper; 32]; 6] = ["
            );
            for table in weights[5..].chunks(standard::HALF_BOARD) {
                text.push_str("    [\n");
                for rank in table.chunks(4) {
                    let _ = writeln!(text, "        {},", rank.join(", "));
                }
                text.push_str("    ],\n");
            }
            text.push_str("];\n");
        }
        Subject::Contacts => {
            text.push_str("use super::{Taper, contacts};\n\nconst fn t(middlegame: i32, endgame: i32) -> Taper {\n    Taper::new(middlegame, endgame)\n}\n");
            text.push_str("\n/// For each link friends, then foes; a row for each acting piece, a column for each acted on, pawn to king.\n#[rustfmt::skip]\npub(super) const LINKS_OF_CONTACTS: [[Taper; contacts::KINDS]; contacts::LINKS] = [\n");
            for link in weights[standard::WEIGHTS..].chunks(contacts::KINDS) {
                text.push_str("    [\n");
                for row in link.chunks(6) {
                    let _ = writeln!(text, "        {},", row.join(", "));
                }
                text.push_str("    ],\n");
            }
            text.push_str("];\n");
        }
        Subject::Tuned => {
            text.push_str("use crate::eval::Taper;\n\nconst fn t(middlegame: i32, endgame: i32) -> Taper {\n    Taper::new(middlegame, endgame)\n}\n\n#[rustfmt::skip]\npub(crate) const WEIGHTS: [Taper; super::layout::WEIGHTS] = [\n");
            for &(name, first, size) in tuned::layout::GROUPS {
                let _ = writeln!(text, "    // {name}");
                for row in weights[first..first + size].chunks(8) {
                    let _ = writeln!(text, "    {},", row.join(", "));
                }
            }
            text.push_str("];\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, fen::Fen};

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap()
    }

    /// A rook on the seventh rank always wins, one on the first only draws.
    fn lopsided() -> Samples {
        let mut samples = Samples {
            subject: Subject::Standard,
            samples: Vec::new(),
            findings: Vec::new(),
        };
        for _ in 0..40 {
            samples.add(&position("4k3/R7/8/8/8/8/8/4K3 w - - 0 1"), 1.0);
            samples.add(&position("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), 0.5);
        }
        samples
    }

    #[test]
    fn weights_follow_results() {
        let samples = lopsided();
        let fit = fit(
            &samples,
            Schedule {
                epochs: 200,
                rate: 5.0,
                decay: 0.0,
            },
            |_, _| {},
        );
        assert!(fit.held_out < fit.held_out_before);
        let rook = |rank: usize| fit.weights[5 + 3 * standard::HALF_BOARD + rank * 4];
        assert!(
            rook(6)[1] > rook(0)[1] + 20.0,
            "{:?} {:?}",
            rook(6),
            rook(0)
        );
        assert_eq!(fit.weights[..5], MATERIAL);
    }

    #[test]
    fn gradients_agree_with_differences() {
        let samples = lopsided();
        let mut weights = initial(Subject::Standard);
        let slope = 0.004;
        let total = |weights: &[[f32; 2]]| -> f64 {
            let fitted: Vec<_> = samples
                .samples
                .iter()
                .enumerate()
                .filter(|it| !is_held_out(it.0))
                .collect();
            let sum: f64 = fitted
                .iter()
                .map(|(_, it)| {
                    f64::from(predicted(samples.evaluate(it, weights), slope) - it.result).powi(2)
                })
                .sum();
            sum / fitted.len() as f64
        };
        let exact = f64::from(gradient(&samples, &weights, slope)[1][1]) * 2.0;
        weights[1][1] += 5.0;
        let above = total(&weights);
        weights[1][1] -= 10.0;
        let below = total(&weights);
        assert!(
            ((above - below) / 10.0 - exact).abs() < 1e-6,
            "{} {exact}",
            (above - below) / 10.0
        );
    }

    #[test]
    fn hanging_pieces_are_not_quiet() {
        let hanging = position("4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1");
        let king = CompactMove::from(
            hanging
                .legal_moves()
                .into_iter()
                .find(|it| it.role() == shakmaty::Role::King)
                .unwrap(),
        );
        assert!(!is_quiet(&hanging, king));
        let held = position("4k3/8/8/3n4/8/4P3/8/4K3 w - - 0 1");
        assert!(is_quiet(
            &held,
            CompactMove::from(
                held.legal_moves()
                    .into_iter()
                    .find(|it| it.role() == shakmaty::Role::King)
                    .unwrap()
            )
        ));
    }
}
