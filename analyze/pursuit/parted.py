"""Where points part in two beyond chance: in a metric alone, or in a projection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags
from ..metric_space import MetricSpace
from .camps import Split, parting
from .camps_chance import LEVEL, critical_of_metrics, critical_of_projection
from .sphering import sphered

__all__ = ["Camps", "in_metrics", "in_projection"]


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


def in_metrics(space: MetricSpace, alone: Split, *, level: float = LEVEL) -> list[Camps]:
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
