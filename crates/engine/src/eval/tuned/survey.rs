//! The walk over the board: what each side has, square by square.
//!
//! Pieces come first, because threats and king safety need to know what the
//! pieces of both sides attack.

use shakmaty::attacks::{
    bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Role, Square};

use super::Tally;
use super::layout::*;

/// Squares of the four center files from the second to the fourth rank of White.
const SPACE_WHITE: Bitboard = Bitboard(0x0000_0000_3c3c_3c00);
const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// Units of danger that an attacker near the king brings, by role.
const ATTACKER_UNITS: ByRole<i32> = ByRole {
    pawn: 0,
    knight: 3,
    bishop: 3,
    rook: 4,
    queen: 5,
    king: 0,
};
/// Units for every safe check, by role.
const CHECK_UNITS: ByRole<i32> = ByRole {
    pawn: 0,
    knight: 4,
    bishop: 3,
    rook: 5,
    queen: 4,
    king: 0,
};
/// Without a queen an attack is this much weaker.
const NO_QUEEN_UNITS: i32 = 8;
const MOST_UNITS: i32 = 47;

/// What one side attacks.
#[derive(Default)]
struct Reach {
    all: Bitboard,
    twice: Bitboard,
    pawns: Bitboard,
    minors: Bitboard,
    rooks: Bitboard,
    queens: Bitboard,
    /// Units of danger for the enemy king.
    units: i32,
    attackers: i32,
}

impl Reach {
    fn add(&mut self, attacked: Bitboard) {
        self.twice |= self.all & attacked;
        self.all |= attacked;
    }
}

pub(super) struct Survey<'a> {
    board: &'a Board,
    occupied: Bitboard,
    reach: ByColor<Reach>,
    king: ByColor<Option<Square>>,
    passers: ByColor<Bitboard>,
}

