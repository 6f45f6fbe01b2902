"""Find the variables that a loop may change: directly, through calls, or through other names for the same memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .advice import Site
from .calls import calls_in
from .effects import effects, written_names
from .expression import Binary, Expression, Name, Opaque, Unary, base_of, walk
from .nest import Assignment, Loop, statements

__all__ = ["changed_in", "with_other_names"]


def changed_in(site: Site, loop: Loop) -> frozenset[str]:
    """Return the variables that may change in a loop."""
    found, by_value = effects(loop.body), site.source.language != "fortran"
    changed = found.written | written_names([loop], by_value=by_value)
    known = (*site.procedure.declarations, *site.source.declarations)
    if found.unknown:
        anything = _runs_a_lambda(site, loop)  # a lambda may change all variables that it captures
        changed |= {each.name for each in known if (each.outlives or anything) and not each.is_constant}
    return with_other_names(site, changed)


def with_other_names(site: Site, names: Collection[str]) -> frozenset[str]:
    """Return variables and all names that may refer to the same memory: references, pointers, and their targets."""
    pairs = [*_pairs(site)]
    found = frozenset(names)
    while more := {name for pair in pairs if not found.isdisjoint(pair) for name in pair} - found:
        found |= more
    return found


def _pairs(site: Site) -> Iterator[tuple[str, str]]:
    """Yield each reference or pointer with a variable to which it refers: ``p = &x``, ``double &r = x``, ``p = q + 1``.

    A pointer that is assigned another pointer refers to the same memory.
    """
    for statement, _ in statements(site.procedure.body):
        match statement:
            case Assignment(target=Name(name=name), value=value, operator="", in_declaration=is_first):
                declared = site.source.declaration(site.procedure, name)
                is_bound = is_first and declared is not None and declared.may_overlap and not declared.extents
                if is_bound or declared is None or declared.extents or site.source.language == "fortran":
                    yield from ((name, each) for each in _referred_to(site, value, is_bound=is_bound))


def _referred_to(site: Site, value: Expression, *, is_bound: bool) -> Iterator[str]:
    match value:
        case Unary(operator="&", operand=operand):
            if base := base_of(operand):
                yield base.name
        case Name(name=name):
            declared = site.source.declaration(site.procedure, name)
            if is_bound or (declared is not None and declared.extents and site.source.language != "fortran"):
                yield name
        case Binary(operator="+" | "-", left=left, right=right):
            for side in (left, right):
                yield from _referred_to(site, side, is_bound=False)
        case _ if is_bound and (base := base_of(value)):
            yield base.name


def _runs_a_lambda(site: Site, loop: Loop) -> bool:
    """Return whether a loop calls a lambda or passes one to a function."""
    calls = (each for statement, _ in statements(loop.body) for each in calls_in(statement) if not each.is_pure)
    for call in calls:
        given = [part for argument in call.arguments for part in walk(argument)]
        names = (call.name, *(part.name for part in given if isinstance(part, Name)))
        declared = (site.source.declaration(site.procedure, name) for name in names)
        values = [*given, *(each.value for each in declared if each is not None)]
        if any(isinstance(each, Opaque) and each.changes for each in values):
            return True
    return False
