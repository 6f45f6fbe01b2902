"""The algebra of experiments: difference, merge, mean and more; each gives an experiment again (paper 002)."""

from __future__ import annotations

from .locations import Hierarchy
from .operators import Options, difference, maximum, mean, merge, minimum, ratio, stddev, total

__all__ = [
    "Hierarchy",
    "Options",
    "difference",
    "maximum",
    "mean",
    "merge",
    "minimum",
    "ratio",
    "stddev",
    "total",
]
