//! For each action, where it was answered: the sections that the library of a
//! segment consists of.
//!
//! ```text
//! actions  per action, in order: its bits u32, the end of its cases u32
//! cases    per action: how many, then for each the step from game to game
//!          and the ply of the reaction, varints
//! ```

use std::collections::BTreeMap;

use tabiya_chess::{Action, Game, Ply};

use super::{
    GameIndex, Section,
    occurrence::{Occurrence, put_all, take_all},
    partition_point,
};

/// The size of an entry of the first section.
const ENTRY: usize = 8;

/// Collects the cases of games on their way into a segment.
#[derive(Debug, Default)]
pub(crate) struct CasesBuilder(BTreeMap<Action, Vec<Occurrence>>);

impl CasesBuilder {
    /// Adds every move that was answered by another.
    pub(crate) fn add(&mut self, index: GameIndex, game: &Game) {
        let answered = game.moves.windows(2).zip(game.boards()).zip((1..).map(Ply));
        for ((pair, board), ply) in answered {
            let [mv, reaction] = [pair[0], pair[1]];
            if reaction.is_null() {
                continue;
            }
            if let Some(action) = Action::of_compact(&board, mv) {
                let occurrence = Occurrence { game: index, ply };
                self.0.entry(action).or_default().push(occurrence);
            }
        }
    }

    /// The two sections.
    pub(crate) fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let (mut actions, mut cases) = (Vec::new(), Vec::new());
        for (action, occurrences) in self.0 {
            put_all(&occurrences, &mut cases);
            actions.extend_from_slice(&u32::from(action.to_bits()).to_le_bytes());
            actions.extend_from_slice(&(cases.len() as u32).to_le_bytes());
        }
        (actions, cases)
    }
}

/// The library of a segment, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cases<'a> {
    actions: Section<'a>,
    cases: Section<'a>,
}

impl<'a> Cases<'a> {
    pub(crate) fn new(actions: Section<'a>, cases: Section<'a>) -> Cases<'a> {
        Cases { actions, cases }
    }

    /// Where an action was answered, by game, then ply. `None` if the section
    /// contradicts itself.
    pub(crate) fn of(&self, action: Action) -> Option<Vec<Occurrence>> {
        let wanted = u32::from(action.to_bits());
        let bits = |at: usize| self.actions.u32_at(at * ENTRY);
        let count = self.actions.len() / ENTRY;
        let at = partition_point(count, |it| bits(it) < wanted);
        if at == count || bits(at) != wanted {
            return Some(Vec::new());
        }
        let end = |at: usize| self.actions.u32_at(at * ENTRY + 4) as usize;
        let start = at.checked_sub(1).map_or(0, end);
        take_all(&mut self.cases.get(start..end(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dice, random_game};

    #[test]
    fn every_answered_move_is_found_by_its_action() {
        let mut dice = Dice::new(5);
        let games: Vec<Game> = (0..40)
            .map(|_| {
                let plies = dice.below(90);
                random_game(&mut dice, plies)
            })
            .collect();
        let mut builder = CasesBuilder::default();
        (0..)
            .zip(&games)
            .for_each(|(index, it)| builder.add(GameIndex(index), it));
        let (actions, cases) = builder.finish();
        let cases = Cases::new(actions.as_slice().into(), cases.as_slice().into());
        let mut expected: BTreeMap<Action, Vec<Occurrence>> = BTreeMap::new();
        for (index, game) in (0..).zip(&games) {
            let boards: Vec<_> = game.boards().collect();
            for ply in 1..game.moves.len() {
                let action = Action::of_compact(&boards[ply - 1], game.moves[ply - 1]).unwrap();
                let occurrence = Occurrence {
                    game: GameIndex(index),
                    ply: Ply::after(ply),
                };
                expected.entry(action).or_default().push(occurrence);
            }
        }
        assert!(expected.len() > 100);
        for (action, occurrences) in expected {
            assert_eq!(cases.of(action), Some(occurrences));
        }
    }

    #[test]
    fn any_bytes_are_safe() {
        let mut dice = Dice::new(6);
        let game = random_game(&mut dice, 60);
        let mut builder = CasesBuilder::default();
        builder.add(GameIndex(0), &game);
        let (actions, cases) = builder.finish();
        let action = Action::of_compact(&shakmaty::Board::new(), game.moves[0]).unwrap();
        for _ in 0..300 {
            let (mut actions, mut cases) = (actions.clone(), cases.clone());
            let place = dice.below(actions.len());
            actions[place] ^= 1 << dice.below(8);
            cases.truncate(dice.below(cases.len()));
            let _ = Cases::new(actions.as_slice().into(), cases.as_slice().into()).of(action);
        }
        let empty = Section::from(&[][..]);
        assert_eq!(Cases::new(empty, empty).of(action), Some(Vec::new()));
    }
}
