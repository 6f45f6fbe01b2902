"""Experiments made by hand, for the analyses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region

MakeExperiment = Callable[..., Experiment]


@pytest.fixture
def make_experiment() -> MakeExperiment:
    """Build an experiment from ``{"a": [1, 2], "a/b": [0, 1]}``: exclusive compute time by path and rank."""
    return _make


def _make(times: Mapping[str, Sequence[float]], *, threads: int = 1, own: float = 0.0) -> Experiment:
    columns = len(next(iter(times.values())))
    index = {"": 0}
    paths = [CallPath(Region("function", "main", "app.c", "main", 0, 1, 99))]
    rows = [[own] * columns]
    for path, values in times.items():
        parent, _, name = path.rpartition("/")
        index[path] = len(paths)
        kind = "mpi" if name.startswith("MPI_") else "loop" if name.startswith("loop@") else "function"
        paths.append(CallPath(Region(kind, name, "app.c", name, 0, len(paths), len(paths)), index[parent]))
        rows.append(list(values))
    cpu = np.array(rows, dtype=float)
    zero = np.zeros_like(cpu)
    return Experiment(
        metrics=[
            Metric("visits", "occ"),
            Metric("wall_time", "sec"),
            Metric("mpi_time", "sec", "wall_time"),
            Metric("cpu_time", "sec"),
            Metric("mpi_cpu_time", "sec", "cpu_time"),
        ],
        call_paths=paths,
        locations=[Location("cluster", "node", i // threads, i % threads) for i in range(columns)],
        severities={
            "visits": (cpu > 0).astype(float),
            "wall_time": cpu,
            "mpi_time": zero,
            "cpu_time": cpu,
            "mpi_cpu_time": zero,
        },
    )
