"""Proves that a cluster answers as one machine does, also while parts of it are killed.

Usage: cluster.py PROGRAM

SeaweedFS, Redis, a head and three nodes run on loopback. Shards are built from several PGN
files; fifty answers are compared with those of `tabiya serve` over the same games, byte
for byte; then a node, and later the head, are killed under load. It fails if one answer
fails or is wrong. Times are printed, never judged.
"""

import gzip
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from ray_nodes import COMMAND, Nodes
from seaweedfs import SeaweedFS

FILES = 6
QUERIES = 50
CLIENTS = 3
PATIENCE = 180

# Ways of asking that together touch everything that has to be put together anew.
WAYS = [
    {},
    {"top": "50", "reasons": "0"},
    {"symmetry": "all", "top": "25"},
    {"top": "40", "after": "10", "limit": "15"},
    {"rerank": "continuations"},
    {"run": "Tabiya"},
    {"weights": "place=1,attack=2,ray=0", "k1": "0.9"},
    {"result": "1-0", "top": "30"},
    {"eco": "B00-D99"},
    {"material": "same"},
]


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="tabiya-") as folder:
        folder = Path(folder)
        with SeaweedFS(folder / "store") as store:
            store.make_bucket("chess")
            token = folder / "token"
            token.write_text("of this test " * 4)
            environment = store.environment(RAY_AUTH_TOKEN_PATH=str(token))
            with Nodes(folder / "cluster", environment) as nodes:
                Proof(program, folder, nodes, store).run()
    print("the cluster answers as one machine does")


