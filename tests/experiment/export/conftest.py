from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.experiment import Builder, Experiment, Region, load

DATA = Path(__file__).parents[2] / "data"
WORK = Region("function", "work;fast", "src/w.c", "work;fast", 0, 10, 19)


@pytest.fixture
def made() -> Experiment:
    """Return an experiment of two ranks: main calls work and MPI_Send; work calls MPI_Send; one value is missing."""
    builder = Builder()
    builder.metric("wall_time", "sec")
    builder.metric("mpi_bytes", "bytes")
    builder.metric("rate", "1", additive=False)
    main = builder.call_path(Region("program", "main", "src/m.c", "main", 0, 1, 99))
    work = builder.call_path(WORK, main)
    last = builder.call_path("MPI_Send", main)
    inner = builder.call_path("MPI_Send", work)
    for rank in range(2):
        builder.location(rank, node=f"n{rank}")
    builder.row("wall_time", main, [0.25, 0.5])
    builder.row("wall_time", work, [1.0, float("nan")])
    builder.row("wall_time", inner, [2e-9, 4.0])
    builder.row("wall_time", last, [0.0, 1e-10])
    builder.row("mpi_bytes", inner, [3.0, 1e15])
    builder.row("rate", work, [0.5, 0.25])
    return builder.experiment()


@pytest.fixture
def threaded() -> Experiment:
    """Return an experiment of one process with two threads."""
    builder = Builder()
    builder.metric("time", "sec")
    builder.call_path("main")
    for thread in range(2):
        builder.location(0, thread)
    builder.row("time", 0, [1.0, 2.0])
    return builder.experiment()


@pytest.fixture(scope="session")
def real() -> Experiment:
    """Return the experiment of a real run with four ranks."""
    return load(DATA / "rays.cube.gz")
