"""How far the ranks of a run were with a call path, and what each part of the way took.

The n-th entry of a call path is the same moment of the work on each rank and in each run. So runs are compared entry
by entry, whatever their clocks say, and a run that was slower as a whole does not look like a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...experiment.trace import TimeLine, Trace

__all__ = ["Way", "entries_of", "way"]

Values = npt.NDArray[np.float64]

_OTHERS = ("mpi", "io", "omp")


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Parts of the way of each location through its entries of a call path, each of as many entries.

    Attributes:
        metrics: Those of the trace.
        begin: ``float64[location, part]``, seconds: when the first entry of a part began.
        end: Likewise: when the last one was over.
        seconds: ``float64[location, part]``: of the processor in the call path itself, for each entry.
        amounts: ``float64[location, part, metric]``: what passed meanwhile, on whichever call path, for each entry;
            of levels what they were at the end. NaN where it was not measured.
    """

    metrics: Sequence[str]
    begin: Values
    end: Values
    seconds: Values
    amounts: Values


def entries_of(line: TimeLine, path: int) -> int:
    """Count the entries of a call path."""
    return int(line.visits[line.paths == path].sum())


def way(trace: Trace, path: int, locations: Sequence[int], parts: int) -> Way:
    """Divide the entries of a call path into parts.

    Args:
        trace: Of a run.
        path: The call path.
        locations: Those that count; each entered it ``parts`` times or more.
        parts: How many.
    """
    additive = np.array([each.additive for each in trace.metrics])
    names = [each.name for each in trace.metrics]
    found = [_of_line(trace.line(location), path, parts, additive, names) for location in locations]
    begin, end, seconds, amounts = (np.array(each) for each in zip(*found, strict=True))
    return Way(names, begin, end, seconds, amounts)


def _of_line(
    line: TimeLine, path: int, parts: int, additive: npt.NDArray[np.bool_], names: Sequence[str]
) -> tuple[Values, Values, Values, Values]:
    mine = line.paths == path
    samples = line.samples[mine]
    entries = _upto(np.bincount(samples, line.visits[mine], len(line)))
    own = np.bincount(samples, line.seconds[mine], len(line)) * _on_processor(line, names)
    edges = np.rint(np.linspace(0, entries[-1], parts + 1))
    first, last = _places(entries, edges)
    times = np.concatenate([line.begin[:1], line.end])
    each = np.diff(edges)
    seconds = (_at(_upto(own), last) - _at(_upto(own), first)) / each
    table = _upto(np.where(additive, line.values, 0.0))
    amounts = (_at(table, last) - _at(table, first)) / each[:, None]
    levels = line.values[np.ceil(last).astype(np.intp) - 1]
    return _at(times, first), _at(times, last), seconds, np.where(additive, amounts, levels)


def _on_processor(line: TimeLine, names: Sequence[str]) -> Values:
    """Give the part of the time outside of MPI, I/O and OpenMP in which the thread had a processor."""

    def computing(kind: str) -> Values:
        parts = [name.replace("x", each) for each in _OTHERS for name in (kind,)]
        columns = [line.values[:, names.index(part)] for part in parts if part in names]
        return np.nan_to_num(np.array(columns)).sum(axis=0) if columns else np.zeros(len(line))

    if "wall_time" not in names or "cpu_time" not in names:
        return np.ones(len(line))
    wall = line.values[:, names.index("wall_time")] - computing("x_time")
    processor = line.values[:, names.index("cpu_time")] - computing("x_cpu_time")
    part: Values = np.divide(processor, wall, out=np.ones(len(line)), where=wall > 0)
    return np.nan_to_num(part, nan=1.0).clip(0, 1)


def _upto(values: Values) -> Values:
    """Sum up to each sample's end, from 0 at the first one's begin."""
    summed: Values = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    return summed


def _places(entries: Values, edges: Values) -> tuple[Values, Values]:
    """Give where each part begins and ends, in samples: what comes between two entries belongs to neither part."""
    reached = np.searchsorted(entries, edges[1:], side="left")
    left = np.searchsorted(entries, edges[:-1], side="right")
    last = reached - (entries[reached] - edges[1:]) / (entries[reached] - entries[reached - 1])
    first = left - (entries[left] - edges[:-1]) / (entries[left] - entries[left - 1])
    return first, last


def _at(table: Values, places: Values) -> Values:
    low = np.floor(places).astype(np.intp)
    high = np.minimum(low + 1, len(table) - 1)
    part = places - low
    if table.ndim > 1:
        part = part[:, None]
    found: Values = table[low] * (1 - part) + table[high] * part
    return found
