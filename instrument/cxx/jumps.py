"""Jumps into loops: C++ forbids them past the construction of a guard."""

from __future__ import annotations

import re
from typing import Final

from .scopes import Scope

__all__ = ["why_entered"]

_GOTO: Final = re.compile(r"\bgoto\s+(\w+)")
_INDIRECT: Final = re.compile(r"\bgoto\s*\*|\basm\b[\w\s]*\bgoto\b|\b__asm__\b[\w\s]*\bgoto\b")
_ADDRESS: Final = re.compile(r"(?<![\w)\]])\s*&&\s*(\w+)")
_WORD: Final = re.compile(r"\w+")


def why_entered(masked: str, scope: Scope, start: int, end: int) -> str:
    """Say why a guard around a loop could be jumped over, or left behind.

    Args:
        masked: The unit's text.
        scope: The function that the loop is in.
        start: Where the loop begins.
        end: Where it ends.
    """

    def inside(offset: int) -> bool:
        return start <= offset < end

    if any(inside(case) and not inside(switch) for case, switch in scope.cases):
        return "entered by a case label of a switch around it"
    labels = {word[0]: offset for offset in scope.labels if (word := _WORD.match(masked, offset))}
    if not labels:
        return ""
    body = scope.body
    for goto in _GOTO.finditer(masked, body.body, body.end):
        if scope.holds(goto.start()) and not inside(goto.start()) and inside(labels.get(goto[1], -1)):
            return f"entered by goto {goto[1]}"
    taken = [labels[match[1]] for match in _ADDRESS.finditer(masked, body.body, body.end) if match[1] in labels]
    indirect = [match.start() for match in _INDIRECT.finditer(masked, body.body, body.end)]
    dynamic = [inside(offset) for offset in [*taken, *indirect]]
    if any(dynamic) and not all(dynamic):
        return "entered or left by a computed goto"
    return ""
