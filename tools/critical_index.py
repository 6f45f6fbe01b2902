"""Compute the table in analyze/pursuit/chance.py: the largest index that the search finds where there is nothing.

    python tools/critical_index.py >table

For each number of dimensions, of metrics, and of points a metric: the 95th percentile of the index of normal points, in
logarithms, to two digits after the point. Takes half an hour.
"""

from __future__ import annotations

import sys

import numpy as np
from threadpoolctl import threadpool_limits

from autoanalyzer.analyze.metric_space import Values
from autoanalyzer.analyze.pursuit.chance import METRICS, POINTS_A_METRIC
from autoanalyzer.analyze.pursuit.index import LEAST_POINTS
from autoanalyzer.analyze.pursuit.search import search

DRAWS, LARGEST = 60, 40_000


def sphered_noise(drawn: np.random.Generator, points: int, metrics: int) -> Values:
    """Draw normal points, and sphere them."""
    data = drawn.standard_normal((points, metrics))
    left, _, _ = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    return np.asarray(left * np.sqrt(points - 1))


def critical(points: int, metrics: int, dimensions: int) -> float:
    """Give the logarithm of the 95th percentile, of a normal distribution fitted to logarithms where draws are dear."""
    draws = DRAWS * 20 if metrics <= dimensions else DRAWS
    drawn = np.random.default_rng([points, metrics, dimensions])
    found = np.log(
        [search(sphered_noise(drawn, points, metrics), dimensions, seed=each).index for each in range(draws)]
    )
    if metrics <= dimensions:
        return float(np.quantile(found, 0.95))
    return float(found.mean() + 1.645 * found.std())


def main() -> None:
    """Print a row a number of metrics; where there are very many points, that of fewer metrics holds."""
    with threadpool_limits(1):
        for dimensions in (3, 2, 1):
            sys.stdout.write(f"    (  # {dimensions}\n")
            row = [0.0] * len(POINTS_A_METRIC)
            for metrics in METRICS[METRICS.index(dimensions) :]:
                for place, each in enumerate(POINTS_A_METRIC):
                    points = max(each * metrics, LEAST_POINTS)
                    if points * metrics <= LARGEST:
                        row[place] = critical(points, metrics, dimensions)
                sys.stdout.write(f"        ({', '.join(f'{value:.2f}' for value in row)}),\n")
                sys.stdout.flush()
            sys.stdout.write("    ),\n")


if __name__ == "__main__":
    main()
