"""Compute the table in timelines/pursuit/chance.py: the largest index that the search finds in pure noise.

    python tools/critical_index.py [DIMENSIONS …] >table

For each number of dimensions, of metrics, and of points per metric, the table contains the 95th percentile of the
logarithm of the index of normal points, or the 97.5th percentile if there is only one projection. The module adds a
margin. The computation takes an hour.
"""

from __future__ import annotations

import sys

import numpy as np
from threadpoolctl import threadpool_limits

from autoanalyzer.analyze.run.arrays import Values
from autoanalyzer.timelines.pursuit.chance import LEVEL, METRICS, POINTS_A_METRIC
from autoanalyzer.timelines.pursuit.index import LEAST_POINTS
from autoanalyzer.timelines.pursuit.search import search

DRAWS, LARGEST = 150, 40_000


def sphered_noise(drawn: np.random.Generator, points: int, metrics: int) -> Values:
    """Return random normal points with uncorrelated metrics of unit variance, shape (points, metrics)."""
    data = drawn.standard_normal((points, metrics))
    left, _, _ = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    return np.asarray(left * np.sqrt(points - 1))


def critical(points: int, metrics: int, dimensions: int) -> float:
    """Return the 95th percentile of the logarithm of the index that the search finds in noise.

    If there are no more metrics than dimensions, there is only one projection, and the 97.5th percentile is returned.
    Otherwise, draws are expensive, and the percentile is derived from the mean and deviation of fewer draws.

    Args:
        points: The number of points.
        metrics: The number of metrics.
        dimensions: The number of dimensions of the projection.
    """
    draws = 20 * DRAWS if metrics <= dimensions else DRAWS if points * metrics <= LARGEST // 10 else DRAWS // 3
    drawn = np.random.default_rng([points, metrics, dimensions])
    found = np.log(
        [search(sphered_noise(drawn, points, metrics), dimensions, seed=each).index for each in range(draws)]
    )
    if metrics <= dimensions:
        return float(np.quantile(found, 1 - LEVEL))
    return float(found.mean() + 1.645 * found.std())


def main() -> None:
    """Print a row per number of metrics. Cells with too many points to compute are extrapolated from two rows above."""
    across = np.log(METRICS)
    with threadpool_limits(1):
        for dimensions in [int(word) for word in sys.argv[1:]] or (1, 2, 3):
            sys.stdout.write(f"    (  # {dimensions}\n")
            rows: list[list[float]] = []
            for number, metrics in enumerate(METRICS[METRICS.index(dimensions) :], start=METRICS.index(dimensions)):
                row = []
                for place, each in enumerate(POINTS_A_METRIC):
                    points = max(each * metrics, LEAST_POINTS)
                    if points * metrics <= LARGEST:
                        row.append(critical(points, metrics, dimensions))
                        continue
                    one, other = rows[-2][place], rows[-1][place]
                    slope = (other - one) / (across[number - 1] - across[number - 2])
                    row.append(other + max(0.0, slope) * (across[number] - across[number - 1]))
                rows.append(row)
                sys.stdout.write(f"        ({', '.join(f'{value:.2f}' for value in row)}),\n")
                sys.stdout.flush()
            sys.stdout.write("    ),\n")


if __name__ == "__main__":
    main()
