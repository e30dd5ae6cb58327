"""The named patterns of a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .common import WithFen
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Structure(Shape):
    """A named pattern that a position has."""

    name: str
    """The name; `collection.find("@name")` finds games with it."""
    about: str
    """What it is."""
    group: str
    """The kind: structures, material, endings, ..."""
    query: str
    """The pattern."""


@dataclass(frozen=True, slots=True)
class StructuresAnswer(WithFen, Answer):
    """The named patterns of a position."""

    QUESTION = "structures"

    fen: str
    """The position."""
    structures: tuple[Structure, ...]
    """The patterns it has, in the order of the list."""

    def to_pandas(self) -> pandas.DataFrame:
        """The patterns, one row each."""
        return rows(Structure, self.structures)
