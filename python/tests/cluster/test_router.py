"""Routing and failover, with replicas that do as the test says."""

import asyncio
from collections import Counter

import pytest
from tabiya.cluster.router import Group, Patience, Refused, Router

PATIENCE = Patience(call=0.05, query=1.0, rest=10.0)


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Fake:
    """A replica that answers, fails, is refused or hangs, and remembers what it was asked."""

    def __init__(self, node, says="answer"):
        self.node = node
        self.says = says
        self.asked = []

    async def ask(self, request, **arguments):
        self.asked.append(request)
        if self.says == "hang":
            await asyncio.sleep(60)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def cluster(*groups, clock=None):
    """Groups of ten shards and a hundred games each."""
    made = [
        Group(shards=10, first_game=1 + 100 * place, games=100, replicas=replicas)
        for place, replicas in enumerate(groups)
    ]
    return Router(made, PATIENCE, clock or Clock())


def gather(router):
    return asyncio.run(router.gather("answer"))


def calls(*replicas):
    return [len(it.asked) for it in replicas]


def test_every_group_is_asked_once_and_answers_come_in_their_order():
    a, b = Fake("n1", "first"), Fake("n2", "second")
    gathered = gather(cluster([a], [b]))
    assert gathered.answers == ["first", "second"]
    assert (gathered.shards, gathered.total, gathered.is_complete) == (20, 20, True)
    assert calls(a, b) == [1, 1]


def test_a_query_is_one_call_a_node():
    # Each of three nodes holds two groups, as when every group has two replicas.
    chain = [[Fake(f"n{at}"), Fake(f"n{(at + 1) % 3}")] for at in range(3)]
    router = cluster(*chain)
    for turn in range(1, 5):
        gather(router)
        asked = Counter(it.node for group in chain for it in group for _ in it.asked)
        assert asked == {"n0": turn, "n1": turn, "n2": turn}


def test_a_failed_call_goes_to_the_other_replica():
    broken, sound = Fake("n1", ConnectionError("gone")), Fake("n2")
    gathered = gather(cluster([broken, sound]))
    assert gathered.is_complete and gathered.answers == ["answer"]
    assert calls(broken, sound) == [1, 1]


def test_a_call_past_its_deadline_goes_to_the_other_replica():
    slow, sound = Fake("n1", "hang"), Fake("n2")
    assert gather(cluster([slow, sound])).is_complete
    assert calls(slow, sound) == [1, 1]


def test_a_slow_replica_may_still_answer_when_the_next_is_cut_off():
    class Busy(Fake):
        async def ask(self, request, **arguments):
            await asyncio.sleep(4 * PATIENCE.call)
            return await super().ask(request, **arguments)

    slow, silent = Busy("n1"), Fake("n2", "hang")
    gathered = gather(cluster([slow, silent]))
    assert gathered.is_complete and gathered.answers == ["answer"]
    assert calls(slow, silent) == [1, 1]


def test_silence_of_all_replicas_is_reported():
    gathered = gather(cluster([Fake("n1", "hang"), Fake("n2", "hang")]))
    assert not gathered.is_complete
    assert "n1: no answer within" in gathered.failures[0] and "n2: no answer" in gathered.failures[0]


def test_one_that_failed_is_avoided_until_it_gives_a_sign_of_life():
    clock = Clock()
    broken, sound = Fake("n1", ConnectionError("gone")), Fake("n2")
    router = cluster([broken, sound], clock=clock)
    for _ in range(3):
        gather(router)
    assert calls(broken, sound) == [1, 3]

    broken.says = "answer"
    asyncio.run(router.reinstate())
    assert broken.asked == ["answer"], "it rests at first"
    clock.now = 11.0
    asyncio.run(router.reinstate())
    assert broken.asked == ["answer", "holds"]
    assert router.avoided == []
    gather(router)
    gather(router)
    assert calls(broken, sound) == [3, 4]


def test_one_that_gives_no_sign_of_life_stays_avoided():
    clock = Clock()
    broken, sound = Fake("n1", ConnectionError("gone")), Fake("n2")
    router = cluster([broken, sound], clock=clock)
    gather(router)
    clock.now = 11.0
    asyncio.run(router.reinstate())
    assert [it.replica for it in router.avoided] == [broken]
    clock.now = 12.0
    asyncio.run(router.reinstate())
    assert broken.asked == ["answer", "holds"]


def test_the_last_one_left_is_asked_although_it_failed():
    flaky, lost = Fake("n1", ConnectionError("gone")), Fake("n2", ConnectionError("gone"))
    router = cluster([flaky, lost])
    assert not gather(router).is_complete
    flaky.says = "back"
    assert gather(router).answers == ["back"]


def test_an_incomplete_answer_says_so():
    lost = [Fake("n1", ConnectionError("gone")), Fake("n2", "hang")]
    router = Router(
        [Group(7, 1, 100, [Fake("n3")]), Group(5, 101, 100, lost)],
        Patience(call=0.02, query=0.1),
    )
    gathered = gather(router)
    assert (gathered.shards, gathered.total, gathered.is_complete) == (7, 12, False)
    assert len(gathered.failures) == 1
    assert "n1: ConnectionError" in gathered.failures[0]
    assert "n2: no answer within" in gathered.failures[0]


def test_an_invalid_question_is_not_asked_again():
    strict, other = Fake("n1", Refused("fen: not a FEN")), Fake("n2")
    router = cluster([strict, other])
    with pytest.raises(Refused, match="not a FEN"):
        gather(router)
    assert calls(strict, other) == [1, 0]
    assert router.avoided == []


def test_replicas_take_turns():
    first, second = Fake("n1"), Fake("n2")
    router = cluster([first, second])
    for _ in range(4):
        gather(router)
    assert calls(first, second) == [2, 2]


@pytest.mark.parametrize(("game", "holder"), [(1, 0), (100, 0), (101, 1), (200, 1)])
def test_a_game_is_asked_of_the_group_that_holds_it(game, holder):
    groups = [[Fake("n1")], [Fake("n2")]]
    gathered = asyncio.run(cluster(*groups).ask_holder(game, "part"))
    assert [len(it.asked) for (it,) in groups] == [1 - holder, holder]
    assert (gathered.answers, gathered.is_complete) == (["answer"], True)


@pytest.mark.parametrize("game", [0, -1, 201])
def test_a_game_that_no_group_holds_is_asked_of_all(game):
    gathered = asyncio.run(cluster([Fake("n1")], [Fake("n2")]).ask_holder(game, "part"))
    assert (gathered.answers, gathered.total) == (["answer", "answer"], 20)


def test_a_game_whose_holders_are_lost_is_unanswered():
    gathered = asyncio.run(cluster([Fake("n1", OSError())]).ask_holder(1, "part"))
    assert not gathered.is_complete and gathered.answers == []


def test_what_every_group_knows_is_asked_of_one_in_turn():
    first, second = Fake("n1"), Fake("n2")
    router = cluster([first], [second])
    for _ in range(4):
        gathered = asyncio.run(router.ask_any("part"))
        assert (gathered.answers, gathered.is_complete) == (["answer"], True)
    assert calls(first, second) == [2, 2]
    first.says = second.says = ConnectionError("gone")
    gathered = asyncio.run(router.ask_any("part"))
    assert (gathered.answers, gathered.shards, gathered.is_complete) == ([], 0, False)
