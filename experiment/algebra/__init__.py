"""The algebra of experiments (Song et al. 2004): difference, merge, mean and others, which all return experiments."""

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
