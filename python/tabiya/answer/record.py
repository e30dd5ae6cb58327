"""The compact record of a position."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from .document import Answer


@dataclass(frozen=True, slots=True)
class RecordAnswer(Answer):
    """A record in parts."""

    QUESTION = "record"

    chi2: float
    """The statistic that the record stores."""
    board_chi2: float
    """The statistic of its board."""
    key: str
    """The key: statistic and occupied squares."""
    value: str
    """The value: a half-byte for each piece."""
    bytes: int
    """The length of both."""
    board: str
    """The board as the first field of a FEN."""

    def pieces(self) -> chess.BaseBoard:
        """The board; a record does not store the side to move."""
        return chess.BaseBoard(self.board)
