"""Lines put into a Fortran source, each with the number of a line that is there already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..expression import expression
from ..line_markers import MarkedText

__all__ = ["Edit", "Lines", "applied", "line_marker"]

_NOT_TAB: Final = expression(r"[^\t]")


class Lines(NamedTuple):
    """Lines to be put in.

    Attributes:
        rank: Their order among what is put in at one place.
        code: Offset of what they count as a part of: each has the number of its line.
        lines: Their text.
    """

    rank: int
    code: int
    lines: list[str]


class Edit:
    """What is put in at an offset.

    Attributes:
        lines: In any order.
        head: What completes the statement before: CONTINUE after a label, a jump as the action of an IF.
        resume: Offset at which the source goes on.
    """

    def __init__(self, head: str = "", resume: int = -1) -> None:
        self.lines: list[Lines] = []
        self.head = head
        self.resume = resume


def applied(text: MarkedText, edits: Mapping[int, Edit]) -> str:
    """Give the text with what is put in at each offset; what was there keeps its line number and column."""
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
    """Spell the line marker that gives the line below the number of the one with an offset."""
    return f"{text.marker(offset).text(text.place(offset).line)}\n"
