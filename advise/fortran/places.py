"""The positions of a statement's characters in the user's file."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from ...instrument.fortran.lines import Statement
from ...instrument.line_markers import MarkedText

__all__ = ["At", "Places"]


class At(NamedTuple):
    """A line and a column, from 1."""

    line: int
    column: int


class Places:
    """Positions of the characters in a statement's code.

    Args:
        statement: The statement.
        text: The source that contains the statement.
    """

    def __init__(self, statement: Statement, text: MarkedText) -> None:
        self.file = text.place(statement.start).file
        self._visible = [place for place, each in enumerate(statement.text) if not each.isspace()]
        self._starts: list[int] = []
        self._places: list[At] = []
        total = 0
        for offset, piece in statement.pieces:
            if piece:
                place = text.place(offset)
                self._starts.append(total)
                self._places.append(At(place.line, place.column))
                total += len(piece)
        self._statement = statement
        self._text = text.text

    def at(self, index: int) -> At:
        """Return the position of a character of the code."""
        index = self.index(index)
        piece = bisect_right(self._starts, index) - 1
        line, column = self._places[piece]
        return At(line, column + index - self._starts[piece])

    def index(self, index: int) -> int:
        """Return the index in the statement's text for an index in its code."""
        return self._visible[min(index, len(self._visible) - 1)]

    def written(self, first: int, last: int) -> str:
        """Return a part of the code as it is written in the source."""
        start, end = self._statement.at(self.index(first)), self._statement.at(self.index(last - 1))
        return self._text[start : end + 1]
