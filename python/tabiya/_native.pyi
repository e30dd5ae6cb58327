"""The compiled half. Parameters are those of a request, answers are JSON."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import final

__all__ = [
    "Collection",
    "Depot",
    "Shard",
    "ShardGroup",
    "Statistics",
    "ask",
    "build_shards",
    "check",
    "index",
    "merge",
    "paths",
    "questions",
]

_Path = str | PathLike[str]
_Follower = Callable[[int, int | None, int, int], object]

def index(
    pgn: Sequence[_Path],
    folder: _Path,
    skip: int | None,
    threads: int | None,
    progress: _Follower | None,
) -> str: ...
def build_shards(
    pgn: Sequence[_Path],
    folder: _Path,
    skip: int | None,
    threads: int | None,
    progress: _Follower | None,
) -> tuple[str, list[Shard]]: ...
def questions() -> list[str]:
    """The names of all questions."""

def paths() -> list[tuple[str, str]]:
    """The addresses of all questions behind `/api/v1/`, by name."""

def check(question: str, parameters: str) -> str:
    """Raises `QueryError` if a server would refuse a question. Returns which groups of shards must
    be asked: "everyone", "anyone", or the number of the game whose holder must be asked."""

def ask(question: str, parameters: str) -> str:
    """The answer to a question about positions alone."""

def merge(
    question: str,
    parameters: str,
    parts: Sequence[bytes],
    took: float = 0.0,
    shards: tuple[int, int] | None = None,
) -> str:
    """One answer from the parts of all groups, in the order of their games. `took` is the time to
    gather them, in seconds; `shards` how many answered, and how many there are."""

@final
class Collection:
    def __new__(cls, path: _Path) -> Collection: ...
    @property
    def path(self) -> Path: ...
    @property
    def games(self) -> int: ...
    @property
    def positions(self) -> int: ...
    @property
    def skip(self) -> int: ...
    @property
    def statistics(self) -> Statistics: ...
    def shards(self) -> list[tuple[Path, int]]: ...
    def ask(self, question: str, parameters: str) -> str: ...
    def game(self, number: int) -> str | None: ...

@final
class Statistics:
    """What the ranking needs to know of a whole collection: how many positions there
    are, how long their documents, and how frequent each term. Those of its shards
    add up; they can be compared, pickled, and sent as bytes."""

    def __new__(cls) -> Statistics: ...
    @staticmethod
    def from_bytes(data: bytes) -> Statistics:
        """Reads what `to_bytes` wrote. Raises `DamagedError` if it is anything else."""
    def to_bytes(self) -> bytes:
        """The statistics as compact bytes with a checksum; equal ones for equal ones."""
    @property
    def positions(self) -> int:
        """N: how many positions there are."""
    @property
    def total_length(self) -> int:
        """How many terms all positions hold together."""
    @property
    def mean_length(self) -> float:
        """The mean number of terms of a position; 1 if there are none."""
    @property
    def distinct_terms(self) -> int:
        """How many different terms occur."""
    def merge(self, other: Statistics) -> Statistics:
        """The sum of both."""
    def __add__(self, other: Statistics, /) -> Statistics: ...
    def __radd__(self, other: Statistics, /) -> Statistics: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Shard:
    """A file of games with the index over their positions, such as a collection
    consists of. Opening takes no time, however large it is."""

    def __new__(cls, path: _Path) -> Shard: ...
    @property
    def path(self) -> Path: ...
    @property
    def games(self) -> int:
        """How many games it holds."""
    @property
    def positions(self) -> int:
        """How many indexed positions."""
    def statistics(self) -> Statistics:
        """Its part of the collection's statistics."""
    def check(self) -> None:
        """Reads all of the file and compares its checksums."""

@final
class ShardGroup:
    def __new__(
        cls, shards: Sequence[tuple[_Path, int]], statistics: Statistics, skip: int
    ) -> ShardGroup: ...
    @property
    def games(self) -> int: ...
    @property
    def positions(self) -> int: ...
    @property
    def statistics(self) -> Statistics: ...
    def ask(self, question: str, parameters: str) -> str: ...
    def ask_part(self, question: str, parameters: str) -> bytes: ...

@final
class Depot:
    def __new__(cls, address: str) -> Depot: ...
    @property
    def address(self) -> str: ...
    def generations(self) -> list[int]: ...
    def manifest(self, generation: int | None) -> str: ...
    def statistics(self, generation: int | None) -> Statistics: ...
    def push(
        self, folder: _Path, progress: Callable[[int, int], object] | None
    ) -> tuple[bool, str]: ...
    def pull(
        self,
        generation: int | None,
        folder: _Path,
        progress: Callable[[int, int], object] | None,
    ) -> str: ...
    def put_shard(self, path: _Path) -> tuple[str, str]: ...
    def get_shard(self, shard: str, folder: _Path) -> Path: ...
    def publish(self, skip: int, shards: Sequence[str], statistics: Statistics) -> int: ...
    def list(self, folder: str) -> list[tuple[str, int]]: ...
    def get(self, name: str) -> bytes: ...
    def put(self, name: str, data: bytes) -> None: ...
