//! Squares and pieces of one position: attacks, lines, pins, pawns.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use crate::{
    syntax::{Direction, Pawns, PinPart},
    track::{Moment, piece_of},
};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The squares of a bitboard.
pub(crate) fn squares(bits: u64) -> impl Iterator<Item = Square> {
    Bitboard(bits).into_iter()
}

const fn bit(square: Square) -> u64 {
    1 << square as u32
}

/// One step, without leaving the board.
pub(crate) fn step(set: u64, (file, rank): (i8, i8)) -> u64 {
    let sideways = match file {
        1 => (set & !FILE_H) << 1,
        -1 => (set & !FILE_A) >> 1,
        _ => set,
    };
    match rank {
        1 => sideways << 8,
        -1 => sideways >> 8,
        _ => sideways,
    }
}

/// The squares `least` to `most` steps from a set.
pub(crate) fn direction(direction: Direction, least: u8, most: u8, set: u64) -> u64 {
    let mut all = if least == 0 { set } else { 0 };
    for by in direction.steps() {
        let mut here = set;
        for distance in 1..=most {
            here = step(here, by);
            if distance >= least {
                all |= here;
            }
        }
    }
    all
}

/// What the pieces on some squares attack, one piece after the other.
fn for_each_attack(moment: &Moment, of: u64, mut visit: impl FnMut(Square, u64)) {
    let occupied = Bitboard(moment.occupied());
    for kind in 0..12 {
        let piece = piece_of(kind);
        for square in squares(moment.kind(kind) & of) {
            visit(square, attacks::attacks(square, piece, occupied).0);
        }
    }
}

/// Those of a set that attack a square of another.
pub(crate) fn attackers(moment: &Moment, of: u64, targets: u64) -> u64 {
    let mut found = 0;
    if let Some(target) = Bitboard(targets).single_square() {
        return of & attackers_of(moment, target);
    }
    if targets != 0 {
        for_each_attack(moment, of & moment.occupied(), |square, attacked| {
            if attacked & targets != 0 {
                found |= bit(square);
            }
        });
    }
    found
}

/// Those of a set that pieces of another attack.
pub(crate) fn attacked(moment: &Moment, targets: u64, by: u64) -> u64 {
    let mut found = 0;
    if let Some(target) = Bitboard(targets).single_square() {
        let is_attacked = by & attackers_of(moment, target) != 0;
        return if is_attacked { targets } else { 0 };
    }
    if targets != 0 {
        for_each_attack(moment, by & moment.occupied(), |_, attacked| {
            found |= attacked
        });
    }
    found & targets
}

/// All pieces that attack a square.
fn attackers_of(moment: &Moment, square: Square) -> u64 {
    let occupied = Bitboard(moment.occupied());
    let both = |kind: usize| moment.kind(kind) | moment.kind(kind + 6);
    let queens = both(4);
    let mut found = attacks::knight_attacks(square).0 & both(1);
    found |= attacks::king_attacks(square).0 & both(5);
    // A pawn attacks from where a pawn of the other color would attack it.
    found |= attacks::pawn_attacks(Color::Black, square).0 & moment.kind(0);
    found |= attacks::pawn_attacks(Color::White, square).0 & moment.kind(6);
    found |= attacks::bishop_attacks(square, occupied).0 & (both(2) | queens);
    found | attacks::rook_attacks(square, occupied).0 & (both(3) | queens)
}

/// Whether the king of a side is attacked.
pub(crate) fn in_check(moment: &Moment, side: Color) -> bool {
    let enemies = moment.side(!side);
    squares(moment.kind(side.fold_wb(5, 11))).any(|king| attackers_of(moment, king) & enemies != 0)
}

/// Whether a piece of a side could go from one of some squares to one of others, if nothing but the pieces in its way
/// forbids it. Kings, which castle, may go anywhere.
pub(crate) fn may_move(moment: &Moment, side: Color, from: u64, to: u64) -> bool {
    let own = from & moment.side(side);
    let kind = side.fold_wb(0, 6);
    let forward = side.fold_wb(1, -1);
    let pawns = own & moment.kind(kind);
    let once = step(pawns, (0, forward));
    if (once | step(once, (0, forward))) & to != 0 || own & moment.kind(kind + 5) != 0 {
        return true;
    }
    let mut reached = 0;
    for_each_attack(moment, own, |_, attacked| reached |= attacked);
    reached & to != 0
}

