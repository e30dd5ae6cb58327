"""Shards: collections in parts, for more than one machine.

A shard is a file of a collection. Shards are built anywhere, their `Statistics` add up, and a
`ShardGroup` answers from some of them with the statistics of all. The parts of an answer that groups
contribute merge into the answer of a single machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from . import _native
from ._native import Shard, Statistics
from .answer import Answer
from .collection import PathLike, Progress, Report, _follower, _listed
from .parameters import LARGEST, MOST_PLIES, MOST_THREADS, encoded, optional, sound, within
from .question import Questions

__all__ = ["Shard", "ShardGroup", "Statistics", "build_shards", "merge"]


def build_shards(
    pgn: PathLike | Iterable[PathLike],
    folder: PathLike,
    *,
    skip: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> list[Shard]:
    """Builds shards of games (some 8,000 games each) in a folder of their own. The same texts in the
    same order make the same bytes everywhere; a build that was interrupted resumes.

    Raises `IncompleteError` if a file could not be read to its end.
    """
    report, shards = _native.build_shards(
        _listed(pgn),
        os.fspath(folder),
        optional("skip", skip, MOST_PLIES),
        optional("threads", threads, MOST_THREADS),
        _follower(progress),
    )
    Report.from_json(report)._whole()
    return shards


class ShardGroup(Questions):
    """Some shards of a collection, each with the number of its first game there, asked with the
    statistics of the whole. `skip` is that of the collection; only `stats` reports it."""

    __slots__ = ("_inner",)

    _inner: _native.ShardGroup

    def __init__(
        self,
        shards: Iterable[tuple[PathLike | Shard, int]],
        statistics: Statistics,
        skip: int = 0,
    ) -> None:
        files = [
            (
                it.path if isinstance(it, Shard) else os.fspath(it),
                within("the number of a first game", first, LARGEST),
            )
            for it, first in shards
        ]
        self._inner = _native.ShardGroup(files, statistics, within("skip", skip, MOST_PLIES))

    @property
    def games(self) -> int:
        """The number of games that the shards hold."""
        return self._inner.games

    @property
    def positions(self) -> int:
        """The number of positions that the shards hold."""
        return self._inner.positions

    @property
    def statistics(self) -> Statistics:
        """The statistics of the whole collection."""
        return self._inner.statistics

    def __repr__(self) -> str:
        return repr(self._inner)

    def part(self, question: str, parameters: Mapping[str, object]) -> bytes:
        """What these shards contribute to an answer. `merge` makes an answer of the parts of all
        groups, with the same parameters."""
        return self._inner.ask_part(sound("question", question), encoded(parameters))


def merge(question: str, parameters: Mapping[str, object], parts: Iterable[bytes]) -> Answer:
    """The answer from the parts of all groups, in the order of their games: the same to the last bit
    as that of a single machine with all shards.

    >>> parts = [group.part("search", {"fen": fen}) for group in groups]  # doctest: +SKIP
    >>> tabiya.merge("search", {"fen": fen}, parts)  # doctest: +SKIP
    """
    asked = encoded(parameters)
    return Answer.from_json(_native.merge(sound("question", question), asked, list(parts)))
