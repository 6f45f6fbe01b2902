"""How clearly points without structure part in two: in a metric alone, and in the best projection."""

from __future__ import annotations

from typing import Final

import numpy as np

from .chance import METRICS, POINTS_A_METRIC

__all__ = ["LEVEL", "POINTS", "critical_of_metrics", "critical_of_projection", "deviations"]

LEVEL: Final = 0.0125  # of each of two tests, together that of the other index
POINTS: Final = (4, 5, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 2048)

# By tools/critical_camps.py, both: points → of a metric alone, times the points.
_ALONE: Final = (8.85, 7.38, 6.67, 5.96, 5.46, 5.17, 4.78, 4.38, 3.08, 2.28, 2.04, 1.91, 1.88)
# Metrics, from 2 on → points a metric: of the best projection, times the points a metric.
_PROJECTED: Final = (
    (10.61, 5.57, 4.72, 4.10, 4.09, 3.80, 3.71, 2.74, 1.96, 1.99, 2.29),
    (6.87, 4.61, 3.90, 3.61, 3.61, 3.29, 3.18, 2.31, 1.84, 1.86, 1.71),
    (5.09, 3.69, 3.39, 3.15, 3.10, 2.78, 2.64, 1.93, 1.81, 1.74, 1.43),
    (3.82, 3.00, 2.72, 2.60, 2.44, 2.21, 2.04, 1.68, 1.65, 1.51, 1.58),
    (3.11, 2.53, 2.36, 2.25, 2.00, 1.91, 1.70, 1.60, 1.63, 1.63, 1.58),
    (2.43, 2.11, 1.90, 1.85, 1.69, 1.62, 1.52, 1.40, 1.41, 1.41, 1.58),
    (2.10, 1.77, 1.68, 1.51, 1.50, 1.41, 1.34, 1.35, 1.40, 1.41, 1.58),
    (1.70, 1.45, 1.37, 1.26, 1.30, 1.17, 1.24, 1.20, 1.19, 1.41, 1.58),
    (1.53, 1.29, 1.24, 1.14, 1.13, 1.12, 1.08, 1.12, 1.19, 1.41, 1.58),
    (1.28, 1.15, 1.00, 0.97, 0.95, 0.96, 0.93, 1.12, 1.19, 1.41, 1.58),
    (1.13, 0.98, 0.91, 0.97, 0.95, 0.96, 0.93, 1.12, 1.19, 1.41, 1.58),
)


def deviations(level: float) -> float:
    """Give how many standard deviations above their mean largest values (Gumbel's distribution) are so rarely."""
    return float(-np.sqrt(6) / np.pi * (np.euler_gamma + np.log(-np.log(1 - level))))


def critical_of_metrics(points: int, metrics: int, level: float = LEVEL) -> float:
    """Give the index that each of some metrics stays below, if none has structure.

    The variance that the best parting leaves within is less than w as often as w to the power of points / 2 - 1. So to
    test many metrics (Bonferroni) the limit rises with their logarithm, by exactly this slope.

    Args:
        points: How many, four at least.
        metrics: How many.
        level: How often chance reaches it, at most.
    """
    once = float(np.interp(np.log(points), np.log(POINTS), _ALONE))
    return once / points + float(np.log(metrics * LEVEL / level)) / (points - 2)


def critical_of_projection(points: int, rank: int) -> float:
    """Give the index that the best projection of points stays below, if they have no structure.

    Args:
        points: How many.
        rank: In how many dimensions they lie, two at least.
    """
    across = np.log(POINTS_A_METRIC)
    column = [float(np.interp(np.log(points / rank), across, row)) for row in _PROJECTED]
    return float(np.interp(np.log(rank), np.log(METRICS[1:]), column)) * rank / points
