"""Tests that a cluster answers like one machine, even while parts of it are killed.

Usage: cluster.py PROGRAM

SeaweedFS, Redis, a head and three nodes run on loopback. Shards are built from several PGN
files; answers to every question are compared with those of `tabiya serve` over the same games,
byte for byte; then a node, and later the head, are killed under load. It fails if one answer
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
GAMES = 1_800
QUERIES = 50
CLIENTS = 3
PATIENCE = 180

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LINE = {"moves": "1.e4 e5 2.Nf3 Nc6 3.Bb5"}

# Ways of searching that together touch everything that has to be merged.
WAYS = [
    {},
    {"top": "50", "reasons": "0"},
    {"symmetry": "all", "top": "25"},
    {"top": "40", "after": "10", "limit": "15"},
    {"rerank": "continuations"},
    {"deep": "true"},
    {"run": "Tabiya"},
    {"weights": "place=1,attack=2,ray=0", "k1": "0.9"},
    {"result": "1-0", "top": "30"},
    {"eco": "B00-D99"},
    {"material": "same"},
]


def questions(fens):
    """Every question but search, each with several sets of parameters."""
    one, two = fens[:2]
    return {
        "explain": [
            {"fen": one, "other": two},
            {"fen": two, "other": one, "symmetry": "all", "reasons": "3", "run": "Tabiya"},
        ],
        "find": [
            {"query": "flipcolor {Pd4 pd5 not Pc1-8}"},
            {"query": "@iqp", "top": "3", "sort": "rating", "result": "1-0"},
            {"query": "R==1 r==1 [QqBbNn]==0", "like": one, "variations": "true"},
        ],
        "structures": [{"fen": one}, LINE],
        "cases": [
            LINE,
            {"moves": "d4 Nf6 c4", "top": "3", "threshold": "0.7", "elo": "2400-"},
            {"fen": START, "moves": "e4", "result": "1-0,0-1", "threshold": "0"},
        ],
        "explore": [
            {"fen": START},
            {**LINE, "show_games": "8"},
            {"fen": one, "show_games": "0", "date": "1990-"},
        ],
        "twins": [{"fen": START}, {**LINE, "result": "1/2-1/2"}, {"fen": one}],
        "near": [{"fen": one}, {"fen": two, "chi2": "2.5", "top": "60"}, {**LINE, "top": "0"}],
        "record": [{"fen": one}, {"decode": "000000000800000800002e"}],
        "compare": [
            {"fen": one, "other": two, "depth": "1"},
            {"fen": two, "other": one, "depth": "1", "labels": "uci", "matches": "2"},
        ],
        "traps": [{**LINE}, {"fen": one, "top": "2"}],
        "encode": [{"fen": one}, {"fen": two, "query": "true"}],
        "exercises": [{"fen": one}],
        "review": [{"pgn": "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0", "nodes": "500"}],
        "prepare": [{"against": "an"}, {"against": "er", "least": "5"}],
        "game": [{"id": "1"}, {"id": "17"}, {"id": "900"}],
        "stats": [{}],
        # By nodes, since time is not the same twice.
        "play": [
            {**LINE, "nodes": "2000"},
            {**LINE, "nodes": "2000", "without_cases": "true"},
            {"fen": one, "nodes": "500", "mode": "restrict+tactics", "threshold": "0.2"},
            {"fen": START, "nodes": "1"},
        ],
    }


# They count in segments, so the machine that they are compared with has those of the cluster.
BY_SEGMENT = ("near", "stats")


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
    print("the cluster answers like one machine")


class Proof:
    def __init__(self, program, folder, nodes, store):
        self.program = program
        self.folder = folder
        self.nodes = nodes
        self.store = store
        self.begun = time.monotonic()

    def run(self):
        """Runs all steps."""
        pgns = self.pgn_files()
        one = self.one_machine(pgns)
        self.upload(pgns)
        self.nodes.redis()
        self.head = self.nodes.head()
        self.a_head_without_nodes_is_reported()
        members = [self.nodes.member(it) for it in (3, 4, 5)]
        self.say("a head and three nodes are up")
        self.build()
        twin = self.one_machine_with_the_same_shards()
        cluster = self.serve(behind=one)
        asked = self.compare(one, twin, cluster)
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
        """Games of the sample, in several files, one of them compressed."""
        text = self.tabiya("export")
        games = ["[Event " + it for it in text.split("[Event ")[1:]][:GAMES]
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
        folder = self.folder / "one"
        self.tabiya("index", *map(str, pgns), "--db", str(folder))
        return self.serve_folder(folder)

    def one_machine_with_the_same_shards(self):
        """`tabiya serve` over the generation that the cluster serves."""
        folder = self.folder / "twin"
        code = "import sys, tabiya; tabiya.Depot(sys.argv[1]).pull(sys.argv[2])"
        command = [sys.executable, "-c", code, "s3://chess/shards", str(folder)]
        subprocess.run(command, check=True, env=self.nodes.environment)
        return self.serve_folder(folder)

    def serve_folder(self, folder):
        command = [self.program, "serve", "--db", str(folder), "--port", "0", "--json"]
        server = self.nodes.start(command, folder.name)
        assert server.wait_for("address"), server.log.read_text()
        return json.loads(server.log.read_text().splitlines()[0])["address"]

    def upload(self, pgns):
        code = "import sys, tabiya; d = tabiya.Depot(sys.argv[1])\n"
        code += "for p in sys.argv[2:]: d.put(p.rsplit('/')[-1], open(p, 'rb').read())"
        command = [sys.executable, "-c", code, "s3://chess/pgn", *map(str, pgns)]
        subprocess.run(command, check=True, env=self.nodes.environment)

    def a_head_without_nodes_is_reported(self):
        """A build without nodes reports why nothing happens."""
        options = ["s3://chess/pgn", "s3://chess/never", "--cluster", self.nodes.cluster]
        build = self.nodes.start([*COMMAND, "build", *options], "lonely")
        assert build.wait_for(f"tabiya-cluster up --join {self.nodes.cluster}")
        build.kill()

    def build(self):
        """Builds twice; the second build finds its shards in the depot."""
        first = json.loads(self.nodes.run("build", "s3://chess/pgn", "s3://chess/shards"))
        assert (first["generation"], first["files"]) == (1, FILES), first
        self.say(f"built {first['shards']} shards, {first['games']:,} games")
        again = json.loads(self.nodes.run("build", "s3://chess/pgn", "s3://chess/shards"))
        assert again == {**first, "generation": 2}, again
        self.say("built again: the same shards, the next generation")

    def serve(self, behind):
        address = self.front("front", "--behind", behind)
        wait_until(lambda: replicas(address)["answering"] == 6, "all replicas answer")
        self.say("every shard is served by two nodes")
        return address

    def front(self, name, *more):
        """Starts a front for all shards."""
        address = address_of(self.nodes.front("s3://chess/shards", name, *more))
        health = ask_json(address, "/api/v1/health")
        assert health["groups"] == 3, health
        assert health["replicas"]["total"] == 6, health
        return address

    def publish_twice(self, pgns, target):
        """Two generations with one shard for each file, without a cluster; returns the number of games."""
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
        are unavailable at first, and its replicas survive that."""
        other = self.folder / "other"
        games = self.publish_twice(pgns, f"file://{other}")
        (other / "shards").rename(other / "away")
        # Divided alike: only the content of the groups distinguishes them.
        front = self.nodes.front(f"file://{other}", "other")
        assert front.wait_for("waiting for 3 of 3 groups: "), front.log.read_text()
        # On a busy machine the replicas are starting first; then they name an object.
        assert front.wait_for("shards/"), front.log.read_text()
        assert "Traceback" not in front.log.read_text(), front.log.read_text()
        (other / "away").rename(other / "shards")
        address = address_of(front)
        [collection] = ask_json(address, "/api/v1/collections")
        assert collection["games"] == games, (collection, games)
        assert ask_json(address, path_of("search", {"fen": START}))["collection"]["games"] == games
        front.kill()
        ended = json.loads(self.nodes.run("down", f"file://{other}"))["ended"]
        assert len(ended) == 6, ended
        self.say("two depots keep apart, and a front waits for shards that are unavailable")

    def a_later_front_shares_the_groups(self):
        """Two nodes are left, but the three groups of the first front remain."""
        self.front("later-front")
        assert len(json.loads(self.nodes.run("status"))["replicas"]) == 6
        self.say("a later front shares the groups")

    def compare(self, one, twin, cluster):
        """Answers to every question, byte for byte; returns the searches with their answers."""
        fens = positions(one, QUERIES)
        asked = {}
        for place, fen in enumerate(fens):
            path = path_of("search", {"fen": fen, **WAYS[place % len(WAYS)]})
            asked[path] = self.same(one, cluster, path)
        assert sum(it.count('"rank"') for it in asked.values()) > 5 * QUERIES
        self.say(f"{len(asked)} searches are the same, byte for byte")
        others = questions(fens)
        assert {"search", *others} == {name for name, _ in paths()}
        for question, ways in others.items():
            for way in ways:
                machine = twin if question in BY_SEGMENT else one
                self.same(machine, cluster, path_of(question, way))
        self.say(f"so are {sum(map(len, others.values()))} answers to the other questions")
        refusals_are_the_same(one, cluster)
        self.cost(one, cluster, asked)
        return asked

    def same(self, machine, cluster, path):
        """The answer of one machine, which must be that of the cluster."""
        here, there = timed(machine, path)[1], timed(cluster, path)[1]
        assert comparable(there) == comparable(here), f"{path}\n{here}\n{there}"
        shards = json.loads(there).get("shards")
        assert shards in (None, {"answered": FILES, "total": FILES}), there
        return comparable(here)

    def cost(self, one, cluster, asked):
        """Compares the latency of three nodes and of one process, in turns."""
        plain = [it for it in asked if it.count("=") == 1]
        pairs = [(timed(one, it)[0], timed(cluster, it)[0]) for _ in range(6) for it in plain]
        here, there = (statistics.median(it) * 1000 for it in zip(*pairs))
        ratio = statistics.median(cluster / alone for alone, cluster in pairs)
        self.say(
            f"query latency: {here:.1f} ms on one process, {there:.1f} ms on the cluster, ratio {ratio:.1f}"
        )

    def page_comes_through(self, one, cluster):
        """The page and judgments come from the server behind."""
        for path in ("/", "/api/v1/judgments"):
            assert fetch(cluster, path) == fetch(one, path), path

    def node_is_killed(self, node, cluster, asked):
        with Load(cluster, asked) as load:
            load.wait_for(20)
            node.kill()
            lost = time.monotonic()
            wait_until(lambda: replicas(cluster)["answering"] < 6, "the loss is noticed")
            noticed = time.monotonic() - lost
            wait_until(lambda: replicas(cluster)["answering"] == 6, "the replicas are restored")
            healed = time.monotonic() - lost
            load.wait_for(20)
        self.say(
            f"killed a node: {load}; noticed after {noticed:.1f} s, restored after {healed:.1f} s"
        )
        load.check()

    def head_is_killed(self, cluster, asked):
        with Load(cluster, asked) as load:
            load.wait_for(10)
            self.head.kill()
            lost = time.monotonic()
            load.wait_for(50)
            without = time.monotonic() - lost
            # In a new folder, as on another machine: all its state comes from Redis.
            self.nodes.head("second-head")
            wait_until(lambda: self.alive() == 3, "head and nodes know each other again")
            back = time.monotonic() - lost
            self.nodes.member(6)
            wait_until(lambda: self.alive() == 4, "a new node is known")
            load.wait_for(10)
        self.say(
            f"killed the head: {load}; {without:.1f} s without it, "
            f"{back:.1f} s until a new head took over; a new node joined it"
        )
        load.check()

    def alive(self):
        return sum(it["alive"] for it in json.loads(self.nodes.run("status"))["nodes"])

    def credentials_stay_secret(self):
        """No file of the cluster contains the key or the secret."""
        searched = 0
        for path in (self.folder / "cluster").rglob("*"):
            if path.is_file() and not path.is_symlink():
                text = path.read_bytes()
                searched += 1
                assert self.store.secret.encode() not in text, f"{path} contains the secret"
                assert self.store.key.encode() not in text, f"{path} contains the key"
        assert searched > 20
        self.say(f"no credentials in any of {searched} files that the cluster wrote")