impl<'a> Survey<'a> {
    pub(super) fn new(board: &'a Board) -> Survey<'a> {
        let mut survey = Survey {
            board,
            occupied: board.occupied(),
            reach: ByColor::default(),
            king: ByColor::new_with(|color| board.king_of(color)),
            passers: ByColor::default(),
        };
        for color in Color::ALL {
            let pawns = survey.pawns_of(color);
            let (east, west) = pawn_attack_sides(color, pawns);
            let reach = survey.reach.get_mut(color);
            reach.add(east);
            reach.add(west);
            reach.pawns = east | west;
            if let Some(king) = survey.king[color] {
                survey.reach.get_mut(color).add(king_attacks(king));
            }
        }
        survey
    }

    fn of(&self, color: Color, role: Role) -> Bitboard {
        self.board.by_color(color) & self.board.by_role(role)
    }

    fn pawns_of(&self, color: Color) -> Bitboard {
        self.of(color, Role::Pawn)
    }

    /// Material, places, mobility and the particulars of each piece.
    pub(super) fn pieces<T: Tally>(&mut self, color: Color, tally: &mut T) {
        let own_pawns = self.pawns_of(color);
        let enemy_pawns = self.pawns_of(!color);
        let stuck = own_pawns & forward(!color, self.occupied);
        let area = !(stuck | self.of(color, Role::King) | self.reach[!color].pawns);
        let ring = self.king[!color].map_or(Bitboard::EMPTY, |king| king_ring(!color, king));

        for role in Role::ALL {
            for square in self.of(color, role) {
                let place = relative(color, square).to_usize();
                tally.count(color, PLACES + (usize::from(role) - 1) * 64 + place, 1);
                if role == Role::King {
                    continue;
                }
                tally.count(color, MATERIAL + usize::from(role) - 1, 1);
                if role == Role::Pawn {
                    continue;
                }
                let attacked = self.attacked_by(color, role, square);
                let mobility = (attacked & area & !self.board.by_color(color)).count();
                tally.count(color, mobility_of(role) + mobility, 1);
                self.note(color, role, attacked, ring);
                match role {
                    Role::Knight | Role::Bishop => {
                        self.minor(color, role, square, own_pawns, enemy_pawns, tally);
                    }
                    Role::Rook => rook(color, square, own_pawns, enemy_pawns, tally),
                    _ => {}
                }
            }
        }
        if self.of(color, Role::Bishop).count() >= 2 {
            tally.count(color, BISHOP_PAIR, 1);
        }
    }

    /// Sliders look through their own kind, since they support each other.
    fn attacked_by(&self, color: Color, role: Role, square: Square) -> Bitboard {
        let own = self.board.by_color(color);
        match role {
            Role::Knight => knight_attacks(square),
            Role::Bishop => bishop_attacks(square, self.occupied ^ (own & self.board.queens())),
            Role::Rook => rook_attacks(
                square,
                self.occupied ^ (own & self.board.rooks_and_queens()),
            ),
            _ => queen_attacks(square, self.occupied),
        }
    }

    fn note(&mut self, color: Color, role: Role, attacked: Bitboard, ring: Bitboard) {
        let reach = self.reach.get_mut(color);
        reach.add(attacked);
        match role {
            Role::Knight | Role::Bishop => reach.minors |= attacked,
            Role::Rook => reach.rooks |= attacked,
            _ => reach.queens |= attacked,
        }
        let near = (attacked & ring).count() as i32;
        if near > 0 {
            reach.units += ATTACKER_UNITS[role] + near;
            reach.attackers += 1;
        }
    }

    fn minor<T: Tally>(
        &self,
        color: Color,
        role: Role,
        square: Square,
        own_pawns: Bitboard,
        enemy_pawns: Bitboard,
        tally: &mut T,
    ) {
        let kind = usize::from(role == Role::Bishop);
        let rank = color.relative_rank(square.rank()).to_usize();
        let outpost = (3..=5).contains(&rank)
            && self.reach[color].pawns.contains(square)
            && (beside(square) & ahead(color, square) & enemy_pawns).is_empty();
        if outpost {
            tally.count(color, OUTPOST + kind, 1);
        }
        if (forward(color, Bitboard::from_square(square)) & self.board.pawns()).any() {
            tally.count(color, SHIELDED + kind, 1);
        }
        if role == Role::Bishop {
            let shade = if square.is_light() {
                Bitboard::LIGHT_SQUARES
            } else {
                Bitboard::DARK_SQUARES
            };
            tally.count(color, BISHOP_PAWNS, (own_pawns & shade).count() as i32);
        }
    }

    /// Structure and passed pawns.
    pub(super) fn pawns<T: Tally>(&mut self, color: Color, tally: &mut T) {
        let own = self.pawns_of(color);
        let enemy = self.pawns_of(!color);
        for square in own {
            let rank = color.relative_rank(square.rank()).to_usize();
            let file = Bitboard::from_file(square.file());
            let neighbors = own & beside(square);
            let front = ahead(color, square);
            let opposed = usize::from((enemy & file & front).is_empty());
            let supporters = own & pawn_attacks(!color, square);
            let phalanx = neighbors & Bitboard::from_rank(square.rank());
            if (own & file & front).any() {
                tally.count(color, DOUBLED, 1);
            }
            if neighbors.is_empty() {
                tally.count(color, ISOLATED + opposed, 1);
            } else if (neighbors & !front).is_empty() && self.held_up(color, square) {
                tally.count(color, BACKWARD + opposed, 1);
            }
            if phalanx.any() {
                tally.count(color, PHALANX + rank, 1);
            }
            if supporters.any() {
                tally.count(color, SUPPORTED + rank, 1);
            }
            let passed = (enemy & front & (file | beside(square))).is_empty()
                && (own & file & front).is_empty();
            if passed {
                self.passers.get_mut(color).add(square);
                self.passer(color, square, rank, tally);
            }
        }
    }

    /// Can the pawn not step forward safely?
    fn held_up(&self, color: Color, square: Square) -> bool {
        let stop = forward(color, Bitboard::from_square(square));
        (stop & (self.reach[!color].pawns | self.pawns_of(!color))).any()
    }

    fn passer<T: Tally>(&self, color: Color, square: Square, rank: usize, tally: &mut T) {
        tally.count(color, PASSED + rank, 1);
        let Some(stop) = forward(color, Bitboard::from_square(square)).first() else {
            return;
        };
        if self.board.by_color(!color).contains(stop) {
            tally.count(color, PASSED_BLOCKED + rank, 1);
        } else if !self.occupied.contains(stop) && !self.reach[!color].all.contains(stop) {
            tally.count(color, PASSED_FREE + rank, 1);
        }
        if rank >= 3 {
            for (own, group) in [(color, PASSED_OWN_KING), (!color, PASSED_ENEMY_KING)] {
                if let Some(king) = self.king[own] {
                    tally.count(color, group + king.distance(stop) as usize, 1);
                }
            }
        }
        if !self.has_pieces(!color) && self.runs(color, square, rank) {
            tally.count(color, PASSED_RUNS, 1);
        }
        let file = Bitboard::from_file(square.file());
        let rooks = self.board.rooks() & file & ahead(!color, square);
        for (own, group) in [(color, PASSED_ROOK), (!color, PASSED_ROOK + 1)] {
            if (rooks & self.board.by_color(own)).any() {
                tally.count(color, group, 1);
            }
        }
    }

    fn has_pieces(&self, color: Color) -> bool {
        (self.board.by_color(color) & !self.board.pawns() & !self.board.kings()).any()
    }

    /// The rule of the square, with the move for the enemy.
    fn runs(&self, color: Color, square: Square, rank: usize) -> bool {
        let path = ahead(color, square) & Bitboard::from_file(square.file());
        let goal = path.intersect(Bitboard::BACKRANKS).first();
        let (Some(goal), Some(king)) = (goal, self.king[!color]) else {
            return false;
        };
        let steps = 7 - rank.max(2);
        (path & self.occupied).is_empty() && king.distance(goal) as usize > steps + 1
    }

    /// Shelter, storm and the danger that the enemy's pieces bring.
    pub(super) fn king<T: Tally>(&self, color: Color, tally: &mut T) {
        let Some(king) = self.king[color] else { return };
        let at_or_ahead = ahead(color, king) | Bitboard::from_rank(king.rank());
        for step in -1..=1 {
            let Some(file) = king.file().offset(step) else {
                continue;
            };
            let lane = Bitboard::from_file(file) & at_or_ahead;
            let beside = if step == 0 { 0 } else { 8 };
            let own = nearest_rank(color, self.pawns_of(color) & lane);
            let enemy = nearest_rank(color, self.pawns_of(!color) & lane);
            tally.count(color, SHELTER + beside + own, 1);
            tally.count(color, STORM + beside + enemy, 1);
        }
        self.danger(color, king, tally);
    }

    fn danger<T: Tally>(&self, color: Color, king: Square, tally: &mut T) {
        let enemy = &self.reach[!color];
        let own = &self.reach[color];
        let ring = king_ring(color, king);
        let weak = enemy.all & !own.twice & (!own.all | king_attacks(king) | own.queens);
        let safe = !self.board.by_color(!color) & (!own.all | (weak & enemy.twice));
        let diagonal = bishop_attacks(king, self.occupied);
        let straight = rook_attacks(king, self.occupied);
        let checks = [
            (
                Role::Knight,
                knight_attacks(king) & self.knights_reach(!color),
            ),
            (Role::Bishop, diagonal & self.bishops_reach(!color)),
            (Role::Rook, straight & enemy.rooks),
            (
                Role::Queen,
                (diagonal | straight) & enemy.queens & !own.queens,
            ),
        ];
        let mut units = enemy.units + 2 * (weak & ring).count() as i32;
        for (index, (role, squares)) in checks.into_iter().enumerate() {
            if (squares & safe).any() {
                units += CHECK_UNITS[role];
                tally.count(!color, SAFE_CHECK + index, 1);
            }
        }
        if self.of(!color, Role::Queen).is_empty() {
            units -= NO_QUEEN_UNITS;
        }
        if enemy.attackers >= 2 || enemy.queens.any() && enemy.attackers >= 1 {
            tally.count(color, DANGER + units.clamp(0, MOST_UNITS) as usize, 1);
        }
    }

    fn knights_reach(&self, color: Color) -> Bitboard {
        self.of(color, Role::Knight)
            .into_iter()
            .fold(Bitboard::EMPTY, |sum, it| sum | knight_attacks(it))
    }

    fn bishops_reach(&self, color: Color) -> Bitboard {
        self.of(color, Role::Bishop)
            .into_iter()
            .fold(Bitboard::EMPTY, |sum, it| {
                sum | bishop_attacks(it, self.occupied)
            })
    }

    /// What `color` attacks of the enemy's.
    pub(super) fn threats<T: Tally>(&self, color: Color, tally: &mut T) {
        let own = &self.reach[color];
        let enemy = &self.reach[!color];
        let targets = self.board.by_color(!color);
        let defended = enemy.pawns | (enemy.twice & !own.twice);
        for role in Role::ALL {
            let of_role = targets & self.board.by_role(role);
            let index = usize::from(role) - 1;
            let loose = of_role & !defended;
            for (group, attacked) in [
                (PAWN_THREAT, of_role & own.pawns),
                (
                    MINOR_THREAT,
                    if index < 3 {
                        loose & own.minors
                    } else {
                        of_role & own.minors
                    },
                ),
                (
                    ROOK_THREAT,
                    if index < 4 {
                        loose & own.rooks
                    } else {
                        of_role & own.rooks
                    },
                ),
                (HANGING, of_role & own.all & !enemy.all),
            ] {
                if role != Role::King && attacked.any() {
                    tally.count(color, group + index, attacked.count() as i32);
                }
            }
        }
        if let Some(king) = self.king[color] {
            let prey = king_attacks(king) & targets & !enemy.all & !self.board.kings();
            tally.count(color, KING_THREAT, prey.count() as i32);
        }
        let pushes = forward(color, self.pawns_of(color)) & !self.occupied;
        let third = Bitboard::from_rank(color.relative_rank(shakmaty::Rank::Third));
        let twice = forward(color, pushes & third) & !self.occupied;
        let safe = (pushes | twice) & !enemy.pawns & (own.all | !enemy.all);
        let (east, west) = pawn_attack_sides(color, safe);
        let prey = (east | west) & targets & !self.board.pawns() & !self.board.kings();
        tally.count(color, PUSH_THREAT, prey.count() as i32);
    }

    /// Room to maneuver: central squares that no enemy pawn takes away.
    pub(super) fn space<T: Tally>(&self, color: Color, tally: &mut T) {
        let area = color.fold_wb(SPACE_WHITE, SPACE_WHITE.flip_vertical());
        let safe = area & !self.pawns_of(color) & !self.reach[!color].pawns;
        tally.count(color, SPACE, safe.count() as i32);
    }
}

fn rook<T: Tally>(
    color: Color,
    square: Square,
    own_pawns: Bitboard,
    enemy_pawns: Bitboard,
    tally: &mut T,
) {
    let file = Bitboard::from_file(square.file());
    if (own_pawns & file).is_empty() {
        tally.count(
            color,
            ROOK_FILE + usize::from((enemy_pawns & file).is_empty()),
            1,
        );
    }
    if color.relative_rank(square.rank()).to_usize() == 6 {
        tally.count(color, ROOK_SEVENTH, 1);
    }
}

fn mobility_of(role: Role) -> usize {
    match role {
        Role::Knight => KNIGHT_MOBILITY,
        Role::Bishop => BISHOP_MOBILITY,
        Role::Rook => ROOK_MOBILITY,
        _ => QUEEN_MOBILITY,
    }
}

/// The square as White would call it.
fn relative(color: Color, square: Square) -> Square {
    color.fold_wb(square, square.flip_vertical())
}

/// All squares one step toward the enemy.
fn forward(color: Color, squares: Bitboard) -> Bitboard {
    color.fold_wb(Bitboard(squares.0 << 8), Bitboard(squares.0 >> 8))
}

/// All ranks in front of the square.
fn ahead(color: Color, square: Square) -> Bitboard {
    let rank = square.rank().to_u32();
    Bitboard(match color {
        Color::White => u64::MAX.checked_shl(8 * (rank + 1)).unwrap_or(0),
        Color::Black => !(u64::MAX << (8 * rank)),
    })
}

/// The files beside the square's.
fn beside(square: Square) -> Bitboard {
    let file = Bitboard::from_file(square.file()).0;
    Bitboard(((file & !FILE_H) << 1) | ((file & !FILE_A) >> 1))
}

/// What pawns attack toward the h file and toward the a file.
fn pawn_attack_sides(color: Color, pawns: Bitboard) -> (Bitboard, Bitboard) {
    let (not_a, not_h) = (pawns.0 & !FILE_A, pawns.0 & !FILE_H);
    match color {
        Color::White => (Bitboard(not_h << 9), Bitboard(not_a << 7)),
        Color::Black => (Bitboard(not_h >> 7), Bitboard(not_a >> 9)),
    }
}

/// The king's neighborhood, one rank further to the front.
fn king_ring(color: Color, king: Square) -> Bitboard {
    let near = king_attacks(king).with(king);
    near | forward(color, near)
}

/// The relative rank of the pawn nearest to the own side, 0 if there is none.
fn nearest_rank(color: Color, pawns: Bitboard) -> usize {
    let nearest = color.fold_wb(pawns.first(), pawns.last());
    nearest.map_or(0, |it| color.relative_rank(it.rank()).to_usize())
}
