"""Which shards form a group, and on which nodes it runs.

Dividing is arithmetic. Ray decides where the replicas of a group run: a group is a placement group
whose members must be on different nodes, a replica a named actor in it. When a node is lost, Ray
restarts its replicas elsewhere. They are detached, so that several fronts share them and outlive each
other.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import tabiya

from .group import Part, ShardHolder
from .name import Choice, collection_name, group_name, group_of, groups_beside, is_group
from .node import NAMESPACE
from .router import Group, Opening, Refused

# A replica mostly waits for questions; this only keeps Ray from crowding a node.
CPUS = 0.1

# The questions that a replica answers at once. A search uses all cores itself.
CONCURRENT = 4


class Sized(Protocol):
    """A shard, of which only the size of its file matters here."""

    @property
    def bytes(self) -> int: ...


S = TypeVar("S", bound=Sized)


def divide(shards: Sequence[S], groups: int) -> list[list[S]]:
    """At most this many runs of neighbors, none empty, with about the same number of bytes each."""
    groups = max(1, min(groups, len(shards)))
    whole = sum(it.bytes for it in shards)
    runs: list[list[S]] = [[]]
    seen = 0
    for left, shard in zip(range(len(shards), 0, -1), shards):
        # A run ends where it comes nearest to its part, or where each run to come needs
        # one of the rest.
        has_part = (2 * seen + shard.bytes) * groups > 2 * len(runs) * whole
        is_needed = groups - len(runs) == left
        if runs[-1] and len(runs) < groups and (has_part or is_needed):
            runs.append([])
        runs[-1].append(shard)
        seen += shard.bytes
    return [it for it in runs if it]


class Foreign(Exception):
    """A replica holds another collection than the one asked for."""


class RaisedOtherwise(Exception):
    """The groups exist with another number of replicas."""


class RemoteReplica:
    """A replica that is an actor somewhere."""

    def __init__(self, actor: Any, name: str, collection: str) -> None:
        self._actor = actor
        self._collection = collection
        # Until it reports its node: a place of its own.
        self.node = name

    async def ask(self, request: str, /, **arguments: object) -> bytes:
        from ray.exceptions import RayTaskError

        try:
            answer: bytes = await getattr(self._actor, request).remote(**arguments)
        except RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise Refused(str(error.cause)) from None
            if isinstance(error.cause, Opening):
                raise Opening(str(error.cause)) from None
            raise
        if request == "holds":
            held = json.loads(answer)
            if held["collection"] != self._collection:
                raise Foreign(f"holds {held['collection']}, not {self._collection}")
            self.node = held["node"]
        return answer


def raise_groups(
    address: str, manifest: tabiya.Manifest, groups: int, replicas: int
) -> list[Group]:
    """The groups of a generation; starts those that do not run yet."""
    divided = divide(manifest.shards, groups)
    collection = collection_name(address, manifest)
    raised = []
    first = 0
    first_game = 1
    for place, run in enumerate(divided):
        part = Part(address, manifest.generation, collection, first, len(run))
        name = group_name(collection, place, len(divided))
        games = sum(it.games for it in run)
        raised.append(Group(len(run), first_game, games, list(_replicas(name, replicas, part))))
        first += len(run)
        first_game += games
    return raised


def _replicas(name: str, replicas: int, part: Part) -> Iterator[RemoteReplica]:
    import ray
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    spread = _spread(name, replicas, part)
    actor = ray.remote(ShardHolder)
    for place in range(replicas):
        known_as = f"{name}/{place + 1}"
        it = actor.options(
            name=known_as,
            get_if_exists=True,
            lifetime="detached",
            num_cpus=CPUS,
            max_restarts=-1,
            max_concurrency=CONCURRENT,
            scheduling_strategy=PlacementGroupSchedulingStrategy(spread, place),
        )
        yield RemoteReplica(it.remote(part), known_as, part.collection)


def _spread(name: str, replicas: int, part: Part) -> Any:
    """Places on different nodes, the same for all callers."""
    spread = _found(name) or _made(name, replicas)
    if spread.bundle_count != replicas:
        raise RaisedOtherwise(
            f"{part.address} is served with {_copies(spread.bundle_count)} of a group, not "
            f"{_copies(replicas)}; share them with --replicas {spread.bundle_count}, or end them "
            f"first with: tabiya-cluster down {part.address} --generation {part.generation}"
        )
    return spread


def _found(name: str) -> Any:
    from ray.util import get_placement_group

    try:
        return get_placement_group(name)
    except ValueError:
        return None


def _made(name: str, replicas: int) -> Any:
    from ray.util import placement_group

    bundles = [{"CPU": CPUS}] * replicas
    try:
        return placement_group(bundles, strategy="STRICT_SPREAD", name=name, lifetime="detached")
    except Exception:
        # Another front that starts now may have been faster.
        spread = _found(name)
        if spread is None:
            raise
        return spread


def _copies(number: int) -> str:
    return "1 replica" if number == 1 else f"{number} replicas"


def capable_nodes(cpus: float = CPUS) -> int:
    """The number of nodes with this many CPUs. The head has none."""
    import ray

    return sum(it["Alive"] and it["Resources"].get("CPU", 0) >= cpus for it in ray.nodes())


def wait_for_nodes(wanted: int, cpus: float, warn: Callable[[str], object]) -> None:
    """Waits until there are this many nodes; warns when there are too few, with the remedy. Ray itself
    would wait silently."""
    import ray

    warned = None
    while (there := capable_nodes(cpus)) < wanted:
        if there != warned:
            head = ray.get_runtime_context().gcs_address
            warn(
                f"waiting for nodes: {wanted} needed besides the head, {there} there; "
                f"add one with: tabiya-cluster up --join {head}"
            )
        warned = there
        time.sleep(0.5)


def raised(choice: Choice = Choice()) -> list[str]:
    """The names of all replicas, or of those of a choice."""
    from ray.util import list_named_actors

    names = (
        it["name"] for it in list_named_actors(all_namespaces=True) if it["namespace"] == NAMESPACE
    )
    return sorted(it for it in names if is_group(group_of(it)) and it in choice)


def raised_for(collection: str) -> list[str]:
    """The names of the replicas of one collection."""
    return [it for it in raised() if it.startswith(f"{collection}/")]


def division(names: Sequence[str]) -> int | None:
    """The number of groups of a generation whose replicas have these names."""
    for name in names:
        return groups_beside(name)
    return None


def lower_groups(choice: Choice = Choice()) -> list[str]:
    """Ends all groups, or those of a choice; returns the names of their replicas."""
    import ray
    from ray.util import placement_group_table, remove_placement_group

    ended = raised(choice)
    for name in ended:
        # It may have ended by itself, or another process ended it.
        with contextlib.suppress(ValueError):
            ray.kill(ray.get_actor(name, NAMESPACE))
    # A group keeps its places even when all of its replicas are dead.
    places = {it["name"] for it in placement_group_table().values() if it["state"] != "REMOVED"}
    for group in sorted(places):
        if is_group(group) and group in choice and (spread := _found(group)):
            remove_placement_group(spread)
    return ended
