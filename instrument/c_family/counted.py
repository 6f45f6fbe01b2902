"""Trip counts of counted loops in C and C++."""

from __future__ import annotations

from typing import Final

__all__ = ["SIGNED", "trips"]

SIGNED: Final = -(2**15)
"""The minimum assumed for a signed variable; the maximum is as far from zero."""


def trips(first: float, comparison: str, bound: float, step: float, lowest: float) -> int:
    """Return the trip count of a loop over an integer that only its step changes; 0 if unknown.

    Args:
        first: Initial value of the variable.
        comparison: The comparison operator.
        bound: The bound.
        step: The increment after each trip.
        lowest: The least value of its type. Any of the numbers is NaN if unknown.
    """
    if not step or not all(lowest <= value <= -SIGNED for value in (first, bound)):
        return 0
    whole, rest = divmod((bound - first) * (1 if step > 0 else -1), abs(step))
    is_met = not rest if comparison == "!=" else comparison[0] == ("<" if step > 0 else ">")
    count = whole + (comparison in {"<=", ">="} or rest > 0)
    return int(count) if is_met and count > 0 and lowest <= first + count * step < -SIGNED else 0
