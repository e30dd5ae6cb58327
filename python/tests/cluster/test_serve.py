"""When a front begins, with replicas that do as they are told."""

import asyncio

import pytest
from tabiya.cluster.router import Group
from tabiya.cluster.serve import wait_for


class Fake:
    """A replica that gives a sign of life, fails or stays silent."""

    def __init__(self, says="alive"):
        self.node = "somewhere"
        self.says = says

    async def ask(self, question, **arguments):
        if self.says == "hang":
            await asyncio.sleep(60)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def avoided(*groups):
    """Who gets no query when the front begins."""
    made = [Group(shards=1, first_game=1, games=1, replicas=it) for it in groups]
    asyncio.run(wait_for(made, grace=0.05))
    return [[it.is_avoided for it in group.standings] for group in made]


def test_all_who_are_there_get_queries():
    assert avoided([Fake(), Fake()], [Fake(), Fake()]) == [[False, False], [False, False]]


@pytest.mark.parametrize("says", ["hang", RuntimeError("lost")])
def test_a_front_begins_when_every_group_has_somebody(says):
    assert avoided([Fake(), Fake(says)], [Fake(says), Fake()]) == [[False, True], [True, False]]


def test_a_front_does_not_begin_without_a_group():
    with pytest.raises(RuntimeError, match="no storage"):
        avoided([Fake(), Fake()], [Fake(RuntimeError("no storage")), Fake(RuntimeError("lost"))])
