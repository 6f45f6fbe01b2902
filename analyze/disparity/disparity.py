"""Regions that weigh more than others (paper 001, sections 4.2.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..code_regions import CRITICAL_SHARE, CodeRegion
from .classes import HIGH, classify

__all__ = ["Disparity", "find_disparity"]


@dataclass(frozen=True)
class Disparity:
    """How much each region weighs.

    Attributes:
        values: CRNM of each code region (Eq. 2), or what was chosen in its place, in the order of the regions.
        classes: Severity class of each, 0 to 4; empty if there are fewer than two different values.
        ccr: Positions of the critical code regions.
        cccr: Their cores.
    """

    values: tuple[float, ...]
    classes: tuple[int, ...] = ()
    ccr: tuple[int, ...] = ()
    cccr: tuple[int, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether a region stands out."""
        return bool(self.ccr)


def find_disparity(
    regions: Sequence[CodeRegion], *, values: Sequence[float], shares: Sequence[float], additive: bool = True
) -> Disparity:
    """Classify the regions and find the critical ones and their cores (definitions 14 and 15).

    Args:
        regions: The code-region tree.
        values: CRNM of each region, or what it is classed by.
        shares: Share of each region's wall time in the program's.
        additive: Whether a region's value contains those of the regions below it: CRNM's does, CPI does not.
    """
    classes = classify(values)
    if classes is None:
        return Disparity(tuple(values))
    ccr = [index for index in range(len(regions)) if classes[index] >= HIGH and shares[index] >= CRITICAL_SHARE]
    lowest = min((values[index] for index in ccr), default=0.0)
    critical = set(ccr)

    def is_core(index: int) -> bool:
        children = regions[index].children
        below = sum(values[child] for child in children if child in critical) if additive else 0.0
        return all(classes[index] > classes[child] for child in children) and values[index] - below >= lowest

    cores = tuple(index for index in ccr if is_core(index))
    return Disparity(tuple(values), tuple(classes), tuple(ccr), cores)
