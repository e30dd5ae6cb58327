//! A game as patterns see it: its positions, replayed as far as somebody asks, and its moves.

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingSide, Chess, Color, Piece, Position, Role, Square,
};
use tabiya_chess::{CompactMove, Game, Tags, position};

use crate::syntax::Kinds;

/// A game to look at: its first position, its moves and its tags.
pub trait Scoresheet {
    /// How many moves there are.
    fn plies(&self) -> usize;

    /// The move after this many others.
    fn mv(&self, ply: usize) -> CompactMove;

    /// Whose turn it is in the first position.
    fn first_turn(&self) -> Color;

    /// A board at this ply or before it, and its ply.
    fn board_before(&self, ply: usize) -> (usize, Board);

    /// The first position.
    fn start(&self) -> Chess;

    /// The tags.
    fn tags(&self) -> Tags;
}

/// A line of a game that is in memory: the main line, or a variation.
#[derive(Clone, Debug)]
pub struct Played<'a> {
    game: &'a Game,
    moves: Vec<CompactMove>,
}

impl<'a> Played<'a> {
    /// The main line, up to the first move that is not legal.
    pub fn new(game: &'a Game) -> Played<'a> {
        Played::along(game, &game.moves)
    }

    /// Another line from the start of the game.
    pub fn along(game: &'a Game, moves: &[CompactMove]) -> Played<'a> {
        let legal = game.positions_along(moves).count() - 1;
        Played {
            game,
            moves: moves[..legal].to_vec(),
        }
    }
}

impl Scoresheet for Played<'_> {
    fn plies(&self) -> usize {
        self.moves.len()
    }

    fn mv(&self, ply: usize) -> CompactMove {
        self.moves[ply]
    }

    fn first_turn(&self) -> Color {
        self.game
            .setup
            .as_ref()
            .map_or(Color::White, |it| it.turn())
    }

    fn board_before(&self, _: usize) -> (usize, Board) {
        (0, self.game.start().board().clone())
    }

    fn start(&self) -> Chess {
        self.game.start()
    }

    fn tags(&self) -> Tags {
        self.game.tags.clone()
    }
}

/// The pieces of a position as bitboards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moment {
    /// White's pawn to king, Black's, empty squares, White's pieces, Black's.
    planes: [u64; 15],
}

const EMPTY: usize = 12;
const WHITE: usize = 13;
const BLACK: usize = 14;

/// The piece of a kind.
pub(crate) fn piece_of(kind: usize) -> Piece {
    Role::ALL[kind % 6].of(Color::from_white(kind < 6))
}

impl Moment {
    fn of(board: &Board) -> Moment {
        let mut planes = [0; 15];
        let (white, black) = (board.white().0, board.black().0);
        for role in Role::ALL {
            let all = board.by_role(role).0;
            planes[role as usize - 1] = all & white;
            planes[role as usize + 5] = all & black;
        }
        planes[EMPTY] = !(white | black);
        planes[WHITE] = white;
        planes[BLACK] = black;
        Moment { planes }
    }

    /// The board with these pieces.
    pub(crate) fn board(&self) -> Board {
        let roles: [Bitboard; 6] =
            std::array::from_fn(|it| Bitboard(self.planes[it] | self.planes[it + 6]));
        let [pawn, knight, bishop, rook, queen, king] = roles;
        let by_role = ByRole {
            pawn,
            knight,
            bishop,
            rook,
            queen,
            king,
        };
        let by_color = ByColor {
            black: Bitboard(self.planes[BLACK]),
            white: Bitboard(self.planes[WHITE]),
        };
        Board::try_from_bitboards(by_role, by_color).unwrap_or_else(|_| Board::empty())
    }

    /// The pieces of one kind.
    pub(crate) fn kind(&self, kind: usize) -> u64 {
        self.planes[kind]
    }

    pub(crate) fn side(&self, color: Color) -> u64 {
        self.planes[color.fold_wb(WHITE, BLACK)]
    }

    pub(crate) fn occupied(&self) -> u64 {
        !self.planes[EMPTY]
    }

    pub(crate) fn empty(&self) -> u64 {
        self.planes[EMPTY]
    }

