"""Patterns: what remains of a target without its noise (section 5.3.3).

A person draws one in a moment. One that is proposed is a segmentation of the target in which what is far from the
running median is replaced by it (Hampel's filter): steps stay where they are, and single points do not count. What is
far off for two samples is something that happens: with a wider median the periodic writes of a real run vanished.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...errors import InputError
from ..arrays import Values
from ..outliers import without_outliers
from .segmentation import Segmentation, segmented, suggested_count

__all__ = ["drawn_pattern", "proposed_pattern"]


def drawn_pattern(points: Sequence[tuple[float, float]], times: Values) -> Values:
    """Give the values of a pattern that is drawn as points, seconds and value, with lines between.

    Raises:
        InputError: There are fewer than two points, or they do not follow each other.
    """
    seconds = [time for time, _ in points]
    if len(points) < 2 or any(later < earlier for earlier, later in pairwise(seconds)):
        raise InputError(f"expected two points of a pattern or more, one after the other, found {len(points)}")
    return np.interp(times, seconds, [value for _, value in points])


def proposed_pattern(times: Values, values: Values, count: int | None = None) -> tuple[Values, Segmentation]:
    """Propose a pattern.

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
        count: Of segments; None for what is suggested.

    Returns:
        The pattern at each sample, and its segments.
    """
    clean = without_outliers(values, in_a_row=1)
    lines = segmented(times, clean, suggested_count(times, clean) if count is None else count)
    return lines.fitted(times, clean), lines
