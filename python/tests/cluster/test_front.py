"""The HTTP side, with replicas that do as the test says and answers that are easily merged."""

import asyncio
import io
import json
import threading
import time
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
import tabiya
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from tabiya import _native as native
from tabiya.cluster import front
from tabiya.cluster.front import Front, Served, names_this_machine
from tabiya.cluster.router import Group, Patience, Refused, Router

SERVED = Served("s3://bucket/games", generation=3, games=200, positions=9000, skip=24)


class Fake:
    """A replica that answers with its hits, or fails."""

    def __init__(self, node, *hits, fails=None):
        self.node = node
        self.hits = hits
        self.fails = fails
        self.asked = []

    async def ask(self, request, **arguments):
        self.asked.append((request, arguments))
        if self.fails:
            raise self.fails
        return json.dumps(self.hits).encode()


@pytest.fixture(autouse=True)
def plain_answers(monkeypatch):
    """Every search is valid and asks everyone; merging puts hits in order."""

    def check(question, parameters):
        return "everyone" if question == "search" else native.check(question, parameters)

    def merge(asked, parts, took, coverage):
        hits = [hit for it in parts for hit in json.loads(it)]
        if asked.question == "game" and not hits:
            raise tabiya.MissingGameError("there is no such game")
        answered = dict(zip(("answered", "total"), coverage)) if coverage else None
        return json.dumps({"hits": sorted(hits), "shards": answered})

    monkeypatch.setattr(front, "native", SimpleNamespace(check=check, paths=native.paths))
    monkeypatch.setattr(front, "merge", merge)


def ask(path, *groups, behind=None, method="GET", is_private=True, **headers):
    """Status, headers and JSON of an answer."""

    async def run():
        made = [Group(4, 1 + 100 * at, 100, it) for at, it in enumerate(groups)]
        router = Router(made, Patience(call=0.05, query=1.0))
        app = Front(router, SERVED, behind).app(is_private)
        async with TestClient(TestServer(app)) as client:
            async with client.request(method, path, headers=headers) as answer:
                return answer.status, answer.headers, json.loads(await answer.text())

    return asyncio.run(run())


def test_hits_of_all_groups_are_merged_and_shards_counted():
    status, headers, answer = ask("/api/v1/search?fen=x", [Fake("n1", 3, 5)], [Fake("n2", 4)])
    assert status == 200
    assert answer == {"hits": [3, 4, 5], "shards": {"answered": 8, "total": 8}}
    assert headers["Content-Type"].startswith("application/json")
    assert headers["Cache-Control"] == "no-store"


def test_an_incomplete_answer_is_an_error():
    lost = Fake("n2", fails=ConnectionError("10.0.0.7 refused"))
    status, headers, answer = ask("/api/v1/search?fen=x", [Fake("n1", 3)], [lost])
    assert status == 503
    assert headers["Retry-After"] == "1"
    assert "only 4 of 8 shards answered" in answer["error"]
    assert "partial=true" in answer["error"]
    assert "10.0.0.7" not in answer["error"]
    assert answer["shards"] == {"answered": 4, "total": 8}


def test_an_incomplete_answer_is_given_to_who_asks_for_it():
    lost = Fake("n2", fails=ConnectionError())
    status, _, answer = ask("/api/v1/search?fen=x&partial=true", [Fake("n1", 3)], [lost])
    assert (status, answer["hits"]) == (200, [3])
    assert answer["shards"] == {"answered": 4, "total": 8}


def test_no_answer_at_all_is_an_error_even_then():
    lost = Fake("n2", fails=ConnectionError())
    status, _, answer = ask("/api/v1/search?fen=x&partial=true", [lost])
    assert status == 503
    assert answer["shards"] == {"answered": 0, "total": 4}


def test_groups_are_asked_in_the_words_of_the_request():
    replica = Fake("n1")
    ask("/api/v1/search?fen=a%20b&player=%C3%A9&top=&partial=true", [replica])
    [(request, arguments)] = replica.asked
    assert (request, arguments["question"]) == ("part", "search")
    asked = parse_qsl(arguments["parameters"], keep_blank_values=True)
    assert asked == [("fen", "a b"), ("player", "\u00e9"), ("top", "")]


def test_what_makes_no_sense_is_refused_with_the_reason():
    strict = Fake("n1", fails=Refused("fen: not a FEN"))
    status, _, answer = ask("/api/v1/search?fen=x", [strict])
    assert (status, answer) == (400, {"error": "fen: not a FEN"})
    status, _, answer = ask("/api/v1/search?fen=x&partial=perhaps", [Fake("n1")])
    assert status == 400
    assert answer["error"] == 'partial: "perhaps" is not one of true, false'


