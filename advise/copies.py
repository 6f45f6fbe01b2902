"""Advice on array sections that Fortran copies when they are passed to a procedure.

A procedure that declares ``x(n)`` needs adjacent elements. If a caller passes ``a(i, :)``, the compiler copies the
section to temporary memory before the call, and back after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from .advice import MEDIUM, Advice, Site
from .calls import Calling, Calls, bare, calls_in
from .expression import ArrayRef, Call, Expression, Name, Number, Section, walk
from .nest import Declaration, Procedure

__all__ = ["CAUSES", "KIND", "copies"]

KIND: Final = "copies"
CAUSES: Final = frozenset(("instructions", "l1_miss_rate", "l2_miss_rate", "allocations", "page_faults"))


def copies(site: Site) -> Iterator[Advice]:
    """Yield advice on array sections that are copied for repeated calls, in a site or to the site's procedure."""
    if site.source.language != "fortran":
        return
    sources = {site.source.path: site.source, **site.sources}
    calls = Calls([each for each in sources.values() if each.language == "fortran"])
    own = [*_calls_of(site)]
    seen = set[tuple[str, Expression]]()
    for calling in (*own, *calls.of(site.procedure)):
        is_repeated = bool(calling.loops) or site.numbers.get("visits_per_rank", 0.0) > 1
        for argument, dummy, called in _copied(calling, calls) if is_repeated else ():
            if (called.name, argument) in seen:
                continue
            seen.add((called.name, argument))
            back = "" if dummy.intent == "in" else ", and copies it back afterwards"
            text = (
                f"the compiler copies {site.spell(argument)} for each call to {called.name.rpartition('::')[2]} in line"
                f" {calling.line}{back}, because {dummy.name} must be contiguous: swap the dimensions of"
                f" {site.spell(argument.array)}, or pass the whole array and the index"
            )
            lines = dict.fromkeys((calling.line, *(loop.line for loop in calling.loops[-1:])))
            places = tuple(site.place(line, calling.source) for line in lines)
            gain = site.gain if calling in own else None  # the time for copying is part of the caller's time
            yield Advice(KIND, text, places, (), gain, MEDIUM)


def _calls_of(site: Site) -> Iterator[Calling]:
    for statement, loops in site.statements:
        for call in calls_in(statement):
            yield Calling(site.source, site.procedure, call, call.line or statement.line, loops)


def _copied(calling: Calling, calls: Calls) -> Iterator[tuple[ArrayRef, Declaration, Procedure]]:
    """Yield the arguments of a call that are certainly copied, with the declarations to which they are passed."""
    called = [each for each in calls.everywhere if bare(each.procedure.name) == bare(calling.call.name)]
    if len(called) != 1 or calling.call.on is not None:
        return
    ((source, procedure),) = called
    keywords = calling.call.keywords or ("",) * len(calling.call.arguments)
    names = (keyword or name for keyword, name in zip_longest(keywords, procedure.arguments, fillvalue=""))
    for argument, name in zip(calling.call.arguments, names, strict=False):
        dummy = source.declaration(procedure, name)
        if dummy is None or dummy.element.kind == "structure" or not isinstance(argument, ArrayRef):
            continue
        sections = sum(isinstance(each, Section) for each in argument.subscripts)
        if sections == len(dummy.extents) and all(dummy.extents) and _is_apart(calling, argument):
            yield argument, dummy, procedure


def _is_apart(calling: Calling, section: ArrayRef) -> bool:
    """Return whether the elements of a section are certainly not adjacent.

    They are not adjacent if the section has a step, or if a range comes after a single index. A range alone may be the
    whole dimension.
    """
    steps = [each.step for each in section.subscripts if isinstance(each, Section)]
    if any(isinstance(each, Number) and each.value not in (1, -1) for each in steps):
        return True
    # An index in a dimension of one element skips nothing.
    sizes = (*section.extents, *(None for _ in section.subscripts[len(section.extents) :]))
    of_one = [
        size != Number(1) and _is_one(calling, each) for each, size in zip(section.subscripts, sizes, strict=True)
    ]
    ranges = [
        isinstance(each, Section) and (each.first is None or each.first != each.last) for each in section.subscripts
    ]
    return any(one and any(ranges[place + 1 :]) for place, one in enumerate(of_one))


def _is_one(calling: Calling, subscript: Expression) -> bool:
    """Return whether a subscript is certainly a single index, neither a range nor an array of indices."""
    for each in walk(subscript):
        if isinstance(each, Section | Call):
            return False
        if isinstance(each, Name):
            declared = calling.source.declaration(calling.procedure, each.name)
            if declared is not None and declared.extents:
                return False
    return True
