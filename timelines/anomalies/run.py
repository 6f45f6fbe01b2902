"""A run with its time lines, and a call path's entries divided into parts, with times and amounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...analyze.run.arrays import Flags, Indices, Values
from ...experiment import Experiment
from ...experiment.metric import COUNT_METRICS
from ...experiment.trace import TimeLine, Trace
from ..warping import same_paths

__all__ = ["Run", "Way", "way"]

_KEPT: Final = 1 << 30  # bytes of time lines to keep in memory


@dataclass(frozen=True, eq=False)
class Run:
    """A run's trace, with totals per call path.

    Attributes:
        source: Name of the trace.
        trace: The trace.
        timed: Whether the run had normal speed; False for a counting run, which is slower throughout.
        io: ``float64[path]``: seconds of file I/O; 0 if unknown.
        counts: Metric → ``float64[path]``: counts of each call path and its callees, summed over locations.
    """

    source: str
    trace: Trace
    timed: bool
    io: Values
    counts: Mapping[str, Values] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, trace: Trace, experiment: Experiment | None, *, timed: bool = True) -> Run:
        """Return a run, with I/O times and counts per call path from its profile, if there is one."""
        io, counts = np.zeros(len(trace.call_paths)), {}
        if experiment is not None:
            place = same_paths(trace.call_paths, experiment.call_paths)

            def here(values: Values) -> Values:
                return np.where(place >= 0, np.nan_to_num(values).sum(axis=1)[place], 0.0)

            io = here(experiment.exclusive("io_time")) if "io_time" in experiment else io
            traced = {each.name for each in trace.metrics}
            wanted = [each.name for each in COUNT_METRICS if each.name in experiment and each.name in traced]
            counts = {name: here(experiment.inclusive(name)) for name in wanted}
        return cls(source, replace(trace, read=_kept(trace.read)), timed, io, counts)

    @cached_property
    def entries(self) -> npt.NDArray[np.int64]:
        """``int64[2, location, path]``: the number of entries, then the number of samples that contain entries."""
        found = np.zeros((2, len(self.trace.locations), len(self.trace.call_paths)), dtype=np.int64)
        for number, line in enumerate(self.trace.lines()):
            entered = (line.paths >= 0) & (line.visits > 0)
            paths = line.paths[entered]
            np.add.at(found[0, number], paths, line.visits[entered])
            np.add.at(found[1, number], paths, 1)
        return found

    def below(self, path: int) -> Flags:
        """Return ``bool[path]``: whether each call path is ``path`` or below it."""
        found = np.zeros(len(self.trace.call_paths), dtype=bool)
        found[path] = True
        for number, each in enumerate(self.trace.call_paths):
            if each.parent is not None and found[each.parent]:
                found[number] = True
        return found


def _kept(read: Callable[[int], TimeLine]) -> Callable[[int], TimeLine]:
    """Return a function that reads time lines and keeps the first ones in memory, up to a limit.

    All time lines are read in the same order for each region, so a cache of the latest lines would never hit.
    """
    lines: dict[int, TimeLine] = {}
    room = _KEPT

    def line(location: int) -> TimeLine:
        nonlocal room
        if location in lines:
            return lines[location]
        found = read(location)
        size = sum(getattr(found, each.name).nbytes for each in fields(found))
        if size <= room:
            lines[location] = found
            room -= size
        return found

    return line


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """The entries of a call path on each location, divided into parts with equal numbers of entries.

    Attributes:
        metrics: Names of the trace's metrics.
        begin: ``float64[location, part]``, seconds: when the first entry of a part began.
        end: ``float64[location, part]``, seconds: when the last entry of a part ended.
        seconds: ``float64[location, part]``: busy time per entry, in the call path and its callees.
        amounts: ``float64[location, part, metric]``: for additive metrics, amounts per entry, on all call paths
            together; for other metrics, the level at the end of the part. NaN if not measured.
        inside: Metric → average amount per entry in the call path and its callees, if known.
    """

    metrics: Sequence[str]
    begin: Values
    end: Values
    seconds: Values
    amounts: Values
    inside: Mapping[str, float]


def way(run: Run, path: int, locations: Sequence[int], parts: int) -> Way:
    """Return the entries of a call path in one run, divided into parts.

    Args:
        run: The run.
        path: The call path.
        locations: The locations to include; each must have entered the call path at least ``parts`` times.
        parts: The number of parts.
    """
    additive = np.array([each.additive for each in run.trace.metrics])
    names = [each.name for each in run.trace.metrics]
    below = run.below(path)
    found = []
    for location in locations:
        line = run.trace.line(location)
        mine = line.paths == path
        entries = _upto(np.bincount(line.samples[mine], line.visits[mine], len(line)))
        within = below[line.paths] & (line.paths >= 0)
        taken = np.bincount(line.samples[within], line.computing[within], len(line)).astype(np.float64)
        found.append(_parts(line, entries, taken, np.rint(np.linspace(0, entries[-1], parts + 1)), additive))
    begin, end, seconds, amounts = (np.array(each) for each in zip(*found, strict=True))
    entered = max(int(run.entries[0, :, path].sum()), 1)
    inside = {name: float(values[path]) / entered for name, values in run.counts.items()}
    return Way(names, begin, end, seconds, amounts, inside)


def _parts(
    line: TimeLine, entries: Values, taken: Values, edges: Values, additive: Flags
) -> tuple[Values, Values, Values, Values]:
    """Return the beginning, end, seconds and amounts of each part, as in ``Way``; ``edges`` are numbers of entries."""
    first, last = _places(entries, edges, np.flatnonzero(taken > 0))
    times = np.concatenate([line.begin[:1], line.end])
    each = np.diff(edges)
    used = _upto(taken)
    table = _upto(np.where(additive, line.values, 0.0))
    amounts = (_at(table, last) - _at(table, first)) / each[:, None]
    levels = line.values[np.ceil(last).astype(np.intp) - 1]
    seconds = (_at(used, last) - _at(used, first)) / each
    return _at(times, first), _at(times, last), seconds, np.where(additive, amounts, levels)


def _upto(values: npt.NDArray[Any]) -> Values:
    """Return cumulative sums, ``float64[sample + 1, …]``: 0 first, then the sum up to the end of each sample."""
    summed: Values = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    return summed


def _places(entries: Values, edges: Values, busy: Indices) -> tuple[Values, Values]:
    """Return the beginning and end of each part, ``float64[part]``, as fractional indices of samples.

    A part ends with the time spent in its last entry; the time until the next entry does not belong to any part.

    Args:
        entries: ``float64[sample + 1]``: cumulative number of entries.
        edges: ``float64[part + 1]``: numbers of entries at which parts begin and end.
        busy: Indices of the samples with time spent in the entries.
    """
    reached = np.searchsorted(entries, edges[1:], side="left")
    left = np.searchsorted(entries, edges[:-1], side="right")
    last = reached - (entries[reached] - edges[1:]) / (entries[reached] - entries[reached - 1])
    first = left - (entries[left] - edges[:-1]) / (entries[left] - entries[left - 1])
    next_one = np.append(first[1:], len(entries) - 1.0)
    place = np.searchsorted(busy, np.ceil(next_one))
    over = np.append(busy[:1], busy)[place] + 1.0
    return first, np.maximum(last, np.minimum(over, next_one))


def _at(table: Values, places: Values) -> Values:
    low = np.floor(places).astype(np.intp)
    high = np.minimum(low + 1, len(table) - 1)
    part = places - low
    if table.ndim > 1:
        part = part[:, None]
    found: Values = table[low] * (1 - part) + table[high] * part
    return found
