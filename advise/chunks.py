"""Advice on short iterations that OpenMP threads fetch one at a time.

Fetching an iteration takes 3 to 5 ns with two threads (docs/evidence/advice.md), and longer with more threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .advice import HIGH, Advice, Site
from .expression import Number
from .nest import Loop
from .schedules import is_short, schedule_of, shared_loops

__all__ = ["CAUSES", "KIND", "chunks"]

KIND: Final = "chunks"
CAUSES: Final = frozenset(("instructions",))

_CHUNK: Final = 100  # iterations per chunk, so that fetching takes less than a tenth of the time


def chunks(site: Site) -> Iterator[Advice]:
    """Yield advice on dynamic schedules without chunks, for loops with many short iterations."""
    for loop in shared_loops(site):
        schedule = schedule_of(loop)
        if schedule is None or schedule.kind != "dynamic" or (schedule.has_chunk and schedule.chunk != 1):
            continue
        if "ordered" in loop.directive or _are_few(loop) or not is_short(site, loop):
            continue
        text = (
            f"threads fetch the iterations of the loop in line {loop.line} one at a time ({schedule.text}), and each"
            f" fetch takes longer than an iteration: use schedule(static), or schedule(dynamic, {_CHUNK}) if iterations"
            " differ in cost"
        )
        yield Advice(KIND, text, (site.place(loop.line),), (loop.directive,), site.gain, HIGH)


def _are_few(loop: Loop) -> bool:
    """Return whether the number of iterations is known and too small for chunks."""
    match loop:
        case Loop(first=Number(value=first), last=Number(value=last)):
            return abs(last - first) < 10 * _CHUNK
    return False
