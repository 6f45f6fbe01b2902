"""Compute the tables in timelines/pursuit/chance.py: how clearly normal points can seem to form two groups by chance.

    python tools/critical_camps.py >tables

For each number of points, the first table contains the 98.75th percentile of the index of a single metric, multiplied
by the number of points. For each number of metrics and of points per metric, the second table contains the same
percentile for the best projection, multiplied by the number of points per metric. The computation takes a few minutes.
"""

from __future__ import annotations

import sys

import numpy as np
from critical_index import LARGEST, sphered_noise
from threadpoolctl import threadpool_limits

from autoanalyzer.timelines.pursuit.camps import parting, split
from autoanalyzer.timelines.pursuit.chance import CAMPS_LEVEL, METRICS, POINTS, POINTS_A_METRIC, deviations
from autoanalyzer.timelines.pursuit.index import LEAST_POINTS

VALUES, DRAWS, AT_ONCE = 40_000_000, 600, 2_000_000


def of_a_metric(points: int) -> float:
    """Return the 98.75th percentile of the index of a single metric, multiplied by the number of points."""
    drawn = np.random.default_rng(points)
    rounds = min(400_000 * points, VALUES) // AT_ONCE
    found = [split(drawn.standard_normal((AT_ONCE // points, points))).index for _ in range(max(1, rounds))]
    return float(np.quantile(np.concatenate(found), 1 - CAMPS_LEVEL)) * points


def of_a_projection(points: int, metrics: int) -> float:
    """Return the 98.75th percentile of the best projection's index, multiplied by the points per metric.

    The percentile is derived from the mean and deviation of some draws, assuming an extreme-value distribution.
    """
    draws = DRAWS if points * metrics <= LARGEST // 10 else DRAWS // 6
    drawn = np.random.default_rng([points, metrics])
    found = [parting(sphered_noise(drawn, points, metrics), seed=each).index for each in range(draws)]
    return float(np.mean(found) + deviations(CAMPS_LEVEL) * np.std(found)) * points / metrics


def main() -> None:
    """Print the tables. Cells with too many points to compute repeat the value in the row above."""
    with threadpool_limits(1):
        sys.stdout.write(f"({', '.join(f'{of_a_metric(points):.2f}' for points in POINTS)})\n")
        above = [0.0] * len(POINTS_A_METRIC)
        for metrics in METRICS[1:]:
            sizes = [max(each * metrics, LEAST_POINTS) for each in POINTS_A_METRIC]
            above = [
                of_a_projection(points, metrics) if points * metrics <= LARGEST else before
                for points, before in zip(sizes, above, strict=True)
            ]
            sys.stdout.write(f"    ({', '.join(f'{value:.2f}' for value in above)}),\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
