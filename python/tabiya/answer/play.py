"""A move for a position, by search and memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chess

from .common import GameHeader, WithFen, WithMove
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Remembered(WithMove, Shape):
    """A remembered move."""

    uci: str
    """The move as engines write it."""
    san: str
    """The move as players write it."""
    support: float
    """The share of the memory that speaks for it, from 0 to 1."""
    cases: int
    """The number of cases."""
    games: int
    """The number of games that had exactly this position and continued with this move."""


@dataclass(frozen=True, slots=True)
class Witness(Shape):
    """A game that speaks for the move."""

    ply: int
    """The number of plies played before the reply."""
    game: GameHeader
    """The game."""


@dataclass(frozen=True, slots=True)
class Memory(Shape):
    """The cases behind a move."""

    overruled: bool
    """Search showed that every remembered move loses something at once."""
    cases: int
    """The number of cases that passed the filters."""
    because: str | None
    """What speaks for the move, in words."""
    remembered: tuple[Remembered, ...]
    """Remembered moves, the best supported first."""
    games: tuple[Witness, ...]
    """Games in which the move was the reply, the most similar first."""


@dataclass(frozen=True, slots=True)
class PlayAnswer(WithFen, Answer):
    """The move, and what speaks for it."""

    QUESTION = "play"

    fen: str
    """The position."""
    mode: str | None
    """The role of remembered moves; `None` without cases."""
    uci: str | None
    """The move as engines write it; `None` if the game is over."""
    san: str | None
    """The move as players write it."""
    score: int
    """The score for the side to move, in hundredths of a pawn."""
    mate_in: int | None
    """The number of moves to mate; negative if the side to move is mated."""
    line: tuple[str, ...]
    """The principal variation, beginning with the move."""
    nodes: int
    """The number of nodes searched."""
    memory: Memory = field(repr=False)
    """The cases behind the move."""

    @property
    def move(self) -> chess.Move | None:
        """The move for a `chess.Board`; `None` if the game is over."""
        return chess.Move.from_uci(self.uci) if self.uci else None

    def to_pandas(self) -> pandas.DataFrame:
        """The remembered moves, one row each."""
        return rows(Remembered, self.memory.remembered)
