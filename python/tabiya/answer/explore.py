"""What was played in exactly one position, and in its twins. The JSON has the shape of the Lichess
opening explorer's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import GameHeader, WithFen, WithMove
from .document import Answer
from .shape import CAMEL, Shape, cells, rows, table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Opening(Shape):
    """A named opening."""

    eco: str
    """Its code."""
    name: str
    """Its name."""


@dataclass(frozen=True, slots=True)
class ExploredMove(WithMove, Shape):
    """A move and what became of the games that played it."""

    uci: str
    """The move as engines write it."""
    san: str
    """The move as players write it."""
    average_rating: int | None = field(metadata=CAMEL)
    """The mean rating of the rated games."""
    white: int
    """Games that White won."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won."""
    unknown: int
    """Games without a known result."""
    last_year: int | None = field(metadata=CAMEL)
    """The year of the newest game."""
    opening: Opening | None
    """The opening that the move leads to."""

    @property
    def games(self) -> int:
        """The number of games that played it."""
        return self.white + self.draws + self.black + self.unknown


@dataclass(frozen=True, slots=True)
class ExploredPlayer(Shape):
    """A player."""

    name: str
    """The name."""
    rating: int | None
    """The rating."""


@dataclass(frozen=True, slots=True)
class ExploredGame(Shape):
    """A game in which the position occurred."""

    uci: str | None
    """The move played there."""
    id: str
    """Its number in the collection, as a text."""
    winner: str | None
    """The winner: "white" or "black"."""
    white: ExploredPlayer
    """The player of the white pieces."""
    black: ExploredPlayer
    """The player of the black pieces."""
    year: int | None
    """The year."""
    month: str | None
    """The month, such as "1972-07"."""
    ply: int
    """The ply at which the position occurred."""
    result: str
    """How it ended."""
    event: str
    """The tournament or match."""


@dataclass(frozen=True, slots=True)
class PositionComment(Shape):
    """A comment on the position."""

    text: str
    """What the annotator says."""
    game: GameHeader
    """The game."""
    variation: int | None
    """The number of the variation in the game, if the position is not in the game itself."""
    ply: int
    """The number of plies played before the position."""


@dataclass(frozen=True, slots=True)
class SuggestedMove(WithMove, Shape):
    """A move that variations continue with."""

    uci: str
    """The move as engines write it."""
    san: str
    """The move as players write it."""
    variations: int
    """The number of variations."""


# Without slots, so that it can be a base beside another.
@dataclass(frozen=True)
class Explored:
    """What was played in a position."""

    white: int
    """Games that White won."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won."""
    unknown: int
    """Games without a known result, which Lichess does not have."""
    moves: tuple[ExploredMove, ...] = field(repr=False)
    """The moves, the most frequent first."""
    top_games: tuple[ExploredGame, ...] = field(repr=False, metadata=CAMEL)
    """The games with the best-rated players."""
    recent_games: tuple[ExploredGame, ...] = field(repr=False, metadata=CAMEL)
    """The newest games."""
    opening: Opening | None
    """The opening whose named position it is."""
    comments: tuple[PositionComment, ...] = field(repr=False)
    """What annotators say of the position, which Lichess does not have."""
    variations: tuple[SuggestedMove, ...] = field(repr=False)
    """The moves that variations continue with, if they are included."""
    admitted: int | None
    """The number of games that the filters admit, with or without this position; not for twins."""

    def to_pandas(self) -> pandas.DataFrame:
        """The moves, one row each."""
        moves = ({**it.to_row(), "games": it.games} for it in self.moves)
        return table(moves, [*(name for name, _ in cells(ExploredMove)), "games"])


@dataclass(frozen=True, slots=True)
class ExploreAnswer(Explored, Answer):
    """What was played in a position."""

    QUESTION = "explore"

    @property
    def games(self) -> int:
        """The number of games that had the position."""
        return self.white + self.draws + self.black + self.unknown


@dataclass(frozen=True, slots=True)
class Twin(Explored, WithFen, Shape):
    """A twin and what was played there, in the query's view."""

    symmetry: str
    """What turns the one into the other: none, mirror, swap or both."""
    fen: str
    """The position as it occurred."""
    games: int
    """The number of games."""


@dataclass(frozen=True, slots=True)
class TwinsAnswer(WithFen, Answer):
    """The twins of a position that occurred."""

    QUESTION = "twins"

    fen: str
    """The position asked about."""
    chi2: float
    """The statistic that all twins share."""
    twins: tuple[Twin, ...]
    """The twins, the position itself among them."""

    def to_pandas(self) -> pandas.DataFrame:
        """The twins, one row each."""
        return rows(Twin, self.twins)
