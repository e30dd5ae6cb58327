"""Compares the moments of `tabiya review` with another engine's, over UCI.

    python3 tests/moments.py games.pgn --tabiya target/release/tabiya --db DIR --cache labels.jsonl

A blunder is a move that costs more than 1.5 pawns by the other engine's `--engine-nodes`. Scores are
cut at ±10 pawns, and a move is left out if its position was decided before and after it (beyond
±`--decided` pawns for the same side). To search every position so long takes hours, so the engine
first looks at all positions with `--quick` nodes and then searches both positions of a move
if its quick look sees a loss of .6 pawns, if it is one of our moments, or if the move is one of `--sample` drawn for
each game. What the sample says about the moves that nobody suspects is printed beside the result.

The cache keeps scores and reviews, so that a run that was stopped goes on. `--label` only asks the engine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import chess
import chess.pgn

CUT = 1000
BLUNDER = 150
SUSPECT = 60
HASH = 64


class Cache:
    """Answers by key, a line each in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, Any] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                key, value = json.loads(line)
                self.known[key] = value

    def get(self, key: str, make: Any) -> Any:
        if key not in self.known:
            self.known[key] = make()
            with self.path.open("a") as file:
                file.write(json.dumps([key, self.known[key]]) + "\n")
        return self.known[key]


class Engine:
    """A UCI engine."""

    def __init__(self, path: str, cache: Cache) -> None:
        self.path, self.cache = path, cache
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.say("uci")
        self.wait("uciok")
        self.say(f"setoption name Hash value {HASH}")
        return self.process

    def say(self, line: str) -> None:
        process = self.process or self.start()
        assert process.stdin is not None
        process.stdin.write(line + "\n")

    def wait(self, word: str) -> list[str]:
        assert self.process is not None and self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith(word):
                break
        return lines

    def score(self, board: chess.Board, nodes: int) -> int:
        """The score of a position for the side to move, in centipawns."""
        if board.is_checkmate():
            return -CUT
        if board.is_stalemate() or board.is_insufficient_material():
            return 0
        moves = " ".join(it.uci() for it in board.move_stack)
        root = board.root().fen()
        digest = hashlib.blake2b(f"{root} {moves}".encode(), digest_size=12).hexdigest()
        return int(self.cache.get(f"{digest} {nodes}", lambda: self.search(root, moves, nodes)))

    def search(self, root: str, moves: str, nodes: int) -> int:
        self.say("ucinewgame")
        self.say(f"position fen {root} moves {moves}")
        self.say(f"go nodes {nodes}")
        scores = [it.split() for it in self.wait("bestmove") if " score " in it]
        exact = [it for it in scores if "upperbound" not in it and "lowerbound" not in it]
        last = (exact or scores)[-1]
        kind, value = last[last.index("score") + 1], int(last[last.index("score") + 2])
        if kind == "mate":
            return CUT if value > 0 else -CUT
        return max(-CUT, min(CUT, value))


def chance(centipawns: int) -> float:
    return 2 / (1 + math.exp(-0.00368208 * centipawns)) - 1


def read_games(path: Path, first: int, step: int, count: int) -> list[chess.pgn.Game]:
    """Each `step`-th game, in an order drawn once, so that any number of them is a fair sample."""
    games = []
    with path.open(encoding="utf-8", errors="replace") as file:
        number = 0
        while len(games) < count and (game := chess.pgn.read_game(file)):
            number += 1
            if number >= first and (number - first) % step == 0:
                games.append(game)
    random.Random(1).shuffle(games)
    return games


class Review:
    """Our reviews."""

    def __init__(self, given: argparse.Namespace, cache: Cache) -> None:
        self.given, self.cache = given, cache
        program = Path(given.tabiya)
        self.version = hashlib.blake2b(program.read_bytes(), digest_size=6).hexdigest()

    def moments(self, game: chess.pgn.Game) -> dict[int, Any]:
        text = str(game)
        digest = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
        key = f"review {self.version} {digest} {self.given.nodes}"
        found = self.cache.get(key, lambda: self.ask(text))
        return {it["ply"]: it for it in found}

    def ask(self, text: str) -> list[dict[str, Any]]:
        with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
            file.write(text)
            file.flush()
            words = [self.given.tabiya, "review", file.name, "--db", self.given.db, "--json"]
            words += ["--least", "inaccuracy", "--similar", "0", "--practice", "0"]
            words += ["--nodes", str(self.given.nodes)]
            answer = subprocess.run(words, check=True, capture_output=True).stdout
        wanted = ("ply", "played", "severity", "loss", "before", "after")
        return [{it: moment[it] for it in wanted} for moment in json.loads(answer)["moments"]]


