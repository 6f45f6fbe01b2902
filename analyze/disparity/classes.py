"""Severity classes of one number per region: exact one-dimensional k-means (Liu et al. 2011, section 4.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from ..run.arrays import Values
from ..run.criteria import THRESHOLD

__all__ = ["HIGH", "LABELS", "NEGLIGIBLE", "classify", "optimal_split"]

LABELS: Final = ("very low", "low", "medium", "high", "very high")
HIGH: Final = LABELS.index("high")

NEGLIGIBLE: Final = 0.01  # share of the largest value below which values are in class 0
_SMALL: Final = 0.05  # share of the largest value below which values are never high


def classify(values: Sequence[float]) -> list[int] | None:
    """Return the severity class of each value, from 0, very low, to 4, very high.

    Starting from the largest, values within 10 % of a larger value count as equal to it; nested regions often have such
    values. A value of 0, or below 1 % of the largest, is always in class 0; a value below 5 % is never high.

    Args:
        values: One value per region, not negative.

    Returns:
        The classes in the order of the values. None if there are fewer than two different values, because then there is
        no disparity.
    """
    largest = max(values, default=0.0)
    weighty = [value if value > 0 and value >= NEGLIGIBLE * largest else 0.0 for value in values]
    different = _merge_alike(weighty)
    if len(different) < 2:
        return None
    heads = list(different)
    starts = optimal_split(list(different.values()), min(len(LABELS), len(heads)))
    class_of_head = {
        head: len(LABELS) - 1 - rank
        for rank, (start, end) in enumerate(pairwise([*starts, len(heads)]))
        for head in heads[start:end]
    }
    for head in heads:
        if head < _SMALL * largest:
            class_of_head[head] = min(class_of_head[head], HIGH - 1)
    return [0 if value == 0 else class_of_head[min(head for head in heads if head >= value)] for value in weighty]


def _merge_alike(values: Sequence[float]) -> dict[float, float]:
    """Group similar values, and map the largest value of each group to the group's mean."""
    groups: dict[float, list[float]] = {}
    head = np.inf
    for value in sorted(values, reverse=True):
        if head == np.inf or value < (1 - THRESHOLD) * head:
            head = value
        groups.setdefault(head, []).append(value)
    return {head: sum(group) / len(group) for head, group in groups.items()}


def optimal_split(values: Sequence[float], k: int) -> list[int]:
    """Split sorted values into k groups of neighbours, so that the sum of squares around the group means is minimal.

    The split is exact; dynamic programming over prefix sums takes O(k n²) for n values.

    Args:
        values: Sorted in either direction, all different.
        k: The number of groups, at most ``len(values)``.

    Returns:
        The index at which each group begins; the first is 0.
    """
    n = len(values)
    cost = _run_costs(np.asarray(values, dtype=np.float64))
    best = cost[0].copy()  # best[j] is the cost of values[0..j] with the current number of groups
    starts = np.zeros((k, n), dtype=np.intp)
    for run in range(1, k):
        extended = np.full(n, np.inf)
        for end in range(run, n):
            totals = best[run - 1 : end] + cost[run : end + 1, end]
            choice = int(totals.argmin())
            extended[end], starts[run, end] = totals[choice], run + choice
        best = extended
    split, end = [], n - 1
    for run in range(k - 1, -1, -1):
        split.append(int(starts[run, end]))
        end = split[-1] - 1
    return split[::-1]


def _run_costs(values: Values) -> Values:
    """Return the sum of squares of ``values[i..j]`` around their mean: ``float64[i, j]``, valid for j ≥ i."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    i, j = np.indices((len(values), len(values)))
    size = np.maximum(j - i + 1, 1)
    return np.asarray(squares[j + 1] - squares[i] - (sums[j + 1] - sums[i]) ** 2 / size)
