"""Advice on memory that is allocated repeatedly, in each iteration of a loop or in each call to a procedure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .advice import MEDIUM, Advice, Site
from .calls import bare, calls_in
from .changes import changed_in
from .effects import written_names
from .expression import ArrayRef, Call, Expression, Name, Opaque, walk
from .nest import Allocation, Assignment, Branch, Jump, Loop, Statement, statements
from .schedules import is_shared

__all__ = ["KIND", "OF_ALLOCATIONS", "allocated_in", "allocations", "conditional_in"]

KIND: Final = "repeated work"
OF_ALLOCATIONS: Final = frozenset(("page_faults", "allocations"))

_AUTOMATIC: Final = "std::"  # containers free their memory at the end of the iteration
_MOVING: Final = frozenset(("move", "swap", "move_alloc"))


def allocations(site: Site) -> Iterator[Advice]:
    """Yield advice on memory that a site's procedure allocates repeatedly, in a loop or in each call.

    Calls to a recursive procedure are not reported, because each of them needs its own memory.
    """
    found = [(each, loops) for each, loops in statements(site.procedure.body) if isinstance(each, Allocation)]
    freed = {target for each, _ in found if each.frees for target in each.targets}
    is_recursive = any(
        bare(call.name) == bare(site.procedure.name)
        for each, _ in statements(site.procedure.body)
        for call in calls_in(each)
    )
    for statement, loops in found:
        if statement.frees or statement.line > site.last:
            continue
        if loops:
            advice = [*allocated_in(site, loops[-1])]
            yield from advice
            if advice:
                return
        elif not is_recursive and freed.intersection(statement.targets) and site.numbers.get("visits_per_rank", 0) > 1:
            text = (
                f"{statement.function or 'allocate'} allocates {site.spell(statement.targets[0])} in each call to"
                f" {site.procedure.name}: allocate it once, before the calls, and reuse it"
            )
            yield Advice(KIND, text, (site.place(statement.line),), (), site.gain, MEDIUM)


def allocated_in(site: Site, loop: Loop) -> Iterator[Advice]:
    """Yield advice on the first memory that each iteration of a loop allocates."""
    changed, conditional = changed_in(site, loop), conditional_in(loop)
    for statement, loops in statements(loop.body):
        if loops or not isinstance(statement, Allocation) or statement.frees or id(statement) in conditional:
            continue
        subscripts = [
            part
            for target in statement.targets
            for each in walk(target)
            if isinstance(each, ArrayRef)
            for subscript in each.subscripts
            for part in walk(subscript)
        ]
        if any(isinstance(each, Name) and each.name in changed for each in subscripts):
            continue  # each iteration allocates different memory
        if statement.function == "realloc" and loop.variable is None:
            continue  # the loop repeats until the block is large enough
        if cure := _cure(site, loop, statement, changed):
            target = site.spell(statement.targets[0]) if statement.targets else "memory"
            function = statement.function or "allocate"
            text = f"{function} allocates {target} in each iteration of the loop in line {loop.line}: {cure}"
            places = tuple(dict.fromkeys((site.place(statement.line), site.place(loop.line))))
            yield Advice(KIND, text, places, (), site.gain, MEDIUM)
            return


def conditional_in(loop: Loop) -> frozenset[int]:
    """Return the ids of the statements that an iteration executes only conditionally."""
    arms = (arm for each, _ in statements(loop.body) if isinstance(each, Branch) for arm in each.arms)
    return frozenset(id(each) for arm in arms for each, _ in statements(arm.body))


def _cure(site: Site, loop: Loop, statement: Allocation, changed: frozenset[str]) -> str:
    """Return how to allocate memory less often; empty if it is unknown."""
    inside = [each for each, _ in statements(loop.body)]
    freed = {target for each in inside if isinstance(each, Allocation) and each.frees for target in each.targets}
    is_freed = statement.function.startswith(_AUTOMATIC) or not freed.isdisjoint(statement.targets)
    calls = [call for each in inside for call in calls_in(each) if _is_given(call, statement)]
    is_moved = any(bare(call.name) in _MOVING for call in calls)
    bases = (part.name for target in statement.targets for part in walk(target) if isinstance(part, Name))
    is_other = any(not isinstance(each, Name) for each in statement.targets) and not changed.isdisjoint(bases)
    before = "allocate it before the loop"
    if is_shared(loop):
        before = "allocate it once per thread, before the loop"
    varying = written_names([loop], by_value=True)
    if not (statement.function.startswith(_AUTOMATIC) or varying.isdisjoint(_names(statement.sizes))):
        before += ", with the largest size, and use a part of it"
    many = "allocate many at a time, in one block"
    if is_freed and not is_moved:
        return before
    if site.source.language == "fortran" and not (is_other or _is_pointer(site, statement)):
        return ""  # the memory is moved to another allocatable array
    if is_moved or is_other or any(_is_kept_by(each, statement) for each in inside):
        return many
    return f"{many}, if the memory is kept; otherwise, {before}" if calls else before


def _names(expressions: Sequence[Expression]) -> frozenset[str]:
    return frozenset(part.name for each in expressions for part in walk(each) if isinstance(part, Name))


def _is_pointer(site: Site, statement: Allocation) -> bool:
    declared = (site.source.declaration(site.procedure, name) for name in _names(statement.targets[:1]))
    return any(each is not None and each.may_overlap for each in declared)


def _is_given(call: Call, statement: Allocation) -> bool:
    """Return whether a call may keep, move or free allocated memory."""
    if call.is_pure:
        return False
    return any(_holds(each, statement.targets) for each in call.arguments)


def _is_kept_by(statement: Statement, allocation: Allocation) -> bool:
    """Return whether a statement stores a pointer to allocated memory elsewhere, or returns it."""
    match statement:
        case Assignment(value=value) | Jump(value=value) if value is not None:
            return _holds(value, allocation.targets)
    return False


def _holds(expression: Expression, targets: Sequence[Expression]) -> bool:
    """Return whether a value is, or contains, the pointer itself rather than the data that it points to."""
    if expression in targets:
        return True
    parts = expression.parts if isinstance(expression, Opaque) else ()
    if isinstance(expression, Call) and bare(expression.name) in _MOVING:
        parts = expression.arguments
    return any(_holds(each, targets) for each in parts)
