"""Critical values: the indices that a search reaches by chance in points without structure."""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = [
    "ALL",
    "CAMPS_LEVEL",
    "LEVEL",
    "METRICS",
    "POINTS",
    "POINTS_A_METRIC",
    "critical_index",
    "critical_of_metrics",
    "critical_of_projection",
    "deviations",
]

ALL: Final = 0.05  # significance level of all tests together
LEVEL: Final = 0.025  # significance level of Jones and Sibson's index; the two tests for camps share the other half

METRICS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 50, 100)
POINTS_A_METRIC: Final = (2, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1024)


# Logarithms of the 95th percentile of the index, by dimensions of the projection (1 to 3), metrics (METRICS), and
# points per metric (POINTS_A_METRIC); computed by tools/critical_index.py.
_LOGARITHMS: Final = (
    (  # one dimension
        (-0.43, -0.43, -0.43, -0.46, -0.62, -1.02, -1.26, -1.91, -2.50, -4.10, -5.61),
        (-0.19, -0.07, -0.27, -0.65, -1.30, -1.22, -1.52, -2.35, -3.09, -4.44, -5.89),
        (0.45, 0.46, 0.12, -0.08, -0.48, -0.98, -1.32, -2.28, -3.00, -4.58, -6.08),
        (0.83, 0.63, 0.50, -0.02, -0.13, -0.64, -1.09, -1.96, -2.79, -4.43, -6.14),
        (1.17, 1.09, 0.82, 0.45, 0.16, -0.41, -0.70, -1.79, -2.80, -4.52, -6.13),
        (1.49, 1.34, 1.11, 0.51, 0.19, -0.28, -0.70, -1.56, -2.55, -4.47, -6.13),
        (2.06, 1.87, 1.50, 1.02, 0.56, 0.14, -0.41, -1.38, -2.38, -4.46, -6.12),
        (2.43, 2.13, 1.78, 1.21, 0.83, 0.26, -0.28, -1.19, -2.31, -4.45, -6.11),
        (3.01, 2.53, 2.23, 1.62, 1.37, 0.45, 0.14, -0.88, -2.26, -4.45, -6.10),
        (3.41, 2.99, 2.55, 1.91, 1.49, 0.87, 0.51, -0.68, -2.23, -4.44, -6.10),
        (4.04, 3.55, 3.15, 2.50, 1.96, 1.34, 0.92, -0.37, -2.18, -4.43, -6.09),
        (5.02, 4.52, 4.06, 3.42, 2.69, 2.07, 1.55, 0.11, -2.10, -4.42, -6.07),
    ),
    (  # two dimensions
        (0.96, 0.53, 0.39, 0.17, -0.08, -0.52, -0.73, -1.50, -2.31, -3.86, -5.38),
        (0.95, 0.81, 0.45, 0.13, -0.25, -0.64, -1.03, -1.67, -2.42, -3.98, -5.48),
        (1.22, 0.83, 0.71, 0.28, 0.05, -0.36, -0.80, -1.57, -2.32, -4.04, -5.56),
        (1.72, 1.40, 1.16, 0.76, 0.35, -0.06, -0.50, -1.48, -2.23, -4.07, -5.49),
        (2.05, 1.63, 1.51, 1.07, 0.59, -0.00, -0.27, -1.34, -2.33, -4.00, -5.45),
        (2.61, 2.11, 1.86, 1.38, 1.00, 0.41, 0.02, -0.86, -1.99, -3.86, -5.38),
        (2.89, 2.47, 2.16, 1.55, 1.25, 0.67, 0.23, -0.88, -1.86, -3.77, -5.34),
        (3.43, 2.98, 2.72, 2.09, 1.76, 1.07, 0.71, -0.55, -1.67, -3.64, -5.27),
        (3.82, 3.37, 2.94, 2.44, 1.98, 1.33, 0.89, -0.36, -1.54, -3.54, -5.23),
        (4.50, 3.96, 3.54, 2.87, 2.47, 1.86, 1.27, -0.06, -1.33, -3.39, -5.16),
        (5.53, 5.03, 4.46, 3.52, 3.23, 2.69, 1.86, 0.41, -1.01, -3.17, -5.05),
    ),
    (  # three dimensions
        (1.34, 1.11, 0.86, 0.50, 0.28, -0.15, -0.45, -1.21, -2.04, -3.54, -5.00),
        (1.44, 1.11, 0.92, 0.48, 0.18, -0.31, -0.59, -1.31, -2.12, -3.60, -4.93),
        (1.90, 1.64, 1.32, 0.91, 0.58, 0.13, -0.33, -1.07, -2.01, -3.54, -5.00),
        (2.32, 1.98, 1.69, 1.15, 0.84, 0.33, -0.07, -1.01, -1.94, -3.52, -5.00),
        (2.75, 2.43, 2.09, 1.60, 1.26, 0.65, 0.26, -0.70, -1.71, -3.47, -5.00),
        (3.15, 2.75, 2.43, 1.93, 1.52, 0.91, 0.52, -0.53, -1.56, -3.44, -5.00),
        (3.74, 3.28, 2.89, 2.39, 1.87, 1.20, 0.85, -0.29, -1.33, -3.40, -5.00),
        (4.16, 3.68, 3.23, 2.75, 2.17, 1.52, 1.10, -0.08, -1.17, -3.37, -5.00),
        (4.82, 4.17, 3.82, 3.19, 2.71, 2.04, 1.52, 0.24, -0.92, -3.32, -5.00),
        (5.87, 5.26, 4.82, 3.87, 3.54, 2.85, 2.17, 0.74, -0.53, -3.24, -5.00),
    ),
)

