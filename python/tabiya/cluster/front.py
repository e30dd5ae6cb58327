"""The HTTP side: the questions of `tabiya serve`, answered by all groups of shards.

Addresses, parameters and answers are those of `tabiya serve`, so that its page works in front of a
cluster: the page itself and judgments come from a `tabiya serve` behind, if one is given. An answer
from all groups also reports how many shards it comes from.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import ipaddress
import json
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from urllib.parse import parse_qsl, urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from tabiya import _native as native
from tabiya.errors import MissingGameError, QueryError

from .router import Gathered, Refused, Router

log = logging.getLogger("tabiya.cluster")

ROOT = "/api/v1/"

# As `tabiya serve`: more than these are rejected at once.
MOST_AT_ONCE = 256

# As `tabiya serve` accepts at most: an import of judgments.
LONGEST_BODY = 16 * 1024 * 1024

# The time between two signs of life of a replica that failed, in seconds.
PROBE = 1.0

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}

# Headers of one connection, which are not passed on with an answer.
HOP_BY_HOP = {"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"}

# The header in which a browser names the site of the page.
SITE = "Sec-Fetch-Site"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Middleware = Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Served:
    """The collection that is served."""

    address: str
    generation: int
    games: int
    positions: int
    skip: int


@dataclass(frozen=True)
class Asked:
    """A question as it was asked over HTTP."""

    question: str
    parameters: str
    # The caller accepts an answer from a part of the shards.
    may_lack: bool

    @staticmethod
    def of(question: str, request: web.Request) -> Asked:
        """Reads a request. `partial` is the front's own parameter."""
        said = parse_qsl(request.rel_url.raw_query_string, keep_blank_values=True)
        flags = [value for name, value in said if name == "partial"]
        own = [(name, value) for name, value in said if name != "partial"]
        parameters = urlencode([*own, *request.match_info.items()])
        return Asked(question, parameters, any([parse_flag("partial", it) for it in flags]))


class Front:
    """Answers requests from the groups of a router."""

    def __init__(self, router: Router, served: Served, behind: str | None = None) -> None:
        self.router = router
        self.served = served
        # A `tabiya serve` for the page and judgments.
        self.behind = behind.rstrip("/") if behind else None
        self._open = 0

    def switch(self, router: Router, served: Served) -> None:
        """Serves another generation from the next question on; open questions end with theirs."""
        self.router, self.served = router, served

    def app(self, is_private: bool = True) -> web.Application:
        """The whole server, but for its socket."""
        app = web.Application(middlewares=[guard(is_private)], client_max_size=LONGEST_BODY)
        for question, path in native.paths():
            app.router.add_get(ROOT + path, partial(self.question, question))
        app.router.add_get(f"{ROOT}collections", self.collections)
        app.router.add_get(f"{ROOT}health", self.health)
        app.router.add_route("*", "/{rest:.*}", self.elsewhere)
        app.cleanup_ctx.append(self._company)
        return app

    async def question(self, question: str, request: web.Request) -> web.Response:
        """Any question, by its name."""
        if self._open >= MOST_AT_ONCE:
            return problem(503, "too many requests at once; try again in a moment")
        self._open += 1
        # A question is asked and answered by one generation, whatever comes meanwhile.
        router = self.router
        try:
            async with asyncio.timeout(router.patience.query):
                return await self._answer(router, Asked.of(question, request))
        except (Refused, QueryError) as error:
            return problem(400, str(error))
        except MissingGameError as error:
            return problem(404, str(error))
        except TimeoutError:
            words = "the answer took too long and was canceled; ask for less, or try again"
            return problem(503, words)
        finally:
            self._open -= 1

    async def _answer(self, router: Router, asked: Asked) -> web.Response:
        begun = time.monotonic()
        # Checked once, here, so that no group is asked an invalid question.
        scope = native.check(asked.question, asked.parameters)
        gathered = await gather(router, scope, asked)
        answered = f"{gathered.shards} of {gathered.total} shards answered"
        if gathered.failures:
            log.warning("%s: %s", answered, "; ".join(gathered.failures))
        if not gathered.is_complete and not asked.may_lack:
            hint = "try again in a moment, or ask with partial=true for what there is"
            return problem(503, f"only {answered}; {hint}", shards=shards_of(gathered))
        if not gathered.answers:
            return problem(503, f"{answered}; try again in a moment", shards=shards_of(gathered))
        coverage = (gathered.shards, gathered.total) if scope == "everyone" else None
        took = time.monotonic() - begun
        work = partial(merge, asked, gathered.answers, took, coverage)
        return answer(await asyncio.get_running_loop().run_in_executor(self._merging, work))

    async def collections(self, _: web.Request) -> web.Response:
        """The collection, in the shape of `tabiya serve`."""
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
        """Whether every group answers, and how many replicas do."""
        total = sum(len(it.replicas) for it in self.router.groups)
        avoided = len(self.router.avoided)
        is_whole = all(any(not it.is_avoided for it in g.standings) for g in self.router.groups)
        health = {
            "status": "ok" if is_whole else "incomplete",
            "version": version("tabiya"),
            "generation": self.served.generation,
            "shards": self.router.total,
            "groups": len(self.router.groups),
            "replicas": {"answering": total - avoided, "total": total},
        }
        # A load balancer shall not send requests here in vain.
        return answer(to_json(health), status=200 if is_whole else 503)

    async def elsewhere(self, request: web.Request) -> web.StreamResponse:
        """The page and judgments, from the `tabiya serve` behind, if there is one."""
        if self.behind is None:
            return problem(
                501,
                "a cluster answers every question, but has neither the page nor judgments; for these "
                "start it with --behind and the address of a tabiya serve",
            )
        # Not the client's Host: the server behind accepts its own machine only.
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
        """Runs as long as the server does."""
        self._client = ClientSession(timeout=ClientTimeout(total=30))
        # Merging may re-rank, compare positions or think, which is work for all cores; a merge that
        # was canceled before it began never begins.
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


async def gather(router: Router, scope: str, asked: Asked) -> Gathered:
    """The parts of the groups that must be asked."""
    ask = {"question": asked.question, "parameters": asked.parameters}
    if scope == "everyone":
        return await router.gather("part", **ask)
    if scope == "anyone":
        return await router.ask_any("part", **ask)
    return await router.ask_holder(int(scope), "part", **ask)


def shards_of(gathered: Gathered) -> dict[str, int]:
    return {"answered": gathered.shards, "total": gathered.total}


def merge(asked: Asked, parts: list[bytes], took: float, coverage: tuple[int, int] | None) -> str:
    """The answer of one machine, from the parts of the groups."""
    return native.merge(asked.question, asked.parameters, parts, took, coverage)


def to_json(value: object) -> str:
    """JSON without spaces, as `tabiya serve` writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parse_flag(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise Refused(f'{name}: "{text}" is not one of true, false')
    return text == "true"


def answer(text: str, status: int = 200) -> web.Response:
    return web.Response(status=status, text=text, content_type="application/json", headers=HEADERS)


def problem(status: int, words: str, **more: object) -> web.Response:
    """What is wrong, and the remedy, in the shape of `tabiya serve`."""
    response = answer(to_json({"error": words, **more}), status)
    if status == 503:
        response.headers["Retry-After"] = "1"
    return response


def guard(is_private: bool) -> Middleware:
    """Refuses what another site makes a browser request, as `tabiya serve` does: changes, and, where
    the server is for its own machine only, a foreign name that points at it."""

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
