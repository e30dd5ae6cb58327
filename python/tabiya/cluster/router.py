"""Who is asked for which shards, and who else if that one does not answer.

The shards of a generation are divided into groups; every group is held by several
replicas on different nodes. A query goes to one replica of each group. This file knows
neither Ray nor HTTP: a replica is anything with a `node` and a coroutine `ask`.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol


class Refused(Exception):
    """The question makes no sense; any other replica would say the same."""


class Opening(Exception):
    """The replica lives, but its shards are not open yet; says why."""


class Unanswered(Exception):
    """No replica of a group answered in time."""


class Replica(Protocol):
    """Somebody who holds the shards of a group."""

    node: str

    async def ask(self, question: str, /, **arguments: object) -> str:
        """Answers, or raises `Refused` if nobody could; any other exception is a failure,
        `Opening` one that passes."""


@dataclass
class Standing:
    """What the router remembers about a replica."""

    replica: Replica
    # It failed, and has not answered since.
    is_avoided: bool = False
    # Until then it is left in peace.
    rests_until: float = 0.0


@dataclass
class Group:
    """Shards that are always asked together, and the replicas that hold them."""

    shards: int
    # Counted from one.
    first_game: int
    games: int
    replicas: Sequence[Replica]
    standings: list[Standing] = field(init=False)

    def __post_init__(self) -> None:
        self.standings = [Standing(it) for it in self.replicas]


@dataclass(frozen=True)
class Patience:
    """How long is waited for whom, in seconds."""

    # A replica that has not answered by then is passed over; the last one of a
    # group is given all that is left.
    call: float = 2.0
    # The same limit as that of `tabiya serve`.
    query: float = 20.0
    # A replica that failed is left in peace for so long, and after that is asked
    # for a sign of life before it gets a query again; unless nobody else is left.
    rest: float = 2.0

    @property
    def groups(self) -> float:
        """What groups have of a query's time. The rest is for putting their answers together,
        so that a group that hangs does not take a partial answer with it."""
        return 0.9 * self.query


@dataclass(frozen=True)
class Gathered:
    """What the groups said, in their order, and how much of the whole that is."""

    answers: list[str]
    shards: int
    total: int
    failures: list[str]

    @property
    def is_complete(self) -> bool:
        return self.shards == self.total


class Router:
    """Sends questions to replicas and goes to another one where the first fails."""

    def __init__(
        self,
        groups: Iterable[Group],
        patience: Patience = Patience(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.groups = list(groups)
        self.patience = patience
        self._clock = clock
        self._turns = itertools.count()

    @property
    def total(self) -> int:
        """How many shards there are."""
        return sum(it.shards for it in self.groups)

    @property
    def avoided(self) -> list[Standing]:
        """The replicas that are given a rest."""
        return [it for group in self.groups for it in group.standings if it.is_avoided]

    async def gather(self, question: str, /, **arguments: object) -> Gathered:
        """Asks every group at once. A group that nobody answers for is left out and
        counted; a question that makes no sense raises `Refused`."""
        load: Counter[str] = Counter()
        turn = next(self._turns)
        calls = []
        for group in self.groups:
            order = self._order(group, turn, load)
            if order:
                load[order[0].replica.node] += 1
            calls.append(self._ask(order, question, arguments))
        results = await asyncio.gather(*calls, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, Unanswered):
                raise result
        answered = [(group, it) for group, it in zip(self.groups, results) if isinstance(it, str)]
        return Gathered(
            answers=[it for _, it in answered],
            shards=sum(group.shards for group, _ in answered),
            total=self.total,
            failures=[str(it) for it in results if isinstance(it, Unanswered)],
        )

    async def ask_holder(self, game: int, question: str, /, **arguments: object) -> str:
        """Asks the one group that holds a game, counted from one; `Refused` if none does."""
        for group in self.groups:
            if 0 <= game - group.first_game < group.games:
                order = self._order(group, next(self._turns), Counter())
                return await self._ask(order, question, arguments)
        games = sum(it.games for it in self.groups)
        raise Refused(f"no game {game}; there are {games}")

    def _order(self, group: Group, turn: int, load: Counter[str]) -> list[Standing]:
        """Whom to ask first: nobody who failed lately; of the others, who is on the node
        that has least to do for this query, so that a query is one call a node; of
        these, whose turn it is."""
        start = turn % max(1, len(group.standings))
        in_turn = group.standings[start:] + group.standings[:start]
        return sorted(in_turn, key=lambda it: (it.is_avoided, load[it.replica.node]))

    async def _ask(
        self, order: Sequence[Standing], question: str, arguments: dict[str, object]
    ) -> str:
        """Asks one after another until somebody answers."""
        end = self._clock() + self.patience.groups
        reasons = []
        for place, standing in enumerate(order, start=1):
            left = end - self._clock()
            patience = left if place == len(order) else min(left, self.patience.call)
            if patience <= 0:
                break
            try:
                return await self._call(standing, patience, question, arguments)
            except (Refused, asyncio.CancelledError):
                raise
            except Exception as error:
                self._avoid(standing)
                reasons.append(f"{standing.replica.node}: {_reason(error, patience)}")
        raise Unanswered("; ".join(reasons) or "no replica holds these shards")

    async def _call(
        self, standing: Standing, patience: float, question: str, arguments: dict[str, object]
    ) -> str:
        answer = await asyncio.wait_for(standing.replica.ask(question, **arguments), patience)
        standing.is_avoided = False
        return answer

    def _avoid(self, standing: Standing) -> None:
        standing.is_avoided = True
        standing.rests_until = self._clock() + self.patience.rest

    async def reinstate(self) -> None:
        """Asks those who failed for a sign of life, so that no query has to find out."""
        now = self._clock()
        rested = [it for it in self.avoided if it.rests_until <= now]
        await asyncio.gather(*(self._probe(it) for it in rested))

    async def _probe(self, standing: Standing) -> None:
        try:
            await self._call(standing, self.patience.call, "holds", {})
        except Exception:
            self._avoid(standing)


def _reason(error: Exception, patience: float) -> str:
    if isinstance(error, asyncio.TimeoutError):
        return f"no answer within {patience:.1f} s"
    return type(error).__name__
