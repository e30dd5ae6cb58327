"""The verbs of `tabiya-cluster`."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import importlib.util
import json
import logging
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from . import argument, node

Run = Callable[[argparse.Namespace], None]
Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a verb. Returns 0 if it succeeded, 1 if it failed, 2 for a wrong argument."""
    asked = parser().parse_args(arguments)
    try:
        check_installed()
        asked.run(asked)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        print(f"tabiya-cluster: {error}", file=sys.stderr)
        return 1
    return 0


class NotInstalled(Exception):
    """The package was installed without the extra for clusters."""


def check_installed() -> None:
    """Raises unless everything is installed, before anything starts."""
    missing = [it for it in ("ray", "aiohttp") if importlib.util.find_spec(it) is None]
    if missing:
        raise NotInstalled(
            f"{' and '.join(missing)} not installed; a cluster needs the extra: "
            'pip install "./python[cluster]" in the repository'
        )


def parser() -> argparse.ArgumentParser:
    """All verbs and their arguments."""
    whole = argparse.ArgumentParser(
        prog="tabiya-cluster",
        description="Search more games than one machine holds. Ray's ports must stay private.",
    )
    verbs = whole.add_subparsers(metavar="VERB", required=True)
    _up(verbs)
    _build(verbs)
    _serve(verbs)
    _status(verbs)
    _down(verbs)
    return whole


