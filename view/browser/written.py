"""Write values as text, and find the sign that the text shows."""

from __future__ import annotations

from typing import Final

from ..units import amount, percent
from .tally import Value

__all__ = ["written"]

_NOTHING: Final = frozenset({"0", "0 B", "0 ns", "0 s", "0 J", "0.0 %", "< 0.1 %"})


def written(value: Value, unit: str) -> tuple[str, int]:
    """Return a value as text (if it is missing, the reason), and the sign that the text shows: 1, -1, or 0."""
    if value.amount is None:
        return value.gap, 0
    size = percent(abs(value.amount)) if unit == "%" else amount(abs(value.amount), unit)
    if size in _NOTHING:
        return size.replace("0 ns", "0 s"), 0  # a time that rounds to 0 ns is a rounding error
    sign = 1 if value.amount > 0 else -1
    return (size if sign > 0 else f"-{size}"), sign
