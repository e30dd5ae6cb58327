"""A reviewed game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import GameHeader, WithFen, WithMove
from .document import Answer
from .exercises import Exercise
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Evaluation(Shape):
    """What a position is worth from White's view."""

    centipawns: int | None
    """In hundredths of a pawn; `None` for a mate."""
    mate_in: int | None
    """The number of moves to mate, negative if Black mates; 0 if the game is over."""
    chance: float
    """The winning chances of White, from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Balance(Shape):
    """The mistakes of a player."""

    side: str
    """The side: "white" or "black"."""
    name: str
    """The name."""
    moves: int
    """The number of moves."""
    inaccuracies: int
    """Inaccuracies."""
    mistakes: int
    """Mistakes."""
    blunders: int
    """Blunders."""
    mean_loss: float
    """The mean loss of winning chances a move, from 0 to 2."""


@dataclass(frozen=True, slots=True)
class Known(Shape):
    """What was played in a position."""

    games: int
    """The number of games with the position."""
    better: int
    """Games that played the better move."""
    same: int
    """Games that played the same move."""


@dataclass(frozen=True, slots=True)
class Similar(Shape):
    """A similar position of another game."""

    similarity: float
    """How like it is, from 0 to 1."""
    game: GameHeader
    """The game."""
    ply: int
    """The number of plies played before the position."""
    san: str
    """The move that followed, in the query's view."""
    relation: str
    """Whether the move is the "better" one here, the "same" as the mistake, or some "other"."""


@dataclass(frozen=True, slots=True)
class Moment(WithMove, WithFen, Shape):
    """A move that cost something."""

    ply: int
    """The number of plies played before the move."""
    played: str
    """The move with its number, such as "23...Qxb2"."""
    uci: str
    """The move as engines write it."""
    fen: str
    """The position before the move."""
    after_fen: str
    """The position after the move."""
    severity: str
    """How bad it is: "inaccuracy", "mistake" or "blunder"."""
    loss: float
    """The loss of winning chances, which range from -1 to 1."""
    before: Evaluation
    """The evaluation of the best play from White's view."""
    after: Evaluation
    """The evaluation after the move from White's view."""
    better: str
    """The best move as players write it."""
    better_line: tuple[str, ...]
    """The best line."""
    missed: tuple[str, ...]
    """The named ideas of the best line."""
    played_line: tuple[str, ...]
    """The line that follows the move."""
    allowed: tuple[str, ...]
    """The named ideas of that line, for the opponent."""
    known: Known
    """What was played in exactly this position."""
    similar: tuple[Similar, ...]
    """Similar positions of other games."""
    trap: str | None
    """The trap that the move falls into, proved by search."""
    exercises: tuple[Exercise, ...]
    """Exercises with the motif of the moment."""
    words: tuple[str, ...]
    """All this in sentences."""


@dataclass(frozen=True, slots=True)
class Departure(Shape):
    """The first move that few of the collection's games with its position play: fewer than five,
    or fewer than one in a hundred."""

    ply: int
    """The number of plies played before the move."""
    played: str
    """The move with its number, such as "9.h4"."""
    side: str
    """The side that moves: "white" or "black"."""
    games: int
    """The number of games with the position."""
    same: int
    """Games that played the same move; the reviewed game may be one of them."""
    words: str
    """All this in a sentence."""


@dataclass(frozen=True, slots=True)
class ReviewAnswer(Answer):
    """A reviewed game."""

    QUESTION = "review"

    game: GameHeader
    """The tags of the game; its number is 0."""
    plies: int
    """The number of plies of the game."""
    evaluations: tuple[Evaluation, ...] = field(repr=False)
    """The evaluation of each reviewed position, the first included."""
    players: tuple[Balance, ...]
    """What the players did."""
    departure: Departure | None
    """The move that leaves what the collection knows, if the review begins with the game."""
    moments: tuple[Moment, ...] = field(repr=False)
    """The moments, in order."""

    def to_pandas(self) -> pandas.DataFrame:
        """The moments, one row each."""
        return rows(Moment, self.moments)
