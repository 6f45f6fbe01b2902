"""All metrics of all traces, ranked by how much they have to do with a target (section 5, and 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import rankdata

from ...errors import InputError
from ...experiment.trace import Series
from ..arrays import Flags, Values
from .scores import (
    best_lag,
    best_splits,
    euclidean,
    manhattan,
    pearson,
    same_splits,
    signed_pearson,
    spearman,
    warping,
)
from .segmentation import Segmentation, drawn_pattern, proposed_pattern, segmented, suggested_count

__all__ = ["CORRELATORS", "Correlated", "Ranking", "rank"]

Interval = tuple[float, float]
Point = tuple[float, float]

CORRELATORS: Final = (
    "pearson", "spearman", "euclidean", "manhattan", "dtw", "same_splits", "best_splits", "mlp",
)  # fmt: skip

_COMBINED: Final = "combined"
_FEWEST: Final = 8  # samples that a metric and the target must have in common; of fewer all coefficients are large
_WARPED: Final = 2000  # samples that are warped; of longer targets means of neighbours are
_CONSTANT: Final = 1e-9  # of the size: rounding


@dataclass(frozen=True, slots=True)
class Correlated:
    """A metric, and how much it has to do with the target.

    Attributes:
        metric: Its name.
        source: The trace that has it.
        rank: Its place, from 1.
        sign: ``+`` if it varies as the target does, ``-`` if the other way round.
        lag: Seconds by which the target follows it; 0 if the coefficient is not better with one.
        scores: By correlator, and ``combined``: from 0 to 1, the better the larger.
    """

    metric: str
    source: str
    rank: int
    sign: str
    lag: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was ranked.

    Attributes:
        target: The target.
        ranked: Best first.
        omitted: Metric, source, and why it is not ranked.
        segments: Into how many the target was split.
        pattern: Seconds and value of the points of the target's pattern, with lines between.
        lines: Likewise, of the segments into which the target was split.
        notes: What else is to be known.
    """

    target: Series
    ranked: tuple[Correlated, ...]
    omitted: tuple[tuple[str, str, str], ...]
    segments: int
    pattern: tuple[Point, ...]
    lines: tuple[Point, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """The target at the samples that a metric shares, and what is known of it."""

    times: Values
    values: Values
    pattern: Values
    points: Sequence[Point]
    lines: Segmentation
    correlators: Sequence[str]

    def scores(self, metric: Values) -> dict[str, float]:
        return {name: _SCORES[name](self, metric) for name in self.correlators}

    def coarse(self, values: Values) -> Values:
        """Give means of so many samples that they can be warped."""
        if len(values) <= _WARPED:
            return values
        edges = np.linspace(0, len(values), _WARPED + 1).astype(np.intp)
        means: Values = np.add.reduceat(values, edges[:-1]) / np.diff(edges)
        return means


_SCORES: Final[Mapping[str, Callable[[_Target, Values], float]]] = {
    "pearson": lambda target, metric: pearson(target.values, metric),
    "spearman": lambda target, metric: spearman(target.values, metric),
    "euclidean": lambda target, metric: euclidean(target.values, metric),
    "manhattan": lambda target, metric: manhattan(target.values, metric),
    "dtw": lambda target, metric: warping(target.coarse(target.values), target.coarse(metric)),
    "same_splits": lambda target, metric: same_splits(target.lines, target.times, metric),
    "best_splits": lambda target, metric: best_splits(
        target.lines, segmented(target.times, metric, len(target.lines.first)), target.times
    ),
    "mlp": lambda target, metric: pearson(target.pattern, metric),
}


def rank(
    target: Series,
    metrics: Sequence[Series],
    *,
    intervals: Sequence[Interval] = (),
    by: str = _COMBINED,
    segments: int | None = None,
    pattern: Sequence[Point] | None = None,
    correlators: Sequence[str] = CORRELATORS,
    told: Callable[[int, int], object] | None = None,
) -> Ranking:
    """Rank metrics; the target is not ranked, from whichever trace.

    Args:
        target: The metric that shows an anomaly.
        metrics: Of any traces, on the target's time; samples of any length.
        intervals: Parts of the target that count, in seconds; all of it, if there is none.
        by: The correlator whose scores decide; ``combined``: the mean of the ranks by all others.
        segments: Into how many the target is split; None for what is suggested.
        pattern: Seconds and value of points of a drawn pattern; None for one that is proposed.
        correlators: Those that are computed.
        told: Takes how many metrics are done, and how many there are.

    Raises:
        InputError: The target is constant, has too few samples, or is not there in an interval.
    """
    taken = _samples(target, intervals)
    mine = target.part(taken)
    reason = _unfit(mine.values)
    if reason:
        raise InputError(f"{target.source}: expected a target that varies, found {target.name} {reason}")
    whole = _target(mine.times, mine.values, segments, pattern, correlators)
    found: list[tuple[Series, str, float, dict[str, float]]] = []
    omitted: list[tuple[str, str, str]] = []
    for number, metric in enumerate(metrics):
        if told:
            told(number, len(metrics))
        if metric.name == target.name:
            continue
        values = metric.over(mine.begin, mine.times)
        known = ~np.isnan(values)
        reason = _unfit(values[known], len(values))
        if reason:
            omitted.append((metric.name, metric.source, reason))
            continue
        part = whole
        if not known.all():
            part = _target(mine.times[known], mine.values[known], segments, pattern, correlators)
            values = values[known]
        step = float(np.median(np.diff(part.times)))
        lag = best_lag(part.values, values) * step if len(intervals) < 2 else 0.0
        sign = "-" if signed_pearson(part.values, values) < 0 else "+"
        found.append((metric, sign, lag, part.scores(values)))
    notes = []
    if "dtw" in correlators and len(mine) > _WARPED:
        notes.append(f"dtw: {len(mine)} samples were warped as {_WARPED} means of neighbours")
    return Ranking(
        target,
        _ranked(found, correlators, by),
        tuple(omitted),
        len(whole.lines.first),
        tuple(whole.points),
        tuple(_corners(mine.times, whole.lines.fitted(whole.times, whole.values), whole.lines)),
        tuple(notes),
    )


def _samples(target: Series, intervals: Sequence[Interval]) -> Flags:
    """Tell which samples of the target count."""
    known = ~np.isnan(target.values)
    if not intervals:
        return known
    inside = np.zeros(len(target), dtype=bool)
    for start, end in intervals:
        of_interval = (target.times > start) & (target.begin < end)
        if not (of_interval & known).any():
            span = f"{target.begin[0]:g} to {target.times[-1]:g} s"
            raise InputError(
                f"{target.source}: expected intervals with samples of {target.name}, which has them from {span}, found "
                f"{start:g}:{end:g}"
            )
        inside |= of_interval
    return inside & known


def _unfit(values: Values, wanted: int = 0) -> str:
    """Say why values can't be compared; empty if they can."""
    if len(values) < _FEWEST:
        return f"with {len(values)} samples, fewer than {_FEWEST}"
    if len(values) < wanted / 2:
        return f"known in {len(values)} of {wanted} samples"
    if np.ptp(values) <= _CONSTANT * max(float(np.abs(values).max()), 1e-300):
        return "constant"
    return ""


def _target(
    times: Values,
    values: Values,
    segments: int | None,
    pattern: Sequence[Point] | None,
    correlators: Sequence[str],
) -> _Target:
    """Segment a target. Samples of several intervals follow each other without a gap."""
    step = np.diff(times)
    even = np.concatenate([[0.0], np.cumsum(np.minimum(step, 2 * np.median(step)))])
    count = suggested_count(even, values) if segments is None else segments
    lines = segmented(even, values, count)
    if pattern is not None:
        return _Target(even, values, drawn_pattern(pattern, times), pattern, lines, correlators)
    proposed, pieces = proposed_pattern(even, values, segments)
    return _Target(even, values, proposed, _corners(times, proposed, pieces), lines, correlators)


def _corners(times: Values, fitted: Values, pieces: Segmentation) -> list[Point]:
    """Give where segments begin and end, seconds and value."""
    ends = np.sort(np.concatenate([pieces.first, pieces.first[1:] - 1, [len(fitted) - 1]]))
    return [*zip(times[ends].tolist(), fitted[ends].tolist(), strict=True)]


def _ranked(
    found: Sequence[tuple[Series, str, float, dict[str, float]]], correlators: Sequence[str], by: str
) -> tuple[Correlated, ...]:
    if not found:
        return ()
    table = np.array([[scores[name] for name in correlators] for *_, scores in found])
    places = np.column_stack([rankdata(-column, method="average") for column in table.T])
    combined = 1 - (places.mean(axis=1) - 1) / len(found)
    everything = [{**scores, _COMBINED: float(each)} for (*_, scores), each in zip(found, combined, strict=True)]
    order = sorted(
        range(len(found)), key=lambda each: (-everything[each][by], found[each][0].name, found[each][0].source)
    )
    return tuple(
        Correlated(found[each][0].name, found[each][0].source, place, found[each][1], found[each][2], everything[each])
        for place, each in enumerate(order, 1)
    )
