//! When a search must end. The only part of it that reads a clock.
//!
//! [`Limits`] is what was asked for; a [`Signal`] lets another thread stop the search
//! or say that a pondered move was played; `Watch` holds both against the
//! time and the nodes spent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Depth;

/// How far a search may go; whatever is reached first ends it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Depth of the last iteration.
    pub depth: Option<Depth>,
    /// Positions visited, on all threads.
    pub nodes: Option<u64>,
    /// Stop at a mate in this many moves.
    pub mate: Option<u32>,
    /// Time for this move.
    pub time: Option<Allowance>,
    /// Kept back from a clock for what happens outside the search.
    pub overhead: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: None,
            nodes: None,
            mate: None,
            time: None,
            overhead: OVERHEAD,
        }
    }
}

/// Time for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Exactly this long.
    Move(Duration),
    /// A clock to be shared among the moves still to come.
    Clock {
        /// Left for the side to move.
        remaining: Duration,
        /// Added after every move.
        increment: Duration,
        /// Moves until more time comes, if that is known.
        moves_to_go: Option<u32>,
    },
}

impl Allowance {
    /// The same with other times, of which at least a millisecond remains.
    fn map(
        self,
        time: impl Fn(Duration) -> Duration,
        increment: impl Fn(Duration) -> Duration,
    ) -> Allowance {
        let time = |it: Duration| time(it).max(Duration::from_millis(1));
        match self {
            Allowance::Move(it) => Allowance::Move(time(it)),
            Allowance::Clock {
                remaining,
                increment: added,
                moves_to_go,
            } => Allowance::Clock {
                remaining: time(remaining),
                increment: increment(added),
                moves_to_go,
            },
        }
    }
}

impl Limits {
    /// Only a number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    /// Only a number of full plies.
    pub fn depth(plies: i32) -> Limits {
        Limits {
            depth: Some(Depth::plies(plies)),
            ..Limits::default()
        }
    }

    /// A part of what may be spent, for a search that is one of several. A
    /// depth becomes less by a ply for each halving.
    #[must_use]
    pub fn part(&self, part: f64) -> Limits {
        let part = part.clamp(0.0, 1.0);
        let plies = part.max(f64::MIN_POSITIVE).log2().round() as i32;
        Limits {
            depth: self
                .depth
                .map(|it| (it + Depth::plies(plies)).at_least(Depth::PLY)),
            nodes: self.nodes.map(|it| ((it as f64 * part) as u64).max(1)),
            mate: self.mate,
            time: self
                .time
                .map(|it| it.map(|it| it.mul_f64(part), |it| it.mul_f64(part))),
            overhead: self.overhead,
        }
    }

    /// What is left when something else took some of the time.
    #[must_use]
    pub fn after(&self, spent: Duration) -> Limits {
        let left = |it: Duration| it.saturating_sub(spent);
        Limits {
            time: self.time.map(|it| it.map(left, |increment| increment)),
            ..self.clone()
        }
    }

    /// The same with more nodes and time.
    pub(crate) fn times(&self, factor: u64) -> Limits {
        let factor_u32 = u32::try_from(factor).unwrap_or(u32::MAX);
        Limits {
            nodes: self.nodes.map(|it| it.saturating_mul(factor)),
            time: self.time.map(|it| match it {
                Allowance::Move(time) => Allowance::Move(time.saturating_mul(factor_u32)),
                clock => clock,
            }),
            ..self.clone()
        }
    }

    /// About how long this move may take, if a clock says so.
    pub fn expected(&self) -> Option<Duration> {
        self.time.map(|it| match it {
            Allowance::Move(time) => time,
            Allowance::Clock {
                remaining,
                increment,
                moves_to_go,
            } => share(remaining, increment, moves_to_go, self.overhead).0,
        })
    }

    /// Would the search go on for ever by itself?
    pub const fn is_infinite(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.mate.is_none() && self.time.is_none()
    }
}

/// Runs a function; also returns how long it took.
pub(crate) fn timed<T>(act: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = act();
    (done, start.elapsed())
}

/// Stops a running search from another thread.
#[derive(Debug)]
pub struct Signal {
    stop: AtomicBool,
    pondering: AtomicBool,
    since: Mutex<Instant>,
    released: Condvar,
}

impl Signal {
    /// A search that may run; with `pondering` its clock does not run yet.
    pub fn new(pondering: bool) -> Signal {
        Signal {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            since: Mutex::new(Instant::now()),
            released: Condvar::new(),
        }
    }

