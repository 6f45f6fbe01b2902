"""Lines inserted into a Fortran source, each with the number of an existing line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..expression import expression
from ..line_markers import MarkedText

__all__ = ["Edit", "Lines", "applied", "line_marker"]

_NOT_TAB: Final = expression(r"[^\t]")


class Lines(NamedTuple):
    """Lines to insert.

    Attributes:
        rank: Their order among insertions at one place.
        code: Offset of the code to which they belong: each gets the number of its line.
        lines: Their text.
    """

    rank: int
    code: int
    lines: list[str]


class Edit:
    """The insertions at an offset.

    Attributes:
        lines: In any order.
        head: Text that completes the previous statement: CONTINUE after a label, a jump as the action of an IF.
        resume: Offset at which the source continues.
    """

    def __init__(self, head: str = "", resume: int = -1) -> None:
        self.lines: list[Lines] = []
        self.head = head
        self.resume = resume


def applied(text: MarkedText, edits: Mapping[int, Edit]) -> str:
    """Return the text with all insertions; existing text keeps its line numbers and columns."""
    source = text.text
    pieces = [] if source.startswith("#") else [text.markers[0].text(1), "\n"]
    done = 0
    for offset in sorted(edits):
        edit = edits[offset]
        resume = max(offset, edit.resume)
        line_start = source.rfind("\n", 0, resume) + 1
        pieces.append(source[done:offset])
        if offset > source.rfind("\n", 0, offset) + 1:
            pieces.append(f"{edit.head}\n")
        for lines in sorted(edit.lines, key=lambda each: each.rank):
            marker = line_marker(text, lines.code)
            pieces.extend(f"{marker}{line}\n" for line in lines.lines)
        pieces.append(line_marker(text, resume))
        pieces.append(_NOT_TAB.sub(" ", source[line_start:resume]))
        done = resume
    return "".join([*pieces, source[done:]])


def line_marker(text: MarkedText, offset: int) -> str:
    """Return the line marker that gives the next line the number of the line at an offset."""
    return f"{text.marker(offset).text(text.place(offset).line)}\n"
