"""Loops whose iterations OpenMP threads share, their schedules, and the amount of work in an iteration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from .advice import Site
from .effects import expressions_of
from .expression import ArrayRef, Binary, Call, Deref, Expression, FieldRef, Name, Number, Opaque, Section, Text, walk
from .nest import Assignment, Block, Branch, Declaration, Jump, Loop, Statement, statements

__all__ = ["Schedule", "follows_without_waiting", "is_shared", "is_short", "schedule_of", "shared_loops"]

_SHARED: Final = re.compile(r"\bomp\b.*\b(for|do)\b")
_SCHEDULE: Final = re.compile(r"\bschedule\s*\(\s*(?:[\w\s,]+:\s*)?(\w+)\s*(,[^)]*)?\)")
_WITHOUT_BARRIER: Final = re.compile(r"\bnowait\b")
_NUMBERS: Final = ("integer", "real", "complex", "logical")
_FEW: Final = 8  # number of statements that take less time than fetching an iteration (docs/evidence/advice.md)


class Schedule(NamedTuple):
    """A schedule clause.

    Attributes:
        text: As written: ``schedule(dynamic, 4)``.
        kind: The kind of schedule or a macro's name.
        chunk: The size of chunks; 0 if it is not a number.
        has_chunk: Whether a size is given.
    """

    text: str
    kind: str
    chunk: int
    has_chunk: bool


def shared_loops(site: Site) -> Iterator[Loop]:
    """Yield the loops whose iterations threads share: the loops of a site and the loops that contain it."""
    around = [each for _, loops in site.statements[:1] for each in loops]
    found = {id(each): each for each in (*around, *(each for each, _ in site.loops))}
    return filter(is_shared, found.values())


def is_shared(loop: Loop) -> bool:
    """Return whether threads share the iterations of a loop."""
    return _SHARED.search(loop.directive) is not None


def schedule_of(loop: Loop) -> Schedule | None:
    """Return the schedule that a loop's directive names; None if there is no ``schedule`` clause."""
    found = _SCHEDULE.search(loop.directive)
    if found is None:
        return None
    size = (found[2] or "").strip(", ")
    return Schedule(found[0], found[1], int(size) if size.isdecimal() else 0, bool(found[2]))


def follows_without_waiting(site: Site, loop: Loop) -> bool:
    """Return whether no barrier separates a loop from another shared loop that comes before or after it."""
    shared = [each for each, _ in statements(site.procedure.body) if isinstance(each, Loop) and is_shared(each)]
    pairs = (pair for pair in pairwise(shared) if any(each is loop for each in pair))
    return any(_WITHOUT_BARRIER.search(first.directive) for first, _ in pairs)


def is_short(site: Site, loop: Loop) -> bool:
    """Return whether each iteration has only a few statements, all with operations on single elements.

    Calls, whole arrays and sections, structures, powers of reals, and unknown expressions may take arbitrarily long.
    """
    body = [each for each, _ in statements(loop.body) if not isinstance(each, Block)]
    known = (*site.procedure.declarations, *site.source.declarations)
    whole = {each.name for each in known if each.extents or each.element.kind not in _NUMBERS}
    return len(body) <= _FEW and all(_is_simple(each, whole) for each in body)


def _is_simple(statement: Statement, whole: set[str]) -> bool:
    match statement:
        case Assignment(target=target, value=value):
            return _is_scalar(target, whole) and _is_scalar(value, whole)
        case Branch() | Declaration():
            return all(_is_scalar(each, whole) for each in expressions_of(statement))
        case Jump(kind=kind):
            return kind == "cycle"
    return False


def _is_scalar(expression: Expression, whole: set[str]) -> bool:
    """Return whether an expression only reads single elements, without calls and other operations of unknown cost."""
    if isinstance(expression, Name):
        return expression.name not in whole
    for each in walk(expression):
        match each:
            case Call() | Section() | Opaque() | Text() | FieldRef() | Deref():
                return False
            case ArrayRef(element=element) if element.kind not in _NUMBERS:
                return False
            case Binary(operator="**", right=right) if not (isinstance(right, Number) and isinstance(right.value, int)):
                return False
            case Binary(left=left, right=right):
                sides = (left, right)
                if any(isinstance(side, Name) and side.name in whole for side in sides):
                    return False
    return True
