"""Tests push and pull with a real object store, SeaweedFS.

Usage: depot.py PROGRAM

A pulled collection must answer like the pushed one. Generations coexist. A transfer that is
killed, interrupted, rejected or corrupted leaves the previous state. Credentials are never
printed.
"""

import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

from seaweedfs import SeaweedFS, free_ports

SAMPLE = Path(__file__).resolve().parent.parent / "sample"
POSITIONS = [
    "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11",
    "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 0 10",
    "8/5pk1/6p1/7p/7P/5KP1/5P2/8 w - - 0 40",
]


class Tabiya:
    """Runs the program in a folder, with the store's credentials in its environment."""

    def __init__(self, program, folder, store):
        self.program, self.folder, self.store = program, folder, store
        self.environment = store.environment(XDG_CACHE_HOME=str(folder / "cache"), RUST_LOG="trace")

    def start(self, *arguments, **environment):
        variables = {**self.environment, **environment}
        return subprocess.Popen(
            [self.program, *map(str, arguments)],
            cwd=self.folder,
            env={name: it for name, it in variables.items() if it is not None},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process):
        """Returns the exit code and the output, which must not contain credentials."""
        out, err = process.communicate(timeout=300)
        for secret in [self.store.key, self.store.secret, "wrong-secret", "wrong-key"]:
            assert secret not in out + err, "a credential was printed"
        assert "panicked" not in err, err
        return process.returncode, out, err

    def run(self, *arguments):
        code, out, err = self.finish(self.start(*arguments))
        assert code == 0, f"{arguments}: {err}"
        return out

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def fail(self, reason, *arguments, **environment):
        code, out, err = self.finish(self.start(*arguments, **environment))
        assert code == 1 and reason in err and not out, f"{arguments}: {code} {out} {err}"

    def answers(self, db):
        """The answers of a collection: searches to the last bit, and every game."""
        said = [self.run("search", it, "--db", db, "--json") for it in POSITIONS]
        said = [re.sub(r'"took_ms": *[0-9.e-]+', "", it) for it in said]
        assert json.loads(self.run("verify", "--db", db, "--json"))
        return said, self.run("export", "--db", db)


class Line:
    """A proxy to the store that stops after a number of bytes, until it is opened."""

    def __init__(self, port, size):
        self.to, self.size, self.passed = port, size, 0
        self.full, self.opened = threading.Event(), threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.to))
            for ends in [(near, far), (far, near)]:
                threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
                self.passed += len(data)
                if self.passed >= self.size:
                    self.full.set()
                    self.opened.wait()
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def wait_until_full(self, process):
        while not self.full.wait(0.1):
            assert process.poll() is None, "the program ended before it could be interrupted"

    def open(self):
        self.opened.set()
        self.listener.close()


def make_games(tabiya):
    """Writes PGN files with the sample's games, some under other names, that make one large shard
    and several small ones."""
    pgn = tabiya.folder / "pgn"
    pgn.mkdir()
    tabiya.run("index", SAMPLE / "sample.pgn.zst", "--db", "sample", "--limit", "1800")
    text = tabiya.run("export", "--db", "sample")
    renamed = [text.replace('[White "', f'[White "{number} ') for number in range(3)]
    (pgn / "large.pgn").write_text("\n".join(renamed))
    history = "\n".join(it.read_text() for it in sorted((SAMPLE / "historical").iterdir()))
    for number in range(4):
        (pgn / f"small-{number}.pgn").write_text(history.replace('[White "', f'[White "{number} '))


