"""Which shards are a group, and on which nodes it lives.

Dividing is arithmetic. Where the replicas of a group run is Ray's decision: a group is a
placement group whose members must be on different nodes, a replica a named actor in it.
When a node is lost Ray starts its replicas again elsewhere. They belong to nobody, so
that several fronts share them and outlive each other.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import tabiya

from .group import ShardHolder
from .node import NAMESPACE
from .router import Group, Refused

# A replica mostly waits for queries; this only keeps Ray from crowding a node.
CPUS = 0.1

# How many queries a replica answers at once. A search uses all cores itself.
CONCURRENT = 4


class Sized(Protocol):
    """As far as dividing is concerned, a shard is as large as its file."""

    @property
    def bytes(self) -> int: ...


S = TypeVar("S", bound=Sized)


def divide(shards: Sequence[S], groups: int) -> list[list[S]]:
    """At most so many runs of neighbors, none empty, about equally many bytes in each."""
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


def group_name(generation: int, place: int, groups: int) -> str:
    """How a group is known in the cluster. Generations live side by side."""
    return f"{generation:08}/{place + 1}-of-{groups}"


class RemoteReplica:
    """A replica that is an actor somewhere."""

    def __init__(self, actor: Any, name: str) -> None:
        self._actor = actor
        # Until it has said where it is: somewhere of its own.
        self.node = name

    async def ask(self, question: str, /, **arguments: object) -> str:
        from ray.exceptions import RayTaskError

        try:
            said: str = await getattr(self._actor, question).remote(**arguments)
        except RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise Refused(str(error.cause)) from None
            raise
        if question == "holds":
            self.node = json.loads(said)["node"]
        return said


def raise_groups(
    address: str, manifest: tabiya.Manifest, groups: int, replicas: int
) -> list[Group]:
    """The groups of a generation, started where they do not run yet."""
    divided = divide(manifest.shards, groups)
    raised = []
    first = 0
    first_game = 1
    for place, run in enumerate(divided):
        name = group_name(manifest.generation, place, len(divided))
        holder = (address, manifest.generation, first, len(run))
        games = sum(it.games for it in run)
        raised.append(Group(len(run), first_game, games, list(_replicas(name, replicas, holder))))
        first += len(run)
        first_game += games
    return raised


def _replicas(
    name: str, replicas: int, holder: tuple[str, int, int, int]
) -> Iterator[RemoteReplica]:
    import ray
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    spread = _spread(name, replicas)
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
        yield RemoteReplica(it.remote(*holder), known_as)


def _spread(name: str, replicas: int) -> Any:
    """Places on different nodes, the same for all who ask."""
    from ray.util import get_placement_group, placement_group

    try:
        return get_placement_group(name)
    except ValueError:
        bundles = [{"CPU": CPUS}] * replicas
        return placement_group(bundles, strategy="STRICT_SPREAD", name=name, lifetime="detached")


def capable_nodes(cpus: float = CPUS) -> int:
    """How many nodes have so much to give. The head has nothing."""
    import ray

    return sum(it["Alive"] and it["Resources"].get("CPU", 0) >= cpus for it in ray.nodes())


def wait_for_nodes(wanted: int, cpus: float, tell: Callable[[str], object]) -> None:
    """Waits until so many nodes can do their part; tells when there are too few, and what
    to do about it. Ray itself would wait without a word."""
    import ray

    told = None
    while (there := capable_nodes(cpus)) < wanted:
        if there != told:
            head = ray.get_runtime_context().gcs_address
            tell(
                f"waiting for nodes: {wanted} needed besides the head, {there} there; "
                f"add one with: tabiya-cluster up --join {head}"
            )
        told = there
        time.sleep(0.5)


def raised(generation: int | None = None) -> list[str]:
    """The names of all replicas, or those of a generation."""
    from ray.util import list_named_actors

    prefix = "" if generation is None else f"{generation:08}/"
    names = (
        it["name"] for it in list_named_actors(all_namespaces=True) if it["namespace"] == NAMESPACE
    )
    return sorted(it for it in names if it.startswith(prefix))


def division(names: Sequence[str]) -> int | None:
    """Into how many groups a generation is divided whose replicas have these names."""
    for name in names:
        return int(name.rpartition("/")[0].rpartition("-of-")[2])
    return None


def lower_groups(generation: int | None = None) -> list[str]:
    """Ends the groups of a generation, or all; tells their names."""
    import ray
    from ray.util import get_placement_group, remove_placement_group

    ended = raised(generation)
    for name in ended:
        ray.kill(ray.get_actor(name, NAMESPACE))
    for group in sorted({it.rpartition("/")[0] for it in ended}):
        remove_placement_group(get_placement_group(group))
    return ended
