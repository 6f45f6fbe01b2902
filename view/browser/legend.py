"""Choose the colour and relief of values (Song et al. 2004, section 4): colour shows the size, relief the sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .tally import Value
from .written import written

__all__ = ["Legend", "Relief", "relief"]

Relief = Literal["raised", "sunken", "flat", "none"]


def relief(value: Value, unit: str) -> Relief:
    """Return the relief for a shown value: raised if positive, sunken if negative, flat if 0, none if it is missing."""
    if value.amount is None:
        return "none"
    sign = written(value, unit)[1]
    return "raised" if sign > 0 else "sunken" if sign < 0 else "flat"


@dataclass(frozen=True, slots=True)
class Legend:
    """A scale that maps values to colours.

    Attributes:
        top: The absolute value at the end of the scale.
        unit: Unit of the values.
    """

    top: float
    unit: str

    def place(self, value: Value) -> float | None:
        """Return the position of a value on the scale, from 0 to 1; None if the value is missing."""
        if value.amount is None:
            return None
        return min(1.0, abs(value.amount) / self.top) if self.top else 0.0

    def marks(self, count: int) -> tuple[float, ...]:
        """Return ``count`` evenly spaced numbers from 0 to the top, to label the scale."""
        return tuple(self.top * mark / (count - 1) for mark in range(count))
