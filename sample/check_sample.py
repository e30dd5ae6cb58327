#!/usr/bin/env python3
"""Checks the built-in sample collection and prints what is in it.

    python3 sample/check_sample.py [FILE]     default sample/sample.pgn.zst

Every game must be legal to its end, carry the seven tag roster, have a result
that agrees with the final position, and be no copy of another: same moves and
players, or the beginning of another game of the same players. The historical
games must come first and be complete. All other players must have the spelling
of players.tsv and have lived at the time. Exit code 1 if anything is wrong.
Needs the `chess` package and the `zstd` command.
"""

import collections
import io
import re
import statistics
import sys
from pathlib import Path

import chess.pgn

from make_sample import SAMPLE, historical_games, one_line, read_zst, split_games
from players import PLAYERS

SIZE_LIMIT = 4_000_000
GAMES_LEAST = 15_000
CODES_LEAST = 490
SEVEN_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
DRAW = "1/2-1/2"
DATE = re.compile(r"(\d{4}|\?{4})\.(\d\d|\?\?)\.(\d\d|\?\?)")
COMMENT = re.compile(r"\{[^}]*\}|;.*")
WORD = re.compile(
    r"\d+\.+|\$\d+|1-0|0-1|1/2-1/2"
    r"|(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?)[+#]?[!?]{0,2}"
)
TABLE = {player.name: player for players in PLAYERS.values() for player in players}


def faults(game, text):
    """What is wrong with a game, in words."""
    yield from (f"cannot be read: {error}" for error in game.errors)
    yield from (f"{word} is no move" for word in strange_words(text))
    yield from (f"no {tag} tag" for tag in SEVEN_TAGS if f"[{tag} " not in text)
    result = game.headers["Result"]
    if not text.endswith(result) or result not in ("1-0", "0-1", DRAW):
        yield f"the result {result} is unknown or not the one after the moves"
    board = game.end().board()
    if board.is_checkmate() and result != ("0-1" if board.turn == chess.WHITE else "1-0"):
        yield f"ends in mate but the result is {result}"
    if (board.is_stalemate() or board.is_insufficient_material()) and result != DRAW:
        yield f"is drawn on the board but the result is {result}"


def strange_words(text):
    """Words among the moves that no PGN has; the reader would pass over them in silence."""
    moves = "\n".join(line for line in text.splitlines() if not line.startswith("["))
    spaced = re.sub(r"(\d+\.+|[()])", r" \1 ", COMMENT.sub(" ", moves))
    return [word for word in spaced.split() if word not in "()" and not WORD.fullmatch(word)]


def people_faults(tags):
    """What is wrong with the players or the date of a game that is not historical."""
    date = DATE.fullmatch(tags["Date"])
    if not date:
        yield f"{tags['Date']} is no date"
    year = int(date[1]) if date and date[1].isdigit() else 0
    for name in (tags["White"], tags["Black"]):
        if name not in TABLE:
            yield f"{name} is not in the table of players"
        elif not TABLE[name].lived(year):
            yield f"{name} cannot have played in {year}"


def copies(lines):
    """Games that equal or begin another game of the same players: (number, number of the other)."""
    by_players = collections.defaultdict(list)
    for number, (players, moves) in enumerate(lines, start=1):
        by_players[players].append((moves, number))
    for games in by_players.values():
        games.sort()
        for (moves, number), (longer, other) in zip(games, games[1:]):
            if longer[: len(moves)] == moves:
                yield number, other


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    texts = split_games(read_zst(path))
    historical = [one_line(game) for game in historical_games()]
    wrong, lines = [], []
    if texts[: len(historical)] != historical:
        wrong.append("the historical games are not the first, or not complete")
    tables = collections.defaultdict(collections.Counter)
    for number, text in enumerate(texts, start=1):
        game = chess.pgn.read_game(io.StringIO(text))
        tags = game.headers
        label = f"game {number} ({tags['White']} - {tags['Black']}, {tags['Date']})"
        wrong += [f"{label}: {fault}" for fault in faults(game, text)]
        if number > len(historical):
            wrong += [f"{label}: {fault}" for fault in people_faults(tags)]
        moves = tuple(move.uci() for move in game.mainline_moves())
        lines.append(((tags["White"], tags["Black"]), moves))
        count(tags, tables)
    wrong += [f"game {number} equals or begins game {other}" for number, other in copies(lines)]
    report(path, [len(moves) for _, moves in lines], tables)
    wrong += file_faults(path, len(texts), tables["code"])
    print("\n".join(wrong) or "no fault found")
    sys.exit(bool(wrong))


def count(tags, tables):
    """Enters a game in the tables of the report."""
    tables["result"][tags["Result"]] += 1
    tables["decade"][tags["Date"][:3] + "0s"] += 1
    tables["code"][tags.get("ECO", "none")] += 1
    for name in {tags["White"], tags["Black"]}:
        tables["player"][name] += 1
        if name in TABLE and TABLE[name].rank == "W":
            tables["champion"][name] += 1


def file_faults(path, games, codes):
    """What is wrong with the file as a whole."""
    if path.stat().st_size > SIZE_LIMIT:
        yield f"{path.stat().st_size} bytes are more than {SIZE_LIMIT}"
    if games < GAMES_LEAST:
        yield f"{games} games are fewer than {GAMES_LEAST}"
    if len(codes) < CODES_LEAST:
        yield f"{len(codes)} ECO codes are fewer than {CODES_LEAST}"


def report(path, plies, tables):
    """Prints the counts."""
    print(f"{len(plies)} games, {sum(plies)} plies, {path.stat().st_size} bytes, {len(tables['player'])} players,"
          f" {len(tables['code'])} ECO codes")
    print(f"plies a game: median {statistics.median(plies):.0f}, least {min(plies)}, most {max(plies)},"
          f" {sum(count < 40 for count in plies)} games under 40")
    for name in ("result", "champion"):
        print(f"by {name}: " + ", ".join(f"{key} {count}" for key, count in tables[name].most_common()))
    print("by decade: " + ", ".join(f"{key} {count}" for key, count in sorted(tables["decade"].items())))


if __name__ == "__main__":
    main()
