"""How often a counted loop of C or C++ runs."""

from __future__ import annotations

from typing import Final

__all__ = ["SIGNED", "trips"]

SIGNED: Final = -(2**15)
"""The least that a signed variable is taken to hold; the greatest is as far from zero."""


def trips(first: float, comparison: str, bound: float, step: float, lowest: float) -> int:
    """Count the trips of a loop by an integer variable that nothing but its step changes; 0 if they are not known.

    Args:
        first: What the variable is at first.
        comparison: How it is compared with the bound.
        bound: What it is compared with.
        step: What is added to it after each trip.
        lowest: The least that it can hold; NaN, as any of the numbers, where that is not known.
    """
    if not step or not all(lowest <= value <= -SIGNED for value in (first, bound)):
        return 0
    whole, rest = divmod((bound - first) * (1 if step > 0 else -1), abs(step))
    is_met = not rest if comparison == "!=" else comparison[0] == ("<" if step > 0 else ">")
    count = whole + (comparison in {"<=", ">="} or rest > 0)
    return int(count) if is_met and count > 0 and lowest <= first + count * step < -SIGNED else 0
