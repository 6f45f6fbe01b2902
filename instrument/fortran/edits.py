"""Insert lines into a Fortran source; each inserted line gets the line number of an existing line."""

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
        rank: Sort key among insertions at the same offset.
        code: Offset of existing code, whose line number the inserted lines get.
        lines: The text of the lines.
    """

    rank: int
    code: int
    lines: list[str]


class Edit:
    """The insertions at an offset.

    Attributes:
        lines: The lines to insert, in any order.
        head: Text that completes the preceding statement: CONTINUE after a label, or a jump as the action of an IF.
        resume: Offset at which the source continues after the insertions.
    """

    def __init__(self, head: str = "", resume: int = -1) -> None:
        self.lines: list[Lines] = []
        self.head = head
        self.resume = resume


def applied(text: MarkedText, edits: Mapping[int, Edit]) -> str:
    """Return the text with edits inserted, each at its offset; existing text keeps its line numbers and columns."""
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
    """Return a line marker that gives the next line the number of the line at an offset."""
    return f"{text.marker(offset).text(text.place(offset).line)}\n"