def generations_come_back(tabiya, depot):
    first = tabiya.json("push", "sample", depot)
    assert (first["generation"], first["is_new"]) == (1, True), first
    assert first["sent_bytes"] == first["bytes"], first
    tabiya.run("pull", depot, "first")
    assert tabiya.answers("first") == tabiya.answers("sample")
    again = tabiya.json("push", "sample", depot)
    assert (again["generation"], again["is_new"], again["sent_bytes"]) == (1, False, 0), again
    # The same collection with more games is the next generation.
    tabiya.run("index", "pgn/small-0.pgn", "--db", "sample")
    second = tabiya.json("push", "sample", depot)
    assert second["generation"] == 2 and second["sent_bytes"] < second["bytes"], second
    tabiya.run("pull", depot, "second")
    tabiya.run("pull", depot, "old", "--generation", 1)
    assert tabiya.answers("second") == tabiya.answers("sample") != tabiya.answers("first")
    assert tabiya.answers("old") == tabiya.answers("first")
    # A pulled collection is updated in place to the next generation.
    fetched = tabiya.json("pull", depot, "first")
    assert fetched["fetched_bytes"] == second["sent_bytes"], (fetched, second)
    assert tabiya.answers("first") == tabiya.answers("second")
    listed = tabiya.json("pull", depot, "--list")["generations"]
    assert [it["generation"] for it in listed] == [1, 2], listed
    assert "current" in tabiya.run("pull", depot, "--list")
    tabiya.fail("has no generation 9", "pull", depot, "nine", "--generation", 9)


def killed_pushes_leave_the_old_generation(tabiya, depot):
    tabiya.run("index", "pgn/small-1.pgn", "pgn/small-2.pgn", "pgn/large.pgn", "--db", "large")
    size = sum(it.stat().st_size for it in (tabiya.folder / "large").glob("*.tabiya"))
    assert size > 12 << 20, f"{size} bytes fit in one part"
    ways = [(signal.SIGKILL, 0.3), (signal.SIGKILL, 0.8), (signal.SIGINT, 0.6)]
    for number, (way, part) in enumerate(ways):
        line = Line(tabiya.store.ports["s3.port"], part * size)
        push = tabiya.start("push", "large", depot, AWS_ENDPOINT_URL=line.endpoint)
        line.wait_until_full(push)
        push.send_signal(way)
        line.open()
        code, _, err = tabiya.finish(push)
        assert code == (1 if way == signal.SIGINT else -way), (code, err)
        assert way != signal.SIGINT or "run the same command again to continue" in err, err
        tabiya.run("pull", depot, f"still-{number}")
        assert tabiya.answers(f"still-{number}") == tabiya.answers("second")
    done = tabiya.json("push", "large", depot)
    assert done["generation"] == 3 and done["sent_bytes"] < done["bytes"], done
    print(f"  after three interrupted pushes {done['sent_bytes']:,} of {size:,} bytes were left to send")
    return size


def killed_pulls_leave_no_half_collection(tabiya, depot, size):
    for part in [0.3, 0.7]:
        line = Line(tabiya.store.ports["s3.port"], part * size / 2)
        pull = tabiya.start("pull", depot, "there", AWS_ENDPOINT_URL=line.endpoint)
        line.wait_until_full(pull)
        pull.kill()
        tabiya.finish(pull)
        line.open()
        tabiya.fail("is not a collection", "stats", "--db", "there")
    done = tabiya.json("pull", depot, "there")
    assert done["generation"] == 3 and done["fetched_bytes"] < done["bytes"], done
    print(f"  after two killed pulls {done['fetched_bytes']:,} of {size:,} bytes were left to fetch")
    assert tabiya.answers("there") == tabiya.answers("large")
    tabiya.fail("games of its own, which would be lost", "pull", depot, "large")


def concurrent_pushes_all_succeed(tabiya, depot):
    for name in ["one", "two"]:
        number = 2 if name == "one" else 3
        tabiya.run("index", f"pgn/small-{number}.pgn", "--db", name)
    before = len(tabiya.json("pull", depot, "--list")["generations"])
    pushes = {name: tabiya.start("push", name, depot, "--json") for name in ["one", "two"]}
    for name, push in pushes.items():
        code, out, err = tabiya.finish(push)
        assert code == 0, err
        number = json.loads(out)["generation"]
        tabiya.run("pull", depot, f"{name}-back", "--generation", number)
        assert tabiya.answers(f"{name}-back") == tabiya.answers(name)
    listed = [it["generation"] for it in tabiya.json("pull", depot, "--list")["generations"]]
    assert listed == list(range(1, before + 3)), listed