@pytest.mark.parametrize(
    ("number", "expected", "asked"),
    [
        ("150", 200, (0, 1)),
        # No group holds it, and all of them together say so.
        ("0", 404, (1, 1)),
        ("201", 404, (1, 1)),
        ("one", 400, (0, 0)),
        ("9" * 30, 400, (0, 0)),
        ("150?top=3", 400, (0, 0)),
    ],
)
def test_a_game_comes_from_its_holder(number, expected, asked):
    hits = [7] if expected == 200 else []
    first, second = Fake("n1", *hits), Fake("n2", *hits)
    status, _, answer = ask(f"/api/v1/game/{number}", [first], [second])
    assert status == expected, answer
    assert (len(first.asked), len(second.asked)) == asked
    assert expected != 200 or answer == {"hits": [7], "shards": None}


@pytest.mark.parametrize("question", ["compare", "explain"])
def test_what_every_group_knows_is_asked_of_one(question):
    fen = "fen=8/8/4k3/8/8/4K3/8/8+w+-+-&other=8/8/4k3/8/8/3K4/8/8+w+-+-"
    lost, sound, other = Fake("n1", fails=ConnectionError()), Fake("n2", 1), Fake("n3", 1)
    status, _, answer = ask(f"/api/v1/{question}?{fen}", [lost], [sound], [other])
    assert (status, answer) == (200, {"hits": [1], "shards": None})
    assert [len(it.asked) for it in (lost, sound, other)] == [1, 1, 0]


def test_a_question_that_is_refused_by_the_merge_is_invalid(monkeypatch):
    def merge(asked, parts, took, coverage):
        raise tabiya.QueryError("decode: not a record")

    monkeypatch.setattr(front, "merge", merge)
    status, _, answer = ask("/api/v1/record?decode=00", [Fake("n1")])
    assert (status, answer) == (400, {"error": "decode: not a record"})


def test_a_game_whose_holders_are_lost_can_be_asked_for_again():
    status, headers, answer = ask("/api/v1/game/1", [Fake("n1", fails=OSError("secret place"))])
    assert (status, headers["Retry-After"]) == (503, "1")
    assert "secret" not in answer["error"]


def test_health_says_how_many_replicas_answer():
    async def run():
        lost = Fake("n2", fails=ConnectionError())
        router = Router([Group(4, 1, 100, [Fake("n1"), lost])], Patience(call=0.05))
        async with TestClient(TestServer(Front(router, SERVED).app())) as client:
            answers = []
            for path in ("health", "search?fen=x", "search?fen=x", "health"):
                async with client.get(f"/api/v1/{path}") as answer:
                    answers.append(await answer.json())
            return answers[0]["replicas"], answers[3]["replicas"]

    before, after = asyncio.run(run())
    assert before == {"answering": 2, "total": 2}
    assert after == {"answering": 1, "total": 2}


def test_health_is_no_200_while_nobody_answers_for_a_group():
    async def run():
        lost = Fake("n1", fails=ConnectionError())
        router = Router([Group(4, 1, 100, [lost])], Patience(call=0.05))
        async with TestClient(TestServer(Front(router, SERVED).app())) as client:
            statuses = []
            for path in ("health", "search?fen=x", "health"):
                async with client.get(f"/api/v1/{path}") as answer:
                    statuses.append(answer.status)
            return statuses

    assert asyncio.run(run()) == [200, 503, 503]


def test_the_collection_is_told_in_the_shape_of_tabiya_serve():
    _, _, answer = ask("/api/v1/collections", [Fake("n1")])
    assert answer == [
        {
            "name": "s3://bucket/games 00000003",
            "games": 200,
            "positions": 9000,
            "skip": 24,
            "traps": 0,
        }
    ]


def test_the_rest_is_not_there_unless_somebody_is_behind():
    for path in ("/", "/api/v1/judgments"):
        status, _, answer = ask(path, [Fake("n1")])
        assert status == 501
        assert "neither the page nor judgments" in answer["error"]
        assert "--behind" in answer["error"]


def test_the_rest_is_answered_by_the_server_behind():
    async def run():
        seen = []

        async def answer(request):
            seen.append((request.method, request.path_qs, request.host, await request.text()))
            seen.append(request.headers["Sec-Fetch-Site"])
            return web.json_response({"behind": True}, status=203, headers={"X-Of": "it"})

        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", answer)
        async with TestServer(app) as other:
            made = Front(Router([]), SERVED, f"http://127.0.0.1:{other.port}/").app()
            async with TestClient(TestServer(made)) as client:
                path = "/api/v1/judgments?fen=a%20b"
                headers = {"Host": "localhost", "Sec-Fetch-Site": "same-origin"}
                async with client.post(path, data="grade", headers=headers) as answer:
                    return seen, answer.status, answer.headers["X-Of"], await answer.json(), other.port

    seen, status, header, body, port = asyncio.run(run())
    asked = ("POST", "/api/v1/judgments?fen=a%20b", f"127.0.0.1:{port}", "grade")
    assert seen == [asked, "same-origin"]
    assert (status, header, body) == (203, "it", {"behind": True})


