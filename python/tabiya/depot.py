"""Collections on object storage."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from . import _native
from ._native import Shard, Statistics
from .collection import PathLike
from .errors import StorageError
from .parameters import LARGEST, MOST_PLIES, optional, sound, within


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """A shard in a depot. It is named by its content, so the same shard has the same name
    wherever it was built."""

    name: str
    digest: str
    bytes: int
    games: int
    positions: int

    def _entry(self) -> str:
        names = ("digest", "bytes", "games", "positions")
        return json.dumps({name: getattr(self, name) for name in names})


@dataclass(frozen=True, slots=True)
class Manifest:
    """A generation of a collection: its shards in order."""

    generation: int
    skip: int
    """The first plies of a game that are not indexed."""
    statistics: str
    """The name of the object with the statistics."""
    shards: tuple[ShardEntry, ...]
    """The shards in the order of their games."""

    @classmethod
    def _of(cls, text: str) -> Manifest:
        manifest = json.loads(text)
        shards = (ShardEntry(it["name"], **it["entry"]) for it in manifest["shards"])
        return cls(
            manifest["generation"], manifest["skip"], manifest["statistics"], tuple(shards)
        )

    def numbered(self) -> list[tuple[int, ShardEntry]]:
        """The shards, each with the number of its first game, counted from one."""
        ends = accumulate((it.games for it in self.shards), initial=1)
        return list(zip(ends, self.shards, strict=False))

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(it.games for it in self.shards)

    @property
    def positions(self) -> int:
        """The number of indexed positions."""
        return sum(it.positions for it in self.shards)


def _number(generation: int | None) -> int | None:
    return optional("the number of a generation", generation, LARGEST)


class Depot:
    """A place on object storage with the generations of one collection:
    `s3://bucket/prefix`, or `file:///folder` for tests without a server.

    Keys, endpoint and region come from the usual `AWS_*` variables of the environment and are never
    shown.
    """

    __slots__ = ("_inner",)

    def __init__(self, url: str) -> None:
        self._inner = _native.Depot(sound("an address", url))

    @property
    def url(self) -> str:
        """Its address."""
        return self._inner.address

    def __repr__(self) -> str:
        return f"<tabiya.Depot {self.url}>"

    def __reduce__(self) -> tuple[type[Depot], tuple[str]]:
        return Depot, (self.url,)

    def generations(self) -> list[int]:
        """The numbers of all generations; the highest is the current one."""
        return self._inner.generations()

    def manifest(self, generation: int | None = None) -> Manifest:
        """A generation by its number, or the current one."""
        return Manifest._of(self._inner.manifest(_number(generation)))

    def statistics(self, generation: int | Manifest | None = None) -> Statistics:
        """The statistics of a generation, or of the current one."""
        number = generation.generation if isinstance(generation, Manifest) else generation
        return self._inner.statistics(_number(number))

    def push(
        self, folder: PathLike, *, progress: Callable[[int, int], object] | None = None
    ) -> Manifest:
        """Makes the collection in `folder` the current generation; if it is already, nothing
        changes. `progress` gets the bytes done and all bytes."""
        _, manifest = self._inner.push(os.fspath(folder), progress)
        return Manifest._of(manifest)

    def pull(
        self,
        folder: PathLike,
        generation: int | None = None,
        *,
        progress: Callable[[int, int], object] | None = None,
    ) -> Manifest:
        """Makes a generation, or the current one, the collection in `folder`. Shards that are
        already there are not fetched again."""
        return Manifest._of(self._inner.pull(_number(generation), os.fspath(folder), progress))

    def put_shard(self, shard: PathLike | Shard) -> ShardEntry:
        """Uploads a shard; uploading it again is harmless."""
        path = shard.path if isinstance(shard, Shard) else os.fspath(shard)
        name, entry = self._inner.put_shard(path)
        return ShardEntry(name, **json.loads(entry))

    def get_shard(self, shard: ShardEntry, folder: PathLike) -> Path:
        """Fetches a shard into a folder, which is created if needed, unless it is there. Returns
        its file."""
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{os.fspath(folder)} cannot be created: {error.strerror}") from error
        return self._inner.get_shard(shard._entry(), os.fspath(folder))

    def publish(self, shards: Iterable[ShardEntry], statistics: Statistics, skip: int) -> int:
        """Makes a generation of uploaded shards with their merged statistics. Returns its number,
        the next free one."""
        plies = within("skip", skip, MOST_PLIES)
        return self._inner.publish(plies, [it._entry() for it in shards], statistics)

    def list(self, folder: str = "") -> list[tuple[str, int]]:
        """The objects under a folder, each with its size."""
        return self._inner.list(sound("a folder", folder))

    def get(self, name: str) -> bytes:
        """The bytes of an object."""
        return self._inner.get(sound("a name", name))

    def put(self, name: str, data: bytes) -> None:
        """Writes an object."""
        self._inner.put(sound("a name", name), data)
