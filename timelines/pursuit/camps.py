"""How clearly points fall into two groups, "camps": a second index of our own, beside that of Jones and Sibson.

Two camps of similar size hardly change the third and fourth cumulants, on which that index is based. This one is the
gain in log-likelihood per point if a line is modelled as two normal camps of equal variance instead of one: Symons'
criterion for the best split (Biometrics 37, 1981), -½ ln(variance within camps / variance) - entropy(sizes of the
camps).
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

_STARTS: Final = 24  # besides the axes; the tables of critical values are for this number
_STEPS: Final = 50  # far more than any search has needed
_ROUNDED: Final = 1e-10  # a smaller share of variance within camps is rounding
_GAIN: Final = 1e-9


@dataclass(frozen=True)
class Split:
    """Lines of points, each split in two where the index is largest.

    Attributes:
        index: ``float64[line]``.
        upper: ``bool[line, point]``, membership of the upper camp.
    """

    index: Values
    upper: Flags

    @property
    def smaller(self) -> Flags:
        """``bool[line, point]``, membership of the smaller camp."""
        many = self.upper.sum(axis=1, keepdims=True) > self.upper.shape[1] / 2
        return np.asarray(self.upper ^ many)


@dataclass(frozen=True)
class Parting:
    """The direction along which the points split best.

    Attributes:
        direction: ``float64[rank]``, of unit length.
        index: Its index.
        smaller: ``bool[point]``, membership of the smaller camp.
    """

    direction: Values
    index: float
    smaller: Flags


def split(lines: Values) -> Split:
    """Split each of several lines, ``float64[line, point]``, none constant; O(points log points) per line."""
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
    """Find the direction along which the points split best.

    Each start alternates between the best split along the direction, and the direction that shows this split best: for
    sphered points, the line between the camps' means (Fisher's). Neither step lowers the index. Starts are the axes,
    random directions, and the directions of the points farthest out.

    Args:
        values: ``float64[point, rank]``, sphered; four points at least.
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
    """Improve directions, ``float64[start, rank]``, until they stop changing, and return them best first."""
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
    """The clearest split of points into two camps, beyond chance or closest to it.

    Attributes:
        metric: The only metric, or the one with the largest loading in the projection.
        alone: Whether the camps are in this metric alone.
        index: The index of the split.
        critical: The index that normal points stay below.
        size: The size of the smaller camp.
        smaller: Labels of its points.
    """

    metric: str
    alone: bool
    index: float
    critical: float
    size: int
    smaller: tuple[int | str, ...] = ()

    @property
    def worth(self) -> bool:
        """Whether there are camps beyond chance."""
        return self.index > self.critical


def in_metrics(space: MetricSpace, alone: Split, *, level: float = CAMPS_LEVEL) -> list[Camps]:
    """Return the metrics in which locations split beyond chance, or otherwise the one closest to it.

    Args:
        space: The locations, four at least.
        alone: The split of each metric.
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
    """Return the camps of the best projection; none for a single dimension, which is a single metric.

    Args:
        seen: Points.
        critical: The index that they stay below by chance; that of independent points if None.
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
