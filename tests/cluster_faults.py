"""Tests a cluster under faults that loopback cannot have.

Usage: cluster_faults.py PROGRAM (as root, on Linux)

Every node has a network namespace, joined by a bridge that can be cut or slowed down, and a small disk.
Two fronts are asked without pause while a node's link is slow, a node is cut off, disks are full, the
storage returns cut objects, and while its lists are stale; meanwhile, new generations are built, to which
the fronts switch by themselves. It fails if one answer fails or is wrong. Times are printed, never judged.
"""

import contextlib
import http.client
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from cluster import (
    FILES,
    WAYS,
    Load,
    Proof,
    address_of,
    ask_json,
    comparable,
    path_of,
    positions,
    replicas,
    timed,
    wait_until,
)
from ray_nodes import Nodes
from seaweedfs import SeaweedFS

QUERIES = 24
MARK = "TABIYA_ISOLATED"


def main():
    program = Path(sys.argv[1]).resolve()
    if MARK not in os.environ:
        # Networks and mounts of our own: nothing stays when this ends.
        command = ["unshare", "--net", "--mount", sys.executable, *sys.argv]
        sys.exit(subprocess.run(command, env={**os.environ, MARK: "1"}).returncode)
    with tempfile.TemporaryDirectory(prefix="tabiya-") as folder, contextlib.ExitStack() as stack:
        folder = Path(folder)
        network = Network()
        store = stack.enter_context(SeaweedFS(folder / "store"))
        store.make_bucket("chess")
        gate = stack.enter_context(Gate(store.ports["s3.port"]))
        token = folder / "token"
        token.write_text("of this test " * 4)
        environment = store.environment(
            RAY_AUTH_TOKEN_PATH=str(token), AWS_ENDPOINT_URL=gate.address, NO_PROXY="127.0.0.1,10.77.0.1"
        )
        nodes = stack.enter_context(IsolatedNodes(folder / "cluster", environment))
        Faults(program, folder, nodes, store, network, gate).run()
    print("the cluster stands every fault")


def system(line, **more):
    """Runs a command that must succeed."""
    subprocess.run(line.split(), check=True, **more)


class Network:
    """A bridge, and a namespace for each node."""

    def __init__(self):
        system("mount --make-rprivate /")
        system("mkdir -p /run/netns")
        system("mount -t tmpfs tmpfs /run/netns")
        system("ip link set lo up")
        system("ip link add bridge type bridge")
        system("ip addr add 10.77.0.1/24 dev bridge")
        system("ip link set bridge up")
        for number in range(2, 6):
            name = f"node{number}"
            system(f"ip netns add {name}")
            system(f"ip link add out{number} type veth peer name in{number}")
            system(f"ip link set in{number} netns {name}")
            system(f"ip link set out{number} master bridge up")
            system(f"ip -n {name} addr add 10.77.0.{number}/24 dev in{number}")
            system(f"ip -n {name} link set in{number} up")
            system(f"ip -n {name} link set lo up")

    @contextlib.contextmanager
    def cut(self, number):
        """No packet comes to a node, nor from it."""
        system(f"ip link set out{number} down")
        yield
        system(f"ip link set out{number} up")

    @contextlib.contextmanager
    def slow(self, number, rate):
        """A node's link has this rate, in both directions."""
        shape = f"root tbf rate {rate} burst 8kb latency 3s"
        system(f"tc qdisc add dev out{number} {shape}")
        system(f"tc -n node{number} qdisc add dev in{number} {shape}")
        yield
        system(f"tc qdisc del dev out{number} root")
        system(f"tc -n node{number} qdisc del dev in{number} root")


