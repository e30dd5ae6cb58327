"""Questions, each of them a method: the names and the parameters are those of the program."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar, Unpack

from . import _native
from .answer import (
    Answer,
    CasesAnswer,
    CompareAnswer,
    EncodeAnswer,
    ExercisesAnswer,
    ExplainAnswer,
    ExploreAnswer,
    FindAnswer,
    GameAnswer,
    NearAnswer,
    PlayAnswer,
    PrepareAnswer,
    RecordAnswer,
    ReviewAnswer,
    SearchAnswer,
    StatsAnswer,
    StructuresAnswer,
    TrapsAnswer,
    TwinsAnswer,
)
from .errors import TabiyaError
from .parameters import (
    CasesParameters,
    CompareParameters,
    ExercisesParameters,
    ExplainParameters,
    ExploreParameters,
    FindParameters,
    GameParameters,
    PlayParameters,
    Position,
    PrepareParameters,
    ReviewParameters,
    SearchParameters,
    Value,
    encoded,
    fen,
    known,
    line,
    texts,
)

A = TypeVar("A", bound=Answer)


class Source(Protocol):
    """Anything that answers questions with JSON."""

    def ask(self, question: str, parameters: str) -> str: ...


def ask(source: Source, kind: type[A], parameters: Mapping[str, Value]) -> A:
    """The answer of a source to the question of its kind."""
    assert kind.QUESTION is not None
    return kind.from_json(source.ask(kind.QUESTION, encoded(parameters)))


class Questions:
    """The questions to some shards: a whole collection, or the part of it that a group holds.

    A position is a `chess.Board` or a FEN. Parameters are those of the command line by name.
    """

    __slots__ = ()

    _inner: Source

    def _ask(self, kind: type[A], parameters: Mapping[str, Value]) -> A:
        return ask(self._inner, kind, parameters)

    def search(
        self, position: Position, top: int = 10, **parameters: Unpack[SearchParameters]
    ) -> SearchAnswer:
        """Finds the positions most like a given one: of each game its best, best first.

        >>> for hit in collection.search(board, top=3, elo=(2400, None)): # doctest: +SKIP
        ...     print(hit.similarity, hit.game.white, hit.next[:2])
        """
        asked = {"fen": fen(position), "top": top, **known(parameters, SearchParameters)}
        return self._ask(SearchAnswer, asked)

    def search_many(
        self, positions: Iterable[Position], top: int = 10, **parameters: Unpack[SearchParameters]
    ) -> list[SearchAnswer]:
        """Searches for many positions on all cores. The answers are in the order of the positions;
        `tabiya.to_pandas` makes one table of them. An error names the position by its index."""
        asked = texts({"top": top, **known(parameters, SearchParameters)})

        def search(numbered: tuple[int, Position]) -> SearchAnswer:
            at, position = numbered
            try:
                return self._ask(SearchAnswer, {"fen": fen(position), **asked})
            except (TabiyaError, TypeError) as error:
                raise type(error)(f"positions[{at}]: {error}") from error

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(search, enumerate(positions)))

    def explain(
        self, position: Position, other: Position, **parameters: Unpack[ExplainParameters]
    ) -> ExplainAnswer:
        """Explains why two positions are alike, and in what they differ. How frequent a term is in
        the collection decides its weight."""
        asked = {"fen": fen(position), "other": fen(other), **known(parameters, ExplainParameters)}
        return self._ask(ExplainAnswer, asked)

    def explore(
        self, position: Position, show_games: int = 4, **parameters: Unpack[ExploreParameters]
    ) -> ExploreAnswer:
        """Shows what was played in exactly this position, whatever the move order, and what
        annotators say of it."""
        asked = {"fen": fen(position), "show_games": show_games}
        return self._ask(ExploreAnswer, {**asked, **known(parameters, ExploreParameters)})

    def find(
        self, query: str, top: int = 10, **parameters: Unpack[FindParameters]
    ) -> FindAnswer:
        """Finds positions that a pattern describes, such as "flipcolor {Pd4 pd5 not Pc1-8}" or
        "@iqp": of each game the first one, and how many there are.

        >>> collection.find("@iqp", elo=(2400, None)).games # doctest: +SKIP
        """
        asked = {"query": query, "top": top, **known(parameters, FindParameters)}
        like = parameters.get("like")
        if like is not None:
            asked["like"] = fen(like)
        return self._ask(FindAnswer, asked)

    def twins(self, position: Position, **parameters: Unpack[GameParameters]) -> TwinsAnswer:
        """Finds the position mirrored or with colors swapped."""
        return self._ask(TwinsAnswer, {"fen": fen(position), **known(parameters, GameParameters)})

    def near(self, position: Position, top: int = 20, chi2: float = 0.5) -> NearAnswer:
        """Lists positions whose χ² statistic differs by at most `chi2`."""
        return self._ask(NearAnswer, {"fen": fen(position), "top": top, "chi2": chi2})

    def cases(
        self, position: Position, top: int = 10, **parameters: Unpack[CasesParameters]
    ) -> CasesAnswer:
        """Shows how strong players replied to a move in similar positions. The move is the last one
        of the board; give `last_move` with a FEN."""
        asked = {**line(position), "top": top, **known(parameters, CasesParameters)}
        return self._ask(CasesAnswer, asked)

    def traps(self, position: Position, top: int = 5) -> TrapsAnswer:
        """Finds traps near a position, proved by search."""
        return self._ask(TrapsAnswer, {"fen": fen(position), "top": top})

    def play(self, position: Position, **parameters: Unpack[PlayParameters]) -> PlayAnswer:
        """Chooses a move by search and memory. The moves of a board count: the last one is what the
        cases reply to, and positions that occurred before count as repeated."""
        return self._ask(PlayAnswer, {**line(position), **known(parameters, PlayParameters)})

    def exercises(
        self, position: Position, top: int = 10, **parameters: Unpack[ExercisesParameters]
    ) -> ExercisesAnswer:
        """Finds exercises with the motif of a position: that of `line`, or of a short search."""
        asked = {"fen": fen(position), "top": top, **known(parameters, ExercisesParameters)}
        return self._ask(ExercisesAnswer, asked)

    def review(self, pgn: object, **parameters: Unpack[ReviewParameters]) -> ReviewAnswer:
        """Reviews a game: the moments where the evaluation turned. The game is a `chess.pgn.Game`
        or a text."""
        return self._ask(ReviewAnswer, {"pgn": str(pgn), **known(parameters, ReviewParameters)})

    def prepare(self, against: str, **parameters: Unpack[PrepareParameters]) -> PrepareAnswer:
        """Prepares for an opponent: their moves, and how the games end."""
        return self._ask(PrepareAnswer, {"against": against, **known(parameters, PrepareParameters)})

    def moves(self, number: int) -> GameAnswer:
        """A game by its number, move by move, as the question `game` gives it."""
        return self._ask(GameAnswer, {"id": number})

    def stats(self) -> StatsAnswer:
        """The statistics of the games and of their index."""
        return self._ask(StatsAnswer, {})


def compare(
    position: Position,
    other: Position,
    depth: int = 2,
    matches: int = 10,
    **parameters: Unpack[CompareParameters],
) -> CompareAnswer:
    """Compares two positions by every measure: how they look, and what can be played within
    `depth` plies (1 to 3)."""
    asked = {"fen": fen(position), "other": fen(other), "depth": depth, "matches": matches}
    return ask(_native, CompareAnswer, {**asked, **known(parameters, CompareParameters)})


def encode(position: Position, *, query: bool = False) -> EncodeAnswer:
    """The terms of a position; those of a query are without reach."""
    return ask(_native, EncodeAnswer, {"fen": fen(position), "query": query})


def record(position: Position | None = None, *, decode: str | None = None) -> RecordAnswer:
    """The compact record of a position, or with `decode` the board of a record in hex."""
    asked = {"fen": None if position is None else fen(position), "decode": decode}
    return ask(_native, RecordAnswer, asked)


def structures(position: Position) -> StructuresAnswer:
    """The named patterns that a position has, such as an isolated queen's pawn."""
    return ask(_native, StructuresAnswer, {"fen": fen(position)})
