"""The HTTP side: the search of `tabiya serve`, answered by all groups of shards.

Addresses, parameters and answers are those of `tabiya serve`, so that its page can be
shown in front of a cluster: what this file does not answer is passed on to a
`tabiya serve` if one is given. An answer says besides how many shards it comes from.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import ipaddress
import json
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from tabiya import _native as native

from .router import Gathered, Refused, Router, Unanswered

log = logging.getLogger("tabiya.cluster")

# As `tabiya serve`: more than that are sent away at once.
MOST_AT_ONCE = 256

# As `tabiya serve` takes at most: an import of judgments.
LONGEST_BODY = 16 * 1024 * 1024

# How often those who failed are asked for a sign of life, in seconds.
PROBE = 1.0

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}

# What belongs to one connection and not to the answer that is passed on.
HOP_BY_HOP = {"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"}

# In which a browser says whose page asks.
SITE = "Sec-Fetch-Site"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Middleware = Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Served:
    """What is served, for those who ask."""

    address: str
    generation: int
    games: int
    positions: int
    skip: int


class Front:
    """Answers requests from the groups of a router."""

    def __init__(self, router: Router, served: Served, behind: str | None = None) -> None:
        self.router = router
        self.served = served
        # A `tabiya serve` that answers everything else.
        self.behind = behind.rstrip("/") if behind else None
        self._open = 0

    def app(self, is_private: bool = True) -> web.Application:
        """The whole server, but for its socket."""
        app = web.Application(middlewares=[guard(is_private)], client_max_size=LONGEST_BODY)
        app.router.add_get("/api/v1/search", self.search)
        app.router.add_get("/api/v1/game/{id}", self.game)
        app.router.add_get("/api/v1/collections", self.collections)
        app.router.add_get("/api/v1/health", self.health)
        app.router.add_route("*", "/{rest:.*}", self.elsewhere)
        app.cleanup_ctx.append(self._company)
        return app

    async def search(self, request: web.Request) -> web.Response:
        """The positions most like a given one, of all shards."""
        if self._open >= MOST_AT_ONCE:
            return problem(503, "too many requests at once; try again in a moment")
        self._open += 1
        try:
            async with asyncio.timeout(self.router.patience.query):
                return await self._search(request.rel_url.raw_query_string, request.query)
        except Refused as error:
            return problem(400, str(error))
        except TimeoutError:
            words = "the answer took too long and was given up; ask for less, or try again"
            return problem(503, words)
        finally:
            self._open -= 1

    async def _search(self, asked: str, parameters: Mapping[str, str]) -> web.Response:
        may_lack = parse_flag("partial", parameters.get("partial", "false"))
        # Once, here: nobody is asked what makes no sense.
        check(asked)
        gathered = await self.router.gather("answer", parameters=asked)
        told = f"{gathered.shards} of {gathered.total} shards answered"
        if gathered.failures:
            log.warning("%s: %s", told, "; ".join(gathered.failures))
        if not gathered.is_complete and not may_lack:
            hint = "try again in a moment, or ask with partial=true for what there is"
            return problem(503, f"only {told}; {hint}", shards=shards_of(gathered))
        if not gathered.answers:
            return problem(503, f"{told}; try again in a moment", shards=shards_of(gathered))
        loop = asyncio.get_running_loop()
        merged = await loop.run_in_executor(self._merging, merge, gathered.answers, asked)
        # The answer stays as Rust wrote it, so that no number is read and written anew.
        return answer(f'{merged.removesuffix("}")},"shards":{to_json(shards_of(gathered))}}}')

    async def game(self, request: web.Request) -> web.Response:
        """A game's tags and moves, from the group that holds it."""
        try:
            number = parse_number(request.match_info["id"])
            return answer(await self.router.ask_holder(number, "game", number=number))
        except Refused as error:
            status = 404 if str(error).startswith("no game") else 400
            return problem(status, str(error))
        except Unanswered as error:
            log.warning("a game was not told: %s", error)
            return problem(503, "nobody who holds this game answers; try again in a moment")

    async def collections(self, _: web.Request) -> web.Response:
        """What can be searched."""
        it = self.served
        row = {
            "name": f"{it.address} {it.generation:08}",
            "games": it.games,
            "positions": it.positions,
            "skip": it.skip,
            "traps": 0,
        }
        return answer(to_json([row]))

    async def health(self, _: web.Request) -> web.Response:
        """That there is an answer, and from how many replicas it could come."""
        total = sum(len(it.replicas) for it in self.router.groups)
        avoided = len(self.router.avoided)
        is_whole = all(any(not it.is_avoided for it in g.standings) for g in self.router.groups)
        told = {
            "status": "ok" if is_whole else "incomplete",
            "version": version("tabiya"),
            "generation": self.served.generation,
            "shards": self.router.total,
            "groups": len(self.router.groups),
            "replicas": {"answering": total - avoided, "total": total},
        }
        # Who divides the load between fronts shall not send queries here in vain.
        return answer(to_json(told), status=200 if is_whole else 503)

    async def elsewhere(self, request: web.Request) -> web.StreamResponse:
        """Everything else, from the `tabiya serve` behind, if there is one."""
        if self.behind is None:
            return problem(
                501,
                "a cluster answers search, game, collections and health; for the page and the "
                "rest start it with --behind and the address of a tabiya serve",
            )
        # Not the client's Host: the one behind admits its own machine only.
        headers = {SITE: request.headers[SITE]} if SITE in request.headers else {}
        if request.can_read_body:
            headers["Content-Type"] = request.content_type
        try:
            body = io.BytesIO(await request.read()) if request.can_read_body else None
            async with self._client.request(
                request.method, self.behind + request.path_qs, headers=headers, data=body
            ) as it:
                kept = {k: v for k, v in it.headers.items() if k.lower() not in HOP_BY_HOP}
                return web.Response(status=it.status, headers=kept, body=await it.read())
        except web.HTTPRequestEntityTooLarge:
            words = f"the body is longer than {LONGEST_BODY >> 20} MiB; send it in parts"
            return problem(413, words)
        except (ClientError, asyncio.TimeoutError) as error:
            log.warning("the server behind does not answer: %s", type(error).__name__)
            return problem(502, "the tabiya serve behind this cluster does not answer; start it")

    async def _company(self, _: web.Application) -> AsyncIterator[None]:
        """What runs as long as the server does."""
        self._client = ClientSession(timeout=ClientTimeout(total=30))
        # Ordering anew by how positions play is work for all cores, and what nobody waits
        # for any more is not begun.
        self._merging = ThreadPoolExecutor(os.cpu_count(), "merge")
        probing = asyncio.create_task(self._probe())
        yield
        probing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await probing
        self._merging.shutdown(wait=False, cancel_futures=True)
        await self._client.close()

    async def _probe(self) -> None:
        while True:
            await asyncio.sleep(PROBE)
            await self.router.reinstate()


