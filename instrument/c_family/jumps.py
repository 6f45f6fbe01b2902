"""Jumps, by the text of a function: what would enter a part of it past its guard, or leave that behind."""

from __future__ import annotations

import re
from typing import Final

from ..syntax import Body
from .lexer import group_end

__all__ = ["has_jumps", "why_entered"]

_GOTO: Final = re.compile(r"\bgoto\s+(\w+)")
_INDIRECT: Final = re.compile(r"\bgoto\s*\*|\b(?:asm|__asm(?:__)?)\b[\w\s]*\bgoto\b[\w\s]*(?P<opening>\(?)")
# After one of these a '&&' can only take a label's address; after 'n--' it does not.
_ADDRESS: Final = re.compile(r"(?:[*/%&|^<>=!~?:,;({\[]|(?<!-)-|(?<!\+)\+|\breturn)\s*&&\s*(\w+)")
_NAME: Final = re.compile(r"\w+")


def why_entered(masked: str, body: Body, start: int, end: int) -> str:
    """Say why a guard around a part of a body, given by its offsets, could be jumped over, or left behind."""

    def inside(offset: int) -> bool:
        return start <= offset < end

    labels = {label.name: label.offset for label in body.labels}
    for goto in _GOTO.finditer(masked, body.opening, body.end) if labels else ():
        if body.holds(goto.start()) and not inside(goto.start()) and inside(labels.get(goto[1], -1)):
            return f"entered by goto {goto[1]}"
    if any(inside(case.offset) and not inside(case.switch) for case in body.cases):
        return "entered by a case label of an enclosing switch"
    if not labels:
        return ""
    indirect = list(_INDIRECT.finditer(masked, body.opening, body.end))
    names = [match[1] for match in _ADDRESS.finditer(masked, body.opening, body.end)] if indirect else []
    names += [name for match in indirect if match["opening"] for name in _named(masked, match.end() - 1)]
    taken = [labels[name] for name in names if name in labels]
    dynamic = [inside(offset) for offset in [*taken, *(match.start() for match in indirect)]]
    return "entered or left by a computed goto" if taken and any(dynamic) and not all(dynamic) else ""


def _named(masked: str, opening: int) -> list[str]:
    """Name the labels at the end of the group of an ``asm goto``."""
    return _NAME.findall(masked[opening : group_end(masked, opening)].rpartition(":")[2])


def has_jumps(masked: str, body: Body) -> bool:
    """Tell whether a function has labels, or jumps where it is not said to."""
    return bool(body.labels) or any(
        body.holds(match.start()) for match in _INDIRECT.finditer(masked, body.opening, body.end)
    )
