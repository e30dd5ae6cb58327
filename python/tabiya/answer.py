"""Answers: what a search, an explanation, a look into the explorer, a comparison
and an encoding tell, as frozen dataclasses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar, overload

import chess

from .errors import QueryError

if TYPE_CHECKING:
    import pandas

Json = dict[str, Any]

FAMILIES = ("attack", "defence", "place", "ray", "reach")

# What of a hit is no single value.
NESTED = ("shared", "families", "next", "turned_next")


T = TypeVar("T")


def _read(text: str, of: Callable[[Any], T]) -> T:
    """What JSON tells, if it is of the right shape."""
    try:
        return of(json.loads(text))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise QueryError(f"not an answer of ours: {text[:200]}") from error


def _table(rows: list[Json], columns: Sequence[str]) -> pandas.DataFrame:
    """The rows; where there are none, their columns are there all the same."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas; install it with: pip install pandas") from error
    return pandas.DataFrame(rows, columns=None if rows else list(columns))


def _names(kind: Any) -> list[str]:
    return [it.name for it in fields(kind)]


@dataclass(frozen=True, slots=True)
class Game:
    """A game's tags. A rating that is not known is 0, a code ""."""

    id: int
    """Its number in the collection, counted from one."""
    white: str
    black: str
    white_elo: int
    black_elo: int
    event: str
    site: str
    date: str
    round: str
    result: str
    eco: str


@dataclass(frozen=True, slots=True)
class Shared:
    """A term that both positions hold."""

    term: str
    """The term in the paper's notation, such as "b>Nc3"."""
    family: str
    """place, reach, attack, defence or ray."""
    weight: float
    share: float
    """The part of the score that it makes up."""
    words: str
    """The term in words."""
    square: str
    """The square that it speaks of, as the query sees it."""
    here: tuple[str, ...]
    """Where the pieces stand that it speaks of, in the query."""
    there: tuple[str, ...]
    """The same in the other position, as the query sees it."""

    @classmethod
    def _of(cls, told: Json) -> Shared:
        return cls(**{**told, "here": tuple(told["here"]), "there": tuple(told["there"])})


@dataclass(frozen=True, slots=True)
class Play:
    """How a hit fares in the second ranking."""

    similarity: float
    """How alike the two positions play, from 0 to 1."""
    score: float
    """What the hits are ordered by."""
    first_rank: int
    """The place in the first ranking."""
    flag: str | None
    """Words where the two rankings differ most."""


@dataclass(frozen=True, slots=True)
class Hit:
    """The position of a game that is most like the query."""

    rank: int
    score: float
    similarity: float
    """The score as a part of what the query itself would get: 1 for the same."""
    symmetry: str
    """How the query was turned to meet this position: none, swap, mirror or both."""
    fen: str
    """The position as it was in the game."""
    turned_fen: str
    """The position, turned to the query's view."""
    ply: int
    """How many half-moves were played before it."""
    game: Game
    next: tuple[str, ...]
    """The moves that followed (SAN)."""
    turned_next: tuple[str, ...]
    """The same, turned to the query's view."""
    families: Mapping[str, float] = field(hash=False)
    """The parts of the score that the families of terms have."""
    shared: tuple[Shared, ...]
    """Why it is a hit, the strongest reason first."""
    rerank: Play | None = None
    """How it fares in the second ranking, if there was one."""

    @classmethod
    def _of(cls, told: Json) -> Hit:
        second = told.get("rerank")
        return cls(
            **{
                **told,
                "game": Game(**told["game"]),
                "next": tuple(told["next"]),
                "turned_next": tuple(told["turned_next"]),
                "shared": tuple(map(Shared._of, told["shared"])),
                "rerank": Play(**second) if second else None,
            }
        )

    def board(self) -> chess.Board:
        """The position as it was in the game."""
        return chess.Board(self.fen)

    def turned_board(self) -> chess.Board:
        """The position, turned to the query's view."""
        return chess.Board(self.turned_fen)

    def next_moves(self) -> list[chess.Move]:
        """The moves that followed in the game, to be pushed to `board()`."""
        board, moves = self.board(), []
        for san in self.next:
            moves.append(board.push_san(san))
        return moves

    def to_dict(self) -> Json:
        """The hit as a flat row: the game's tags beside its own numbers."""
        row = asdict(self)
        game, second = row.pop("game"), row.pop("rerank")
        for name in NESTED:
            row.pop(name)
        row |= {"game": game.pop("id"), **game}
        row["next"] = " ".join(self.next)
        row |= {f"share_{name}": share for name, share in self.families.items()}
        if second:
            row |= {f"rerank_{name}": it for name, it in second.items()}
        return row

    @classmethod
    def _columns(cls) -> list[str]:
        """The names in a row of a first ranking."""
        own = [it for it in _names(cls) if it not in ("game", "rerank", *NESTED)]
        tags = [it for it in _names(Game) if it != "id"]
        return [*own, "game", *tags, "next", *(f"share_{it}" for it in FAMILIES)]


