"""An actor that holds a group of shards and answers for it.

It fetches its shards into a folder of its node, where they stay: after a restart only
what is missing is fetched. Credentials for the storage come from the node's own
environment; none are handed around.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import tabiya
from tabiya import _native as native

from .name import collection_name
from .node import SHELF


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
    """The shards of a group, open for questions."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._group = open_shards(part)

    def holds(self) -> str:
        """A sign of life: where this is, how many shards of what are open."""
        import ray

        told = {
            "node": ray.util.get_node_ip_address(),
            "shards": self._part.count,
            "depot": self._part.address,
            "collection": self._part.collection,
        }
        return json.dumps(told)

    def answer(self, parameters: str) -> str:
        """These shards' part of the answer to a request, as JSON."""
        return self._group.search(parameters, True)

    def game(self, number: int) -> str:
        """A game by its number in the whole collection, as JSON."""
        told = self._group.game(number)
        if told is None:
            raise ValueError(f"no game {number}")
        return told


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
