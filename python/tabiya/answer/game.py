"""A game move by move."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import GameHeader, WithFen, WithMove
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Ply(WithFen, WithMove, Shape):
    """A ply, and the position that it leads to."""

    san: str
    """The move as players write it; "--" for a null move."""
    uci: str
    """The move as engines write it; "0000" for a null move."""
    fen: str
    """The position after it."""
    glyphs: tuple[int, ...]
    """The annotator's glyphs, such as 1 for "!" and 2 for "?"."""
    comments: tuple[str, ...]
    """What the annotator says after it."""


@dataclass(frozen=True, slots=True)
class GameAnswer(WithFen, Answer):
    """A game's tags and moves."""

    QUESTION = "game"

    game: GameHeader
    """The tags."""
    fen: str
    """The position it began from."""
    comments: tuple[str, ...] = field(repr=False)
    """What the annotator says before the first move."""
    moves: tuple[Ply, ...] = field(repr=False)
    """The moves."""
    pgn: str = field(repr=False)
    """The game in PGN, with all tags, comments and variations."""

    def to_pandas(self) -> pandas.DataFrame:
        """The moves, one row each."""
        return rows(Ply, self.moves)
