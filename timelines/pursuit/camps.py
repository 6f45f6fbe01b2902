"""How clearly points fall into two camps: a second index, ours, beside that of Jones and Sibson.

Two camps of like size hardly change the third and fourth cumulants, which that index is made of. This one is the gain
in log-likelihood a point, if a line is two normal camps of one variance instead of one: Symons' criterion for the best
parting of points (Biometrics 37, 1981), -½ ln(variance within camps / variance) - entropy(sizes of the camps).
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

_STARTS: Final = 24  # besides the axes; the table of chance holds for these
_STEPS: Final = 50  # far more than any search took
_ROUNDED: Final = 1e-10  # the share of the variance within camps that is rounding
_GAIN: Final = 1e-9


@dataclass(frozen=True)
class Split:
    """Lines of points, each parted in two where the index is largest.

    Attributes:
        index: ``float64[line]``.
        upper: ``bool[line, point]``, who is in the upper camp.
    """

    index: Values
    upper: Flags

    @property
    def smaller(self) -> Flags:
        """``bool[line, point]``, who is in the smaller camp."""
        many = self.upper.sum(axis=1, keepdims=True) > self.upper.shape[1] / 2
        return np.asarray(self.upper ^ many)


@dataclass(frozen=True)
class Parting:
    """The direction along which points part best.

    Attributes:
        direction: ``float64[rank]``, of unit length.
        index: Its index.
        smaller: ``bool[point]``, who is in the smaller camp.
    """

    direction: Values
    index: float
    smaller: Flags


def split(lines: Values) -> Split:
    """Part each of some lines, ``float64[line, point]``, none of them constant; in O(points log points) a line."""
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
    """Find the direction along which points part best.

    From each start in turns: the best parting along the direction, and the direction that shows this parting best,
    which of sphered points leads from the mean of one camp to that of the other (Fisher's). Neither makes the index
    less. Starts are the axes, random directions, and those of the points farthest out.

    Args:
        values: ``float64[point, rank]``, sphered; four points at least.
        seed: Of the random starts.
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
    """Follow directions, ``float64[start, rank]``, to their end, and give them, the best first."""
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
    """How points part in two where they do so most clearly, beyond chance or least below it.

    Attributes:
        metric: Alone, or with the largest loading in the projection.
        alone: Whether in this metric alone.
        index: How clearly.
        critical: What normal points stay below.
        size: How many points are in the smaller camp.
        smaller: Labels of these.
    """

    metric: str
    alone: bool
    index: float
    critical: float
    size: int
    smaller: tuple[int | str, ...] = ()

    @property
    def worth(self) -> bool:
        """Whether there are camps that chance does not make."""
        return self.index > self.critical


def in_metrics(space: MetricSpace, alone: Split, *, level: float = CAMPS_LEVEL) -> list[Camps]:
    """Give the metrics in which alone locations part beyond chance, or else the one nearest to that.

    Args:
        space: The locations, four at least.
        alone: Each of its metrics parted.
        level: How often chance goes so far, at most.
    """
    critical = critical_of_metrics(len(space.points), len(space.metrics), level)
    beyond = np.flatnonzero(alone.index > critical)
    columns = beyond if len(beyond) else [alone.index.argmax()]
    return [
        _camps(space, int(column), float(alone.index[column]), critical, alone.smaller[column], alone=True)
        for column in columns
    ]


def in_projection(seen: MetricSpace, *, critical: float | None = None, seed: int = 0) -> list[Camps]:
    """Give the camps of the best projection; none of a single dimension, which is a metric alone.

    Args:
        seen: Points.
        critical: What they stay below by chance; of independent points if None.
        seed: Of the search.
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
