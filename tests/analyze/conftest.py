"""A fixture that makes small experiments for the tests of the analyses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region

MakeExperiment = Callable[..., Experiment]


@pytest.fixture
def make_experiment() -> MakeExperiment:
    """Return a function that builds an experiment from ``{"a": [1, 2], "a/b": [0, 1]}``.

    These are exclusive CPU times in seconds, by call path below ``main`` and rank; ``own`` is the time of ``main``. If
    ``threads`` is more than 1, this many columns belong to the threads of one rank. Other metrics are passed by name in
    the same way: ``instructions={"a": [1e9, 2e9]}``. Values of ``mpi_time``, ``io_time`` and ``off``, which is no
    metric, are added to the wall time.
    """
    return _make


# Metric → its parent, if the experiment has that.
_PARENTS = {"mpi_time": "wall_time", "io_time": "wall_time", "l1_misses": "l1_accesses", "l2_misses": "l2_accesses"}
_UNITS = {
    "mpi_cpu_time": "sec",
    "mpi_time": "sec",
    "mpi_wait_time": "sec",
    "mpi_barrier_time": "sec",
    "mpi_collective_time": "sec",
    "mpi_request_time": "sec",
    "system_time": "sec",
    "peak_memory": "bytes",
    "io_time": "sec",
    "mpi_bytes": "bytes",
    "io_bytes": "bytes",
    "program_time": "sec",
    "path_time": "sec",
    "delay_time": "sec",
    "wait_time": "sec",
    "omp_cpu_time": "sec",
}

Values = Mapping[str, Sequence[float]]


def _make(
    times: Values, *, threads: int = 1, own: float = 0.0, off: Values | None = None, **others: Values
) -> Experiment:
    columns = len(next(iter(times.values())))
    index = {"": 0}
    paths = [CallPath(Region("function", "main", "app.c", "main", 0, 1, 99))]
    for path in times:
        parent, _, name = path.rpartition("/")
        index[path] = len(paths)
        kind = "mpi" if name.startswith("MPI_") else "loop" if name.startswith("loop@") else "function"
        paths.append(CallPath(Region(kind, name, "app.c", name, 0, len(paths), len(paths)), index[parent]))

    def severity(values: Values) -> np.ndarray:
        rows = np.zeros((len(paths), columns))
        for path, row in values.items():
            rows[index[path]] = row
        return rows

    cpu = severity({"": [own] * columns, **times})
    found = {name: severity(values) for name, values in others.items()}
    wall = cpu + sum((found[name] for name in ("mpi_time", "io_time") if name in found), severity(off or {}))
    severities = {
        "visits": (wall > 0).astype(float),
        "wall_time": wall,
        "mpi_time": np.zeros_like(cpu),
        "cpu_time": cpu,
        "mpi_cpu_time": np.zeros_like(cpu),
        **found,
    }
    metrics = [
        Metric("visits", "occ"),
        Metric("wall_time", "sec"),
        Metric("mpi_time", "sec", "wall_time"),
        Metric("cpu_time", "sec"),
        Metric("mpi_cpu_time", "sec", "cpu_time"),
    ]
    for name in sorted(found.keys() - {"visits", "mpi_time", "mpi_cpu_time"}):
        parent = _PARENTS.get(name)
        source = "simulated:rtcount L1=32K/8/64 L2=1M/8/64" if _UNITS.get(name, "occ") == "occ" else "measured"
        metrics.append(Metric(name, _UNITS.get(name, "occ"), parent if parent in found else None, "", source))
    return Experiment(
        metrics=metrics,
        call_paths=paths,
        locations=[Location("cluster", "node", i // threads, i % threads) for i in range(columns)],
        severities=severities,
    )
