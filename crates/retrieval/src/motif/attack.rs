//! What our move attacks, directly, through others, and by getting out of the way.

use shakmaty::{Position, Role, attacks};

use super::{
    Family, Words,
    step::{Step, value},
    view::View,
};

pub(super) fn note(view: &View, step: &Step<'_>, words: &mut Words) {
    note_targets(view, step, words);
    note_discoveries(view, step, words);
    if step.number() < 2 {
        note_lines(view, step, words);
    }
    if step.is_first() {
        note_pinned(view, step, words);
    }
}

/// The pieces worth attacking: worth more than the attacker, not guarded, or the king.
fn note_targets(view: &View, step: &Step<'_>, words: &mut Words) {
    let board = step.after.board();
    let Some(piece) = board.piece_at(step.to) else {
        return;
    };
    let them = !view.us;
    let mut roles = Vec::new();
    for square in attacks::attacks(step.to, piece, board.occupied()) & board.by_color(them) {
        let Some(role) = board.role_at(square) else {
            continue;
        };
        let is_guarded = board.attacks_to(square, them, board.occupied()).any();
        if value(role) > value(piece.role) || (!is_guarded && role != Role::Pawn) {
            roles.push(role as i32);
            let attack = [step.number(), piece.role as i32, role as i32];
            words.note(Family::Target, 'a', &attack);
        }
    }
    if step.number() < 2 {
        let number = roles.len().min(3) as i32;
        words.note(Family::Target, 'n', &[step.number(), number]);
        if roles.len() >= 2 {
            roles.sort_unstable();
            words.note(Family::Target, 'f', &[piece.role as i32]);
            roles.truncate(7);
            words.note(Family::Target, 'g', &roles);
        }
    }
}

/// Checks and attacks of pieces that did not move.
fn note_discoveries(view: &View, step: &Step<'_>, words: &mut Words) {
    let (board, number) = (step.after.board(), step.number());
    let checkers = step.after.checkers();
    if checkers.any() && !checkers.contains(step.to) && !step.mv.is_castle() {
        words.note(Family::Line, 'd', &[]);
        words.note(Family::Line, 'e', &[number]);
    }
    if checkers.count() > 1 {
        words.note(Family::Line, '2', &[]);
        words.note(Family::Line, '3', &[number]);
    }
    for slider in (board.by_color(view.us) & board.sliders()).without(step.to) {
        let Some(piece) = board.piece_at(slider) else {
            continue;
        };
        let was = attacks::attacks(slider, piece, step.before.board().occupied());
        let is = attacks::attacks(slider, piece, board.occupied());
        let uncovered = is & !was & attacks::ray(slider, step.from) & board.by_color(!view.us);
        for role in uncovered.into_iter().filter_map(|it| board.role_at(it)) {
            if role != Role::Pawn {
                words.note(Family::Line, 'u', &[piece.role as i32, role as i32]);
                words.note(Family::Line, 'v', &[number]);
            }
        }
    }
}

/// Pairs of pieces on a line of the moved piece: a skewer if the first is worth more,
/// a pin otherwise.
fn note_lines(view: &View, step: &Step<'_>, words: &mut Words) {
    let board = step.after.board();
    let Some(piece) = board.piece_at(step.to) else {
        return;
    };
    if !matches!(piece.role, Role::Bishop | Role::Rook | Role::Queen) {
        return;
    }
    let theirs = board.by_color(!view.us);
    let direct = attacks::attacks(step.to, piece, board.occupied());
    for first in direct & theirs {
        let through = attacks::attacks(step.to, piece, board.occupied().without(first));
        let beyond = through & !direct & theirs & attacks::ray(step.to, first);
        for second in beyond {
            let roles = (board.role_at(first), board.role_at(second));
            if let (Some(first), Some(second)) = roles
                && second != Role::Pawn
            {
                let is_skewer = i32::from(value(first) > value(second));
                words.note(Family::Line, 'l', &[is_skewer]);
                words.note(Family::Line, 'm', &[is_skewer, first as i32, second as i32]);
            }
        }
    }
}

/// The pieces that are pinned to their king before the line begins, and whether one
/// of them could otherwise take the piece that moves.
fn note_pinned(view: &View, step: &Step<'_>, words: &mut Words) {
    let (board, them) = (step.before.board(), !view.us);
    let king = view.king();
    let direct = board.attacks_to(king, view.us, board.occupied());
    for square in board.by_color(them).without(king) {
        let opened = board.attacks_to(king, view.us, board.occupied().without(square));
        if (opened & !direct & board.sliders()).is_empty() {
            continue;
        }
        let role = board.role_at(square).map_or(0, |it| it as i32);
        words.note(Family::Line, 'p', &[]);
        words.note(Family::Line, 'q', &[role]);
        let takers = board.attacks_to(step.to, them, board.occupied());
        if takers.contains(square) {
            words.note(Family::Line, 'x', &[]);
        }
    }
}
