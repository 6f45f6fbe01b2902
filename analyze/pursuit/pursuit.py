"""Projection pursuit of one set of points: which metrics show a structure (paper 004, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import inf, isfinite
from typing import Any, Final, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from ...errors import InputError
from ..metric_space import MetricSpace, Values
from .chance import critical_index
from .index import LEAST_POINTS, index
from .ranking import View, best_view, ranking
from .sphering import sphered
from .trimming import Trimming, outlying, trimmed

__all__ = ["SELECTED", "Outcome", "Pursuit", "Ranked", "Status", "index_of", "pursue"]

Status = Literal["converged", "stopped", "no-structure", "too-few"]

SELECTED: Final = 3  # metrics that a projection stands for, as in the paper


@dataclass(frozen=True, slots=True)
class Ranked:
    """A metric in its place.

    Attributes:
        metric: Its name.
        importance: What the index of the axis that named it owes to it; 0 where there is no index.
        loading: On that axis, from -1 to 1.
        index: Of the projection that named it, without the metrics before it.
    """

    metric: str
    importance: float
    loading: float
    index: float


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What projection pursuit found, without the points.

    Attributes:
        status: ``converged``: a maximum, beyond chance. ``stopped``: the search came to its end before, the metrics may
            not be the best. ``no-structure``: points without any structure have such an index, too. ``too-few``: fewer
            than two points a metric, so that each projection is as good as another.
        reason: Of the status, with numbers.
        ranking: All metrics, the best first, in rounds of as many as the projection has dimensions.
        locations: How many points there are, after trimming.
        outliers: Labels of the points that lie far out, before trimming.
        dropped: Metric → why it is no dimension.
        left_out: Label of a point → why it is not there.
        index: Of the best projection; 0 of fewer than four points.
        critical: The index that points without structure stay below in 95 of 100 cases; infinite of fewer than four.
        followed: How many starts of the search were followed to their end.
        agreeing: How many of these came to the best index.
    """

    status: Status
    reason: str
    ranking: tuple[Ranked, ...]
    locations: int
    outliers: tuple[int | str, ...]
    dropped: Mapping[str, str]
    left_out: Mapping[int | str, str]
    index: float = 0.0
    critical: float = inf
    followed: int = 0
    agreeing: int = 0

    @property
    def metrics(self) -> tuple[str, ...]:
        """The three best; fewer if fewer differ among the points."""
        return tuple(each.metric for each in self.ranking[:SELECTED])

    @property
    def has_index(self) -> bool:
        """Whether there are points enough for one."""
        return isfinite(self.critical)

    @property
    def worth(self) -> bool:
        """Whether there is a structure that chance does not make."""
        return self.status in ("converged", "stopped")


@dataclass(frozen=True, kw_only=True)
class Pursuit(Outcome):
    """What projection pursuit found, and the points in which it did.

    Attributes:
        space: The points, after trimming.
        view: The best projection; None of fewer than four points.
    """

    space: MetricSpace
    view: View | None = None

    def outcome(self) -> Outcome:
        """Forget the points."""
        return Outcome(**{each.name: getattr(self, each.name) for each in fields(Outcome)})


def pursue(space: MetricSpace, *, dimensions: int = 3, trimming: Trimming = "none", seed: int = 0) -> Pursuit:
    """Find the metrics that show the least normal view of points, and rank all others.

    Any clean points have a result, in O(points × metrics³) for the ranking.

    Args:
        space: The points.
        dimensions: Of projections: 1, 2 or 3.
        trimming: What is done to points that lie far out.
        seed: Of the search.

    Raises:
        LocationsError: Trimming leaves fewer than two points.
        InputError: Trimming leaves no metric that differs.
    """
    distance = outlying(space.scaled())
    outliers = tuple(label for label, far in zip(space.labels, distance > 1, strict=True) if far)
    space = trimmed(space, distance, trimming)
    points, width = space.values.shape
    if points < LEAST_POINTS:
        reason = f"{points} locations, at least {LEAST_POINTS} needed: metrics are ordered by how much they differ"
        return _found(space, outliers, status="too-few", reason=reason, ranking=_by_spread(space))
    scaled = space.scaled()
    with threadpool_limits(1):  # others would be waited for longer than they work
        view = best_view(scaled, dimensions=dimensions, seed=seed)
        order = ranking(scaled, view, dimensions=dimensions, seed=seed)
    found = view.projection
    critical = critical_index(points, view.rank, view.points.shape[1])
    status: Status = "converged" if found.converged else "stopped"
    reason = f"{found.agreeing} of {found.followed} starts agree"
    if points < 2 * width:
        status, reason = "too-few", f"{points} locations for {width} metrics, {2 * width} needed"
    elif found.index <= critical:
        status, reason = "no-structure", f"index {found.index:.3g}; chance reaches {critical:.3g}"
    named = tuple(Ranked(space.metrics[each.metric], each.importance, each.loading, each.index) for each in order)
    return _found(
        space,
        outliers,
        status=status,
        reason=reason,
        ranking=named,
        index=found.index,
        critical=critical,
        followed=found.followed,
        agreeing=found.agreeing,
        view=view,
    )


def _found(space: MetricSpace, outliers: tuple[int | str, ...], **found: Any) -> Pursuit:
    return Pursuit(
        space=space,
        locations=len(space.points),
        outliers=outliers,
        dropped=space.dropped,
        left_out=space.left_out,
        **found,
    )


def index_of(space: MetricSpace, metrics: tuple[str, ...]) -> float:
    """Give the index of some metrics, three at most: one projection shows all of them.

    Raises:
        InputError: There are fewer than four points.
    """
    if len(space.points) < LEAST_POINTS:
        raise InputError(f"need at least {LEAST_POINTS} locations, found {len(space.points)}")
    with threadpool_limits(1):
        return index(sphered(space.along(metrics).scaled()).values)


def _by_spread(space: MetricSpace) -> tuple[Ranked, ...]:
    """Rank metrics by their range over their largest size, where no index can be computed."""
    relative: Values = space.values / np.abs(space.values).max(axis=0)
    order = np.argsort(-np.ptp(relative, axis=0), kind="stable")
    return tuple(Ranked(space.metrics[each], 0.0, 0.0, 0.0) for each in order.tolist())
