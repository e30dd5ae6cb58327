#!/usr/bin/env python3
"""Makes the built-in sample collection, sample/sample.pgn.zst.

    python3 sample/make_sample.py book_1.02.pgn

The sample is every game of sample/historical/*.pgn followed by games of masters
out of the source, which is the book of Debian's source package gnuchess-book.
The source is careless, so most of this script drops games: those of unknown
players, those that contradict a player's life, another copy or the rules, and
those that were cut. `Ledger` counts what goes and why. Of what remains,
`select` takes the best.

The same source gives the same bytes. Needs Python 3.10 or later with the
`chess` package, and the `zstd` command (1.5).
"""

import argparse
import collections
import dataclasses
import difflib
import hashlib
import multiprocessing
import re
import subprocess
from pathlib import Path

import chess

from players import fold, possible
from tags import TITLE, UNKNOWN, UNKNOWN_DATE, elo, event_name, is_light, place, round_number, year_and_date

HERE = Path(__file__).resolve().parent
HISTORICAL = HERE / "historical"
SAMPLE = HERE / "sample.pgn.zst"
OPENINGS = HERE.parent / "crates" / "chess" / "data" / "openings.tsv"

# How many games the sample has, historical ones included. So many take 2.9 MB; the limit is 4 MB.
GAMES = 20_000
# So many games of each ECO code are taken before the rest, if there are so many.
GAMES_PER_CODE = 12
# Games up to this year are taken before the rest: the source has few of them.
EARLY = 1945
DRAW = "1/2-1/2"
RESULTS = ("1-0", "0-1", DRAW)
# Shorter games are cut, or nobody played for a win. In plies.
SHORTEST, SHORTEST_DRAW, SHORTEST_QUIET_WIN = 16, 40, 40
# Games of this length with the same moves are one game, whoever is said to have played them.
NO_CHANCE = 30
# Games of the same players with this share of moves in common are copies of one with errors.
ALIKE, ALIKE_ANY_YEAR = 0.8, 0.9
# An opening has its name by this ply.
OPENING_PLIES = 40
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
RANKS = {"W": 4, "C": 2, "M": 1, "F": 1}

TAG = re.compile(r'^\[(\w+) "(.*)"\]\s*$', re.MULTILINE)
MOVE = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?|O-O(?:-O)?|0-0(?:-0)?")


class Ledger:
    """Counts the games that are dropped, by reason, in the order in which reasons come up."""

    def __init__(self):
        self.dropped = collections.Counter()

    def keep(self, games, reason, test):
        """The games that pass a test; the others are dropped for a reason."""
        kept = [game for game in games if test(game)]
        self.dropped[reason] += len(games) - len(kept)
        return kept

    def report(self, left):
        """Prints a table."""
        for reason, count in self.dropped.items():
            print(f"| {reason} | {count:,} |")
        print(f"| **left** | {left:,} |")


@dataclasses.dataclass
class Game:
    """A game of the source, or a historical one."""

    tags: dict
    words: list
    result: str
    white: object = None
    black: object = None
    year: int = 0
    date: str = None
    moves: tuple = ()
    eco: str = ""
    end: dict = None

    @property
    def pair(self):
        return self.white.name, self.black.name

    @property
    def plies(self):
        return len(self.words)

    def tag(self, name):
        return self.tags.get(name, "").strip()

    def describe(self):
        """Finds place, event and round."""
        site, event = self.tag("Site"), self.tag("Event")
        self.site, self.event = place(site, event), event_name(site, event, self.year, *self.pair)
        self.round = round_number(self.tag("Round"), event)

    def known_tags(self):
        """How much the tags say."""
        exact = bool(self.date) and "?" not in self.date
        rated = bool(elo(self.tag("WhiteElo")) and elo(self.tag("BlackElo")))
        known = (self.site != UNKNOWN, self.event != UNKNOWN, self.round != UNKNOWN, exact, rated)
        return 2 * bool(self.year) + sum(known)

    def pgn(self):
        """The game as it is written."""
        date = self.date or (f"{self.year}.??.??" if self.year else UNKNOWN_DATE)
        tags = [("Event", self.event), ("Site", self.site), ("Date", date), ("Round", self.round),
                ("White", self.white.name), ("Black", self.black.name), ("Result", self.result), ("ECO", self.eco),
                ("WhiteElo", elo(self.tag("WhiteElo"))), ("BlackElo", elo(self.tag("BlackElo")))]
        lines = [f'[{name} "{value}"]' for name, value in tags if value]
        numbered = [f"{ply // 2 + 1}. {san}" if ply % 2 == 0 else san for ply, san in enumerate(self.moves)]
        return "\n".join([*lines, "", " ".join([*numbered, self.result])])


