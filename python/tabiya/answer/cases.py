"""What strong players replied to a move in positions like this one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import Counts, GameHeader, WithFen, WithMove
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class CaseReply(WithMove, Shape):
    """A reply that is legal here; results are those of the side that played it."""

    uci: str
    """The move as engines write it."""
    san: str
    """The move as players write it."""
    cases: int
    """The number of cases."""
    won: int
    """How many were won."""
    drawn: int
    """How many were drawn."""
    lost: int
    """How many were lost."""
    weight: float
    """The sum of the cases' weights."""
    similarity: float
    """The greatest similarity."""


@dataclass(frozen=True, slots=True)
class ListedCase(WithFen, Shape):
    """A case with its game."""

    similarity: float
    """How alike the positions are."""
    fen: str
    """The position in the game."""
    ply: int
    """The number of plies played before the reply."""
    reaction: str
    """The reply (SAN)."""
    source: str
    """Where the game comes from: self or archive."""
    game: GameHeader
    """The game."""


@dataclass(frozen=True, slots=True)
class CasesAnswer(WithFen, Answer):
    """The cases that pass both filters, and what was replied in them."""

    QUESTION = "cases"

    fen: str
    """The position."""
    actions: tuple[str, ...]
    """What the opponent did; two actions where the move may have been a capture or not."""
    threshold: float
    """The least similarity."""
    collection: Counts
    """How much was searched."""
    count: int
    """The number of cases that pass both filters."""
    reactions: tuple[CaseReply, ...] = field(repr=False)
    """The replies that are legal here, the weightiest first."""
    cases: tuple[ListedCase, ...] = field(repr=False)
    """The most similar cases."""

    def to_pandas(self) -> pandas.DataFrame:
        """The cases, one row each."""
        return rows(ListedCase, self.cases)

    def reactions_to_pandas(self) -> pandas.DataFrame:
        """The replies, one row each."""
        return rows(CaseReply, self.reactions)