    /// Ends the search as soon as may be.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.release();
    }

    /// The pondered move was played: from now on the clock runs.
    pub fn ponder_hit(&self) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.pondering.store(false, Ordering::SeqCst);
        self.release();
    }

    /// Waits until the search was stopped, or, unless it is to go on for ever, until it no longer ponders.
    pub fn wait_for_release(&self, infinite: bool) {
        let mut guard = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self
                .released
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    fn release(&self) {
        // Taking the lock orders this after a waiter's test of the flags.
        drop(self.since.lock());
        self.released.notify_all();
    }

    fn since(&self) -> Instant {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is usually kept back from a clock.
pub(crate) const OVERHEAD: Duration = Duration::from_millis(20);
/// How many moves a game is assumed to go on for.
const MOVES_AHEAD: u32 = 26;
/// Nodes between two looks at the clock.
const LOOK_EVERY: u64 = 1_024;

/// Limits and signal of a running search.
pub(crate) struct Watch<'a> {
    limits: &'a Limits,
    signal: &'a Signal,
    started: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
}

impl<'a> Watch<'a> {
    pub(crate) fn start(limits: &'a Limits, signal: &'a Signal) -> Watch<'a> {
        let (soft, hard) = match limits.time {
            None => (None, None),
            Some(Allowance::Move(time)) => {
                let time = time
                    .saturating_sub(limits.overhead / 4)
                    .max(Duration::from_millis(1));
                (None, Some(time))
            }
            Some(Allowance::Clock {
                remaining,
                increment,
                moves_to_go,
            }) => {
                let (soft, hard) = share(remaining, increment, moves_to_go, limits.overhead);
                (Some(soft), Some(hard))
            }
        };
        Watch {
            limits,
            signal,
            started: Instant::now(),
            soft,
            hard,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.limits
    }

    /// Since the search began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Must the search end before the next node? `total` are the nodes of all
    /// threads, `own` those of the thread that asks.
    pub(crate) fn must_stop(&self, total: u64, own: u64) -> bool {
        if self.limits.nodes.is_some_and(|most| total >= most) || self.signal.is_stopped() {
            return true;
        }
        own.is_multiple_of(LOOK_EVERY) && self.clock_says_stop(self.hard)
    }

    /// Is there no point in another iteration? `urgency` stretches or shortens
    /// the time: 1 is usual, less when the answer is clear.
    pub(crate) fn is_enough(&self, urgency: f64) -> bool {
        self.clock_says_stop(self.soft.map(|it| it.mul_f64(urgency.clamp(0.05, 4.0))))
    }

    /// Is a clock shared with later moves?
    pub(crate) fn has_clock(&self) -> bool {
        self.soft.is_some()
    }

    fn clock_says_stop(&self, most: Option<Duration>) -> bool {
        most.is_some_and(|most| !self.signal.is_pondering() && self.since().elapsed() >= most)
    }

    fn since(&self) -> Instant {
        self.started.max(self.signal.since())
    }
}

/// The time after which no new iteration begins, and that which ends one.
fn share(
    remaining: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
    overhead: Duration,
) -> (Duration, Duration) {
    let least = Duration::from_millis(1);
    let usable = remaining.saturating_sub(overhead).max(least);
    let moves = moves_to_go.unwrap_or(MOVES_AHEAD).clamp(1, MOVES_AHEAD);
    let soft = usable / moves + increment.mul_f64(0.7);
    let part = if moves == 1 { 0.9 } else { 0.4 };
    let hard = (soft * 4).min(usable.mul_f64(part)).max(least);
    (soft.min(hard), hard)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_move_never_takes_more_than_the_clock_has() {
        for milliseconds in [0, 1, 5, 21, 100, 1_000, 60_000] {
            for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40)] {
                let remaining = Duration::from_millis(milliseconds);
                let (soft, hard) = share(remaining, SECOND, moves_to_go, OVERHEAD);
                assert!(soft <= hard);
                assert!(
                    hard < remaining || milliseconds <= 1,
                    "{hard:?} of {remaining:?}"
                );
            }
        }
    }

    #[test]
    fn parts_and_rests_are_of_the_same_kind() {
        let clock = Allowance::Clock {
            remaining: 8 * SECOND,
            increment: SECOND,
            moves_to_go: Some(3),
        };
        let whole = Limits {
            depth: Some(Depth::plies(9)),
            nodes: Some(800),
            time: Some(clock),
            ..Limits::default()
        };
        let eighth = whole.part(0.125);
        assert_eq!(
            (eighth.depth, eighth.nodes),
            (Some(Depth::plies(6)), Some(100))
        );
        let expected = Allowance::Clock {
            remaining: SECOND,
            increment: SECOND / 8,
            moves_to_go: Some(3),
        };
        assert_eq!(eighth.time, Some(expected));
        assert_eq!(Limits::depth(1).part(0.01).depth, Some(Depth::PLY));
        assert_eq!(Limits::nodes(1).part(0.0).nodes, Some(1));
        let late = Limits {
            time: Some(Allowance::Move(SECOND)),
            ..Limits::default()
        };
        let left = late.after(2 * SECOND).time;
        assert_eq!(left, Some(Allowance::Move(Duration::from_millis(1))));
        assert!(Limits::default().after(SECOND).is_infinite());
        assert_eq!(late.expected(), Some(SECOND));
        assert!(whole.expected().is_some_and(|it| it < 8 * SECOND));
        assert_eq!(Limits::nodes(5).expected(), None);
    }

    #[test]
    fn nodes_and_signals_stop() {
        let (limits, signal) = (Limits::nodes(100), Signal::new(false));
        let watch = Watch::start(&limits, &signal);
        assert!(!watch.must_stop(99, 99) && watch.must_stop(100, 50));
        signal.stop();
        assert!(watch.must_stop(1, 1));
        signal.wait_for_release(true);
    }

    #[test]
    fn the_clock_waits_while_pondering() {
        let limits = Limits {
            time: Some(Allowance::Move(Duration::ZERO)),
            ..Limits::default()
        };
        let signal = Signal::new(true);
        let watch = Watch::start(&limits, &signal);
        assert!(!watch.must_stop(0, LOOK_EVERY));
        signal.ponder_hit();
        std::thread::sleep(Duration::from_millis(2));
        assert!(watch.must_stop(0, LOOK_EVERY));
        signal.wait_for_release(false);
    }
}
