"""Regions that no syntax makes: marked by the user, merged, or split into blocks, as the plan says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...experiment.region import Region
from ..choice import Choice
from ..code_region import CodeRegion
from .judge import NamePart
from .preprocessed import Preprocessed
from .spans import Spans, marks

__all__ = ["Whole", "planned_parts"]


@dataclass(frozen=True, slots=True)
class Whole:
    """A function that parts are looked for in.

    Attributes:
        unit: The text.
        region: What is known of the function.
        body: Where its body begins.
        end: Right after its body.
        name_part: Gives the region of a part.
        why_not: Says why a guard around what stands between two offsets could be jumped over, or left behind.
        spans: Looks through the function.
        holds: Tells whether the text at an offset is its own, and no other function's within it.
    """

    unit: Preprocessed
    region: Region
    body: int
    end: int
    name_part: NamePart
    why_not: Callable[[int, int], str]
    spans: Callable[[], Spans]
    holds: Callable[[int], bool] = lambda _: True


def planned_parts(function: Whole, inner: list[CodeRegion], choice: Choice) -> list[CodeRegion]:
    """Give what the user marks in a function, what the plan merges, and what it splits into blocks.

    They are numbered in this order.

    Args:
        function: The function.
        inner: The other regions in it.
        choice: What is wanted.
    """
    found = marks(function.unit, function.body, function.end) if choice.wants("user") else ()
    marked = [mark for mark in found if function.holds(mark.start)]
    merged = list(choice.merged(inner))
    if not (marked or merged or choice.asks_for_blocks(function.region, inner)):
        return []
    parts = _Parts(function)
    for mark in marked:
        parts.add(mark.name or "autoanalyzer", mark.start, mark.end, mark.problem)
    for name, members in merged:
        start, end = parts.spans.grown(members[0].start, max(each.end for each in members))
        parts.add(name, start, end, of_plan="merge")
    for start, end in list(_blocks(parts, inner, choice)):
        parts.add("block", start, end, of_plan="split")
    return parts.made


def _blocks(parts: _Parts, inner: list[CodeRegion], choice: Choice) -> Iterator[tuple[int, int]]:
    function = parts.function
    if "blocks" in choice.splits(function.region):
        yield from parts.spans.blocks(function.body + 1, function.end - 1)
    for each in (*inner, *parts.made):
        if not each.reason and "blocks" in choice.splits(each.region):
            place = (each.start, each.end) if each.region.kind == "user" else parts.spans.inside(each.start, each.end)
            if place:
                yield from parts.spans.blocks(*place)


class _Parts:
    """What has been made in a function so far."""

    def __init__(self, function: Whole) -> None:
        self.function = function
        self.spans = function.spans()
        self.made: list[CodeRegion] = []

    def add(self, name: str, start: int, end: int, problem: str = "", of_plan: str = "") -> None:
        region = self.function.name_part("user", name, len(self.made), (start, end), by_line=of_plan == "split")
        reason = problem or self._why_not(start, end)
        keeps_scope = not reason and self.spans.declares(start, end)
        is_said = bool(reason) and of_plan != "split"
        self.made.append(
            CodeRegion(region, start, end, reason, is_said=is_said, of_plan=of_plan, keeps_scope=keeps_scope)
        )

    def _why_not(self, start: int, end: int) -> str:
        for each in self.made:
            if not each.reason and (each.start < start < each.end < end or start < each.start < end < each.end):
                return f"overlaps {each.region.name}"
        return self.function.why_not(start, end) or self.spans.why_not(start, end)
