"""Python's values as the parameters of a question.

The names are those of the command line and of the server, and so are the texts. Where Python has a
better value than a text, it works too: `elo=(2400, None)` for "2400-", `result=["1-0", "0-1"]` for
"1-0,0-1", `weights={"attack": 2}` for "attack=2".
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable, Mapping
from datetime import date as Date
from numbers import Real
from typing import Literal, TypeAlias, TypedDict, get_type_hints
from urllib.parse import urlencode

import chess

from .errors import QueryError

Position: TypeAlias = chess.Board | str
"""A position: a board, or a FEN of four or six fields."""

Range: TypeAlias = str | int | Date | tuple[object, object] | list[object]
"""A range: a text such as "2400-2600", "2500-" or "-2000", one value, or a pair in which `None`
leaves an end open. A date may be a `datetime.date`."""

Symmetry: TypeAlias = Literal["none", "swap", "mirror", "all"]
"""Symmetric positions that count as well."""

Value: TypeAlias = object


class RankingParameters(TypedDict, total=False):
    """How positions are scored."""

    k1: float
    """Term-frequency saturation (BM25 k1, 1.2 unless given)."""
    b: float
    """Length normalization (BM25 b), from 0 to 1 (0.75 unless given)."""
    weights: str | Mapping[str, float]
    """Weights of the families place, reach, attack, defence and ray (1 unless given)."""
    run: str
    """A ranking by name: one of the paper's, or "Tabiya" ("CombAll" unless given)."""


class GameParameters(TypedDict, total=False):
    """Which games may answer."""

    player: str
    """Part of either player's name, in any case."""
    white: str
    """Part of White's name."""
    black: str
    """Part of Black's name."""
    elo: Range
    """Ratings of both players, such as (2400, None)."""
    date: Range
    """Date, such as "1990-1999" or (2010, None)."""
    eco: Range
    """Opening code, such as "B20-B99"."""
    result: str | Iterable[str]
    """Results, such as "1-0" or ["1-0", "0-1"]."""
    event: str
    """Part of the event's name."""
    rating: Range
    """Rating of exercises, such as (1500, 1800)."""
    theme: str | Iterable[str]
    """Themes that exercises must have, such as ["fork", "mateIn2"]."""
    source: Literal["self", "archive"]
    """Where the games come from: "self" for games that the engine played and retained, or
    "archive" for all others."""
    exclude_game: int | Iterable[int]
    """Numbers of games to leave out."""


class SearchParameters(RankingParameters, GameParameters, total=False):
    """The parameters of a search beside the position and the number of games."""

    after: int
    """Number of hits to skip, for paging (0 unless given)."""
    limit: int
    """Number of hits to return of those found; moves are counted over all (all unless given)."""
    reasons: int
    """Number of reasons for each hit (4 unless given)."""
    symmetry: Symmetry
    """Symmetric positions that count as well ("swap" unless given, or as the run says)."""
    group: Literal["strongest", "newest", "none"]
    """Games with the same position: one hit, or one each ("strongest" unless given)."""
    rerank: Literal[
        "none", "likeness", "continuations", "structural", "freedom", "blend", "motif"
    ]
    """What orders the best hits of the first ranking ("likeness" unless given)."""
    deep: bool
    """Whether best lines of short searches are compared too (False unless given)."""
    like: Literal["pawns", "pieces", "threats", "endgame"]
    """What counts more than usual."""
    structure: str
    """Only positions with this pawn structure, such as "carlsbad"."""
    side_to_move: Literal["same", "any", "white", "black"]
    """Side to move in the query's view ("same" unless given, or as the run says)."""
    material: Literal["same"] | int
    """"same", or the number of pieces by which the material may differ."""
    pieces: Range
    """Number of pieces on the board."""
    ply: Range
    """Plies played before the position, such as (25, None), which leaves openings out."""
    variations: bool
    """Search positions in the annotators' variations too."""
    where: str
    """Pattern that the positions must match, such as "@iqp and [Qq]==2"."""


class FindParameters(GameParameters, total=False):
    """The parameters of a pattern search beside the pattern and the number of games."""

    after: int
    """Number of games to skip, for paging (0 unless given)."""
    sort: Literal["number", "date", "rating", "query", "likeness"]
    """Order of the games ("likeness" with `like`, else as the pattern sorts, else by number)."""
    like: Position
    """Position to compare the matches with."""
    variations: bool
    """Look at positions in the annotators' variations too."""
    count: bool
    """Count only: no games and no moves."""
    explain: bool
    """Show the plan, with the windows left after each step."""
    side_to_move: Literal["same", "white", "black"]
    """Side to move; "same" as in `like`."""
    material: Literal["same"] | int
    """"same" as in `like`, or the number of pieces by which it may differ."""
    pieces: Range
    """Number of pieces on the board."""
    ply: Range
    """Plies played before the position, such as (25, None), which leaves openings out."""


class ExploreParameters(GameParameters, total=False):
    """The parameters of an exploration beside the position and the number of games."""

    variations: bool
    """Include positions in the annotators' variations."""


class ExplainParameters(RankingParameters, total=False):
    """The parameters of an explanation beside the positions."""

    reasons: int
    """Number of shared terms to return (12 unless given)."""
    symmetry: Symmetry
    """Symmetric positions that count as well; the best is explained ("swap" unless given)."""


class CasesParameters(GameParameters, total=False):
    """The parameters of the cases beside the position and their number."""

    last_move: str
    """Move that led to the position, as e7e5 or Nxe5 (the last of the board's unless given)."""
    threshold: float
    """Least similarity of the positions, from 0 to 1 (0.4 unless given)."""


