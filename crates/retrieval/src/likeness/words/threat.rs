//! What the player to move threatens: checks, mates, gains and forks of one move.

use shakmaty::{
    Bitboard, Board, Chess, Color, Move, Position, Role, Square,
    attacks::{self, aligned},
};
use tabiya_chess::exchange::{exchange_value, wins_at_least};

use super::{Family, Words};
use crate::{
    likeness::word::{Kind, Place, Word},
    motif::View,
};

pub(super) fn note(view: &View, position: &Chess, words: &mut Words) {
    let scene = Scene::of(position);
    for mv in position.legal_moves() {
        scene.note_move(view, mv, words);
    }
}

/// The position with what the moves have in common.
struct Scene<'a> {
    position: &'a Chess,
    board: &'a Board,
    us: Color,
    king: Option<Square>,
    /// Our pieces behind which one of our lines leads to the king.
    curtains: Bitboard,
    /// What is worth attacking: pieces, and pawns that nothing protects.
    prey: Bitboard,
}

impl<'a> Scene<'a> {
    fn of(position: &'a Chess) -> Scene<'a> {
        let (board, us) = (position.board(), position.turn());
        let king = board.king_of(!us);
        Scene {
            position,
            board,
            us,
            king,
            curtains: king.map_or(Bitboard::EMPTY, |it| curtains(board, us, it)),
            prey: board.by_color(!us) & !board.pawns(),
        }
    }

    fn note_move(&self, view: &View, mv: Move, words: &mut Words) {
        // The words belong to whoever moves; in the other player's view they are not ours.
        let ours = i32::from(self.us == view.us);
        let (Some(from), to) = (mv.from(), mv.to()) else {
            return;
        };
        if mv.is_castle() {
            return;
        }
        let role = mv.promotion().unwrap_or(mv.role());
        let occupied = self.board.occupied().without(from).with(to);
        let reached = attacks::attacks(to, role.of(self.us), occupied);
        let direct = self.king.is_some_and(|it| reached.contains(it));
        let uncovers = match self.king {
            // Two pawns leave their squares.
            Some(_) if mv.is_en_passant() => !direct && self.after(mv).is_check(),
            Some(king) => self.curtains.contains(from) && !aligned(from, to, king),
            None => false,
        };
        if direct || uncovers {
            self.note_check(view, mv, (ours, direct, uncovers), words);
        }
        if let Some(captured) = mv.capture()
            && wins_at_least(self.position, mv, 1)
        {
            let much = i32::from(wins_at_least(self.position, mv, 250));
            let (taker, taken) = (mv.role() as i32, captured as i32);
            words.note(Family::Win, 'v', &[ours, taken]);
            words.note(Family::Win, 'b', &[ours, taker, taken, much]);
            words.note(Family::Win, 'h', &[ours, view.rank(to), taken]);
            let (file, rank) = view.beside_king(to);
            words.note(Family::Win, 'k', &[ours, taken, file, rank]);
            let piece = captured.of(!self.us);
            words.name(Word::new(Kind::EnPrise, piece, Place::Square(to)));
        }
        if mv.is_promotion() && mv.promotion() == Some(Role::Queen) {
            words.note(Family::Advance, 'p', &[ours, i32::from(mv.is_capture())]);
            let pawn = Role::Pawn.of(self.us);
            words.name(Word::new(Kind::Promotion, pawn, Place::File(from.file())));
        }
        self.note_fork(view, (mv, role, reached, occupied), ours, words);
    }

    fn note_check(&self, view: &View, mv: Move, how: (i32, bool, bool), words: &mut Words) {
        let ((ours, direct, uncovers), to) = (how, mv.to());
        let role = mv.role() as i32;
        let captured = mv.capture().map_or(0, |it| it as i32);
        let (file, rank) = view.beside_king(to);
        let attacked = self.attackers(mv, !self.us).any();
        let guarded = self.attackers(mv, self.us).any();
        let kind = i32::from(direct) + 2 * i32::from(uncovers);
        words.note(Family::Check, 'r', &[ours, role, kind]);
        words.note(Family::Check, 'o', &[ours, role, file, rank]);
        let safety = i32::from(attacked) + 2 * i32::from(guarded);
        words.note(Family::Check, 's', &[ours, role, safety, captured]);
        words.note(Family::Check, 'h', &[ours, view.rank(to), file]);
        let after = self.after(mv);
        let piece = mv.role().of(self.us);
        if after.legal_moves().is_empty() {
            self.note_mate(view, mv, &after, ours, words);
            words.name(Word::new(Kind::Mate, piece, Place::Square(to)));
        } else {
            words.name(Word::new(Kind::Check, piece, Place::Square(to)));
        }
    }

    fn note_mate(&self, view: &View, mv: Move, after: &Chess, ours: i32, words: &mut Words) {
        let board = after.board();
        let Some(king) = self.king else { return };
        let role = mv.promotion().unwrap_or(mv.role()) as i32;
        let (file, rank) = view.offset(mv.to(), king);
        let region = view.region(king);
        words.note(Family::Mate, 'r', &[ours, role]);
        words.note(Family::Mate, 'k', &[ours, role, region]);
        words.note(Family::Mate, 'o', &[ours, role, file, rank]);
        words.note(Family::Mate, 'n', &[ours, after.checkers().count() as i32]);
        let ring = attacks::king_attacks(king);
        let blocked = ring & board.by_color(!self.us);
        words.note(Family::Mate, 'z', &[ours, role, blocked.count() as i32]);
        for square in blocked {
            let (file, rank) = view.offset(square, king);
            words.note(Family::Mate, 'b', &[ours, file, rank]);
        }
        let open = board.occupied().without(king);
        for square in ring & !blocked {
            for guard in board.attacks_to(square, self.us, open) & !after.checkers() {
                let role = board.role_at(guard).map_or(0, |it| it as i32);
                words.note(Family::Mate, 'g', &[ours, role]);
                let (file, rank) = view.offset(guard, king);
                words.note(Family::Mate, 'h', &[ours, role, file, rank]);
            }
        }
        for guard in board.attacks_to(mv.to(), self.us, board.occupied()) {
            let guarding = board.role_at(guard).map_or(0, |it| it as i32);
            words.note(Family::Mate, 's', &[ours, role, guarding]);
        }
    }

    fn note_fork(
        &self,
        view: &View,
        (mv, role, reached, occupied): (Move, Role, Bitboard, Bitboard),
        ours: i32,
        words: &mut Words,
    ) {
        let worth = |it: Square| {
            let target = self.board.role_at(it).unwrap_or(Role::Pawn);
            target == Role::King
                || exchange_value(target) > exchange_value(role)
                || self.board.attacks_to(it, !self.us, occupied).is_empty()
        };
        if role == Role::King || (reached & self.prey).count() < 2 {
            return;
        }
        let targets = (reached & self.prey).into_iter().filter(|it| worth(*it));
        let mut roles: Vec<i32> = targets
            .filter_map(|it| self.board.role_at(it))
            .map(|it| it as i32)
            .collect();
        if roles.len() < 2 || !wins_at_least(self.position, mv, 0) {
            return;
        }
        roles.sort_unstable_by(|one, two| two.cmp(one));
        let forker = role as i32;
        words.note(Family::Fork, 'r', &[ours, forker]);
        words.note(Family::Fork, 't', &[ours, forker, roles[0], roles[1]]);
        words.note(Family::Fork, 'n', &[ours, roles[0], roles[1]]);
        words.note(Family::Fork, 'h', &[ours, forker, view.rank(mv.to())]);
        let piece = role.of(self.us);
        words.name(Word::new(Kind::Fork, piece, Place::Square(mv.to())));
    }

    fn after(&self, mv: Move) -> Chess {
        let mut after = self.position.clone();
        after.play_unchecked(mv);
        after
    }

    /// The pieces of a player that bear upon the target of a move.
    fn attackers(&self, mv: Move, color: Color) -> Bitboard {
        let from = mv.from().unwrap_or(mv.to());
        let occupied = self.board.occupied().without(from);
        let all = self.board.attacks_to(mv.to(), color, occupied);
        all.without(from)
    }
}

/// Pieces of a player that stand alone between one of his sliders and a square.
fn curtains(board: &Board, us: Color, king: Square) -> Bitboard {
    let occupied = board.occupied();
    let lines = [
        (
            board.bishops_and_queens(),
            attacks::bishop_attacks(king, Bitboard::EMPTY),
        ),
        (
            board.rooks_and_queens(),
            attacks::rook_attacks(king, Bitboard::EMPTY),
        ),
    ];
    let mut curtains = Bitboard::EMPTY;
    for (sliders, line) in lines {
        for slider in sliders & line & board.by_color(us) {
            let between = attacks::between(slider, king) & occupied;
            if between.count() == 1 {
                curtains |= between & board.by_color(us);
            }
        }
    }
    curtains
}
