"""Time the search for dissimilarity against the number of ranks.

    python benchmarks/analysis/run.py [--ranks 1000000]

Each line also contains the time to add up the same values, measured in the same run.
"""

from __future__ import annotations

import argparse
import timeit
from collections.abc import Callable

import numpy as np

from autoanalyzer.analyze.dissimilarity.dissimilarity import find_dissimilarity
from autoanalyzer.analyze.dissimilarity.rank_vectors import RankVectors
from autoanalyzer.analyze.run.code_regions import CodeRegion
from autoanalyzer.experiment import CallPath, Experiment, Location, Region

TOP, BELOW = 14, 2  # regions of depth 1, and children of each, as in the program ST in Liu et al. 2011


def made_vectors(ranks: int, kind: str) -> RankVectors:
    """Return the busy time of each rank by region; ranks are balanced, in four groups, or all different.

    Args:
        ranks: The number of ranks.
        kind: ``balanced``, ``four groups`` or ``spread``.
    """
    rng = np.random.default_rng(7)
    regions: list[CodeRegion] = []
    rows: list[np.ndarray] = []
    factor = {
        "balanced": np.ones(ranks),
        "four groups": 1.0 + np.arange(ranks) % 4,
        "spread": rng.lognormal(0.0, 1.0, ranks),
    }[kind]
    for top in range(TOP):
        children = tuple(len(regions) + 1 + child for child in range(BELOW))
        scale = factor if top == 3 else np.ones(ranks)
        first = len(rows)
        below = [scale * rng.normal(0.5, 0.005, ranks) for _ in range(BELOW)]
        regions.append(CodeRegion(first, own_code=False, depth=1, children=children))
        rows.append(sum(below, np.zeros(ranks)))
        for values in below:
            regions.append(CodeRegion(len(rows), own_code=False, depth=2))
            rows.append(values)
    shell = Experiment(
        metrics=[], call_paths=[CallPath(Region("function", "main"))], locations=[Location("m", "n", 0)], severities={}
    )
    values = np.array(rows)
    return RankVectors(shell, "compute_time", tuple(regions), tuple(range(ranks)), values, values)


def timed(call: Callable[[], object]) -> float:
    """Return the seconds of the fastest of three calls."""
    return min(timeit.repeat(call, number=1, repeat=3))


def main() -> None:
    """Print a line per number of ranks and kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=1_000_000)
    limit = parser.parse_args().ranks
    print(f"{'ranks':>9}  {'kind':<12} {'clusters':>8}  {'search':>9}  {'one pass':>9}  {'ratio':>7}")
    ranks = 1000
    while ranks <= limit:
        for kind in ("balanced", "four groups", "spread"):
            vectors = made_vectors(ranks, kind)
            found = find_dissimilarity(vectors, floor=0.01)
            search = timed(lambda v=vectors: find_dissimilarity(v, floor=0.01))
            once = timed(lambda v=vectors: v.values.sum(axis=1))
            count = len(found.clusters)
            print(f"{ranks:>9}  {kind:<12} {count:>8}  {search:>8.3f}s  {once:>8.4f}s  {search / once:>7.0f}")
        ranks *= 10


if __name__ == "__main__":
    main()
