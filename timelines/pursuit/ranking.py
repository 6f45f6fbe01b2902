"""Rank metrics: choose some from the best projection; repeat with the rest (Vetter and Reed, 3.1 and 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ...analyze.run.arrays import Values
from .index import index
from .points import sphered
from .search import Projection, Search

__all__ = ["Chosen", "View", "best_view", "ranking", "varimax"]

_STEPS: Final = 200
_STILL: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Chosen:
    """A ranked metric.

    Attributes:
        metric: Column of the metric.
        loading: The metric's loading on the axis for which it was chosen; this axis has unit length.
        importance: The metric's share of the index of that axis: index times squared loading.
        index: Index of the projection from which the metric was chosen.
    """

    metric: int
    loading: float
    importance: float
    index: float


@dataclass(frozen=True)
class View:
    """The best projection of a set of metrics.

    Attributes:
        projection: The result of the search.
        points: ``float64[point, axis]``: the projected points, after varimax rotation.
        loadings: ``float64[metric, axis]``: the loadings, after varimax rotation.
        rank: The number of dimensions that the metrics span.
        chosen: One distinct metric per axis, most important first; fewer if there are fewer metrics.
    """

    projection: Projection
    points: Values
    loadings: Values
    rank: int
    chosen: tuple[Chosen, ...]


def best_view(scaled: Values, find: Search) -> View:
    """Return the best projection of metrics with a metric for each of its axes.

    Args:
        scaled: ``float64[point, metric]``, with zero mean and unit variance.
        find: Finds the best projection of sphered points.
    """
    sphere = sphered(scaled)
    rank = sphere.values.shape[1]
    projection = find(sphere.values)
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
    """Return pairs of metric and axis, each used once, in order of decreasing loading."""
    sizes = np.abs(loadings)
    found = []
    for _ in range(loadings.shape[1]):
        row, axis = np.unravel_index(int(sizes.argmax()), sizes.shape)
        found.append((int(row), int(axis)))
        sizes[row] = sizes[:, axis] = -1.0
    return found


def ranking(scaled: Values, first: View, find: Search) -> tuple[Chosen, ...]:
    """Return all metrics, ranked: the metrics of the first view, then of the remaining metrics' best view, and so on.

    Args:
        scaled: ``float64[point, metric]``, with zero mean and unit variance.
        first: The best view of all metrics.
        find: Finds the best projection of sphered points.
    """
    order = list(first.chosen)
    left = np.arange(scaled.shape[1])
    while len(left := np.setdiff1d(left, [each.metric for each in order])):
        view = best_view(scaled[:, left], find)
        order += [Chosen(int(left[each.metric]), each.loading, each.importance, each.index) for each in view.chosen]
    return tuple(order)


def varimax(loadings: Values) -> Values:
    """Return the rotation, ``float64[axis, axis]``, that maximises the variance of squared loadings.

    Args:
        loadings: ``float64[metric, axis]``, of full rank.
    """
    rotation = _start(loadings)
    for _ in range(_STEPS):
        turned = loadings @ rotation
        slope = loadings.T @ (turned**3 - turned * (turned**2).mean(axis=0))
        left, _, right = np.linalg.svd(slope)
        before, rotation = rotation, left @ right
        if np.abs(rotation - before).max() < _STILL:
            break
    return rotation


def _start(loadings: Values) -> Values:
    """Return the rotation, ``float64[axis, axis]``, that brings the most dissimilar metrics closest to the axes.

    The original axes would be a bad start, because they may be a stationary point: for two standardised metrics they
    bisect the angle between the metrics.
    """
    from scipy.linalg import qr  # noqa: PLC0415 - takes a third of a second

    _, _, order = qr(loadings.T, mode="economic", pivoting=True)
    left, _, right = np.linalg.svd(loadings[order[: loadings.shape[1]]])
    return np.asarray((left @ right).T)
