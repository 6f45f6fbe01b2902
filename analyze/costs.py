"""What each region costs: mean times over the processes, and shares of the program's wall time."""

from __future__ import annotations

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
    share: float


def region_costs(experiment: Experiment, regions: tuple[CodeRegion, ...]) -> list[Cost]:
    """Give the cost of each code region, in their order."""
    program = program_times(experiment)
    whole = float(program.mean()) if len(program) else 0.0
    means = [_process_means(experiment, regions, name, len(program)) for name in (*_TIMES, *_VOLUMES)]
    visits = _visits(experiment, regions)
    costs = []
    for index in range(len(regions)):
        each = [None if values is None else float(values[index]) for values in means]
        wall, cpu, mpi, mpi_cpu, io, omp, omp_cpu, calls, mpi_bytes, io_bytes = each
        compute = None if cpu is None or mpi_cpu is None else cpu - mpi_cpu - (omp_cpu or 0.0)
        # A process that starts and ends takes its time, which is no part of the program's.
        share = min(1.0, wall / whole) if wall is not None and whole > 0 else 0.0
        costs.append(Cost(visits[index], wall, compute, mpi, mpi_cpu, io, omp, calls, mpi_bytes, io_bytes, share))
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


def _visits(experiment: Experiment, regions: tuple[CodeRegion, ...]) -> list[int | None]:
    if "visits" not in experiment:
        return [None] * len(regions)
    exclusive = np.nansum(experiment.exclusive("visits"), axis=1)
    return [int(exclusive[each.id]) for each in regions]
