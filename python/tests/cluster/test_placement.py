"""How shards are divided into groups."""

import asyncio
import json
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from tabiya.cluster import placement
from tabiya.cluster.name import group_name
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


def test_who_waits_for_nodes_says_what_to_do(ray, monkeypatch):
    there = iter([0, 0, 1, 2])
    monkeypatch.setattr(placement, "capable_nodes", lambda cpus: next(there))
    monkeypatch.setattr(placement.time, "sleep", lambda seconds: None)
    told = []
    placement.wait_for_nodes(2, 0.1, told.append)
    assert [it.split(";")[0] for it in told] == [
        "waiting for nodes: 2 needed besides the head, 0 there",
        "waiting for nodes: 2 needed besides the head, 1 there",
    ]
    assert told[0].endswith("tabiya-cluster up --join 10.0.0.1:6379")
