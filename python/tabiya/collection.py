"""Collections: making them, and asking them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeAlias

import chess.pgn

from . import _native
from .answer.shape import reader
from .errors import IncompleteError, MissingGameError
from .parameters import LARGEST, MOST_PLIES, MOST_THREADS, optional
from .question import Questions

PathLike: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an import."""

    bytes: int
    """Bytes read, before decompression."""
    total_bytes: int | None
    """All bytes, if their number is known."""
    games: int
    positions: int


@dataclass(frozen=True, slots=True)
class Report:
    """The report of an import."""

    games: int
    """Games added."""
    positions: int
    """Positions indexed."""
    skipped: int
    """Games skipped: unreadable, or variants."""
    left_out: int
    """Games that the selection leaves out."""
    duplicates: int
    """Games skipped because the collection has them."""
    deleted: int
    """Games skipped because they are marked as deleted in their bases."""
    variants: int
    cut_short: int
    """Games added up to the point where they become unreadable."""
    variations: int
    """Variations kept, nested ones included."""
    lost_notes: int
    """Comments, glyphs and variations that could not be kept."""
    disagreeing_results: int
    """Games whose Result tag disagrees with the end of the moves."""
    problems: tuple[str, ...]
    """The first problems, each with its place; all are in import.log."""
    failed_files: tuple[tuple[str, str], ...]
    """Files that could not be read to their end, with the reason."""

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Reads the JSON of an import."""
        report: Report = reader(cls)(json.loads(text))
        return report

    def _whole(self) -> Report:
        """The report, unless a file failed."""
        if self.failed_files:
            failed = "; ".join(f"{name}: {reason}" for name, reason in self.failed_files)
            count = len(self.failed_files)
            error = IncompleteError(
                f"could not read {count} of the files to their end ({failed})"
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
    collection in `folder`, which is created if needed.

    `skip` is the number of first plies that are not indexed in games from the usual start (0, or
    as in the collection). `progress` is called several times a second; if it raises, or the user
    presses Ctrl-C, the import stops and keeps what is finished. The same call resumes it.

    Raises `IncompleteError` if a file could not be read to its end.
    """
    report = _native.index(
        _listed(pgn),
        os.fspath(folder),
        optional("skip", skip, MOST_PLIES),
        optional("threads", threads, MOST_THREADS),
        _follower(progress),
    )
    return Report.from_json(report)._whole()


class Collection(Questions):
    """A collection of games, opened for questions.

    It shows the games that it had when it was opened. Questions release the interpreter's lock, so
    several threads can ask one collection at once. `len()` is the number of games, and iterating
    yields the games in order, read one by one:

    >>> sum(game.headers["Result"] == "1-0" for game in collection)  # doctest: +SKIP
    """

    __slots__ = ("_inner",)

    _inner: _native.Collection

    def __init__(self, path: PathLike) -> None:
        self._inner = _native.Collection(os.fspath(path))

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._inner.path

    @property
    def games(self) -> int:
        """The number of games."""
        return self._inner.games

    @property
    def positions(self) -> int:
        """The number of indexed positions."""
        return self._inner.positions

    @property
    def skip(self) -> int:
        """The first plies of a game that are not indexed."""
        return self._inner.skip

    @property
    def statistics(self) -> _native.Statistics:
        """What the ranking knows of the whole collection."""
        return self._inner.statistics

    def shards(self) -> list[tuple[Path, int]]:
        """Its files, each with the number of its first game."""
        return self._inner.shards()

    def pgn(self, number: int) -> str:
        """A game by its number, counted from one, as PGN."""
        text = self._inner.game(number) if 0 < number <= LARGEST else None
        if text is None:
            raise MissingGameError(f"there is no game {number}; the last is game {self.games}")
        return text

    def game(self, number: int) -> chess.pgn.Game:
        """A game by its number, counted from one, as python-chess reads it."""
        game = chess.pgn.read_game(StringIO(self.pgn(number)))
        assert game is not None, "a game that was written can be read"
        return game

    def __iter__(self) -> Iterator[chess.pgn.Game]:
        return map(self.game, range(1, self.games + 1))

    def __len__(self) -> int:
        return self.games

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<tabiya.Collection {str(self.path)!r}: {self.games} games>"

    def __reduce__(self) -> tuple[type[Collection], tuple[str]]:
        return Collection, (str(self.path),)
