"""A front and the groups behind it, from the manifest to the socket."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web

import tabiya

from . import placement
from .front import Front, Served
from .group import pauses
from .name import collection_name
from .router import Group, Opening, Patience, Replica, Router

# All in seconds. How long a front that could start waits for the other replicas.
GRACE = 30.0

# The time after which a replica whose shards are not open is asked again.
AGAIN = 0.5

# The time between two looks for a newer generation.
LOOK = 2.0

# When the first warning comes, and the longest time between two.
FIRST_WORD = 5.0
LONGEST_SILENCE = 60.0


class ServeError(Exception):
    """A generation cannot be served."""


@dataclass(frozen=True)
class Service:
    """What to serve, and how."""

    target: str
    generation: int | None
    groups: int | None
    replicas: int
    address: str
    port: int
    behind: str | None
    deadline: float


def serve(
    service: Service, announce: Callable[[str], None], warn: Callable[[str], object]
) -> None:
    """Serves until ended; announces the address as soon as every shard answers, and warns of what
    delays that."""
    # First, so that a port that is in use is reported before shards are fetched.
    with bound(service.address, service.port) as listener:
        front = front_of(service, warn)
        asyncio.run(_run(front, service, listener, announce, warn))


def front_of(service: Service, warn: Callable[[str], object]) -> Front:
    """A front with its groups, which are started if needed."""
    manifest = tabiya.Depot(service.target).manifest(service.generation)
    return Front(*raised_from(service, manifest, warn), service.behind)


def raised_from(
    service: Service, manifest: tabiya.Manifest, warn: Callable[[str], object]
) -> tuple[Router, Served]:
    """The groups of a generation, which are started if needed, and what they hold."""
    if not manifest.shards:
        raise ServeError(
            f"generation {manifest.generation} of {service.target} has no games; build one with: "
            f"tabiya-cluster build SOURCE {service.target}"
        )
    groups = divided_into(service, collection_name(service.target, manifest), warn)
    raised = placement.raise_groups(service.target, manifest, groups, service.replicas)
    router = Router(raised, Patience(call=service.deadline))
    served = Served(
        address=service.target,
        generation=manifest.generation,
        games=manifest.games,
        positions=manifest.positions,
        skip=manifest.skip,
    )
    return router, served


def divided_into(service: Service, collection: str, warn: Callable[[str], object]) -> int:
    """The number of groups. Groups of other fronts are shared, even while a node is lost; the front that
    starts the first replicas waits until there are nodes for them."""
    there = placement.raised_for(collection)
    if not there:
        placement.wait_for_nodes(service.replicas, placement.CPUS, warn)
    return service.groups or placement.division(there) or placement.capable_nodes()


async def _run(
    front: Front,
    service: Service,
    listener: socket.socket,
    announce: Callable[[str], None],
    warn: Callable[[str], object],
) -> None:
    await wait_for(front.router.groups, warn)
    runner = web.AppRunner(front.app(is_loopback(service.address)), access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        announce(url_of(*listener.getsockname()[:2]))
        following = asyncio.create_task(follow(front, service, warn))
        ended = asyncio.Event()
        for it in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(it, ended.set)
        await ended.wait()
        following.cancel()
    finally:
        await runner.cleanup()


async def follow(front: Front, service: Service, warn: Callable[[str], object]) -> None:
    """Serves every newer generation as soon as all of its groups answer; meanwhile, and if one never
    does, the present one. A front that was given a generation stays with it."""
    if service.generation is not None:
        return
    depot = tabiya.Depot(service.target)
    seen = front.served.generation
    moving: asyncio.Task[None] | None = None
    problem = ""
    try:
        while True:
            await asyncio.sleep(LOOK)
            try:
                newest = await asyncio.to_thread(depot.manifest)
                problem = ""
            except Exception as error:
                # Once for each reason: the storage may be away for a while.
                if str(error) != problem:
                    warn(f"cannot look for a newer generation: {error}")
                problem = str(error)
                continue
            if newest.generation > seen:
                seen = newest.generation
                if moving:
                    moving.cancel()
                moving = asyncio.create_task(_move(front, service, newest, warn))
    finally:
        if moving:
            moving.cancel()


async def _move(
    front: Front, service: Service, manifest: tabiya.Manifest, warn: Callable[[str], object]
) -> None:
    """Moves a front to another generation."""
    before = front.served.generation
    try:
        router, served = await asyncio.to_thread(raised_from, service, manifest, warn)
        await wait_for(router.groups, warn)
    except Exception as error:
        warn(f"generation {manifest.generation} is not served: {error}")
        return
    front.switch(router, served)
    warn(
        f"serving generation {served.generation}; once no front serves the one before, end it with: "
        f"tabiya-cluster down {service.target} --generation {before}"
    )


def bound(address: str, port: int) -> socket.socket:
    """A socket that is bound to an address and does not listen yet."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
    except OSError as error:
        listener.close()
        why = error.strerror or str(error)
        raise ServeError(
            f"cannot listen at {url_of(address, port)} ({why}); choose another --port or --address"
        ) from None
    return listener


def url_of(address: str, port: int) -> str:
    """The address for a browser."""
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


async def wait_for(
    groups: list[Group], warn: Callable[[str], object], grace: float = GRACE
) -> None:
    """Waits until every group has a replica that has fetched its shards, however long that takes, and a
    while for the others; warns now and then of what it waits for. A replica that is not ready by then
    gets no question until it gives a sign of life."""
    reasons: dict[Replica, str] = {}
    signs = [
        [asyncio.ensure_future(sign_of(it, reasons)) for it in group.replicas] for group in groups
    ]
    warning = asyncio.ensure_future(warn_of(groups, signs, reasons, warn))
    try:
        await asyncio.gather(*(first_of(it) for it in signs))
    finally:
        warning.cancel()
    await asyncio.wait([sign for row in signs for sign in row], timeout=grace)
    for group, row in zip(groups, signs):
        for standing, sign in zip(group.standings, row):
            standing.is_avoided = not gave(sign)
            sign.cancel()


async def sign_of(replica: Replica, reasons: dict[Replica, str]) -> bytes:
    """A sign of life, as soon as its shards are open; meanwhile, the reason why they are not."""
    while True:
        try:
            return await replica.ask("holds")
        except Opening as error:
            reasons[replica] = str(error)
            await asyncio.sleep(AGAIN)


async def warn_of(
    groups: list[Group],
    signs: list[list[asyncio.Task[bytes]]],
    reasons: dict[Replica, str],
    warn: Callable[[str], object],
) -> None:
    """Warns, now and then, which groups are not ready and why."""
    for pause in pauses(FIRST_WORD, LONGEST_SILENCE):
        await asyncio.sleep(pause)
        silent = [group for group, row in zip(groups, signs) if not any(map(gave, row))]
        known = {reasons[it] for group in silent for it in group.replicas if it in reasons}
        why = "; ".join(sorted(known)) or (
            "no node has room for their replicas, or they are starting; see: tabiya-cluster status"
        )
        warn(f"waiting for {len(silent)} of {len(groups)} groups: {why}")


def gave(sign: asyncio.Task[bytes]) -> bool:
    """Whether the sign was given."""
    return sign.done() and not sign.cancelled() and sign.exception() is None


async def first_of(signs: list[asyncio.Task[bytes]]) -> None:
    """Waits until one sign is given; if none comes, raises the reason."""
    left = set(signs)
    while left:
        done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
        if any(map(gave, done)):
            return
    await signs[0]


def is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback
