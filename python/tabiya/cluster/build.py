"""Shards from many PGN files: one task a file, wherever there is room.

A shard is named by its content, so a task that is done twice, because its node was lost
or its answer was, leaves the same objects as one done once. What is served changes only
when all shards are there and the manifest is written.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import tabiya

# How often a file is tried again, on whatever node, before the build is given up.
RETRIES = 5

KINDS = (".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2")


class BuildError(Exception):
    """A generation could not be built."""


@dataclass(frozen=True)
class Built:
    """A generation that was published."""

    generation: int
    files: int
    shards: int
    games: int
    positions: int


def pgn_names(names: Iterable[str]) -> list[str]:
    """The PGN files among the objects. Their order decides the numbers of the games."""
    return sorted(it for it in names if it.endswith(KINDS))


def shards_of(source: str, name: str, target: str):
    """Makes the shards of one file and puts them into the target; what they are called,
    and the statistics of all of them."""
    with tempfile.TemporaryDirectory(prefix="tabiya-") as folder:
        pgn = Path(folder) / Path(name).name
        pgn.write_bytes(tabiya.Depot(source).get(name))
        built = tabiya.Shard.build([pgn], Path(folder) / "shards")
        depot = tabiya.Depot(target)
        entries = [depot.put_shard(it) for it in built]
        return entries, [tabiya.Shard(it).statistics().to_bytes() for it in built]


def build(source: str, target: str, tell: Callable[[int, int], None]) -> Built:
    """Builds a generation from all PGN files under `source`; `tell` hears of progress."""
    names = pgn_names(tabiya.Depot(source).list())
    if not names:
        raise BuildError(f"no PGN files under {source}; they end in {', '.join(KINDS)}")
    parts = run_everywhere(source, names, target, tell)
    entries = [entry for part, _ in parts for entry in part]
    statistics = tabiya.Statistics.merge(
        tabiya.Statistics.from_bytes(it) for _, part in parts for it in part
    )
    generation = tabiya.Depot(target).publish(entries, statistics)
    return Built(
        generation=generation,
        files=len(names),
        shards=len(entries),
        games=sum(it.games for it in entries),
        positions=sum(it.positions for it in entries),
    )


def run_everywhere(source: str, names: list[str], target: str, tell: Callable[[int, int], None]) -> list:
    """`shards_of` for every file, in the order of the files."""
    import ray
    from ray.exceptions import RayError

    task = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=True)(shards_of)
    running = {task.remote(source, name, target): name for name in names}
    order = list(running)
    left = order
    while left:
        tell(len(names) - len(left), len(names))
        done, left = ray.wait(left, num_returns=1)
        for it in done:
            try:
                ray.get(it)
            except RayError as error:
                reason = getattr(error, "cause", None) or error
                raise BuildError(f"{running[it]}: {reason}; set it right and build again") from None
    tell(len(names), len(names))
    return ray.get(order)