def _verb(verbs: Verbs, name: str, run: Run, words: str, example: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(
        name,
        help=words,
        description=words,
        epilog=f"Example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.set_defaults(run=run)
    return verb


def _client(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--cluster", metavar="HOST[:PORT]", help="the head; this machine's unless given")
    verb.add_argument("--node", metavar="IP", help="the node, if this machine has several")
    verb.add_argument("--json", action="store_true", help="answer as JSON")


def _generation(verb: argparse.ArgumentParser, default: str) -> None:
    words = f"generation (default: {default})"
    verb.add_argument("--generation", type=argument.whole(1), metavar="N", help=words)


def _up(verbs: Verbs) -> None:
    verb = _verb(
        verbs,
        "up",
        up,
        "Make this machine a part of the cluster, until ended. What follows -- goes to ray start.",
        "tabiya-cluster up --head\n  tabiya-cluster up --join 10.0.0.1 --address 10.0.0.2",
    )
    place = verb.add_mutually_exclusive_group(required=True)
    place.add_argument(
        "--head", action="store_true", help="start a cluster; coordinates it, holds no shards"
    )
    place.add_argument("--join", metavar="HOST[:PORT]", help="join the cluster whose head is there")
    verb.add_argument("--address", metavar="IP", help="address at which the others reach this machine")
    verb.add_argument(
        "--port", type=argument.PORT, default=node.PORT, help="of the head (default: %(default)s)"
    )
    verb.add_argument(
        "--cpus",
        type=argument.whole(0),
        metavar="N",
        help="tasks that may build at once (default: all cores)",
    )
    verb.add_argument(
        "--redis", metavar="HOST:PORT", help="stores the head's state, so that it can be lost"
    )
    verb.add_argument("--folder", type=Path, metavar="DIR", help="Ray's sockets and logs")
    verb.add_argument("--shelf", type=Path, metavar="DIR", help="folder for fetched shards")
    verb.add_argument("more", nargs="*", help=argparse.SUPPRESS)


def up(asked: argparse.Namespace) -> None:
    """Becomes a node."""
    node.up(
        node.Node(
            join=asked.join,
            address=asked.address,
            port=asked.port,
            cpus=asked.cpus,
            redis=asked.redis,
            folder=asked.folder,
            shelf=asked.shelf,
            more=asked.more,
        )
    )


def _build(verbs: Verbs) -> None:
    verb = _verb(
        verbs,
        "build",
        build,
        "Build a generation of shards from all PGN files of a place.",
        "tabiya-cluster build s3://chess/pgn s3://chess/shards",
    )
    verb.add_argument("source", help="where the PGN files are")
    verb.add_argument("target", help="where shards and manifest go")
    verb.add_argument(
        "--skip",
        type=argument.PLIES,
        default=0,
        metavar="PLIES",
        help="first plies of a game that are not indexed (default: %(default)s)",
    )
    _client(verb)


def build(asked: argparse.Namespace) -> None:
    """Builds a generation."""
    from . import build as work

    node.connect(asked.cluster, asked.node)
    built = work.build(asked.source, asked.target, asked.skip, Progress(), warn=_warn)
    if asked.json:
        print(json.dumps(dataclasses.asdict(built)))
        return
    print(
        f"generation {built.generation:08}: {_many(built.files, 'file')}, "
        f"{_many(built.shards, 'shard')}, {_many(built.games, 'game')}, "
        f"{_many(built.positions, 'position')}"
    )


class Progress:
    """A progress line: files done, rate, time left."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()

    def __call__(self, done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(f"\r{self.line(done, total):<60}", end=end, file=sys.stderr, flush=True)

    def line(self, done: int, total: int) -> str:
        """The line."""
        files = f"{done:,} of {total:,} files"
        seconds = self._clock() - self._begun
        if not done or not seconds:
            return files
        left = datetime.timedelta(seconds=round(seconds / done * (total - done)))
        return f"{files}, {60 * done / seconds:.1f} a minute, {left} left"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _warn(words: str) -> None:
    print(f"tabiya-cluster: {words}", file=sys.stderr, flush=True)


def _serve(verbs: Verbs) -> None:
    verb = _verb(
        verbs,
        "serve",
        serve,
        "Answer every question over HTTP from all shards of a generation, as tabiya serve does.",
        "tabiya-cluster serve s3://chess/shards --behind http://127.0.0.1:7777",
    )
    verb.add_argument("target", help="where shards and manifest are")
    _generation(verb, "the newest, and every newer one as soon as it answers")
    verb.add_argument(
        "--groups", type=argument.whole(1), metavar="N", help="number of groups (default: one for each node)"
    )
    verb.add_argument(
        "--replicas",
        type=argument.whole(1),
        default=2,
        metavar="N",
        help="replicas of a group, on different nodes (default: %(default)s)",
    )
    verb.add_argument(
        "--address",
        type=argument.address,
        default="127.0.0.1",
        metavar="IP",
        help="address to listen on (default: %(default)s)",
    )
    verb.add_argument(
        "--port", type=argument.PORT, default=7778, help="0 takes a free one (default: %(default)s)"
    )
    verb.add_argument(
        "--behind",
        type=argument.url,
        metavar="URL",
        help="a tabiya serve for the page and judgments; the cluster answers all questions itself",
    )
    verb.add_argument(
        "--deadline",
        type=argument.seconds,
        default=2.0,
        metavar="SECONDS",
        help="time after which another replica is asked (default: %(default)s)",
    )
    _client(verb)


def serve(asked: argparse.Namespace) -> None:
    """Serves until ended."""
    from . import serve as work

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    node.connect(asked.cluster, asked.node)
    work.serve(
        work.Service(
            target=asked.target,
            generation=asked.generation,
            groups=asked.groups,
            replicas=asked.replicas,
            address=asked.address,
            port=asked.port,
            behind=asked.behind,
            deadline=asked.deadline,
        ),
        announce=lambda at: _at(at, asked.json),
        warn=_warn,
    )


def _at(address: str, as_json: bool) -> None:
    print(json.dumps({"address": address}) if as_json else f"answering at {address}", flush=True)


def _status(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "status", status, "Show the nodes and the groups.", "tabiya-cluster status"
    )
    _client(verb)


def status(asked: argparse.Namespace) -> None:
    """Shows nodes and groups."""
    from . import status as work

    node.connect(asked.cluster, asked.node)
    found = work.status()
    if asked.json:
        print(json.dumps(found))
        return
    for it in found["nodes"]:
        print(
            f"node {it['address']:<15} {'alive' if it['alive'] else 'lost':<6} {it['cpus']:g} cpus"
        )
    for it in found["replicas"]:
        print(f"replica {it['name']} {_where(it)}")


def _where(replica: dict[str, Any]) -> str:
    if not replica["answers"]:
        return str(replica["why"])
    return f"on {replica['node']}, {_many(replica['shards'], 'shard')} of {replica['depot']}"


def _down(verbs: Verbs) -> None:
    verb = _verb(
        verbs,
        "down",
        down,
        "End groups: all, or those of a depot or of a generation; the nodes stay.",
        "tabiya-cluster down s3://chess/shards --generation 3",
    )
    verb.add_argument("target", nargs="?", help="the depot (default: all)")
    _generation(verb, "all")
    _client(verb)


def down(asked: argparse.Namespace) -> None:
    """Ends groups."""
    from . import placement
    from .name import Choice

    node.connect(asked.cluster, asked.node)
    ended = placement.lower_groups(Choice(asked.target, asked.generation))
    print(json.dumps({"ended": ended}) if asked.json else f"ended {_many(len(ended), 'replica')}")


if __name__ == "__main__":
    sys.exit(main())
