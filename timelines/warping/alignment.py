"""Align traces with a reference and map their metrics to its time (Hauswirth et al. 2005, 3.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...errors import InputError
from ...experiment.trace import Samples, Series, Trace
from ...multivariate.formula import Formula
from .doubt import Doubt, doubts
from .time_map import TimeMap, anchored, time_map
from .warp_path import Told, Warp, warp

__all__ = ["Alignment", "By", "OnTime", "align", "brought", "carried", "with_derived"]

By = Literal["auto", "anchors", "warping", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The times in another trace that match the samples of a reference.

    Attributes:
        other: The other trace's metric.
        times: The map from the reference's time to the other trace's time.
        path: The warp path; None if anchors were used.
        error: Sum of the distances between matched values (Eq. 1).
        doubts: Reasons why the alignment may be wrong, each with an interval of the reference: start and end in
            seconds.
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
    """Align a trace with a reference by a common metric.

    Args:
        reference: The metric in the trace with the known intervals.
        other: The same metric in the other trace.
        intervals: Intervals of the reference, in seconds.
        anchors: The map of time between the two traces, if known; then nothing is warped.
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
            raise InputError(f"{reference.source}: expected an interval within {span}, found {start:g}:{end:g}")
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
            f"{series.source}: expected at least two known samples of {series.name}, found {len(known)} of"
            f" {len(series)}"
        )
    return known


@dataclass(frozen=True, slots=True, eq=False)
class OnTime:
    """The metrics of another trace, mapped to the reference's time.

    Attributes:
        series: The metrics.
        by: How the time was mapped.
        metric: The metric by which traces were warped; empty if they were not warped.
        alignment: The alignment by warping; None if there is none.
    """

    series: Sequence[Series]
    by: By
    metric: str = ""
    alignment: Alignment | None = None


def with_derived(series: Sequence[Series], formulas: Sequence[Formula]) -> list[Series]:
    """Return a trace's metrics and those that formulas compute from them; existing metrics are not replaced.

    Args:
        series: Metrics of one trace.
        formulas: The formulas; each may use the results of the formulas before it.
    """
    found = {each.name: each for each in series}
    for formula in formulas:
        parts = [found[name] for name in formula.metrics if name in found]
        if formula.name in found or not parts or len(parts) < len(formula.metrics):
            continue
        first = max(parts, key=len)
        values = formula.evaluate({each.name: each.over(first.begin, first.times) for each in parts})
        if not np.isnan(values).all():
            unit = formula.unit({each.name: each.unit for each in parts})
            rate = bool(unit) and all(each.rate for each in parts)
            found[formula.name] = replace(first, name=formula.name, unit=unit, rate=rate, values=values)
    return [*found.values()]


def carried(series: Series, times: TimeMap, reference: Series) -> Series:
    """Return a metric of another trace at the reference's samples; rates are scaled so that amounts are preserved.

    Args:
        series: The metric.
        times: The map from the reference's time to the time of the metric's trace.
        reference: Any metric of the reference.
    """
    first, last = times.moments(reference.begin), times.moments(reference.times)
    values = series.over(first, last)
    if series.rate:
        values = values * (last - first) / (reference.times - reference.begin)
    return replace(series, begin=reference.begin, times=reference.times, values=values)


def brought(
    target: Series,
    reference: tuple[Samples | Trace, Sequence[Series]],
    other: tuple[Samples | Trace, Sequence[Series]],
    *,
    by: By = "auto",
    metric: str | None = None,
    intervals: Sequence[tuple[float, float]] = (),
    ranks: Collection[int] | None = None,
    told: Told | None = None,
) -> OnTime:
    """Map the metrics of another trace to the time of a reference.

    Args:
        target: The metric of the reference whose samples are used.
        reference: The reference trace and its metrics.
        other: The other trace and its metrics.
        by: How the time is mapped; ``none``: not at all; ``auto``: by anchors if possible, otherwise by warping.
        metric: The metric by which traces are warped; None for the target if it varies in both traces, or else for the
            first common metric that does.
        intervals: Intervals of interest in the reference, in seconds.
        ranks: The ranks to include; None for all.
        told: As for ``warp``.

    Raises:
        InputError: Anchors were requested but there are none, or there is no metric to warp by.
    """
    series = other[1]
    if by == "none":
        return OnTime(series, by)
    times = None
    if by != "warping" and isinstance(reference[0], Trace) and isinstance(other[0], Trace):
        times = anchored(reference[0], other[0], ranks)
    if times is not None:
        return OnTime([carried(each, times, target) for each in series], "anchors")
    if by == "anchors":
        raise InputError(
            f"{series[0].source}: expected regions that were entered as often as in {target.source}, found none; "
            "to align by a metric, use --align warping"
        )
    mine, its = _common(target, reference[1], series, metric)
    found = align(mine, its, intervals, told=told)
    return OnTime([carried(each, found.times, target) for each in series], "warping", mine.name, found)


def _common(
    target: Series, reference: Sequence[Series], other: Sequence[Series], metric: str | None
) -> tuple[Series, Series]:
    """Return the series, in two traces, of the given metric; by default, of a common metric that varies in both.

    Raises:
        InputError: There is no such metric.
    """
    there = {each.name: each for each in other}
    wanted = [metric] if metric else [target.name, *(each.name for each in reference)]
    both = [(each, there[each.name]) for name in wanted for each in reference if each.name == name and name in there]
    varying = [pair for pair in both if all(np.nanmax(each.values) > np.nanmin(each.values) for each in pair)]
    if varying or (metric and both):
        return (varying or both)[0]
    what = f"the metric {metric}" if metric else "a metric that varies"
    raise InputError(
        f"{other[0].source}: expected {what} in common with {target.source}, found {', '.join(there)}; if the traces "
        "share a clock, use --align none"
    )
