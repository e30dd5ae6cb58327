"""Shards: however they are grouped, the merged answer is that of one machine."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tabiya
from conftest import FENS, HISTORY

TOOK = "took_ms"


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[tabiya.Shard]:
    """The historical games as five shards, built apart."""
    files = sorted(HISTORY.iterdir())
    size = -(-len(files) // 5)
    shards = []
    for number in range(5):
        chosen = files[number * size : (number + 1) * size]
        folder = tmp_path_factory.mktemp("part")
        shards += tabiya.build_shards(chosen, folder / "db", skip=8)
    return shards


def numbered(shards: list[tabiya.Shard]) -> list[tuple[tabiya.Shard, int]]:
    firsts, first = [], 1
    for shard in shards:
        firsts.append(first)
        first += shard.games
    return list(zip(shards, firsts, strict=True))


def summed(shards: list[tabiya.Shard]) -> tabiya.Statistics:
    return sum((it.statistics() for it in shards), start=tabiya.Statistics())


def without_time(text: str) -> str:
    told = json.loads(text)
    told[TOOK] = 0
    return json.dumps(told)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    fen=st.sampled_from(FENS),
    groups=st.lists(st.integers(0, 2), min_size=5, max_size=5),
    top=st.integers(0, 30),
    symmetry=st.sampled_from([None, "none", "all"]),
    rerank=st.sampled_from([None, None, "continuations", "blend"]),
    after=st.integers(0, 4),
    limit=st.integers(0, 12),
    run=st.sampled_from([None, "Tabiya"]),
    result=st.sampled_from([None, "1-0"]),
)
def test_any_grouping_answers_as_one(
    parts: list[tabiya.Shard], groups: list[int], **asked: Any
) -> None:
    statistics = summed(parts)
    whole = tabiya.ShardGroup(numbered(parts), statistics)
    places: dict[int, list[tuple[tabiya.Shard, int]]] = {}
    for at, shard in zip(groups, numbered(parts), strict=True):
        places.setdefault(at, []).append(shard)
    answers = [
        tabiya.ShardGroup(group, statistics).answer_part(asked) for group in places.values()
    ]
    merged = tabiya.merge_answers(answers, asked)
    assert without_time(merged) == without_time(whole.answer(asked))


def test_a_plain_number_is_enough(parts: list[tabiya.Shard]) -> None:
    statistics = summed(parts)
    groups = [tabiya.ShardGroup([it], statistics) for it in numbered(parts)]
    asked = {"fen": FENS[0], "top": 7}
    merged = tabiya.merge_answers([it.answer(asked) for it in groups], 7)
    whole = tabiya.ShardGroup(numbered(parts), statistics)
    assert without_time(merged) == without_time(whole.answer(asked))
    assert tabiya.Answer.from_json(merged).hits == whole.search(FENS[0], top=7).hits


def test_a_group_of_all_shards_is_the_collection(
    collection: tabiya.Collection, folder: Path
) -> None:
    group = tabiya.ShardGroup(collection.shards(), collection.statistics)
    assert (group.games, group.positions) == (collection.games, collection.positions)
    assert json.loads(group.moves(3) or "")["game"]["id"] == 3
    assert group.moves(0) is group.moves(group.games + 1) is None
    for fen in FENS:
        assert group.search(fen).hits == collection.search(fen).hits


def test_the_same_games_make_the_same_bytes(tmp_path: Path) -> None:
    one = tabiya.build_shards(HISTORY, tmp_path / "one")
    two = tabiya.build_shards(HISTORY, tmp_path / "two", threads=1)
    assert [it.path.read_bytes() for it in one] == [it.path.read_bytes() for it in two]
    one[0].check()


def test_statistics_travel(parts: list[tabiya.Shard]) -> None:
    one, two = parts[0].statistics(), parts[1].statistics()
    assert one + two == two.merge(one) != one
    assert tabiya.Statistics.from_bytes((one + two).to_bytes()) == one + two
    assert pickle.loads(pickle.dumps(one)) == one
    assert one + tabiya.Statistics() == one
    assert (one + two).positions == parts[0].positions + parts[1].positions
    assert 1 < one.mean_length < 200 and one.distinct_terms > 100
    with pytest.raises(tabiya.DamagedError):
        tabiya.Statistics.from_bytes(one.to_bytes()[:-1])
    with pytest.raises(tabiya.DamagedError):
        tabiya.Statistics.from_bytes(b"")
    assert pickle.loads(pickle.dumps(parts[0])).games == parts[0].games


def test_what_cannot_be_merged_is_refused(parts: list[tabiya.Shard]) -> None:
    statistics = summed(parts)
    one, two = (tabiya.ShardGroup([it], statistics) for it in numbered(parts)[:2])
    with pytest.raises(ValueError, match="no answers to merge"):
        tabiya.merge_answers([], 10)
    with pytest.raises(ValueError, match="different queries"):
        asked = [one.answer({"fen": FENS[0]}), two.answer({"fen": FENS[1]})]
        tabiya.merge_answers(asked, 10)
    with pytest.raises(ValueError, match="before it was merged"):
        tabiya.merge_answers([one.answer({"fen": FENS[0], "rerank": "freedom"})], 10)
    with pytest.raises(ValueError, match="not an answer of ours"):
        tabiya.merge_answers(["{}"], 10)
    bent = json.loads(one.answer({"fen": FENS[0]}))
    bent["hits"][0]["fen"] = "8/8/8/8/8/8/8/8 w - - 0 1"
    with pytest.raises(ValueError, match="as its fen"):
        tabiya.merge_answers([json.dumps(bent)], 10)


def test_numbers_of_games_are_checked(parts: list[tabiya.Shard]) -> None:
    statistics = summed(parts)
    with pytest.raises(ValueError, match="two shards hold game"):
        tabiya.ShardGroup([(parts[0], 1), (parts[1], parts[0].games)], statistics)
    for first in (0, 2**64 - 1):
        with pytest.raises(ValueError, match="counted from one"):
            tabiya.ShardGroup([(parts[0], first)], statistics)
    empty = tabiya.ShardGroup([], tabiya.Statistics())
    assert len(empty.search(FENS[0])) == 0


def test_a_depot_keeps_generations(tmp_path: Path, parts: list[tabiya.Shard]) -> None:
    depot = tabiya.Depot(f"file://{tmp_path}/depot")
    with pytest.raises(FileNotFoundError, match="does not hold a collection yet"):
        depot.manifest()
    stored = [depot.put_shard(it) for it in parts]
    assert depot.put_shard(parts[0]) == stored[0]
    statistics = summed(parts)
    assert depot.publish(stored, statistics, 8) == 1
    with pytest.raises(ValueError, match="merge the statistics"):
        depot.publish(stored[:2], statistics, 8)
    generation = depot.manifest()
    assert generation.generation == 1 and depot.generations() == [1]
    assert generation.games == sum(it.games for it in parts)
    assert depot.statistics(1) == depot.statistics(generation) == statistics
    (tmp_path / "file").write_text("")
    with pytest.raises(tabiya.StorageError, match="file/inside cannot be made: Not a directory"):
        depot.get_shard(stored[0], tmp_path / "file" / "inside")
    files = [
        (depot.get_shard(shard, tmp_path / "shards"), first)
        for first, shard in generation.numbered()
    ]
    fetched = tabiya.ShardGroup(files, depot.statistics())
    built = tabiya.ShardGroup(numbered(parts), statistics)
    assert fetched.search(FENS[0]).hits == built.search(FENS[0]).hits
    seen: list[tuple[int, int]] = []
    depot.pull(tmp_path / "db", progress=lambda *it: seen.append(it))
    assert seen[-1][0] == seen[-1][1] > 0
    pulled = tabiya.Collection(tmp_path / "db")
    assert pulled.search(FENS[0]).hits == built.search(FENS[0]).hits
    assert depot.push(tmp_path / "db").generation == 1
    depot.put("pgn/a.pgn", b"1. e4 *")
    assert depot.get("pgn/a.pgn") == b"1. e4 *" and depot.list("pgn") == [("pgn/a.pgn", 7)]
    with pytest.raises(FileNotFoundError):
        depot.get("pgn/b.pgn")
    with pytest.raises(ValueError, match="s3://bucket/prefix"):
        tabiya.Depot("ftp://somewhere")
    assert pickle.loads(pickle.dumps(depot)).url == depot.url
