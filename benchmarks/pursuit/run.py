"""Time projection pursuit on the points of one window against scikit-learn's FastICA on the same points.

    python benchmarks/pursuit/run.py [--repeat 5]

Both run on one core, and CPU time is measured. FastICA (Hyvärinen and Oja) also searches for directions in which points
are not normally distributed, but from one start and without a ranking, so it shows how long one search takes in a
well-maintained library.
"""

from __future__ import annotations

import argparse
import time
import timeit
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.decomposition import FastICA
from threadpoolctl import threadpool_limits

from autoanalyzer.multivariate.metric_space import MetricSpace, Point
from autoanalyzer.timelines.pursuit import pursue
from autoanalyzer.timelines.pursuit.ranking import best_view
from autoanalyzer.timelines.pursuit.search import search

SIZES = ((64, 12), (256, 20), (1024, 30), (4096, 50))


def space(points: int, metrics: int, kind: str) -> MetricSpace:
    """Return normally distributed points; if ``kind`` is ``outliers``, three are outliers in one metric."""
    values = 100 + np.random.default_rng(7).standard_normal((points, metrics))
    if kind == "outliers":
        values[[3, 17, 40], metrics // 2] += 8
    columns = {f"m{each}": values[:, each] for each in range(metrics)}
    return MetricSpace.of_columns(columns, [Point(rank) for rank in range(points)])


def timed(call: Callable[[], object], repeat: int) -> float:
    """Return the CPU time of the fastest of ``repeat`` calls, in seconds."""
    return min(timeit.repeat(call, timer=time.process_time, number=1, repeat=repeat))


def main() -> None:
    """Print a line per size and kind of points."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    warnings.simplefilter("ignore")  # FastICA warns that it finds no independent components in noise
    print(f"{'points':>6} {'metrics':>7}  {'kind':<8} {'ranking':>9} {'best view':>9} {'FastICA':>9}  {'ratio':>6}")
    for points, metrics in SIZES:
        for kind in ("noise", "outliers"):
            made = space(points, metrics, kind)
            scaled = made.scaled()
            ranked = timed(lambda made=made: pursue(made), repeat)
            with threadpool_limits(1):
                view = timed(lambda scaled=scaled: best_view(scaled, lambda values: search(values, 3)), repeat)
                model = FastICA(3, whiten="unit-variance", fun="cube", max_iter=200, random_state=0)
                ica = timed(lambda model=model, scaled=scaled: model.fit(scaled), repeat)
            print(f"{points:>6} {metrics:>7}  {kind:<8} {ranked:>8.3f}s {view:>8.3f}s {ica:>8.3f}s  {view / ica:>6.1f}")


if __name__ == "__main__":
    main()
