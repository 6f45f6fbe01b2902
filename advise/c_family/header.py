"""Loop heads and OpenMP directives, found in the text of a source without a parser."""

from __future__ import annotations

import re
from typing import Final

from ...instrument.c_family.lexer import mask
from ..conditions import all_but_last
from .pragma_macros import directives_of_macros

__all__ = ["directives_of", "masked", "semicolons"]

_PRAGMA: Final = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(omp\b(?:[^\n\\]|\\\n|\\)*)", re.M)
_SOMETHING: Final = re.compile(r"\S")


def masked(text: str) -> str:
    """Replace comments and literals with blanks; offsets stay the same."""
    return mask(text)[0]


def semicolons(text: str, start: int) -> tuple[int, int] | None:
    """Return the offsets of the two semicolons in the head of a ``for``; None if they come from a macro.

    Args:
        text: The file, without comments and literals.
        start: Offset of the loop.
    """
    depth, found = 0, []
    for match in re.finditer(r"[(){}\[\];]", text[start:]):
        mark = match[0]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
            if depth <= 0:
                break
        elif depth == 1:
            found.append(start + match.start())
        elif depth == 0:
            break
    return (found[0], found[1]) if len(found) == 2 else None


def directives_of(text: str, masked_text: str) -> dict[int, str]:
    """Map the line of each statement that follows OpenMP directives to these directives.

    Args:
        text: The file.
        masked_text: The file without comments, literals and directives, at the same offsets.
    """
    found: dict[int, str] = {}
    matches = {text.count("\n", 0, match.start()) + 1: match for match in _PRAGMA.finditer(text)}
    others = all_but_last(text, matches)
    written = ((match.end(), match[1]) for line, match in matches.items() if line not in others)
    for end, words in (*written, *directives_of_macros(text, masked_text)):
        if behind := _SOMETHING.search(masked_text, end):
            line = text.count("\n", 0, behind.start()) + 1
            said = re.sub(r"(\\?\s)+", " ", words).strip()
            found[line] = f"{found[line]}\n{said}" if line in found else said
    return found
