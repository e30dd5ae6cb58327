"""Traps near a position."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import WithFen
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Trap(Shape):
    """A trap that a position resembles."""

    trap: str | None
    """The name of a trap of the library."""
    game: int | None
    """The game in which it was found."""
    ply: int | None
    """The number of plies played there before the bait."""
    symmetry: str
    """How the trap was turned to meet the position."""
    similarity: float
    """The mean of play and looks."""
    play: float
    """How alike the two play."""
    looks: float
    """How alike the two look."""
    trap_bait: str
    """The bait in the trap."""
    bait: str | None
    """The move that corresponds to the bait here."""
    own_move: bool
    """Whether that move is the trap's own bait: the same piece goes to the same square."""
    verified: bool
    """Whether search proved that this move loses."""
    refutation: tuple[str, ...]
    """The moves that refute it."""
    mate_in: int | None
    """The number of moves to mate."""
    gain: int | None
    """What the refutation wins, in hundredths of a pawn."""
    better: str | None
    """A move that avoids the loss."""


@dataclass(frozen=True, slots=True)
class TrapsAnswer(WithFen, Answer):
    """The traps near a position."""

    QUESTION = "traps"

    fen: str
    """The position."""
    warning: bool
    """Whether search proved one of the traps."""
    known: int
    """The number of known traps: the library's and those mined from the games."""
    traps: tuple[Trap, ...] = field(repr=False)
    """The nearest traps."""

    def to_pandas(self) -> pandas.DataFrame:
        """The traps, one row each."""
        return rows(Trap, self.traps)
