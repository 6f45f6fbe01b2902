"""Colour and relief (paper 002, section 4): colour tells how large a value is, relief its sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .tally import Value
from .written import written

__all__ = ["Legend", "Relief", "relief"]

Relief = Literal["raised", "sunken", "flat", "none"]


def relief(value: Value, unit: str) -> Relief:
    """Tell the sign that is seen in the digits: raised is positive, sunken negative, flat 0; none without a number."""
    if value.amount is None:
        return "none"
    sign = written(value, unit)[1]
    return "raised" if sign > 0 else "sunken" if sign < 0 else "flat"


@dataclass(frozen=True, slots=True)
class Legend:
    """A scale that maps numbers onto colours.

    Attributes:
        top: The size that the last colour stands for.
        unit: Of the numbers.
    """

    top: float
    unit: str

    def place(self, value: Value) -> float | None:
        """Give the place of a value's size on the scale, from 0 to 1; None where there is no number."""
        if value.amount is None:
            return None
        return min(1.0, abs(value.amount) / self.top) if self.top else 0.0

    def marks(self, count: int) -> tuple[float, ...]:
        """Give numbers at equal distances, from 0 to the top, to be written beside the colours."""
        return tuple(self.top * mark / (count - 1) for mark in range(count))
