//! A hit with the position and the moves behind its numbers, turned to the query's view.

use shakmaty::{
    CastlingMode, Chess, EnPassantMode, FromSetup, Move, Position, PositionError, san::SanPlus,
    uci::UciMove,
};
use tabiya_chess::{CompactMove, Game, Symmetry};

use crate::search::Hit;

/// A hit with the position and the moves behind its numbers.
#[derive(Clone, Debug)]
pub struct ResolvedHit {
    /// The numbers.
    pub hit: Hit,
    /// The game.
    pub game: Game,
    /// The position, as it was in the game.
    pub position: Chess,
    /// The position, turned to the query's view.
    pub turned: Chess,
    /// The moves that followed.
    pub next: Vec<CompactMove>,
    /// What the annotator says of the position.
    pub comments: Vec<String>,
}

/// How many of the moves that followed are kept.
const NEXT: usize = 6;

impl ResolvedHit {
    /// Looks up what a hit stands for. `None` if the game has no such variation or ply.
    pub fn new(hit: Hit, game: Game) -> Option<ResolvedHit> {
        let variation = match hit.variation {
            Some(number) => Some(number.of(&game)?),
            None => None,
        };
        let moves = variation.as_ref().map_or(&game.moves, |it| &it.moves);
        let (annotations, own) = match &variation {
            Some(it) => (
                &it.branch.annotations,
                usize::from(hit.ply).saturating_sub(it.ply),
            ),
            None => (&game.annotations, hit.ply.into()),
        };
        let comments = annotations.words_at(own).collect();
        let position = game.position_along(moves, hit.ply.into())?;
        let turned = turn(&position, hit.symmetry)?;
        let next = moves.iter().skip(hit.ply.into()).take(NEXT);
        Some(ResolvedHit {
            next: next.copied().collect(),
            hit,
            position,
            turned,
            comments,
            game,
        })
    }
}

/// The position seen through a symmetry.
pub fn turn(position: &Chess, symmetry: Symmetry) -> Option<Chess> {
    let setup = symmetry.setup(&position.to_setup(EnPassantMode::Legal));
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()
}

/// Moves in the notation of players, seen through a symmetry. A mirrored castling has no name of
/// its own and keeps the old one.
pub fn line(position: &Chess, moves: &[CompactMove], symmetry: Symmetry) -> Vec<String> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for mv in moves {
        let next = mv.play(position.clone());
        line.push(match mv.to_move(position.board()) {
            _ if mv.is_null() => "--".to_owned(),
            Some(mv) => {
                match turn(&position, symmetry).filter(|_| !mv.is_castle() || !symmetry.mirrors()) {
                    Some(turned) if turned.is_legal(symmetry.mv(mv)) => {
                        SanPlus::from_move(turned, symmetry.mv(mv)).to_string()
                    }
                    _ => SanPlus::from_move(position.clone(), mv).to_string(),
                }
            }
            None => break,
        });
        match next {
            Some(next) => position = next,
            None => break,
        }
    }
    line
}

/// The move in the notation of engines: the king's target for castling.
pub(crate) fn turned_uci(mv: Move, symmetry: Symmetry) -> String {
    match UciMove::from_standard(mv) {
        UciMove::Normal {
            from,
            to,
            promotion,
        } => UciMove::Normal {
            from: symmetry.square(from),
            to: symmetry.square(to),
            promotion,
        },
        other => other,
    }
    .to_string()
}
