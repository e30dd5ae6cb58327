"""Which replica answers for which shards, and which one is next if it fails.

The shards of a generation are divided into groups; every group is held by several replicas on
different nodes. A question goes to one replica of each group. This file depends on neither Ray nor
HTTP: a replica is anything with a `node` and a coroutine `ask`.
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
    """The question is invalid; any other replica would refuse it too."""


class Opening(Exception):
    """The replica lives, but its shards are not open yet; says why."""


class Unanswered(Exception):
    """No replica of a group answered in time."""


class Replica(Protocol):
    """A holder of the shards of a group."""

    node: str

    async def ask(self, request: str, /, **arguments: object) -> bytes:
        """Answers, or raises `Refused` if no replica could answer; any other exception is a failure,
        `Opening` one that passes."""


@dataclass
class Standing:
    """What the router remembers about a replica."""

    replica: Replica
    # It failed, and has not answered since.
    is_avoided: bool = False
    # Until then it is not asked for a sign of life.
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

    def holds(self, game: int) -> bool:
        """Whether a game, counted from one, is in the group."""
        return 0 <= game - self.first_game < self.games


@dataclass(frozen=True)
class Patience:
    """How long the router waits, in seconds."""

    # When a replica has not answered by then, the next one of the group is asked too. All of them get
    # the time that is left.
    call: float = 2.0
    # The limit of `tabiya serve`.
    query: float = 20.0
    # A replica that failed is not asked for this long. Then it must give a sign of life before it
    # gets a question again, unless no other is left.
    rest: float = 2.0

    @property
    def groups(self) -> float:
        """The groups' part of a question's time. The rest is for merging their parts, so that a
        group that hangs leaves time for a partial answer."""
        return 0.9 * self.query


@dataclass(frozen=True)
class Gathered:
    """The groups' answers, in their order, and how much of the whole that is."""

    answers: list[bytes]
    shards: int
    total: int
    failures: list[str]

    @property
    def is_complete(self) -> bool:
        return self.shards == self.total


class Router:
    """Sends requests to replicas, and to another one where the first fails."""

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
        """The number of shards."""
        return sum(it.shards for it in self.groups)

    @property
    def avoided(self) -> list[Standing]:
        """The replicas that failed."""
        return [it for group in self.groups for it in group.standings if it.is_avoided]

    async def gather(self, request: str, /, **arguments: object) -> Gathered:
        """Asks every group at once. A group of which no replica answers is left out and counted; an
        invalid question raises `Refused`."""
        return await self._gather(self.groups, request, arguments)

    async def ask_holder(self, game: int, request: str, /, **arguments: object) -> Gathered:
        """Asks the group that holds a game, or every group if none does."""
        holders = [it for it in self.groups if it.holds(game)]
        return await self._gather(holders or self.groups, request, arguments)

    async def ask_any(self, request: str, /, **arguments: object) -> Gathered:
        """Asks any one replica, of whichever group. The answer counts as complete."""
        standings = [it for group in self.groups for it in group.standings]
        order = self._order(standings, next(self._turns), Counter())
        try:
            answer = await self._ask(order, request, arguments)
        except Unanswered as error:
            return Gathered([], 0, self.total, [str(error)])
        return Gathered([answer], self.total, self.total, [])

    async def _gather(
        self, groups: Sequence[Group], request: str, arguments: dict[str, object]
    ) -> Gathered:
        load: Counter[str] = Counter()
        turn = next(self._turns)
        calls = []
        for group in groups:
            order = self._order(group.standings, turn, load)
            if order:
                load[order[0].replica.node] += 1
            calls.append(self._ask(order, request, arguments))
        results = await asyncio.gather(*calls, return_exceptions=True)
        answers, shards, failures = list[bytes](), 0, list[str]()
        for group, result in zip(groups, results):
            if isinstance(result, Unanswered):
                failures.append(str(result))
            elif isinstance(result, BaseException):
                raise result
            else:
                answers.append(result)
                shards += group.shards
        return Gathered(answers, shards, sum(it.shards for it in groups), failures)

    def _order(
        self, standings: Sequence[Standing], turn: int, load: Counter[str]
    ) -> list[Standing]:
        """The order in which replicas are asked: first those that did not fail; of these, those on
        the node with the least load from this question, so that a question is one call a node; of
        these, in turn."""
        start = turn % max(1, len(standings))
        in_turn = [*standings[start:], *standings[:start]]
        return sorted(in_turn, key=lambda it: (it.is_avoided, load[it.replica.node]))

    async def _ask(
        self, order: Sequence[Standing], request: str, arguments: dict[str, object]
    ) -> bytes:
        """Asks one after another until one answers. One that is slow is not given up while the next is
        asked: it may be busy, and the next cut off."""
        end = self._clock() + self.patience.groups
        left = list(order)
        calls = dict[asyncio.Task[bytes], tuple[Standing, float]]()
        reasons = list[str]()
        try:
            while (now := self._clock()) < end and (left or calls):
                if left:
                    standing = left.pop(0)
                    call = asyncio.create_task(self._call(standing, request, arguments))
                    calls[call] = standing, now
                patience = min(end - now, self.patience.call) if left else end - now
                done, _ = await asyncio.wait(
                    calls, timeout=patience, return_when=asyncio.FIRST_COMPLETED
                )
                for call in done:
                    standing, _ = calls.pop(call)
                    error = call.exception()
                    if error is None:
                        return call.result()
                    if not isinstance(error, Exception) or isinstance(error, Refused):
                        raise error
                    self._avoid(standing)
                    reasons.append(f"{standing.replica.node}: {type(error).__name__}")
                if not done:
                    for standing, _ in calls.values():
                        self._avoid(standing)
                    if not left:
                        break
        finally:
            for call in calls:
                call.cancel()
        now = self._clock()
        for standing, since in calls.values():
            reasons.append(f"{standing.replica.node}: no answer within {now - since:.1f} s")
        raise Unanswered("; ".join(reasons) or "no replica holds these shards")

    async def _call(self, standing: Standing, request: str, arguments: dict[str, object]) -> bytes:
        answer = await standing.replica.ask(request, **arguments)
        standing.is_avoided = False
        return answer

    def _avoid(self, standing: Standing) -> None:
        standing.is_avoided = True
        standing.rests_until = self._clock() + self.patience.rest

    async def reinstate(self) -> None:
        """Asks the replicas that failed for a sign of life, so that no question has to."""
        now = self._clock()
        rested = [it for it in self.avoided if it.rests_until <= now]
        await asyncio.gather(*(self._probe(it) for it in rested))

    async def _probe(self, standing: Standing) -> None:
        try:
            await asyncio.wait_for(self._call(standing, "holds", {}), self.patience.call)
        except Exception:
            self._avoid(standing)
