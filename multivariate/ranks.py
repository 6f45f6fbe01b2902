"""Ranks of values for Spearman's correlation."""

from __future__ import annotations

import numpy as np

from ..analyze.run.arrays import Values

__all__ = ["ranks"]


def ranks(values: Values) -> Values:
    """Rank values, ``float64[n]``, from 1; ties get the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse])
