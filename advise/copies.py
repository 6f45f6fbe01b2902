"""Advice on array sections that Fortran copies when they are passed to a procedure.

A procedure that declares ``x(n)`` expects adjacent elements. If a caller passes ``a(i, :)``, the compiler copies the
section to temporary memory before the call, and back after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .advice import HIGH, Advice, Site
from .calls import Calling, Calls, bare, calls_in
from .expression import ArrayRef, Call, Expression, Number, Section
from .nest import Declaration, Procedure

__all__ = ["CAUSES", "KIND", "copies"]

KIND: Final = "copies"
CAUSES: Final = frozenset(("instructions", "l1_miss_rate", "l2_miss_rate", "allocations", "page_faults"))


def copies(site: Site) -> Iterator[Advice]:
    """Yield advice on sections that are copied for calls that a site makes, or that call its procedure, repeatedly."""
    if site.source.language != "fortran":
        return
    sources = {site.source.path: site.source, **site.sources}
    calls = Calls([*sources.values()])
    seen = set[tuple[str, Expression]]()
    for calling in (*_calls_of(site), *calls.of(site.procedure)):
        is_repeated = bool(calling.loops) or site.numbers.get("visits_per_rank", 0.0) > 1
        for argument, dummy, called in _copied(calling.call, calls) if is_repeated else ():
            if (called.name, argument) in seen:
                continue
            seen.add((called.name, argument))
            back = "" if dummy.intent == "in" else ", and back after it"
            name, shape = called.name.rpartition("::")[2], ", ".join(":" for _ in dummy.extents)
            text = (
                f"line {calling.line} passes {site.spell(argument)} to {name}, which expects adjacent elements:"
                f" they are copied before each call{back}; declare {dummy.name}({shape}) in {name}, or store the"
                " array so that they are adjacent"
            )
            lines = dict.fromkeys((calling.line, *(loop.line for loop in calling.loops[-1:])))
            places = tuple(site.place(line, calling.source) for line in lines)
            yield Advice(KIND, text, places, (), site.gain, HIGH)


def _calls_of(site: Site) -> Iterator[Calling]:
    for statement, loops in site.statements:
        for call in calls_in(statement):
            yield Calling(site.source, site.procedure, call, call.line or statement.line, loops)


def _copied(call: Call, calls: Calls) -> Iterator[tuple[ArrayRef, Declaration, Procedure]]:
    """Yield the arguments of a call that are copied, with the declarations to which they are passed."""
    called = [each for each in calls.everywhere if bare(each.procedure.name) == bare(call.name)]
    if len(called) != 1:
        return
    ((source, procedure),) = called
    for argument, name in zip(call.arguments, procedure.arguments, strict=False):
        dummy = source.declaration(procedure, name)
        has_shape = dummy is not None and dummy.extents and all(dummy.extents)
        if dummy is not None and has_shape and isinstance(argument, ArrayRef) and not _is_adjacent(argument):
            yield argument, dummy, procedure


def _is_adjacent(section: ArrayRef) -> bool:
    """Return whether the elements of a section are adjacent: whole dimensions, then one range, then subscripts."""
    parts = [each if isinstance(each, Section) else None for each in section.subscripts]
    if not any(parts):
        return True  # an element, from which on the procedure reads what is adjacent
    if any(each is not None and each.step not in (None, Number(1)) for each in parts):
        return False
    first = next((place for place, each in enumerate(parts) if each != Section()), len(parts))
    return not any(parts[first + 1 :])
