"""Find changes of the whole program: growing memory and periodic file I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from ...analyze.run.arrays import Indices, Values, ratio
from ...analyze.run.criteria import CRITERIA
from ...analyze.run.outliers import spread
from ...experiment.trace import Series
from ..correlators.scores import signed_pearson
from .anomaly import Anomaly, Companion, foremost
from .pace import LEAST, STRONG
from .run import Run
from .shapes import best_shape

__all__ = ["io_periods", "memory_growth"]

_MEMORY: Final = "resident_memory"
_PARTS: Final = 100
_LONG: Final = 0.25  # minimum length of growth, as a fraction of the run; shorter growth belongs to the program's start
_IO: Final = "io_time"
_STEPS: Final = 1000  # number of time steps per run
_PULSES: Final = 4  # minimum number of I/O phases, so that there are three gaps
# Maximum standard deviation of the gaps between I/O phases, divided by their mean; it allows for a busy machine.
_EVEN: Final = 0.35
_PART: Final = 0.5  # maximum share of time in I/O phases


def memory_growth(run: Run, series: Mapping[str, Series]) -> Iterator[Anomaly]:
    """Yield the growth of the memory of all ranks, if there is one; ``series`` holds the run's metrics by name."""
    memory = series[_MEMORY].known() if _MEMORY in series else None
    if memory is None or len(memory) < _PARTS:
        return
    edges = np.linspace(memory.begin[0], memory.times[-1], _PARTS + 1)
    values = memory.over(edges[:-1], edges[1:])
    if np.isnan(values).any() or values.min() <= 0:
        return
    shape = best_shape(np.log(values))
    if shape is None or shape.kind != "gradual change" or shape.height < np.log1p(LEAST):
        return
    if shape.strength >= STRONG and shape.last - shape.first >= _LONG * _PARTS:
        yield Anomaly(
            shape.kind,
            _MEMORY,
            float(edges[shape.first]),
            float(edges[shape.last]),
            tuple(sorted({place.process for place in run.trace.locations})),
            None,
            float(np.exp(shape.height)),
            shape.strength,
            1,
        )


def io_periods(run: Run, series: Mapping[str, Series]) -> Iterator[Anomaly]:
    """Yield periodic file I/O, if there is any; ``series`` holds the run's metrics by name."""
    if _IO not in series:
        return
    io = series[_IO]
    edges = np.linspace(io.begin[0], io.times[-1], min(_STEPS, len(io)) + 1)
    rate = np.nan_to_num(io.over(edges[:-1], edges[1:]))
    starts, ends = _pulses(rate)
    if len(starts) < _PULSES:
        return
    begin, end = edges[starts], edges[ends]
    gaps = np.diff(begin)
    share = float((end - begin).sum() / (end[-1] - begin[0]))
    period = float(np.median(gaps))
    inside = slice(int(starts[0]), int(ends[-1]))
    cost = float(rate[inside].mean())
    if gaps.std() > _EVEN * gaps.mean() or share > _PART or cost < CRITERIA.least_weight:
        return
    lows = np.ones(len(rate), dtype=bool)
    for start, stop in zip(starts, ends, strict=True):
        lows[start:stop] = False
    strength = float(rate[inside].max() / max(float(spread(rate[inside][lows[inside]])), 0.01))
    yield Anomaly(
        "period",
        _IO,
        float(max(end[0] - period, edges[0])),
        float(end[-1]),
        tuple(sorted({place.process for place in run.trace.locations})),
        _place(run, float(begin[0]), float(end[-1])),
        cost,
        strength,
        1,
        period=period,
        goes_with=_companions([*series.values()], rate, edges, inside),
    )


def _place(run: Run, start: float, end: float) -> int | None:
    """Return the call path with the most file I/O in an interval, estimated from its share of I/O in the run."""
    own, inside = np.zeros((2, len(run.trace.call_paths)))
    for line in run.trace.lines():
        middle = ((line.begin + line.end) / 2)[line.samples]
        known = line.paths >= 0
        within = known & (middle > start) & (middle < end)
        np.add.at(own, line.paths[known], line.seconds[known])
        np.add.at(inside, line.paths[within], line.seconds[within])
    io = inside * ratio(run.io, own).clip(0, 1)
    return int(io.argmax()) if io.any() else None


def _pulses(rate: Values) -> tuple[Indices, Indices]:
    """Return the first steps of I/O phases, and the steps after their ends; phases close to each other are merged."""
    busy = rate[rate > 0]
    if not len(busy):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    much = rate > np.quantile(busy, 0.9) / 4
    edges = np.flatnonzero(np.diff(np.concatenate([[0], much.astype(np.int8), [0]])))
    starts, ends = edges[::2], edges[1::2]
    while len(starts) > _PULSES:
        gaps = np.diff(starts)
        near = np.flatnonzero(gaps < np.median(gaps) / 2)
        if not len(near):
            break
        starts, ends = np.delete(starts, near[0] + 1), np.delete(ends, near[0])
    return starts, ends


def _companions(series: Sequence[Series], rate: Values, edges: Values, inside: slice) -> tuple[Companion, ...]:
    found = []
    for each in series:
        values = each.over(edges[:-1], edges[1:])[inside]
        if each.unit == "sec/sec" or np.isnan(values).any() or not np.ptp(values):
            continue  # other kinds of time always stop during I/O
        # The score keeps its sign, so a metric that stops during I/O has a negative score and is left out.
        found.append(Companion(each.name, "+", signed_pearson(rate[inside], values), each.source))
    return foremost(found)
