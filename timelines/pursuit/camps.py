"""Measure how clearly points fall into two groups, "camps", with the tool's own index.

Jones and Sibson's index hardly reacts to two camps of similar size, because they barely change the third and fourth
cumulants. This index is the gain in log-likelihood per point if projected points are modelled as two normal camps of
equal variance instead of one camp: Symons' criterion for the best split (Biometrics 37, 1981), -½ ln(variance within
camps / variance) - entropy(sizes of the camps).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ...analyze.run.arrays import Flags, Values
from ...multivariate.metric_space import MetricSpace
from .chance import CAMPS_LEVEL, critical_of_metrics, critical_of_projection
from .points import sphered
from .search import MANY, some

__all__ = ["Camps", "Parting", "Split", "in_metrics", "in_projection", "parting", "split"]

_STARTS: Final = 24  # number of starts in addition to the axes; the tables of critical values are valid for this number
_STEPS: Final = 50  # maximum number of steps: far more than any search has needed
_ROUNDED: Final = 1e-10  # minimum fraction of the variance within camps; smaller fractions are rounding errors
_GAIN: Final = 1e-9


@dataclass(frozen=True)
class Split:
    """Projections of points onto lines, each split in two where the index is largest.

    Attributes:
        index: ``float64[line]``: the index of the split.
        upper: ``bool[line, point]``: whether a point is in the upper camp.
    """

    index: Values
    upper: Flags

    @property
    def smaller(self) -> Flags:
        """``bool[line, point]``: whether a point is in the smaller camp."""
        many = self.upper.sum(axis=1, keepdims=True) > self.upper.shape[1] / 2
        return np.asarray(self.upper ^ many)


@dataclass(frozen=True)
class Parting:
    """The direction along which points split best.

    Attributes:
        direction: ``float64[rank]``: a vector of unit length.
        index: The index of the split.
        smaller: ``bool[point]``: whether a point is in the smaller camp.
    """

    direction: Values
    index: float
    smaller: Flags


def split(lines: Values) -> Split:
    """Return the best split of each line, in O(points log points) per line.

    Args:
        lines: ``float64[line, point]``, no line constant.
    """
    points = lines.shape[1]
    order = np.argsort(lines, axis=1, kind="stable")
    centred = lines - lines.mean(axis=1, keepdims=True)
    sums = np.take_along_axis(centred, order, axis=1).cumsum(axis=1)[:, :-1]
    below = np.arange(1, points)
    share = below / points
    between = sums**2 * points / (below * (points - below)) / (centred**2).sum(axis=1, keepdims=True)
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    index = -np.log(np.maximum(1 - between, _ROUNDED)) / 2 - entropy
    best = index.argmax(axis=1)
    upper = np.empty(lines.shape, dtype=bool)
    np.put_along_axis(upper, order, np.arange(points) > best[:, None], axis=1)
    return Split(index[np.arange(len(lines)), best], upper)


def parting(values: Values, *, seed: int = 0) -> Parting:
    """Return the direction along which points split best.

    From each start, two steps alternate: find the best split along the direction, then the direction that shows this
    split best. For sphered points, this direction joins the camps' means (Fisher). Neither step lowers the index.
    Starts are the axes, random directions, and the directions of the points farthest from the mean.

    Args:
        values: ``float64[point, rank]``, sphered; at least four points.
        seed: Seed of the random starts.
    """
    drawn = np.random.default_rng(seed)
    few = values if len(values) <= MANY else some(values, drawn)
    directions = _climbed(few, _starts(few, drawn))
    if few is not values:
        directions = _climbed(values, directions[:1])
    found = split(directions[:1] @ values.T)
    return Parting(directions[0], float(found.index[0]), found.smaller[0])


def _starts(values: Values, drawn: np.random.Generator) -> Values:
    rank = values.shape[1]
    starts = drawn.standard_normal((_STARTS, rank))
    sizes = np.linalg.norm(values, axis=1)
    far = np.argsort(-sizes, kind="stable")[: _STARTS // 2]
    far = far[sizes[far] > 0]
    starts[: len(far)] = values[far]
    return np.vstack([starts / np.linalg.norm(starts, axis=1, keepdims=True), np.eye(rank)])


def _climbed(values: Values, directions: Values) -> Values:
    """Return improved directions, ``float64[start, rank]``, best first."""
    best = np.full(len(directions), -np.inf)
    for _ in range(_STEPS):
        found = split(directions @ values.T)
        if (found.index <= best + _GAIN).all():
            break
        best = found.index
        upper = found.upper.astype(np.float64)
        lower = 1 - upper
        led = (upper / upper.sum(axis=1, keepdims=True) - lower / lower.sum(axis=1, keepdims=True)) @ values
        directions = led / np.linalg.norm(led, axis=1, keepdims=True)
    return directions[np.argsort(-best, kind="stable")]


@dataclass(frozen=True, slots=True)
class Camps:
    """A split of points into two camps.

    Attributes:
        metric: The metric that is split, or the metric with the largest loading in the projection that is split.
        alone: Whether this metric alone is split, not a projection.
        index: The index of the split.
        critical: The index that normally distributed points rarely exceed.
        size: The size of the smaller camp.
        smaller: Labels of the points in the smaller camp.
    """

    metric: str
    alone: bool
    index: float
    critical: float
    size: int
    smaller: tuple[int | str, ...] = ()

    @property
    def worth(self) -> bool:
        """Whether the split is clearer than chance would explain."""
        return self.index > self.critical


def in_metrics(space: MetricSpace, alone: Split, *, level: float = CAMPS_LEVEL) -> list[Camps]:
    """Return the significant splits of single metrics; if there are none, the clearest split.

    Args:
        space: The locations, at least four.
        alone: The best split of each metric.
        level: The significance level.
    """
    critical = critical_of_metrics(len(space.points), len(space.metrics), level)
    beyond = np.flatnonzero(alone.index > critical)
    columns = beyond if len(beyond) else [alone.index.argmax()]
    return [
        _camps(space, int(column), float(alone.index[column]), critical, alone.smaller[column], alone=True)
        for column in columns
    ]


def in_projection(seen: MetricSpace, *, critical: float | None = None, seed: int = 0) -> list[Camps]:
    """Return a list that contains the best projection's split; an empty list if the points have only one dimension.

    Args:
        seen: The points.
        critical: The index that chance rarely exceeds; None for its value for independent points.
        seed: Seed of the search.
    """
    sphere = sphered(seen.scaled())
    points, rank = sphere.values.shape
    if rank < 2:
        return []
    best = parting(sphere.values, seed=seed)
    column = int(np.abs(sphere.axes @ best.direction).argmax())
    limit = critical_of_projection(points, rank) if critical is None else critical
    return [_camps(seen, column, best.index, limit, best.smaller, alone=False)]


def _camps(space: MetricSpace, column: int, index: float, critical: float, smaller: Flags, *, alone: bool) -> Camps:
    rows = np.flatnonzero(smaller).tolist()
    return Camps(space.metrics[column], alone, index, critical, len(rows), tuple(space.labels[row] for row in rows))
