"""Cut a trace into sliding windows and average the samples of each location (Vetter and Reed, 3.2.1 and eq. 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite
from typing import Final

import numpy as np

from ...analyze.run.arrays import Indices, Values
from ...errors import InputError
from ...experiment.trace import Samples
from ...multivariate.metric_space import Point

__all__ = ["SlidingWindow", "Window", "smoothed"]

_ROUNDINGS: Final = 8  # maximum rounding error of a window's times, in units in the last place
_DIGITS: Final = 8 * _ROUNDINGS  # minimum distance between windows, in units in the last place


@dataclass(frozen=True)
class Window:
    """A time window of a trace.

    Attributes:
        start: Start of the window in seconds.
        end: End of the window in seconds; a sample at exactly this time belongs to the next window, if there is one.
        samples: The samples in the window.
        fresh: The number of samples after the end of the previous window.
    """

    start: float
    end: float
    samples: Samples
    fresh: int


class SlidingWindow:
    """Cuts a trace into windows of equal width while its samples arrive.

    A window is complete when every known location has passed its end, or when one location is a full width beyond its
    end, so a location that has ended does not block the others. Samples that arrive later are left out. The time to
    process a window is proportional to its number of samples.

    Args:
        width: Width of a window in seconds.
        every: Seconds from the start of one window to the next; None for half the width.

    Attributes:
        late: The number of samples that arrived after their window was complete.
        empty: The number of windows without a sample, which were skipped.
        locations: Process and thread of the known locations.
    """

    def __init__(self, width: float = inf, every: float | None = None) -> None:
        self.late = 0
        self.empty = 0
        self.locations: Sequence[tuple[int, int]] = ()
        self._width = width
        self._every = width / 2 if every is None else every
        self._kept = Samples.none()  # sorted by time
        self._came: list[Samples] = []  # samples not yet merged into ``_kept``, not sorted
        self._latest = np.empty(0)  # latest time of each location
        self._origin = inf
        self._number = 0
        self._passed = -inf

    def add(self, samples: Samples) -> Iterator[Window]:
        """Add samples, in any order, and yield the windows that are complete.

        Raises:
            InputError: Times have too few digits for windows of this width.
        """
        if self._number:
            timely = samples.times >= self._start(self._number) - self._slack(samples.times)
            self.late += int((~timely).sum())
            samples = samples.part(timely)
        if not len(samples.times):
            return
        if self._every < _DIGITS / _ROUNDINGS * self._slack(samples.times):
            raise InputError(
                f"times up to {np.abs(samples.times).max():.17g} s have too few digits for windows {self._every:g} s "
                f"apart; choose a wider window"
            )
        if not self._number:
            self._origin = min(self._origin, float(samples.times.min()))
        self._came.append(samples)
        self.locations = samples.locations
        unseen = len(self.locations) - len(self._latest)
        self._latest = np.append(self._latest, np.full(max(unseen, 0), -inf))
        np.maximum.at(self._latest, samples.places, samples.times)
        while self._complete() > self._end():
            yield from self._next(self._end())

    def finish(self) -> Iterator[Window]:
        """Yield the remaining windows; the last one ends with, and includes, the last sample."""
        while len(times := self._gathered().times):
            last = float(times[-1])
            if self._number and self._cut(self._passed) == len(times):
                return
            if self._end() < last - self._slack(times):
                yield from self._next(self._end())
            else:
                yield from self._next(last, whole=True)
                return

    def _start(self, number: int) -> float:
        return self._origin + (number * self._every if number else 0.0)

    def _end(self) -> float:
        return self._start(self._number) + self._width

    def _back(self) -> float:
        """Return the time from which samples are kept: the start of the previous window."""
        return self._start(max(self._number - 1, 0))

    def _complete(self) -> float:
        """Return the time in seconds up to which the trace is complete."""
        seen = self._latest[self._latest >= self._back()]
        return max(float(seen.min()), float(seen.max()) - self._width) if len(seen) else -inf

    def _slack(self, times: Values) -> float:
        """Return a tolerance for comparing times, so that a sample at a window's end belongs to exactly one window."""
        origin = abs(self._origin) if isfinite(self._origin) else 0.0
        return _ROUNDINGS * float(np.spacing(np.abs(times).max(initial=origin)))

    def _cut(self, time: float) -> int:
        """Return the index of the first sample at or after a time."""
        times = self._gathered().times
        return int(np.searchsorted(times, time - self._slack(times[[0, -1]])))

    def _gathered(self) -> Samples:
        """Merge new samples into the kept ones; return all of them, sorted by time."""
        if self._came:
            kept = self._kept.with_more(*self._came)
            sorted_already = (kept.times[1:] >= kept.times[:-1]).all()
            self._kept = kept if sorted_already else kept.part(np.argsort(kept.times, kind="stable"))
            self._came = []
        return self._kept

    def _next(self, end: float, *, whole: bool = False) -> Iterator[Window]:
        kept = self._gathered()
        start = max(end - self._width, self._origin) if whole else self._start(self._number)
        first, behind = self._cut(start), len(kept.times) if whole else self._cut(end)
        if first < behind:
            passed = self._cut(self._passed) if self._number else first
            yield Window(start, end, kept.part(slice(first, behind)), behind - max(first, passed))
            self._number += 1
        else:
            ahead = float(kept.times[behind]) - self._origin - self._width
            number = max(self._number + 1, floor(ahead / self._every) + 1)
            self.empty += number - self._number
            self._number = number
        self._passed = end
        self._kept = kept.part(slice(self._cut(self._back()), None))


def smoothed(samples: Samples, parts: int = 1) -> tuple[list[Point], dict[str, Values]]:
    """Return averages of the samples of each location, or of each of several parts of its samples.

    Args:
        samples: Samples sorted by time.
        parts: The number of parts of equal size into which the samples of a location and metric are divided; if there
            are fewer samples than parts, a sample is used for several parts.

    Returns:
        The points, each with the number of its part; and for each metric ``float64[point]``, NaN if the metric has no
        values on the location.
    """
    order = np.argsort(samples.places, kind="stable")
    places, values = samples.places[order], samples.values[order]
    seen = places[np.flatnonzero(np.diff(places, prepend=-1))].tolist()
    locations = [samples.locations[place] for place in seen]
    points = [Point(process, thread, part) for process, thread in locations for part in range(parts)]
    means = [_means(np.searchsorted(seen, places), column, len(seen), parts) for column in values.T]
    return points, dict(zip(samples.metrics, means, strict=True))


def _means(locations: Indices, column: Values, count: int, parts: int) -> Values:
    there = ~np.isnan(column)
    locations, column = locations[there], column[there]
    size = float(np.abs(column).max(initial=0.0)) or 1.0  # scaling keeps sums of huge values from overflowing
    many = np.bincount(locations, minlength=count)[:, None]
    start = np.cumsum(many)[:, None] - many
    part = np.arange(parts)
    first = part * many // parts
    behind = np.maximum(first + 1, (part + 1) * many // parts)
    edges = np.stack([start + first, start + behind], axis=-1)[many[:, 0] > 0].ravel()
    means = np.full((count, parts), np.nan)
    if len(edges):
        sums = np.add.reduceat(np.append(column / size, 0.0), edges)[::2].reshape(-1, parts)
        means[many[:, 0] > 0] = sums / (behind - first)[many[:, 0] > 0] * size
    return means.ravel()
