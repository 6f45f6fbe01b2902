"""The cost of each region, as means over the processes, and the program's time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import MPI_WAIT
from .arrays import Flags, Values
from .code_regions import CodeRegion, inclusive_over, startup_paths
from .compute_time import Computing
from .criteria import CRITERIA, THRESHOLD
from .location_blocks import over_locations
from .selection import complete
from .summary import summary

__all__ = ["MOSTLY", "Cost", "are_small", "is_mostly", "program_times", "region_costs", "times_outside"]

_KNOWN: Final[WeakKeyDictionary[Experiment, tuple[Values, Values]]] = WeakKeyDictionary()
MOSTLY: Final = 0.5  # a part with a larger share of a time, or of a set of ranks, is most of it

# Metrics for which only the first thread of each process counts.
_OF_FIRST: Final = ("wall_time", "mpi_time", MPI_WAIT.name, "io_time", "omp_time")
_TIMES: Final = (*_OF_FIRST, "cpu_time", "mpi_cpu_time", "omp_cpu_time")
_VOLUMES: Final = ("mpi_calls", "mpi_bytes", "io_calls", "io_bytes")


def is_mostly(time: float | None, whole: float | None) -> bool:
    """Return whether ``time`` is more than half of ``whole``; false if one of them is unknown."""
    return time is not None and whole is not None and time > MOSTLY * whole


def are_small(calls: Values, volume: Values) -> Flags:
    """Return, elementwise, whether calls take longer than the transfer of their bytes on a slow network or disk."""
    return np.asarray(CRITERIA.byte * volume <= CRITERIA.call * calls)


def program_times(experiment: Experiment) -> Values:
    """Return W_program of each process in seconds: from the return of MPI_Init to the call of MPI_Finalize.

    If this time was not measured, or a process did not finish or also worked outside these calls, W_program is the time
    of the whole run except the two calls. The result is ``float64[process]``.
    """
    measured, whole = _program_and_run(experiment)
    return np.where((measured > 0) & ~_worked_outside(measured, whole), measured, whole)


def times_outside(experiment: Experiment) -> Values:
    """Return the part of W_program before MPI_Init and after MPI_Finalize, in seconds: ``float64[process]``."""
    measured, whole = _program_and_run(experiment)
    return np.where((measured > 0) & _worked_outside(measured, whole), whole - measured, 0.0)


def _program_and_run(experiment: Experiment) -> tuple[Values, Values]:
    """Return each process's time between MPI_Init and MPI_Finalize (0 if unknown), and its time in the whole run."""
    if experiment not in _KNOWN:
        measured, whole = zip(*over_locations(experiment, _of_block), strict=True)
        _KNOWN[experiment] = np.concatenate(measured), np.concatenate(whole)
    return _KNOWN[experiment]


def _of_block(experiment: Experiment, _: slice) -> tuple[Values, Values]:
    whole = np.zeros(len(experiment.locations))
    if "wall_time" in experiment:
        values = experiment.exclusive("wall_time")
        hidden = list(startup_paths(experiment))
        if hidden:
            values = values.copy()
            values[hidden] = 0.0
        whole = values.sum(axis=0)
    measured = np.zeros_like(whole)
    if "program_time" in experiment:
        measured = experiment.exclusive("program_time").sum(axis=0)
    first: dict[int, int] = {}
    for column, place in enumerate(experiment.locations):
        first.setdefault(place.process, column)
    columns = list(first.values())
    return np.asarray(measured[columns]), np.asarray(whole[columns])


def _worked_outside(measured: Values, whole: Values) -> Flags:
    """Return whether each process did more before MPI_Init and after MPI_Finalize than start up and shut down."""
    return np.asarray(whole - measured > THRESHOLD * measured)


@dataclass(frozen=True, slots=True)
class Cost:
    """A region's inclusive cost, mean over the processes; None if not measured.

    Attributes:
        visits: Number of entries, over all locations.
        wall_time: Wall time in seconds; all other times are in seconds, too.
        compute_time: CPU time outside MPI and waiting in OpenMP.
        mpi_time: Time in MPI calls.
        mpi_wait_time: Waiting for late ranks in MPI; only measured in runs with barriers before collectives.
        mpi_cpu_time: CPU time in MPI, including polling.
        io_time: Time in calls that read or write files.
        omp_time: Waiting for other threads in OpenMP.
        mpi_calls: Number of calls that communicate.
        mpi_bytes: Bytes sent and received by MPI.
        io_calls: Number of calls that read or write files.
        io_bytes: Bytes read from and written to files.
        least: Shortest compute time of any process, or wall time if compute time was not measured.
        most: Longest compute time of any process, or wall time.
        share: Wall time as a share of the program's time.
    """

    visits: int | None
    wall_time: float | None
    compute_time: float | None
    mpi_time: float | None
    mpi_wait_time: float | None
    mpi_cpu_time: float | None
    io_time: float | None
    omp_time: float | None
    mpi_calls: float | None
    mpi_bytes: float | None
    io_calls: float | None
    io_bytes: float | None
    least: float | None
    most: float | None
    share: float


