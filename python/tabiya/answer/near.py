"""Positions whose statistic lies near that of a given one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import WithFen
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class NearHit(WithFen, Shape):
    """A position with a statistic near the query's."""

    chi2: float
    """Its statistic."""
    fen: str
    """The position."""
    occurrences: int
    """How often it occurred."""
    game: int
    """The first game it occurred in."""
    ply: int
    """The ply at which it occurred there."""


@dataclass(frozen=True, slots=True)
class NearAnswer(WithFen, Answer):
    """The nearest positions."""

    QUESTION = "near"

    fen: str
    """The position asked about."""
    chi2: float
    """Its statistic."""
    distance: float
    """The greatest difference."""
    positions: int
    """The positions within the distance, counted once in each segment."""
    hits: tuple[NearHit, ...] = field(repr=False)
    """The nearest, of equally near ones the most frequent."""

    def to_pandas(self) -> pandas.DataFrame:
        """The positions, one row each."""
        return rows(NearHit, self.hits)