/// The least and the greatest number of legal moves that a side may have.
pub(crate) fn legal_moves(moment: &Moment, side: Color) -> (i64, i64) {
    let first = side.fold_wb(0, 6);
    let (own, occupied) = (moment.side(side), Bitboard(moment.occupied()));
    let king = moment.kind(first + 5);
    // Pieces that the king does not see are not pinned; out of check, they may go wherever they can.
    let seen = squares(king).fold(0, |all, it| all | attacks::queen_attacks(it, occupied).0);
    let is_free = !in_check(moment, side);
    let (mut least, mut most) = (0, 0);
    for kind in first + 1..first + 6 {
        for square in squares(moment.kind(kind)) {
            let attacked = attacks::attacks(square, piece_of(kind), occupied).0 & !own;
            let count = i64::from(attacked.count_ones());
            most += count;
            if is_free && (seen | king) & bit(square) == 0 {
                least += count;
            }
        }
    }
    let forward = side.fold_wb(1, -1);
    let (ends, third) = (0xff00_0000_0000_00ff, side.fold_wb(0xff_0000, 0xff << 40));
    let pawn_moves = |pawns: u64| {
        let once = step(pawns, (0, forward)) & moment.empty();
        let twice = step(once & third, (0, forward)) & moment.empty();
        let taken = [-1, 1].map(|file| step(pawns, (file, forward)) & moment.side(!side));
        let moves = [once, twice, taken[0], taken[1]].into_iter();
        // A pawn becomes one of four pieces.
        let each = moves.map(|it| it.count_ones() + 3 * (it & ends).count_ones());
        i64::from(each.sum::<u32>())
    };
    let pawns = moment.kind(first);
    most += pawn_moves(pawns);
    if is_free {
        least += pawn_moves(pawns & !seen);
    }
    // Two ways to castle, two pawns that take en passant.
    (least, most + 4)
}

/// The directions that the piece of a kind slides in.
fn slides(kind: usize) -> Direction {
    match piece_of(kind).role {
        Role::Bishop => Direction(0xaa),
        Role::Rook => Direction(0x55),
        Role::Queen => Direction::ANY,
        _ => Direction(0),
    }
}

/// The squares of a set with pieces that slide in a direction.
fn sliders(moment: &Moment, by: Direction) -> u64 {
    let kinds = (0..12).filter(|&it| slides(it).0 & by.0 != 0);
    kinds.fold(0, |all, it| all | moment.kind(it))
}

/// Squares of the sets in order on a line with only empty squares between: the first ones, and the
/// last ones.
pub(crate) fn ray(
    moment: &Moment,
    attacks: bool,
    directions: Direction,
    sets: &[u64],
) -> (u64, u64) {
    let (mut first, mut last) = (0, 0);
    let Some((&starts, rest)) = sets.split_first() else {
        return (0, 0);
    };
    for (at, by) in Direction::STEPS.into_iter().enumerate() {
        let direction = Direction(1 << at);
        if directions.0 & direction.0 == 0 {
            continue;
        }
        let starts = match attacks {
            true => starts & sliders(moment, direction),
            false => starts,
        };
        for start in squares(starts) {
            let ends = ends_of(moment, bit(start), by, rest);
            if ends != 0 {
                first |= bit(start);
                last |= ends;
            }
        }
    }
    (first, last)
}

/// Where a line can end that goes on from a square.
fn ends_of(moment: &Moment, from: u64, by: (i8, i8), rest: &[u64]) -> u64 {
    let Some((&next, rest)) = rest.split_first() else {
        return from;
    };
    let mut ends = 0;
    let mut here = step(from, by);
    while here != 0 {
        if here & next != 0 {
            ends |= ends_of(moment, here, by, rest);
        }
        if here & moment.occupied() != 0 {
            break;
        }
        here = step(here, by);
    }
    ends
}

