"""The order of metrics: the best projection names a few, and again without these (paper 004, 3.1 and 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Values
from .index import index
from .search import STARTS, Projection, search
from .sphering import sphered
from .varimax import varimax

__all__ = ["Chosen", "View", "best_view", "ranking"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A metric in its place.

    Attributes:
        metric: Its column.
        loading: By it on the axis that named it, which has unit length.
        importance: The index of that axis alone, times the squared loading: what the axis owes to the metric.
        index: Of the projection that named it, among the metrics that were left.
    """

    metric: int
    loading: float
    importance: float
    index: float


@dataclass(frozen=True)
class View:
    """The best projection of some metrics.

    Attributes:
        projection: What the search found.
        points: ``float64[point, axis]``, after varimax.
        loadings: ``float64[metric, axis]``.
        rank: Of the metrics.
        chosen: A metric an axis, no two the same, the most important first; fewer where there are fewer metrics.
    """

    projection: Projection
    points: Values
    loadings: Values
    rank: int
    chosen: tuple[Chosen, ...]


def best_view(scaled: Values, *, dimensions: int, seed: int = 0, starts: int = STARTS) -> View:
    """Find the best projection of metrics, and which metrics it shows.

    Args:
        scaled: ``float64[point, metric]``, with zero mean and unit variance.
        dimensions: Of the projection, if the metrics span as many.
        seed: Of the search.
        starts: Of the search, how many.
    """
    sphere = sphered(scaled)
    rank = sphere.values.shape[1]
    projection = search(sphere.values, min(dimensions, rank), seed=seed, starts=starts)
    loadings = sphere.axes @ projection.frame
    rotation = varimax(loadings)
    loadings = loadings @ rotation
    points = sphere.values @ projection.frame @ rotation
    alone = [index(points[:, axis : axis + 1]) for axis in range(points.shape[1])]
    chosen = [
        Chosen(row, float(loadings[row, axis]), alone[axis] * float(loadings[row, axis]) ** 2, projection.index)
        for row, axis in _distinct(loadings)
    ]
    chosen.sort(key=lambda each: -each.importance)
    return View(projection, points, loadings, rank, tuple(chosen))


def _distinct(loadings: Values) -> list[tuple[int, int]]:
    """Give each axis the metric that loads it most, the largest loading first, and none twice."""
    sizes = np.abs(loadings)
    found = []
    for _ in range(loadings.shape[1]):
        row, axis = np.unravel_index(int(sizes.argmax()), sizes.shape)
        found.append((int(row), int(axis)))
        sizes[row] = sizes[:, axis] = -1.0
    return found


def ranking(scaled: Values, first: View, *, dimensions: int, seed: int = 0, starts: int = STARTS) -> tuple[Chosen, ...]:
    """Rank all metrics: those of the first view, then those of the best view of the others, to the last."""
    order = list(first.chosen)
    left = np.arange(scaled.shape[1])
    while len(left := np.setdiff1d(left, [each.metric for each in order])):
        view = best_view(scaled[:, left], dimensions=dimensions, seed=seed, starts=starts)
        order += [Chosen(int(left[each.metric]), each.loading, each.importance, each.index) for each in view.chosen]
    return tuple(order)
