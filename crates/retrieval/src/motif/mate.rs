//! The mating pattern: which piece mates, which guard, what blocks the king.

use shakmaty::{Board, Position, Square, attacks};

use super::{Family, Words, step::Step, view::View};

pub(super) fn note(view: &View, step: &Step<'_>, words: &mut Words) {
    if !step.after.is_checkmate() {
        return;
    }
    let board = step.after.board();
    let Some(king) = board.king_of(!view.us) else {
        return;
    };
    let region = view.region(king);
    let checkers = step.after.checkers();
    words.note(Family::Mate, 'k', &[region]);
    words.note(Family::Mate, 'n', &[checkers.count() as i32]);
    for checker in checkers {
        note_checker(view, board, king, checker, words);
    }
    let (mut blocked, mut guards) = (0, 0u8);
    for square in attacks::king_attacks(king) {
        let (file, rank) = view.offset(square, king);
        if board.by_color(!view.us).contains(square) {
            blocked += 1;
            let role = board.role_at(square).map_or(0, |it| it as i32);
            words.note(Family::Mate, 'b', &[file, rank]);
            words.note(Family::Mate, 'w', &[role]);
            continue;
        }
        // The king does not shield the squares behind him.
        let open = board.occupied().without(king);
        for guard in board.attacks_to(square, view.us, open) & !checkers {
            let role = board.role_at(guard).map_or(0, |it| it as i32);
            let (file, rank) = view.offset(guard, king);
            guards |= 1 << role;
            words.note(Family::Mate, 'h', &[role, file, rank]);
            words.note(Family::Mate, 'g', &[role]);
        }
    }
    words.note(Family::Mate, 'z', &[blocked]);
    let givers = checkers.into_iter().filter_map(|it| board.role_at(it));
    let givers = givers.fold(0u8, |set, it| set | 1 << it as u8);
    words.note(Family::Mate, 'p', &[i32::from(givers), i32::from(guards)]);
}

fn note_checker(view: &View, board: &Board, king: Square, checker: Square, words: &mut Words) {
    let role = board.role_at(checker).map_or(0, |it| it as i32);
    let (file, rank) = view.offset(checker, king);
    let distance = king.distance(checker).min(3) as i32;
    words.note(Family::Mate, 'c', &[role]);
    words.note(Family::Mate, 'o', &[role, file, rank]);
    words.note(Family::Mate, 'd', &[role, distance]);
    words.note(Family::Mate, 'r', &[role, view.region(king)]);
    words.note(Family::Mate, 'l', &[role, file.signum(), rank.signum()]);
    for guard in board.attacks_to(checker, view.us, board.occupied()) {
        let guarding = board.role_at(guard).map_or(0, |it| it as i32);
        let (file, rank) = view.offset(guard, king);
        words.note(Family::Mate, 's', &[role, guarding]);
        words.note(Family::Mate, 't', &[guarding, file, rank]);
    }
}
