"""An actor that holds a group of shards and answers for it.

It fetches its shards into a folder of its node, where they stay: after a restart only
what is missing is fetched. Until they are open it lives and says why they are not; a
storage that is away for a while costs time and no replica. Credentials for the storage
come from the node's own environment; none are handed around.
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
    """Something else lies where a generation was."""


@dataclass(frozen=True)
class Part:
    """Which shards of which collection a group is to hold."""

    address: str
    generation: int
    # As `collection_name` tells it.
    collection: str
    first: int
    count: int


class ShardHolder:
    """The shards of a group, open for questions, or about to be."""

    def __init__(self, part: Part) -> None:
        # Nothing here may fail: Ray never restarts an actor whose beginning did.
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

    def holds(self) -> str:
        """A sign of life: where this is, how many shards of what are open."""
        import ray

        self._opened()
        told = {
            "node": ray.util.get_node_ip_address(),
            "shards": self._part.count,
            "depot": self._part.address,
            "collection": self._part.collection,
        }
        return json.dumps(told)

    def answer(self, parameters: str) -> str:
        """These shards' part of the answer to a request, as JSON."""
        return self._opened().search(parameters, True)

    def game(self, number: int) -> str:
        """A game by its number in the whole collection, as JSON."""
        told = self._opened().game(number)
        if told is None:
            raise ValueError(f"no game {number}")
        return told


def pauses(first: float, longest: float) -> Iterator[float]:
    """Ever longer ones, in seconds, without end."""
    pause = first
    while True:
        yield pause
        pause = min(2 * pause, longest)


def open_shards(part: Part) -> native.ShardGroup:
    """Fetches what the node lacks, and opens it."""
    depot = tabiya.Depot(part.address)
    manifest = depot.manifest(part.generation)
    if collection_name(part.address, manifest) != part.collection:
        raise Replaced(
            f"generation {part.generation} of {part.address} is not what it was; end this group "
            f"with: tabiya-cluster down {part.address} --generation {part.generation}"
        )
    folder = shelf()
    folder.mkdir(parents=True, exist_ok=True)
    shards = manifest.numbered()[part.first : part.first + part.count]
    held = [(depot.get_shard(shard, folder), first_game) for first_game, shard in shards]
    return native.ShardGroup(held, depot.statistics(part.generation))


def shelf() -> Path:
    """Where this node keeps shards."""
    given = os.environ.get(SHELF)
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "tabiya" / "shelf"
