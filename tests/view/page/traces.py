"""Synthetic traces with known time lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region
from autoanalyzer.experiment.trace import TimeLine, Trace, save_trace

MAIN = Region("function", "main", "a.c", "main", 0, 1, 20)
LOOP = Region("loop", "loop@3", "a.c", "main", 0, 3, 5)
SEND = Region("mpi", "MPI_Send", "", "", 0, 0, 0)
PATHS = [CallPath(MAIN), CallPath(LOOP, 0), CallPath(SEND, 0)]
METRICS = [
    Metric("visits", "occ"),
    Metric("wall_time", "sec"),
    Metric("mpi_time", "sec", "wall_time", "Time in MPI calls"),
    Metric("mpi_bytes", "bytes"),
    Metric("io_bytes", "bytes"),
    Metric("resident_memory", "bytes", additive=False),
]
SECONDS = 10  # length of the trace; each second has ten samples


def time_line(rank: int, samples: int = 100) -> TimeLine:
    """Return a rank's line: 4 s in the loop, 2 s in MPI, 4 s in the loop; each rank sends twice the last one's data."""
    end = np.linspace(0, SECONDS, samples + 1)
    step = SECONDS / samples
    waits = (end[:-1] >= 3.99) & (end[:-1] < 5.99)
    values = np.zeros((samples, len(METRICS)))
    values[:, 0] = 2
    values[:, 1] = step
    values[:, 2] = waits * step
    values[:, 3] = waits * step * 1e6 * 2**rank
    values[:, 5] = 1e8 if rank == 0 else np.nan
    return TimeLine(
        begin=end[:-1],
        end=end[1:],
        values=values,
        first=np.arange(samples + 1),
        paths=np.where(waits, 2, 1),
        visits=np.ones(samples, dtype=np.int64),
        seconds=np.full(samples, step),
        computing=np.where(waits, 0.0, step),
    )


def a_trace(ranks: int = 4, samples: int = 100) -> Trace:
    places = [Location("m", "n", rank) for rank in range(ranks)]
    return Trace(METRICS, PATHS, places, [samples] * ranks, lambda rank: time_line(rank, samples), {"interval": 0.1})


def saved(folder: Path, trace: Trace | None = None, name: str = "trace.npz") -> Path:
    """Write a trace to a file; return the file."""
    save_trace(trace or a_trace(), folder / name)
    return folder / name


def profile(ranks: int = 4) -> Experiment:
    """Return the profile of the run whose trace ``a_trace`` returns."""
    lines = [time_line(rank) for rank in range(ranks)]

    def of_path(path: int, rank: int, metric: int) -> float:
        return float(np.nan_to_num(lines[rank].values[lines[rank].paths == path, metric]).sum())

    return Experiment(
        metrics=METRICS[:4],
        call_paths=PATHS,
        locations=[Location("m", "n", rank) for rank in range(ranks)],
        severities={
            metric.name: np.array([[of_path(path, rank, number) for rank in range(ranks)] for path in range(3)])
            for number, metric in enumerate(METRICS[:4])
        },
    )
