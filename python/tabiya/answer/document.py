"""What every answer has: the question, the parameters in force, and the time it took."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from ..errors import QueryError
from .shape import ABSENT, Shape, reader

SCHEMA = 3
"""The version of the shapes that this package reads."""


@dataclass(frozen=True, slots=True)
class Coverage(Shape):
    """How much of a collection an answer comes from."""

    answered: int
    """Shards that answered."""
    total: int
    """All shards."""


@dataclass(frozen=True, slots=True)
class Answer(Shape):
    """An answer to any question. Answers that differ only in time and shards are equal."""

    QUESTION: ClassVar[str | None] = None
    _KINDS: ClassVar[dict[str, type[Answer]]] = {}

    schema: int
    """The version of the shapes."""
    question: str
    """The name of the question."""
    settings: Mapping[str, Any] = field(hash=False, repr=False)
    """The parameters in force, defaults included."""
    took_ms: float = field(compare=False)
    """The time in milliseconds."""
    shards: Coverage | None = field(compare=False, metadata=ABSENT)
    """The shards that answered; `None` from a single machine."""

    def __init_subclass__(cls) -> None:
        if cls.QUESTION:
            # Again for the class with slots that `dataclass` makes of this one.
            Answer._KINDS[cls.QUESTION] = cls

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Reads what `--json`, the server and a cluster give. `Answer.from_json` reads the answer
        to any question, a subclass the answer to its own."""
        try:
            document = json.loads(text)
            if document["schema"] != SCHEMA:
                raise QueryError(
                    f"the answer has schema {document['schema']}, expected {SCHEMA}; "
                    "use the same version of tabiya on both sides"
                )
            kind = Answer._KINDS[document["question"]]
            if not issubclass(kind, cls):
                raise TypeError(f"an answer to {document['question']}")
            answer: Self = reader(kind)(document)
            return answer
        except (LookupError, TypeError, ValueError) as error:
            if isinstance(error, QueryError):
                raise
            wanted = f"to {cls.QUESTION}" if cls.QUESTION else "of tabiya"
            raise QueryError(f"not an answer {wanted}: {_beginning(text)}") from error


def _beginning(text: str | bytes) -> str:
    return text[:200] if isinstance(text, str) else text[:200].decode(errors="replace")
