"""Projection pursuit in one set of points: find the metrics that show structure (Vetter and Reed, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from math import exp, inf, isfinite, log
from typing import Any, Final, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from ...analyze.run.arrays import Values
from ...errors import InputError
from ...multivariate.metric_space import MetricSpace
from .camps import Camps, in_metrics, in_projection, split
from .chance import ALL, CAMPS_LEVEL, critical_index
from .index import LEAST_POINTS, index
from .points import Trimming, outlying, sphered, trimmed
from .ranking import Chosen, View, best_view, ranking
from .rotation import simulated
from .search import STARTS, Projection, Search, search

__all__ = ["FEWEST", "SELECTED", "Camps", "Outcome", "Pursuit", "Ranked", "Status", "index_of", "pursue"]

Status = Literal["converged", "stopped", "no-structure", "too-few"]

SELECTED: Final = 3  # number of metrics to record, as in Vetter and Reed

FEWEST: Final = 2  # minimum points per metric; fewer sphered points are almost a simplex, with no best projection


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranked metric.

    Attributes:
        metric: The metric's name.
        importance: The metric's share of the index of the axis for which it was chosen; 0 if there is no index.
        loading: The metric's loading on that axis, from -1 to 1.
        index: Index of the projection from which the metric was chosen; it contains no metrics of earlier rounds.
        camps: Index of camps in this metric alone.
    """

    metric: str
    importance: float
    loading: float
    index: float
    camps: float


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of projection pursuit, without the points.

    Attributes:
        status: ``converged``: a significant maximum. ``stopped``: significant, but the search ended before a maximum,
            so other metrics may be better. ``no-structure``: not significant. ``too-few``: fewer than two points per
            metric, so all projections are equally good, and no single metric has camps.
        reason: The reason for the status, with numbers.
        ranking: All metrics, best first, in rounds of one metric per dimension of the projection.
        locations: Number of locations after trimming.
        points: Number of points in the projection: locations or parts of them.
        outliers: Labels of the outliers, before trimming.
        dropped: For each unused metric, the reason.
        left_out: For each unused point, by its label, the reason.
        index: Index of the best projection; 0 for fewer than four points.
        critical: The index that points without structure exceed in 2.5 % of cases; infinite for fewer than four points.
        camps: The clearest split of points into two camps; None for fewer than four points.
        parted: Metrics with significant camps, clearest first.
        followed: The number of starts that the search followed to their end.
        agreeing: The number of followed starts that reached the best index.
    """

    status: Status
    reason: str
    ranking: tuple[Ranked, ...]
    locations: int
    points: int
    outliers: tuple[int | str, ...]
    dropped: Mapping[str, str]
    left_out: Mapping[int | str, str]
    index: float = 0.0
    critical: float = inf
    camps: Camps | None = None
    parted: tuple[str, ...] = ()
    followed: int = 0
    agreeing: int = 0

    @property
    def metrics(self) -> tuple[str, ...]:
        """The three best metrics; fewer if fewer metrics differ among the points."""
        return tuple(each.metric for each in self.ranking[:SELECTED])

    @property
    def has_index(self) -> bool:
        """Whether there are enough points for an index."""
        return isfinite(self.critical)

    @property
    def worth(self) -> bool:
        """Whether there is a significant structure."""
        return self.status in ("converged", "stopped")

    @property
    def departs(self) -> bool:
        """Whether there are enough points and the index is significant."""
        return self.points >= FEWEST * len(self.ranking) and self.index > self.critical

    @property
    def beyond(self) -> float:
        """The factor by which the index exceeds its critical value; if it does not, the factor for the index of camps.

        The index of camps is a logarithm, so its factor is the exponential of the difference.
        """
        if self.departs or self.camps is None:
            return self.index / self.critical
        return exp(self.camps.index - self.camps.critical)


@dataclass(frozen=True, kw_only=True)
class Pursuit(Outcome):
    """The result of projection pursuit, with its points.

    Attributes:
        space: The locations, after trimming.
        seen: The projected points: the locations or several parts of each.
        view: The best projection; None for fewer than four points.
    """

    space: MetricSpace
    seen: MetricSpace
    view: View | None = None

    def outcome(self) -> Outcome:
        """Return the result without the points."""
        kept = {each.name: getattr(self, each.name) for each in fields(Outcome)}
        return Outcome(**{**kept, "camps": self.camps and replace(self.camps, smaller=())})


def pursue(
    space: MetricSpace,
    *,
    parts: MetricSpace | None = None,
    dimensions: int = 3,
    trimming: Trimming = "none",
    seed: int = 0,
    starts: int = STARTS,
) -> Pursuit:
    """Rank metrics by how far the projections that show them are from normality, in O(points × metrics³).

    Args:
        space: The locations.
        parts: Several points per location, with the same metrics, to project instead of the locations; None to project
            the locations.
        dimensions: Dimensions of projections: 1, 2 or 3.
        trimming: The treatment of outliers.
        seed: Seed of the search.
        starts: Number of starts of the search.

    Raises:
        LocationsError: Trimming leaves fewer than two points.
        InputError: Trimming leaves no metric that differs.
    """
    distance = outlying(space.scaled())
    outliers = tuple(label for label, far in zip(space.labels, distance > 1, strict=True) if far)
    space = trimmed(space, distance, trimming)
    locations = len(space.points)
    if locations < LEAST_POINTS:
        reason = f"{locations} locations, but {LEAST_POINTS} are needed, so metrics are ordered by their spread"
        found = {"status": "too-few", "reason": reason, "ranking": _by_spread(space), "points": locations}
        return _found(space, space, outliers, **found)
    seen = space if parts is None else _parts(trimmed(parts, outlying(parts.scaled()), trimming), space)
    with threadpool_limits(1):  # the matrices are so small that synchronising threads would take longer
        return _viewed(space, seen, outliers, partial(search, dimensions=dimensions, seed=seed, starts=starts), seed)


def _viewed(space: MetricSpace, seen: MetricSpace, outliers: tuple[int | str, ...], find: Search, seed: int) -> Pursuit:
    scaled = seen.scaled()
    view = best_view(scaled, find)
    order = ranking(scaled, view, find)
    points, width = scaled.shape
    enough = points >= FEWEST * width
    critical, of_camps = critical_index(points, view.rank, view.points.shape[1]), None
    if enough and seen is not space:
        critical, of_camps = simulated(scaled, seen.points, find, seed=seed)
    alone = split(space.scaled().T)
    camps = in_metrics(space, alone, level=CAMPS_LEVEL if enough else ALL)
    if enough:
        camps += in_projection(seen, critical=of_camps, seed=seed)
    camps.sort(key=lambda each: each.critical - each.index)
    structure = enough and view.projection.index > critical
    status, reason = _judged(view.projection, critical, camps[0], structure=structure)
    if not enough and not camps[0].worth:
        status, reason = "too-few", f"{points} locations for {width} metrics, but {FEWEST * width} are needed"
    ranked = _ranked(order, seen.metrics, dict(zip(space.metrics, alone.index.tolist(), strict=True)))
    parted = tuple(dict.fromkeys(each.metric for each in camps if each.worth))
    ahead = log(view.projection.index / critical) - (camps[0].index - camps[0].critical) if structure else -inf
    return _found(
        space,
        seen,
        outliers,
        status=status,
        reason=reason,
        ranking=_with_camps(ranked, parted, ahead=ahead),
        points=points,
        index=view.projection.index,
        critical=critical,
        camps=camps[0],
        parted=parted,
        followed=view.projection.followed,
        agreeing=view.projection.agreeing,
        view=view,
    )


def _judged(found: Projection, critical: float, camps: Camps, *, structure: bool) -> tuple[Status, str]:
    if structure:
        return "converged" if found.converged else "stopped", f"{found.agreeing} of {found.followed} starts agree"
    beside = f"camps {camps.index:.3g}, by chance up to {camps.critical:.3g}"
    if camps.worth:
        return "converged", beside
    return "no-structure", f"index {found.index:.3g}, by chance up to {critical:.3g}; {beside}"


def _ranked(order: Iterable[Chosen], metrics: Sequence[str], camps: Mapping[str, float]) -> list[Ranked]:
    return [
        Ranked(metrics[each.metric], each.importance, each.loading, each.index, camps[metrics[each.metric]])
        for each in order
    ]


def _with_camps(ranked: list[Ranked], parted: tuple[str, ...], *, ahead: float) -> tuple[Ranked, ...]:
    """Return the ranking, with metrics that have camps moved up into the best three.

    Args:
        ranked: The ranking by projections.
        parted: Metrics with camps.
        ahead: How much farther the first projection exceeds its critical value than the best camps do, as a logarithm;
            minus infinity if the projection has no structure.
    """
    best = [each.metric for each in ranked[:SELECTED]]
    names = list(parted if ahead == -inf else parted[:1])
    if ahead > 0:
        names = best if set(names) <= set(best) else [*best[: SELECTED - 1], *names]
    named = {each.metric: each for each in ranked}
    return (*(named[name] for name in names), *(each for each in ranked if each.metric not in names))


def _parts(parts: MetricSpace, space: MetricSpace) -> MetricSpace:
    """Return the parts of locations; the locations themselves if a metric is missing in the parts."""
    return parts.along(space.metrics) if set(space.metrics) <= set(parts.metrics) else space


def _found(space: MetricSpace, seen: MetricSpace, outliers: tuple[int | str, ...], **found: Any) -> Pursuit:
    return Pursuit(
        space=space,
        seen=seen,
        locations=len(space.points),
        outliers=outliers,
        dropped=space.dropped,
        left_out=space.left_out,
        **found,
    )


def index_of(space: MetricSpace, metrics: tuple[str, ...]) -> float:
    """Return Jones and Sibson's index for at most three metrics, without searching for a projection.

    Raises:
        InputError: There are fewer than four points.
    """
    if len(space.points) < LEAST_POINTS:
        raise InputError(f"need at least {LEAST_POINTS} locations, found {len(space.points)}")
    with threadpool_limits(1):
        return index(sphered(space.along(metrics).scaled()).values)


def _by_spread(space: MetricSpace) -> tuple[Ranked, ...]:
    """Return metrics sorted by range divided by largest absolute value, if points are too few for an index."""
    relative: Values = space.values / np.abs(space.values).max(axis=0)
    order = np.argsort(-np.ptp(relative, axis=0), kind="stable")
    return tuple(Ranked(space.metrics[each], 0.0, 0.0, 0.0, 0.0) for each in order.tolist())
