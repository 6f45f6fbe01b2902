"""Advice on iterations that OpenMP threads fetch one at a time, although each is short.

Fetching an iteration takes 4 to 5 ns of two threads, and longer the more threads there are (docs/evidence/advice.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .advice import HIGH, Advice, Site
from .calls import calls_in
from .nest import Block, Loop, statements
from .thread_loops import SCHEDULE, shared_loops

__all__ = ["CAUSES", "KIND", "chunks"]

KIND: Final = "chunks"
CAUSES: Final = frozenset(("instructions",))

_FEW: Final = 16  # statements of an iteration, which takes half as long again if it is fetched alone


def chunks(site: Site) -> Iterator[Advice]:
    """Yield advice on dynamic schedules without chunks, of loops with only a few statements."""
    for loop in shared_loops(site):
        found = SCHEDULE.search(loop.directive)
        if not found or found[1] != "dynamic" or (found[2] or ", 1").strip(", ") != "1":
            continue
        body = [each for each, _ in statements(loop.body) if not isinstance(each, Block)]
        if len(body) > _FEW or any(isinstance(each, Loop) or any(calls_in(each)) for each in body):
            continue
        text = (
            f"line {loop.line} has {found[0]}: threads fetch one iteration at a time, which takes longer than its few"
            " statements; use schedule(static), or schedule(dynamic, 100)"
        )
        yield Advice(KIND, text, (site.place(loop.line),), (loop.directive,), site.gain, HIGH)
