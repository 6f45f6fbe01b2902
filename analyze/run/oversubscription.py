"""Find ranks that wait for cores that other ranks or other programs use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment
from .arrays import Values
from .criteria import CRITERIA, THRESHOLD
from .location_blocks import over_locations
from .selection import complete
from .summary import summary
from .threads import busy_threads

__all__ = [
    "WaitForCore",
    "longest_wait_for_core",
    "of_first_threads",
    "others_turns",
    "oversubscription",
    "run_delays",
    "share_of_others",
    "time_asleep",
    "waiting_for_turns",
    "waits_for_cores_unknown",
]


@dataclass(frozen=True, slots=True)
class WaitForCore:
    """A process that was ready to run and waited for a core.

    Attributes:
        process: Number of the process.
        seconds: Waiting time in seconds.
        of: The process's wall time, in seconds.
    """

    process: int
    seconds: float
    of: float


def oversubscription(experiment: Experiment) -> int:
    """Return the number of ranks (or of busy threads, if there are more) that share a smaller number of cores.

    The result is 0 if each rank or thread had a core, or if this is unknown.
    """
    processors = experiment.notes.processors
    if processors is None:
        return 0
    contenders = max(len({each.process for each in experiment.locations}), busy_threads(experiment))
    return contenders if contenders > processors else 0


def longest_wait_for_core(experiment: Experiment) -> WaitForCore | None:
    """Return the longest wait for a core that took a tenth of a process's time; None if there is no such wait.

    A long wait means that other programs used the cores, or that the launcher put several ranks on one core. Messages
    took longer then, too. The wait is unknown for files of other tools, and for experiments that were computed from
    other experiments, except means of runs.
    """
    notes = experiment.notes
    if not notes.run_delay or (notes.history and notes.runs == 1) or "wall_time" not in experiment:
        return None
    times = np.concatenate([*over_locations(experiment, _wall_times)]).tolist()
    waits = [
        WaitForCore(place.process, notes.run_delay.get(str(place.process), 0.0), time)
        for place, time in zip(experiment.locations, times, strict=True)
        if place.thread == 0
    ]
    long = [each for each in waits if each.seconds >= max(CRITERIA.burst, THRESHOLD * each.of)]
    return max(long, key=lambda each: each.seconds, default=None)


def share_of_others(experiment: Experiment) -> float:
    """Return the share of the cores that other programs used; 0 if immaterial or unknown.

    The CPU time that the ranks measured is used if it is larger, because a launcher may not wait for its processes.
    """
    notes, use = experiment.notes, experiment.notes.processor_use
    if not (notes.processors and use.keys() >= {"elapsed", "busy", "own"}):
        return 0.0
    ranks_own = float(summary(experiment, "cpu_time").sums.sum()) if complete(experiment, "cpu_time") else 0.0
    others, whole = use["busy"] - max(use["own"], ranks_own), use["elapsed"] * notes.processors
    return others / whole if others >= max(CRITERIA.burst, THRESHOLD * whole) else 0.0


def waits_for_cores_unknown(experiment: Experiment) -> bool:
    """Return whether ranks may have waited for cores that other programs used, without a report from the kernel."""
    return not experiment.notes.run_delay and share_of_others(experiment) > 0


def time_asleep(experiment: Experiment) -> float:
    """Return the seconds per rank that busy time, MPI, file I/O and waiting for a core do not explain.

    The result is 0 if this is less than a quarter of the ranks' time, or if it is unknown how long ranks waited for a
    core.
    """
    delay = experiment.notes.run_delay
    if not delay or not all(complete(experiment, each) for each in ("wall_time", "cpu_time")):
        return 0.0
    processes = {str(each.process) for each in experiment.locations}
    if delay.keys() < processes:
        return 0.0

    def total(metric: str) -> float:
        return float(summary(experiment, metric).first.sum()) if complete(experiment, metric) else 0.0

    on_processors = total("cpu_time") - total("mpi_cpu_time") - total("io_cpu_time")
    in_calls = total("mpi_time") + total("io_time") + total("omp_time")
    rest = (total("wall_time") - on_processors - in_calls - sum(delay.values())) / len(processes)
    return rest if rest >= max(CRITERIA.burst, CRITERIA.part * total("wall_time") / len(processes)) else 0.0


def _wall_times(part: Experiment, _: slice) -> Values:
    return np.asarray(part.exclusive("wall_time").sum(axis=0))


def waiting_for_turns(experiment: Experiment) -> tuple[str, ...]:
    """Return the metrics that include waiting for a core; empty if each rank had a core.

    These are wall times, and metrics of MPI calls, which poll while they wait; ``cpu_time`` includes such calls.
    """
    if not oversubscription(experiment):
        return ()
    found = {"wall_time", "program_time", "mpi_cpu_time", "mpi_instructions"}
    for metric in experiment.metrics:  # metrics come after their parents
        if metric.parent in found:
            found.add(metric.name)
    if "mpi_cpu_time" in experiment:
        found.add("cpu_time")  # other parts of CPU time do not include this waiting
    return tuple(metric.name for metric in experiment.metrics if metric.name in found)


def of_first_threads(part: Experiment, values: Values) -> Values:
    """Return the values, with 0 for all threads except the first of each process; ``float64[call path, location]``."""
    return np.where([place.thread == 0 for place in part.locations], values, 0.0)


def run_delays(part: Experiment) -> Values:
    """Return the seconds that first threads waited for a core: ``float64[location]``; 0 for others, and if unknown."""
    delay = part.notes.run_delay
    return np.array([delay.get(str(place.process), 0.0) if place.thread == 0 else 0.0 for place in part.locations])


def others_turns(part: Experiment, on: Values, off: Values) -> Values:
    """Divide each first thread's waiting for a core among call paths, in proportion to CPU time.

    A thread that sleeps uses no CPU time, and does not wait for a core either. A call path gets at most its time off
    the processor.

    Args:
        part: A block of an experiment, or all of it.
        on: ``float64[row, location]``: all CPU time of the first threads.
        off: ``float64[row, location]``: the time that the first threads were off the processor.

    Returns:
        ``float64[row, location]``, in seconds.
    """
    total, full = run_delays(part), on <= 0
    while True:
        missing = total - np.where(full & (on > 0), off, 0.0).sum(axis=0)
        still = np.where(full, 0.0, on)
        together = still.sum(axis=0)
        rate = np.divide(missing, together, out=np.zeros_like(total), where=together > 0)
        fuller = full | (still * rate >= off)
        if (fuller == full).all():
            return np.where(on > 0, np.where(full, off, still * rate), 0.0)
        full = fuller
