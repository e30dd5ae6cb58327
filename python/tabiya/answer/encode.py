"""The terms of a position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

from .common import WithFen
from .document import Answer
from .shape import Shape, rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Term(Shape):
    """A term of a position."""

    term: str
    """The term in the notation of the paper."""
    family: str
    """Its family: place, reach, attack, defence or ray."""
    weight: float
    """Its weight."""


@dataclass(frozen=True, slots=True)
class EncodeAnswer(WithFen, Answer, Sequence[Term]):
    """A position and its terms. It is the sequence of its terms."""

    QUESTION = "encode"

    fen: str
    """The position."""
    length: int
    """The number of terms."""
    terms: tuple[Term, ...] = field(repr=False)
    """The terms."""

    @overload
    def __getitem__(self, at: int) -> Term: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Term, ...]: ...
    def __getitem__(self, at: int | slice) -> Term | tuple[Term, ...]:
        return self.terms[at]

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[Term]:
        return iter(self.terms)

    def family(self, name: str) -> list[Term]:
        """The terms of one family."""
        return [it for it in self.terms if it.family == name]

    def to_pandas(self) -> pandas.DataFrame:
        """The terms, one row each."""
        return rows(Term, self.terms)
