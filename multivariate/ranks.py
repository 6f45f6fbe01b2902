"""Ranks of values, as Spearman's correlation takes them."""

from __future__ import annotations

import numpy as np

from ..analyze.run.arrays import Values

__all__ = ["ranks"]


def ranks(values: Values) -> Values:
    """Rank values, ``float64[n]``, from 1; equal ones have the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse])
