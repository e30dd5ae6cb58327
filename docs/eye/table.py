"""Prints the first five hits for each position of positions.fen as tables, before and after.

    python docs/eye/table.py COLLECTION BEFORE AFTER

BEFORE and AFTER are commands, such as "tabiya search --run CombAll" and "tabiya search".
"""

import json
import pathlib
import shlex
import subprocess
import sys

POSITIONS = pathlib.Path(__file__).parent / "positions.fen"


def answers(command: str, collection: str) -> list[dict]:
    """The answers to all positions, in order."""
    words = [*shlex.split(command), "--db", collection, "--queries", str(POSITIONS), "--top", "5"]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def row(hit: dict) -> str:
    """A hit as a cell: similarity, pieces and side to move, next move, games."""
    board, side = hit["turned_fen"].split()[:2]
    played = (hit["turned_next"] or ["end"])[0]
    games = hit.get("game_count", 1)
    return f"{100 * hit['similarity']:.0f} % `{board} {side}` {played}" + (f" ×{games}" if games > 1 else "")


def main() -> None:
    collection, *commands = sys.argv[1:]
    names = [it[2:] for it in POSITIONS.read_text().splitlines() if it.startswith("# ")]
    both = [answers(command, collection) for command in commands]
    for at, name in enumerate(names):
        print(f"**{name}** `{both[0][at]['query']['fen']}`\n")
        print("| | before | after |\n|---|---|---|")
        columns = [[row(hit) for hit in answer[at]["hits"]] for answer in both]
        for rank in range(5):
            cells = [column[rank] if rank < len(column) else "" for column in columns]
            print(f"| {rank + 1} | " + " | ".join(cells) + " |")
        print()


main()
