"""What a replica holds; the shards are real, Ray is not."""

import json

import pytest
import tabiya
from tabiya.cluster.group import Part, Replaced, ShardHolder
from tabiya.cluster.name import collection_name
from tabiya.cluster.node import SHELF

GAME = '[White "{}"]\n\n1. e4 e5 2. Nf3 Nc6 *\n'


@pytest.fixture
def depot(tmp_path, monkeypatch):
    """A depot that a replica could be of, and a shelf."""
    monkeypatch.setenv(SHELF, str(tmp_path / "shelf"))
    return tabiya.Depot(f"file://{tmp_path}/depot")


def publish(depot, folder, white):
    """A generation of one game; the part that is all of it."""
    pgn = folder / f"{white}.pgn"
    pgn.write_text(GAME.format(white))
    [shard] = tabiya.build_shards(pgn, folder / white, skip=0)
    number = depot.publish([depot.put_shard(shard)], shard.statistics(), 0)
    collection = collection_name(depot.url, depot.manifest(number))
    return Part(depot.url, number, collection, first=0, count=1)


def test_a_replica_says_what_it_holds(ray, depot, tmp_path):
    part = publish(depot, tmp_path, "Anna")
    holder = ShardHolder(part)
    assert json.loads(holder.holds()) == {
        "node": "10.0.0.2",
        "shards": 1,
        "depot": depot.url,
        "collection": part.collection,
    }
    assert json.loads(holder.game(1))["game"]["white"] == "Anna"


def test_what_was_replaced_is_not_held_under_the_old_name(ray, depot, tmp_path):
    part = publish(depot, tmp_path, "Anna")
    for it in (tmp_path / "depot" / "generations").iterdir():
        it.unlink()
    assert publish(depot, tmp_path, "Berta").generation == part.generation
    with pytest.raises(Replaced, match="is not what it was"):
        ShardHolder(part)
