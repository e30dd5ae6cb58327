"""How a machine becomes part of the cluster: a Ray node that needs little.

Everything here only chooses the arguments of `ray start`, which then takes the place of
this process. Ray listens on all interfaces whatever address a node is given, so a node
never starts without Ray's token.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

PORT = 6379

# How long a head may take to be reached, in seconds.
REACH = 5.0

# The default ports of Ray's workers.
WORKER_PORTS = range(10_002, 20_000)

# Our actors in a cluster that others may use too.
NAMESPACE = "tabiya"

# Ray takes 127.0.0.1 for a mistake and puts the machine's outer address in its place;
# the rest of 127.0.0.0/8 is as private.
HEAD_ADDRESS = "127.0.0.2"
NODE_ADDRESS = "127.0.0.3"

# The objects that Ray moves are questions and parts of answers, all of them small.
OBJECT_STORE = 80_000_000

# The folder in which a node keeps fetched shards.
SHELF = "TABIYA_SHELF"

SETTINGS = {
    # A node is lost if it fails five times in five seconds (Ray's default is fifteen).
    "RAY_health_check_initial_delay_ms": "5000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "5000",
    "RAY_health_check_failure_threshold": "5",
    # Nodes wait an hour for a lost head (default: a minute) and answer meanwhile.
    "RAY_gcs_rpc_server_reconnect_timeout_s": "3600",
    # Replicas answer people; Ray's default, nice 15, is for work that can wait.
    "RAY_worker_niceness": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
}


class NodeError(Exception):
    """A node cannot start with these arguments."""


class NoToken(Exception):
    """A node cannot join without the token of the head."""

    def __init__(self) -> None:
        super().__init__(
            "this machine does not have the cluster's token; copy the head's ~/.ray/auth_token "
            "to the same place here, or set RAY_AUTH_TOKEN_PATH to a file that holds it"
        )


class NoCluster(Exception):
    """There is no cluster to connect to."""

    def __init__(self, head: str | None) -> None:
        where = f"no cluster answers at {head}, or no node" if head else "no node"
        super().__init__(
            f"{where} on this machine; start one with: tabiya-cluster up --head (or --join HOST), "
            "or say --cluster HOST"
        )


@dataclass(frozen=True)
class Node:
    """How to start a node."""

    # The head to join, or nothing if this is the head.
    join: str | None = None
    address: str | None = None
    port: int = PORT
    cpus: int | None = None
    redis: str | None = None
    folder: Path | None = None
    shelf: Path | None = None
    # Further arguments for `ray start`.
    more: Sequence[str] = ()

    @property
    def is_head(self) -> bool:
        return self.join is None

    def arguments(self) -> list[str]:
        """The arguments of `ray start`."""
        place = self._head() if self.join is None else self._member(self.join)
        return [
            "start",
            "--block",
            "--disable-usage-stats",
            "--include-log-monitor=false",
            f"--object-store-memory={OBJECT_STORE}",
            *place,
            *([f"--temp-dir={self.folder}"] if self.folder else []),
            *self.more,
        ]

    def _head(self) -> list[str]:
        # The head coordinates and holds no shards, so that losing it costs no answer.
        return [
            "--head",
            f"--node-ip-address={self.address or HEAD_ADDRESS}",
            f"--port={self.port}",
            f"--num-cpus={self.cpus or 0}",
            "--include-dashboard=false",
        ]

    def _member(self, head: str) -> list[str]:
        head = with_port(head, self.port)
        address = self.address or (NODE_ADDRESS if head.startswith("127.") else None)
        return [
            f"--address={head}",
            *([f"--node-ip-address={address}"] if address else []),
            *([f"--num-cpus={self.cpus}"] if self.cpus is not None else []),
        ]

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """What `ray start` and all that it starts find in their environment. What the user
        has set stays."""
        environment = {**SETTINGS, **given, "RAY_AUTH_MODE": "token"}
        if self.redis and self.is_head:
            environment["RAY_REDIS_ADDRESS"] = self.redis
        if self.shelf:
            environment[SHELF] = str(self.shelf)
        return environment


def with_port(host: str, port: int) -> str:
    """`host:port`, unless the host includes a port."""
    return host if ":" in host else f"{host}:{port}"


def is_reachable(address: str) -> bool:
    """Whether a process listens there. Ray itself takes two minutes to find out."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH).close()
    except (OSError, ValueError):
        return False
    return True


def ensure_token(given: Mapping[str, str], home: Path, is_head: bool) -> None:
    """Creates a token for a new head; other nodes must have it already."""
    if given.get("RAY_AUTH_TOKEN") or given.get("RAY_AUTH_TOKEN_PATH"):
        return
    path = home / ".ray" / "auth_token"
    if path.exists():
        return
    if not is_head:
        raise NoToken
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(secrets.token_hex(32))


def check(node: Node) -> None:
    """Rejects what Ray would explain at length, or try for minutes."""
    if node.join is None:
        if node.port in WORKER_PORTS and not any("worker-port" in it for it in node.more):
            first, last = WORKER_PORTS[0], WORKER_PORTS[-1]
            raise NodeError(f"ports {first} to {last} are for Ray's workers; say another --port")
    elif not is_reachable(head := with_port(node.join, node.port)):
        raise NodeError(
            f"no head answers at {head}; start it there with: tabiya-cluster up --head, or check "
            "--join and --port"
        )


def up(node: Node) -> NoReturn:
    """Becomes the node; ends with it."""
    check(node)
    ensure_token(os.environ, Path.home(), node.is_head)
    # What Ray advises in a moment, its own `ray start`, would lack our settings.
    if node.is_head:
        head = with_port(node.address or HEAD_ADDRESS, node.port)
        print(f"others join this head with: tabiya-cluster up --join {head}", flush=True)
    ray = [sys.executable, "-m", "ray.scripts.scripts", *node.arguments()]
    os.execve(sys.executable, ray, node.environment(os.environ))


def connect(head: str | None, node: str | None = None) -> None:
    """Makes this process a client of the cluster, through a node on this machine."""
    # Not at the top: the routing and its tests need no Ray.
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        ensure_token(os.environ, Path.home(), is_head=False)
    except NoToken:
        # No node of this machine is without one.
        raise NoToken if head else NoCluster(head) from None
    if head and not is_reachable(with_port(head, PORT)):
        raise NoCluster(head)
    import ray

    try:
        ray.init(
            address=with_port(head, PORT) if head else "auto",
            namespace=NAMESPACE,
            log_to_driver=False,
            logging_level=logging.ERROR,
            **({"_node_ip_address": node} if node else {}),
        )
    except ConnectionError:
        raise NoCluster(head) from None
