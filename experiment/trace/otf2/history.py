"""The history of one location, built from its events: call paths, amounts and counter values over time."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..time_line import TimeLine

__all__ = ["NOWHERE", "Events", "History"]

Values = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

NOWHERE: Final = -1  # represents the time outside all call paths


@dataclass
class Events:
    """A sequence of events, each with a time in seconds and a number."""

    times: array[float] = field(default_factory=lambda: array("d"))
    numbers: array[float] = field(default_factory=lambda: array("d"))

    def __len__(self) -> int:
        return len(self.times)

    def add(self, time: float, number: float) -> None:
        """Append a time and its number."""
        self.times.append(time)
        self.numbers.append(number)

    def arrays(self) -> tuple[Values, Values]:
        """Return all times, and all numbers, as two ``float64`` arrays."""
        return np.array(self.times, dtype=np.float64), np.array(self.numbers, dtype=np.float64)


@dataclass
class History:
    """A location's history, built event by event.

    Attributes:
        stays: The times when the location moved to another call path, and the call paths; -1 outside all call paths.
        entries: The times when the location entered a call path, and the call paths.
        amounts: Metric → the times when amounts were recorded, and the amounts.
        counters: Metric → the times when the counter was read, and its values.
        modes: File I/O operation in progress → ``READ`` or ``WRITE``.
        stack: The open call paths, outermost first.
    """

    stays: Events = field(default_factory=Events)
    entries: Events = field(default_factory=Events)
    amounts: defaultdict[str, Events] = field(default_factory=lambda: defaultdict(Events))
    counters: defaultdict[str, Events] = field(default_factory=lambda: defaultdict(Events))
    modes: dict[tuple[int, int], str] = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)

    def enter(self, time: float, path: int) -> None:
        """Enter a call path."""
        self.stack.append(path)
        self.stays.add(time, path)
        self.entries.add(time, path)

    def leave(self, time: float) -> None:
        """Return to the previous call path."""
        if self.stack:
            self.stack.pop()
            self.stays.add(time, self.stack[-1] if self.stack else NOWHERE)

    def end(self, time: float) -> None:
        """Leave all open call paths, for example if the program was killed."""
        while self.stack:
            self.leave(time)

    def line(
        self,
        edges: Values,
        metrics: Sequence[str],
        kinds: npt.NDArray[np.bool_],
        calls: npt.NDArray[np.bool_],
        levels: Collection[str],
    ) -> TimeLine:
        """Return the location's time line, one sample per step.

        Args:
            edges: ``float64[sample + 1]``: the boundaries of the steps, in seconds.
            metrics: The metrics of the columns; times come first.
            kinds: ``bool[time metric, path]``: the call paths that count towards each of the times.
            calls: ``bool[path]``: the call paths whose time is not busy time.
            levels: The counters of which each step contains the last value rather than the increase.
        """
        count, width = len(edges) - 1, kinds.shape[1]
        sample, path, seconds = self._stays(edges)
        entered, entries = self.entries.arrays()
        keys = np.concatenate([sample * width + path, _steps(edges, entered) * width + entries.astype(np.intp)])
        found, part = np.unique(keys, return_inverse=True)
        spent = _sums(part[: len(path)], seconds, len(found))
        samples, paths = np.divmod(found, width)
        times = [_sums(samples, np.where(kind[paths], spent, 0.0), count) for kind in kinds]
        others = [self._column(metric, edges, level=metric in levels) for metric in metrics[len(kinds) :]]
        return TimeLine(
            begin=edges[:-1],
            end=edges[1:],
            values=np.column_stack([*times, *others]),
            first=np.searchsorted(samples, np.arange(count + 1)),
            paths=paths,
            visits=np.bincount(part[len(path) :], minlength=len(found)).astype(np.int64),
            seconds=spent,
            computing=np.where(calls[paths], 0.0, spent),
        )

    def _stays(self, edges: Values) -> tuple[Places, Places, Values]:
        """Return the step, the call path and the seconds of each stay; stays are split at the boundaries of steps."""
        times, paths = self.stays.arrays()
        if not len(times):
            return np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)
        cuts = np.sort(np.concatenate([times, edges[(edges > times[0]) & (edges < times[-1])]]))
        path = paths[np.searchsorted(times, cuts[:-1], side="right") - 1].astype(np.intp)
        taken = (np.diff(cuts) > 0) & (path != NOWHERE)
        return _steps(edges, (cuts[:-1] + cuts[1:])[taken] / 2), path[taken], np.diff(cuts)[taken]

    def _column(self, metric: str, edges: Values, *, level: bool) -> Values:
        """Return ``float64[step]``: a metric's amounts, or the last values of a level, NaN before the first one."""
        if metric not in self.counters:
            times, amounts = self.amounts[metric].arrays()
            return _sums(_steps(edges, times), amounts, len(edges) - 1)
        times, shown = self.counters[metric].arrays()
        if not level:
            return np.diff(np.interp(edges, times, shown))
        last = np.searchsorted(times, edges[1:], side="right") - 1
        return np.where(last >= 0, shown[last.clip(0)], np.nan)


def _sums(places: Places, amounts: Values, count: int) -> Values:
    found: Values = np.bincount(places, amounts, count).astype(np.float64)
    return found


def _steps(edges: Values, times: Values) -> Places:
    """Return ``intp[time]``: the step of each time; a time on a boundary between steps belongs to the earlier step."""
    return np.searchsorted(edges, times, side="left").clip(1, len(edges) - 1) - 1
