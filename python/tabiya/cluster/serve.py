"""A front and the groups behind it, from the manifest to the socket."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web

import tabiya

from . import placement
from .front import Front, Served
from .router import Group, Patience, Router


@dataclass(frozen=True)
class Service:
    """What is to be served, and how."""

    target: str
    generation: int | None
    groups: int | None
    replicas: int
    address: str
    port: int
    behind: str | None
    deadline: float


def serve(service: Service, tell: Callable[[str], None]) -> None:
    """Serves until ended; tells the address as soon as every shard answers."""
    manifest = tabiya.Depot(service.target).manifest(service.generation)
    groups = placement.raise_groups(
        service.target,
        manifest,
        service.groups or placement.capable_nodes(),
        service.replicas,
    )
    router = Router(groups, Patience(call=service.deadline))
    served = Served(
        address=service.target,
        generation=manifest.generation,
        games=manifest.games,
        positions=manifest.positions,
        skip=manifest.skip,
    )
    front = Front(router, served, service.behind)
    asyncio.run(_run(front, service, tell))


async def _run(front: Front, service: Service, tell: Callable[[str], None]) -> None:
    await wait_for(front.router.groups)
    runner = web.AppRunner(front.app(is_loopback(service.address)), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, service.address, service.port)
    await site.start()
    host, port = runner.addresses[0][:2]
    tell(f"http://{host}:{port}")
    ended = asyncio.Event()
    for it in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(it, ended.set)
    await ended.wait()
    await runner.cleanup()


async def wait_for(groups: list[Group]) -> None:
    """Waits until every replica has fetched its shards; this can take as long as it takes."""
    await asyncio.gather(*(it.ask("holds") for group in groups for it in group.replicas))


def is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback
