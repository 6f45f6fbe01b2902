"""Ranks that compute alike, and hold others up while they are on no processor: asleep, or waiting for a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ..blocks import over_locations
from ..compute_time import Computing, SharedOut
from ..selection import Selection, complete, over_ranks
from ..threads import Threads
from .dissimilarity import Dissimilarity, find_dissimilarity
from .performance import Performance, by_program

__all__ = ["METRIC", "differing_time_off"]

METRIC: Final = "off_processor_time"

_APART: Final = 0.05  # of the program's time that the difference must take
_LEAST: Final = 0.05  # seconds, or that
_PREEMPTED: Final = (
    1.0,
    3.0,
)  # times what a rank computes, and times that and what computing is stretched by elsewhere
_FINER: Final = 44  # bits of a floating-point number behind its exponent and eight more
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
    experiment, floor = selection.experiment, max(_APART * program_time, _LEAST)
    if not all(complete(experiment, each) for each in ("wall_time", "mpi_time", "cpu_time", "mpi_cpu_time")):
        return None
    if threads and any(threads.first[part.working[0]] in part.others for part in threads.parts):
        return None
    time_off = _TimeOff.of(experiment)
    if max(over_ranks(selection, _at_most, time_off)) <= floor:
        return None  # nor do parts of it part anybody
    stretch = _stretch(experiment, time_off)
    values, measured, in_mpi = (
        np.concatenate(each, axis=-1) for each in zip(*over_ranks(selection, _of_ranks, time_off, stretch), strict=True)
    )
    programs = by_program(selection).programs
    performance = Performance(
        experiment, METRIC, selection.regions, selection.ranks, values, selection, measured, programs=programs
    )
    found = find_dissimilarity(performance, floor=floor)
    return (performance, found) if any(_is_waited_for(performance, core, in_mpi) for core in found.cccr) else None


@dataclass(frozen=True)
class _TimeOff:
    """How the time of first threads on no processor, outside MPI and OpenMP, is made of metrics.

    Attributes:
        others: What is taken off the wall time.
        computing: And the time that is computed.
        files: Time in I/O calls on no processor, as the bytes share it out; None if it stays as it is.
    """

    others: tuple[str, ...]
    computing: Computing
    files: SharedOut | None

    @classmethod
    def of(cls, experiment: Experiment) -> _TimeOff:
        """Look which metrics there are."""
        others = ("mpi_time", *(["omp_time"] if complete(experiment, "omp_time") else []))
        return cls(others, Computing.of(experiment), SharedOut.by_bytes(experiment, "io_time", "io_cpu_time"))

    def values(self, part: Experiment) -> tuple[Values, Values]:
        """Give that time, and the time that is computed; ``float64[call path, location]`` each."""
        off, computed = part.exclusive("wall_time"), self.computing.values(part)
        for name in self.others:
            off = off - part.exclusive(name)
        off = off - computed
        if self.files:
            off = off + self.files.change(part)
        first = np.array([place.thread == 0 for place in part.locations])
        off, computed = (np.where(first, np.maximum(each, 0.0), 0.0) for each in (off, computed))
        return off, computed


def _at_most(selection: Selection, time_off: _TimeOff) -> float:
    """Give the most that a rank is off the processor, where computing is stretched by nothing else."""
    off, computed = time_off.values(selection.experiment)
    least = np.maximum(off - _PREEMPTED[0] * computed, 0.0)
    return float(selection.by_rank(least)[list(selection.top)].sum(axis=0).max())


def _of_ranks(selection: Selection, time_off: _TimeOff, stretch: float) -> tuple[Values, Values, Values]:
    """Give the times off of some ranks as they are compared, and as measured; and the time in MPI of each.

    Args:
        selection: The ranks.
        time_off: How the time is made.
        stretch: What half of all ranks' computing is stretched by at most.
    """
    off, computed = time_off.values(selection.experiment)
    times, as_stretched = _PREEMPTED
    stretches = np.maximum(stretch, _halves(off, computed))
    least = np.maximum(off - (times + as_stretched * stretches) * computed, 0.0)
    in_mpi = selection.by_rank(selection.experiment.exclusive("mpi_time"))[list(selection.top)].sum(axis=0)
    return selection.by_rank(least), selection.by_rank(off), in_mpi


def _halves(off: Values, computed: Values) -> Values:
    """Give what half of each location's computing was stretched by at most, a multiple of it; ``float64[location]``.

    Args:
        off: ``float64[call path, location]``, in seconds.
        computed: Likewise.
    """
    stretch = np.divide(off, computed, out=np.full_like(off, np.inf), where=computed > 0)
    order = np.argsort(stretch, axis=0)
    reached = np.cumsum(np.take_along_axis(computed, order, axis=0), axis=0)
    half = (reached >= reached[-1] / 2).argmax(axis=0)
    found = np.take_along_axis(np.take_along_axis(stretch, order, axis=0), half[None], axis=0)[0]
    return np.where(reached[-1] > 0, found, 0.0)


def _stretch(experiment: Experiment, time_off: _TimeOff) -> float:
    """Give what half of all ranks' computing was stretched by at most; to a part in 256 if these are many."""
    if len(experiment.location_blocks()) == 1:
        off, computed = time_off.values(experiment)
        return float(_halves(off.reshape(-1, 1), computed.reshape(-1, 1))[0])
    reached = np.cumsum(sum(over_locations(experiment, _computed_by_stretch, time_off)))
    least = int(np.searchsorted(reached, reached[-1] / 2))
    return float(np.array([(least + 1) << _FINER], np.int64).view(np.float64)[0]) if reached[-1] > 0 else 0.0


def _computed_by_stretch(part: Experiment, _: slice, time_off: _TimeOff) -> Values:
    """Sum up what was computed at each stretch, in steps of a part in 256: by the first bits of the number."""
    off, computed = time_off.values(part)
    there = computed > 0
    steps = (off[there] / computed[there]).view(np.int64) >> _FINER
    return np.bincount(steps, weights=computed[there], minlength=1 << (63 - _FINER)).astype(np.float64)


def _is_waited_for(performance: Performance, core: int, in_mpi: Values) -> bool:
    """Whether, among the ranks of some program, one is off the processor while another waits in MPI."""
    for columns in performance.groups:
        times = performance.values[core][columns]
        if in_mpi[columns][int(times.argmin())] >= _WAITED * np.ptp(times) > 0:
            return True
    return False