# Reading.

def split_games(text):
    """PGN text cut into games, each from its first tag to its result."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return [game.strip() for game in re.split(r"\n(?=\[Event )", text) if game.strip()]


def parse(text):
    """A game with its tags and the words that are moves, not yet played on a board."""
    tags = dict(TAG.findall(text))
    body = text[text.rfind('"]') + 2 :].split()
    result = body[-1] if body else ""
    words = MOVE.findall(" ".join(body[:-1]))
    return Game(tags, [word.replace("0-0", "O-O").replace("-0", "-O") for word in words], result)


def read_source(path):
    """The games of the source, which has a few letters of the old code page of DOS."""
    return [parse(game) for game in split_games(path.read_bytes().decode("cp437").replace("\x00", ""))]


def historical_games(folder=HISTORICAL):
    """The texts of all historical games, in order of file name."""
    files = sorted(folder.glob("*.pgn"))
    return [game for file in files for game in split_games(file.read_text(encoding="utf-8"))]


# Players and dates.

def identify(game):
    """Finds the players who can have played in the year of the game. False if there are none or several."""
    game.year, game.date = year_and_date(game.tag("Date"), game.tag("Site"))
    sides = [[player for player in possible(game.tag(side)) if player.lived(game.year)] for side in ("White", "Black")]
    if any(len(players) != 1 for players in sides):
        return False
    (game.white,), (game.black,) = sides
    return game.white is not game.black


def in_table(game):
    """Whether the table of players has both names."""
    return bool(possible(game.tag("White")) and possible(game.tag("Black")))


def names_agree(game, other):
    """Whether the names of a copy can be misspellings of the players of a game."""
    return all(name_agrees(other.tag(side), player) for side, player in (("White", game.white), ("Black", game.black)))


def name_agrees(name, player):
    """Whether a name is, or with some errors could be, that of a player."""
    words = [word for word in re.split(r"[^A-Za-z']+", name) if len(word) > 2]
    surnames = [surname for surname, _ in player.spellings]
    return not words or any(
        difflib.SequenceMatcher(None, fold(word), surname).ratio() > 0.7 or fold(word) in surname.split()
        for word in words for surname in surnames)


# Copies.

def merge_copies(games, everything, ledger):
    """One game of each group with the same moves. The copies decide about players and year by majority."""
    groups = collections.defaultdict(list)
    for game in games:
        groups[" ".join(game.words)].append(game)
    copies = collections.defaultdict(list)
    for game in everything:
        key = " ".join(game.words)
        if game.white is None and key in groups:
            copies[key].append(game)
    merged = []
    for key, group in groups.items():
        pairs = collections.Counter(game.pair for game in group).most_common()
        if group[0].plies < NO_CHANCE:
            chosen = [pair for pair, _ in pairs]
        elif len(pairs) == 1 or pairs[0][1] > pairs[1][1]:
            chosen = [pairs[0][0]]
        else:
            chosen = []
        for pair in chosen:
            ours = [game for game in group if game.pair == pair]
            if group[0].plies >= NO_CHANCE and not all(names_agree(ours[0], copy) for copy in copies[key]):
                ledger.dropped["a copy names other players"] += len(ours)
                continue
            merged.append(best_copy(ours))
            ledger.dropped["copy with the same moves"] += len(ours) - 1
        ledger.dropped["a copy names other players"] += sum(game.pair not in chosen for game in group)
    return merged


def best_copy(group):
    """The copy with the best tags. Its year is that of most copies, or unknown if they disagree."""
    results = collections.Counter(game.result for game in group).most_common()
    years = collections.Counter(game.year for game in group if game.year).most_common()
    agreed = not years or len(years) == 1 or years[0][1] > years[1][1]
    year = years[0][0] if years and agreed else 0
    fitting = [game for game in group if game.result == results[0][0] and game.year == year] or group
    best = max(fitting, key=lambda game: (game.known_tags(), order(game)))
    if best.year != year:
        best.year, best.date = year, None
        best.event = best.site = best.round = UNKNOWN
    best.disputed = len(results) > 1 and results[0][1] == results[1][1]
    return best


def order(game):
    """A number that orders games without regard to what is in them, the same in each run."""
    return hashlib.sha256(" ".join([*game.pair, str(game.year), *game.words]).encode()).hexdigest()


def drop_near_copies(games, historical, ledger):
    """Drops cut and slightly different copies of games of the same players. Historical games stand first."""
    by_pair = collections.defaultdict(list)
    for game in games:
        by_pair[game.pair].append(game)
    famous = collections.defaultdict(list)
    for game in map(parse, historical):
        famous[game.tag("White"), game.tag("Black")].append(game)
    kept = []
    for pair, group in by_pair.items():
        ours = []
        for game in sorted(group, key=lambda game: (-game.plies, -game.known_tags(), order(game))):
            reason = next(filter(None, (likeness(game, other) for other in ours)), None)
            if any(alike(game, other) >= ALIKE for other in famous[pair]):
                reason = "already among the historical games"
            if reason:
                ledger.dropped[reason] += 1
            else:
                ours.append(game)
        kept += ours
    return kept


def likeness(game, longer):
    """Why a game is a copy of a longer one of the same players, or nothing."""
    if longer.moves[: game.plies] == game.moves:
        return "beginning of another game of the same players"
    if game.plies >= NO_CHANCE and game.end["board"] == longer.end["board"]:
        return "same final position as another game of the same players"
    same_year = not game.year or not longer.year or abs(game.year - longer.year) <= 1
    if alike(game, longer) >= (ALIKE if same_year else ALIKE_ANY_YEAR):
        return "nearly the moves of another game of the same players"
    return None


def alike(game, other):
    """The share of moves that two games have in common, in order."""
    matcher = difflib.SequenceMatcher(None, game.words, other.words, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= ALIKE <= matcher.quick_ratio() else 0


# Playing through.

def read_openings():
    """ECO codes by position, the table of the program."""
    rows = (line.split("\t") for line in OPENINGS.read_text(encoding="utf-8").splitlines())
    return {position: code for code, _, position in rows}


CODES = read_openings()


def play(words):
    """Plays moves on a board: their proper notation, the ECO code and how it ends. None if one is illegal."""
    board, moves, code = chess.Board(), [], ""
    for ply, word in enumerate(words):
        try:
            move = board.parse_san(word)
        except ValueError:
            return None
        moves.append(san_and_push(board, move))
        if ply < OPENING_PLIES:
            code = CODES.get(board.epd(), code)
    count = lambda color: sum(value * len(board.pieces(piece, color)) for piece, value in VALUES.items())
    end = {
        "board": board.board_fen(),
        "mate": moves[-1].endswith("#"),
        "check": moves[-1].endswith("+"),
        "stalemate": board.is_stalemate(),
        "dead": board.is_insufficient_material(),
        "white to move": board.turn,
        "balance": count(chess.WHITE) - count(chess.BLACK),
    }
    return tuple(moves), code, end


def san_and_push(board, move):
    """The notation of a move, which is played."""
    san = board.san(move)
    board.push(move)
    return san


def play_all(games, processes):
    """Plays the games through; those that are illegal have no end."""
    with multiprocessing.Pool(processes) as pool:
        played = pool.imap(play, (game.words for game in games), chunksize=200)
        for number, (game, found) in enumerate(zip(games, played), start=1):
            if found:
                game.moves, game.eco, game.end = found
            if number % 5000 == 0:
                print(f"{number}/{len(games)} games played through", flush=True)


def result_fits(game):
    """Whether the result agrees with the final position."""
    if game.end["mate"]:
        return game.result == ("0-1" if game.end["white to move"] else "1-0")
    if game.end["stalemate"] or game.end["dead"]:
        return game.result == DRAW
    return True


def winner_leads(game):
    """By how many pawns the winner is ahead at the end."""
    return game.end["balance"] if game.result == "1-0" else -game.end["balance"]


def is_complete(game):
    """Whether a decided game does not look cut: a short one ends with an attack on the king or a gain."""
    short = game.plies < SHORTEST_QUIET_WIN and game.result != DRAW
    return not short or game.end["mate"] or game.end["check"] or winner_leads(game) > 0


def is_plausible(game):
    """Whether nobody resigned with an extra queen: then the result is wrong or the end is missing."""
    return game.result == DRAW or game.end["check"] or game.end["mate"] or winner_leads(game) > -6


# Choosing.

def merit(game):
    """What speaks for a game, the best first."""
    strength = RANKS[game.white.rank] + RANKS[game.black.rank]
    return -strength - 0.3 * game.known_tags() - 1.0 * (game.result != DRAW), order(game)


def belongs(game):
    """Whether a game is taken before all others."""
    ranks = {game.white.rank, game.black.rank}
    return ranks == {"W"} or ranks == {"W", "C"} or 0 < game.year <= EARLY


def select(games, number):
    """So many games: those that belong in, then some of every opening, then the best of the others."""
    games = sorted(games, key=merit)
    chosen = [game for game in games if belongs(game)]
    taken = set(map(id, chosen))
    for code_of in (lambda game: game.eco, lambda game: game.tag("ECO")):
        codes = collections.Counter(code_of(game) for game in chosen)
        for game in games:
            if id(game) not in taken and codes[code_of(game)] < GAMES_PER_CODE:
                codes[code_of(game)] += 1
                taken.add(id(game))
                chosen.append(game)
    chosen += [game for game in games if id(game) not in taken][: max(0, number - len(chosen))]
    return sorted(chosen, key=lambda game: (game.year or 9999, game.date or "", game.site, game.event,
                                            natural(game.round), game.pair, order(game)))


def natural(text):
    """Numbers in a text compared as numbers."""
    return [int(part) for part in re.findall(r"\d+", text)]


# Writing.

def one_line(text):
    """A historical game with its moves in one line, which compresses better."""
    tags, _, moves = text.partition("\n\n")
    return f"{tags}\n\n{' '.join(moves.split())}"


def read_zst(path):
    """The text of a zstd-compressed file."""
    return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout.decode()


def write_zst(path, text):
    """Replaces a zstd-compressed file at once, or leaves the old one."""
    part, data = path.with_suffix(".part"), text.encode()
    command = ["zstd", "--ultra", "-22", "--single-thread", f"--stream-size={len(data)}", "-qf", "-o", part]
    subprocess.run(command, input=data, check=True)
    part.replace(path)


def clean(everything, historical, processes):
    """The games of the source that are worth having, and the ledger of the others."""
    ledger = Ledger()
    games = ledger.keep(everything, "no result, or not the one after the moves",
                        lambda game: game.result in RESULTS and game.result == game.tag("Result"))
    games = ledger.keep(games, "a player who is not in the table, or a name for several", in_table)
    games = ledger.keep(games, "year outside a player's life, or two players it may be", identify)
    games = ledger.keep(games, "blitz, rapid, blindfold, simultaneous, correspondence or training game",
                        lambda game: not is_light(game.year, game.tag("Site"), game.tag("Event")))
    games = ledger.keep(games, f"under {SHORTEST} plies", lambda game: game.plies >= SHORTEST)
    for game in games:
        game.describe()
    games = ledger.keep(games, f"draw in under {SHORTEST_DRAW} plies, not for the title",
                        lambda game: game.result != DRAW or game.plies >= SHORTEST_DRAW or TITLE in game.event)
    games = merge_copies(games, everything, ledger)
    games = ledger.keep(games, "copies disagree about the result", lambda game: not game.disputed)
    play_all(games, processes)
    games = ledger.keep(games, "illegal move", lambda game: game.end)
    games = ledger.keep(games, "result against the final position", result_fits)
    games = ledger.keep(games, "cut: a short win out of nothing", is_complete)
    games = ledger.keep(games, "cut: the winner is six pawns behind and gives no check", is_plausible)
    return drop_near_copies(games, historical, ledger), ledger


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="book_1.02.pgn of the source package gnuchess-book")
    parser.add_argument("--out", type=Path, default=SAMPLE, help="default sample/sample.pgn.zst")
    parser.add_argument("--games", type=int, default=GAMES, help=f"how many games (default {GAMES})")
    parser.add_argument("--processes", type=int, default=2, help="games played through at once (default 2)")
    options = parser.parse_args()
    historical = historical_games()
    everything = read_source(options.source)
    print(f"{len(everything)} games in the source")
    games, ledger = clean(everything, historical, options.processes)
    chosen = select(games, options.games - len(historical))
    ledger.dropped["good, but less so than those taken"] = len(games) - len(chosen)
    ledger.report(len(chosen))
    texts = [one_line(game) for game in historical] + [game.pgn() for game in chosen]
    write_zst(options.out, "\n\n".join(texts) + "\n")
    print(f"{len(historical)} historical and {len(chosen)} other games, {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
