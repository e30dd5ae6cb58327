"""What a collection holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class StatsBar(Shape):
    """Positions with a statistic in a range."""

    # Python reserves the word `from`.
    from_: float
    """The least value."""
    to: float
    """The greatest value."""
    positions: int
    """The number of positions."""


@dataclass(frozen=True, slots=True)
class StatsAnswer(Answer):
    """Games, positions, terms, bytes by part, dates, players and results."""

    QUESTION = "stats"

    games: int
    """The number of games."""
    positions: int
    """The number of indexed positions."""
    bytes: int
    """The size of all segments."""
    bytes_a_position: float
    """The size by position."""
    parts: Mapping[str, int] = field(hash=False, repr=False)
    """The size by part of a segment."""
    segments: int
    """The number of segments."""
    windows: int
    """The number of windows."""
    postings: int
    """The number of postings: how often a term occurs in a window."""
    terms: int
    """The number of different terms that occur."""
    occurrences: int
    """How often terms occur in positions."""
    mean_length: float
    """The mean number of terms of a position."""
    plies: int
    """The number of plies."""
    skip: int
    """The first plies of a game that are not indexed."""
    first_date: str | None
    """The date of the oldest game."""
    last_date: str | None
    """The date of the newest game."""
    players: int
    """The number of players."""
    results: Mapping[str, int] = field(hash=False)
    """The number of games by result."""
    rated: int
    """The number of games with two rated players."""
    mean_elo: float | None
    """The mean rating of their players."""
    chi2: tuple[StatsBar, ...] = field(repr=False)
    """Exact positions by their statistic, counted once in each segment."""

    def to_pandas(self) -> pandas.DataFrame:
        """The positions by their statistic, one row for each bar."""
        return rows(StatsBar, self.chi2)
