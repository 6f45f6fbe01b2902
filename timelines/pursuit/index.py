"""Jones and Sibson's index: how far a projection onto 1 to 3 dimensions is from normality (Vetter and Reed, 3.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

import numpy as np

from ...analyze.run.arrays import Indices, Values

__all__ = ["LEAST_POINTS", "Cumulants", "cumulants", "index", "index_and_gradient", "tangent"]

LEAST_POINTS: Final = 4  # with fewer points there is no fourth k-statistic


@dataclass(frozen=True)
class Pairs:
    """All unordered pairs of coordinates, to store each entry of a symmetric tensor once.

    Attributes:
        first: ``int[pair]``: the first coordinate.
        second: ``int[pair]``: the second coordinate.
        weight: ``float64[pair]``: the number of ordered pairs that the entry represents, 1 or 2.
        place: ``int[dimension, dimension]``: index of the pair for any two coordinates.
        normal: ``float64[pair, pair]``: the fourth moments of a normal variable with unit covariance.
    """

    first: Indices
    second: Indices
    weight: Values
    place: Indices
    normal: Values


@dataclass(frozen=True)
class Cumulants:
    """Third and fourth k-statistics of projections, with each entry of the symmetric tensors stored once.

    Attributes:
        projected: ``float64[…, dimension, point]``: the projected points.
        products: ``float64[…, pair, point]``: products of two coordinates.
        third: ``float64[…, dimension, pair]``: third k-statistics.
        fourth: ``float64[…, pair, pair]``: fourth k-statistics.
        pairs: The pairs of coordinates.
    """

    projected: Values
    products: Values
    third: Values
    fourth: Values
    pairs: Pairs

    @property
    def index(self) -> Values:
        """``float64[…]``: the index (|K3|² + |K4|²/4) / 12, with the norms of the whole tensors."""
        weight = self.pairs.weight
        third = np.einsum("...aq,...aq,q->...", self.third, self.third, weight)
        fourth = np.einsum("...pq,...pq,p,q->...", self.fourth, self.fourth, weight, weight)
        return np.asarray((third + fourth / 4) / 12)


def index(projected: Values) -> float:
    """Return the index of points, ``float64[point, dimension]``, that are centred with unit covariance.

    The index is invariant under rotation. Computing it takes O(points × dimensions⁴).
    """
    return float(cumulants(np.ascontiguousarray(projected.T)).index)


def cumulants(projected: Values) -> Cumulants:
    """Return the k-statistics of centred projections with unit covariance, ``float64[…, dimension, point]``.

    At least four points are needed. The second moments are known, so they are not computed.
    """
    dimensions, points = projected.shape[-2:]
    pairs = _pairs(dimensions)
    products = projected[..., pairs.first, :] * projected[..., pairs.second, :]
    turned = np.swapaxes(products, -1, -2)
    third = points / ((points - 1) * (points - 2)) * (projected @ turned)
    below = (points - 2) * (points - 3)
    fourth = points * (points + 1) / ((points - 1) * below) * (products @ turned)
    return Cumulants(projected, products, third, fourth - (points - 1) ** 2 / below * pairs.normal, pairs)


@lru_cache(maxsize=8)
def _pairs(dimensions: int) -> Pairs:
    first, second = np.array(list(combinations_with_replacement(range(dimensions), 2)), dtype=np.intp).T
    place = np.zeros((dimensions, dimensions), dtype=np.intp)
    place[first, second] = place[second, first] = np.arange(len(first))
    same = np.eye(dimensions)
    equal = np.outer(same[first, second], same[first, second])
    equal += same[np.ix_(first, first)] * same[np.ix_(second, second)]
    equal += same[np.ix_(first, second)] * same[np.ix_(second, first)]
    return Pairs(first, second, np.where(first == second, 1.0, 2.0), place, equal)


def index_and_gradient(values: Values, frames: Values) -> tuple[Values, Values]:
    """Return the index of projections, and its gradient, in O(frames × points × rank).

    Both are computed from the points, because the moment tensors of all dimensions would be larger.

    Args:
        values: ``float64[point, rank]``, sphered.
        frames: ``float64[frame, rank, dimension]``, orthonormal directions.

    Returns:
        The index, ``float64[frame]``, and the gradient, ``float64[frame, rank, dimension]``. The gradient's formula
        assumes unit covariance, even for frames that are not orthonormal.
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
    """Return the components of gradients that are tangent to the manifold of orthonormal frames (Stiefel manifold).

    All arrays are ``float64[frame, rank, dimension]``.
    """
    inner = np.swapaxes(frames, 1, 2) @ gradient
    return gradient - frames @ ((inner + np.swapaxes(inner, 1, 2)) / 2)
