"""When a front starts, with replicas that do as the test says."""

import asyncio
import dataclasses
import socket

import pytest
import tabiya
from tabiya.cluster import serve
from tabiya.cluster.front import Front, Served
from tabiya.cluster.router import Group, Opening, Router
from tabiya.cluster.serve import wait_for


class Fake:
    """A replica that gives a sign of life, fails or stays silent; perhaps after it has said
    some times why it is not open."""

    def __init__(self, says="alive", *reasons):
        self.node = "somewhere"
        self.says = says
        self.reasons = list(reasons)

    async def ask(self, question, **arguments):
        if self.reasons:
            raise Opening(self.reasons.pop(0))
        if self.says == "hang":
            await asyncio.sleep(60)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def avoided(*groups, warn=lambda words: None):
    """The replicas that get no question when the front starts."""
    made = [Group(shards=1, first_game=1, games=1, replicas=it) for it in groups]
    asyncio.run(wait_for(made, warn, grace=0.05))
    return [[it.is_avoided for it in group.standings] for group in made]


def test_all_who_are_there_get_queries():
    assert avoided([Fake(), Fake()], [Fake(), Fake()]) == [[False, False], [False, False]]


@pytest.mark.parametrize("says", ["hang", RuntimeError("lost")])
def test_a_front_begins_when_every_group_has_somebody(says):
    assert avoided([Fake(), Fake(says)], [Fake(says), Fake()]) == [[False, True], [True, False]]


def test_a_front_does_not_begin_without_a_group():
    with pytest.raises(RuntimeError, match="no storage"):
        avoided([Fake(), Fake()], [Fake(RuntimeError("no storage")), Fake(RuntimeError("lost"))])


def test_a_front_waits_for_shards_that_are_being_opened_and_says_why(monkeypatch):
    monkeypatch.setattr(serve, "AGAIN", 0.01)
    monkeypatch.setattr(serve, "FIRST_WORD", 0.02)
    warnings = []
    groups = [Fake(), Fake()], [Fake("alive", *["no credentials"] * 9), Fake("hang")]
    assert avoided(*groups, warn=warnings.append) == [[False, False], [False, True]]
    assert warnings and set(warnings) == {"waiting for 1 of 2 groups: no credentials"}


def test_a_front_that_hears_nothing_says_so(monkeypatch):
    monkeypatch.setattr(serve, "FIRST_WORD", 0.01)
    warnings = []

    async def wait():
        group = Group(shards=1, first_game=1, games=1, replicas=[Fake("hang")])
        await asyncio.wait_for(wait_for([group], warnings.append), 0.1)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(wait())
    assert "waiting for 1 of 1 groups: no node has room" in warnings[0]


SERVED = Served("s3://chess/shards", generation=1, games=1, positions=1, skip=24)
SERVICE = serve.Service(
    target="s3://chess/shards",
    generation=None,
    groups=None,
    replicas=2,
    address="127.0.0.1",
    port=0,
    behind=None,
    deadline=2.0,
)


@pytest.mark.parametrize(
    ("groups", "raised", "expected", "waits"),
    [
        (None, [], 5, True),
        (4, [], 4, True),
        (None, ["c/1-of-3/1"], 3, False),
        (4, ["c/1-of-3/1"], 4, False),
    ],
)
def test_who_raises_the_first_replicas_waits_for_nodes(
    monkeypatch, groups, raised, expected, waits
):
    waited = []
    monkeypatch.setattr(serve.placement, "raised_for", lambda collection: raised)
    monkeypatch.setattr(serve.placement, "capable_nodes", lambda: 5)
    monkeypatch.setattr(serve.placement, "wait_for_nodes", lambda *it: waited.append(it[0]))
    service = dataclasses.replace(SERVICE, groups=groups)
    assert serve.divided_into(service, "c", warn=print) == expected
    assert waited == ([2] if waits else [])


