"""Busy time of ranks: CPU time in the program's own code, and the time in file I/O."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import TEAM_TIME
from .arrays import Flags, Values
from .summary import is_of_all_runs

__all__ = ["BUSY_PARTS", "CLOCKS", "busy_of_threads", "busy_parts", "busy_times", "in_teams_alone"]

# Relative tolerance: due to the clocks' resolution, the critical path may seem shorter than a rank's busy time.
CLOCKS: Final = 0.01
BUSY_PARTS: Final = {"cpu_time": 1, "mpi_cpu_time": -1, "omp_cpu_time": -1, "io_cpu_time": -1, "io_time": 1}


def busy_parts(experiment: Experiment) -> dict[str, int]:
    """Return the metrics of which an experiment's busy time is the sum, each with its sign.

    If file I/O has no CPU time of its own, as in archives of other tools, CPU time includes file I/O.
    """
    has_files = "io_cpu_time" in experiment
    return {name: sign for name, sign in BUSY_PARTS.items() if name in experiment and (name != "io_time" or has_files)}


def busy_times(experiment: Experiment, *, of_path: bool = True) -> Values:
    """Return the busy time of each process: ``float64[call path, location]``, in seconds, in its first thread's column.

    In parallel regions of OpenMP, busy time is the time of the slowest thread in each execution, because the other
    threads wait for this thread. In runs that did not record the slowest threads' time, it is the time of the thread
    that is busiest in all executions together. Threads outside OpenMP do not count.

    A call path without probes may contain serial work and a team. The slowest threads' time then lacks the serial work,
    so it only counts if it is longer than the first thread's time.

    Args:
        experiment: An experiment, or a block of whole processes; missing metrics count as 0.
        of_path: Whether to use the slowest threads' time, which is recorded with the critical path. Comparisons of runs
            do not use this time, because some of the runs may lack it.
    """
    found = busy_of_threads(experiment)
    threads = np.array([place.thread for place in experiment.locations])
    if not threads.any():
        return found
    processes = np.array([place.process for place in experiment.locations])
    order = np.lexsort((threads, processes))
    starts = np.flatnonzero(np.diff(processes[order], prepend=-1))
    firsts = order[starts]
    if of_path and is_of_all_runs(experiment, TEAM_TIME.name):
        slowest = np.add.reduceat(np.nan_to_num(experiment.exclusive(TEAM_TIME.name))[:, order], starts, axis=1)
        is_timed = _are_timed(experiment, slowest)
        found[:, firsts] = np.where(is_timed | (slowest > found[:, firsts]), slowest, found[:, firsts])
        found[:, threads > 0] = 0.0
        return found
    teams = np.flatnonzero(_in_teams(experiment, threads > 0))
    longest = np.maximum.reduceat(found[np.ix_(teams, order)], starts, axis=1) if len(teams) else found[:0, starts]
    found[:, threads > 0] = 0.0
    found[np.ix_(teams, firsts)] = longest
    return found


def _are_timed(experiment: Experiment, slowest: Values) -> Flags:
    """Return which call paths are in teams whose slowest threads were recorded: ``bool[call path, process]``.

    If no slowest thread executed a call path of such a team, the call path is not on the critical path, although its
    threads were busy.
    """
    in_teams = in_teams_alone(experiment)
    found: Flags = experiment.summed_up(np.where(in_teams[:, None], slowest, 0.0)) > 0
    for index, path in enumerate(experiment.call_paths):  # call paths come after their parents
        found[index] &= in_teams[index]
        if path.parent is not None and in_teams[path.parent]:
            found[index] |= found[path.parent]
    return found


def busy_of_threads(experiment: Experiment) -> Values:
    """Return the busy time of each thread: ``float64[call path, location]``, in seconds; missing metrics count as 0."""
    found = np.zeros((len(experiment.call_paths), len(experiment.locations)))
    for name, sign in busy_parts(experiment).items():
        found += sign * np.nan_to_num(experiment.exclusive(name))
    return found


def in_teams_alone(experiment: Experiment) -> Flags:
    """Return which call paths are executed only by teams of threads: ``bool[call path]``.

    These are the parallel regions with probes, and the call paths in them. Only there do threads other than the first
    enter regions themselves. If a parallel region has no probe, the work of its threads is attributed to the call path
    around it.

    Args:
        experiment: An experiment, or a block of whole processes.
    """
    found = np.zeros(len(experiment.call_paths), dtype=bool)
    if "visits" in experiment:
        others = np.array([place.thread > 0 for place in experiment.locations])
        found |= (np.nan_to_num(experiment.exclusive("visits"))[:, others] > 0).any(axis=1)
        found[list(experiment.roots)] = False
    return _with_paths_below(experiment, found)


def _in_teams(experiment: Experiment, others: Flags) -> Flags:
    """Return which call paths are in parallel regions of OpenMP: ``bool[call path]``.

    A parallel region without a probe is recognised by threads that wait in OpenMP.

    Args:
        experiment: An experiment, or a block of whole processes.
        others: ``bool[location]``: the threads that are not the first of their process.
    """
    found = np.zeros(len(experiment.call_paths), dtype=bool)
    if "omp_time" in experiment:
        found |= (np.nan_to_num(experiment.exclusive("omp_time"))[:, others] > 0).any(axis=1)
    return _with_paths_below(experiment, found)


def _with_paths_below(experiment: Experiment, found: Flags) -> Flags:
    """Return ``found``, to which parallel regions, and all call paths below call paths in ``found``, were added."""
    for index, path in enumerate(experiment.call_paths):  # call paths come after their parents
        found[index] |= path.region.kind == "parallel" or (path.parent is not None and found[path.parent])
    return found
