"""The five severity classes of paper 001 (section 4.2.2, Fig. 2): k-means, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..disparity.classes import LABELS, optimal_split

__all__ = ["severity_classes"]


def severity_classes(values: Sequence[float]) -> list[int] | None:
    """Put each value into a class from 0, very low, to 4, very high.

    The k-means is exact, so that there is nothing to start it from. The paper does not say what becomes of fewer than
    five different values: they are numbered from the top. Nor of 0, which is very low in its Table 4.

    Args:
        values: One a region, not negative.

    Returns:
        The classes in the order of the values; None with fewer than two different ones.
    """
    ordered = sorted(values)  # from the least: sums of what is small keep their digits
    different = len(set(ordered))
    if different < 2:
        return None
    starts = optimal_split(ordered, min(len(LABELS), different))
    top = len(LABELS) - len(starts)
    of_value: dict[float, int] = {}
    for number, (start, end) in enumerate(pairwise([*starts, len(ordered)])):
        for value in ordered[start:end]:
            of_value.setdefault(value, top + number)
    return [of_value[value] if value > 0 else 0 for value in values]
