"""Shards: collections in parts, for more than one machine.

A shard is a file of a collection. Shards are built anywhere, their `Statistics`
are added up, and a `ShardGroup` searches some of them with the statistics of all.
What groups answer for their parts is merged into the answer of a single machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Unpack

from . import _native
from ._native import Shard, Statistics
from .answer import Answer
from .collection import PathLike, Progress, Report, _follower, _listed
from .parameters import (
    LARGEST,
    MOST_PLIES,
    MOST_THREADS,
    Position,
    SearchParameters,
    encoded,
    fen,
    known,
    optional,
    sound,
    within,
)

__all__ = ["Shard", "ShardGroup", "Statistics", "build_shards", "merge_answers"]


def build_shards(
    pgn: PathLike | Iterable[PathLike],
    folder: PathLike,
    *,
    skip: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> list[Shard]:
    """Builds shards of games, as many as they need (some 8,000 games each), in a
    folder of their own. The same texts in the same order make the same bytes,
    wherever; a build that was broken off goes on where it stopped.

    Raises `IncompleteError` if a file could not be read to its end.
    """
    told, shards = _native.build_shards(
        _listed(pgn),
        os.fspath(folder),
        optional("skip", skip, MOST_PLIES),
        optional("threads", threads, MOST_THREADS),
        _follower(progress),
    )
    Report.from_json(told)._whole()
    return shards


class ShardGroup:
    """Some shards of a collection, each with the number of its first game there,
    searched with the statistics of the whole."""

    __slots__ = ("_inner",)

    def __init__(
        self, shards: Iterable[tuple[PathLike | Shard, int]], statistics: Statistics
    ) -> None:
        files = [
            (
                it.path if isinstance(it, Shard) else os.fspath(it),
                within("the number of a first game", first, LARGEST),
            )
            for it, first in shards
        ]
        self._inner = _native.ShardGroup(files, statistics)

    @property
    def games(self) -> int:
        """How many games the shards hold."""
        return self._inner.games

    @property
    def positions(self) -> int:
        """How many positions the shards hold."""
        return self._inner.positions

    @property
    def statistics(self) -> Statistics:
        """The statistics of the whole collection."""
        return self._inner.statistics

    def __repr__(self) -> str:
        return repr(self._inner)

    def answer(self, parameters: Mapping[str, object]) -> str:
        """The JSON that `tabiya serve` gives for the same parameters of its search,
        over these shards alone."""
        return self._inner.search(encoded(parameters), False)

    def answer_part(self, parameters: Mapping[str, object]) -> str:
        """This group's part of an answer, to be merged with the others' by
        `merge_answers` with the same parameters."""
        return self._inner.search(encoded(parameters), True)

    def moves(self, number: int) -> str | None:
        """The JSON that `tabiya serve` gives for a game, if one of the shards holds it."""
        return self._inner.game(number) if 0 < number <= LARGEST else None

    def search(
        self, position: Position, top: int = 10, **parameters: Unpack[SearchParameters]
    ) -> Answer:
        """The positions most like a given one, in these shards alone."""
        asked = {"fen": fen(position), "top": top, "limit": top, **known(parameters, SearchParameters)}
        return Answer.from_json(self.answer(asked))


def merge_answers(answers: Iterable[str], parameters: int | Mapping[str, object]) -> str:
    """One answer of those that groups of shards gave for their parts: bit for bit the
    answer of a single machine with all shards, timings apart.

    `parameters` are those of the search, or just how many games were wanted.
    """
    cut = parameters if isinstance(parameters, Mapping) else {"top": parameters}
    return _native.merge_answers([sound("an answer", it) for it in answers], encoded(cut))
