//! The player: an engine, with or without a library.
//!
//! Without one, this *is* the engine. With one, a move is chosen in the phases
//! of [`library`](crate::library): retrieve, reuse, revise. Trouble with the
//! library is reported and never keeps the player from playing.

use std::time::Duration;

use shakmaty::{Chess, Move, Position};
use tabiya_chess::Tags;
use tabiya_retrieval::GameNumber;

use crate::level::Level;
use crate::library::{self, Library, Mode, Recollection, Settings};
use crate::search::{
    Bound, Candidates, Engine, Limits, Report, SearchResult, Signal, Task, limits,
};

/// An engine and its memory.
pub struct Player {
    /// What searches.
    pub engine: Engine,
    /// What remembers, if anything does.
    pub library: Option<Library>,
    /// How the library is asked.
    pub settings: Settings,
    /// How strong to play, if not as strong as possible.
    pub level: Option<Level>,
    /// Whether positions are analyzed: memory then has no say.
    pub analysis: bool,
    /// The longest that recalling takes, as far as is known; the first time
    /// also pays for checking the files and does not count.
    slowest: Option<Duration>,
}

/// A move and how it came about.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What the search found.
    pub result: SearchResult,
    /// What the library said.
    pub memory: Recollection,
    /// Search has shown that every remembered move loses something at once;
    /// this one does not.
    pub overruled: bool,
}

/// The part of the limits that a search of all moves gets before the search of
/// the remembered ones, and again to compare the two if they disagree.
const SCOUT: f64 = 0.125;

/// A remembered move that is worse than another by this many centipawns loses
/// something.
const LOSS: i32 = 150;

impl Player {
    /// A player without a library.
    pub fn new(engine: Engine) -> Player {
        Player {
            engine,
            library: None,
            settings: Settings::default(),
            level: None,
            analysis: false,
            slowest: None,
        }
    }

    /// Chooses a move. `warn` gets what went wrong with the library.
    pub fn choose(
        &mut self,
        task: &Task,
        signal: &Signal,
        report: &mut dyn FnMut(&Report),
        warn: &mut dyn FnMut(&str),
    ) -> Choice {
        let (memory, spent) = limits::timed(|| self.recall(task, warn));
        self.slowest = Some(self.slowest.map_or(Duration::ZERO, |it| it.max(spent)));
        let mut limits = task.limits.after(spent);
        if let Some(level) = self.level {
            let most = level.nodes();
            limits.nodes = Some(limits.nodes.map_or(most, |it| it.min(most)));
        }
        let task = Task {
            limits,
            ..task.clone()
        };
        self.think(&task, memory, signal, report)
    }

    /// The second and third phase: searches, given what was remembered, here
    /// or on other machines.
    pub fn think(
        &mut self,
        task: &Task,
        memory: Recollection,
        signal: &Signal,
        report: &mut dyn FnMut(&Report),
    ) -> Choice {
        // Moves that the caller has chosen stay as they are.
        let candidates = match task.candidates {
            Candidates::All if self.level.is_some() => memory.candidates_at_a_level(),
            Candidates::All => memory.candidates(task.line.position(), self.settings.mode),
            _ => Candidates::All,
        };
        let (result, overruled) = match candidates {
            Candidates::All => (self.engine.search(task, signal, report), false),
            Candidates::Favored(_) => {
                let favored = Task {
                    candidates,
                    ..task.clone()
                };
                (self.engine.search(&favored, signal, report), false)
            }
            Candidates::Only(moves) => self.revise(task, moves, signal, report),
        };
        Choice {
            result,
            memory,
            overruled,
        }
    }

    /// The first phase: what the library says; nothing if there is none.
    pub fn recall(&mut self, task: &Task, warn: &mut dyn FnMut(&str)) -> Recollection {
        let Some(library) = self.library.as_ref().filter(|_| !self.analysis) else {
            return Recollection::default();
        };
        // A case that comes too late does not help; exact positions take no time.
        let expected = task.limits.expected();
        if self.settings.mode != Mode::Prior && expected < self.slowest && expected.is_some() {
            // One slow day is forgotten after a while.
            self.slowest = self.slowest.map(|it| it.mul_f64(0.9));
            return Recollection::default();
        }
        let settings = self.settings.within(&task.limits);
        let level = self.level.map(|it| library::of_players_rated(it.elo()));
        let filter = level.unwrap_or_default();
        match library.recall(&task.line, &settings, &filter) {
            Ok(memory) => memory,
            Err(error) => {
                warn(&format!("playing without the library: {error}"));
                self.library = None;
                Recollection::default()
            }
        }
    }

