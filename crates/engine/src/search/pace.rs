//! What a move costs.
//!
//! A pace turns a move into the depth that it spends. Forcing moves are cheap,
//! so lines made of them are followed further (Godescu, "An information
//! theoretic model of the partial depth scheme", 2011). A pace looks at the
//! position and the move alone; what the search has learnt about a move, such
//! as that it comes late in the order, is the search's business.

use std::fmt;
use std::str::FromStr;

use shakmaty::{Move, Role};

use super::Depth;

/// What a pace may know of a move.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The move.
    pub mv: Move,
    /// It gives check.
    pub gives_check: bool,
    /// It takes back on the square where the move before it captured.
    pub recaptures: bool,
    /// How many legal moves there were to choose from.
    pub choices: usize,
    /// By how many centipawns it changes the static evaluation, either way.
    /// Only asked for if [`Pace::looks_at_evaluation`].
    pub change: i32,
}

/// A rule for the cost of moves.
///
/// ```
/// use tabiya_engine::search::Pace;
///
/// assert_eq!("information-gain".parse(), Ok(Pace::InformationGain));
/// assert_eq!("appendix:2.5".parse(), Ok(Pace::Appendix { divisor: 2.5 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Every move costs one ply: plain alpha-beta.
    Uniform,
    /// A check is free, everything else costs one ply.
    CheckOnly,
    /// One ply less the move's information gain as a part of a check's:
    /// check 0, queen 0.02, rook 0.223, bishop 0.246, knight 0.389, pawn 0.592.
    InformationGain,
    /// The program in the paper's appendix: logarithms of the change of the
    /// evaluation and of the number of choices, over a divisor.
    Appendix {
        /// The greater, the less information counts.
        divisor: f64,
    },
    /// What pays in the strong form: see `docs/engine.md`.
    Forcing,
}

/// Bits of information in each category: the logarithm of the moves that it
/// takes from the opponent.
const CHECK_BITS: f64 = 4.906_890_595_608_519;
const QUEEN_BITS: f64 = 4.807_354_922_057_604;
const ROOK_BITS: f64 = 3.807_354_922_057_604;
const BISHOP_BITS: f64 = 3.700_439_718_141_092;
const KNIGHT_BITS: f64 = 3.0;
const PAWN_BITS: f64 = 2.0;

/// A change of the evaluation above this, in centipawns, is free in the
/// paper's program; a check counts as a change of [`CHECK_CHANGE`].
const FREE_CHANGE: i32 = 2_000;
const CHECK_CHANGE: i32 = 10_000;
/// Steps of the paper's program to a quiet ply.
const STEPS_A_PLY: f64 = 6.0;

impl Pace {
    /// The depth that the move spends; never negative.
    pub fn cost(self, step: &Step) -> Depth {
        match self {
            Pace::Uniform => Depth::PLY,
            Pace::CheckOnly if step.gives_check => Depth::ZERO,
            Pace::CheckOnly => Depth::PLY,
            Pace::InformationGain => information_cost(step),
            Pace::Appendix { divisor } => appendix_cost(step, divisor),
            Pace::Forcing => forcing_cost(step),
        }
    }

    /// Does the cost depend on [`Step::change`], which takes two evaluations?
    pub const fn looks_at_evaluation(self) -> bool {
        matches!(self, Pace::Appendix { .. })
    }

    /// The names that [`Pace::from_str`] knows.
    pub const NAMES: [&'static str; 5] = [
        "uniform",
        "check-only",
        "information-gain",
        "appendix",
        "forcing",
    ];
}

fn information_cost(step: &Step) -> Depth {
    let bits = if step.gives_check {
        CHECK_BITS
    } else {
        match step.mv.capture() {
            None | Some(Role::King) => 0.0,
            Some(Role::Queen) => QUEEN_BITS,
            Some(Role::Rook) => ROOK_BITS,
            Some(Role::Bishop) => BISHOP_BITS,
            Some(Role::Knight) => KNIGHT_BITS,
            Some(Role::Pawn) => PAWN_BITS,
        }
    };
    Depth::fraction(1.0 - bits / CHECK_BITS)
}

fn appendix_cost(step: &Step, divisor: f64) -> Depth {
    let change = step.change + if step.gives_check { CHECK_CHANGE } else { 0 };
    if change > FREE_CHANGE {
        return Depth::ZERO;
    }
    let gain =
        (0.1 + f64::from(change) / 100.0).abs().log10() + 5.0 / (step.choices as f64 + 2.0).ln();
    Depth::fraction((STEPS_A_PLY - gain / divisor) / STEPS_A_PLY).at_least(Depth::ZERO)
}

fn forcing_cost(step: &Step) -> Depth {
    if step.gives_check || step.choices == 1 {
        Depth::ZERO
    } else if step.recaptures {
        Depth::fraction(0.75)
    } else {
        Depth::PLY
    }
}

