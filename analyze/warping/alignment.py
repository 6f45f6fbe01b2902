"""Intervals of one trace, found in another (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...experiment.trace import Series
from .doubt import Doubt, doubts
from .time_map import TimeMap, time_map
from .warp_path import Told, Warp, warp

__all__ = ["Alignment", "align"]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Where the moments of a reference are in another trace.

    Attributes:
        other: The other trace's metric.
        times: Its moments.
        path: The warp path; None where anchors show the moments.
        error: Equation 1; by anchors the sum of the distances between values of the same moment.
        doubts: Why it may be wrong, as intervals of the reference, in seconds.
    """

    other: Series
    times: TimeMap
    path: Warp | None
    error: float
    doubts: tuple[tuple[Doubt, float, float], ...]


def align(
    reference: Series,
    other: Series,
    intervals: Sequence[tuple[float, float]],
    *,
    anchors: TimeMap | None = None,
    band: float | None = None,
    penalty: float = 0.0,
    told: Told | None = None,
) -> Alignment:
    """Align a trace with a reference, by a metric that both have.

    Args:
        reference: The metric in the trace in which intervals are known.
        other: The same metric in the other trace.
        intervals: Seconds, in the reference.
        anchors: The same moments of both, where they are known.
        band: As for ``warp``.
        penalty: As for ``warp``.
        told: As for ``warp``.

    Raises:
        InputError: A series has fewer than two known values, or an interval is outside the reference.
    """
    x, y = (_known(each) for each in (reference, other))
    for start, end in intervals:
        if not reference.begin[0] <= start < end <= reference.times[-1]:
            span = f"{reference.begin[0]:g} to {reference.times[-1]:g} s"
            raise InputError(f"{reference.source}: expected an interval in its {span}, found {start:g}:{end:g}")
    if anchors is not None:
        there = anchors.moments(x.times)
        error = float(np.abs(x.values - np.interp(there, y.times, y.values)).sum())
        return Alignment(other, anchors, None, error, ())
    path = warp(x.values, y.values, band=band, penalty=penalty, told=told)
    boundaries = tuple(np.searchsorted(x.times, np.ravel(intervals)).clip(max=len(x) - 1).tolist())
    found = tuple(
        (doubt, float(x.begin[doubt.start]), float(x.times[doubt.end]))
        for doubt in doubts(x.values, y.values, path, boundaries)
    )
    return Alignment(other, time_map(path, x.values, y.values, x.times, y.times), path, path.error, found)


def _known(series: Series) -> Series:
    known = series.known()
    if len(known) < 2:
        raise InputError(
            f"{series.source}: expected two samples of {series.name} or more, found {len(known)} of {len(series)}"
        )
    return known
