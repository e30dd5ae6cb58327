"""A front over real shards answers every question as one machine does. Ray is not needed: the
replicas are in this process."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import urlencode

import pytest
import tabiya
from aiohttp.test_utils import TestClient, TestServer
from conftest import FENS, HISTORY
from tabiya import _native as native
from tabiya.cluster.front import Front, Served
from tabiya.cluster.router import Group, Patience, Router

MOVES = "e4 e5 Nf3 Nc6"

# Several sets of parameters for each question.
ASKED = {
    "search": [
        {"fen": FENS[0]},
        {"fen": FENS[1], "top": 30, "after": 5, "limit": 9, "symmetry": "all", "result": "1-0"},
        {"fen": FENS[2], "top": 3, "rerank": "blend", "reasons": 0},
    ],
    "explain": [{"fen": FENS[0], "other": FENS[4]}, {"fen": FENS[0], "other": FENS[1], "reasons": 2}],
    "find": [
        {"query": "@iqp"},
        {"query": "Pe4 and btm", "top": 20, "sort": "date", "explain": "true"},
        {"query": "Bc4", "like": FENS[2], "count": "false"},
    ],
    "structures": [{"fen": FENS[0]}],
    "cases": [
        {"moves": MOVES},
        {"fen": FENS[3], "moves": "d4 d5 c4", "top": 2, "threshold": 0, "date": "1800-1950"},
    ],
    "explore": [{"fen": FENS[3]}, {"moves": MOVES, "show_games": 8, "white": "Morphy"}],
    "twins": [{"fen": FENS[3]}, {"moves": MOVES, "result": "1-0"}],
    "near": [{"fen": FENS[0]}, {"fen": FENS[2], "chi2": 3, "top": 50}],
    "record": [{"fen": FENS[0]}, {"decode": "000000000800000800002e"}],
    "compare": [{"fen": FENS[2], "other": FENS[2], "depth": 1, "matches": 2}],
    "traps": [{"fen": FENS[2]}, {"moves": MOVES, "top": 2}],
    "encode": [{"fen": FENS[0]}, {"fen": FENS[1], "query": "true"}],
    "exercises": [{"fen": FENS[2]}],
    "game": [{"id": 1}, {"id": 103}, {"id": 60}],
    "stats": [{}],
    "play": [
        {"moves": MOVES, "nodes": 400},
        {"moves": MOVES, "nodes": 400, "without_cases": "true"},
        {"fen": FENS[2], "nodes": 200, "mode": "restrict", "threshold": 0.2},
    ],
    "review": [{"pgn": "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0", "nodes": 300}],
    "prepare": [{"against": "Morphy"}],
}


class Replica:
    """A group of shards in this process."""

    node = "here"

    def __init__(self, group):
        self.group = group

    async def ask(self, request, *, question, parameters):
        assert request == "part"
        return self.group.ask_part(question, parameters)


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """The historical games as one group of all shards, and as three groups."""
    files = sorted(HISTORY.iterdir())
    size = -(-len(files) // 3)
    shards, first = [], 1
    for place in range(0, len(files), size):
        folder = tmp_path_factory.mktemp("part") / "db"
        for it in tabiya.build_shards(files[place : place + size], folder, skip=8):
            shards.append((it, first))
            first += it.games
    statistics = sum((it.statistics() for it, _ in shards), tabiya.Statistics())

    def native_group(held):
        return native.ShardGroup([(it.path, number) for it, number in held], statistics, 8)

    groups = [
        Group(1, number, it.games, [Replica(native_group([(it, number)]))]) for it, number in shards
    ]
    return native_group(shards), groups


def fetch(groups, *paths):
    """Status and JSON of each path."""

    async def run():
        served = Served("s3://bucket/games", 1, 103, 5000, 8)
        router = Router(groups, Patience(call=20, query=60))
        answers = []
        async with TestClient(TestServer(Front(router, served).app())) as client:
            for path in paths:
                async with client.get(f"/api/v1/{path}") as answer:
                    answers.append((answer.status, await answer.json()))
        return answers

    return asyncio.run(run())


def path_of(question, parameters):
    path = dict(native.paths())[question]
    inside = {name: it for name, it in parameters.items() if f"{{{name}}}" in path}
    rest = {name: it for name, it in parameters.items() if name not in inside}
    return f"{path.format(**inside)}?{urlencode(rest)}"


# They count in segments, which a collection on one machine divides otherwise.
BY_SEGMENT = ("near", "stats")


def test_every_question_is_compared():
    assert list(ASKED) == native.questions()


@pytest.mark.parametrize("question", ASKED)
def test_the_cluster_answers_as_one_machine(machines, collection, question):
    whole, groups = machines
    answers = fetch(groups, *(path_of(question, it) for it in ASKED[question]))
    for asked, (status, answer) in zip(ASKED[question], answers, strict=True):
        assert status == 200, answer
        expected = json.loads(whole.ask(question, urlencode(asked)))
        shards = answer.pop("shards", None)
        scope = native.check(question, urlencode(asked))
        assert shards == ({"answered": 3, "total": 3} if scope == "everyone" else None)
        assert answer.pop("took_ms") > 0 and expected.pop("took_ms") > 0
        assert answer == expected
        if question not in BY_SEGMENT:
            expected = json.loads(collection._inner.ask(question, urlencode(asked)))
            assert expected.pop("took_ms") > 0 and answer == expected


def test_what_is_missing_or_invalid_is_reported_as_by_one_machine(machines):
    whole, groups = machines
    fen = urlencode({"fen": FENS[0]})
    paths = ["game/104", "game/0", "game/x", "search?fen=x", f"search?{fen}&symetry=all", "record?decode=zz"]
    paths += [f"search?{fen}&top=1001", f"search?{fen}&top=3&top=4"]
    answers = fetch(groups, *paths)
    assert [status for status, _ in answers] == [404, 404, 400, 400, 400, 400, 400, 400]
    assert answers[0][1] == {"error": "there is no game 104; the last is game 103"}
    assert answers[4][1] == {"error": "symetry: unknown parameter; did you mean symmetry?"}
    assert [it["error"].split(":")[0] for _, it in answers[2:]] == [
        "id", "fen", "symetry", "decode", "top", "top",
    ]  # fmt: skip
