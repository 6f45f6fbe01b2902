"""Find jumps that would enter a part of a function without executing the part's guard, or leave the guard open."""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import Final, TypeVar

from ..expression import expression
from ..syntax import Body
from .lexer import group_end

__all__ = ["Jumps", "has_jumps"]

_GOTO: Final = expression(r"\bgoto\s+([\w$]+)")
_INDIRECT: Final = expression(r"\bgoto\s*\*|\b(?:asm|__asm(?:__)?)\b[\w\s]*\bgoto\b[\w\s]*(?P<opening>\(?)")
# After one of these tokens, '&&' can only take a label's address; after 'n--' and 'n++', it is a logical AND.
_ADDRESS: Final = expression(r"(?:[*/%&|^<>=!~?:,;({\[]|(?<!-)-|(?<!\+)\+|\breturn)\s*&&\s*([\w$]+)")
_NAME: Final = expression(r"[\w$]+")
_Place = TypeVar("_Place", tuple[int, int], tuple[int, str, int, int])


class Jumps:
    """The jumps of a function.

    Args:
        masked: The unit's text.
        body: The function.
    """

    def __init__(self, masked: str, body: Body) -> None:
        # Names are compared as they are in the masked text, in which letters beyond ASCII are underscores.
        labels = {match[0]: match.start() for label in body.labels if (match := _NAME.match(masked, label))}
        sources: dict[str, list[int]] = {name: [] for name in labels}
        for goto in _GOTO.finditer(masked, body.opening, body.end) if labels else ():
            if goto[1] in labels and body.holds(goto.start()):
                sources[goto[1]].append(goto.start())
        self._labels = sorted((labels[name], name, each[0], each[-1]) for name, each in sources.items() if each)
        self._cases = sorted((case.offset, case.switch) for case in body.cases)
        self._dynamic = sorted(_dynamic(masked, body, labels)) if labels else []

    def why_entered(self, start: int, end: int) -> str:
        """Return how a jump could skip a guard around ``start`` to ``end``, or leave it open; "" if none could."""
        for _, name, first, last in _within(self._labels, start, end):
            if first < start or last >= end:
                return f"entered by goto {name}"
        if any(switch < start for _, switch in _within(self._cases, start, end)):
            return "entered by a case label of an enclosing switch"
        inside = bisect_left(self._dynamic, end) - bisect_left(self._dynamic, start)
        return "entered or left by a computed goto" if 0 < inside < len(self._dynamic) else ""


def _within(places: list[_Place], start: int, end: int) -> list[_Place]:
    """Return the items of a sorted list that begin in ``[start, end)``."""
    return places[bisect_left(places, start, key=itemgetter(0)) : bisect_left(places, end, key=itemgetter(0))]


def _dynamic(masked: str, body: Body, labels: dict[str, int]) -> list[int]:
    """Return the offsets of computed jumps and of the labels that they may reach; an empty list if there are none."""
    indirect = list(_INDIRECT.finditer(masked, body.opening, body.end))
    names = [match[1] for match in _ADDRESS.finditer(masked, body.opening, body.end)] if indirect else []
    names += [name for match in indirect if match["opening"] for name in _named(masked, match.end() - 1)]
    taken = [labels[name] for name in names if name in labels]
    return [*taken, *(match.start() for match in indirect)] if taken else []


def _named(masked: str, opening: int) -> list[str]:
    """Return the names of the labels at the end of an ``asm goto``, whose parenthesis opens at ``opening``."""
    return _NAME.findall(masked[opening : group_end(masked, opening)].rpartition(":")[2])


def has_jumps(masked: str, body: Body) -> bool:
    """Return whether a function has labels, computed jumps or ``asm goto``."""
    return bool(body.labels) or any(
        body.holds(match.start()) for match in _INDIRECT.finditer(masked, body.opening, body.end)
    )
