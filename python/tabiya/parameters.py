"""How questions are asked: Python's values as the parameters of a request.

The names are those of the command line and of the server, and so are the texts.
Where Python has a better word than a text, it may be used: `elo=(2400, None)` for
"2400-", `result=["1-0", "0-1"]` for "1-0,0-1", `weights={"attack": 2}` for "attack=2".
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypedDict, get_type_hints
from urllib.parse import urlencode

import chess

from .errors import QueryError

Position: TypeAlias = chess.Board | str
"""A position: a board, or a FEN of four or six fields."""

Range: TypeAlias = str | int | tuple[object, object]
"""A range: a text such as "2400-2600", "2500-" or "-2000", one value, or a pair in
which `None` leaves an end open."""

Value: TypeAlias = object


class RankingParameters(TypedDict, total=False):
    """How positions are scored."""

    k1: float
    """How soon more of the same stops to count (1.2)."""
    b: float
    """How much positions with many terms are held back, from 0 to 1 (0.75)."""
    weights: str | Mapping[str, float]
    """Weights of the families place, reach, attack, defence and ray."""
    run: str
    """One of the paper's runs, or ours: "Tabiya"."""


class GameParameters(TypedDict, total=False):
    """Which games may answer."""

    player: str
    """A part of either player's name, in any case."""
    white: str
    """A part of White's name."""
    black: str
    """A part of Black's name."""
    elo: Range
    """The ratings of both players."""
    date: Range
    """The date, such as "1990-1999" or (2010, None)."""
    eco: Range
    """The opening's code, such as "B20-B99"."""
    result: str | Iterable[str]
    """The results, such as "1-0" or ["1-0", "0-1"]."""
    event: str
    """A part of the event's name."""
    source: str
    """"self" for games that the engine played and retained, or "archive"."""
    exclude_game: int | Iterable[int]
    """Numbers of games to leave out."""


class SearchParameters(RankingParameters, GameParameters, total=False):
    """What a search can be told beside its position and how many hits are wanted."""

    reasons: int
    """How many reasons to tell for each hit (4)."""
    symmetry: str
    """Which twins are searched as well: "none", "swap", "mirror" or "all"."""
    rerank: str
    """Order the best 200 anew by how they play: "continuations", "structural",
    "freedom", "blend" or "motif"."""
    side_to_move: str
    """Whose turn it is, in the query's view: "same", "white" or "black"."""
    material: str | int
    """"same", or by how many pieces the material may differ."""
    pieces: Range
    """The number of pieces on the board."""


class ExplainParameters(RankingParameters, total=False):
    """What an explanation can be told beside its positions."""

    reasons: int
    """How many shared terms to tell (12)."""
    symmetry: str
    """Which twins of the first position are tried as well."""


def fen(position: Position) -> str:
    """The position as a FEN."""
    if isinstance(position, chess.Board):
        return position.fen(en_passant="legal")
    if isinstance(position, str):
        return position
    kind = type(position).__name__
    raise TypeError(f"a position is a chess.Board or a FEN, not {kind}")


# What fits into the numbers of the compiled half.
MOST_PLIES = 2**16 - 1
MOST_THREADS = 1024
LARGEST = 2**64 - 1


def within(name: str, number: int, most: int, least: int = 0) -> int:
    """The number, if it is one of these."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {type(number).__name__}") from None
    if not least <= whole <= most:
        raise QueryError(f"{name} is from {least} to {most}, not {whole}")
    return whole


def optional(name: str, number: int | None, most: int) -> int | None:
    """The same, unless nothing was said."""
    return None if number is None else within(name, number, most)


def _text(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_text(name, it)}" for key, it in value.items())
    if isinstance(value, tuple) and name in ("elo", "date", "eco", "pieces"):
        if len(value) != 2:
            raise TypeError(f"{name}: a range has two ends, not {len(value)}")
        return "-".join("" if it is None else str(it) for it in value)
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, Iterable):
        return ",".join(str(it) for it in value)
    kind = type(value).__name__
    raise TypeError(f"{name}: {kind} is neither a text nor a number nor a list of them")


def known(parameters: Mapping[str, Value], kind: type) -> Mapping[str, Value]:
    """The parameters, if all of them are of this kind. A server passes over what it
    does not know; in Python that is a mistake."""
    for name in parameters:
        if name not in get_type_hints(kind):
            names = ", ".join(get_type_hints(kind))
            raise TypeError(f"there is no parameter {name!r}; there are {names}")
    return parameters


def encoded(parameters: Mapping[str, Value]) -> str:
    """Parameters as they stand behind the question mark of an address. What is
    `None` is not said."""
    said = {name: it for name, it in parameters.items() if it is not None}
    return urlencode({name: _text(name, it) for name, it in said.items()})
