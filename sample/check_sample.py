#!/usr/bin/env python3
"""Checks the built-in sample collection and prints what is in it.

    python3 sample/check_sample.py [FILE]     default sample/sample.pgn.zst

Every game must be legal to its end, carry the seven tag roster, have a result
that agrees with the final position, be no exact duplicate (same moves, same
players) and, if engines played it, follow its line of openings.tsv and end by
the rules or by a stated adjudication. The file may have at most SIZE_LIMIT
bytes and must have at least GAMES_LEAST engine games. Exit code 1 if anything
is wrong. Needs the `chess` package and the `zstd` command.
"""

import collections
import io
import re
import statistics
import sys
from pathlib import Path

import chess.pgn

from make_sample import SAMPLE, read_zst, split_games
from tournament import EVENT, read_openings

SIZE_LIMIT = 3_000_000
GAMES_LEAST = 1_500
SEVEN_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
DRAW = "1/2-1/2"
COMMENT = re.compile(r"\{[^}]*\}|;.*")
WORD = re.compile(
    r"\d+\.+|\$\d+|1-0|0-1|1/2-1/2"
    r"|(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?)[+#]?[!?]{0,2}"
)


def ending(game):
    """How a game ended, by its final position or by what it states."""
    board = game.end().board()
    by_rules = {
        "mate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "insufficient material": board.is_insufficient_material(),
        "repetition": board.is_repetition(3),
        "fifty moves": board.halfmove_clock >= 100,
    }
    for name, applies in by_rules.items():
        if applies:
            return name
    if game.headers.get("Termination") != "adjudication":
        return "unstated"
    comment = game.end().comment
    return "resignation" if comment.endswith("resigns") else comment


def faults(game, text, lines):
    """What is wrong with a game, in words; lines are the opening moves by name."""
    yield from (f"cannot be read: {error}" for error in game.errors)
    yield from (f"{word} is no move" for word in strange_words(text))
    yield from (f"no {tag} tag" for tag in SEVEN_TAGS if f"[{tag} " not in text)
    result = game.headers["Result"]
    if not text.endswith(result) or result not in ("1-0", "0-1", DRAW):
        yield f"the result {result} is unknown or not the one after the moves"
    yield from result_faults(game, result)
    if game.headers["Event"] == EVENT:
        yield from engine_faults(game, lines)


def strange_words(text):
    """Words among the moves that no PGN has; the reader would pass over them in silence."""
    moves = "\n".join(line for line in text.splitlines() if not line.startswith("["))
    spaced = re.sub(r"(\d+\.+|[()])", r" \1 ", COMMENT.sub(" ", moves))
    return [word for word in spaced.split() if word not in "()" and not WORD.fullmatch(word)]


def result_faults(game, result):
    """Disagreement of the result with the final position or the stated end."""
    board, end = game.end().board(), ending(game)
    winner = "0-1" if board.turn == chess.WHITE else "1-0"
    if end == "mate" and result != winner:
        yield f"ends in mate but the result is {result}"
    if end in ("stalemate", "insufficient material") and result != DRAW:
        yield f"ends in {end} but the result is {result}"
    stated = {"White resigns": "0-1", "Black resigns": "1-0", "draw agreed": DRAW}
    if result != stated.get(game.end().comment, result):
        yield f"{game.end().comment} but the result is {result}"


def engine_faults(game, lines):
    """What is wrong with a game in which engines played."""
    if ending(game) == "unstated":
        yield "goes on after its last move and no adjudication is stated"
    if ending(game) in ("repetition", "fifty moves") and game.headers["Result"] != DRAW:
        yield f"{ending(game)} but the result is {game.headers['Result']}"
    line = lines.get((game.headers.get("ECO"), game.headers.get("Opening")))
    if line is None or moves_of(game)[: len(line)] != line:
        yield "does not follow an opening line of its ECO and Opening tags"


def moves_of(game):
    """The main line."""
    return tuple(game.mainline_moves())


def opening_lines():
    """The moves of openings.tsv by ECO code and name."""
    parse = lambda moves: chess.pgn.read_game(io.StringIO(moves))
    return {(eco, name): moves_of(parse(moves)) for eco, name, moves in read_openings()}


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    lines, wrong, seen, plies = opening_lines(), [], {}, []
    tables = collections.defaultdict(collections.Counter)
    for number, text in enumerate(split_games(read_zst(path)), start=1):
        game = chess.pgn.read_game(io.StringIO(text))
        tags = game.headers
        label = f"game {number} ({tags['White']} - {tags['Black']}, round {tags['Round']})"
        wrong += [f"{label}: {fault}" for fault in faults(game, text, lines)]
        first = seen.setdefault((tags["White"], tags["Black"], moves_of(game)), number)
        if first != number:
            wrong.append(f"{label}: the same as game {first}")
        plies.append(game.end().ply())
        count(game, tables)
    report(path, plies, tables)
    wrong += file_faults(path, tables["kind"])
    print("\n".join(wrong) or "no fault found")
    sys.exit(bool(wrong))


def count(game, tables):
    """Enters a game in the tables of the report."""
    by_engines = game.headers["Event"] == EVENT
    tables["kind"]["engines" if by_engines else "historical"] += 1
    tables["result"][game.headers["Result"]] += 1
    tables["ending"][ending(game) if by_engines else "(historical)"] += 1
    tables["opening"][(game.headers.get("ECO") or "?")[0]] += 1


def file_faults(path, kinds):
    """What is wrong with the file as a whole."""
    if path.stat().st_size > SIZE_LIMIT:
        yield f"{path.stat().st_size} bytes are more than {SIZE_LIMIT}"
    if kinds["engines"] < GAMES_LEAST:
        yield f"{kinds['engines']} engine games are fewer than {GAMES_LEAST}"


def report(path, plies, tables):
    """Prints the counts."""
    print(f"{len(plies)} games, {sum(plies)} plies, {path.stat().st_size} bytes")
    print(f"plies a game: median {statistics.median(plies):.0f}, least {min(plies)}, most {max(plies)},"
          f" {sum(count < 40 for count in plies)} games under 40")
    for name, table in tables.items():
        print(f"by {name}: " + ", ".join(f"{key} {count}" for key, count in table.most_common()))


if __name__ == "__main__":
    main()
