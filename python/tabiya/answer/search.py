"""The positions most like a given one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import chess

from .common import (
    FAMILIES,
    GROUPS,
    Counts,
    GameHeader,
    SharedTerm,
    SharedWord,
    WithFen,
    WithMove,
)
from .document import Answer
from .shape import Shape, cells, rows, table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class QueryPosition(WithFen, Shape):
    """The position asked about."""

    fen: str


@dataclass(frozen=True, slots=True)
class Reranked(Shape):
    """How a hit fares in a ranking by play."""

    similarity: float
    """How alike the two positions play."""
    score: float
    """What hits are ordered by."""
    first_rank: int
    """The place in the first ranking."""
    flag: str | None
    """Set where the two rankings differ most."""


@dataclass(frozen=True, slots=True)
class HitMove(WithMove, Shape):
    """A move that was played in a hit, and its results, in the query's view."""

    uci: str
    """The move as engines write it."""
    san: str
    """The move as players write it, in the position turned to the query's view."""
    games: int
    """The number of games that played it."""
    white: int
    """Games that White won."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won."""


@dataclass(frozen=True, slots=True)
class Hit(WithFen, Shape):
    """A position that games reached, the most similar one of each of them."""

    KEYS = {"families": FAMILIES, "contributions": GROUPS}
    COLUMNS = {"white": "white_wins", "black": "black_wins"}

    rank: int
    """Its place, counted from one."""
    similarity: float
    """How similar the position is, from 0 to 1. It orders the hits."""
    score: float
    """Its score by the first ranking."""
    first_rank: int
    """Its place in the first ranking."""
    first_similarity: float
    """The score of the first ranking as a part of what the query itself would get."""
    symmetry: str
    """How the query was turned to meet this position: none, swap, mirror or both."""
    fen: str
    """The position in the game."""
    turned_fen: str
    """The position in the query's view."""
    ply: int
    """The number of plies played before it."""
    game: GameHeader
    """The game: of several, the first in the order asked for."""
    game_count: int
    """The number of games whose most similar position this is."""
    games: tuple[int, ...]
    """The numbers of these games, at most a hundred, in the order asked for."""
    white: int
    """Games that White won, in the query's view."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won, in the query's view."""
    moves: tuple[HitMove, ...]
    """The moves played in these games, in the query's view, the most frequent first."""
    variation: int | None
    """The number of the variation in the game, if the position is not in the game itself."""
    comments: tuple[str, ...]
    """What the annotator says of the position."""
    next: tuple[str, ...]
    """The moves that followed (SAN)."""
    turned_next: tuple[str, ...]
    """The same in the query's view."""
    contributions: Mapping[str, float] | None = field(hash=False)
    """What makes the positions alike or different, by group; None if another ranking orders the
    hits."""
    both: tuple[SharedWord, ...]
    """What a player would say of both positions, the most important first."""
    structures: tuple[str, ...]
    """The named pawn structures of the position in the query's view."""
    families: Mapping[str, float] = field(hash=False)
    """The shares of the first ranking's score by family."""
    shared: tuple[SharedTerm, ...]
    """The terms that both positions share, the most telling first."""
    only_query: tuple[str, ...]
    """Pieces that only the query has on their squares, such as "Nc3"."""
    only_other: tuple[str, ...]
    """Pieces that only this position has on their squares, in the query's view."""
    rerank: Reranked | None
    """How it fares in a ranking by play, if there is one."""

    def turned_board(self) -> chess.Board:
        """The position in the query's view."""
        return chess.Board(self.turned_fen)

    def next_moves(self) -> list[chess.Move]:
        """The moves that followed in the game or the variation, to be pushed to `board()`."""
        board, moves = self.board(), []
        for san in self.next:
            moves.append(board.push_san(san))
        return moves


@dataclass(frozen=True, slots=True)
class PlayedMove(WithMove, Shape):
    """A move that was played in similar positions; results are in the query's view."""

    uci: str
    """The move as engines write it."""
    san: str
    """The move as players write it."""
    games: int
    """The number of games that played it."""
    white: int
    """Games that White won."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won."""
    weight: float
    """The sum of the games' similarities."""
    average_elo: int | None
    """The mean rating of the players that have one."""


@dataclass(frozen=True, slots=True)
class SearchAnswer(Answer, Sequence[Hit]):
    """The hits of a search, best first, and what was played in them. It is the sequence of its
    hits."""

    QUESTION = "search"

    query: QueryPosition
    """The position asked about."""
    collection: Counts
    """How much was searched."""
    hits: tuple[Hit, ...] = field(repr=False)
    """The hits, best first."""
    moves: tuple[PlayedMove, ...] = field(repr=False)
    """What was played in all hits found, in the query's view; only moves that make sense there."""
    move_games: int
    """The number of games that played these moves."""
    game_count: int
    """The number of games of all hits found."""

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, at: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[at]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def board(self) -> chess.Board:
        """The position asked about."""
        return self.query.board()

    def to_pandas(self) -> pandas.DataFrame:
        """The hits, one row each."""
        return rows(Hit, self.hits)

    def moves_to_pandas(self) -> pandas.DataFrame:
        """What was played, one row for each move."""
        return rows(PlayedMove, self.moves)


def to_pandas(answers: Iterable[SearchAnswer]) -> pandas.DataFrame:
    """The hits of several searches, one row each; `query` counts the searches from zero."""
    numbered = ({"query": at, **hit.to_row()} for at, answer in enumerate(answers) for hit in answer)
    return table(numbered, ["query", *(name for name, _ in cells(Hit))])