class Load:
    """Clients that send requests without pause, to all fronts in turn, and compare every answer with
    those that are right."""

    def __init__(self, addresses, asked):
        self.addresses = [addresses] if isinstance(addresses, str) else addresses
        self.asked = [(path, [it] if isinstance(it, str) else it) for path, it in asked.items()]
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
            address = self.addresses[place // CLIENTS % len(self.addresses)]
            place += CLIENTS
            try:
                took, answer = timed(address, path)
            except Exception as error:
                self.failed.append(f"{path}: {error}")
                continue
            if comparable(answer) not in expected:
                self.wrong.append(f"{path}: {answer}")
            self.slowest = max(self.slowest, took)
            self.answered += 1

    def wait_for(self, more):
        """Waits for this many more answers."""
        enough = self.answered + more
        wait_until(lambda: self.answered >= enough or self.failed, f"{more} more answers")

    def check(self):
        assert not self.failed, self.failed[:3]
        assert not self.wrong, self.wrong[:3]


def address_of(front):
    """Waits for a front and returns its address."""
    assert front.wait_for('"address"'), front.log.read_text()
    line = next(it for it in front.log.read_text().splitlines() if '"address"' in it)
    return json.loads(line)["address"]


def wait_until(is_so, what):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"waited {PATIENCE} s in vain: {what}"
        time.sleep(0.1)


def fetch(address, path):
    """Returns the status and the body."""
    try:
        with urllib.request.urlopen(address + path, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def timed(address, path):
    """Returns the time and the text of a successful answer."""
    begun = time.monotonic()
    status, body = fetch(address, path)
    assert status == 200, f"{status} {body[:500]}"
    return time.monotonic() - begun, body.decode()


def ask_json(address, path):
    return json.loads(timed(address, path)[1])


def replicas(address):
    # Whatever the status: it is 503 while no replica of a group answers.
    return json.loads(fetch(address, "/api/v1/health")[1])["replicas"]


def comparable(answer):
    """An answer without its time and its shards."""
    answer = re.sub(r'"took_ms":[0-9.eE+-]+,', "", answer, count=1)
    return re.sub(r'"shards":\{"answered":\d+,"total":\d+\},', "", answer, count=1)


def paths():
    """The questions and their addresses, as the package knows them."""
    from tabiya import _native

    return _native.paths()


def path_of(question, parameters):
    """The address of a question with its parameters."""
    path = dict(paths())[question]
    inside = {name: it for name, it in parameters.items() if f"{{{name}}}" in path}
    rest = {name: it for name, it in parameters.items() if name not in inside}
    query = f"?{urllib.parse.urlencode(rest)}" if rest else ""
    return f"/api/v1/{path.format(**inside)}{query}"


def positions(one, count):
    """Positions from the games, some early, some late."""
    fens = []
    for number in range(1, count + 1):
        game = ask_json(one, f"/api/v1/game/{number * 31}")
        moves = game["moves"]
        fens.append(moves[min(len(moves) - 1, 20 + number)]["fen"])
    return fens


def refusals_are_the_same(one, cluster):
    """Invalid questions and missing games are refused with the same status and message."""
    fen = urllib.parse.quote(START)
    refused = [
        "search?fen=nonsense",
        "search",
        f"search?fen={fen}&top=-1",
        f"search?fen={fen}&top=1001",
        f"search?fen={fen}&symetry=all",
        "search?fen=x&k1=hot",
        f"cases?fen={fen}",
        "cases?moves=e4+e5+Ke3",
        "record?decode=zz",
        f"play?fen={fen}&mode=luck",
        "game/0",
        "game/999999",
        "game/one",
    ]
    for path in refused:
        here, there = (fetch(it, f"/api/v1/{path}") for it in (one, cluster))
        assert here == there and here[0] in (400, 404), (path, here, there)


if __name__ == "__main__":
    main()
