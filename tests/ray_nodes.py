"""Ray nodes for a test: a head and other nodes on 127.0.0.x of one machine, each with its own
ports and folders. A node ends with all processes that it started."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from seaweedfs import free_ports

# Ray gives a node half a minute to start; a busy machine may need several attempts.
TRIES = 4
PATIENCE = 180
READY = "Ray runtime started"

COMMAND = [sys.executable, "-m", "tabiya.cluster.command"]


class Process:
    """A process and its descendants, which may form new process groups but stay in its
    session."""

    def __init__(self, command, log, environment):
        self.log = Path(log)
        with open(self.log, "ab") as output:
            # An earlier process may have written before.
            self._begin = output.tell()
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )

    @property
    def session(self):
        return self.process.pid

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        """Sends SIGKILL to all of them, as if the machine were lost."""
        for pid in members(self.session):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def wait_for(self, words, patience=PATIENCE):
        """Waits until the log contains some words; returns whether it did before the process ended."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            is_running = self.is_running()
            if words.encode() in self.log.read_bytes()[self._begin :]:
                return True
            if not is_running:
                return False
            time.sleep(0.1)
        raise SystemExit(f'"{words}" did not appear within {patience} s:\n{self.log.read_text()[-3000:]}')


def members(session):
    """The processes of a session."""
    listed = subprocess.run(["ps", "-eo", "pid=,sid="], capture_output=True, text=True, check=True)
    pairs = (map(int, line.split()) for line in listed.stdout.splitlines())
    return [pid for pid, sid in pairs if sid == session]


class Nodes:
    """All processes of a cluster; a context manager that ends those it started."""

    # The network of the nodes.
    network = "127.0.0"

    def __init__(self, folder, environment):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = environment
        self.port = free_ports(1)[0]
        self.redis_port = None
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for it in reversed(self.running):
            it.kill()

    def address(self, number):
        """The address of a node; the head is number 2."""
        return f"{self.network}.{number}"

    def inside(self, number):
        """What a command that runs on a node begins with."""
        return []

    @property
    def cluster(self):
        return f"{self.address(2)}:{self.port}"

    def start(self, command, name, **more):
        """Starts a process that ends with the cluster."""
        environment = {**self.environment, **more}
        process = Process(command, self.folder / f"{name}.log", environment)
        self.running.append(process)
        return process

    def redis(self):
        """Starts Redis, which stores the state of the head."""
        self.redis_port = free_ports(1)[0]
        command = ["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--dir", str(self.folder)]
        redis = self.start(command, "redis")
        assert redis.wait_for("Ready to accept connections"), redis.log.read_text()

    def head(self, name="head"):
        """Starts the head in a folder with its name."""
        options = ["--head", "--address", self.address(2), "--port", str(self.port)]
        if self.redis_port:
            options += ["--redis", f"127.0.0.1:{self.redis_port}"]
        options += ["--folder", str(self.folder / name)]
        return self._node(2, options, name)

    def member(self, number):
        """Starts the node with a number."""
        options = ["--join", self.cluster, "--address", self.address(number), "--cpus", "2"]
        options += ["--shelf", str(self.folder / f"shelf-{number}")]
        return self._node(number, options, f"node-{number}")

    def front(self, target, name, *more, number=3):
        """Starts a front on a node."""
        options = [target, "--port", "0", "--json", *more]
        options += ["--cluster", self.cluster, "--node", self.address(number)]
        return self.start([*self.inside(number), *COMMAND, "serve", *options], name)

    def _node(self, number, options, name):
        first = 30_000 + 100 * len(self.running)
        ports = ["--", f"--min-worker-port={first}", f"--max-worker-port={first + 99}"]
        for _ in range(TRIES):
            node = self.start([*self.inside(number), *COMMAND, "up", *options, *ports], name)
            if node.wait_for(READY):
                return node
            node.kill()
        raise SystemExit(f"{name} did not start:\n{node.log.read_text()[-3000:]}")

    def run(self, *arguments):
        """Runs a verb of `tabiya-cluster` and returns the JSON it prints."""
        command = [*self.inside(3), *COMMAND, *arguments]
        command += ["--cluster", self.cluster, "--node", self.address(3), "--json"]
        log = self.folder / f"{arguments[0]}.log"
        with open(log, "ab") as errors:
            ran = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env=self.environment
            )
        if ran.returncode:
            raise SystemExit(f"{arguments[0]} failed:\n{log.read_text()[-3000:]}")
        # Ray may print words of its own, such as of a lost node.
        return next(it for it in ran.stdout.splitlines() if it.startswith("{"))
