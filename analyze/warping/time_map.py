"""A warp path as a map of time: moments of one trace carried over to another (section 3.3, Figure 1).

Where a sequence hardly changes, its warp path is chance: all paths there have about the same error. So the map follows
the path where both sequences are steep, and is smooth between: a cubic spline that minimises the squared distance to
the path, weighted by their steepness, and its own curvature. What is far off the map counts less: there
the path has taken another period's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.interpolate import make_smoothing_spline

from ..arrays import Values
from .noise import steepness
from .warp_path import Warp

__all__ = ["TimeMap", "time_map"]

# Of a trace: how far the map may bend where nothing tells that it should. Of 840 planted pairs of 300 samples, scaled,
# shifted and warped, with up to a tenth of noise, both ends of 99 % were carried within 1 %; of 400 of ten real time
# lines 95 %, with 0.03 of 93 %, with 0.05, and no distance that counts less, of 94 %.
_STIFFNESS: Final = 0.04
_OFF: Final = 0.006  # of a trace: where the path is so far off the map, as in another period, it counts half
_ROUNDS: Final = 6  # in which that is found out
_POWER: Final = 1.5  # of the steepness; with 1 noise counts too much, with 2 hardly anything but the steepest samples
_LEAST: Final = 1e-4  # a weight: of what is flat
_MOST: Final = 1e4  # a hundred deviations tell as much as more do
_ENDS: Final = 1e-2  # of the first and the last sample, which belong together whatever they are
_SPLINE: Final = 5  # samples that a smoothing spline needs


@dataclass(frozen=True, slots=True, eq=False)
class TimeMap:
    """Moments of one trace, and the same moments of another.

    Attributes:
        x: ``float64[sample]``, seconds, increasing.
        y: ``float64[sample]``, seconds, not decreasing.
    """

    x: Values
    y: Values

    def carried(self, interval: tuple[float, float]) -> tuple[float, float]:
        """Carry an interval over to the other trace."""
        start, end = self.moments(np.array(interval)).tolist()
        return start, end

    def moments(self, seconds: Values) -> Values:
        """Carry moments over, ``float64[moment]``; time outside the trace goes on at the same rate."""
        inside = np.interp(seconds, self.x, self.y)
        found: Values = inside + np.minimum(seconds - self.x[0], 0) + np.maximum(seconds - self.x[-1], 0)
        return found


def time_map(path: Warp, x: Values, y: Values, x_times: Values, y_times: Values) -> TimeMap:
    """Make a map of time of a warp path.

    Args:
        path: Of ``x`` and ``y``.
        x: ``float64[n]``, as they were warped.
        y: ``float64[m]``.
        x_times: ``float64[n]``, seconds, increasing.
        y_times: ``float64[m]``.
    """
    middle = _middles(path, len(x))
    if len(x) >= _SPLINE:
        middle = _smooth(middle, x, y)
    middle = np.maximum.accumulate(np.clip(middle, 0, len(y) - 1))
    return TimeMap(x_times, np.interp(middle, np.arange(len(y)), y_times))


def _middles(path: Warp, count: int) -> Values:
    """Give the middle of the samples of y that belong to each of x."""
    first, last = np.full(count, np.iinfo(np.intp).max), np.zeros(count, dtype=np.intp)
    np.minimum.at(first, path.x, path.y)
    np.maximum.at(last, path.x, path.y)
    return (first + last) / 2


def _smooth(middle: Values, x: Values, y: Values) -> Values:
    there = np.clip(np.rint(middle).astype(np.intp), 0, len(y) - 1)
    told = np.minimum(np.minimum(steepness(x), steepness(y)[there]) ** _POWER + _LEAST, _MOST)
    told[[0, -1]] += _ENDS
    told /= told.mean()
    places = np.arange(len(x), dtype=np.float64)
    smooth: Values = middle
    for _ in range(1 + _ROUNDS):
        weights = told / (1 + ((middle - smooth) / (_OFF * len(x))) ** 2)
        smooth = make_smoothing_spline(places, middle, weights, (_STIFFNESS * len(x)) ** 4)(places)
    return smooth
