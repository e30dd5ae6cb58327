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
    CasesAnswer,
    CompareAnswer,
    EncodeAnswer,
    ExercisesAnswer,
    ExplainAnswer,
    ExploreAnswer,
    FindAnswer,
    GameAnswer,
    GameHeader,
    Hit,
    NearAnswer,
    PlayAnswer,
    PrepareAnswer,
    RecordAnswer,
    ReviewAnswer,
    SearchAnswer,
    StatsAnswer,
    StructuresAnswer,
    TrapsAnswer,
    TwinsAnswer,
    to_pandas,
)
from .collection import Collection, Progress, Report, index
from .depot import Depot, Manifest, ShardEntry
from .errors import (
    DamagedError,
    IncompleteError,
    InternalError,
    LockedError,
    MissingFileError,
    MissingGameError,
    NotACollectionError,
    QueryError,
    StorageError,
    TabiyaError,
)
from .question import compare, encode, record, structures
from .shard import Shard, ShardGroup, Statistics, build_shards, merge

__version__ = version("tabiya")

__all__ = [
    "Answer",
    "CasesAnswer",
    "Collection",
    "CompareAnswer",
    "DamagedError",
    "Depot",
    "EncodeAnswer",
    "ExercisesAnswer",
    "ExplainAnswer",
    "ExploreAnswer",
    "FindAnswer",
    "GameAnswer",
    "GameHeader",
    "Hit",
    "IncompleteError",
    "InternalError",
    "LockedError",
    "Manifest",
    "MissingFileError",
    "MissingGameError",
    "NearAnswer",
    "NotACollectionError",
    "PlayAnswer",
    "PrepareAnswer",
    "Progress",
    "QueryError",
    "RecordAnswer",
    "Report",
    "ReviewAnswer",
    "SearchAnswer",
    "Shard",
    "ShardEntry",
    "ShardGroup",
    "Statistics",
    "StatsAnswer",
    "StorageError",
    "StructuresAnswer",
    "TabiyaError",
    "TrapsAnswer",
    "TwinsAnswer",
    "build_shards",
    "compare",
    "encode",
    "index",
    "merge",
    "record",
    "structures",
    "to_pandas",
]