def test_long_bodies_come_through_and_longer_ones_are_refused_in_json():
    async def run():
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/{rest:.*}", length)
        answers = []
        async with TestServer(app) as other:
            made = Front(Router([]), SERVED, f"http://127.0.0.1:{other.port}").app()
            async with TestClient(TestServer(made)) as client:
                for size in (front.LONGEST_BODY, front.LONGEST_BODY + 1):
                    body = io.BytesIO(b"x" * size)
                    async with client.post("/api/v1/judgments", data=body) as answer:
                        answers.append((answer.status, await answer.json()))
        return answers

    async def length(request):
        return web.json_response(len(await request.read()))

    long, longer = asyncio.run(run())
    assert long == (200, 16 * 1024 * 1024)
    assert longer[0] == 413
    assert "longer than 16 MiB" in longer[1]["error"]


def test_nobody_behind_is_said_so():
    status, _, answer = ask("/", [Fake("n1")], behind="http://127.0.0.1:9")
    assert status == 502
    assert "does not answer" in answer["error"]


def test_foreign_names_and_foreign_pages_are_refused():
    assert ask("/api/v1/health", [Fake("n1")], Host="example.org")[0] == 403
    crossing = {"Sec-Fetch-Site": "cross-site"}
    assert ask("/api/v1/judgments", [Fake("n1")], method="POST", **crossing)[0] == 403
    assert ask("/api/v1/health", [Fake("n1")], **crossing)[0] == 200


def test_foreign_pages_are_refused_wherever_a_front_listens():
    def post(**headers):
        path = "/api/v1/judgments"
        return ask(path, [Fake("n1")], method="POST", is_private=False, **headers)[0]

    assert post(**{"Sec-Fetch-Site": "cross-site"}) == 403
    assert post(**{"Sec-Fetch-Site": "same-origin"}) == post() == 501
    assert ask("/api/v1/health", [Fake("n1")], is_private=False, Host="example.org")[0] == 200


@pytest.mark.parametrize("host", [None, "localhost", "127.0.0.1:7778", "[::1]:80", "a.localhost:1"])
def test_names_of_this_machine_pass(host):
    assert names_this_machine(host)


@pytest.mark.parametrize(
    "host", ["example.org", "127.0.0.1.example.org", "localhost.example:80", ""]
)
def test_other_names_do_not(host):
    assert not names_this_machine(host)


def test_too_many_at_once_are_sent_away(monkeypatch):
    monkeypatch.setattr(front, "MOST_AT_ONCE", 0)
    status, headers, answer = ask("/api/v1/search?fen=x", [Fake("n1")])
    assert (status, headers["Retry-After"]) == (503, "1")
    assert "too many" in answer["error"]


def test_a_search_that_takes_too_long_to_merge_is_given_up(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(front, "merge", lambda *_: ended.wait(20))
    status, headers, answer = ask("/api/v1/search?fen=x", [Fake("n1")])
    ended.set()
    assert (status, headers["Retry-After"]) == (503, "1")
    assert "took too long" in answer["error"]


def test_no_more_is_merged_at_once_than_there_are_cores(monkeypatch):
    lock, now, most = threading.Lock(), [0], [0]

    def merged(*_):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return "{}"

    monkeypatch.setattr(front, "merge", merged)
    monkeypatch.setattr(front.os, "cpu_count", lambda: 2)

    async def run():
        router = Router([Group(4, 1, 100, [Fake("n1")])], Patience(query=20))
        async with TestClient(TestServer(Front(router, SERVED).app())) as client:
            asked = [client.get("/api/v1/search?fen=x") for _ in range(8)]
            return [it.status for it in await asyncio.gather(*asked)]

    assert asyncio.run(run()) == [200] * 8
    assert most == [2]


def test_a_group_that_hangs_leaves_time_for_a_partial_answer():
    async def hang(request, **arguments):
        await asyncio.sleep(60)

    silent = Fake("n2")
    silent.ask = hang
    status, _, answer = ask("/api/v1/search?fen=x&partial=true", [Fake("n1", 3)], [silent])
    assert (status, answer["hits"]) == (200, [3])
