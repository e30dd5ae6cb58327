"""Exercises with the motif of a position."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import GameHeader, WithFen
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Exercise(WithFen, Shape):
    """An exercise."""

    similarity: float
    """How like the query's its motif is, from 0 to 1."""
    fen: str
    """The position in which the solver moves."""
    solution: tuple[str, ...]
    """The solution, the solver's move first."""
    ideas: tuple[str, ...]
    """The named ideas of the solution."""
    name: str | None
    """The name of the exercise, if it has one."""
    rating: int | None
    """The rating of the exercise."""
    themes: tuple[str, ...]
    """The themes of the exercise."""
    game: GameHeader
    """The game that holds it."""
    ply: int
    """The number of plies played before the position in that game."""


@dataclass(frozen=True, slots=True)
class ExercisesAnswer(WithFen, Answer):
    """The exercises most like a position."""

    QUESTION = "exercises"

    fen: str
    """The position asked about."""
    line: tuple[str, ...]
    """Its best line."""
    ideas: tuple[str, ...]
    """The named ideas of the line."""
    exercises: tuple[Exercise, ...] = field(repr=False)
    """The exercises, best first."""

    def to_pandas(self) -> pandas.DataFrame:
        """The exercises, one row each."""
        return rows(Exercise, self.exercises)
