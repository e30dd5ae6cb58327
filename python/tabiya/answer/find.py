"""Positions that a pattern describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import Counts, GameHeader, WithFen
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class FindResults(Shape):
    """The results of games."""

    white: int
    """Games that White won."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won."""
    unknown: int
    """Games without a result."""


@dataclass(frozen=True, slots=True)
class PatternMatch(WithFen, Shape):
    """A game with positions that match."""

    rank: int
    """The place in the order, counted from one."""
    fen: str
    """The position: the first that matches, or the one most like the position of `like`."""
    ply: int
    """The number of plies played before it."""
    plies: tuple[int, ...]
    """The plies of all positions of the game that match."""
    game: GameHeader
    """The game."""
    variation: int | None
    """The number of the variation in the game, if the position is not in the game itself."""
    comments: tuple[str, ...]
    """What the annotator says of the position."""
    remarks: tuple[str, ...]
    """What the pattern's comments say of the position."""
    next: tuple[str, ...]
    """The moves that followed."""
    similarity: float | None
    """How like the position of `like` it is: 1 for the same."""
    sort: tuple[int | None, ...]
    """The values that the pattern sorts by."""


@dataclass(frozen=True, slots=True)
class NextMove(Shape):
    """A move played in matching positions."""

    side: str
    """The side that moved: white or black."""
    san: str
    """The move in SAN, without check marks and without what tells two pieces of a kind apart."""
    games: int
    """The number of games that played it."""
    white: int
    """Games that White won."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won."""


@dataclass(frozen=True, slots=True)
class PlanStep(Shape):
    """A step of a plan."""

    what: str
    """What it asks of a window of eight plies."""
    windows: int
    """The windows left after it."""


@dataclass(frozen=True, slots=True)
class FindPlan(Shape):
    """How an answer was found."""

    steps: tuple[PlanStep, ...]
    """What the index was asked, in order."""
    looked_at: int
    """The positions that were replayed and looked at."""


@dataclass(frozen=True, slots=True)
class FindAnswer(Answer):
    """What a pattern matches."""

    QUESTION = "find"

    pattern: str
    """The pattern as it was understood."""
    collection: Counts
    """The size of the collection."""
    games: int
    """The number of games with a match."""
    positions: int
    """The number of positions that match."""
    results: FindResults
    """The results of the games."""
    sorted_by: tuple[str, ...]
    """The labels of the pattern's sort filters."""
    matches: tuple[PatternMatch, ...] = field(repr=False)
    """The first games, with a position each."""
    moves: tuple[NextMove, ...] = field(repr=False)
    """The moves played in matching positions, most frequent first."""
    plan: FindPlan | None = field(repr=False)
    """The plan, if requested."""

    def __iter__(self) -> Iterator[PatternMatch]:
        return iter(self.matches)

    def __len__(self) -> int:
        return len(self.matches)

    def __getitem__(self, index: int) -> PatternMatch:
        return self.matches[index]

    def to_pandas(self) -> pandas.DataFrame:
        """The matches, one row each."""
        return rows(PatternMatch, self.matches)
