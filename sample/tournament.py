"""The tournament behind the engine games: who plays whom, from which opening.

It knows nothing of how a game is played or kept. The same seed gives the same
pairings each time.
"""

import random
from dataclasses import dataclass
from pathlib import Path

OPENINGS = Path(__file__).resolve().parent / "openings.tsv"
EVENT = "Tabiya sample"
DATE = "2026.11.15"
SEED = 20261115
GAMES_PER_OPENING = 7


@dataclass(frozen=True)
class Player:
    """An engine at one strength: limited by nominal Elo, by depth, or by nodes alone."""

    name: str
    command: tuple[str, ...]
    elo: int | None = None
    depth: int | None = None

    @property
    def title(self):
        if self.elo:
            return f"{self.name} ({self.elo})"
        return f"{self.name} (depth {self.depth})" if self.depth else self.name


def roster():
    """Everyone who takes part."""
    stockfish = ("Stockfish 15.1", ("/usr/games/stockfish",))
    fairy = ("Fairy-Stockfish 11.1", ("/usr/games/fairy-stockfish",))
    by_depth = [
        (("Toga II 3.0", ("/usr/games/toga2",)), (3, 5, 6)),
        (("Glaurung 2.2", ("/usr/games/glaurung",)), (3, 5, 7)),
        (("GNU Chess 6.2.7", ("/usr/games/gnuchess", "--uci")), (3, 4, 5)),
    ]
    players = [Player(*stockfish), Player(*stockfish, elo=2850)]
    players += [Player(*stockfish, elo=elo) for elo in range(1350, 2800, 150)]
    players += [Player(*fairy, elo=elo) for elo in range(1400, 2700, 300)]
    players += [Player(*engine, depth=depth) for engine, depths in by_depth for depth in depths]
    return players


@dataclass(frozen=True)
class Pairing:
    """A game to be played: where it starts, between whom, and whether it may be cut short."""

    round: str
    eco: str
    opening: str
    moves: str
    white: Player
    black: Player
    cut_short: bool


def read_openings(path=OPENINGS):
    """The rows of openings.tsv as (eco, name, moves)."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines]


def pairings():
    """All games to be played; the same list each time. No pair meets twice in an opening."""
    players = roster()
    pairs = [(w, b) for w in players for b in players if is_interesting(w, b)]
    for number, (eco, name, moves) in enumerate(read_openings(), start=1):
        dice = random.Random(f"{SEED} {name}")
        chosen = dice.sample(pairs, GAMES_PER_OPENING)
        for game, (white, black) in enumerate(chosen, start=1):
            yield Pairing(f"{number}.{game}", eco, name, moves, white, black, dice.random() < 0.5)


def is_interesting(white, black):
    """Different players, and no walk-over where the nominal ratings tell."""
    if white == black:
        return False
    return not (white.elo and black.elo) or 0 < abs(white.elo - black.elo) <= 600
