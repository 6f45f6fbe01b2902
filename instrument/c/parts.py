"""Regions that no syntax makes: marked by the user, merged, or split into blocks, as the plan says."""

from __future__ import annotations

from collections.abc import Iterator

from ..choice import Choice
from ..code_region import CodeRegion
from .function import Function
from .judge import Judge
from .spans import Spans, marks

__all__ = ["planned_parts"]


def planned_parts(judge: Judge, function: Function, inner: list[CodeRegion], choice: Choice) -> list[CodeRegion]:
    """Give what the user marks in a function, what the plan merges, and what it splits into blocks.

    They are numbered in this order.

    Args:
        judge: Of the unit.
        function: The function.
        inner: The other regions in it.
        choice: What is wanted.
    """
    marked = list(marks(judge.unit, function.body, function.end)) if choice.wants("user") else []
    merged = list(choice.merged(inner))
    if not (marked or merged or choice.asks_for_blocks(function.region, inner)):
        return []
    parts = _Parts(judge, function)
    for mark in marked:
        parts.add(mark.name or "autoanalyzer", mark.start, mark.end, mark.problem)
    for name, members in merged:
        parts.add(name, members[0].start, max(each.end for each in members), of_plan="merge")
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

    def __init__(self, judge: Judge, function: Function) -> None:
        self.judge = judge
        self.function = function
        self.spans = Spans(judge.unit, judge.tree, function)
        self.made: list[CodeRegion] = []

    def add(self, name: str, start: int, end: int, problem: str = "", of_plan: str = "") -> None:
        region = self.judge.part(self.function, "user", name, len(self.made), (start, end), by_line=of_plan == "split")
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
        return self.judge.why_not(self.function, start, end) or self.spans.why_not(start, end)
