"""Answers: frozen dataclasses with the field names of the JSON that the program, the server and a
cluster give. `docs/python.md` shows them; each question has a file here.

| file | what |
|---|---|
| `shape` | dataclasses from JSON, back, and as rows |
| `document` | what every answer has |
| `common` | values that several answers share |
"""

from .cases import CaseReply, CasesAnswer, ListedCase
from .common import FAMILIES, Counts, GameHeader, SharedTerm, SharedWord
from .compare import CompareAnswer, Comparison, Match
from .document import Answer, Coverage
from .encode import EncodeAnswer, Term
from .exercises import Exercise, ExercisesAnswer
from .explain import ExplainAnswer
from .explore import (
    ExploreAnswer,
    ExploredGame,
    ExploredMove,
    ExploredPlayer,
    Opening,
    PositionComment,
    SuggestedMove,
    Twin,
    TwinsAnswer,
)
from .find import FindAnswer, FindPlan, FindResults, NextMove, PatternMatch, PlanStep
from .game import GameAnswer, Ply
from .near import NearAnswer, NearHit
from .play import Memory, PlayAnswer, Remembered, Witness
from .prepare import OpponentGame, Parallel, PrepareAnswer, Repertoire, RepertoireMove, Results
from .record import RecordAnswer
from .review import Balance, Departure, Evaluation, Known, Moment, ReviewAnswer, Similar
from .search import Hit, HitMove, PlayedMove, QueryPosition, Reranked, SearchAnswer, to_pandas
from .stats import StatsAnswer, StatsBar
from .structures import Structure, StructuresAnswer
from .traps import Trap, TrapsAnswer

__all__ = [
    "Departure",
    "FAMILIES",
    "Answer",
    "Balance",
    "CaseReply",
    "CasesAnswer",
    "CompareAnswer",
    "Comparison",
    "Counts",
    "Coverage",
    "EncodeAnswer",
    "Evaluation",
    "Exercise",
    "ExercisesAnswer",
    "ExplainAnswer",
    "ExploreAnswer",
    "ExploredGame",
    "ExploredMove",
    "ExploredPlayer",
    "FindAnswer",
    "FindPlan",
    "FindResults",
    "GameAnswer",
    "GameHeader",
    "Hit",
    "HitMove",
    "Known",
    "ListedCase",
    "Match",
    "Memory",
    "Moment",
    "NearAnswer",
    "NearHit",
    "NextMove",
    "Opening",
    "OpponentGame",
    "Parallel",
    "PatternMatch",
    "PlanStep",
    "PlayAnswer",
    "PlayedMove",
    "Ply",
    "PositionComment",
    "PrepareAnswer",
    "QueryPosition",
    "RecordAnswer",
    "Remembered",
    "Repertoire",
    "RepertoireMove",
    "Reranked",
    "Results",
    "ReviewAnswer",
    "SearchAnswer",
    "SharedTerm",
    "SharedWord",
    "Similar",
    "StatsAnswer",
    "StatsBar",
    "Structure",
    "StructuresAnswer",
    "SuggestedMove",
    "Term",
    "Trap",
    "TrapsAnswer",
    "Twin",
    "TwinsAnswer",
    "Witness",
    "to_pandas",
]
