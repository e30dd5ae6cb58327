"""What can be played in two positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .document import Answer
from .shape import ABSENT, REST, Shape, table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Match(Shape):
    """Two moves that correspond."""

    a: str
    """The move in the first position."""
    b: str
    """The move in the second position."""
    count: int
    """How often they were paired."""
    effects: tuple[str, str]
    """What the two moves do."""
    paths: tuple[tuple[str, str], tuple[str, str]]
    """From where to where the two moves go."""


# Without slots, so that it can be a base beside another.
@dataclass(frozen=True)
class Comparison(Shape):
    """Two positions by every measure."""

    matches: tuple[Match, ...] = field(repr=False)
    """The moves that correspond."""
    verdict: str
    """The comparison in a sentence."""
    shared: tuple[str, ...] = field(repr=False)
    """Moves that can be played in both positions."""
    only_a: tuple[str, ...] = field(repr=False)
    """Moves that can be played in the first position alone."""
    only_b: tuple[str, ...] = field(repr=False)
    """Moves that can be played in the second position alone."""
    measures: Mapping[str, float | None] = field(hash=False, metadata=REST)
    """All measures by name, each from 0 to 1 (1 for the same); those over play carry their depth,
    such as "continuations_2". `None` for a tree that is too large to edit. The JSON has them
    beside the other fields."""

    def __getitem__(self, measure: str) -> float | None:
        return self.measures[measure]


@dataclass(frozen=True, slots=True)
class CompareAnswer(Comparison, Answer):
    """Two positions by every measure; `docs/measures.md` defines them."""

    QUESTION = "compare"

    swapped: Comparison | None = field(repr=False, metadata=ABSENT)
    """The same with the colors of the second position swapped, if different sides are to move."""

    def to_pandas(self) -> pandas.DataFrame:
        """The measures, one row each, with a column for the swapped view if there is one."""
        columns = {"value": self.measures}
        if self.swapped:
            columns["swapped"] = self.swapped.measures
        rows = (
            {"measure": name, **{column: it[name] for column, it in columns.items()}}
            for name in self.measures
        )
        return table(rows, ["measure", *columns])