class Tally:
    """What was counted."""

    def __init__(self) -> None:
        self.games = self.moves = self.labeled = 0
        self.blunders = self.found = self.found_strictly = 0
        self.ours = self.confirmed = self.confirmed_strictly = 0
        self.sampled = self.sampled_blunders = 0

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.moves} moves, {self.labeled} searched at length: "
            f"{self.found} of {self.blunders} blunders are moments, {self.found_strictly} of them mistakes or "
            f"blunders; {self.confirmed} of {self.ours} mistakes and blunders are confirmed, "
            f"{self.confirmed_strictly} of them as a blunder; "
            f"{self.sampled_blunders} of {self.sampled} moves that nobody suspected are blunders"
        )


def is_open(before: int, after: int, decided: float) -> bool:
    """Whether a position was not decided both before and after a move, beyond some pawns."""
    return min(before, after) <= 100 * decided and max(before, after) >= -100 * decided


def compare(game: chess.pgn.Game, engine: Engine, review: Review | None, given: Any, tally: Tally) -> None:
    boards = [game.board()]
    for move in game.mainline_moves():
        after = boards[-1].copy()
        after.push(move)
        boards.append(after)
    quick = [engine.score(it, given.quick) for it in boards]
    moments = review.moments(game) if review else {}
    plies = range(len(boards) - 1)
    suspects = {
        it for it in plies
        if it in moments
        or quick[it] + quick[it + 1] >= SUSPECT
        and is_open(quick[it], -quick[it + 1], given.decided + 2)
    }
    # A seed of the game's own, so that the sample is that of any other run.
    sample = set(random.Random(str(game)).sample(plies, min(given.sample, len(plies)))) - suspects
    tally.games += 1
    tally.moves += len(plies)
    for ply in sorted(suspects | sample):
        scores = [engine.score(boards[it], given.engine_nodes) for it in (ply, ply + 1)]
        tally.labeled += 1
        before, after = scores[0], -scores[1]
        is_blunder = before - after > BLUNDER and is_open(before, after, given.decided)
        is_mistake = ply in moments and moments[ply]["severity"] != "inaccuracy"
        if ply in sample:
            tally.sampled += 1
            tally.sampled_blunders += is_blunder
        tally.blunders += is_blunder
        tally.found += is_blunder and ply in moments
        tally.found_strictly += is_blunder and is_mistake
        is_confirmed = before - after >= 100 or chance(before) - chance(after) >= 0.2
        if is_mistake:
            tally.ours += 1
            tally.confirmed += is_confirmed
            tally.confirmed_strictly += is_blunder
        if given.verbose and review and ((is_blunder and not is_mistake) or (is_mistake and not is_confirmed)):
            what = "missed" if is_blunder else "unconfirmed"
            ours = moments.get(ply, {})
            side = 1 if boards[ply].turn else -1
            shown = [ours.get(it, {}).get("centipawns") for it in ("before", "after")]
            shown = [it and it * side for it in shown]
            print(f"  {what}: game {tally.games} ply {ply} {boards[ply].fen()} {boards[ply + 1].peek()}: "
                  f"{before} to {after} (quick {quick[ply]} to {-quick[ply + 1]}); "
                  f"ours {ours.get('severity')} {shown}")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("games", type=Path, help="plain PGN")
    options.add_argument("--tabiya")
    options.add_argument("--db", default="")
    options.add_argument("--cache", type=Path, required=True)
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--step", type=int, default=20, help="take each N-th game")
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--most", type=int, help="number of games to compare")
    options.add_argument("--half", type=int, choices=(0, 1), help="only each second game of that order")
    options.add_argument("--engine", default="stockfish")
    options.add_argument("--nodes", type=int, default=40_000)
    options.add_argument("--engine-nodes", type=int, default=1_000_000)
    options.add_argument("--quick", type=int, default=30_000)
    options.add_argument("--sample", type=int, default=1)
    options.add_argument("--decided", type=float, default=6)
    options.add_argument("--label", action="store_true")
    options.add_argument("--verbose", action="store_true")
    given = options.parse_args()
    cache = Cache(given.cache)
    engine = Engine(given.engine, cache)
    if not given.label and not given.tabiya:
        options.error("--tabiya or --label is missing")
    review = None if given.label else Review(given, cache)
    tally = Tally()
    games = read_games(given.games, given.first, given.step, given.count)[: given.most]
    for game in games if given.half is None else games[given.half :: 2]:
        compare(game, engine, review, given, tally)
        print(tally, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
