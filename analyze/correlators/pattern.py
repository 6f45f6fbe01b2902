"""Patterns: what remains of a target without its noise (section 5.3.3).

A person draws one in a moment. One that is proposed is a segmentation of the target in which what is far from the
running median is replaced by it (Hampel's filter): steps stay where they are, and single points do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter

from ...errors import InputError
from .segmentation import Segmentation, segmented, suggested_count

__all__ = ["drawn_pattern", "proposed_pattern"]

Values = npt.NDArray[np.float64]

_WINDOW: Final = 7  # samples, over which the median is taken: three in a row that are far off vanish
_FAR: Final = 3.0  # deviations
_NORMAL: Final = 1.4826  # deviation of a normal distribution over its median absolute deviation


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
    clean = _without_outliers(values)
    lines = segmented(times, clean, suggested_count(times, clean) if count is None else count)
    return lines.fitted(times, clean), lines


def _without_outliers(values: Values) -> Values:
    """Replace what is far from the running median by it."""
    middle = median_filter(values, size=_WINDOW, mode="nearest")
    distance = np.abs(values - middle)
    far = distance > _FAR * _NORMAL * np.median(distance)
    return np.where(far, middle, values)