class Proof:
    def __init__(self, program, folder, nodes, store):
        self.program = program
        self.folder = folder
        self.nodes = nodes
        self.store = store
        self.begun = time.monotonic()

    def run(self):
        """The steps, one after another."""
        pgns = self.pgn_files()
        one = self.one_machine(pgns)
        self.upload(pgns)
        self.nodes.redis()
        self.head = self.nodes.head()
        self.a_lonely_head_is_told()
        members = [self.nodes.member(it) for it in (3, 4, 5)]
        self.say("a head and three nodes are up")
        self.build()
        cluster = self.serve(behind=one)
        asked = self.compare(one, cluster)
        self.page_comes_through(one, cluster)
        self.two_depots_keep_apart(pgns[:3])
        self.node_is_killed(members[2], cluster, asked)
        self.a_later_front_shares_the_groups()
        self.head_is_killed(cluster, asked)
        self.credentials_stay_secret()

    def say(self, words):
        print(f"{time.monotonic() - self.begun:6.1f} s  {words}", flush=True)

    def tabiya(self, *arguments):
        ran = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def pgn_files(self):
        """The games of the sample, in several files, one of them compressed."""
        text = self.tabiya("export")
        games = ["[Event " + it for it in text.split("[Event ")[1:]]
        size = -(-len(games) // FILES)
        pgns = []
        for place in range(FILES):
            part = "".join(games[place * size : (place + 1) * size])
            pgn = self.folder / f"part-{place}.pgn"
            pgn.write_text(part)
            pgns.append(pgn)
        packed = pgns[-1].with_suffix(".pgn.gz")
        packed.write_bytes(gzip.compress(pgns.pop().read_bytes()))
        return [*pgns, packed]

    def one_machine(self, pgns):
        """`tabiya serve` over all games in one collection."""
        folder = str(self.folder / "one")
        self.tabiya("index", *map(str, pgns), "--db", folder)
        command = [self.program, "serve", "--db", folder, "--port", "0", "--json"]
        server = self.nodes.start(command, "one")
        assert server.wait_for("address"), server.log.read_text()
        return json.loads(server.log.read_text().splitlines()[0])["address"]

    def upload(self, pgns):
        code = "import sys, tabiya; d = tabiya.Depot(sys.argv[1])\n"
        code += "for p in sys.argv[2:]: d.put(p.rsplit('/')[-1], open(p, 'rb').read())"
        command = [sys.executable, "-c", code, "s3://chess/pgn", *map(str, pgns)]
        subprocess.run(command, check=True, env=self.nodes.environment)

    def a_lonely_head_is_told(self):
        """Who builds before there are nodes learns why nothing happens."""
        options = ["s3://chess/pgn", "s3://chess/never", "--cluster", self.nodes.cluster]
        build = self.nodes.start([*COMMAND, "build", *options], "lonely")
        assert build.wait_for(f"tabiya-cluster up --join {self.nodes.cluster}")
        build.kill()

    def build(self):
        """Twice: the second time the same shards are found to be there."""
        first = json.loads(self.nodes.tell("build", "s3://chess/pgn", "s3://chess/shards"))
        assert (first["generation"], first["files"]) == (1, FILES), first
        self.say(f"built {first['shards']} shards, {first['games']:,} games")
        again = json.loads(self.nodes.tell("build", "s3://chess/pgn", "s3://chess/shards"))
        assert again == {**first, "generation": 2}, again
        self.say("built again: the same shards, the next generation")

    def serve(self, behind):
        address = self.front("front", "--behind", behind)
        wait_until(lambda: replicas(address)["answering"] == 6, "all replicas answer")
        self.say("every shard is served by two nodes")
        return address

    def front(self, name, *more):
        """A front on all shards."""
        address = address_of(self.start_front("s3://chess/shards", name, *more))
        health = ask_json(address, "/api/v1/health")
        assert health["groups"] == 3, health
        assert health["replicas"]["total"] == 6, health
        return address

    def start_front(self, target, name, *more):
        options = [target, "--port", "0", "--json", *more]
        options += ["--cluster", self.nodes.cluster, "--node", "127.0.0.3"]
        return self.nodes.start([*COMMAND, "serve", *options], name)

    def publish_twice(self, pgns, target):
        """Two generations of a shard a file, without a cluster; how many games they have."""
        # With another skip, so that no node has these shards already.
        code = "import sys, tabiya; d = tabiya.Depot(sys.argv[1])\n"
        code += "f = [tabiya.build_shards(p, sys.argv[2] + p, skip=8) for p in sys.argv[3:]]\n"
        code += "s = sum((it.statistics() for [it] in f), tabiya.Statistics())\n"
        code += "e = [d.put_shard(it) for [it] in f]\n"
        code += "print(d.publish(e, s, 8), d.publish(e, s, 8), sum(it.games for it in e))"
        command = [sys.executable, "-c", code, target, str(self.folder / "few"), *map(str, pgns)]
        ran = subprocess.run(
            command, check=True, env=self.nodes.environment, stdout=subprocess.PIPE, text=True
        )
        first, second, games = map(int, ran.stdout.split())
        assert (first, second) == (1, 2)
        return games

    def two_depots_keep_apart(self, pgns):
        """Another depot has a generation of the same number, but groups of its own. Its shards
        are away at first, and its replicas outlive that."""
        other = self.folder / "other"
        games = self.publish_twice(pgns, f"file://{other}")
        (other / "shards").rename(other / "away")
        # Divided alike: of what its groups are is all that tells them apart.
        front = self.start_front(f"file://{other}", "other")
        assert front.wait_for("waiting for 3 of 3 groups: "), front.log.read_text()
        assert "shards/" in front.log.read_text() and "Traceback" not in front.log.read_text()
        (other / "away").rename(other / "shards")
        address = address_of(front)
        [collection] = ask_json(address, "/api/v1/collections")
        assert collection["games"] == games, (collection, games)
        path = "/api/v1/search?" + urllib.parse.urlencode({"fen": START})
        assert ask_json(address, path)["collection"]["games"] == games
        front.kill()
        ended = json.loads(self.nodes.tell("down", f"file://{other}"))["ended"]
        assert len(ended) == 6, ended
        self.say("two depots keep apart, and shards that are away are waited for")

    def a_later_front_shares_the_groups(self):
        """Two nodes are left, but the groups that three had raised are still three."""
        self.front("later-front")
        assert len(json.loads(self.nodes.tell("status"))["replicas"]) == 6
        self.say("a later front shares the groups")

    def compare(self, one, cluster):
        """Fifty answers, byte for byte; what was asked and has to be answered."""
        asked = {}
        for place, fen in enumerate(positions(one, QUERIES)):
            way = WAYS[place % len(WAYS)]
            path = "/api/v1/search?" + urllib.parse.urlencode({"fen": fen, **way})
            here, there = timed(one, path)[1], timed(cluster, path)[1]
            asked[path] = comparable(here)
            assert comparable(there) == asked[path], f"{path}\n{here}\n{there}"
            assert json.loads(there)["shards"] == {"answered": FILES, "total": FILES}
        assert sum(it.count('"rank"') for it in asked.values()) > 5 * QUERIES
        self.say(f"{len(asked)} answers are the same, byte for byte")
        refusals_are_the_same(one, cluster)
        self.cost(one, cluster, asked)
        return asked

    def cost(self, one, cluster, asked):
        """What asking three nodes costs beside asking one process, in turns."""
        plain = [it for it in asked if it.count("=") == 1]
        pairs = [(timed(one, it)[0], timed(cluster, it)[0]) for _ in range(6) for it in plain]
        here, there = (statistics.median(it) * 1000 for it in zip(*pairs))
        ratio = statistics.median(cluster / alone for alone, cluster in pairs)
        self.say(
            f"a query: {here:.1f} ms by one process, {there:.1f} ms by the cluster, ratio {ratio:.1f}"
        )

    def page_comes_through(self, one, cluster):
        """The page and its other questions are answered by way of the cluster."""
        assert fetch(cluster, "/") == fetch(one, "/")
        path = "/api/v1/explore?" + urllib.parse.urlencode({"fen": START})
        assert fetch(cluster, path)[0] == 200
        game = "/api/v1/game/17"
        assert fetch(cluster, game) == fetch(one, game)
        assert fetch(cluster, "/api/v1/game/999999")[0] == 404

    def node_is_killed(self, node, cluster, asked):
        with Load(cluster, asked) as load:
            load.wait_for(20)
            node.kill()
            lost = time.monotonic()
            wait_until(lambda: replicas(cluster)["answering"] < 6, "the loss is noticed")
            noticed = time.monotonic() - lost
            wait_until(lambda: replicas(cluster)["answering"] == 6, "it is healed")
            healed = time.monotonic() - lost
            load.wait_for(20)
        self.say(
            f"a node was killed: {load}; noticed after {noticed:.1f} s, healed after {healed:.1f} s"
        )
        load.check()

    def head_is_killed(self, cluster, asked):
        with Load(cluster, asked) as load:
            load.wait_for(10)
            self.head.kill()
            lost = time.monotonic()
            load.wait_for(50)
            without = time.monotonic() - lost
            # In a folder of its own, as on another machine: all it knows is from Redis.
            self.nodes.head("second-head")
            wait_until(lambda: self.alive() == 3, "head and nodes know each other again")
            back = time.monotonic() - lost
            self.nodes.member(6)
            wait_until(lambda: self.alive() == 4, "a new node is known")
            load.wait_for(10)
        self.say(
            f"the head was killed: {load}; {without:.1f} s without it, "
            f"{back:.1f} s until a new one had taken over, a new node joined it"
        )
        load.check()

    def alive(self):
        return sum(it["alive"] for it in json.loads(self.nodes.tell("status"))["nodes"])

    def credentials_stay_secret(self):
        """Nothing that anybody wrote has the key or the secret in it."""
        searched = 0
        for path in (self.folder / "cluster").rglob("*"):
            if path.is_file() and not path.is_symlink():
                text = path.read_bytes()
                searched += 1
                assert self.store.secret.encode() not in text, f"{path} has the secret in it"
                assert self.store.key.encode() not in text, f"{path} has the key in it"
        assert searched > 20
        self.say(f"no credentials in any of {searched} files that the cluster wrote")


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class Load:
    """Clients that ask without pause and compare every answer."""

    def __init__(self, address, asked):
        self.address = address
        self.asked = list(asked.items())
        self.answered = 0
        self.failed = []
        self.wrong = []
        self.slowest = 0.0
        self._ended = threading.Event()
        self._clients = [threading.Thread(target=self._ask, args=(it,)) for it in range(CLIENTS)]

    def __enter__(self):
        for it in self._clients:
            it.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for it in self._clients:
            it.join()

    def __str__(self):
        return (
            f"{self.answered} answers, {len(self.failed)} failed, {len(self.wrong)} wrong, "
            f"slowest {self.slowest:.1f} s"
        )

    def _ask(self, client):
        place = client
        while not self._ended.is_set():
            path, expected = self.asked[place % len(self.asked)]
            place += CLIENTS
            try:
                took, answer = timed(self.address, path)
            except Exception as error:
                self.failed.append(f"{path}: {error}")
                continue
            if comparable(answer) != expected:
                self.wrong.append(f"{path}: {answer}")
            self.slowest = max(self.slowest, took)
            self.answered += 1

    def wait_for(self, more):
        """Waits until so many more are answered."""
        enough = self.answered + more
        wait_until(lambda: self.answered >= enough or self.failed, f"{more} more answers")

    def check(self):
        assert not self.failed, self.failed[:3]
        assert not self.wrong, self.wrong[:3]


def address_of(front):
    """Where a front answers, as soon as it does."""
    assert front.wait_for('"address"'), front.log.read_text()
    line = next(it for it in front.log.read_text().splitlines() if '"address"' in it)
    return json.loads(line)["address"]


def wait_until(is_so, what):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"waited {PATIENCE} s in vain until {what}"
        time.sleep(0.1)


def fetch(address, path):
    """Status and body."""
    try:
        with urllib.request.urlopen(address + path, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def timed(address, path):
    """Seconds and text of an answer that must be there."""
    begun = time.monotonic()
    status, body = fetch(address, path)
    assert status == 200, f"{status} {body[:500]}"
    return time.monotonic() - begun, body.decode()


def ask_json(address, path):
    return json.loads(timed(address, path)[1])


def replicas(address):
    # Whatever the status: while nobody answers for a group it is 503.
    return json.loads(fetch(address, "/api/v1/health")[1])["replicas"]


def comparable(answer):
    """An answer without how long it took and who gave it."""
    answer = re.sub(r'"took_ms":[0-9.eE+-]+,', "", answer)
    return re.sub(r',\s*"shards":\{[^{}]*\}\}$', "}", answer)


def positions(one, count):
    """Positions of the games, some early, some late."""
    fens = []
    for number in range(1, count + 1):
        game = ask_json(one, f"/api/v1/game/{number * 31}")
        moves = game["moves"]
        fens.append(moves[min(len(moves) - 1, 20 + number)]["fen"])
    return fens


def refusals_are_the_same(one, cluster):
    """In the same words, but for who could not read the parameters."""
    for query in ("fen=nonsense", "", f"fen={urllib.parse.quote(START)}&top=-1", "fen=x&k1=hot"):
        (status, here), (also, there) = (
            fetch(it, f"/api/v1/search?{query}") for it in (one, cluster)
        )
        assert status == also == 400, query
        assert json.loads(here)["error"].endswith(json.loads(there)["error"]), (here, there)


if __name__ == "__main__":
    main()