class IsolatedNodes(Nodes):
    """Nodes in namespaces, each with a small disk for its shards."""

    network = "10.77.0"

    def __init__(self, folder, environment):
        super().__init__(folder, environment)
        self.disks = {}

    def __exit__(self, *_):
        super().__exit__()
        for disk in self.disks.values():
            system(f"umount --lazy {disk}")

    def inside(self, number):
        return ["ip", "netns", "exec", f"node{number}"]

    def member(self, number):
        if number not in self.disks:
            self.disks[number] = disk = self.folder / f"shelf-{number}"
            disk.mkdir()
            system(f"mount -t tmpfs -o size=64m tmpfs {disk}")
        return super().member(number)

    @contextlib.contextmanager
    def full_disks(self):
        """No disk has room for another byte."""
        ballast = [it / "ballast" for it in self.disks.values()]
        for file in ballast:
            with contextlib.suppress(OSError):
                file.write_bytes(bytes(64 << 20))
            assert shutil.disk_usage(file.parent).free == 0, file
        yield
        for file in ballast:
            file.unlink()


class Gate:
    """What the nodes take for the storage: hands requests on, or misbehaves."""

    def __init__(self, port):
        gate = self
        self.port = port
        # Objects of shards end in the middle.
        self.cuts = False
        # Lists of generations are those from before.
        self.is_stale = False
        self.lists = {}
        self.cut_answers = 0
        self.stale_answers = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def any(self):
                gate.answer(self)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("10.77.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://10.77.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()

    def answer(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length)
        behind = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        # As it came, with its Host: the signature covers it.
        behind.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            behind.putheader(name, value)
        behind.endheaders(body)
        found = behind.getresponse()
        content = found.read()
        behind.close()
        if "list-type" in request.path and "generations" in request.path:
            if self.is_stale:
                content = self.lists[request.path]
                self.stale_answers += 1
            else:
                self.lists[request.path] = content
        size = len(content)
        if self.cuts and request.command == "GET" and "/shards/shards/" in request.path:
            # Every second one also ends too early for its length.
            self.cut_answers += 1
            content = content[: size // 2]
            size = size if self.cut_answers % 2 else len(content)
        request.send_response(found.status)
        for name, value in found.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                request.send_header(name, value)
        if request.command == "HEAD":
            size = found.getheader("Content-Length", 0)
        request.send_header("Content-Length", str(size))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(content)
        if size != len(content):
            request.close_connection = True


class Faults(Proof):
    def __init__(self, program, folder, nodes, store, network, gate):
        super().__init__(program, folder, nodes, store)
        self.network = network
        self.gate = gate
        self.answers = 0

    def run(self):
        """Runs all steps."""
        pgns = self.pgn_files()
        self.upload(pgns[:4])
        fens = positions(self.one_machine(pgns), QUERIES)
        self.paths = [path_of("search", {"fen": it, **WAYS[place % len(WAYS)]}) for place, it in enumerate(fens)]
        # What one machine answers from the first files.
        self.right = {it: self.answers_of(pgns[:it]) for it in (4, 5, FILES)}
        self.nodes.head()
        members = {it: self.nodes.member(it) for it in (3, 4, 5)}
        self.say("a head and three nodes are up, each in its network")
        self.publish()
        # Not on the nodes that will be lost.
        self.fronts = [self.front_on(it) for it in (2, 3)]
        self.say("two fronts answer")
        self.slow_link()
        self.partition(members[5])
        self.full_disk(members[4])
        self.cut_objects(pgns[4])
        self.stale_lists(pgns[5])
        self.credentials_stay_secret()
        print(f"{self.answers} answers, 0 failed, 0 wrong")

    def answers_of(self, pgns):
        folder = self.folder / f"right-{len(pgns)}"
        self.tabiya("index", *map(str, pgns), "--db", str(folder))
        machine = self.serve_folder(folder)
        return {path: comparable(timed(machine, path)[1]) for path in self.paths}

    def publish(self):
        return json.loads(self.nodes.run("build", "s3://chess/pgn", "s3://chess/shards"))

    def front_on(self, number):
        options = ["--address", self.nodes.address(number)]
        address = address_of(self.nodes.front("s3://chess/shards", f"front-{number}", *options, number=number))
        wait_until(lambda: replicas(address)["answering"] == 6, "all replicas answer")
        return address

    @contextlib.contextmanager
    def load(self, what, *files):
        """Asks both fronts without pause; every answer must be that of one of these numbers of files."""
        asked = {path: [self.right[it][path] for it in files] for path in self.paths}
        with Load(self.fronts, asked) as load:
            load.wait_for(20)
            yield load
            load.wait_for(20)
        self.say(f"{what}: {load}")
        if load.failed or load.wrong:
            for log in sorted((self.folder / "cluster").glob("front-*.log")):
                print(f"{log.name}:\n{log.read_text()[-2000:]}")
        load.check()
        self.answers += load.answered

    def all_answer(self):
        wait_until(lambda: self.answering() == 12, "all replicas answer both fronts")

    def answering(self):
        """The replicas that answer, counted at each front."""
        return sum(replicas(it)["answering"] for it in self.fronts)

    def serve_generation(self, number):
        is_so = lambda: self.generations() == [number] * 2
        wait_until(is_so, f"both fronts serve generation {number}")

    def generations(self):
        return [ask_json(it, "/api/v1/health")["generation"] for it in self.fronts]

    def slow_link(self):
        with self.load("a link of 32 kbit/s", 4) as load:
            with self.network.slow(5, "32kbit"):
                wait_until(lambda: self.answering() < 12, "a front notices the slow link")
                load.wait_for(60)
        self.all_answer()

    def partition(self, node):
        with self.load("a node cut off", 4) as load:
            with self.network.cut(5):
                load.wait_for(60)
                wait_until(lambda: self.alive() == 3, "the loss is noticed")
                self.all_answer()
            load.wait_for(20)
        # The head has given the node up; a service manager would start it again.
        node.kill()
        self.nodes.member(5)
        self.say("the node is back")

    def full_disk(self, node):
        """The replicas of a lost node must move to one whose disk is full. They say so, the others answer,
        and they take up their work when there is room."""
        with self.load("full disks", 4) as load:
            with self.nodes.full_disks():
                node.kill()
                wait_until(lambda: self.alive() == 3, "the loss is noticed")
                wait_until(self.without_room, "a replica reports the full disk")
                load.wait_for(40)
                lacking = self.without_room()
                assert lacking and self.answering() < 12, self.status()
            self.all_answer()
            assert not self.without_room()
        self.say(f"{len(lacking)} replicas had no room: {lacking[0]}")
        self.nodes.member(4)

    def without_room(self):
        """What the replicas say that cannot write their shards."""
        reasons = [it.get("why", "") for it in self.status()["replicas"]]
        return [it for it in reasons if "No space left on device" in it]

    def status(self):
        return json.loads(self.nodes.run("status"))

    def cut_objects(self, pgn):
        """The shards of a new generation arrive cut. The fronts stay with the old one until they are
        whole, and then switch."""
        self.upload([pgn])
        with self.load("cut objects, then a new generation", 4, 5) as load:
            self.gate.cuts = True
            built = self.publish()
            assert built["generation"] == 2, built
            wait_until(lambda: self.gate.cut_answers > 5, "cut shards are fetched")
            load.wait_for(40)
            assert self.generations() == [1, 1]
            self.gate.cuts = False
            self.serve_generation(2)
        self.all_answer()
        with self.load("generation 2", 5) as load:
            load.wait_for(20)
        ended = json.loads(self.nodes.run("down", "s3://chess/shards", "--generation", "1"))["ended"]
        assert len(ended) == 6, ended

    def stale_lists(self, pgn):
        """Storage that does not list the newest generations yet: none is overwritten, and the fronts stay
        with the one they know."""
        self.upload([pgn])
        with self.load("stale lists, then a new generation", 5, FILES) as load:
            self.gate.is_stale = True
            built = [self.publish()["generation"] for _ in range(2)]
            assert built == [3, 4], built
            seen = self.gate.stale_answers
            wait_until(lambda: self.gate.stale_answers > seen + 4, "the fronts look for generations")
            load.wait_for(40)
            assert self.generations() == [2, 2]
            self.gate.is_stale = False
            self.serve_generation(4)
        with self.load("the newest generation", FILES) as load:
            load.wait_for(20)


if __name__ == "__main__":
    main()
