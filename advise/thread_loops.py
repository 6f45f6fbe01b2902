"""Advice on loops whose iterations threads share: the schedule, and adjacent data.

It is given if threads differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .advice import HIGH, MEDIUM, Advice, Site
from .effects import expressions_of, written_names
from .expression import ArrayRef, Call, Deref, Expression, Name, walk
from .nest import (
    Allocation,
    Assignment,
    Block,
    CallStatement,
    InputOutput,
    Jump,
    Loop,
    OtherStatement,
    Statement,
    statements,
)
from .polynomial import polynomial
from .strides import LINE
from .uneven import made_in, resolved

__all__ = ["CAUSES", "KIND", "thread_loops"]

KIND: Final = "threads"
CAUSES: Final = frozenset(("threads",))

_SHARED: Final = re.compile(r"\bomp\b.*\b(for|do)\b")
_SCHEDULE: Final = re.compile(r"\bschedule\s*\(\s*(\w+)\s*(,[^)]*)?\)")
_OTHERS: Final = frozenset(("dynamic", "guided", "auto", "runtime"))
_ASKING: Final = "omp_get_thread_num"


def thread_loops(site: Site) -> Iterator[Advice]:
    """Yield advice on the loops of a site, and on those around it."""
    seen = set()
    around = [each for _, loops in site.statements[:1] for each in loops]
    for loop in (*around, *(each for each, _ in site.loops)):
        if _SHARED.search(loop.directive) and id(loop) not in seen:
            seen.add(id(loop))
            if advice := _schedule(site, loop):
                yield advice
    yield from _neighbours(site)


def _schedule(site: Site, loop: Loop) -> Advice | None:
    found = _SCHEDULE.search(loop.directive)
    kind = found[1] if found else "static"
    if kind in _OTHERS or (found and found[2]):
        return None
    uneven, is_macro = _uneven(loop), kind != "static"
    if uneven is None and (is_macro or not _may_differ(loop)):
        return None
    written = f"schedule({kind})" if found else "no schedule clause, so it is static by default"
    why = f", but its iterations differ in cost: {_depends(site, loop, uneven)}" if uneven else ""
    if_so = "" if uneven else "if the cost of its iterations differs, "
    if is_macro:  # the build defines its value
        if_so = f"if the macro {kind} is static, "
    text = f"line {loop.line} has {written}{why}: {if_so}try schedule(static, 1), schedule(dynamic) or schedule(guided)"
    lines = (loop.line, uneven.line) if uneven else (loop.line,)
    sure = HIGH if uneven and not is_macro else MEDIUM
    return Advice(KIND, text, tuple(map(site.place, lines)), (loop.directive,), site.gain, sure)


def _depends(site: Site, loop: Loop, uneven: Loop) -> str:
    return f"the bounds of line {uneven.line} depend on {site.spell(loop.variable)}"


def _uneven(loop: Loop) -> Loop | None:
    """Return an inner loop whose bounds depend on the outer one."""
    made = made_in(loop)
    for each, _ in statements(loop.body):
        if isinstance(each, Loop):
            first, last, condition = (resolved(head, made) for head in (each.first, each.last, each.condition))
            heads = (head for head in (first, last, condition) if head is not None)
            if any(part == loop.variable for head in heads for part in walk(head)) and not _is_even(first, last, loop):
                return each
    return None


def _may_differ(loop: Loop) -> bool:
    """Return whether iterations may cost differently: unknown calls, or inner loops of unknown length."""
    changed = {Name(each) for each in written_names([loop], by_value=True)}
    for statement, _ in statements(loop.body):
        match statement:
            case Jump() | CallStatement() | OtherStatement() | InputOutput() | Allocation() | Loop(variable=None):
                return True
            case Loop():
                heads = [each for head in (statement.first, statement.last) if head is not None for each in walk(head)]
                own = changed - {statement.variable}
                if any(isinstance(each, ArrayRef | Deref) or each in own for each in heads):
                    return True
        for expression in expressions_of(statement):
            if any(isinstance(each, Call) and not each.is_pure for each in walk(expression)):
                return True
    return False


def _is_even(first: Expression | None, last: Expression | None, loop: Loop) -> bool:
    """Return whether bounds move along with a loop, as ``k`` to ``k + 1``, or are not sums, such as a minimum."""
    if first is None or last is None or loop.variable is None:
        return False
    low, high = polynomial(first), polynomial(last)
    return low is None or high is None or loop.variable not in (high - low).symbols


def _neighbours(site: Site) -> Iterator[Advice]:
    """Yield advice on adjacent elements that different threads write, each at its thread number."""
    numbers = {
        each.target.name
        for each, _ in site.statements
        if isinstance(each, Assignment) and isinstance(each.target, Name) and _asks(each.value)
    }
    seen = set()
    for statement in _parallel(site):
        if isinstance(statement, Assignment) and isinstance(statement.target, ArrayRef):
            array = statement.target
            by_thread = any(isinstance(each, Name) and each.name in numbers for each in array.subscripts)
            if by_thread and array.array not in seen and 0 < array.element.bytes < LINE:
                seen.add(array.array)
                text = (
                    f"{site.spell(array)} in line {statement.line} shares a cache line with the next thread's element:"
                    f" accumulate in a private variable, or keep elements {LINE} bytes apart"
                )
                yield Advice(KIND, text, (site.place(statement.line),), (), site.gain, MEDIUM)


def _asks(value: Expression) -> bool:
    return any(isinstance(each, Call) and each.name.lower() == _ASKING for each in walk(value))


def _parallel(site: Site) -> Iterator[Statement]:
    for statement, _ in site.statements:
        if isinstance(statement, Block | Loop) and "parallel" in statement.directive:
            yield from (each for each, _ in statements(statement.body))
