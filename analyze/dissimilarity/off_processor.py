"""Find ranks that compute for equal times but delay others while off the processor: asleep, or waiting for a device."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...experiment import Experiment
from ..run.arrays import Values
from ..run.criteria import CRITERIA
from ..run.location_blocks import over_locations
from ..run.oversubscription import of_first_threads, others_turns, run_delays
from ..run.selection import Selection, complete, over_ranks
from ..run.summary import summary
from ..run.threads import Threads
from .dissimilarity import Dissimilarity, find_dissimilarity
from .rank_vectors import RankVectors, by_program

__all__ = ["METRIC", "differing_time_off"]

METRIC: Final = "off_processor_time"

_CALLS: Final = (
    *("io_time", "io_cpu_time", "omp_time", "omp_cpu_time"),
    *("mpi_time", "mpi_start_end_time", "mpi_cpu_time"),
)


def differing_time_off(
    selection: Selection, program_time: float, threads: Threads | None = None
) -> tuple[RankVectors, Dissimilarity] | None:
    """Compare the ranks by wall time spent off the processor and not ready to run, outside MPI and OpenMP.

    While a rank sleeps, or waits for a child process or a device, it computes nothing, and the other ranks wait in MPI.
    The time is measured in each process's first thread, without the time that the kernel reports as ready to run. Time
    in I/O calls is divided among ranks in proportion to bytes, as in compute time.

    Args:
        selection: The ranks and regions.
        program_time: Mean W_program in seconds.
        threads: How threads share the call paths, if processes have several threads.

    Returns:
        The times, as measured and as compared, and the differences. None in these cases: times were not measured; ranks
        do not differ materially; no rank waits in MPI for a rank that is off the processor; or a first thread leaves
        its process's work to other threads and waits for them.
    """
    experiment, floor = selection.experiment, max(CRITERIA.least_weight * program_time, CRITERIA.burst)
    if not all(complete(experiment, each) for each in ("wall_time", "mpi_time", "cpu_time", "mpi_cpu_time")):
        return None
    if threads and any(threads.first[part.working[0]] in part.others for part in threads.parts):
        return None
    if max(over_locations(experiment, _longest)) <= floor:
        return None
    asleep = _Asleep.of(experiment)
    values, measured, in_mpi, others = (
        np.concatenate(each, axis=-1) for each in zip(*over_ranks(selection, _of_ranks, asleep), strict=True)
    )
    if values[list(selection.top)].sum(axis=0).max() - others.min() <= floor:
        return None
    programs = by_program(selection).programs
    vectors = RankVectors(
        experiment, METRIC, selection.regions, selection.ranks, values, selection, measured, programs=programs
    )
    found = find_dissimilarity(vectors, floor=floor)
    return (vectors, found) if any(_is_waited_for(vectors, culprit, in_mpi) for culprit in found.culprits) else None


@dataclass(frozen=True)
class _Asleep:
    """How the time off the processor is derived from metrics.

    Attributes:
        calls: The metrics of times in calls.
        rates: ``float64[call path]``: seconds per byte in I/O calls; 0 if times are compared as measured.
    """

    calls: frozenset[str]
    rates: Values

    @classmethod
    def of(cls, experiment: Experiment) -> _Asleep:
        """Find the times in calls that were measured, and compute the seconds per byte in I/O calls."""
        calls = frozenset(each for each in _CALLS if complete(experiment, each))
        found = cls(calls, np.zeros(len(experiment.call_paths)))
        if not (calls >= {"io_time", "io_cpu_time"} and complete(experiment, "io_bytes")):
            return found
        moved = summary(experiment, "io_bytes").sums
        took = np.sum([*over_locations(experiment, _of_who_moved, found)], axis=0)
        return replace(found, rates=np.divide(took, moved, out=np.zeros_like(took), where=moved > 0))

    def parts(self, part: Experiment) -> tuple[Values, Values, Values]:
        """Return the seconds off the processor outside calls, and in I/O calls; ``float64[call path, location]`` each.

        The time for which a rank was ready to run, but had no core, is divided among these times and MPI, because a
        rank polls while it waits in MPI. MPI_Init and MPI_Finalize get no share, because a rank sleeps there.

        Returns:
            Both times, and an upper limit of their sum, ``float64[location]``. The limit assumes that a rank may have
            been ready to run in MPI_Init and MPI_Finalize; it is at most all time off the processor and not ready to
            run.
        """
        wall, cpu = _of_first(part, "wall_time"), _of_first(part, "cpu_time")
        times = {each: _of_first(part, each) if each in self.calls else np.zeros_like(wall) for each in _CALLS}
        wall -= times["io_time"] + times["mpi_time"] + times["omp_time"]
        cpu -= times["io_cpu_time"] + times["mpi_cpu_time"] + times["omp_cpu_time"]
        polls = np.logical_and("mpi_start_end_time" in self.calls, times["mpi_start_end_time"] <= 0)
        on = np.maximum(np.concatenate([cpu, times["io_cpu_time"], polls * times["mpi_cpu_time"]]), 0.0)
        off = np.maximum(np.concatenate([wall, times["io_time"], polls * times["mpi_time"]]) - on, 0.0)
        found, delays = off - others_turns(part, on, off), run_delays(part)
        found *= _part_of(np.maximum(off.sum(axis=0) - delays, 0.0), found.sum(axis=0))
        outside, in_files, _ = np.split(found, 3)
        everywhere = _off(part).sum(axis=0)
        ready_there = np.minimum(everywhere - off.sum(axis=0), delays)
        return outside, in_files, np.minimum((outside + in_files).sum(axis=0) + ready_there, everywhere - delays)


def _part_of(some: Values, whole: Values) -> Values:
    """Return ``some`` divided by ``whole``, elementwise; at most 1."""
    return np.asarray(np.divide(some, whole, out=np.ones_like(whole), where=whole > some))


def _longest(part: Experiment, _: slice) -> float:
    """Return the longest time that any rank is off the processor and not ready to run, over all regions."""
    return float((_off(part).sum(axis=0) - run_delays(part)).max())


def _off(part: Experiment) -> Values:
    return np.maximum(_of_first(part, "wall_time") - _of_first(part, "cpu_time"), 0.0)


def _of_first(part: Experiment, metric: str) -> Values:
    return of_first_threads(part, part.exclusive(metric))


def _of_who_moved(part: Experiment, _: slice, asleep: _Asleep) -> Values:
    return np.asarray(np.where(part.exclusive("io_bytes") > 0, asleep.parts(part)[1], 0.0).sum(axis=1))


def _of_ranks(selection: Selection, asleep: _Asleep) -> tuple[Values, Values, Values, Values]:
    """Return the seconds that the given ranks were off the processor, and their seconds in MPI.

    Returns:
        The times off the processor as compared and as measured, ``float64[region, rank]`` each; the times in MPI,
        ``float64[rank]``; and the smallest of the ranks' upper limits from ``_Asleep.parts``, ``float64[1]``.
    """
    part = selection.experiment
    outside, in_files, most = asleep.parts(part)
    shared = asleep.rates[:, None] * (part.exclusive("io_bytes") if asleep.rates.any() else 0.0)
    compared, measured = outside + np.where(shared > 0, shared, in_files), outside + in_files
    in_mpi = selection.by_rank(part.exclusive("mpi_time"))[list(selection.top)].sum(axis=0)
    first = [column for column in selection.columns.tolist() if part.locations[column].thread == 0]
    return (
        selection.by_rank(compared),
        selection.by_rank(measured),
        in_mpi,
        most[first].min(initial=np.inf, keepdims=True),
    )


def _is_waited_for(vectors: RankVectors, culprit: int, in_mpi: Values) -> bool:
    """Return whether, in some program, the rank with the shortest time off the processor waits in MPI instead."""
    for columns in vectors.groups:
        times = vectors.values[culprit][columns]
        if in_mpi[columns][int(times.argmin())] >= CRITERIA.part * np.ptp(times) > 0:
            return True
    return False
