"""Distances in memory between the elements that consecutive iterations of a loop access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from .effects import Access, effects
from .expression import ArrayRef, Deref, Expression, FieldRef, Name, Number, Section
from .nest import Assignment, Layout, Loop, Procedure, SourceFile, Statement, statements
from .polynomial import Polynomial, polynomial

__all__ = ["KEPT", "LINE", "Strides", "Walk", "values_in"]

LINE: Final = 64  # bytes of a cache line on current processors
KEPT: Final = 1 << 14  # bytes: half of a usual L1 cache; the other half is for other data
_DEEPEST: Final = 6


@dataclass(frozen=True)
class Walk:
    """A loop's traversal of an array.

    Attributes:
        reference: The array element.
        subscript: The changing subscript, from 0; if several change, the subscript with the largest distance.
        step: Bytes between the elements of consecutive iterations, with symbols for variables; None if unknown.
    """

    reference: ArrayRef
    subscript: int
    step: Polynomial | None

    @property
    def is_dense(self) -> bool:
        """Whether the next iteration accesses the next element in memory."""
        value = None if self.step is None else self.step.value
        return value is not None and abs(value) <= self.reference.element.bytes

    @property
    def lines(self) -> float:
        """Cache lines per iteration, from 0 if the address stays the same to 1 if each iteration needs a new line."""
        if self.step is None:
            return 1.0
        value = self.step.value
        return 1.0 if value is None else min(abs(value) / LINE, 1.0)


class Strides:
    """Strides of the loops in one procedure.

    Args:
        source: The file.
        procedure: The procedure.
    """

    def __init__(self, source: SourceFile, procedure: Procedure) -> None:
        self._layout = source.layout
        self._values = {**constants_in(source, procedure), **values_in(procedure)}

    def references(self, loop: Loop) -> Iterator[ArrayRef]:
        """Yield the array elements that a loop accesses, each once, without arrays that stay in cache."""
        seen = set()
        for access in effects(loop.body).accesses:
            for each in _arrays(access):
                if each not in seen and not self.is_kept(each):
                    seen.add(each)
                    yield each

    def is_kept(self, reference: ArrayRef) -> bool:
        """Return whether a whole array is small enough to stay in a cache."""
        size = Polynomial.of(reference.element.bytes)
        for each in reference.extents:
            length = None if each is None else polynomial(each, self._value)
            if length is None:
                return False
            size *= length
        return size.value is not None and 0 < size.value <= KEPT

    def walk(self, reference: ArrayRef, loop: Loop) -> Walk | None:
        """Return a loop's traversal of an array; None if unknown, as for an indirect index."""
        if loop.variable is None:
            return None
        # A step that is not a constant counts as 1.
        by = Polynomial.of(int(loop.step.value) if isinstance(loop.step, Number) else 1)
        total, farthest, which = Polynomial.of(0), -1, 0
        unknown = False
        for number, subscript in enumerate(reference.subscripts):
            if isinstance(subscript, Section):
                continue
            position = polynomial(subscript, self._value)
            if position is None:
                return None
            factor = position.coefficient(loop.variable)
            if factor is None:
                return None
            if not factor.terms:
                continue
            distance = self.distance(reference, number)
            rank = number if self._layout is Layout.COLUMNS else -number
            if farthest == -1 or rank > farthest:
                farthest, which = rank, number
            if distance is None:
                unknown = True
            else:
                total += factor * distance * by
        return Walk(reference, which, None if unknown else total)

    def turns(self, loop: Loop) -> int | None:
        """Return a loop's number of iterations; None if it is not constant."""
        heads = [polynomial(each, self._value) for each in (loop.first, loop.last, loop.step) if each is not None]
        values = [None if each is None else each.value for each in heads]
        match values:
            case [int(first), int(last), int(step)] if step:
                return max(0, (last - first) // step + 1)
        return None

    def distance(self, reference: ArrayRef, number: int) -> Polynomial | None:
        """Return the distance in bytes between neighbours along a subscript; None if unknown."""
        faster = range(number) if self._layout is Layout.COLUMNS else range(number + 1, len(reference.subscripts))
        size = Polynomial.of(reference.element.bytes or 8)
        for each in faster:
            extent = reference.extents[each] if each < len(reference.extents) else None
            length = polynomial(extent, self._value) if extent is not None else None
            if length is None:
                return None
            size *= length
        return size

    def _value(self, reference: Expression, depth: int = 0) -> Polynomial | None:
        if isinstance(reference, Name):
            value = self._values.get(reference.name)
            if value is not None and depth < _DEEPEST:
                found = polynomial(value, lambda inner: self._value(inner, depth + 1))
                if found is not None:
                    return found
            return None if value is not None and _is_looked_up(value) else Polynomial.symbol(reference)
        if isinstance(reference, FieldRef) and not isinstance(reference.structure, ArrayRef):
            return Polynomial.symbol(reference)
        return None


def _is_looked_up(value: Expression) -> bool:
    return isinstance(value, ArrayRef | Deref)


def _arrays(access: Access) -> Iterator[ArrayRef]:
    """Yield the array element of an access and the elements that are read on the way to it."""
    reference: Expression = access.reference
    while True:
        match reference:
            case ArrayRef(array=inner):
                yield reference
                reference = inner
            case FieldRef(structure=inner) | Deref(pointer=inner):
                reference = inner
            case _:
                return


def values_in(procedure: Procedure) -> dict[str, Expression]:
    """Return the values of variables that a procedure sets once, except loop counters."""
    found: dict[str, list[Expression]] = {}
    for statement, _ in statements(procedure.body):
        for name, value in _assigned(statement):
            found.setdefault(name, []).append(value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _assigned(statement: Statement) -> Iterator[tuple[str, Expression]]:
    match statement:
        case Assignment(target=Name(name=name), value=value, operator=""):
            yield name, value
        case Assignment(target=Name(name=name) as target):
            yield from ((name, target), (name, target))  # reported twice, so that a name does not count as set once
        case Loop(variable=Name(name=name) as variable):
            yield from ((name, variable), (name, variable))


def constants_in(source: SourceFile, procedure: Procedure) -> Mapping[str, Expression]:
    """Return the values of named constants."""
    known = (*source.declarations, *procedure.declarations)
    return {each.name: each.value for each in known if each.is_constant and each.value is not None}
