"""Shards from many PGN files: one task for each file, on any node with room.

A shard is named by its content, so a task that runs twice, because its node or its result was lost,
writes the same objects. What is served changes only when all shards exist and the manifest is written.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import tabiya

from .placement import wait_for_nodes

# How often a file is retried, on any node, if the storage or the node fails.
RETRIES = 5

KINDS = (".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2")

# The CPUs of a node that building one file takes.
CPUS = 1

Progress = Callable[[int, int], object]


class BuildError(Exception):
    """A generation could not be built."""


@dataclass(frozen=True)
class Job:
    """Source, target, and the first plies of a game that are not indexed."""

    source: str
    target: str
    skip: int


@dataclass(frozen=True)
class Part:
    """The shards of one file."""

    entries: list[tabiya.ShardEntry]
    statistics: tabiya.Statistics


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


def build(
    source: str, target: str, skip: int, progress: Progress, warn: Callable[[str], object]
) -> Built:
    """Builds a generation from all PGN files under `source`; `progress` gets the number of
    files done and of all files, `warn` what delays the start."""
    names = pgn_names(name for name, _ in tabiya.Depot(source).list())
    if not names:
        raise BuildError(f"no PGN files under {source}; they end in {', '.join(KINDS)}")
    wait_for_nodes(1, CPUS, warn)
    parts = run_everywhere(Job(source, target, skip), names, progress)
    entries = [entry for it in parts for entry in it.entries]
    if not entries:
        raise BuildError(f"no games in the {len(names)} files of {source}; nothing was published")
    statistics = sum((it.statistics for it in parts), tabiya.Statistics())
    generation = tabiya.Depot(target).publish(entries, statistics, skip)
    return Built(
        generation=generation,
        files=len(names),
        shards=len(entries),
        games=sum(it.games for it in entries),
        positions=sum(it.positions for it in entries),
    )


def shards_of(job: Job, name: str) -> Part:
    """Builds the shards of one file and uploads them to the target."""
    with tempfile.TemporaryDirectory(prefix="tabiya-") as folder:
        pgn = Path(folder) / Path(name).name
        pgn.write_bytes(tabiya.Depot(job.source).get(name))
        built = tabiya.build_shards(pgn, Path(folder) / "shards", skip=job.skip, threads=1)
        depot = tabiya.Depot(job.target)
        return Part(
            entries=[depot.put_shard(it) for it in built],
            statistics=sum((it.statistics() for it in built), tabiya.Statistics()),
        )


def run_everywhere(job: Job, names: list[str], progress: Progress) -> list[Part]:
    """`shards_of` for every file, in the order of the files."""
    import ray
    from ray.exceptions import RayError

    # A lost node is always a reason to try again; a broken file would be broken again.
    worth = [tabiya.StorageError]
    task = ray.remote(num_cpus=CPUS, max_retries=RETRIES, retry_exceptions=worth)(shards_of)
    running = {task.remote(job, name): name for name in names}
    left = list(running)
    while left:
        progress(len(names) - len(left), len(names))
        [done], left = ray.wait(left, num_returns=1)
        try:
            ray.get(done)
        except RayError as error:
            reason = getattr(error, "cause", None) or error
            raise BuildError(f"{running[done]}: {reason}") from None
    progress(len(names), len(names))
    parts: list[Part] = ray.get(list(running))
    return parts
