"""How a server answers under load: light searches beside many heavy clients.

    python3 tests/load.py target/release/tabiya COLLECTION [SECONDS]

Starts the server on a loopback address. Thirty heavy clients (re-ranking, pools, traps, comparisons, the engine,
patterns), each with a loopback address of its own, ask without a pause; one light client searches, and one asks for the
server's health. Prints how long the light answers took, and what idle connections cost. Nothing is judged by the clock:
read the figures.
"""

import http.client
import itertools
import json
import subprocess
import sys
import threading
import time
import urllib.parse

HEAVY_CLIENTS = 30
POSITIONS = [
    "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11",
    "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/1PN1P3/PB2BPPP/R2Q1RK1 b - - 2 12",
    "8/5pk1/6p1/1p5p/p3P3/P1R2P1P/1P4PK/3r4 w - - 0 40",
    # An opening: it looks like very many positions, so only the heavy clients ask for it.
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
]


# Patterns that the index knows little about: every game is looked at.
PATTERNS = ["flipcolor {P>=5 square all x in P {light x}}", "countmoves legal -- ==1 not check"]


class Client(threading.Thread):
    """Asks without a pause and notes the status and the time of each answer."""

    def __init__(self, port: int, number: int, paths: list[str], pause: float = 0.0) -> None:
        super().__init__(daemon=True)
        self.port, self.pause = port, pause
        self.source = f"127.0.0.{number}"
        self.paths = itertools.cycle(paths)
        self.answers: list[tuple[int, float]] = []
        self.stop = threading.Event()

    def run(self) -> None:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=60, source_address=(self.source, 0)
        )
        while not self.stop.is_set():
            begin = time.monotonic()
            try:
                connection.request("GET", next(self.paths))
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except OSError:
                connection.close()
                status = 0
            self.answers.append((status, time.monotonic() - begin))
            self.stop.wait(self.pause if status == 200 else 1.0)


def heavy_paths(number: int) -> list[str]:
    fen, other = (urllib.parse.quote(POSITIONS[(number + it) % len(POSITIONS)]) for it in (0, 1))
    paths = [
        f"/api/v1/search?fen={fen}&rerank=blend",
        f"/api/v1/pool?fen={fen}",
        f"/api/v1/traps?fen={fen}",
        f"/api/v1/compare?fen={fen}&other={other}",
        f"/api/v1/play?fen={fen}&movetime=1000",
        f"/api/v1/find?query={urllib.parse.quote(PATTERNS[number % 2])}",
    ]
    first = number % len(paths)
    return paths[first:] + paths[:first]


def report(name: str, answers: list[tuple[int, float]]) -> None:
    times = sorted(took for status, took in answers if status == 200)
    failed = len(answers) - len(times)
    if not times:
        print(f"{name}: no answer, {failed} failed")
        return
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    print(
        f"{name}: {len(times)} answers, {failed} refused; seconds at p50 {at(0.5):.3f}, "
        f"p95 {at(0.95):.3f}, worst {times[-1]:.3f}"
    )


def measure(port: int, seconds: float, heavy: int) -> None:
    light = [f"/api/v1/search?fen={urllib.parse.quote(it)}" for it in POSITIONS[:3]]
    clients = [Client(port, 100 + it, heavy_paths(it)) for it in range(heavy)]
    watched = {
        "light search": Client(port, 2, light, pause=0.05),
        "health": Client(port, 3, ["/api/v1/health"], pause=0.05),
    }
    for client in clients + list(watched.values()):
        client.start()
    time.sleep(seconds)
    for client in clients + list(watched.values()):
        client.stop.set()
    for name, client in watched.items():
        report(f"{heavy:3} heavy clients, {name}", client.answers)
    if clients:
        report(f"{heavy:3} heavy clients, their own", [it for client in clients for it in client.answers])
    for client in clients:
        client.join(30)


def resident(process: int) -> int:
    """The memory of a process in KB."""
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def idle(port: int, process: int, count: int = 400) -> None:
    """What an idle connection costs, before its first request and after it."""
    for asks in (False, True):
        before = resident(process)
        connections = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(count)]
        for connection in connections:
            connection.connect()
            if asks:
                connection.request("GET", "/api/v1/health")
                connection.getresponse().read()
        time.sleep(0.5)
        cost = (resident(process) - before) / count
        print(f"{count} idle connections, {'after' if asks else 'before'} a request: {cost:.1f} KB each")
        for connection in connections:
            connection.close()
        time.sleep(0.5)


def main() -> None:
    program, collection = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0
    command = [program, "serve", "--db", collection, "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = json.loads(server.stdout.readline())["address"]
        port = int(address.rsplit(":", 1)[1])
        idle(port, server.pid)
        for heavy in (0, 8, HEAVY_CLIENTS):
            measure(port, seconds if heavy else seconds / 4, heavy)
    finally:
        server.kill()


main()