def a_generation_number_is_used_once(tabiya, depot):
    """Tests the store's conditional writes with many small concurrent pushes."""
    text = '[White "{0}"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n'
    for number in range(6):
        (tabiya.folder / f"tiny-{number}.pgn").write_text(text.format(number))
        tabiya.run("index", f"tiny-{number}.pgn", "--db", f"tiny-{number}", "--skip", 0)
    pushes = [tabiya.start("push", f"tiny-{it}", depot + "/many", "--json") for it in range(6)]
    ended = [tabiya.finish(it) for it in pushes]
    assert all(code == 0 for code, _, _ in ended), ended
    numbers = sorted(json.loads(out)["generation"] for _, out, _ in ended)
    assert numbers == list(range(1, 7)), numbers


def errors_name_the_remedy(tabiya, depot):
    wrong = {"AWS_SECRET_ACCESS_KEY": "wrong-secret"}
    tabiya.fail("check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY", "pull", depot, "x", **wrong)
    tabiya.fail("check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY", "push", "one", depot, **wrong)
    wrong = {"AWS_ACCESS_KEY_ID": "wrong-key"}
    tabiya.fail("check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY", "push", "one", depot, **wrong)
    tabiya.fail("set AWS_ACCESS_KEY_ID and", "push", "one", depot, AWS_ACCESS_KEY_ID=None)
    nobody = f"http://127.0.0.1:{free_ports(1)[0]}"
    tabiya.fail("Connection refused", "pull", depot, "x", AWS_ENDPOINT_URL=nobody)
    tabiya.fail("bucket of s3://other/games does not exist", "push", "one", "s3://other/games")
    tabiya.fail("bucket of s3://other/games does not exist", "pull", "s3://other/games", "x")
    tabiya.fail("does not hold a collection yet", "pull", depot + "/empty", "x")
    address = f"s3://{tabiya.store.key}:{tabiya.store.secret}@bucket/games"
    tabiya.fail("credentials do not belong in an address", "push", "one", address)
    endpoint = tabiya.store.endpoint.replace("//", f"//{tabiya.store.key}:{tabiya.store.secret}@")
    tabiya.fail("credentials do not belong", "push", "one", depot, AWS_ENDPOINT_URL=endpoint)
    assert not (tabiya.folder / "x").exists()


def damage_is_noticed(tabiya, depot):
    """Corrupts a byte of a shard behind the store's back."""
    tabiya.run("push", "one", depot + "/damaged")
    manifest = "generations/00000001.json"
    place = f"http://127.0.0.1:{tabiya.store.ports['filer.port']}/buckets/{depot[5:]}/damaged"
    shard = json.loads(urllib.request.urlopen(f"{place}/{manifest}").read())["shards"][0]
    name = f"shards/{shard['digest']}.tabiya"
    data = bytearray(urllib.request.urlopen(f"{place}/{name}").read())
    assert len(data) == shard["bytes"]
    data[len(data) // 2] ^= 1
    request = urllib.request.Request(f"{place}/{name}", data=bytes(data), method="PUT")
    urllib.request.urlopen(request).read()
    tabiya.fail(f"{name} in {depot}/damaged is damaged", "pull", depot + "/damaged", "broken")
    tabiya.fail("is not a collection", "stats", "--db", "broken")


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        with SeaweedFS(folder / "store") as store:
            store.make_bucket("bucket")
            tabiya = Tabiya(program, folder, store)
            depot = "s3://bucket/some/games"
            make_games(tabiya)
            generations_come_back(tabiya, depot)
            size = killed_pushes_leave_the_old_generation(tabiya, depot)
            killed_pulls_leave_no_half_collection(tabiya, depot, size)
            concurrent_pushes_all_succeed(tabiya, depot)
            a_generation_number_is_used_once(tabiya, depot)
            errors_name_the_remedy(tabiya, depot)
            damage_is_noticed(tabiya, depot)
    print("collections come back from SeaweedFS unchanged")


if __name__ == "__main__":
    main()