    /// All squares of some kinds.
    pub(crate) fn pieces(&self, kinds: Kinds) -> u64 {
        if kinds.0.is_power_of_two() {
            return self.planes[kinds.0.trailing_zeros() as usize];
        }
        let mut all = 0;
        let mut left = kinds.0;
        for (group, plane) in [(Kinds::WHITE.0, WHITE), (Kinds::BLACK.0, BLACK)] {
            if left & group == group {
                all |= self.planes[plane];
                left &= !group;
            }
        }
        while left != 0 {
            all |= self.planes[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        all
    }
}

/// A move with all that patterns ask of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) captured: Option<Square>,
    pub(crate) promotion: Option<Role>,
    pub(crate) en_passant: bool,
    /// Where the rook comes from and goes to, and on which side.
    pub(crate) castle: Option<(Square, Square, CastlingSide)>,
}

impl Motion {
    /// The stored move at a position; `None` for a pass.
    pub(crate) fn of(mv: CompactMove, moment: &Moment) -> Option<Motion> {
        if mv.is_null() {
            return None;
        }
        let (from, to) = (mv.origin(), mv.target());
        if mv.is_castle() {
            let side = CastlingSide::from_queen_side(to < from);
            let rank = from.rank();
            return Some(Motion {
                from,
                to: Square::from_coords(side.king_to_file(), rank),
                captured: None,
                promotion: None,
                en_passant: false,
                castle: Some((to, Square::from_coords(side.rook_to_file(), rank), side)),
            });
        }
        let captured = if mv.is_en_passant() {
            Some(Square::from_coords(to.file(), from.rank()))
        } else {
            Some(to).filter(|&it| moment.occupied() >> (it as u32) & 1 == 1)
        };
        Some(Motion {
            from,
            to,
            captured,
            promotion: mv.promotion(),
            en_passant: mv.is_en_passant(),
            castle: None,
        })
    }
}

/// A position that moves are made on: its bitboards, and what stands on each square.
#[derive(Clone, Debug)]
struct Here {
    moment: Moment,
    kinds: [u8; 64],
}

impl Here {
    fn of(board: &Board) -> Here {
        let moment = Moment::of(board);
        let mut kinds = [EMPTY as u8; 64];
        for kind in 0..EMPTY {
            for square in Bitboard(moment.planes[kind]) {
                kinds[square as usize] = kind as u8;
            }
        }
        Here { moment, kinds }
    }

    fn toggle(&mut self, kind: u8, square: Square) {
        let bit = 1 << square as u32;
        let side = if kind < 6 { WHITE } else { BLACK };
        for plane in [kind.into(), side, EMPTY] {
            self.moment.planes[plane] ^= bit;
        }
    }

    /// Takes what stands on a square; the empty kind if nothing does.
    fn take(&mut self, square: Square) -> u8 {
        let kind = std::mem::replace(&mut self.kinds[square as usize], EMPTY as u8);
        if usize::from(kind) < EMPTY {
            self.toggle(kind, square);
        }
        kind
    }

    fn put(&mut self, kind: u8, square: Square) {
        self.take(square);
        if usize::from(kind) < EMPTY {
            self.kinds[square as usize] = kind;
            self.toggle(kind, square);
        }
    }

    /// Makes a move, trusting it to fit, like [`CompactMove::play_on`].
    fn play(&mut self, mv: CompactMove) {
        let (from, to) = (mv.origin(), mv.target());
        if mv.is_null() || usize::from(self.kinds[from as usize]) == EMPTY {
            return;
        }
        let kind = self.take(from);
        if mv.is_castle() {
            let rook = self.take(to);
            let side = CastlingSide::from_queen_side(to < from);
            self.put(kind, Square::from_coords(side.king_to_file(), from.rank()));
            self.put(rook, Square::from_coords(side.rook_to_file(), from.rank()));
            return;
        }
        if mv.is_en_passant() {
            self.take(Square::from_coords(to.file(), from.rank()));
        }
        let promoted = |role: Role| role as u8 - 1 + if kind < 6 { 0 } else { 6 };
        self.put(mv.promotion().map_or(kind, promoted), to);
    }
}

/// The positions of one game after another, in the same memory.
#[derive(Debug, Default)]
pub(crate) struct Track {
    moments: Vec<Moment>,
    known: Vec<bool>,
    last: Option<(usize, Here)>,
    chess: Option<(usize, Chess)>,
    /// For each ply, where the piece is that began on a square; 64 if it was captured.
    places: Vec<[u8; 64]>,
    tags: Option<Tags>,
}

impl Track {
    /// Begins another game.
    pub(crate) fn reset(&mut self, plies: usize) {
        if self.moments.len() <= plies {
            self.moments.resize(plies + 1, Moment::default());
        }
        self.known.clear();
        self.known.resize(plies + 1, false);
        self.last = None;
        self.chess = None;
        self.places.clear();
        self.tags = None;
    }

    /// The track of a game that ends with another move after a position.
    pub(crate) fn after(&self, ply: usize, next: Chess) -> Track {
        let mut track = Track::default();
        track.reset(ply + 1);
        track.moments[ply + 1] = Moment::of(next.board());
        track.known[ply + 1] = true;
        track.chess = Some((ply + 1, next));
        track.tags = self.tags.clone();
        track
    }

    pub(crate) fn moment(&mut self, sheet: &dyn Scoresheet, ply: usize) -> &Moment {
        if !self.known[ply] {
            self.replay(sheet, ply);
        }
        &self.moments[ply]
    }