/// The paper's program without a divisor.
const DEFAULT_DIVISOR: f64 = 1.0;

impl FromStr for Pace {
    type Err = UnknownPace;

    fn from_str(name: &str) -> Result<Pace, UnknownPace> {
        let (name, argument) = name.split_once(':').unwrap_or((name, ""));
        match name {
            "uniform" => Ok(Pace::Uniform),
            "check-only" => Ok(Pace::CheckOnly),
            "information-gain" => Ok(Pace::InformationGain),
            "forcing" => Ok(Pace::Forcing),
            "appendix" if argument.is_empty() => Ok(Pace::Appendix {
                divisor: DEFAULT_DIVISOR,
            }),
            "appendix" => match argument.parse::<f64>() {
                Ok(divisor) if divisor.is_finite() && divisor > 0.0 => {
                    Ok(Pace::Appendix { divisor })
                }
                _ => Err(UnknownPace),
            },
            _ => Err(UnknownPace),
        }
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::Uniform => f.write_str("uniform"),
            Pace::CheckOnly => f.write_str("check-only"),
            Pace::InformationGain => f.write_str("information-gain"),
            Pace::Appendix { divisor } if *divisor == DEFAULT_DIVISOR => f.write_str("appendix"),
            Pace::Appendix { divisor } => write!(f, "appendix:{divisor}"),
            Pace::Forcing => f.write_str("forcing"),
        }
    }
}

/// No pace has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown pace; choose one of {} (appendix takes a divisor: appendix:2.5)", Pace::NAMES.join(", "))]
pub struct UnknownPace;

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Square;

    fn step(capture: Option<Role>, gives_check: bool) -> Step {
        let mv = Move::Normal {
            role: Role::Queen,
            from: Square::D1,
            capture,
            to: Square::D5,
            promotion: None,
        };
        Step {
            mv,
            gives_check,
            recaptures: false,
            choices: 30,
            change: 0,
        }
    }

    #[track_caller]
    fn check(pace: Pace, step: &Step, plies: f64) {
        assert_eq!(pace.cost(step), Depth::fraction(plies), "{pace} {step:?}");
    }

    #[test]
    fn information_gain_costs_what_the_paper_prints() {
        let pace = Pace::InformationGain;
        check(pace, &step(None, true), 0.0);
        check(pace, &step(Some(Role::Queen), false), 0.02);
        check(pace, &step(Some(Role::Rook), false), 0.2241);
        check(pace, &step(Some(Role::Bishop), false), 0.2459);
        check(pace, &step(Some(Role::Knight), false), 0.3886);
        check(pace, &step(Some(Role::Pawn), false), 0.5924);
        check(pace, &step(None, false), 1.0);
    }

    #[test]
    fn the_logarithms_are_of_thirty_twenty_eight_fourteen_thirteen_eight_and_four() {
        for (bits, moves) in [
            (CHECK_BITS, 30.0_f64),
            (QUEEN_BITS, 28.0),
            (ROOK_BITS, 14.0),
            (BISHOP_BITS, 13.0),
            (KNIGHT_BITS, 8.0),
            (PAWN_BITS, 4.0),
        ] {
            assert!((bits - moves.log2()).abs() < 1e-12);
        }
    }

    #[test]
    fn the_appendix_follows_its_formula() {
        // log10(0.1 + 9) + 5/ln(32) = 0.959 + 1.4427 = 2.4017; (6 - 2.4017/2)/6.
        let rook = Step {
            change: 900,
            ..step(Some(Role::Queen), false)
        };
        check(Pace::Appendix { divisor: 2.0 }, &rook, 0.799_86);
        let quiet = step(None, false);
        // log10(0.1) = -1: a move that changes nothing costs nearly a ply.
        check(
            Pace::Appendix { divisor: 1.0 },
            &quiet,
            (6.0 + 1.0 - 5.0 / 32.0_f64.ln()) / 6.0,
        );
        check(Pace::Appendix { divisor: 1.0 }, &step(None, true), 0.0);
        check(
            Pace::Appendix { divisor: 1.0 },
            &Step {
                change: 2_001,
                ..quiet
            },
            0.0,
        );
    }

    #[test]
    fn names_are_read_back() {
        for name in Pace::NAMES.iter().copied().chain(["appendix:3.5"]) {
            assert_eq!(
                name.parse::<Pace>().map(|it| it.to_string()),
                Ok(name.to_owned())
            );
        }
        for name in [
            "",
            "appendix:0",
            "appendix:-1",
            "appendix:nan",
            "appendix:x",
            "swift",
        ] {
            assert_eq!(name.parse::<Pace>(), Err(UnknownPace));
        }
    }
}
