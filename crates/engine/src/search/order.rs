//! The order in which moves are tried, a stage at a time.
//!
//! The move of the table first, then captures that do not lose material,
//! killers, the other quiet moves by history, and losing captures. Later stages are
//! scored only if the search gets there.

use arrayvec::ArrayVec;
use shakmaty::{Chess, Color, Move, MoveList, Position, Role};

use super::history::{History, PieceTo};
use super::packed::PackedMove;
use tabiya_chess::exchange::exchange_value;
use tabiya_chess::exchange::wins_at_least;

/// Where the order has got to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Hash,
    GoodCaptures,
    Killers,
    Quiets,
    BadCaptures,
}

const MOST_MOVES: usize = 270;

#[derive(Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
}

type List = ArrayVec<Scored, MOST_MOVES>;

/// The moves of one node, handed out best first.
pub(crate) struct Order {
    stage: Stage,
    hash: Option<Move>,
    captures: List,
    bad_captures: List,
    next_bad: usize,
    quiets: List,
    quiets_scored: bool,
    killers: [PackedMove; 2],
    next_killer: usize,
}

/// What the order asks the search about.
pub(crate) struct Memory<'a> {
    pub(crate) history: &'a History,
    pub(crate) before: [Option<PieceTo>; 2],
    pub(crate) turn: Color,
}

impl Order {
    /// All legal moves; without killers and history quiet moves keep the generator's order.
    pub(crate) fn new(moves: &MoveList, hash: PackedMove, killers: [PackedMove; 2]) -> Order {
        let mut order = Order {
            stage: Stage::Hash,
            hash: None,
            captures: List::new(),
            bad_captures: List::new(),
            next_bad: 0,
            quiets: List::new(),
            quiets_scored: false,
            killers,
            next_killer: 0,
        };
        for &mv in moves {
            if hash.is(mv) {
                order.hash = Some(mv);
            } else if is_tactical(mv) {
                order.captures.push(Scored { mv, score: 0 });
            } else {
                order.quiets.push(Scored { mv, score: 0 });
            }
        }
        order
    }

    /// The next move and the stage it belongs to.
    pub(crate) fn next(&mut self, position: &Chess, memory: &Memory<'_>) -> Option<(Move, Stage)> {
        loop {
            let stage = self.stage;
            let found = match stage {
                Stage::Hash => self.hash,
                Stage::GoodCaptures => self.next_good_capture(position),
                Stage::Killers => self.next_killer(),
                Stage::Quiets => self.next_quiet(memory),
                Stage::BadCaptures => self.next_bad_capture(),
            };
            match (found, stage) {
                (Some(mv), Stage::Hash) => {
                    self.enter_captures(memory);
                    return Some((mv, stage));
                }
                (Some(mv), _) => return Some((mv, stage)),
                (None, Stage::Hash) => self.enter_captures(memory),
                (None, Stage::GoodCaptures) => self.stage = Stage::Killers,
                (None, Stage::Killers) => self.stage = Stage::Quiets,
                (None, Stage::Quiets) => self.stage = Stage::BadCaptures,
                (None, Stage::BadCaptures) => return None,
            }
        }
    }

    fn enter_captures(&mut self, memory: &Memory<'_>) {
        self.stage = Stage::GoodCaptures;
        for it in &mut self.captures {
            it.score = capture_score(it.mv, memory.history);
        }
    }

    fn next_good_capture(&mut self, position: &Chess) -> Option<Move> {
        while let Some(best) = take_best(&mut self.captures) {
            let under_promotion = best.mv.promotion().is_some_and(|it| it != Role::Queen);
            if !under_promotion && wins_at_least(position, best.mv, 0) {
                return Some(best.mv);
            }
            self.bad_captures.push(best);
        }
        None
    }

    fn next_killer(&mut self) -> Option<Move> {
        while self.next_killer < self.killers.len() {
            let killer = self.killers[self.next_killer];
            self.next_killer += 1;
            if let Some(index) = self.quiets.iter().position(|it| killer.is(it.mv)) {
                return Some(self.quiets.swap_remove(index).mv);
            }
        }
        None
    }

    fn next_quiet(&mut self, memory: &Memory<'_>) -> Option<Move> {
        if !self.quiets_scored {
            self.quiets_scored = true;
            for it in &mut self.quiets {
                it.score = memory.history.quiet(memory.turn, it.mv, &memory.before);
            }
        }
        take_best(&mut self.quiets).map(|it| it.mv)
    }

    fn next_bad_capture(&mut self) -> Option<Move> {
        let found = self.bad_captures.get(self.next_bad).map(|it| it.mv);
        self.next_bad += 1;
        found
    }
}

/// Captures and promotions, which change material at once.
pub(crate) fn is_tactical(mv: Move) -> bool {
    mv.is_capture() || mv.is_promotion()
}

/// Dear victims first, then by how well such captures did.
pub(crate) fn capture_score(mv: Move, history: &History) -> i32 {
    let victim = mv.capture().map_or(0, exchange_value);
    let promotion = mv.promotion().map_or(0, exchange_value);
    16 * (victim + promotion) - exchange_value(mv.role()) + history.capture(mv) / 4
}

/// Removes the best of the list; the first of equals.
fn take_best(list: &mut List) -> Option<Scored> {
    let mut best = 0;
    for (index, it) in list.iter().enumerate() {
        if it.score > list[best].score {
            best = index;
        }
    }
    (!list.is_empty()).then(|| list.swap_remove(best))
}

/// Captures and promotions (or, in check, all moves) best first, for quiescence.
pub(crate) fn by_gain(
    position: &Chess,
    everything: bool,
    hash: PackedMove,
    history: &History,
) -> ArrayVec<Move, MOST_MOVES> {
    let mut list = List::new();
    for mv in position.legal_moves() {
        let queening = mv.promotion().is_none_or(|it| it == Role::Queen);
        if everything || is_tactical(mv) && queening {
            let score = if hash.is(mv) {
                i32::MAX
            } else if is_tactical(mv) {
                capture_score(mv, history)
            } else {
                history.quiet(position.turn(), mv, &[None; 2]) / 64 - 1_000
            };
            list.push(Scored { mv, score });
        }
    }
    // A stable order keeps the node count the same everywhere.
    list.sort_by_key(|it| std::cmp::Reverse(it.score));
    list.into_iter().map(|it| it.mv).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::{POSITIONS, position};

    #[test]
    fn every_move_comes_once_whatever_the_hints() {
        let history = History::new();
        for fen in POSITIONS {
            let position = position(fen);
            let moves = position.legal_moves();
            for hint in moves
                .iter()
                .map(|&mv| PackedMove::new(mv))
                .chain([PackedMove::NONE, PackedMove::from_bits(0x7777)])
            {
                let memory = Memory {
                    history: &history,
                    before: [None; 2],
                    turn: position.turn(),
                };
                let mut order = Order::new(&moves, hint, [hint, PackedMove::new(moves[0])]);
                let mut handed = Vec::new();
                while let Some((mv, _)) = order.next(&position, &memory) {
                    handed.push(mv);
                }
                assert_eq!(handed.len(), moves.len(), "{fen}");
                assert!(moves.iter().all(|mv| handed.contains(mv)), "{fen}");
                if let Some(&first) = moves.iter().find(|&&mv| hint.is(mv)) {
                    assert_eq!(handed[0], first, "the table's move comes first");
                }
            }
        }
    }
}
