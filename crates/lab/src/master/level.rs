//! Like players of a level: how often does the engine, playing at a rating,
//! make the move that a player of that rating made?

use serde::Serialize;
use shakmaty::Move;
use tabiya_engine::Player;
use tabiya_engine::level::Level;
use tabiya_engine::library::Library;
use tabiya_engine::search::{Engine, Settings, Signal, Task};

use super::Question;
use super::feature::Scene;

/// How often the moves agree.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Agreement {
    /// The rating.
    pub(crate) elo: usize,
    /// Positions.
    pub(crate) positions: u32,
    /// How often a move drawn from all legal ones would be the one that was played.
    pub(crate) chance: f64,
    /// How often the engine limited to the nodes of the level played it.
    pub(crate) limited: u32,
    /// How often the engine at that level with its memory did.
    pub(crate) remembering: u32,
    /// Positions in which memory spoke for any move.
    pub(crate) known: u32,
    /// Positions in which only the engine with memory played the move.
    pub(crate) gained: u32,
    /// Positions in which only the engine without it did.
    pub(crate) lost: u32,
}

impl Agreement {
    /// A count as a part of the positions.
    pub(crate) fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.positions.max(1))
    }

    /// The standard error of the difference that memory makes: what both play or neither does
    /// has no part in it.
    pub(crate) fn error(&self) -> f64 {
        let (gained, lost) = (self.share(self.gained), self.share(self.lost));
        let variance = gained + lost - (gained - lost).powi(2);
        (variance / f64::from(self.positions.max(1))).sqrt()
    }
}

/// Asks the engine at a level every question, with a library and without one.
/// `warn` gets what went wrong with the library.
pub(crate) fn agreement(
    elo: usize,
    library: &Library,
    questions: &[Question],
    warn: &mut dyn FnMut(&str),
) -> Agreement {
    let player = |library| {
        let mut player = Player::new(Engine::new(Settings::default()));
        player.level = Some(Level::new(elo));
        player.library = library;
        player
    };
    let (mut limited, mut remembering) = (player(None), player(Some(library.clone())));
    let mut agreement = Agreement {
        elo,
        ..Agreement::default()
    };
    for scene in questions.iter().filter_map(Scene::of) {
        let played = Some(scene.legal[scene.played]);
        let (plain, _) = choice(&mut limited, &scene, warn);
        let (best, known) = choice(&mut remembering, &scene, warn);
        let (plain, best) = (plain == played, best == played);
        agreement.positions += 1;
        agreement.chance += 1.0 / scene.legal.len() as f64;
        agreement.limited += u32::from(plain);
        agreement.remembering += u32::from(best);
        agreement.known += u32::from(known);
        agreement.gained += u32::from(best && !plain);
        agreement.lost += u32::from(plain && !best);
    }
    agreement
}

/// The move, and whether memory spoke for any.
fn choice(player: &mut Player, scene: &Scene, warn: &mut dyn FnMut(&str)) -> (Option<Move>, bool) {
    player.engine.clear();
    let task = Task {
        line: scene.line.clone(),
        ..Task::default()
    };
    let choice = player.choose(&task, &Signal::new(false), &mut |_| {}, warn);
    (choice.result.best, !choice.memory.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_disagreement_makes_an_error() {
        let same = Agreement {
            positions: 100,
            limited: 40,
            remembering: 40,
            ..Agreement::default()
        };
        assert_eq!(same.error(), 0.0);
        let other = Agreement {
            gained: 10,
            lost: 10,
            ..same
        };
        assert!((other.error() - 0.2_f64.sqrt() / 10.0).abs() < 1e-9);
    }
}