    fn replay(&mut self, sheet: &dyn Scoresheet, ply: usize) {
        if !self
            .last
            .as_ref()
            .is_some_and(|it| (ply.saturating_sub(2)..=ply).contains(&it.0))
        {
            let (at, board) = sheet.board_before(ply);
            self.last = Some((at, Here::of(&board)));
        }
        let Some((at, here)) = &mut self.last else {
            return;
        };
        while *at < ply {
            here.play(sheet.mv(*at));
            *at += 1;
        }
        self.moments[ply] = here.moment;
        self.known[ply] = true;
    }

    pub(crate) fn tags(&mut self, sheet: &dyn Scoresheet) -> &Tags {
        self.tags.get_or_insert_with(|| sheet.tags())
    }

    /// The position with all that the rules ask; `None` if the game cannot be played that far.
    pub(crate) fn chess(&mut self, sheet: &dyn Scoresheet, ply: usize) -> Option<&Chess> {
        let known = self.chess.take().filter(|it| it.0 <= ply);
        let (mut at, mut chess) = known.unwrap_or_else(|| (0, sheet.start()));
        while at < ply {
            let mv = sheet.mv(at);
            if mv.is_null() {
                chess = position::pass(&chess)?;
            } else {
                let mv = mv.to_move(chess.board())?;
                chess.play_unchecked(mv);
            }
            at += 1;
        }
        Some(&self.chess.insert((at, chess)).1)
    }

    /// Where the piece is that began on a square.
    pub(crate) fn place_of(&mut self, sheet: &dyn Scoresheet, piece: u8, ply: usize) -> u64 {
        self.follow(sheet);
        let place = self.places[ply][usize::from(piece)];
        1u64.checked_shl(place.into()).unwrap_or(0)
    }

    /// The square on which a piece began that stands on a square.
    pub(crate) fn piece_on(
        &mut self,
        sheet: &dyn Scoresheet,
        square: u32,
        ply: usize,
    ) -> Option<u8> {
        self.follow(sheet);
        let place = self.places[ply]
            .iter()
            .position(|&it| u32::from(it) == square);
        place.map(|it| it as u8)
    }

    fn follow(&mut self, sheet: &dyn Scoresheet) {
        if !self.places.is_empty() {
            return;
        }
        const NONE: u8 = 64;
        // Where each piece is, and which piece is on each square; pieces are named by where they began.
        let mut places = [NONE; 64];
        for square in sheet.start().board().occupied() {
            places[square as usize] = square as u8;
        }
        let mut pieces = places;
        self.places.push(places);
        for ply in 0..sheet.plies() {
            let mv = sheet.mv(ply);
            let (from, to) = (mv.origin(), mv.target());
            if !mv.is_null() && pieces[from as usize] != NONE {
                let take = |pieces: &mut [u8; 64], square: Square| {
                    std::mem::replace(&mut pieces[square as usize], NONE)
                };
                let mover = take(&mut pieces, from);
                let mut put = [(mover, to), (NONE, to)];
                if mv.is_castle() {
                    let side = CastlingSide::from_queen_side(to < from);
                    let rook = take(&mut pieces, to);
                    let square = |file| Square::from_coords(file, from.rank());
                    put = [
                        (mover, square(side.king_to_file())),
                        (rook, square(side.rook_to_file())),
                    ];
                } else if mv.is_en_passant() {
                    let captured = take(&mut pieces, Square::from_coords(to.file(), from.rank()));
                    if captured != NONE {
                        places[usize::from(captured)] = NONE;
                    }
                }
                for (piece, square) in put.into_iter().filter(|it| it.0 != NONE) {
                    let captured = std::mem::replace(&mut pieces[square as usize], piece);
                    for (piece, place) in [(captured, NONE), (piece, square as u8)] {
                        if piece != NONE {
                            places[usize::from(piece)] = place;
                        }
                    }
                }
            }
            self.places.push(places);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Chess;

    use super::*;

    proptest! {
        #[test]
        fn moves_on_bitboards_are_moves_on_boards(choices in proptest::collection::vec(any::<proptest::sample::Index>(), 0..150), few: bool) {
            let fen = if few { "n1n5/PPPk3p/8/2pP4/8/8/4Kppp/R4N1N b - - 0 1" } else { "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1" };
            let mut chess: Chess = position::parse(fen).unwrap();
            let mut here = Here::of(chess.board());
            for choice in choices {
                let legal = chess.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let mv = legal[choice.index(legal.len())];
                here.play(mv.into());
                chess.play_unchecked(mv);
                let expected = Here::of(chess.board());
                prop_assert_eq!(here.moment.planes, expected.moment.planes);
                prop_assert_eq!(here.kinds, expected.kinds);
                prop_assert_eq!(&here.moment.board(), chess.board());
                let (least, most) = crate::geometry::legal_moves(&here.moment, chess.turn());
                let count = chess.legal_moves().len() as i64;
                prop_assert!((least..=most).contains(&count), "{least} {count} {most} {}", chess.board());
            }
        }
    }
}
