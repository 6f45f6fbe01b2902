"""Maps of time: moments of one trace mapped to another, by a warp path or by what the program does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...analyze.run.arrays import Indices, Values
from ...analyze.run.outliers import steepness
from ...experiment import CallPath
from ...experiment.trace import TimeLine, Trace
from .warp_path import Warp

__all__ = ["TimeMap", "anchored", "same_paths", "time_map"]

# Of a trace: how far the map may bend without evidence. Of 840 planted pairs of 300 samples, scaled, shifted and
# warped, with up to a tenth of noise, both ends of 99 % were mapped within 1 %; of 400 intervals of ten real time lines
# 95 %, with 0.03 93 %, and with 0.05 and no reduced distances 94 %.
_STIFFNESS: Final = 0.04
_OFF: Final = 0.006  # of a trace: a path so far off the map, as in another period, counts half
_ROUNDS: Final = 6  # of reweighting
_POWER: Final = 1.5  # of the steepness: with 1 noise counts too much, with 2 only the steepest samples count
_LEAST: Final = 1e-4  # the weight of flat stretches
_MOST: Final = 1e4  # the evidence of a hundred deviations; more adds nothing
_ENDS: Final = 1e-2  # of the first and the last sample, which match in any case
_SPLINE: Final = 5  # samples that a smoothing spline needs

_ENTRIES: Final = 3  # at least: the program's own entry, and two in it
_CALLS: Final = "io_calls"


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
        """Map an interval to the other trace."""
        start, end = self.moments(np.array(interval)).tolist()
        return start, end

    def moments(self, seconds: Values) -> Values:
        """Map moments, ``float64[moment]``; time outside the trace continues at the same rate."""
        inside = np.interp(seconds, self.x, self.y)
        found: Values = inside + np.minimum(seconds - self.x[0], 0) + np.maximum(seconds - self.x[-1], 0)
        return found


def time_map(path: Warp, x: Values, y: Values, x_times: Values, y_times: Values) -> TimeMap:
    """Make a map of time from a warp path.

    Args:
        path: The warp path of ``x`` and ``y``.
        x: ``float64[n]``, as warped.
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
    """Return the middle of the samples of y that match each sample of x."""
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
        from scipy.interpolate import make_smoothing_spline  # noqa: PLC0415 - takes half a second

        smooth = make_smoothing_spline(places, middle, weights, (_STIFFNESS * len(x)) ** 4)(places)
    return smooth


@dataclass(frozen=True, slots=True, eq=False)
class _Clock:
    """The progress of work over time: distinct levels, when each was reached, and when it was left."""

    levels: Values
    reached: Values
    left: Values

    @classmethod
    def of(cls, line: TimeLine, entries: Values) -> _Clock:
        """Make the clock from numbers of entries, ``float64[sample]``.

        A sample ends with the first event after its interval. So if a sample is longer than most, its entries were at
        its beginning, and nothing was entered or left in the rest of it.
        """
        length = line.end - line.begin
        busy = np.minimum(length, np.median(length))
        done = np.repeat(np.cumsum(entries), 2)
        times = np.column_stack([line.begin + busy, line.end]).ravel()
        done, times = np.concatenate([[0.0], done]), np.concatenate([line.begin[:1], times])
        levels, first = np.unique(done, return_index=True)
        last = np.append(first[1:], len(done)) - 1
        return cls(levels, times[first], times[last])

    def when(self, levels: Values, *, left: bool) -> Values:
        """Return when levels were reached, or left; between known levels, time is interpolated evenly."""
        times: Values = np.interp(levels, np.repeat(self.levels, 2), np.column_stack([self.reached, self.left]).ravel())
        place = np.searchsorted(self.levels, levels).clip(max=len(self.levels) - 1)
        mine = self.levels[place] == levels
        times[mine] = (self.left if left else self.reached)[place[mine]]
        return times


