"""What each region costs: mean times over the processes, and shares of the program's wall time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .code_regions import CodeRegion, inclusive_over
from .program_time import program_times
from .selection import complete

__all__ = ["Cost", "region_costs"]

_TIMES: Final = ("wall_time", "cpu_time", "mpi_time", "mpi_cpu_time", "io_time", "omp_time", "omp_cpu_time")
_VOLUMES: Final = ("mpi_calls", "mpi_bytes", "io_bytes")


@dataclass(frozen=True, slots=True)
class Cost:
    """Mean over the processes of what a region and all below it cost; None where it was not measured.

    Attributes:
        visits: How often it was entered, over all locations.
        wall_time: In seconds, as are the other times.
        compute_time: CPU time outside MPI and OpenMP's waiting.
        mpi_time: In MPI calls.
        mpi_cpu_time: On a processor there, polling included.
        io_time: In calls that read or write files.
        omp_time: In OpenMP, waiting for other threads.
        mpi_calls: Calls that communicate.
        mpi_bytes: Handed to and got from MPI.
        io_bytes: Read from and written to files.
        least: Of all processes the one that took least: compute time, or wall time where that was not measured.
        most: The one that took most.
        share: Wall time over the program's.
    """

    visits: int | None
    wall_time: float | None
    compute_time: float | None
    mpi_time: float | None
    mpi_cpu_time: float | None
    io_time: float | None
    omp_time: float | None
    mpi_calls: float | None
    mpi_bytes: float | None
    io_bytes: float | None
    least: float | None
    most: float | None
    share: float


def region_costs(experiment: Experiment, regions: tuple[CodeRegion, ...]) -> list[Cost]:
    """Give the cost of each code region, in their order."""
    program = program_times(experiment)
    whole = float(program.mean()) if len(program) else 0.0
    means = [_process_means(experiment, regions, name, len(program)) for name in (*_TIMES, *_VOLUMES)]
    visits = _visits(experiment, regions)
    least, most = _extremes(experiment, regions)
    costs = []
    for index in range(len(regions)):
        each = [None if values is None else float(values[index]) for values in means]
        wall, cpu, mpi, mpi_cpu, io, omp, omp_cpu, calls, mpi_bytes, io_bytes = each
        compute = None if cpu is None or mpi_cpu is None else cpu - mpi_cpu - (omp_cpu or 0.0)
        # A process that starts and ends takes its time, which is no part of the program's.
        share = min(1.0, wall / whole) if wall is not None and whole > 0 else 0.0
        extremes = least[index], most[index]
        costs.append(
            Cost(visits[index], wall, compute, mpi, mpi_cpu, io, omp, calls, mpi_bytes, io_bytes, *extremes, share)
        )
    return costs


def _process_means(
    experiment: Experiment, regions: tuple[CodeRegion, ...], metric: str, processes: int
) -> npt.NDArray[np.float64] | None:
    """Average over processes; a process's wall time is that of its first thread."""
    if not complete(experiment, metric):
        return None
    first = np.array([place.thread == 0 for place in experiment.locations])
    values = inclusive_over(experiment, regions, experiment.exclusive(metric))
    kept = values[:, first] if metric in ("wall_time", "mpi_time", "io_time", "omp_time") else values
    return np.asarray(kept.sum(axis=1) / processes)


def _extremes(
    experiment: Experiment, regions: tuple[CodeRegion, ...]
) -> tuple[Sequence[float | None], Sequence[float | None]]:
    """Give the least and the most that a process took in each region; None of what was not measured."""
    if complete(experiment, "cpu_time") and complete(experiment, "mpi_cpu_time"):
        exclusive = experiment.exclusive("cpu_time") - experiment.exclusive("mpi_cpu_time")
        if complete(experiment, "omp_cpu_time"):
            exclusive = exclusive - experiment.exclusive("omp_cpu_time")
        kept = np.arange(len(experiment.locations))
    elif complete(experiment, "wall_time"):
        exclusive = experiment.exclusive("wall_time")
        kept = np.flatnonzero([place.thread == 0 for place in experiment.locations])
    else:
        return [None] * len(regions), [None] * len(regions)
    values = inclusive_over(experiment, regions, exclusive)[:, kept]
    processes = np.array([place.process for place in experiment.locations])[kept]
    order = np.argsort(processes, kind="stable")
    starts = np.unique(processes[order], return_index=True)[1]
    by_process = np.add.reduceat(values[:, order], starts, axis=1)
    return by_process.min(axis=1).tolist(), by_process.max(axis=1).tolist()


def _visits(experiment: Experiment, regions: tuple[CodeRegion, ...]) -> list[int | None]:
    if "visits" not in experiment:
        return [None] * len(regions)
    exclusive = np.nansum(experiment.exclusive("visits"), axis=1)
    return [int(exclusive[each.id]) for each in regions]
