"""An actor that holds a group of shards and answers for it.

It fetches its shards into a folder of its node, where they stay: after a restart only
what is missing is fetched. Credentials for the storage come from the node's own
environment; none are handed around.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import tabiya
from tabiya import _native as native

from .node import SHELF


class ShardHolder:
    """The shards of a group, open for questions."""

    def __init__(self, address: str, number: int, first: int, count: int) -> None:
        depot = tabiya.Depot(address)
        shards = depot.manifest(number).numbered()[first : first + count]
        folder = shelf()
        folder.mkdir(parents=True, exist_ok=True)
        held = [(depot.get_shard(shard, folder), first_game) for first_game, shard in shards]
        self._group = native.ShardGroup(held, depot.statistics(number))
        self._count = len(held)

    def holds(self) -> str:
        """A sign of life: where this is, and how many shards are open."""
        import ray

        node = ray.util.get_node_ip_address()
        return json.dumps({"node": node, "shards": self._count})

    def answer(self, parameters: str) -> str:
        """These shards' part of the answer to a request, as JSON."""
        return self._group.search(parameters, True)

    def game(self, number: int) -> str:
        """A game by its number in the whole collection, as JSON."""
        told = self._group.game(number)
        if told is None:
            raise ValueError(f"no game {number}")
        return told


def shelf() -> Path:
    """Where this node keeps shards."""
    given = os.environ.get(SHELF)
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "tabiya" / "shelf"
