//! How values of `shakmaty` travel between machines: compact, exact, and never as text.

/// A position as bitboards, rights and clocks.
pub mod position {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use shakmaty::{
        Bitboard, Board, ByColor, ByRole, Chess, Color, EnPassantMode, Position, Setup, Square,
    };

    use crate::position::lenient;

    type Packed = ([u64; 2], [u64; 6], bool, u64, Option<u8>, u32, u32);

    /// Packs a position.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(position: &Chess, to: S) -> Result<S::Ok, S::Error> {
        let setup = position.to_setup(EnPassantMode::Legal);
        let (roles, colors) = setup.board.into_bitboards();
        let packed: Packed = (
            [colors.white.0, colors.black.0],
            [
                roles.pawn,
                roles.knight,
                roles.bishop,
                roles.rook,
                roles.queen,
                roles.king,
            ]
            .map(|it| it.0),
            setup.turn.is_black(),
            setup.castling_rights.0,
            setup.ep_square.map(|it| it as u8),
            setup.halfmoves,
            setup.fullmoves.get(),
        );
        packed.serialize(to)
    }

    /// Unpacks a position.
    ///
    /// # Errors
    ///
    /// When the bits are not those of a position.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Chess, D::Error> {
        let (colors, roles, black, castling, passant, halfmoves, fullmoves) =
            Packed::deserialize(from)?;
        let [pawn, knight, bishop, rook, queen, king] = roles.map(Bitboard);
        let by_role = ByRole {
            pawn,
            knight,
            bishop,
            rook,
            queen,
            king,
        };
        let [white, black_pieces] = colors.map(Bitboard);
        let by_color = ByColor {
            white,
            black: black_pieces,
        };
        let setup = Setup {
            board: Board::try_from_bitboards(by_role, by_color)
                .map_err(|_| D::Error::custom("the bitboards contradict each other"))?,
            turn: Color::from_black(black),
            castling_rights: Bitboard(castling),
            ep_square: passant.and_then(|it| Square::try_from(u32::from(it)).ok()),
            halfmoves,
            fullmoves: fullmoves.try_into().map_err(D::Error::custom)?,
            ..Setup::empty()
        };
        lenient(setup).ok_or_else(|| D::Error::custom("the bits are not a position"))
    }
}

/// How a game ended, as a number.
pub mod outcome {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use shakmaty::{Color, KnownOutcome, Outcome};

    const OUTCOMES: [Option<KnownOutcome>; 4] = [
        None,
        Some(KnownOutcome::Draw),
        Some(KnownOutcome::Decisive {
            winner: Color::White,
        }),
        Some(KnownOutcome::Decisive {
            winner: Color::Black,
        }),
    ];

    /// The number of an outcome.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(outcome: &Outcome, to: S) -> Result<S::Ok, S::Error> {
        let known = match outcome {
            Outcome::Known(known) => Some(*known),
            Outcome::Unknown => None,
        };
        let number = OUTCOMES.iter().position(|it| *it == known).unwrap_or(0);
        (number as u8).serialize(to)
    }

    /// The outcome with a number; any other number is unknown.
    ///
    /// # Errors
    ///
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Outcome, D::Error> {
        let number = u8::deserialize(from)?;
        let known = OUTCOMES.get(usize::from(number)).copied().flatten();
        Ok(Outcome::from_known(known))
    }
}

/// A kind of piece, as a number.
pub mod role {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use shakmaty::Role;

    /// The number of a role.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(role: &Role, to: S) -> Result<S::Ok, S::Error> {
        (*role as u8).serialize(to)
    }

    /// The role with a number.
    ///
    /// # Errors
    ///
    /// When no role has it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Role, D::Error> {
        let number = u8::deserialize(from)?;
        Role::try_from(u32::from(number)).map_err(|_| D::Error::custom("not a kind of piece"))
    }
}
