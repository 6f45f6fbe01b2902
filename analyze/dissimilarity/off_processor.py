"""Ranks that compute alike, and hold others up while they are on no processor: asleep, or waiting for a device."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ..compute_time import compute_time, shared_out_by_bytes
from ..selection import Selection, complete
from ..threads import Threads
from .dissimilarity import Dissimilarity, find_dissimilarity
from .performance import Performance

__all__ = ["METRIC", "differing_time_off"]

METRIC: Final = "off_processor_time"

_APART: Final = 0.05  # of the program's time that the difference must take
_LEAST: Final = 0.05  # seconds, or that
_PREEMPTED: Final = (
    1.0,
    3.0,
)  # times what a rank computes, and times that and what computing is stretched by elsewhere
_WAITED: Final = 0.5  # of the difference, that the others must spend in MPI meanwhile

Values = npt.NDArray[np.float64]


def differing_time_off(
    selection: Selection, program_time: float, threads: Threads | None = None
) -> tuple[Performance, Dissimilarity] | None:
    """Compare the ranks by the wall time for which they are on no processor outside MPI and OpenMP.

    While a rank sleeps, waits for a child process, or for a device, it computes nothing, and the others wait in MPI. It
    is the time of each process's first thread; that in I/O calls is shared out by bytes, as is compute time. What
    computes is off the processor, too, while something else is on it, by as much again as it computes if that is
    one other process. So this much is taken off, and thrice what the half of the rank's computing, and of all
    ranks', is stretched by at most.

    Args:
        selection: The ranks and regions.
        program_time: Mean W_program in seconds.
        threads: How threads share the call paths, where there are any.

    Returns:
        The times, as measured and as compared, and what parts the ranks by them. None if nothing does, or too little;
        if nobody waits for it in MPI; if a first thread leaves its process's work to others, and waits for them.
    """
    experiment = selection.experiment
    if not all(complete(experiment, each) for each in ("wall_time", "mpi_time", "cpu_time", "mpi_cpu_time")):
        return None
    if threads and any(threads.first[part.working[0]] in part.others for part in threads.parts):
        return None
    first = np.array([place.thread == 0 for place in experiment.locations])
    computed = np.where(first, np.maximum(compute_time(experiment), 0.0), 0.0)
    off = np.where(first, _time_off(selection), 0.0)
    stretch = np.maximum(
        _half(off, computed), [_half(off[:, [rank]], computed[:, [rank]]) for rank in range(len(first))]
    )
    times, as_stretched = _PREEMPTED
    least = np.maximum(off - (times + as_stretched * stretch) * computed, 0.0)
    performance = replace(
        Performance.selected(selection, metric="wall_time"),
        metric=METRIC,
        values=selection.by_rank(least),
        measured=selection.by_rank(off),
    )
    found = find_dissimilarity(performance, floor=max(_APART * program_time, _LEAST))
    in_mpi = selection.by_rank(experiment.exclusive("mpi_time"))[list(selection.top)].sum(axis=0)
    return (performance, found) if any(_is_waited_for(performance, core, in_mpi) for core in found.cccr) else None


def _time_off(selection: Selection) -> Values:
    """Give the wall time on no processor, outside MPI and OpenMP; ``float64[call path, location]``."""
    experiment = selection.experiment
    wall = experiment.exclusive("wall_time") - experiment.exclusive("mpi_time")
    if complete(experiment, "omp_time"):
        wall = wall - experiment.exclusive("omp_time")
    off = wall - compute_time(experiment)
    if all(complete(experiment, each) for each in ("io_time", "io_cpu_time", "io_bytes")):
        in_io = experiment.exclusive("io_time") - experiment.exclusive("io_cpu_time")
        off = off + shared_out_by_bytes(in_io, experiment.exclusive("io_bytes")) - in_io
    return np.asarray(np.maximum(off, 0.0))


def _half(off: Values, computed: Values) -> float:
    """Give what half of the computing was stretched by at most, as a multiple of what it took on a processor."""
    there = computed > 0
    stretch, weight = off[there] / computed[there], computed[there]
    order = np.argsort(stretch)
    reached = np.cumsum(weight[order])
    return float(stretch[order][np.searchsorted(reached, reached[-1] / 2)]) if len(reached) else 0.0


def _is_waited_for(performance: Performance, core: int, in_mpi: Values) -> bool:
    """Whether, among the ranks of some program, one is off the processor while another waits in MPI."""
    for columns in performance.groups:
        times = performance.values[core][columns]
        if in_mpi[columns][int(times.argmin())] >= _WAITED * np.ptp(times) > 0:
            return True
    return False
