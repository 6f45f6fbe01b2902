"""Rank all metrics of all traces by their relation to a target (Hauswirth et al. 2005, sections 5 and 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...analyze.run.arrays import Flags, Values
from ...errors import InputError
from ...experiment.trace import Series
from ...multivariate.ranks import ranks
from . import scores
from .segmentation import Segmentation, drawn_pattern, proposed_pattern, segmented, suggested_count

__all__ = ["CORRELATORS", "Correlated", "Ranking", "rank"]

Interval = tuple[float, float]
Point = tuple[float, float]

_COMBINED: Final = "combined"
_FEWEST: Final = 8  # minimum number of common samples; with fewer samples, all coefficients are large
_WARPED: Final = 2000  # maximum number of samples to warp; if there are more, neighbours are averaged
_CONSTANT: Final = 1e-9  # relative variation below which values count as constant


@dataclass(frozen=True, slots=True)
class Correlated:
    """A metric and how closely it is related to the target.

    Attributes:
        metric: The metric's name.
        source: Name of the trace that contains the metric.
        rank: The metric's position in the ranking, counted from 1.
        sign: ``+`` if it rises with the target, ``-`` if it falls.
        lag: Seconds by which the target follows the metric; 0 if a lag does not improve Pearson's coefficient.
        scores: Score from 0 to 1 of each correlator and of ``combined``; higher is better.
    """

    metric: str
    source: str
    rank: int
    sign: str
    lag: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The result of a ranking.

    Attributes:
        target: The metric with which all others are compared.
        ranked: The compared metrics, best first.
        omitted: Metrics that are not ranked: name, source, and the reason.
        segments: The number of segments of the target.
        pattern: Points of the target's pattern, a polyline; each with time in seconds and value.
        lines: Points of the target's segments; each with time in seconds and value.
        notes: Warnings about the ranking.
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
    """The target at the samples that it shares with a metric, with its pattern and segments."""

    times: Values
    values: Values
    pattern: Values
    points: Sequence[Point]
    lines: Segmentation

    def coarse(self, values: Values) -> Values:
        """Return the values, ``float64[n]``, or means of neighbouring values if there are too many to warp."""
        if len(values) <= _WARPED:
            return values
        edges = np.linspace(0, len(values), _WARPED + 1).astype(np.intp)
        means: Values = np.add.reduceat(values, edges[:-1]) / np.diff(edges)
        return means


_SCORES: Final[Mapping[str, Callable[[_Target, Values], float]]] = {
    "pearson": lambda target, metric: scores.pearson(target.values, metric),
    "spearman": lambda target, metric: scores.spearman(target.values, metric),
    "euclidean": lambda target, metric: scores.euclidean(target.values, metric),
    "manhattan": lambda target, metric: scores.manhattan(target.values, metric),
    "dtw": lambda target, metric: scores.warping(target.coarse(target.values), target.coarse(metric)),
    "same_splits": lambda target, metric: scores.same_splits(target.lines, target.times, metric),
    "best_splits": lambda target, metric: scores.best_splits(
        target.lines, segmented(target.times, metric, len(target.lines.first)), target.times
    ),
    "mlp": lambda target, metric: scores.pearson(target.pattern, metric),
}

CORRELATORS: Final = tuple(_SCORES)


def rank(
    target: Series,
    metrics: Sequence[Series],
    *,
    intervals: Sequence[Interval] = (),
    by: str = _COMBINED,
    segments: int | None = None,
    pattern: Sequence[Point] | None = None,
    told: Callable[[int, int], object] | None = None,
) -> Ranking:
    """Rank metrics by their relation to a target; metrics with the target's name are left out.

    Args:
        target: The metric that shows an anomaly.
        metrics: Metrics of any traces, mapped to the target's time.
        intervals: Intervals of the target to use, in seconds; empty for the whole target.
        by: The correlator by which to sort; ``combined`` uses the mean rank over all other correlators.
        segments: The number of segments of the target; None for the suggested number.
        pattern: A drawn pattern, as points with time in seconds and value; None for the proposed one.
        told: Progress callback, called with the number of metrics done and their total.

    Raises:
        InputError: The target is constant, has too few samples, or has no samples in an interval.
    """
    taken = _samples(target, intervals)
    mine = target.part(taken)
    reason = _unfit(mine.values)
    if reason:
        raise InputError(f"{target.source}: expected a target that varies, found {target.name} ({reason})")
    whole = _target(mine.times, mine.values, segments, pattern)
    found: list[Correlated] = []
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
            part = _target(mine.times[known], mine.values[known], segments, pattern)
            values = values[known]
        step = float(np.median(np.diff(part.times)))
        lag = scores.best_lag(part.values, values) * step if len(intervals) < 2 else 0.0
        sign = "-" if scores.signed_pearson(part.values, values) < 0 else "+"
        own = {name: score(part, values) for name, score in _SCORES.items()}
        found.append(Correlated(metric.name, metric.source, 0, sign, lag, own))
    warped = f"dtw: {len(mine)} samples were averaged to {_WARPED} values before warping"
    return Ranking(
        target,
        _ranked(found, by),
        tuple(omitted),
        len(whole.lines.first),
        tuple(whole.points),
        tuple(_corners(mine.times, whole.lines.fitted(whole.times, whole.values), whole.lines)),
        (warped,) if len(mine) > _WARPED else (),
    )


def _samples(target: Series, intervals: Sequence[Interval]) -> Flags:
    """Return ``bool[sample]``: whether the target is known in a sample that overlaps an interval.

    Raises:
        InputError: An interval has no known sample.
    """
    known = ~np.isnan(target.values)
    if not intervals:
        return known
    inside = np.zeros(len(target), dtype=bool)
    for start, end in intervals:
        of_interval = (target.times > start) & (target.begin < end)
        if not (of_interval & known).any():
            span = f"{target.begin[0]:g} to {target.times[-1]:g} s"
            raise InputError(
                f"{target.source}: expected intervals with samples of {target.name}, which exist from {span}, found "
                f"{start:g}:{end:g}"
            )
        inside |= of_interval
    return inside & known


def _unfit(values: Values, wanted: int = 0) -> str:
    """Return why values cannot be compared; empty if they can."""
    if len(values) < _FEWEST:
        return f"only {len(values)} sample{'s' * (len(values) != 1)}; at least {_FEWEST} are needed"
    if len(values) < wanted / 2:
        return f"known in only {len(values)} of {wanted} samples"
    if np.ptp(values) <= _CONSTANT * max(float(np.abs(values).max()), 1e-300):
        return "constant"
    return ""


def _target(times: Values, values: Values, segments: int | None, pattern: Sequence[Point] | None) -> _Target:
    """Return the target with its pattern and segments; gaps between intervals are closed."""
    step = np.diff(times)
    even = np.concatenate([[0.0], np.cumsum(np.minimum(step, 2 * np.median(step)))])
    count = suggested_count(even, values) if segments is None else segments
    lines = segmented(even, values, count)
    if pattern is not None:
        return _Target(even, values, drawn_pattern(pattern, times), pattern, lines)
    proposed, pieces = proposed_pattern(even, values, segments)
    return _Target(even, values, proposed, _corners(times, proposed, pieces), lines)


def _corners(times: Values, fitted: Values, pieces: Segmentation) -> list[Point]:
    """Return the ends of segments, each with time in seconds and value."""
    ends = np.sort(np.concatenate([pieces.first, pieces.first[1:] - 1, [len(fitted) - 1]]))
    return [*zip(times[ends].tolist(), fitted[ends].tolist(), strict=True)]


def _ranked(found: Sequence[Correlated], by: str) -> tuple[Correlated, ...]:
    """Return metrics with their ranks, sorted by one correlator or by ``combined``."""
    if not found:
        return ()
    table = np.array([[*each.scores.values()] for each in found])
    places = np.column_stack([ranks(-column) for column in table.T])
    combined = (1 - (places.mean(axis=1) - 1) / len(found)).tolist()
    scored = [
        replace(each, scores={**each.scores, _COMBINED: score}) for each, score in zip(found, combined, strict=True)
    ]
    scored.sort(key=lambda each: (-each.scores[by], each.metric, each.source))
    return tuple(replace(each, rank=place) for place, each in enumerate(scored, 1))
