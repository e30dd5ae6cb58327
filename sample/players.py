"""Who a player is, whatever the spelling, and when that player lived.

The table is players.tsv. A name of the source is cut into surname and given
name and compared with the table without case, accents and the usual
differences of transcription (`fold`). An initial is enough where the table has
one player of that name who lived at the time of the game.
"""

import collections
import functools
import re
import unicodedata
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "players.tsv"
# The ages at which somebody of the table may have played a game that was kept.
YOUNGEST, OLDEST = 11, 80
# Up to this year of birth a surname alone names the player. Later there are too many namesakes.
OLD_MASTER = 1890
# Unimportant differences of spelling, applied in this order.
FOLDS = [("tsch", "ch"), ("tch", "ch"), ("sch", "sh"), ("sz", "s"), ("kh", "h"), ("ae", "a"), ("oe", "o"),
         ("ue", "u"), ("ck", "k"), ("ph", "f"), ("w", "v"), ("y", "i"), ("j", "i"), ("z", "s"), ("k", "c")]
TITLE = re.compile(r"\((?:[^()]*)\)|\b(?:GM|IM|WGM|WIM|FM|Dr|Sir)\b\.?")
# Several people, or one who played many games at once.
ALLIES = re.compile(r"[+&/]|\ballies\b|\(bl|\bsim", re.IGNORECASE)


def fold(word):
    """A word as it is compared: small letters, transcriptions made equal."""
    word = unicodedata.normalize("NFD", word).lower().replace("-", " ")
    word = re.sub(r"[^a-z ]", "", word)
    for old, new in FOLDS:
        word = word.replace(old, new)
    return re.sub(r"(.)\1+", r"\1", word)


def cut(name):
    """Folded surname and list of given names, in small letters, of a name with a comma."""
    surname, _, given = name.partition(",")
    return fold(surname), re.findall(r"[a-z]+", given.lower())


def surname_of(name):
    """What stands before the comma, in small letters."""
    return name.partition(",")[0].strip().lower()


class Player:
    """A row of the table."""

    def __init__(self, row):
        self.rank, self.name, born, died, spellings = (row.split("\t") + ["", ""])[:5]
        self.born, self.died = int(born), int(died or 9999)
        self.spellings = [cut(self.name)]
        self.surnames = {surname_of(each) for each in [self.name, *spellings.split(";")]}
        for spelling in filter(None, (each.strip() for each in spellings.split(";"))):
            surname, given = cut(spelling)
            self.spellings.append((surname, given or self.spellings[0][1]))

    def known_as(self, surname, given):
        """Whether a name of the source is a spelling of this player's."""
        return any(surname == ours and self.called(given, first) for ours, first in self.spellings)

    def called(self, given, ours):
        """Whether the source's given names fit ours. None at all will do for the famous."""
        if not given:
            return self.rank in "WC" or self.born < OLD_MASTER
        if len(given[0]) == 1:
            return self.rank != "F" and ours[0][0] == given[0]
        names = [fold(name) for name in ours]
        first, second = fold(given[0]), fold(given[1]) if len(given) > 1 else ""
        # A second name that contradicts ours is that of a namesake, as Larry D. is of Larry Melvyn Evans.
        if len(names) > 1 and not any(name.startswith(second) for name in names):
            return False
        return names[0].startswith(first) or first in names

    def lived(self, year):
        """Whether the player can have played in a year; any will do if it is unknown."""
        return not year or self.born + YOUNGEST <= year <= min(self.died, self.born + OLDEST)


def read_table():
    """The players of the table by folded surname."""
    table = collections.defaultdict(list)
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            player = Player(line)
            for surname in {surname for surname, _ in player.spellings}:
                table[surname].append(player)
    return table


PLAYERS = read_table()


@functools.cache
def possible(name):
    """The players of the table whose name this may be."""
    if ALLIES.search(name):
        return []
    name = " ".join(TITLE.sub(" ", name).split()).strip(" ,.")
    if "," in name:
        names = [cut(name)]
    else:
        words = re.split(r"[ .]+", name)
        names = [cut(" ".join(words[:n]) + "," + " ".join(words[n:])) for n in range(len(words), 0, -1)]
    for surname, given in names:
        found = [player for player in PLAYERS.get(surname, []) if player.known_as(surname, given)]
        # A surname alone must be spelled as in the table: Andersen is not Anderssen.
        if found and (given or any(surname_of(name) in player.surnames for player in found)):
            return found
    return []
