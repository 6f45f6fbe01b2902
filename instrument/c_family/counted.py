"""Compute the trip counts of counted loops in C and C++."""

from __future__ import annotations

from typing import Final

__all__ = ["SIGNED", "trips"]

SIGNED: Final = -(2**15)
"""The lowest value that a signed variable is assumed to have; the highest value has about the same magnitude."""


def trips(first: float, comparison: str, bound: float, step: float, lowest: float) -> int:
    """Return the trip count of a loop whose integer variable is changed only by the loop's step, or 0 if it is unknown.

    Unknown numbers are NaN.

    Args:
        first: Initial value of the variable.
        comparison: The comparison operator.
        bound: The value with which the variable is compared.
        step: The increment after each iteration.
        lowest: The lowest value of the variable's type.
    """
    if not step or not all(lowest <= value <= -SIGNED for value in (first, bound)):
        return 0
    whole, rest = divmod((bound - first) * (1 if step > 0 else -1), abs(step))
    is_met = not rest if comparison == "!=" else comparison[0] == ("<" if step > 0 else ">")
    count = whole + (comparison in {"<=", ">="} or rest > 0)
    return int(count) if is_met and count > 0 and lowest <= first + count * step < -SIGNED else 0