@dataclass(frozen=True, slots=True)
class Move:
    """A move that was played in similar positions. Results are in the query's view."""

    uci: str
    san: str
    legal: bool
    """Whether it is possible in the query's position."""
    games: int
    white: int
    """How many of the games White won."""
    draws: int
    black: int
    weight: float
    """The sum of the similarities."""
    average_elo: int
    """The mean rating of the players, 0 if none is known."""

    @property
    def move(self) -> chess.Move:
        """The move for a `chess.Board`."""
        return chess.Move.from_uci(self.uci)


@dataclass(frozen=True, slots=True)
class Answer(Sequence[Hit]):
    """The answer to a search: its hits, best first, and what was played in them."""

    fen: str
    """The position that was asked about."""
    games: int
    """How many games were searched."""
    positions: int
    """How many positions they have."""
    took_ms: float
    hits: tuple[Hit, ...] = field(repr=False)
    moves: tuple[Move, ...] = field(repr=False)
    """What was played in the hits, turned to the query's view; possible moves first."""

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """Reads the JSON of `tabiya search --json` and of the server."""
        return _read(text, cls._of)

    @classmethod
    def _of(cls, told: Json) -> Answer:
        return cls(
            fen=told["query"]["fen"],
            games=told["collection"]["games"],
            positions=told["collection"]["positions"],
            took_ms=told["took_ms"],
            hits=tuple(map(Hit._of, told["hits"])),
            moves=tuple(Move(**it) for it in told["moves"]),
        )

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, at: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[at]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def board(self) -> chess.Board:
        """The position that was asked about."""
        return chess.Board(self.fen)

    def to_pandas(self) -> pandas.DataFrame:
        """The hits, a row each."""
        return _table([it.to_dict() for it in self.hits], Hit._columns())

    def moves_to_pandas(self) -> pandas.DataFrame:
        """What was played, a row each move."""
        return _table([asdict(it) for it in self.moves], _names(Move))


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two positions are alike, and in what they differ."""

    score: float
    similarity: float
    symmetry: str
    families: Mapping[str, float] = field(hash=False)
    shared: tuple[Shared, ...]
    only_query: tuple[str, ...]
    """Pieces that only the first position has on their squares, such as "Nc3"."""
    only_other: tuple[str, ...]

    @classmethod
    def from_json(cls, text: str) -> Explanation:
        """Reads the JSON of `tabiya explain --json`."""
        return _read(text, cls._of)

    @classmethod
    def _of(cls, told: Json) -> Explanation:
        return cls(
            **{
                **told,
                "shared": tuple(map(Shared._of, told["shared"])),
                "only_query": tuple(told["only_query"]),
                "only_other": tuple(told["only_other"]),
            }
        )

    def to_pandas(self) -> pandas.DataFrame:
        """The shared terms, a row each."""
        return _table([asdict(it) for it in self.shared], _names(Shared))


@dataclass(frozen=True, slots=True)
class Opening:
    """A named opening."""

    eco: str
    name: str

    @classmethod
    def _of(cls, told: Json | None) -> Opening | None:
        return cls(**told) if told else None


@dataclass(frozen=True, slots=True)
class ExploredMove:
    """A move that was played in exactly this position."""

    uci: str
    san: str
    average_rating: int | None
    white: int
    draws: int
    black: int
    unknown: int
    """Games without a known result."""
    last_year: int | None
    opening: Opening | None
    """The opening that the move leads to."""

    @property
    def games(self) -> int:
        """In how many games it was played."""
        return self.white + self.draws + self.black + self.unknown

    @property
    def move(self) -> chess.Move:
        """The move for a `chess.Board`."""
        return chess.Move.from_uci(self.uci)


@dataclass(frozen=True, slots=True)
class ExploredGame:
    """A game that had the position."""

    id: int
    uci: str | None
    """The move that followed."""
    white: str
    white_rating: int | None
    black: str
    black_rating: int | None
    year: int | None
    month: str | None
    ply: int
    result: str
    event: str

    @classmethod
    def _of(cls, told: Json) -> ExploredGame:
        white, black = told["white"], told["black"]
        return cls(
            id=int(told["id"]),
            uci=told["uci"],
            white=white["name"],
            white_rating=white["rating"],
            black=black["name"],
            black_rating=black["rating"],
            **{name: told[name] for name in ("year", "month", "ply", "result", "event")},
        )


@dataclass(frozen=True, slots=True)
class Exploration:
    """What was played in exactly this position, by whom, and how it ended."""

    white: int
    draws: int
    black: int
    unknown: int
    moves: tuple[ExploredMove, ...]
    top_games: tuple[ExploredGame, ...]
    recent_games: tuple[ExploredGame, ...]
    opening: Opening | None

    @property
    def games(self) -> int:
        """How many games had the position."""
        return self.white + self.draws + self.black + self.unknown

    @classmethod
    def from_json(cls, text: str) -> Exploration:
        """Reads the JSON of `tabiya explore --json`, the Lichess explorer's shape."""
        return _read(text, cls._of)

    @classmethod
    def _of(cls, told: Json) -> Exploration:
        moves = (
            ExploredMove(
                average_rating=it["averageRating"],
                last_year=it["lastYear"],
                opening=Opening._of(it["opening"]),
                **{name: it[name] for name in ("uci", "san", "white", "draws", "black", "unknown")},
            )
            for it in told["moves"]
        )
        return cls(
            moves=tuple(moves),
            top_games=tuple(map(ExploredGame._of, told["topGames"])),
            recent_games=tuple(map(ExploredGame._of, told["recentGames"])),
            opening=Opening._of(told["opening"]),
            **{name: told[name] for name in ("white", "draws", "black", "unknown")},
        )

    def to_pandas(self) -> pandas.DataFrame:
        """The moves, a row each."""
        rows = [{**asdict(it), "games": it.games} for it in self.moves]
        for row, it in zip(rows, self.moves, strict=True):
            row["opening"] = it.opening.name if it.opening else None
        return _table(rows, [*_names(ExploredMove), "games"])


