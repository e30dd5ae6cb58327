"""Values that several answers share."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import chess

from .shape import Shape

FAMILIES = ("place", "reach", "attack", "defence", "ray")
"""The families of terms."""

GROUPS = ("squares", "pawns", "material", "kings", "threats", "lines")
"""The groups of what makes positions alike."""


@dataclass(frozen=True, slots=True)
class GameHeader(Shape):
    """The tags of a game. What is unknown is `None`."""

    id: int
    """Its number in the collection, counted from one."""
    white: str
    """The player of the white pieces."""
    black: str
    """The player of the black pieces."""
    white_elo: int | None
    """White's rating."""
    black_elo: int | None
    """Black's rating."""
    event: str
    """The tournament or match."""
    site: str
    """The place, or a link to the game."""
    date: str
    """The date as PGN writes it, such as "1972.07.??"."""
    year: int | None
    """The year of the date."""
    round: str
    """The round of the event."""
    result: str
    """How it ended: "1-0", "0-1", "1/2-1/2" or "*"."""
    eco: str | None
    """The code of the opening."""

    @property
    def day(self) -> datetime.date | None:
        """The date, if it is complete."""
        try:
            return datetime.date(*map(int, self.date.split(".")))
        except (TypeError, ValueError):
            return None

    @classmethod
    def _column(cls, field: str, name: str) -> str:
        return field if name == "id" else name


@dataclass(frozen=True, slots=True)
class Counts(Shape):
    """How much a collection holds."""

    games: int
    """The number of games."""
    positions: int
    """The number of indexed positions."""


@dataclass(frozen=True, slots=True)
class SharedTerm(Shape):
    """A term that both positions hold."""

    term: str
    """The term in the notation of the paper, such as "b>Nc3"."""
    family: str
    """Its family: place, reach, attack, defence or ray."""
    weight: float
    """How much of it the other position holds."""
    share: float
    """Its share of the score."""
    words: str
    """The term in words."""
    square: str
    """The square of the term, in the query's view."""
    here: tuple[str, ...]
    """The squares of the acting pieces in the query."""
    there: tuple[str, ...]
    """The same in the other position, in the query's view."""


@dataclass(frozen=True, slots=True)
class SharedWord(Shape):
    """Something that a player would say of both positions."""

    words: str
    """What it says, such as "knight fork on c7"."""
    here: tuple[str, ...]
    """The squares to point at in the query."""
    there: tuple[str, ...]
    """The squares to point at in the other position, in the query's view."""


class WithFen:
    """A shape with a position."""

    __slots__ = ()

    fen: str

    def board(self) -> chess.Board:
        """The position."""
        return chess.Board(self.fen)


class WithMove:
    """A shape with a move."""

    __slots__ = ()

    uci: str

    @property
    def move(self) -> chess.Move:
        """The move for a `chess.Board`."""
        return chess.Move.from_uci(self.uci)
