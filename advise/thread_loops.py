"""Advice on loops whose iterations threads share: their schedules and adjacent data.

Advice is given for regions in which threads differ, or in which the slowest thread differs between executions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .advice import HIGH, MEDIUM, Advice, Site
from .expression import ArrayRef, Call, Expression, Name, walk
from .nest import Assignment, Block, Loop, Statement, statements
from .schedules import Schedule, follows_without_waiting, is_short, schedule_of, shared_loops
from .strides import LINE, Strides
from .uneven import may_differ, uneven_by_counter

__all__ = ["CAUSES", "IN_TURN", "KIND", "thread_loops"]

KIND: Final = "threads"
IN_TURN: Final = "threads_in_turn"
CAUSES: Final = frozenset(("threads", IN_TURN))

_OTHERS: Final = frozenset(("dynamic", "guided", "auto", "runtime"))
_BY_CHUNKS: Final = ("dynamic", "guided")
_ASKING: Final = "omp_get_thread_num"


def thread_loops(site: Site) -> Iterator[Advice]:
    """Yield advice on the loops of a site and on the loops that contain it."""
    for loop in shared_loops(site):
        if advice := _schedule(site, loop):
            yield advice
    if site.causes != {IN_TURN}:
        yield from _neighbours(site)


def _schedule(site: Site, loop: Loop) -> Advice | None:
    found = schedule_of(loop)
    kind = found.kind if found else "static"
    if found and found.chunk > 1 and kind in _BY_CHUNKS:
        return _smaller_chunks(site, loop, found)
    if kind in _OTHERS or (found and found.has_chunk):
        return None
    uneven, is_macro = uneven_by_counter(loop), kind != "static"
    if uneven is None and (is_macro or not may_differ(loop, site.sources.values())):
        return None
    written = found.text if found else "no schedule clause, so the schedule is static by default"
    why = f", but its iterations differ in cost, because {_depends(site, loop, uneven)}" if uneven else ""
    if_so = "" if uneven else "if its iterations differ in cost, "
    if is_macro:  # the build defines the macro's value
        if_so = f"if the macro {kind} is static, "
    chunk = _chunk(site, loop)
    cure = "schedule(static, 1) or, if that is not enough, schedule(dynamic)"
    if chunk > 1:
        chunked = f"schedule(static, {chunk}) or, if that is not enough, schedule(dynamic, {chunk})"
        cure = f"{chunked}, so that threads share no cache lines"
    if follows_without_waiting(site, loop):  # the threads rely on getting the same iterations in both loops
        cure = f"schedule(static, {chunk}) in this loop and in all loops that no barrier separates from it (nowait)"
    seen = f"the loop in line {loop.line} has {written}{why}"
    lines = (loop.line, uneven.line) if uneven else (loop.line,)
    sure = HIGH if uneven and not is_macro else MEDIUM
    text, places = f"{seen}: {if_so}use {cure}", tuple(map(site.place, lines))
    return Advice(KIND, text, places, (loop.directive,), site.gain, sure, seen if uneven else "")


def _chunk(site: Site, loop: Loop) -> int:
    """Return how many iterations share a cache line to which their inner loops repeatedly write; 1 if there is none."""
    strides, steps = Strides(site.source, site.procedure), [LINE]
    for statement, inner in statements(loop.body):
        if inner and isinstance(statement, Assignment) and isinstance(statement.target, ArrayRef):
            walked = strides.walk(statement.target, loop)
            if walked is not None and walked.step is not None and walked.step.value:
                steps.append(abs(walked.step.value))
    return -(-LINE // min(steps))


def _smaller_chunks(site: Site, loop: Loop, schedule: Schedule) -> Advice | None:
    """Return advice on chunks so large that the last ones end at different times; None if iterations are too short."""
    if is_short(site, loop):
        return None
    cure = "use smaller chunks" if schedule.kind == "dynamic" else f"use schedule(dynamic, {schedule.chunk})"
    why = "" if schedule.kind == "dynamic" else ", whose first chunks are the largest"
    text = f"the loop in line {loop.line} has {schedule.text}{why}: {cure}, so that all threads finish together"
    return Advice(KIND, text, (site.place(loop.line),), (loop.directive,), site.gain, MEDIUM)


def _depends(site: Site, loop: Loop, uneven: Loop) -> str:
    return f"the bounds of the loop in line {uneven.line} depend on {site.spell(loop.variable)}"


def _neighbours(site: Site) -> Iterator[Advice]:
    """Yield advice on arrays in which each thread repeatedly writes the element with its own thread number."""
    numbers = {
        each.target.name
        for each, _ in site.statements
        if isinstance(each, Assignment) and isinstance(each.target, Name) and _has_thread_number(each.value)
    }
    seen = set()
    strides = Strides(site.source, site.procedure)
    for statement in _parallel(site):
        if isinstance(statement, Assignment) and isinstance(statement.target, ArrayRef):
            array = statement.target
            by_thread = [
                at
                for at, each in enumerate(array.subscripts)
                if (isinstance(each, Name) and each.name in numbers) or _is_thread_number(each)
            ]
            apart = strides.distance(array, by_thread[0]) if by_thread else None
            if apart is not None and array.array not in seen and apart.value is not None and 0 < apart.value < LINE:
                seen.add(array.array)
                text = (
                    f"{site.spell(array)} in line {statement.line} shares a cache line with the next thread's element:"
                    f" accumulate in a private variable, or keep elements {LINE} bytes apart"
                )
                yield Advice(KIND, text, (site.place(statement.line),), (), site.gain, MEDIUM)


def _has_thread_number(value: Expression) -> bool:
    return any(map(_is_thread_number, walk(value)))


def _is_thread_number(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.name.lower() == _ASKING


def _parallel(site: Site) -> Iterator[Statement]:
    """Yield the statements that threads execute repeatedly."""
    for statement, _ in site.statements:
        if isinstance(statement, Block | Loop) and "parallel" in statement.directive:
            # A single store per thread costs nothing.
            is_loop = isinstance(statement, Loop)
            yield from (each for each, loops in statements(statement.body) if loops or is_loop)