@dataclass(frozen=True, slots=True)
class Match:
    """Two moves that stand alike."""

    a: str
    b: str
    count: int
    """How often they were paired."""
    effects: tuple[str, str]
    paths: tuple[tuple[str, str], tuple[str, str]]
    """From where to where the two moves go."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two positions by every measure, each from 0 to 1 (1 for the same);
    `docs/measures.md` defines them."""

    measures: Mapping[str, float | None] = field(hash=False)
    """All measures by name; those over play carry their depth, such as
    "continuations_2". `None` for a tree too large to edit."""
    matches: tuple[Match, ...]
    """The moves that stand alike."""
    verdict: str
    """The comparison in a sentence."""
    shared: tuple[str, ...]
    """Moves that can be played in both."""
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    swapped: Comparison | None
    """The same with the second position's colors exchanged, if different sides are
    to move."""

    def __getitem__(self, measure: str) -> float | None:
        return self.measures[measure]

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Reads the JSON of `tabiya compare --json --more`."""
        return _read(text, cls._of)

    @classmethod
    def _of(cls, told: Json) -> Comparison:
        matches = told.pop("matches")
        swapped = told.pop("swapped", None)
        rest = {name: told.pop(name) for name in ("verdict", "shared", "only_a", "only_b")}
        return cls(
            measures=told,
            matches=tuple(
                Match(
                    **{
                        **it,
                        "effects": tuple(it["effects"]),
                        "paths": tuple(map(tuple, it["paths"])),
                    }
                )
                for it in matches
            ),
            verdict=rest["verdict"],
            shared=tuple(rest["shared"]),
            only_a=tuple(rest["only_a"]),
            only_b=tuple(rest["only_b"]),
            swapped=cls._of(swapped) if swapped else None,
        )

    def to_pandas(self) -> pandas.DataFrame:
        """The measures, a row each, with a column for the swapped view if there is one."""
        rows = [{"measure": name, "value": it} for name, it in self.measures.items()]
        if self.swapped:
            for row in rows:
                row["swapped"] = self.swapped.measures[str(row["measure"])]
        return _table(rows, ["measure", "value"])


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a position."""

    term: str
    family: str
    weight: float


@dataclass(frozen=True, slots=True)
class Encoding(Sequence[Term]):
    """The terms of a position in the paper's notation."""

    fen: str
    length: int
    terms: tuple[Term, ...]

    @classmethod
    def from_json(cls, text: str) -> Encoding:
        """Reads the JSON of `tabiya encode --json`."""
        return _read(text, cls._of)

    @classmethod
    def _of(cls, told: Json) -> Encoding:
        return cls(told["fen"], told["length"], tuple(Term(**it) for it in told["terms"]))

    @overload
    def __getitem__(self, at: int) -> Term: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Term, ...]: ...
    def __getitem__(self, at: int | slice) -> Term | tuple[Term, ...]:
        return self.terms[at]

    def __len__(self) -> int:
        return len(self.terms)

    def family(self, name: str) -> list[Term]:
        """The terms of one family."""
        return [it for it in self.terms if it.family == name]

    def to_pandas(self) -> pandas.DataFrame:
        """The terms, a row each."""
        return _table([asdict(it) for it in self.terms], _names(Term))