def test_a_port_that_is_taken_is_found_out_before_shards_are_fetched(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        service = dataclasses.replace(SERVICE, port=server.getsockname()[1])
        with pytest.raises(serve.ServeError, match="cannot listen at http://127.0.0.1:.*--port"):
            serve.serve(service, announce=print, warn=print)


def test_an_address_is_told_as_a_browser_takes_it():
    assert serve.url_of("127.0.0.1", 80) == "http://127.0.0.1:80"
    assert serve.url_of("::1", 80) == "http://[::1]:80"


def test_a_front_that_ends_cleans_up(monkeypatch):
    async def run():
        front = Front(Router([]), SERVED)
        client = []

        def announce(address):
            client.append(front._client)
            raise RuntimeError("no listener")

        with serve.bound("127.0.0.1", 0) as listener:
            with pytest.raises(RuntimeError, match="no listener"):
                await serve._run(front, SERVICE, listener, announce, warn=print)
        return client[0].closed

    async def no_wait(*_):
        pass

    monkeypatch.setattr(serve, "wait_for", no_wait)
    assert asyncio.run(run())


def test_a_generation_without_games_is_not_served(tmp_path):
    depot = tabiya.Depot(f"file://{tmp_path}")
    depot.publish([], tabiya.Statistics(), 24)
    with pytest.raises(serve.ServeError, match="has no games; build one with"):
        serve.front_of(dataclasses.replace(SERVICE, target=depot.url), warn=print)


def follows(monkeypatch, tmp_path, says, generation=None):
    """Publishes generations while a front serves the first; `says` maps the later ones to what their
    replicas say. Returns the generation that is served at the end, and the warnings."""
    monkeypatch.setattr(serve, "LOOK", 0.01)
    depot = tabiya.Depot(f"file://{tmp_path}")
    depot.publish([], tabiya.Statistics(), 24)
    service = dataclasses.replace(SERVICE, target=depot.url, generation=generation)
    warnings = []
    asked = []

    def raised_from(_, manifest, warn):
        asked.append(manifest.generation)
        said = says[manifest.generation]
        if isinstance(said, serve.ServeError):
            raise said
        group = Group(shards=1, first_game=1, games=1, replicas=[Fake(said)])
        served = dataclasses.replace(SERVED, generation=manifest.generation)
        return Router([group]), served

    async def until(is_so):
        async with asyncio.timeout(60):
            while not is_so():
                await asyncio.sleep(0.005)

    async def run():
        front = Front(Router([]), SERVED)
        following = asyncio.create_task(serve.follow(front, service, warnings.append))
        for number in says:
            depot.publish([], tabiya.Statistics(), 24)
            await until(lambda: number in asked or following.done())
        await until(lambda: following.done() or front.served.generation == max(says) or warnings)
        following.cancel()
        await asyncio.wait([following])
        return front.served.generation

    monkeypatch.setattr(serve, "raised_from", raised_from)
    return asyncio.run(run()), warnings


def test_a_front_moves_to_the_next_generation_by_itself(monkeypatch, tmp_path):
    served, warnings = follows(monkeypatch, tmp_path, {2: "alive"})
    assert served == 2
    assert "--generation 1" in warnings[0]


def test_a_generation_that_never_answers_does_not_keep_a_front_from_a_newer_one(
    monkeypatch, tmp_path
):
    served, _ = follows(monkeypatch, tmp_path, {2: "hang", 3: "alive"})
    assert served == 3


def test_a_generation_that_cannot_be_served_changes_nothing(monkeypatch, tmp_path):
    served, warnings = follows(monkeypatch, tmp_path, {2: serve.ServeError("no games")})
    assert served == 1
    assert warnings == ["generation 2 is not served: no games"]


def test_a_front_that_was_given_a_generation_stays_with_it(monkeypatch, tmp_path):
    assert follows(monkeypatch, tmp_path, {2: "alive"}, generation=1) == (1, [])


def test_storage_that_is_away_is_reported_once(monkeypatch, tmp_path):
    monkeypatch.setattr(serve, "LOOK", 0.001)
    warnings = []
    service = dataclasses.replace(SERVICE, target=f"file://{tmp_path}/nothing")

    async def run():
        following = asyncio.create_task(serve.follow(Front(Router([]), SERVED), service, warnings.append))
        await asyncio.wait([following], timeout=0.3)
        following.cancel()
        await asyncio.wait([following])

    asyncio.run(run())
    assert len(warnings) == 1 and "cannot look for a newer generation" in warnings[0]
