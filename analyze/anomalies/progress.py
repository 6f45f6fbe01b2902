"""How far the ranks of a run were with a call path, and what each part of the way took.

The n-th entry of a call path is the same moment of the work on each rank and in each run. So runs are compared entry
by entry, whatever their clocks say, and a run that was slower as a whole does not look like a change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...experiment.trace import TimeLine
from ..arrays import Flags, Indices, Values
from .run import Run

__all__ = ["Way", "way"]


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Parts of the way of each location through its entries of a call path, each of as many entries.

    Attributes:
        metrics: Those of the trace.
        begin: ``float64[location, part]``, seconds: when the first entry of a part began.
        end: Likewise: when the last one was over.
        seconds: ``float64[location, part]``: computing, in the call path and what it calls, for each entry.
        amounts: ``float64[location, part, metric]``: what passed meanwhile, on whichever call path, for each entry;
            of levels what they were at the end. NaN where it was not measured.
        inside: Metric → what an entry takes of it in the call path and what it calls, on average, where that is known.
    """

    metrics: Sequence[str]
    begin: Values
    end: Values
    seconds: Values
    amounts: Values
    inside: Mapping[str, float]


def way(run: Run, path: int, locations: Sequence[int], parts: int) -> Way:
    """Divide the entries of a call path into parts.

    Args:
        run: The run.
        path: The call path.
        locations: Those that count; each entered it ``parts`` times or more.
        parts: How many.
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
    """Give begin, end, seconds and amounts of each part, of which ``edges`` are the first and the last entry."""
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
    """Sum up to each sample's end, from 0 at the first one's begin."""
    summed: Values = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    return summed


def _places(entries: Values, edges: Values, busy: Indices) -> tuple[Values, Values]:
    """Give where each part begins and ends, in samples.

    An entry goes on for as long as time is spent in it; what comes between two entries belongs to neither part.

    Args:
        entries: ``float64[sample + 1]``: how many there were until then.
        edges: The first and the last entry of parts.
        busy: The samples in which time is spent in them.
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
