"""Similar chess positions from an archive of real games, ranked and explained.

>>> import chess, tabiya
>>> tabiya.index("games.pgn", "my-games")  # doctest: +SKIP
>>> collection = tabiya.Collection("my-games")  # doctest: +SKIP
>>> for hit in collection.search(chess.Board(), top=3):  # doctest: +SKIP
...     print(f"{hit.similarity:.0%} {hit.game.white} - {hit.game.black}: {hit.next}")
"""

from importlib.metadata import version

from .answer import (
    Answer,
    Comparison,
    Encoding,
    Exploration,
    ExploredGame,
    ExploredMove,
    Explanation,
    Game,
    Hit,
    Match,
    Move,
    Opening,
    Play,
    Shared,
    Term,
)
from .collection import Collection, Progress, Report, compare, encode, index
from .depot import Depot, Manifest, ShardEntry
from .errors import (
    DamagedError,
    IncompleteError,
    InternalError,
    LockedError,
    MissingFileError,
    NotACollectionError,
    QueryError,
    StorageError,
    TabiyaError,
)
from .shard import Shard, ShardGroup, Statistics, build_shards, merge_answers

__version__ = version("tabiya")

__all__ = [
    "Answer",
    "Collection",
    "Comparison",
    "DamagedError",
    "Depot",
    "Encoding",
    "Exploration",
    "ExploredGame",
    "ExploredMove",
    "Explanation",
    "Game",
    "Hit",
    "IncompleteError",
    "InternalError",
    "LockedError",
    "Manifest",
    "Match",
    "MissingFileError",
    "Move",
    "NotACollectionError",
    "Opening",
    "Play",
    "Progress",
    "QueryError",
    "Report",
    "Shard",
    "ShardEntry",
    "ShardGroup",
    "Shared",
    "Statistics",
    "StorageError",
    "TabiyaError",
    "Term",
    "build_shards",
    "compare",
    "encode",
    "index",
    "merge_answers",
]
