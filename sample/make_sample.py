#!/usr/bin/env python3
"""Makes the built-in sample collection, sample/sample.pgn.zst.

The sample is every game of sample/historical/*.pgn followed by games that
engines of different strength play (engine_game.py) from each line of
sample/openings.tsv (tournament.py). It needs Python 3.10 or later with the
`chess` package, the `zstd` command, and Debian's stockfish, fairy-stockfish,
toga2, glaurung and gnuchess.

    python3 sample/make_sample.py            play what is missing, then join
    python3 sample/make_sample.py --join     only join, after historical games changed

Who meets whom, and which games may end by resignation or agreement, follows
from a seed alone. The moves do not: a Stockfish told to play below its strength
draws its mistakes from the clock, so a second making gives other games of the
same kind. Finished games are kept in a progress file, one JSON line each, and
a making that was stopped goes on where it was; remove that file to start anew.

`--join` reads the engine games back from the existing sample (they are those
whose Event is "Tabiya sample"), so nothing is played again.
"""

import argparse
import json
import multiprocessing
import re
import subprocess
import sys
import time
from pathlib import Path

from tournament import EVENT, pairings

HERE = Path(__file__).resolve().parent
HISTORICAL = HERE / "historical"
SAMPLE = HERE / "sample.pgn.zst"
PROGRESS = HERE.parent / "target" / "sample-games.jsonl"


def read_zst(path):
    """The text of a zstd-compressed file."""
    return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout.decode()


def write_zst(path, text):
    """Replaces a zstd-compressed file at once, or leaves the old one."""
    part = path.with_suffix(".part")
    subprocess.run(["zstd", "-19", "-qf", "-o", part], input=text.encode(), check=True)
    part.replace(path)


def split_games(text):
    """PGN text cut into games, each from its first tag to its result."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return [game.strip() for game in re.split(r"\n(?=\[Event )", text) if game.strip()]


def engine_games(sample=SAMPLE):
    """The engine games of an existing sample."""
    if not sample.exists():
        sys.exit(f"{sample} does not exist: run without --join to play the games")
    return [game for game in split_games(read_zst(sample)) if f'[Event "{EVENT}"]' in game]


def historical_games(folder=HISTORICAL):
    """The games of all files of the folder, in order of file name."""
    files = sorted(folder.glob("*.pgn"))
    return [game for file in files for game in split_games(file.read_text(encoding="utf-8"))]


def join(played):
    """Writes the sample: historical games first, then those played."""
    historical = historical_games()
    write_zst(SAMPLE, "\n\n".join(historical + played) + "\n")
    print(f"{len(historical)} historical and {len(played)} engine games, {SAMPLE.stat().st_size} bytes")


def read_progress(path):
    """Games finished so far by round; a last line cut off by a kill is passed over."""
    games = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        games[record["round"]] = record["pgn"]
    return games


def play_all(path, processes, limit):
    """Plays the games that are missing and returns all in order of round."""
    # Imported here so that joining needs nothing beyond Python itself.
    from engine_game import play, take_seat

    everything = list(pairings())[:limit]
    games = read_progress(path)
    missing = [pairing for pairing in everything if pairing.round not in games]
    path.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with open(path, "a", encoding="utf-8") as progress, multiprocessing.Pool(processes, take_seat) as pool:
        progress.write("\n")
        for done, (number, pgn) in enumerate(pool.imap_unordered(play, missing), start=1):
            games[number] = pgn
            progress.write(json.dumps({"round": number, "pgn": pgn}) + "\n")
            progress.flush()
            if done % 50 == 0 or done == len(missing):
                print(f"{done}/{len(missing)} games, {time.monotonic() - started:.0f} s", flush=True)
        # Without this the pool would kill its processes before they end their engines.
        pool.close()
        pool.join()
    return [games[pairing.round] for pairing in everything]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--join", action="store_true", help="play nothing, join the historical games anew")
    parser.add_argument("--processes", type=int, default=2, help="games played at once (default 2)")
    parser.add_argument("--limit", type=int, help="only the first so many games, to try the script out")
    parser.add_argument("--progress", type=Path, default=PROGRESS, help=f"default {PROGRESS.name} in target/")
    options = parser.parse_args()
    join(engine_games() if options.join else play_all(options.progress, options.processes, options.limit))


if __name__ == "__main__":
    main()