def anchored(x: Trace, y: Trace, ranks: Collection[int] | None = None) -> TimeMap | None:
    """Find the same moments of two runs of a program, averaged over its ranks and threads.

    Args:
        x: The run with the known moments.
        y: The other one.
        ranks: The ranks to include; None for all.

    Returns:
        The map; None if the runs have no common anchors.
    """
    there = {(place.process, place.thread): number for number, place in enumerate(y.locations)}
    same = same_paths(x.call_paths, y.call_paths)
    maps = []
    for number, place in enumerate(x.locations):
        other = there.get((place.process, place.thread))
        if other is not None and (ranks is None or place.process in ranks):
            found = _of_location((x, x.line(number)), (y, y.line(other)), same)
            if found:
                maps.append(found)
    if not maps:
        return None
    times = np.unique(np.concatenate([each.x for each in maps]))
    moments = np.mean([each.moments(times) for each in maps], axis=0)
    return TimeMap(times, np.maximum.accumulate(moments))


def _of_location(x: tuple[Trace, TimeLine], y: tuple[Trace, TimeLine], same: Indices) -> TimeMap | None:
    mine, other = x[1], y[1]
    totals = [_entries(line, len(trace.call_paths)) for trace, line in (x, y)]
    known = same >= 0
    equal = np.flatnonzero(known)[totals[0][known] == totals[1][same[known]]]
    if totals[0][equal].sum() < _ENTRIES:
        return None
    calls = [_calls(*each) for each in (x, y)]
    if calls[0].sum() != calls[1].sum():
        calls = [np.zeros_like(each) for each in calls]
    one = _Clock.of(mine, _counted(mine, equal) + calls[0])
    two = _Clock.of(other, _counted(other, same[equal]) + calls[1])
    here = np.column_stack([one.reached, one.left]).ravel()
    there = np.column_stack([two.when(one.levels, left=False), two.when(one.levels, left=True)]).ravel()
    distinct = np.concatenate([[True], np.diff(here) > 0])
    return TimeMap(here[distinct], np.maximum.accumulate(there)[distinct])


def _entries(line: TimeLine, paths: int) -> npt.NDArray[np.int64]:
    """Return the total number of entries of each call path."""
    found = np.zeros(paths, dtype=np.int64)
    known = line.paths >= 0
    np.add.at(found, line.paths[known], line.visits[known])
    return found


def _calls(trace: Trace, line: TimeLine) -> Values:
    """Return the number of file I/O calls in each sample; empty if they were not always recorded."""
    names = [metric.name for metric in trace.metrics]
    calls = line.values[:, names.index(_CALLS)] if _CALLS in names else np.zeros(len(line))
    return np.zeros(len(line)) if np.isnan(calls).any() else calls


def _counted(line: TimeLine, paths: Indices) -> Values:
    """Return the number of entries of some call paths in each sample."""
    taken = np.isin(line.paths, paths)
    counts: Values = np.bincount(line.samples[taken], line.visits[taken], len(line)).astype(np.float64)
    return counts


def same_paths(x: Collection[CallPath], y: Collection[CallPath]) -> Indices:
    """Return for each call path of one run its match in the other, ``int[path]``; -1 if there is none.

    Siblings with the same region are matched in order.
    """
    there = {(path.parent, *key): number for number, (path, key) in enumerate(zip(y, _keys(y), strict=True))}
    found: list[int] = []
    for path, key in zip(x, _keys(x), strict=True):
        above = None if path.parent is None else found[path.parent]
        found.append(there.get((above, *key), -1))
    return np.array(found, dtype=np.intp)


def _keys(call_paths: Collection[CallPath]) -> Iterator[tuple[tuple[str, str, str, int], int]]:
    """Yield each call path's region, and its index among the siblings with the same region."""
    seen: Counter[tuple[int | None, tuple[str, str, str, int]]] = Counter()
    for path in call_paths:
        key = path.parent, path.region.identity
        yield path.region.identity, seen[key]
        seen[key] += 1
