"""What an opponent plays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import GameHeader, WithFen
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Results(Shape):
    """Results in the opponent's view."""

    name: str
    """What the results are of."""
    wins: int
    """Games that the opponent won."""
    draws: int
    """Drawn games."""
    losses: int
    """Games that the opponent lost."""
    unknown: int
    """Games without a known result."""
    last_year: int | None
    """The year of the last game."""


@dataclass(frozen=True, slots=True)
class RepertoireMove(Shape):
    """A move of the tree."""

    ply: int
    """The number of plies before the move."""
    san: str
    """The move as players write it."""
    results: Results
    """The results of the games that played it; the name is the line up to the move."""


@dataclass(frozen=True, slots=True)
class Repertoire(Shape):
    """What a player does with a color."""

    total: Results
    """All games."""
    openings: tuple[Results, ...]
    """Openings, the most frequent first."""
    tree: tuple[RepertoireMove, ...]
    """The moves of both sides, in the order of the lines."""


@dataclass(frozen=True, slots=True)
class OpponentGame(Shape):
    """A game of the opponent."""

    game: GameHeader
    """The game."""
    color: str
    """His color: "white" or "black"."""
    result: str
    """His result: "win", "draw", "loss" or "unknown"."""


@dataclass(frozen=True, slots=True)
class Parallel(WithFen, Shape):
    """A position of the opponent's games that is like the end of a line."""

    line: str
    """The line."""
    line_fen: str
    """The position at its end."""
    similarity: float
    """How like the opponent's position it is, from 0 to 1."""
    fen: str
    """The opponent's position."""
    game: GameHeader
    """The game."""
    ply: int
    """The number of plies played before the position."""
    next: tuple[str, ...]
    """The moves that followed."""


@dataclass(frozen=True, slots=True)
class PrepareAnswer(Answer):
    """What is known of an opponent."""

    QUESTION = "prepare"

    white: Repertoire = field(repr=False)
    """His games with White."""
    black: Repertoire = field(repr=False)
    """His games with Black."""
    structures: tuple[Results, ...]
    """Pawn structures that his games reached, the most frequent first."""
    endings: tuple[Results, ...]
    """Endings that the opponent reached, the most frequent first."""
    games: tuple[OpponentGame, ...] = field(repr=False)
    """The opponent's newest games, lost ones first."""
    parallels: tuple[Parallel, ...] = field(repr=False)
    """Positions of the opponent's games that are like those of the repertoire, the most similar first."""

    def to_pandas(self) -> pandas.DataFrame:
        """The games, one row each."""
        return rows(OpponentGame, self.games)
