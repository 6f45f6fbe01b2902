"""The index of many projections of the same points at once, and its derivatives by their directions."""

from __future__ import annotations

import numpy as np

from ..arrays import Values
from .index import cumulants

__all__ = ["index_and_gradient", "tangent"]


def index_and_gradient(values: Values, frames: Values) -> tuple[Values, Values]:
    """Give the index of projections, and its gradient.

    In O(frames × points × rank): from the points, as moment tensors of so many dimensions would be larger than these.

    Args:
        values: ``float64[point, rank]``, sphered.
        frames: ``float64[frame, rank, dimension]``, orthonormal directions.

    Returns:
        ``float64[frame]``, and ``float64[frame, rank, dimension]``; that of the function which takes the projections'
        covariance to be the identity, also off the orthonormal frames.
    """
    count, rank, dimensions = frames.shape
    points = len(values)
    rows = np.swapaxes(frames, 1, 2).reshape(count * dimensions, rank)
    found = cumulants((rows @ values.T).reshape(count, dimensions, points))
    weight, place = found.pairs.weight, found.pairs.place
    third = (found.third * weight) @ found.products
    fourth = (found.fourth * weight) @ found.products
    by_point = points / (2 * (points - 1) * (points - 2)) * third
    scale = points * (points + 1) / (6 * (points - 1) * (points - 2) * (points - 3))
    for other in range(dimensions):
        by_point += scale * found.projected[:, other : other + 1] * fourth[:, place[other]]
    gradient = (by_point.reshape(count * dimensions, points) @ values).reshape(count, dimensions, rank)
    return found.index, np.ascontiguousarray(np.swapaxes(gradient, 1, 2))


def tangent(frames: Values, gradient: Values) -> Values:
    """Give the part of gradients that leads along orthonormal frames (the Stiefel manifold); shapes as above."""
    inner = np.swapaxes(frames, 1, 2) @ gradient
    return gradient - frames @ ((inner + np.swapaxes(inner, 1, 2)) / 2)
