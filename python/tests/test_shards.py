"""Shards: however they are grouped, the merged answer is that of one machine."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tabiya
from conftest import FENS, HISTORY

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
    held = [tabiya.ShardGroup(group, statistics) for group in places.values()]
    merged = tabiya.merge("search", asked, [it.part("search", asked) for it in held])
    assert merged == tabiya.merge("search", asked, [whole.part("search", asked)])


def test_parts_merge_into_the_answer_of_one_machine(parts: list[tabiya.Shard]) -> None:
    statistics = summed(parts)
    whole = tabiya.ShardGroup(numbered(parts), statistics, skip=8)
    groups = [tabiya.ShardGroup([it], statistics, skip=8) for it in numbered(parts)]

    def merged(question: str, **asked: object) -> tabiya.Answer:
        return tabiya.merge(question, asked, [it.part(question, asked) for it in groups])

    assert merged("search", fen=FENS[0], top=7) == whole.search(FENS[0], top=7)
    assert merged("explore", fen=FENS[3], show_games=4) == whole.explore(FENS[3])
    assert merged("stats") == whole.stats() and whole.stats().skip == 8
    assert merged("game", id=whole.games) == whole.moves(whole.games)
    board = chess.Board()
    board.push_san("e4")
    asked = {"fen": chess.STARTING_FEN, "moves": "e4", "top": 10}
    assert merged("cases", **asked) == whole.cases(board)


def test_a_group_of_all_shards_is_the_collection(
    collection: tabiya.Collection, folder: Path
) -> None:
    group = tabiya.ShardGroup(collection.shards(), collection.statistics)
    assert (group.games, group.positions) == (collection.games, collection.positions)
    assert group.moves(3) == collection.moves(3)
    with pytest.raises(tabiya.MissingGameError):
        group.moves(group.games + 1)
    for fen in FENS:
        assert group.search(fen) == collection.search(fen)
    assert group.search_many(FENS) == collection.search_many(FENS)


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
    group = tabiya.ShardGroup(numbered(parts), statistics)
    asked = {"fen": FENS[0]}
    part = group.part("search", asked)
    for wrong in (b"", b"{}", part[:-1]):
        with pytest.raises(tabiya.QueryError, match="run the same version on all machines"):
            tabiya.merge("search", asked, [part, wrong])
    with pytest.raises(tabiya.QueryError, match='"riddle" is not a question; the questions are search'):
        tabiya.merge("riddle", asked, [part])
    with pytest.raises(tabiya.QueryError, match='"riddle" is not a question'):
        group.part("riddle", asked)
    with pytest.raises(tabiya.MissingGameError):
        tabiya.merge("game", {"id": 1}, [])


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
    with pytest.raises(tabiya.StorageError, match="file/inside cannot be created: Not a directory"):
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
