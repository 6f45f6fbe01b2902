"""Test whether linear equations and inequalities over integers have a common solution.

A negative answer is certain. A positive answer may be wrong, because fractions are allowed and large systems are not
solved. The methods are Fourier-Motzkin elimination, and the greatest common divisor test (Wolfe, High Performance
Compilers for Parallel Computing, 1996).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import gcd
from typing import Final

__all__ = ["Linear", "can_hold"]

Linear = Mapping[Hashable | None, int]
"""A sum: unknown → its coefficient, and None → the constant."""

_MOST: Final = 400  # largest number of inequalities that are combined


def can_hold(equations: Iterable[Linear], inequalities: Iterable[Linear]) -> bool:
    """Return whether integers may exist for which all equations are 0 and all inequalities are at least 0."""
    equal, least = [_plain(each) for each in equations], [_plain(each) for each in inequalities]
    while equal:
        equation = equal.pop()
        unknowns = {unknown: factor for unknown, factor in equation.items() if unknown is not None}
        if not unknowns:
            if equation.get(None, 0):
                return False
            continue
        if equation.get(None, 0) % gcd(*unknowns.values()):
            return False
        unknown = min(unknowns, key=lambda each: (abs(unknowns[each]), repr(each)))
        equal = [_without(unknown, equation, each) for each in equal]
        least = [_without(unknown, equation, each) for each in least]
    return _inequalities_can_hold(least)


def _plain(sum_: Linear) -> dict[Hashable | None, int]:
    return {unknown: factor for unknown, factor in sum_.items() if factor}


def _without(unknown: Hashable, equation: Linear, other: Linear) -> dict[Hashable | None, int]:
    """Return ``other`` with an unknown eliminated by means of ``equation``; the sign of ``other`` is preserved."""
    factor, within = equation[unknown], other.get(unknown, 0)
    if not within:
        return dict(other)
    return _added(other, abs(factor), equation, -within if factor > 0 else within)


def _added(one: Linear, times: int, two: Linear, and_times: int) -> dict[Hashable | None, int]:
    return _plain({each: times * one.get(each, 0) + and_times * two.get(each, 0) for each in {*one, *two}})


def _inequalities_can_hold(least: list[dict[Hashable | None, int]]) -> bool:
    while True:
        kept: dict[frozenset[tuple[Hashable, int]], dict[Hashable | None, int]] = {}
        for each in map(_tightened, least):
            if not each.keys() - {None}:
                if each.get(None, 0) < 0:
                    return False
                continue
            key = frozenset((unknown, factor) for unknown, factor in each.items() if unknown is not None)
            kept[key] = min((each, kept.get(key, each)), key=lambda one: one.get(None, 0))
        least = list(kept.values())
        if not least or len(least) > _MOST:
            return True
        unknown = min(
            {unknown for each in least for unknown in each if unknown is not None}, key=lambda u: _cost(u, least)
        )
        above = [each for each in least if each.get(unknown, 0) > 0]
        below = [each for each in least if each.get(unknown, 0) < 0]
        combined = [_added(one, -two[unknown], two, one[unknown]) for one in above for two in below]
        least = [each for each in least if not each.get(unknown, 0)] + combined


def _cost(unknown: Hashable, least: list[dict[Hashable | None, int]]) -> tuple[int, str]:
    above = sum(each.get(unknown, 0) > 0 for each in least)
    below = sum(each.get(unknown, 0) < 0 for each in least)
    return above * below - above - below, repr(unknown)


def _tightened(sum_: dict[Hashable | None, int]) -> dict[Hashable | None, int]:
    """Divide a sum by its coefficients' common divisor, rounding the constant down, because the sum is an integer."""
    divisor = gcd(*(factor for unknown, factor in sum_.items() if unknown is not None))
    if divisor < 2:
        return sum_
    return _plain({each: factor // divisor for each, factor in sum_.items()})
