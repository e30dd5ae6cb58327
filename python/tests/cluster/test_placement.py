"""How shards are divided into groups."""

import asyncio
import json
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import tabiya
from tabiya.cluster import placement
from tabiya.cluster.group import Part
from tabiya.cluster.name import Choice, collection_name, group_name
from tabiya.cluster.placement import divide, division
from tabiya.cluster.router import Opening


@dataclass(frozen=True)
class Shard:
    bytes: int
    games: int = 1


def sizes(shards, groups):
    return [[it.bytes for it in run] for run in divide([Shard(it) for it in shards], groups)]


@pytest.mark.parametrize(
    ("shards", "groups", "expected"),
    [
        ([], 3, []),
        ([5], 3, [[5]]),
        ([1, 1, 1], 3, [[1], [1], [1]]),
        ([1, 1, 1, 1], 2, [[1, 1], [1, 1]]),
        ([1, 1, 1, 1, 1], 2, [[1, 1, 1], [1, 1]]),
        ([9, 1, 1, 1], 2, [[9], [1, 1, 1]]),
        ([1, 1, 1, 9], 2, [[1, 1, 1], [9]]),
        ([9, 9, 1], 3, [[9], [9], [1]]),
        ([0, 0, 0], 2, [[0, 0], [0]]),
        ([100, 101, 102, 103, 104, 105], 3, [[100, 101], [102, 103], [104, 105]]),
        ([1, 2, 3], 0, [[1, 2, 3]]),
    ],
)
def test_neighbors_stay_together_in_groups_of_like_size(shards, groups, expected):
    assert sizes(shards, groups) == expected


@pytest.mark.parametrize("groups", range(1, 9))
def test_every_shard_is_in_one_group_and_no_group_is_empty(groups):
    for count in range(1, 12):
        shards = [(7 * it) % 5 for it in range(count)]
        divided = sizes(shards, groups)
        assert [it for run in divided for it in run] == shards
        assert len(divided) == min(groups, count)
        assert all(divided)


def test_a_later_front_finds_out_into_how_many_groups_others_divided():
    assert division([group_name("depot/00000003/content", it, 5) + "/1" for it in range(5)]) == 5
    assert division([]) is None


def test_a_replica_that_holds_something_else_has_failed(ray):
    async def holds():
        return json.dumps({"node": "10.0.0.2", "shards": 1, "collection": "b/00000001/x"})

    actor = SimpleNamespace(holds=SimpleNamespace(remote=holds))
    right = placement.RemoteReplica(actor, "name", "b/00000001/x")
    asyncio.run(right.ask("holds"))
    assert right.node == "10.0.0.2"
    wrong = placement.RemoteReplica(actor, "name", "a/00000001/x")
    with pytest.raises(placement.Foreign, match="holds b/00000001/x"):
        asyncio.run(wrong.ask("holds"))


def test_a_replica_that_opens_says_why_without_a_remote_traceback(ray):
    async def holds():
        raise ray.exceptions.RayTaskError(Opening("there are no credentials"))

    actor = SimpleNamespace(holds=SimpleNamespace(remote=holds))
    with pytest.raises(Opening, match="^there are no credentials$"):
        asyncio.run(placement.RemoteReplica(actor, "name", "collection").ask("holds"))


PART = Part("s3://chess/a", generation=3, collection="c", first=0, count=1)


class Groups:
    """The placement groups of a cluster, in which another front may be faster."""

    def __init__(self, ray, bundles=None, racing=None):
        self.bundles = bundles
        self.racing = racing
        ray.util.get_placement_group = self.get
        ray.util.placement_group = self.make

    def get(self, name):
        if self.bundles is None:
            raise ValueError(f"Failed to look up placement group with name: {name}")
        return SimpleNamespace(bundle_count=self.bundles)

    def make(self, bundles, **_):
        self.bundles = self.racing or len(bundles)
        if self.racing:
            raise RuntimeError("name already exists")
        return self.get("")


@pytest.mark.parametrize("there", [{}, {"bundles": 2}, {"racing": 2}])
def test_places_are_shared_by_all_who_ask(ray, there):
    Groups(ray, **there)
    assert placement._spread("name", 2, PART).bundle_count == 2


@pytest.mark.parametrize("there", [{"bundles": 1}, {"racing": 1}])
def test_another_number_of_replicas_is_warnings(ray, there):
    Groups(ray, **there)
    words = "with 1 replica of a group, not 2 replicas.*down s3://chess/a --generation 3"
    with pytest.raises(placement.RaisedOtherwise, match=words):
        placement._spread("name", 2, PART)


def test_places_that_cannot_be_made_are_warnings_in_the_words_of_ray(ray):
    Groups(ray)
    ray.util.placement_group = lambda *_, **__: 1 / 0
    with pytest.raises(ZeroDivisionError):
        placement._spread("name", 2, PART)


def test_groups_are_ended_also_if_their_replicas_are_dead(ray):
    depot, other = (name_of(it) for it in ("s3://chess/a", "s3://chess/b"))
    killed, removed = [], []
    known = [f"{depot}/1-of-2/1", f"{depot}/1-of-2/2"]

    def get_actor(name, namespace):
        if name.endswith("/2"):
            raise ValueError("it has just ended")
        return name

    ray.get_actor, ray.kill = get_actor, killed.append
    ray.util.get_placement_group = lambda name: name
    ray.util.remove_placement_group = removed.append
    ray.util.list_named_actors = lambda all_namespaces: [
        {"name": it, "namespace": "tabiya"} for it in known
    ]
    groups = [f"{depot}/1-of-2", f"{depot}/2-of-2", f"{other}/1-of-1", "somebody's"]
    ray.util.placement_group_table = lambda: {
        it: {"name": it, "state": "CREATED"} for it in groups
    }
    assert placement.lower_groups(Choice("s3://chess/a")) == known
    assert killed == known[:1]
    assert removed == groups[:2]


def name_of(address):
    return collection_name(address, tabiya.Manifest(1, 24, "statistics", ()))


def test_who_waits_for_nodes_says_what_to_do(ray, monkeypatch):
    there = iter([0, 0, 1, 2])
    monkeypatch.setattr(placement, "capable_nodes", lambda cpus: next(there))
    monkeypatch.setattr(placement.time, "sleep", lambda seconds: None)
    warnings = []
    placement.wait_for_nodes(2, 0.1, warnings.append)
    assert [it.split(";")[0] for it in warnings] == [
        "waiting for nodes: 2 needed besides the head, 0 there",
        "waiting for nodes: 2 needed besides the head, 1 there",
    ]
    assert warnings[0].endswith("tabiya-cluster up --join 10.0.0.1:6379")
