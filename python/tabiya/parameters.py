"""How questions are asked: Python's values as the parameters of a request.

The names are those of the command line and of the server, and so are the texts.
Where Python has a better word than a text, it may be used: `elo=(2400, None)` for
"2400-", `result=["1-0", "0-1"]` for "1-0,0-1", `weights={"attack": 2}` for "attack=2".
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable, Mapping
from datetime import date as Date
from numbers import Real
from typing import TypeAlias, TypedDict, get_type_hints
from urllib.parse import urlencode

import chess

from .errors import QueryError

Position: TypeAlias = chess.Board | str
"""A position: a board, or a FEN of four or six fields."""

Range: TypeAlias = str | int | Date | tuple[object, object] | list[object]
"""A range: a text such as "2400-2600", "2500-" or "-2000", one value, or a pair in
which `None` leaves an end open. A date may be a `datetime.date`."""

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


# The parameters that may be more than one text or number.
RANGES = ("elo", "date", "eco", "pieces")
LISTS = ("result", "exclude_game")
MAPPINGS = ("weights",)

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


def _one(name: str, value: Value) -> str:
    """A text or a number, also one of numpy's, as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    with contextlib.suppress(TypeError):
        return str(operator.index(value))  # type: ignore[arg-type]
    if isinstance(value, Real):
        return str(float(value))
    kind = type(value).__name__
    raise TypeError(f"{name}: {kind} is neither a text nor a number{_also(name)}")


def _also(name: str) -> str:
    """What else a parameter may be."""
    if name in RANGES:
        return " nor a pair of them"
    if name in LISTS:
        return " nor a list of them"
    return " nor a mapping to numbers" if name in MAPPINGS else ""


def _end(name: str, value: Value) -> str:
    """An end of a range."""
    if value is None:
        return ""
    if isinstance(value, Date):
        return f"{value.year:04}.{value.month:02}.{value.day:02}"
    text = _one(name, value)
    if text.startswith("-") and not isinstance(value, str):
        # Its sign would be read as the dash of a range.
        raise QueryError(f"{name}: {text} is below 0; open ends are written (None, 5) or (5, None)")
    return text


def _range(name: str, value: Value) -> str:
    if not isinstance(value, (tuple, list)):
        return _end(name, value)
    if len(value) != 2:
        raise TypeError(f"{name}: a range has two ends, not {len(value)}")
    return "-".join(_end(name, it) for it in value)


def _text(name: str, value: Value) -> str:
    if name in RANGES:
        return _range(name, value)
    if name in MAPPINGS and isinstance(value, Mapping):
        return ",".join(f"{key}={_one(name, it)}" for key, it in value.items())
    is_single = isinstance(value, (str, bytes, bytearray, Mapping))
    if name in LISTS and isinstance(value, Iterable) and not is_single:
        return ",".join(_one(name, it) for it in value)
    return _one(name, value)


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
    return urlencode({name: sound(name, _text(name, it)) for name, it in said.items()})


def sound(name: str, text: str) -> str:
    """The text, if it can be written as bytes. Half a surrogate, as a broken file name or
    a careless cut leaves it, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            f"{name}: {text[error.start]!a} at {error.start} is no character"
        ) from None
    return text
