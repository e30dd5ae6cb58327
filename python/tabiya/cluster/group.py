"""An actor that holds a group of shards and answers for it.

It fetches its shards into a folder of its node, where they stay: after a restart it fetches only
what is missing. Until they are open it reports why they are not; if the storage is unavailable for a
while, that costs time but no replica. Credentials for the storage come from the node's own
environment; none are passed around.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tabiya
from tabiya import _native as native

from .name import collection_name
from .node import SHELF
from .router import Opening

# Between two attempts to open shards, in seconds.
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0


class Replaced(Exception):
    """A generation was replaced by another with the same number."""


@dataclass(frozen=True)
class Part:
    """The shards of a collection that a group holds."""

    address: str
    generation: int
    # The name that `collection_name` makes.
    collection: str
    first: int
    count: int


class ShardHolder:
    """The shards of a group, open for questions or being opened."""

    def __init__(self, part: Part) -> None:
        # Nothing here may fail: Ray never restarts an actor whose constructor did.
        self._part = part
        self._group: native.ShardGroup | None = None
        self._reason = f"fetching {part.count} of the shards of {part.address}"
        threading.Thread(target=self._open, daemon=True).start()

    def _open(self) -> None:
        for pause in pauses(FIRST_PAUSE, LONGEST_PAUSE):
            try:
                self._group = open_shards(self._part)
                return
            except Exception as error:
                self._reason = str(error) or type(error).__name__
            time.sleep(pause)

    def _opened(self) -> native.ShardGroup:
        if self._group is None:
            raise Opening(self._reason)
        return self._group

    def holds(self) -> bytes:
        """A sign of life: the node, and which shards are open."""
        import ray

        self._opened()
        held = {
            "node": ray.util.get_node_ip_address(),
            "shards": self._part.count,
            "depot": self._part.address,
            "collection": self._part.collection,
        }
        return json.dumps(held).encode()

    def part(self, question: str, parameters: str) -> bytes:
        """What these shards contribute to an answer."""
        return self._opened().ask_part(question, parameters)


def pauses(first: float, longest: float) -> Iterator[float]:
    """Ever longer pauses, in seconds, without end."""
    pause = first
    while True:
        yield pause
        pause = min(2 * pause, longest)


def open_shards(part: Part) -> native.ShardGroup:
    """Fetches the shards that the node lacks, and opens all."""
    depot = tabiya.Depot(part.address)
    manifest = depot.manifest(part.generation)
    if collection_name(part.address, manifest) != part.collection:
        raise Replaced(
            f"generation {part.generation} of {part.address} was replaced; end this group "
            f"with: tabiya-cluster down {part.address} --generation {part.generation}"
        )
    folder = shelf()
    folder.mkdir(parents=True, exist_ok=True)
    shards = manifest.numbered()[part.first : part.first + part.count]
    held = [(depot.get_shard(shard, folder), first_game) for first_game, shard in shards]
    return native.ShardGroup(held, depot.statistics(part.generation), manifest.skip)


def shelf() -> Path:
    """The folder in which this node keeps shards."""
    given = os.environ.get(SHELF)
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "tabiya" / "shelf"
