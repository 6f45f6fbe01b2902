"""Create the regions that do not follow from syntax: marked and merged regions, and the blocks of split regions."""

from __future__ import annotations

from collections.abc import Iterator

from ...experiment.region import Region
from ..choice import Choice
from ..code_region import CodeRegion
from ..syntax import Body
from .judge import Judge
from .spans import marks

__all__ = ["planned_parts"]


def planned_parts(
    body: Body, function: Region, inner: list[CodeRegion], judge: Judge, choice: Choice
) -> list[CodeRegion]:
    """Return the parts of a function that the user has marked or the plan merges, and blocks that the plan splits off.

    The regions are numbered in this order.

    Args:
        body: The function.
        function: The function's region.
        inner: The other regions in the function.
        judge: Explains why a guard around a part could be jumped over or left open.
        choice: The requested regions.
    """
    found = marks(judge.unit, body.opening, body.end) if choice.wants("user") else ()
    marked = [mark for mark in found if body.holds(mark.start)]
    merged = list(choice.merged(inner))
    if not (marked or merged or choice.asks_for_blocks(function, inner)):
        return []
    parts = _Parts(body, function, judge)
    for mark in marked:
        parts.add(mark.name or "autoanalyzer", mark.start, mark.end, mark.problem)
    for name, members in merged:
        start, end = parts.spans.grown(members[0].start, max(each.end for each in members))
        parts.add(name, start, end, of_plan="merge")
    for start, end in list(_blocks(parts, inner, choice)):
        parts.add("block", start, end, of_plan="split")
    return parts.made


def _blocks(parts: _Parts, inner: list[CodeRegion], choice: Choice) -> Iterator[tuple[int, int]]:
    if "blocks" in choice.splits(parts.function):
        yield from parts.spans.blocks(parts.body.opening + 1, parts.body.end - 1)
    for each in (*inner, *parts.made):
        if not each.reason and "blocks" in choice.splits(each.region):
            place = (each.start, each.end) if each.region.kind == "user" else parts.spans.inside(each.start, each.end)
            if place:
                yield from parts.spans.blocks(*place)


class _Parts:
    """The parts that have been created for a function so far."""

    def __init__(self, body: Body, function: Region, judge: Judge) -> None:
        self.body = body
        self.function = function
        self.judge = judge
        self.spans = judge.spans(body)
        self.made: list[CodeRegion] = []

    def add(self, name: str, start: int, end: int, problem: str = "", of_plan: str = "") -> None:
        is_block = of_plan == "split"
        region = self.judge.part(self.function, "user", name, len(self.made), (start, end), by_line=is_block)
        reason = problem or self._why_not(start, end)
        keeps_scope = not reason and self.spans.declares(start, end)
        is_said = bool(reason) and not is_block
        self.made.append(
            CodeRegion(region, start, end, reason, is_said=is_said, of_plan=of_plan, keeps_scope=keeps_scope)
        )

    def _why_not(self, start: int, end: int) -> str:
        for each in self.made:
            if not each.reason and (each.start < start < each.end < end or start < each.start < end < each.end):
                return f"overlaps {each.region.name}"
        return self.judge.why_not(self.body, start, end) or self.spans.why_not(start, end)
