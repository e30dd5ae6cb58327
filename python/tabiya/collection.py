"""Collections: making them, and asking them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeAlias, Unpack

import chess.pgn

from . import _native
from .answer import Answer, Comparison, Encoding, Exploration, Explanation
from .errors import IncompleteError, QueryError
from .parameters import (
    LARGEST,
    MOST_PLIES,
    MOST_THREADS,
    ExplainParameters,
    GameParameters,
    Position,
    SearchParameters,
    encoded,
    fen,
    known,
    optional,
)

PathLike: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is."""

    bytes: int
    """Bytes read, before decompression."""
    total_bytes: int | None
    """All bytes there are, if that is known."""
    games: int
    positions: int


@dataclass(frozen=True, slots=True)
class Report:
    """What came of an import."""

    games: int
    """Games added."""
    positions: int
    """Positions indexed."""
    skipped: int
    """Games left out: unreadable, or variants."""
    duplicates: int
    """Games left out because they are there already."""
    variants: int
    cut_short: int
    """Games added up to the point where they become unreadable."""
    variations: int
    """Variations passed over."""
    disagreeing_results: int
    """Games whose Result tag disagrees with the end of the moves."""
    problems: tuple[str, ...]
    """The first problems, each with its place; all are in import.log."""
    failed_files: tuple[tuple[str, str], ...]
    """Files that could not be read to their end, with the reason."""

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Reads the JSON of an import."""
        told = json.loads(text)
        told["problems"] = tuple(told["problems"])
        told["failed_files"] = tuple(map(tuple, told["failed_files"]))
        return cls(**told)

    def _whole(self) -> Report:
        """Itself, unless a file failed."""
        if self.failed_files:
            failed = "; ".join(f"{name}: {reason}" for name, reason in self.failed_files)
            count = len(self.failed_files)
            error = IncompleteError(
                f"{count} of the files could not be read to their end ({failed})"
            )
            error.report = self
            raise error
        return self


def _listed(pgn: PathLike | Iterable[PathLike]) -> list[str]:
    several = [pgn] if isinstance(pgn, (str, os.PathLike)) else pgn
    return [os.fspath(it) for it in several]


def _follower(
    progress: Callable[[Progress], object] | None,
) -> Callable[[int, int | None, int, int], object] | None:
    if progress is None:
        return None
    return lambda *numbers: progress(Progress(*numbers))


def index(
    pgn: PathLike | Iterable[PathLike],
    folder: PathLike,
    *,
    skip: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Report:
    """Adds games from PGN files (plain, .zst, .gz, .bz2) or folders of them to the
    collection in `folder`, which is made if need be.

    `skip` leaves out the first plies of games from the usual start (24, or as the
    collection does). `progress` is called several times a second; if it raises, or
    Ctrl-C is pressed, the import stops, and what is finished is kept: the same call
    again goes on from there.

    Raises `IncompleteError` if a file could not be read to its end.
    """
    told = _native.index(
        _listed(pgn),
        os.fspath(folder),
        optional("skip", skip, MOST_PLIES),
        optional("threads", threads, MOST_THREADS),
        _follower(progress),
    )
    return Report.from_json(told)._whole()


class Collection:
    """A collection of games, opened for asking.

    It shows the games that were there when it was opened. Asking releases the
    interpreter's lock, so a collection can be asked by several threads at once.
    """

    __slots__ = ("_inner",)

    def __init__(self, path: PathLike) -> None:
        self._inner = _native.Collection(os.fspath(path))

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._inner.path

    @property
    def games(self) -> int:
        """How many games there are."""
        return self._inner.games

    @property
    def positions(self) -> int:
        """How many positions are indexed."""
        return self._inner.positions

    @property
    def skip(self) -> int:
        """How many plies are left out at the beginning of a game."""
        return self._inner.skip

    @property
    def statistics(self) -> _native.Statistics:
        """What the ranking knows of the whole collection."""
        return self._inner.statistics

    def shards(self) -> list[tuple[Path, int]]:
        """The files it consists of, each with the number of its first game."""
        return self._inner.shards()

    def __len__(self) -> int:
        return self.games

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<tabiya.Collection {str(self.path)!r}: {self.games} games>"

    def __reduce__(self) -> tuple[type[Collection], tuple[str]]:
        return Collection, (str(self.path),)

    def search(
        self, position: Position, top: int = 10, **parameters: Unpack[SearchParameters]
    ) -> Answer:
        """The positions most like a given one: of each game its best, best first.

        >>> for hit in collection.search(board, top=3, elo=(2400, None)): # doctest: +SKIP
        ...     print(hit.similarity, hit.game.white, hit.next[:2])
        """
        asked = {"fen": fen(position), "top": top, "limit": top, **known(parameters, SearchParameters)}
        return Answer.from_json(self._inner.search(encoded(asked)))

    def explain(
        self, position: Position, other: Position, **parameters: Unpack[ExplainParameters]
    ) -> Explanation:
        """Why two positions are alike, and in what they differ. How frequent a term is
        in the collection decides how much it counts."""
        asked = {"fen": fen(position), "other": fen(other), **known(parameters, ExplainParameters)}
        return Explanation.from_json(self._inner.explain(encoded(asked)))

    def explore(
        self, position: Position, show_games: int = 4, **parameters: Unpack[GameParameters]
    ) -> Exploration:
        """What was played in exactly this position, whatever the move order."""
        asked = {"fen": fen(position), "show_games": show_games, **known(parameters, GameParameters)}
        return Exploration.from_json(self._inner.explore(encoded(asked)))

    def pgn(self, number: int) -> str:
        """A game by its number, as PGN."""
        text = self._inner.game(number) if 0 < number <= LARGEST else None
        if text is None:
            raise QueryError(f"there is no game {number}; there are {self.games}")
        return text

    def game(self, number: int) -> chess.pgn.Game:
        """A game by its number, as python-chess reads it."""
        game = chess.pgn.read_game(StringIO(self.pgn(number)))
        assert game is not None, "a game that was written can be read"
        return game


def compare(position: Position, other: Position, depth: int = 2, matches: int = 10) -> Comparison:
    """Two positions by every measure: how they look, and what can be played within
    `depth` plies (1 to 3)."""
    asked = {"fen": fen(position), "other": fen(other), "depth": depth, "matches": matches}
    return Comparison.from_json(_native.compare(encoded(asked)))


def encode(position: Position, *, query: bool = False) -> Encoding:
    """The terms of a position; as a query, without reach."""
    return Encoding.from_json(_native.encode(encoded({"fen": fen(position), "query": query})))