def region_costs(experiment: Experiment, regions: tuple[CodeRegion, ...]) -> list[Cost]:
    """Return the cost of each code region, in the order of ``regions``."""
    program = program_times(experiment)
    whole = float(program.mean()) if len(program) else 0.0
    means = [_process_means(experiment, regions, name, len(program)) for name in (*_TIMES, *_VOLUMES)]
    visits = _visits(experiment, regions)
    least, most = _extremes(experiment, regions)
    costs = []
    for index in range(len(regions)):
        each = [None if values is None else float(values[index]) for values in means]
        wall, mpi, wait, io, omp, cpu, mpi_cpu, omp_cpu, calls, mpi_bytes, reads, io_bytes = each
        volumes = calls, mpi_bytes, reads, io_bytes
        compute = None if cpu is None or mpi_cpu is None else cpu - mpi_cpu - (omp_cpu or 0.0)
        # Starting and ending a process takes time that is not part of the program's time, so the share may exceed 1.
        share = min(1.0, wall / whole) if wall is not None and whole > 0 else 0.0
        extremes = least[index], most[index]
        costs.append(Cost(visits[index], wall, compute, mpi, wait, mpi_cpu, io, omp, *volumes, *extremes, share))
    return costs


def _process_means(
    experiment: Experiment, regions: tuple[CodeRegion, ...], metric: str, processes: int
) -> Values | None:
    """Return a metric's mean over the processes: ``float64[region]``; None if the metric is unknown.

    Wall times are those of first threads.
    """
    if not complete(experiment, metric):
        return None
    found = summary(experiment, metric)
    sums = found.first if metric in _OF_FIRST else found.sums
    return np.asarray(inclusive_over(experiment, regions, sums[:, None])[:, 0] / processes)


def _extremes(
    experiment: Experiment, regions: tuple[CodeRegion, ...]
) -> tuple[Sequence[float | None], Sequence[float | None]]:
    """Return the shortest and longest time of any process in each region; None if not measured."""
    unknown = [None] * len(regions)
    computing = Computing.of(experiment) if Computing.is_measured(experiment) else None
    if not computing and not complete(experiment, "wall_time"):
        return unknown, unknown
    blocks = zip(*over_locations(experiment, _extremes_of_block, regions, computing), strict=True)
    least, most = (np.array(found) for found in blocks)
    if np.isinf(least).all():
        return unknown, unknown
    return least.min(axis=0).tolist(), most.max(axis=0).tolist()


def _extremes_of_block(
    part: Experiment, _: slice, regions: tuple[CodeRegion, ...], computing: Computing | None
) -> tuple[Values, Values]:
    """Return the shortest and the longest time of a block's processes: ``float64[region]`` each, in seconds.

    For wall times of a block without first threads, they are infinity and minus infinity.
    """
    exclusive = computing.values(part) if computing else part.exclusive("wall_time")
    # Other threads run at the same time, so only the first thread's wall time counts.
    kept = np.flatnonzero([bool(computing) or not place.thread for place in part.locations])
    if not len(kept):
        return np.full(len(regions), np.inf), np.full(len(regions), -np.inf)
    processes = np.array([place.process for place in part.locations])[kept]
    order = np.argsort(processes, kind="stable")
    starts = np.unique(processes[order], return_index=True)[1]
    values = inclusive_over(part, regions, exclusive)
    if len(starts) < values.shape[1]:
        values = np.add.reduceat(values[:, kept[order]], starts, axis=1)
    return values.min(axis=1), values.max(axis=1)


def _visits(experiment: Experiment, regions: tuple[CodeRegion, ...]) -> list[int | None]:
    if "visits" not in experiment:
        return [None] * len(regions)
    sums = summary(experiment, "visits").sums
    return [None if np.isnan(sums[each.id]) else int(sums[each.id]) for each in regions]  # unknown for sampled regions