_MARGIN: Final = 0.3  # maximum difference between the logarithms of the 97.5th and 95th percentiles, plus an allowance

CAMPS_LEVEL: Final = 0.0125  # significance level of each of the two tests for camps
POINTS: Final = (4, 5, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 2048)

# Computed by tools/critical_camps.py. Index of a single metric times the number of points, for each entry of POINTS.
_ALONE: Final = (8.85, 7.38, 6.67, 5.96, 5.46, 5.17, 4.78, 4.38, 3.08, 2.28, 2.04, 1.91, 1.88)
# Index of the best projection times the points per metric, by metrics (METRICS, from 2 on) and by points per metric.
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


def critical_index(points: int, rank: int, dimensions: int) -> float:
    """Return the index that the best projection of normally distributed points exceeds in only 2.5 % of cases.

    The table is interpolated in the logarithms of the numbers of metrics and of points per metric. Beyond the table's
    largest number of points per metric, the index is inversely proportional to this number; beyond the largest number
    of metrics, the index is constant.

    Args:
        points: The number of points.
        rank: The number of dimensions of the points.
        dimensions: The number of dimensions of the projection.
    """
    table = _LOGARITHMS[dimensions - 1]
    across = np.log(POINTS_A_METRIC)
    place = np.log(points / rank)
    column = [float(np.interp(place, across, row)) for row in table]
    found = float(np.interp(np.log(rank), np.log(METRICS[METRICS.index(dimensions) :]), column))
    return float(np.exp(found + _MARGIN - max(0.0, place - across[-1])))


def deviations(level: float) -> float:
    """Return Gumbel's extreme-value quantile at 1 - ``level``, in standard deviations above the mean."""
    return float(-np.sqrt(6) / np.pi * (np.euler_gamma + np.log(-np.log(1 - level))))


def critical_of_metrics(points: int, metrics: int, level: float = CAMPS_LEVEL) -> float:
    """Return the index of camps that any of several metrics without structure exceeds with probability ``level``.

    The share of variance within the best split is less than w with a probability proportional to w^(points / 2 - 1).
    Therefore, Bonferroni's correction for several tests raises the limit by ln(metrics) / (points - 2).

    Args:
        points: The number of points, at least four.
        metrics: The number of metrics.
        level: The significance level.
    """
    once = float(np.interp(np.log(points), np.log(POINTS), _ALONE))
    return once / points + float(np.log(metrics * CAMPS_LEVEL / level)) / (points - 2)


def critical_of_projection(points: int, rank: int) -> float:
    """Return the index of camps that the best projection of points without structure exceeds only by chance.

    Args:
        points: The number of points.
        rank: The number of dimensions of the points, at least two.
    """
    across = np.log(POINTS_A_METRIC)
    column = [float(np.interp(np.log(points / rank), across, row)) for row in _PROJECTED]
    return float(np.interp(np.log(rank), np.log(METRICS[1:]), column)) * rank / points
