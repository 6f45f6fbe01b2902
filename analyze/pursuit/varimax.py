"""Varimax: turn a projection within its plane until each of its axes loads few metrics (Kaiser 1958)."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..metric_space import Values

__all__ = ["varimax"]

_STEPS: Final = 200
_STILL: Final = 1e-9


def varimax(loadings: Values) -> Values:
    """Give the rotation, ``float64[axis, axis]``, after which squared loadings vary most.

    Args:
        loadings: ``float64[metric, axis]``.
    """
    rotation = np.eye(loadings.shape[1])
    for _ in range(_STEPS):
        turned = loadings @ rotation
        slope = loadings.T @ (turned**3 - turned * (turned**2).mean(axis=0))
        left, _, right = np.linalg.svd(slope)
        before, rotation = rotation, left @ right
        if np.abs(rotation - before).max() < _STILL:
            break
    return rotation
