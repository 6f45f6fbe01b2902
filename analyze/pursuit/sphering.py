"""Symmetric sphering: metrics without correlation, each as near to itself as can be (paper 004, 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import Values

__all__ = ["Sphered", "sphered"]

_NEGLIGIBLE: Final = 1e-5  # of the largest singular value: what differs by less is rounding of values that are printed


@dataclass(frozen=True)
class Sphered:
    """Points whose covariance matrix is the identity, in as many dimensions as the metrics span.

    Attributes:
        values: ``float64[point, rank]``.
        axes: ``float64[metric, rank]``, orthonormal: ``values @ axes.T`` are the symmetrically sphered metrics, one for
            one, so that a direction ``d`` of ``values`` loads the metrics by ``axes @ d``.
    """

    values: Values
    axes: Values


def sphered(scaled: Values) -> Sphered:
    """Multiply metrics by the inverse square root of their correlation matrix.

    Directions in which nothing differs (a metric that others make up, fewer points than metrics) are left out. Found by
    singular values, in O(points × metrics²): a correlation matrix, which squares them, would lose half of the digits.

    Args:
        scaled: ``float64[point, metric]``, each metric with zero mean and unit variance.
    """
    left, sizes, right = np.linalg.svd(scaled, full_matrices=False)
    rank = int((sizes > _NEGLIGIBLE * sizes[0]).sum())
    return Sphered(left[:, :rank] * np.sqrt(len(scaled) - 1), right[:rank].T)
