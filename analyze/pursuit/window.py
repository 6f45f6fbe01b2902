"""Windows that slide over a trace, each smoothed to a point a location (paper 004, 3.2.1 and equation 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, inf

import numpy as np

from ...experiment.trace import Samples
from ..metric_space import Point, Values

__all__ = ["SlidingWindow", "Window", "smoothed"]


@dataclass(frozen=True)
class Window:
    """A part of a trace.

    Attributes:
        start: Seconds.
        end: Seconds; samples at this very time are in the next window, if there is one.
        samples: What is in it.
        fresh: How many samples came after the end of the window before.
    """

    start: float
    end: float
    samples: Samples
    fresh: int


class SlidingWindow:
    """Cuts a trace into windows of one width, as its samples come.

    A window is complete when each location that was seen has passed its end, or any is a width beyond: one that has
    ended holds up nothing. Samples that come after that are left out.

    Attributes:
        late: How many samples came after their window.
        empty: How many windows held no sample, and were passed over.
    """

    def __init__(self, width: float = inf, every: float | None = None) -> None:
        self.late = 0
        self.empty = 0
        self._width = width
        self._every = width / 2 if every is None else every
        self._kept = Samples.none()
        self._origin: float | None = None
        self._number = 0
        self._passed = -inf

    def add(self, samples: Samples) -> Iterator[Window]:
        """Take samples, in any order, and give the windows that are complete."""
        if self._number and self._origin is not None:
            timely = samples.times >= self._start(self._number)
            self.late += int((~timely).sum())
            samples = samples.part(timely)
        self._kept = self._kept.with_more(samples)
        while len(self._kept.times) and self._complete() > self._first_end():
            yield from self._next(self._first_end())

    def finish(self) -> Iterator[Window]:
        """Give the windows that are left; the last one ends with the last sample, which is in it."""
        while len(self._kept.times):
            last = float(self._kept.times.max())
            if self._number and last < self._passed:
                return
            if self._first_end() < last:
                yield from self._next(self._first_end())
            else:
                yield from self._next(last, whole=True)
                return

    def _start(self, number: int) -> float:
        return (self._origin or 0.0) + (number * self._every if number else 0.0)

    def _first_end(self) -> float:
        if self._origin is None or not self._number:
            self._origin = float(self._kept.times.min())
        return self._start(self._number) + self._width

    def _complete(self) -> float:
        """Give the time to which the trace is complete."""
        latest = np.full(len(self._kept.locations), -inf)
        np.maximum.at(latest, self._kept.places, self._kept.times)
        seen = latest[latest > -inf]
        return max(float(seen.min()), float(seen.max()) - self._width)

    def _next(self, end: float, *, whole: bool = False) -> Iterator[Window]:
        start = max(end - self._width, self._start(0))
        times = self._kept.times
        inside = (times >= start) & ((times < end) | whole)
        if inside.any():
            yield Window(start, end, self._kept.part(inside), int((times[inside] >= self._passed).sum()))
            self._number += 1
        else:
            ahead = float(times[times >= end].min()) - self._start(0) - self._width
            number = max(self._number + 1, floor(ahead / self._every) + 1)
            self.empty += number - self._number
            self._number = number
        self._passed = end
        back = self._start(self._number - 1)  # the last window may begin before its turn
        self._kept = self._kept.part(times >= back)


def smoothed(samples: Samples) -> tuple[list[Point], dict[str, Values]]:
    """Average the samples of each location: points, and ``float64[point]`` a metric; NaN where all are missing."""
    order = np.argsort(samples.places, kind="stable")
    places, values = samples.places[order], samples.values[order]
    first = np.flatnonzero(np.diff(places, prepend=-1))
    there = ~np.isnan(values)
    size = np.where(there, np.abs(values), 0.0).max(axis=0, initial=0.0)
    size[size == 0] = 1.0
    counted = np.add.reduceat(there.astype(np.float64), first, axis=0)
    total = np.add.reduceat(np.where(there, values / size, 0.0), first, axis=0)  # no sum of huge values overflows
    mean = np.where(counted > 0, total / np.maximum(counted, 1.0), np.nan) * size
    points = [Point(*samples.locations[place]) for place in places[first].tolist()]
    return points, dict(zip(samples.metrics, mean.T, strict=True))
