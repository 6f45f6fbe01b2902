"""Advice on loops whose iterations threads share: the schedule, and adjacent data.

Advice is given for regions in which threads differ, or a different thread is slowest each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .advice import HIGH, MEDIUM, Advice, Site
from .expression import ArrayRef, Call, Expression, Name, walk
from .nest import Assignment, Block, Loop, Statement, statements
from .strides import LINE, Strides
from .uneven import may_differ, uneven_by_counter

__all__ = ["CAUSES", "IN_TURN", "KIND", "SCHEDULE", "shared_loops", "thread_loops"]

KIND: Final = "threads"
IN_TURN: Final = "threads_in_turn"
CAUSES: Final = frozenset(("threads", IN_TURN))

_SHARED: Final = re.compile(r"\bomp\b.*\b(for|do)\b")
SCHEDULE: Final = re.compile(r"\bschedule\s*\(\s*(\w+)\s*(,[^)]*)?\)")
_OTHERS: Final = frozenset(("dynamic", "guided", "auto", "runtime"))
_BY_CHUNKS: Final = ("dynamic", "guided")
_ASKING: Final = "omp_get_thread_num"


def thread_loops(site: Site) -> Iterator[Advice]:
    """Yield advice on the loops of a site, and on those around it."""
    for loop in shared_loops(site):
        if advice := _schedule(site, loop):
            yield advice
    if site.causes != {IN_TURN}:
        yield from _neighbours(site)


def shared_loops(site: Site) -> Iterator[Loop]:
    """Yield the loops whose iterations threads share: those of a site, and those around it."""
    around = [each for _, loops in site.statements[:1] for each in loops]
    found = {id(each): each for each in (*around, *(each for each, _ in site.loops))}
    return (each for each in found.values() if _SHARED.search(each.directive))


def _schedule(site: Site, loop: Loop) -> Advice | None:
    found = SCHEDULE.search(loop.directive)
    kind = found[1] if found else "static"
    if found and kind in _BY_CHUNKS and _chunk(found) > 1:
        text = f"line {loop.line} has {found[0]}: try smaller chunks, so that all threads end at about the same time"
        return Advice(KIND, text, (site.place(loop.line),), (loop.directive,), site.gain, MEDIUM)
    if kind in _OTHERS or (found and found[2]):
        return None
    uneven, is_macro = uneven_by_counter(loop), kind != "static"
    if uneven is None and (is_macro or not may_differ(loop, site.sources.values())):
        return None
    written = f"schedule({kind})" if found else "no schedule clause, so the schedule is static by default"
    why = f", but its iterations differ in cost, because {_depends(site, loop, uneven)}" if uneven else ""
    if_so = "" if uneven else "if the cost of its iterations differs, "
    if is_macro:  # the build defines the macro's value
        if_so = f"if the macro {kind} is static, "
    text = f"line {loop.line} has {written}{why}: {if_so}try schedule(static, 1) first, then schedule(dynamic)"
    lines = (loop.line, uneven.line) if uneven else (loop.line,)
    sure = HIGH if uneven and not is_macro else MEDIUM
    return Advice(KIND, text, tuple(map(site.place, lines)), (loop.directive,), site.gain, sure)


def _chunk(schedule: re.Match[str]) -> int:
    """Return the size of the chunks that a schedule names; 0 if it names none, or not by a number."""
    size = (schedule[2] or "").strip(", ")
    return int(size) if size.isdecimal() else 0


def _depends(site: Site, loop: Loop, uneven: Loop) -> str:
    return f"the bounds of the loop in line {uneven.line} depend on {site.spell(loop.variable)}"


def _neighbours(site: Site) -> Iterator[Advice]:
    """Yield advice on adjacent elements that different threads write, each thread at the index of its number."""
    numbers = {
        each.target.name
        for each, _ in site.statements
        if isinstance(each, Assignment) and isinstance(each.target, Name) and _asks(each.value)
    }
    seen = set()
    strides = Strides(site.source, site.procedure)
    for statement in _parallel(site):
        if isinstance(statement, Assignment) and isinstance(statement.target, ArrayRef):
            array = statement.target
            by_thread = [
                at for at, each in enumerate(array.subscripts) if isinstance(each, Name) and each.name in numbers
            ]
            apart = strides.distance(array, by_thread[0]) if by_thread else None
            if apart is not None and array.array not in seen and apart.value is not None and 0 < apart.value < LINE:
                seen.add(array.array)
                text = (
                    f"{site.spell(array)} in line {statement.line} shares a cache line with the next thread's element:"
                    f" accumulate in a private variable, or keep elements {LINE} bytes apart"
                )
                yield Advice(KIND, text, (site.place(statement.line),), (), site.gain, MEDIUM)


def _asks(value: Expression) -> bool:
    return any(isinstance(each, Call) and each.name.lower() == _ASKING for each in walk(value))


def _parallel(site: Site) -> Iterator[Statement]:
    """Yield the statements that threads execute repeatedly."""
    for statement, _ in site.statements:
        if isinstance(statement, Block | Loop) and "parallel" in statement.directive:
            # A single store per thread costs nothing.
            is_loop = isinstance(statement, Loop)
            yield from (each for each, loops in statements(statement.body) if loops or is_loop)
