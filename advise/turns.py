"""Test whether an interchange of loops may swap two iterations that access the same memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Final

from .effects import Access, Effects
from .expression import Element, Expression, Name, Number, walk
from .inequalities import Linear, can_hold
from .nest import Loop
from .polynomial import Monomial, Polynomial, polynomial

__all__ = ["Turns"]

_FAR: Final = 2  # iterations; dependences that certainly exist are searched for up to this distance
_DEEPEST: Final = 8  # longest chain of variables that refer to other variables
_DIMENSIONS: Final = 6  # largest number of dimensions of an array whose index is computed by hand

_Pairs = Sequence[tuple[Expression, Expression]]


class Turns:
    """Tests on the iterations of a nest whose first and last loops are to be interchanged.

    Args:
        nest: The loops, outermost first.
        effects: The effects of the innermost loop.
        values: The value of each variable that is constant within an iteration.
    """

    def __init__(self, nest: list[Loop], effects: Effects, values: dict[str, Expression]) -> None:
        self._nest, self._values = nest, values
        self._counted = [loop.variable.name for loop in nest if loop.variable]
        self._written = effects.written
        self._kinds = {_kind(each.reference) for each in effects.accesses if each.is_write} - {None}
        loops = (each.statement for each in effects.accesses if isinstance(each.statement, Loop))
        self._within = {loop.variable.name for loop in loops if loop.variable}
        self._swapped = [len(nest) - 1, *range(1, len(nest) - 1), 0]

    def varies(self, expression: Expression) -> bool:
        """Return whether an expression may differ between iterations."""
        names = {each.name for each in walk(expression) if isinstance(each, Name)}
        return bool(names & self._written) or not names.isdisjoint(self._counted)

    def may_meet(self, subscripts: _Pairs, one: Access, two: Access) -> bool:
        """Return whether two accesses may refer to the same array element in iterations that the interchange reorders.

        Args:
            subscripts: Pairs of subscripts: one of the first access and one of the second.
            one: The first access.
            two: The second access.
        """
        for signs in product(*map(_signs, self._nest)):
            bounds = [*self._bounds(one, 0, signs), *self._bounds(two, 1, signs)]
            equations = list(self._equations(subscripts, bounds))
            equations += self._strides()
            for distances, order in self._reversals(signs):
                if can_hold([*equations, *distances], [*bounds, *order]):
                    return True
        return False

    def is_forbidden(self, subscripts: _Pairs) -> bool:
        """Return whether iterations at a fixed distance certainly access the same element and are reordered."""
        steps = [loop.step.value if isinstance(loop.step, Number) else 0 for loop in self._nest]
        if not subscripts or not all(isinstance(step, int) and step for step in steps):
            return False
        for distance in product(range(-_FAR, _FAR + 1), repeat=len(self._nest)):
            after = next((each for each in distance if each), 0)
            then = next((each for each in (distance[index] for index in self._swapped) if each), 0)
            if after * then < 0 and self._meet_at(
                [each * int(step) for each, step in zip(distance, steps, strict=True)], subscripts
            ):
                return True
        return False

    def _meet_at(self, distance: list[int], subscripts: _Pairs) -> bool:
        at = dict(zip(self._counted, distance, strict=True))
        away = {name: Polynomial.symbol(_turned(name, 0)) + Polynomial.of(each) for name, each in at.items()}
        here = {name: Polynomial.symbol(_turned(name, 0)) for name in at}
        for one, two in subscripts:
            left, right = polynomial(one, partial(self._fixed, at=here)), polynomial(two, partial(self._fixed, at=away))
            if left is None or right is None or (left - right).terms:
                return False
        return True

    def _fixed(self, reference: Expression, at: dict[str, Polynomial]) -> Polynomial | None:
        if isinstance(reference, Name):
            if reference.name in at:
                return at[reference.name]
            return None if reference.name in self._written else Polynomial.symbol(reference)
        return None

    # Constraints on two iterations, which are numbered 0 and 1.

    def _read(self, expression: Expression, turn: int) -> Polynomial | None:
        return polynomial(expression, lambda reference: self._value(reference, turn, 0))

    def _value(self, reference: Expression, turn: int, depth: int) -> Polynomial | None:
        if isinstance(reference, Name):
            if reference.name in self._counted:
                return Polynomial.symbol(_turned(reference.name, turn))
            if reference.name in self._values and depth < _DEEPEST:
                value = self._values[reference.name]
                return polynomial(value, lambda inner: self._value(inner, turn, depth + 1))
            if reference.name in self._within:
                return Polynomial.symbol(_turned(reference.name, turn))
            return None if reference.name in self._written else Polynomial.symbol(reference)
        kind = _kind(reference)
        is_fixed = kind and kind not in self._kinds and "" not in self._kinds and not self.varies(reference)
        return Polynomial.symbol(reference) if is_fixed else None

    def _bounds(self, access: Access, turn: int, signs: tuple[int, ...]) -> Iterator[Linear]:
        """Yield the bounds of the variables of the loops that contain an access, as inequalities."""
        inner = [each for each in access.within if isinstance(each, Loop)]
        known = list(zip(self._nest, signs, strict=True))
        known += [(loop, found[0]) for loop in inner if len(found := _signs(loop)) == 1]
        for loop, sign in known:
            if loop.variable is None:
                continue
            variable = Polynomial.symbol(_turned(loop.variable.name, turn))
            for head, side in ((loop.first, sign), (loop.last, -sign)):
                bound = self._read(head, turn) if head is not None else None
                if bound is not None:
                    yield _linear(variable - bound, side)

    def _equations(self, subscripts: _Pairs, bounds: list[Linear]) -> Iterator[Linear]:
        for one, two in subscripts:
            left, right = self._read(one, 0), self._read(two, 1)
            if left is not None and right is not None:
                yield from _parted(left, right, bounds, _DIMENSIONS)

    def _strides(self) -> Iterator[Linear]:
        for name, loop in zip(self._counted, self._nest, strict=True):
            if isinstance(loop.step, Number) and isinstance(loop.step.value, int) and abs(loop.step.value) > 1:
                yield {**_apart(name, 1), ("steps", name): -loop.step.value}

    def _reversals(self, signs: tuple[int, ...]) -> Iterator[tuple[list[Linear], list[Linear]]]:
        """Yield the conditions for each way in which interchanging the loops swaps two iterations.

        The first loop in which two iterations differ decides their order.
        """
        apart = [_apart(name, sign) for name, sign in zip(self._counted, signs, strict=True)]
        places = range(len(apart))
        for first, then, later in product(places, places, (1, -1)):
            same = {*places[:first], *self._swapped[:then]}
            decides = self._swapped[then]
            if first != decides and not {first, decides} & same:
                after = {**_times(apart[first], later), None: -1}
                before = {**_times(apart[decides], -later), None: -1}
                yield [apart[each] for each in same], [after, before]


def _turned(name: str, turn: int) -> Name:
    """Return a variable's name in one of the two iterations; the added space makes it unique."""
    return Name(f"{name} {turn}")


