"""Compares the moments of `tabiya review` with another engine's, over UCI.

    python3 tests/moments.py --tabiya target/release/tabiya --db DIR --games 1-20 --engine stockfish

The other engine searches every position of the games. A blunder is a move that costs more than 1.5
pawns, scores being cut at ±10 pawns. The report says which share of its blunders the review finds (as
any moment, and as a mistake or blunder), and which share of the review's mistakes and blunders it
confirms: by a loss of at least a pawn, or of two tenths of the winning chances.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from typing import Any


class Engine:
    """A UCI engine."""

    def __init__(self, path: str) -> None:
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.say("uci")
        self.wait("uciok")

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")

    def wait(self, word: str) -> list[str]:
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith(word):
                break
        return lines

    def score(self, moves: list[str], nodes: int) -> int:
        """The score of the position after some moves, for the side to move, in centipawns."""
        self.say("ucinewgame")
        self.say("position startpos moves " + " ".join(moves))
        self.say(f"go nodes {nodes}")
        last = [it for it in self.wait("bestmove") if " score " in it][-1].split()
        kind, value = last[last.index("score") + 1], int(last[last.index("score") + 2])
        if kind == "mate":
            return 1000 if value > 0 else -1000
        return max(-1000, min(1000, value))


def chance(centipawns: int) -> float:
    return 2 / (1 + math.exp(-0.00368208 * centipawns)) - 1


def ask(program: str, *words: str) -> Any:
    return json.loads(subprocess.run([program, *words], check=True, capture_output=True).stdout)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--tabiya", required=True)
    options.add_argument("--db", required=True)
    options.add_argument("--games", default="1-5")
    options.add_argument("--engine", default="stockfish")
    options.add_argument("--nodes", type=int, default=100_000)
    options.add_argument("--engine-nodes", type=int, default=1_000_000)
    given = options.parse_args()
    first, last = map(int, given.games.split("-"))
    engine = Engine(given.engine)
    blunders = found = strictly = ours = confirmed = games = 0
    for number in range(first, last + 1):
        game = ask(given.tabiya, "game", str(number), "--db", given.db, "--json")
        moves = [it["uci"] for it in game["moves"]]
        review = ask(
            given.tabiya, "review", "--game", str(number), "--db", given.db, "--json",
            "--least", "inaccuracy", "--similar", "0", "--practice", "0", "--nodes", str(given.nodes),
        )
        moments = {it["ply"]: it["severity"] for it in review["moments"]}
        scores = [engine.score(moves[:ply], given.engine_nodes) for ply in range(len(moves))]
        games += 1
        for ply in range(len(moves) - 1):
            loss = scores[ply] + scores[ply + 1]
            worth = chance(scores[ply]) + chance(scores[ply + 1])
            is_mistake = moments.get(ply) in ("mistake", "blunder")
            if loss > 150:
                blunders += 1
                found += ply in moments
                strictly += is_mistake
            if is_mistake:
                ours += 1
                confirmed += loss >= 100 or worth >= 0.2
        print(
            f"{games} games: {found} of {blunders} blunders are moments, {strictly} mistakes; "
            f"{confirmed} of {ours} mistakes are confirmed",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