/// All squares strictly between two sets.
pub(crate) fn between(one: u64, two: u64) -> u64 {
    let mut found = 0;
    for a in squares(one) {
        for b in squares(two) {
            found |= attacks::between(a, b).0;
        }
    }
    found
}

/// A part of all pins of pieces in `through`, by pieces in `from`, to squares in `to`.
pub(crate) fn pin(moment: &Moment, from: u64, through: u64, to: u64, part: PinPart) -> u64 {
    let mut found = 0;
    // Most pieces see nothing to pin, or nothing to pin it to.
    let mut pinners = 0;
    for_each_attack(
        moment,
        from & sliders(moment, Direction::ANY),
        |square, attacked| {
            let is_white = moment.side(Color::White) & bit(square) != 0;
            let enemies = moment.side(Color::from_white(!is_white));
            let line = attacks::queen_attacks(square, Bitboard::EMPTY).0;
            if attacked & through & enemies != 0 && line & to != 0 {
                pinners |= bit(square);
            }
        },
    );
    if pinners == 0 {
        return 0;
    }
    for (at, by) in Direction::STEPS.into_iter().enumerate() {
        for pinner in squares(pinners & sliders(moment, Direction(1 << at))) {
            let is_white = moment.side(Color::White) & bit(pinner) != 0;
            let enemies = moment.side(Color::from_white(!is_white));
            let Some(pinned) = next_piece(moment, bit(pinner), by) else {
                continue;
            };
            if pinned & through & enemies == 0 {
                continue;
            }
            // What is pinned to: the next piece, or an empty square before it.
            let mut here = step(pinned, by);
            let mut target = 0;
            while here != 0 {
                target |= here & to;
                if here & moment.occupied() != 0 {
                    break;
                }
                here = step(here, by);
            }
            target &= !moment.side(Color::from_white(is_white));
            if target != 0 {
                found |= match part {
                    PinPart::From => bit(pinner),
                    PinPart::Through => pinned,
                    PinPart::To => target,
                };
            }
        }
    }
    found
}

fn next_piece(moment: &Moment, from: u64, by: (i8, i8)) -> Option<u64> {
    let mut here = step(from, by);
    while here & moment.empty() != 0 {
        here = step(here, by);
    }
    (here != 0).then_some(here)
}

/// The pawns of a kind, of both colors.
pub(crate) fn pawns(moment: &Moment, kind: Pawns) -> u64 {
    let (white, black) = (moment.kind(0), moment.kind(6));
    match kind {
        Pawns::Passed => {
            let controlled = |pawns: u64, by: i8| {
                let mut ahead = step(pawns, (0, by));
                for _ in 0..5 {
                    ahead |= step(ahead, (0, by));
                }
                ahead | step(ahead, (1, 0)) | step(ahead, (-1, 0))
            };
            (white & !controlled(black, -1)) | (black & !controlled(white, 1))
        }
        Pawns::Isolated => {
            let alone = |pawns: u64| {
                let files = file_fill(pawns);
                pawns & !step(files, (1, 0)) & !step(files, (-1, 0))
            };
            alone(white) | alone(black)
        }
        Pawns::Doubled => {
            let doubled = |pawns: u64| {
                let files = (0..8).map(|file| pawns & FILE_A << file);
                files
                    .filter(|it| it.count_ones() > 1)
                    .fold(0, |all, it| all | it)
            };
            doubled(white) | doubled(black)
        }
        Pawns::Connected => {
            // As CQL has it: an own pawn on a neighboring file, however far away.
            let connected = |pawns: u64| {
                let files = file_fill(pawns);
                pawns & (step(files, (1, 0)) | step(files, (-1, 0)))
            };
            connected(white) | connected(black)
        }
    }
}

fn file_fill(set: u64) -> u64 {
    let mut filled = set;
    for by in [8, 16, 32] {
        filled |= filled << by | filled >> by;
    }
    filled
}