def _is_turned(symbol: Expression) -> bool:
    return isinstance(symbol, Name) and " " in symbol.name


def _apart(name: str, sign: int) -> Linear:
    return {(_turned(name, 1),): sign, (_turned(name, 0),): -sign}


def _times(sum_: Linear, factor: int) -> Linear:
    return {each: factor * value for each, value in sum_.items()}


def _linear(value: Polynomial, factor: int = 1) -> Linear:
    """Return a polynomial as a linear sum, with one unknown per product."""
    return {monomial or None: factor * number for monomial, number in value.terms.items()}


def _signs(loop: Loop) -> tuple[int, ...]:
    """Return 1 if a loop counts up, -1 if it counts down, and both if unknown."""
    match loop.step:
        case Number(value=value) if value:
            return (1,) if value > 0 else (-1,)
        case _:
            return (1, -1)


def _kind(reference: Expression) -> str | None:
    """Return the kind of the element that a reference accesses, as in ``Element``; None for a variable."""
    element = getattr(reference, "element", None)
    return element.kind if isinstance(element, Element) else None


def _parted(left: Polynomial, right: Polynomial, bounds: list[Linear], depth: int) -> Iterator[Linear]:
    """Yield the conditions for two subscripts to be equal; several if the subscripts combine several dimensions.

    ::

        i*n + j = k*n + l, and j and l lie in 0 … n - 1:    i = k, j = l
    """
    for length in _lengths(left, right) if depth else ():
        (rows, rest), (other_rows, other_rest) = _divided(left, length), _divided(right, length)
        if all(_is_within(each, length, bounds) for each in (rest, other_rest)):
            yield from _parted(rows, other_rows, bounds, depth - 1)
            yield from _parted(rest, other_rest, bounds, depth - 1)
            return
    yield _linear(left - right)


def _lengths(left: Polynomial, right: Polynomial) -> list[Expression]:
    """Return the factors of loop counters that may be the length of a row."""
    products = [each for each in (*left.terms, *right.terms) if any(map(_is_turned, each))]
    return sorted({symbol for each in products for symbol in each if not _is_turned(symbol)}, key=repr)


def _divided(value: Polynomial, length: Expression) -> tuple[Polynomial, Polynomial]:
    rows: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, number in value.terms.items():
        if length in monomial:
            at = monomial.index(length)
            rows[(*monomial[:at], *monomial[at + 1 :])] = number
        else:
            rest[monomial] = number
    return Polynomial(rows), Polynomial(rest)


def _is_within(rest: Polynomial, length: Expression, bounds: list[Linear]) -> bool:
    below = {**_linear(rest, -1)}
    below[None] = below.get(None, 0) - 1
    beyond = _linear(rest - Polynomial.symbol(length))
    return not can_hold((), [*bounds, below]) and not can_hold((), [*bounds, beyond])
