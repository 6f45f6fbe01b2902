"""The algebra of experiments: difference, merge, mean and more; each gives an experiment again (paper 002)."""

from __future__ import annotations

from .doubts import strangers
from .integration import Integration, integrate
from .locations import Hierarchy
from .operators import Options, difference, maximum, mean, merge, minimum, ratio, stddev, total

__all__ = [
    "Hierarchy",
    "Integration",
    "Options",
    "difference",
    "integrate",
    "maximum",
    "mean",
    "merge",
    "minimum",
    "ratio",
    "stddev",
    "strangers",
    "total",
]
