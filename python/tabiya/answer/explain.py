"""Why two positions are alike, and in what they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .common import SharedTerm, SharedWord
from .document import Answer
from .shape import rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class ExplainAnswer(Answer):
    """What two positions have in common, and what not."""

    QUESTION = "explain"

    similarity: float
    """How similar the positions are, from 0 to 1: by likeness, or by the run or weights given."""
    score: float
    """The score of the second position for the first, by the first ranking."""
    first_similarity: float
    """The score as a part of the first position's own."""
    symmetry: str
    """How the first position was turned to meet the second."""
    turned_fen: str
    """The second position in the view of the first."""
    contributions: Mapping[str, float] | None = field(hash=False)
    """What makes the positions alike or different, by group; None for a run or weights given."""
    both: tuple[SharedWord, ...]
    """What a player would say of both positions, the most important first."""
    families: Mapping[str, float] = field(hash=False)
    """The shares of the score by family."""
    shared: tuple[SharedTerm, ...]
    """The shared terms, the most telling first."""
    only_query: tuple[str, ...]
    """Pieces that only the first position has on their squares."""
    only_other: tuple[str, ...]
    """Pieces that only the second position has on their squares."""

    def to_pandas(self) -> pandas.DataFrame:
        """The shared terms, one row each."""
        return rows(SharedTerm, self.shared)