def shards_of(gathered: Gathered) -> dict[str, int]:
    return {"answered": gathered.shards, "total": gathered.total}


def check(asked: str) -> None:
    """Refuses a search that makes no sense, in the words of `tabiya serve`."""
    try:
        native.check_search(asked)
    except ValueError as error:
        raise Refused(str(error)) from None


def merge(answers: list[str], asked: str) -> str:
    """What one machine would have answered."""
    return native.merge_answers(answers, asked)


def to_json(value: object) -> str:
    """As `tabiya serve` writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parse_flag(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise Refused(f'{name} is true or false, not "{text}"')
    return text == "true"


def parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise Refused(f'"{text[:20]}" is no number of a game')
    return int(text)


def answer(text: str, status: int = 200) -> web.Response:
    return web.Response(status=status, text=text, content_type="application/json", headers=HEADERS)


def problem(status: int, words: str, **more: object) -> web.Response:
    """What is wrong and what to do, in the shape of `tabiya serve`."""
    response = answer(to_json({"error": words, **more}), status)
    if status == 503:
        response.headers["Retry-After"] = "1"
    return response


def guard(is_private: bool) -> Middleware:
    """Refuses what another site makes a browser ask, as `tabiya serve` does: changes, and, of
    a server that is for its own machine only, a foreign name that was made to point at it."""

    @web.middleware  # type: ignore[untyped-decorator, unused-ignore]
    async def admit(request: web.Request, handler: Handler) -> web.StreamResponse:
        if is_private and not names_this_machine(request.headers.get("Host")):
            words = "ask for localhost or 127.0.0.1; this server is for its own machine only"
            return problem(403, words)
        is_safe = request.method in ("GET", "HEAD", "OPTIONS", "TRACE")
        if not is_safe and request.headers.get(SITE) in ("cross-site", "same-site"):
            return problem(403, "another site may not change anything here")
        return await handler(request)

    return admit  # type: ignore[no-any-return, unused-ignore]


def names_this_machine(host: str | None) -> bool:
    # A request without a host comes from no browser.
    if host is None:
        return True
    name, colon, port = host.rpartition(":")
    name = name if colon and port.isdigit() else host
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    return False