    /// The third phase under a restriction. All moves are searched for a short
    /// time and the remembered ones for long; if those look worse than the best
    /// of all, the two are compared, and the better one is played.
    fn revise(
        &mut self,
        task: &Task,
        moves: Vec<Move>,
        signal: &Signal,
        report: &mut dyn FnMut(&Report),
    ) -> (SearchResult, bool) {
        let (scout, scouted) = self.explore(&task.within(SCOUT), signal, &mut |_| {});
        if signal.is_stopped() {
            // Nothing is known of the remembered moves, and nothing will be.
            return (scout, false);
        }
        let remembered = Task {
            candidates: Candidates::Only(moves.clone()),
            ..task.within(1.0 - 2.0 * SCOUT)
        };
        let (result, complete) = self.explore(&remembered, signal, report);
        if scouted && !complete {
            return (scout, false);
        }
        if !scouted && result.score.mate_distance().is_some_and(|it| it < 0) {
            return self.escape(task, &moves, result, signal, report);
        }
        let rival = scout.best.filter(|it| !moves.contains(it));
        let (Some(rival), Some(best)) = (rival, result.best) else {
            return (result, false);
        };
        if scout.score - result.score < LOSS {
            return (result, false);
        }
        let duel = Task {
            candidates: Candidates::Only(vec![best, rival]),
            ..task.within(SCOUT)
        };
        let (verdict, complete) = self.explore(&duel, signal, report);
        match verdict.best == Some(rival) {
            // There was no time to compare them: both scores are known.
            _ if !complete => (scout, true),
            true => (verdict, true),
            false => (result, false),
        }
    }

    /// The remembered moves are mated, and there was no time to look at all
    /// others: whatever is seen to be better will do.
    fn escape(
        &mut self,
        task: &Task,
        moves: &[Move],
        mated: SearchResult,
        signal: &Signal,
        report: &mut dyn FnMut(&Report),
    ) -> (SearchResult, bool) {
        let mut others: Vec<Move> = task.line.position().legal_moves().into_iter().collect();
        others.retain(|it| !moves.contains(it));
        if others.is_empty() {
            return (mated, false);
        }
        let others = Task {
            candidates: Candidates::Only(others),
            ..task.within(SCOUT)
        };
        let other = self.engine.search(&others, signal, report);
        match other.score > mated.score {
            true => (other, true),
            false => (mated, false),
        }
    }

    /// Searches; also returns whether all moves were searched. If not, the best
    /// of them may be any that came first.
    fn explore(
        &mut self,
        task: &Task,
        signal: &Signal,
        report: &mut dyn FnMut(&Report),
    ) -> (SearchResult, bool) {
        let mut complete = false;
        let result = self.engine.search(task, signal, &mut |it| {
            complete |= it.bound == Bound::Exact;
            report(it);
        });
        (result, complete)
    }

    /// Which mode the library is used in, if it is.
    pub fn mode(&self) -> Option<Mode> {
        self.library.as_ref().map(|_| self.settings.mode)
    }
}

impl Choice {
    /// What speaks for the move, in words; `None` if nothing was remembered.
    /// Games are named by the tags of their numbers.
    pub fn words(
        &self,
        position: &Chess,
        tags: impl Fn(GameNumber) -> Option<Tags>,
    ) -> Option<String> {
        let best = self.result.best?;
        if self.memory.is_empty() {
            return None;
        }
        let mut words = self.memory.words(position, best, tags);
        if self.overruled {
            words += "; the remembered moves lose something at once";
        }
        Some(words)
    }
}

impl Task {
    /// The same with a part of the limits. Without limits a depth stands in,
    /// so that the search ends.
    fn within(&self, part: f64) -> Task {
        let limits = match self.limits.is_infinite() && part < 0.5 {
            true => Limits::depth(SCOUT_PLIES),
            false => self.limits.part(part),
        };
        Task {
            limits,
            ..self.clone()
        }
    }
}

/// How deep all moves are searched beside a search without limits.
const SCOUT_PLIES: i32 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Allowance;
    use tabiya_chess::{Line, line::read_move};
    use tabiya_retrieval::collection::{Import, Progress};

    /// A player that answers 1.e4 by a library of one game.
    fn player(folder: &std::path::Path) -> Player {
        let pgn = folder.join("games.pgn");
        std::fs::write(&pgn, "[White \"A\"]\n\n1. e4 e5 2. Nf3 *\n").unwrap();
        let import = Import::new(vec![tabiya_chess::pgn::Input::File(pgn)]);
        import
            .run(&folder.join("db"), &Progress::default())
            .unwrap();
        let mut player = Player::new(Engine::new(Default::default()));
        player.library = Some(Library::open(&folder.join("db")).unwrap());
        player.settings.mode = Mode::Restrict;
        player
    }

    #[test]
    fn a_look_up_that_may_take_longer_than_the_move_is_not_begun() {
        let folder = tempfile::tempdir().unwrap();
        let mut player = player(folder.path());
        let task = |time| Task {
            line: Line::read(Chess::default(), "e4").unwrap(),
            limits: Limits {
                time: Some(Allowance::Move(time)),
                ..Limits::default()
            },
            ..Task::default()
        };
        let mut recalled = |slowest, time| {
            player.slowest = slowest;
            let memory = player.recall(&task(time), &mut |words| panic!("{words}"));
            (memory.cases, player.slowest)
        };
        let (moment, second) = (Duration::from_millis(10), Duration::from_secs(1));
        assert_eq!(recalled(None, moment), (1, None));
        assert_eq!(recalled(Some(moment), second), (1, Some(moment)));
        let (cases, slowest) = recalled(Some(second), moment);
        assert!(cases == 0 && slowest < Some(second));
    }

    /// Black to move can be mated on f7, and the only reaction allows it.
    fn before_the_mate(limits: Limits) -> (Task, Move) {
        let task = Task {
            line: Line::read(Chess::default(), "e4 e5 Qh5 Nc6 Bc4").unwrap(),
            limits,
            ..Task::default()
        };
        let blunder = read_move(task.line.position(), "a6").unwrap();
        (task, blunder)
    }

    #[test]
    fn a_search_that_is_stopped_plays_no_remembered_blunder() {
        let (task, blunder) = before_the_mate(Limits::nodes(200_000));
        // Stopped when something is reported for the nth time; the scout
        // reports nothing.
        for reports in 0..4 {
            let mut player = Player::new(Engine::new(Default::default()));
            let signal = Signal::new(false);
            let mut left = reports;
            let (result, _) = player.revise(&task, vec![blunder], &signal, &mut |_| {
                if left == 0 {
                    signal.stop();
                }
                left -= 1;
            });
            assert_ne!(result.best, Some(blunder), "after {reports} reports");
        }
    }

    #[test]
    fn a_stop_during_the_first_look_leaves_the_first_look() {
        let (task, blunder) = before_the_mate(Limits {
            time: Some(Allowance::Move(Duration::from_secs(600))),
            ..Limits::default()
        });
        let mut player = Player::new(Engine::new(Default::default()));
        let signal = Signal::new(false);
        let (result, overruled) = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                signal.stop();
            });
            player.revise(&task, vec![blunder], &signal, &mut |_| {})
        });
        assert!(result.best != Some(blunder) && !overruled);
    }

    #[test]
    fn a_few_nodes_are_enough_to_see_that_a_remembered_move_is_mated() {
        for nodes in [100, 300, 1000] {
            let (task, blunder) = before_the_mate(Limits::nodes(nodes));
            let mut player = Player::new(Engine::new(Default::default()));
            let signal = Signal::new(false);
            let (result, _) = player.revise(&task, vec![blunder], &signal, &mut |_| {});
            assert_ne!(result.best, Some(blunder), "{nodes} nodes");
        }
    }
}
