"""What a replica holds; the shards are real, Ray is not."""

import json
import time

import pytest
import tabiya
from tabiya.cluster import group
from tabiya.cluster.group import Part, ShardHolder
from tabiya.cluster.name import collection_name
from tabiya.cluster.node import SHELF
from tabiya.cluster.router import Opening

GAME = '[White "{}"]\n\n1. e4 e5 2. Nf3 Nc6 *\n'


@pytest.fixture
def depot(tmp_path, monkeypatch):
    """A depot that a replica could be of, and a shelf."""
    monkeypatch.setenv(SHELF, str(tmp_path / "shelf"))
    monkeypatch.setattr(group, "FIRST_PAUSE", 0.01)
    return tabiya.Depot(f"file://{tmp_path}/depot")


def publish(depot, folder, white):
    """A generation of one game; the part that is all of it."""
    pgn = folder / f"{white}.pgn"
    pgn.write_text(GAME.format(white))
    [shard] = tabiya.build_shards(pgn, folder / white, skip=0)
    number = depot.publish([depot.put_shard(shard)], shard.statistics(), 0)
    collection = collection_name(depot.url, depot.manifest(number))
    return Part(depot.url, number, collection, first=0, count=1)


def until_it_answers(holder, *, says=None):
    """What it holds, as soon as it is open; or what it says instead."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            return json.loads(holder.holds())
        except Opening as error:
            if says and says in str(error):
                return str(error)
        time.sleep(0.01)
    raise AssertionError("it stays silent")


def test_a_replica_says_what_it_holds(ray, depot, tmp_path):
    part = publish(depot, tmp_path, "Anna")
    holder = ShardHolder(part)
    assert until_it_answers(holder) == {
        "node": "10.0.0.2",
        "shards": 1,
        "depot": depot.url,
        "collection": part.collection,
    }
    merged = tabiya.merge("game", {"id": 1}, [holder.part("game", "id=1")])
    assert merged.game.white == "Anna"


def test_a_replica_outlives_a_storage_that_is_away(ray, depot, tmp_path):
    part = publish(depot, tmp_path, "Anna")
    (tmp_path / "depot").rename(tmp_path / "away")
    holder = ShardHolder(part)
    until_it_answers(holder, says=f"{tmp_path}/depot")
    with pytest.raises(Opening):
        holder.part("game", "id=1")
    (tmp_path / "away").rename(tmp_path / "depot")
    assert until_it_answers(holder)["shards"] == 1


def test_what_was_replaced_is_not_held_under_the_old_name(ray, depot, tmp_path):
    part = publish(depot, tmp_path, "Anna")
    for it in (tmp_path / "depot" / "generations").iterdir():
        it.unlink()
    assert publish(depot, tmp_path, "Berta").generation == part.generation
    assert "tabiya-cluster down" in until_it_answers(ShardHolder(part), says="was replaced")


def test_pauses_grow_to_a_limit():
    pauses = group.pauses(1, 5)
    assert [next(pauses) for _ in range(5)] == [1, 2, 4, 5, 5]
