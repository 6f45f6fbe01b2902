"""Write time lines as slices and counters over time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ..trace.means import rates
from ..trace.time_line import TimeLine, Trace
from .trace_events import Lane, TraceEvents, trace_events
from .weights import NANO

__all__ = ["write_time_lines"]

_SAID: Final = (
    "slices are made from samples; the call paths of a sample are shown in call-tree order, because their real order "
    "is unknown"
)
_ROUNDED: Final = 1  # maximum rounding error of each part, in nanoseconds


def write_time_lines(trace: Trace, path: Path, metrics: Collection[str]) -> None:
    """Write the slices of each thread, and a counter for each metric that is not always 0, one time line at a time.

    Additive metrics become rates per second during each sample. Levels are shown at the end of each sample.

    Args:
        trace: The trace to write.
        path: The file, which is replaced only when the new file is complete.
        metrics: The names of the metrics to write as counters.

    Raises:
        InputError: There is no such metric, or the file cannot be written.
    """
    columns = [trace.column(name) for name in metrics]
    threaded = any(place.thread for place in trace.locations)
    with trace_events(path, trace.call_paths, {"layout": _SAID}) as events:
        for place, line in zip(trace.locations, trace.lines(), strict=True):
            rank = f"rank {place.process}"
            thread = f"thread {place.thread}" if threaded else rank
            lane = events.lane(place.process, f"{rank} ({place.node})", thread)
            _slices(events, lane, line)
            _counters(trace, lane, line, columns, f" of {thread}" if threaded else "")


def _slices(events: TraceEvents, lane: Lane, line: TimeLine) -> None:
    order = np.empty(len(events.stacks.order) + 1, np.intp)
    order[events.stacks.order] = np.arange(len(events.stacks.order))
    order[-1] = len(events.stacks.order)  # parts without a call path, or with several short call paths, come last
    at = 0
    for begin, end, paths, seconds in _samples(line):
        if begin > at:
            lane.move(None, at)
        parts = np.lexsort((order[paths], paths != lane.path))
        ends = np.minimum(begin + np.rint(np.cumsum(seconds[parts]) * NANO).astype(np.int64), end)
        at = begin
        for path, until in zip(paths[parts].tolist(), ends.tolist(), strict=True):
            if until > at:
                lane.move(None if path < 0 else path, at)
                at = until
        if end - at > _ROUNDED * len(parts):
            lane.move(None, at)
        at = end
    lane.move(None, at)


def _samples(line: TimeLine) -> Iterator[tuple[int, int, npt.NDArray[np.intp], npt.NDArray[np.float64]]]:
    """Yield each sample's beginning and end in nanoseconds, and the call path and the seconds of each of its parts."""
    edges = (np.rint(times * NANO).astype(np.int64).tolist() for times in (line.begin, line.end))
    for begin, end, (first, last) in zip(*edges, pairwise(line.first.tolist()), strict=True):
        yield begin, end, line.paths[first:last], line.seconds[first:last]


def _counters(trace: Trace, lane: Lane, line: TimeLine, columns: Sequence[int], whose: str) -> None:
    metrics = [trace.metrics[column] for column in columns]
    longer = line.end > line.begin
    begins, ends = (np.rint(times[longer] * NANO).astype(np.int64) for times in (line.begin, line.end))
    shown = rates(metrics, line.begin[longer], line.end[longer], line.values[longer][:, columns])
    for metric, values in zip(metrics, shown.T, strict=True):
        if not np.nan_to_num(values).any():
            continue
        unit = f"{metric.unit}/sec" if metric.additive else metric.unit or "value"
        times = begins if metric.additive else ends
        changed = ~np.isnan(values) & (np.diff(values, prepend=np.nan) != 0)
        for at, value in zip(times[changed].tolist(), values[changed].tolist(), strict=True):
            lane.count(metric.name + whose, unit, value, at)
        if metric.additive:
            lane.count(metric.name + whose, unit, 0.0, int(ends[-1]))
