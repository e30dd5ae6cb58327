"""Which shards are a group, and on which nodes it lives.

Dividing is arithmetic; where the replicas of a group run is Ray's decision: each group
is a placement group whose members must be on different nodes, each replica a named
actor in it. When a node is lost Ray starts its replicas again elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .router import Group, Refused

# A replica mostly waits for queries; this only keeps Ray from crowding a node.
CPUS = 0.1

# How many queries a replica answers at once. A search uses all cores itself.
CONCURRENT = 4


@dataclass(frozen=True)
class Shard:
    """A shard of a generation, and where its games begin in the numbering of all."""

    name: str
    bytes: int
    games: int
    first_game: int


def in_order(entries: Sequence[tuple[str, int, int]]) -> list[Shard]:
    """The shards of a manifest (name, bytes, games), with the games numbered through."""
    shards = []
    first_game = 0
    for name, size, games in entries:
        shards.append(Shard(name, size, games, first_game))
        first_game += games
    return shards


def divide(shards: Sequence[Shard], groups: int) -> list[list[Shard]]:
    """At most so many runs of neighbors, none empty, about equally many bytes in each."""
    groups = max(1, min(groups, len(shards)))
    whole = sum(it.bytes for it in shards)
    runs: list[list[Shard]] = [[] for _ in range(groups)]
    seen = 0
    place = 0
    for left, shard in zip(range(len(shards), 0, -1), shards):
        # Go on if this run has its part, or if each run to come needs one of the rest.
        has_part = seen * groups >= (place + 1) * whole
        is_needed = groups - place - 1 == left
        if runs[place] and place + 1 < groups and (has_part or is_needed):
            place += 1
        runs[place].append(shard)
        seen += shard.bytes
    return [it for it in runs if it]


def group_name(generation: int, group: int, groups: int) -> str:
    """How a group is known in the cluster. Generations, and divisions, can live side by side."""
    return f"tabiya-{generation:08}-{group}-of-{groups}"
