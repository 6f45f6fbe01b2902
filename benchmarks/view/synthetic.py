"""Synthetic runs of any size: nested regions, a quarter of the ranks with 30 % more work, and up to 14 metrics."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region
from autoanalyzer.experiment.severities import LazySeverities

METRICS = (
    Metric("wall_time", "sec"),
    Metric("mpi_time", "sec", "wall_time"),
    Metric("io_time", "sec", "wall_time"),
    Metric("cpu_time", "sec"),
    Metric("mpi_cpu_time", "sec", "cpu_time"),
    Metric("visits", "occ"),
    Metric("instructions", "occ"),
    Metric("l1_accesses", "occ"),
    Metric("l1_misses", "occ", "l1_accesses"),
    Metric("l2_accesses", "occ"),
    Metric("l2_misses", "occ", "l2_accesses"),
    Metric("mpi_calls", "occ"),
    Metric("mpi_bytes", "bytes"),
    Metric("io_bytes", "bytes"),
)
_SIZES = {"sec": 0.05, "occ": 1e6, "bytes": 1e5}
_DEEP = 12  # maximum distance in the list of call paths between a call path and its parent
_SPREAD = 0.02
_NODE = 64  # ranks per node


def synthetic(paths: int, ranks: int, metrics: int = len(METRICS), seed: int = 1) -> Experiment:
    """Return a run whose random values are computed row by row, on demand.

    Args:
        paths: The number of call paths.
        ranks: The number of ranks.
        metrics: How many of ``METRICS`` the run has.
        seed: The seed of the random values; the same seed returns the same run.
    """
    random = np.random.default_rng(seed)
    parents = [None, *(int(random.integers(max(0, path - _DEEP), path)) for path in range(1, paths))]
    kinds = ("function", "function", "loop")
    call_paths = [
        CallPath(
            Region(kinds[path % 3], f"region_{path}", f"src/{path % 9}.c", f"f{path}", 0, 10 * path + 1, 10 * path + 9),
            parent,
        )
        for path, parent in enumerate(parents)
    ]
    weights = random.lognormal(0, 1.5, paths)
    work = np.where(np.arange(ranks) >= ranks * 3 // 4, 1.3, 1.0)
    chosen = METRICS[:metrics]

    def rows(name: str, wanted: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        place = [each.name for each in chosen].index(name)
        size = _SIZES[chosen[place].unit] * (0.2 if chosen[place].parent else 1.0)
        values = np.empty((len(wanted), ranks))
        for row, path in enumerate(wanted.tolist()):
            drawn = np.random.default_rng([seed, place, path]).standard_normal(ranks, dtype=np.float32)
            np.multiply(work, weights[path] * size * (1 + _SPREAD * drawn), out=values[row])
        return values

    def read(name: str) -> npt.NDArray[np.float64]:
        return rows(name, np.arange(paths))

    return Experiment(
        metrics=chosen,
        call_paths=call_paths,
        locations=[Location("machine", f"node{rank // _NODE}", rank) for rank in range(ranks)],
        severities=LazySeverities([each.name for each in chosen], read, rows=rows),
    )
