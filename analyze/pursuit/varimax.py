"""Varimax: turn a projection within its plane until each of its axes loads few metrics (Kaiser 1958)."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.linalg import qr

from ..arrays import Values

__all__ = ["varimax"]

_STEPS: Final = 200
_STILL: Final = 1e-9


def varimax(loadings: Values) -> Values:
    """Give the rotation, ``float64[axis, axis]``, after which squared loadings vary most.

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
    """Turn the metrics that are most unlike each other as near to an axis each as they go.

    The axes as they come may be where the slope is zero and the variance least: those of two standardised metrics halve
    the angle between them.
    """
    _, _, order = qr(loadings.T, mode="economic", pivoting=True)
    left, _, right = np.linalg.svd(loadings[order[: loadings.shape[1]]])
    return np.asarray((left @ right).T)