class PlayParameters(TypedDict, total=False):
    """How the engine chooses a move."""

    mode: Literal["prior", "restrict+tactics", "restrict"]
    """Role of remembered moves in the search ("prior" unless given)."""
    threshold: float
    """Least similarity of the cases' positions, from 0 to 1 (0.4 unless given)."""
    without_cases: bool
    """Search without asking the collection for cases."""
    nodes: int
    """Nodes to search; takes the place of `movetime`."""
    movetime: int
    """Time for a move, in milliseconds (1000 unless given)."""


class ExercisesParameters(GameParameters, total=False):
    """The parameters of exercises beside the position and their number."""

    line: str
    """Best line in the position (that of a short search unless given)."""


class ReviewParameters(TypedDict, total=False):
    """How a game is reviewed."""

    player: str
    """Review only the moves of this player: part of a name, in any case."""
    nodes: int
    """Nodes to search in each position (40,000 unless given)."""
    time: int
    """Time to search each position, in milliseconds; takes the place of `nodes`."""
    after: int
    """Number of plies to leave out (0 unless given)."""
    plies: int
    """Number of plies to review (to the end of the game unless given)."""
    least: Literal["inaccuracy", "mistake", "blunder"]
    """Least severity of the moments ("mistake" unless given)."""
    similar: int
    """Number of similar positions for a moment (2 unless given)."""
    practice: int
    """Number of exercises for a moment (3 unless given)."""


class PrepareParameters(TypedDict, total=False):
    """Which games of an opponent count, and how many."""

    since: int
    """Only games from this year on."""
    depth: int
    """Length of the tree's lines in plies (12 unless given)."""
    least: int
    """Least number of games of a move in the tree (2 unless given)."""
    top: int
    """Number of games to show (10 unless given)."""
    repertoire: str
    """PGN text with a repertoire: what in the opponent's games is like the ends of its lines?"""


class CompareParameters(TypedDict, total=False):
    """How two positions are compared."""

    labels: Literal["san", "uci", "piece"]
    """How moves are named ("san" unless given)."""
    sample: int
    """Number of children to read in the structural measure, chosen at random (all unless given)."""


def fen(position: Position) -> str:
    """The position as a FEN."""
    if isinstance(position, chess.Board):
        return position.fen(en_passant="legal")
    if isinstance(position, str):
        return position
    kind = type(position).__name__
    raise TypeError(f"a position is a chess.Board or a FEN, not {kind}")


def line(position: Position) -> dict[str, str]:
    """The position and the moves of a board that led to it, back to the last null move."""
    if not isinstance(position, chess.Board) or not position.move_stack:
        return {"fen": fen(position)}
    start, moves = position.copy(), list[str]()
    while start.move_stack and start.peek():
        moves.append(start.pop().uci())
    return {"fen": fen(start), "moves": " ".join(reversed(moves))}


# The parameters that may be more than one text or number.
RANGES = ("elo", "rating", "date", "eco", "pieces", "ply")
LISTS = ("result", "exclude_game")
MAPPINGS = ("weights",)

# What fits into the numbers of the compiled half.
MOST_PLIES = 2**16 - 1
MOST_THREADS = 1024
LARGEST = 2**64 - 1


def within(name: str, number: int, most: int, least: int = 0) -> int:
    """The number, if it is in range."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, not {type(number).__name__}") from None
    if not least <= whole <= most:
        raise QueryError(f"{name}: {whole} is not a number from {least} to {most}")
    return whole


def optional(name: str, number: int | None, most: int) -> int | None:
    """The same, or nothing."""
    return None if number is None else within(name, number, most)


def _one(name: str, value: Value) -> str:
    """A text or a number as text; numpy's numbers work too."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    with contextlib.suppress(TypeError):
        return str(operator.index(value))  # type: ignore[arg-type]
    if isinstance(value, Real):
        return str(float(value))
    kind = type(value).__name__
    raise TypeError(f"{name}: expected a text or a number{_also(name)}, not {kind}")


def _also(name: str) -> str:
    """What else a parameter may be."""
    if name in RANGES:
        return ", or a pair of them"
    if name in LISTS:
        return ", or a list of them"
    return ", or a mapping to numbers" if name in MAPPINGS else ""


def _end(name: str, value: Value) -> str:
    """An end of a range."""
    if value is None:
        return ""
    if isinstance(value, Date):
        return f"{value.year:04}.{value.month:02}.{value.day:02}"
    text = _one(name, value)
    if text.startswith("-") and not isinstance(value, str):
        # A range would take its sign for the dash.
        raise QueryError(f"{name}: {text} is below 0; write an open end as (None, 5) or (5, None)")
    return text


def _range(name: str, value: Value) -> str:
    if not isinstance(value, (tuple, list)):
        return _end(name, value)
    if len(value) != 2:
        raise TypeError(f"{name}: expected a range with two ends, not {len(value)}")
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
    """The parameters, if all of them are of this kind."""
    names = get_type_hints(kind)
    for name in parameters:
        if name not in names:
            raise TypeError(f"{name}: unknown parameter; expected one of {', '.join(names)}")
    return parameters


def texts(parameters: Mapping[str, Value]) -> dict[str, str]:
    """Parameters as texts, without those that are `None`."""
    given = {name: it for name, it in parameters.items() if it is not None}
    return {name: sound(name, _text(name, it)) for name, it in given.items()}


def encoded(parameters: Mapping[str, Value]) -> str:
    """Parameters as they stand behind the question mark of an address."""
    return urlencode(texts(parameters))


def sound(name: str, text: str) -> str:
    """The text, if it can be written as bytes. Half a surrogate pair, as a broken file name or a
    careless cut leaves it, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            f"{name}: {text[error.start]!a} at {error.start} is not a character; remove it"
        ) from None
    return text
