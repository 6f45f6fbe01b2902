"""Busy time of ranks: CPU time in the program's own code, and the time in file I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import TEAM_TIME
from .arrays import Flags, Values
from .location_blocks import over_locations
from .summary import is_of_all_runs

__all__ = ["BUSY_PARTS", "CLOCKS", "InTeams", "busy_of_threads", "busy_parts", "busy_times"]

# Relative tolerance: due to the clocks' resolution, the critical path may seem shorter than a rank's busy time.
CLOCKS: Final = 0.01
BUSY_PARTS: Final = {"cpu_time": 1, "mpi_cpu_time": -1, "omp_cpu_time": -1, "io_cpu_time": -1, "io_time": 1}


@dataclass(frozen=True)
class InTeams:
    """The call paths that teams of threads execute on any rank: ``bool[call path]``.

    Attributes:
        alone: Whether only teams execute the call path: parallel regions with probes, and the call paths in them. In no
            other call path do threads other than the first enter regions themselves. If a parallel region has no probe,
            the work of its threads is attributed to the call path around it.
        waiting: Whether the call path is a parallel region of OpenMP, or in one. A parallel region without a probe is
            recognised by threads that wait in OpenMP.
    """

    alone: Flags
    waiting: Flags

    @classmethod
    def of(cls, experiment: Experiment) -> InTeams:
        """Return the call paths in teams of a whole experiment, which are computed only once per experiment."""
        assert not experiment.is_part  # another block may show that a call path is in a team
        if experiment not in _KNOWN:
            blocks = [*over_locations(experiment, _of_others)]
            entered, waiting = np.any(blocks, axis=0)
            entered[list(experiment.roots)] = False
            _KNOWN[experiment] = cls(_with_paths_below(experiment, entered), _with_paths_below(experiment, waiting))
        return _KNOWN[experiment]


_KNOWN: Final[WeakKeyDictionary[Experiment, InTeams]] = WeakKeyDictionary()


def _of_others(part: Experiment, _: slice) -> Flags:
    """Return whether threads other than the first enter each call path, and whether they wait in it."""
    others = np.array([place.thread > 0 for place in part.locations], dtype=bool)
    found = np.zeros((2, len(part.call_paths)), dtype=bool)
    for row, name in enumerate(("visits", "omp_time")):
        if name in part and others.any():
            found[row] = (np.nan_to_num(part.exclusive(name))[:, others] > 0).any(axis=1)
    return found


def busy_parts(experiment: Experiment) -> dict[str, int]:
    """Return the metrics whose sum is an experiment's busy time, each with its sign.

    If the CPU time in file I/O was not recorded, as in archives of other tools, CPU time includes file I/O.
    """
    has_files = "io_cpu_time" in experiment
    return {name: sign for name, sign in BUSY_PARTS.items() if name in experiment and (name != "io_time" or has_files)}


def busy_times(experiment: Experiment, teams: InTeams | None = None, *, of_path: bool = True) -> Values:
    """Return the busy time of each process: ``float64[call path, location]``, in seconds, in its first thread's column.

    In parallel regions of OpenMP, busy time is the time of the slowest thread in each execution, because the other
    threads wait for this thread. In runs that did not record the slowest threads' time, it is the time of the thread
    that is busiest in all executions together. Threads outside OpenMP do not count.

    A call path without probes may contain both serial work and a team. The slowest threads' time does not include the
    serial work, so it counts only if it is longer than the first thread's time.

    Args:
        experiment: An experiment, or a block of whole processes; missing metrics count as 0.
        teams: ``InTeams.of`` the whole experiment; may be None if ``experiment`` is the whole.
        of_path: Whether to use the slowest threads' time, which is recorded with the critical path. Comparisons of runs
            do not use this time, because some of the runs may lack it.
    """
    found = busy_of_threads(experiment)
    threads = np.array([place.thread for place in experiment.locations])
    if not threads.any():
        return found
    teams = teams or InTeams.of(experiment)
    processes = np.array([place.process for place in experiment.locations])
    order = np.lexsort((threads, processes))
    starts = np.flatnonzero(np.diff(processes[order], prepend=-1))
    firsts = order[starts]
    if of_path and is_of_all_runs(experiment, TEAM_TIME.name):
        slowest = np.add.reduceat(np.nan_to_num(experiment.exclusive(TEAM_TIME.name))[:, order], starts, axis=1)
        is_timed = _are_timed(experiment, slowest, teams.alone)
        found[:, firsts] = np.where(is_timed | (slowest > found[:, firsts]), slowest, found[:, firsts])
        found[:, threads > 0] = 0.0
        return found
    paths = np.flatnonzero(teams.waiting)
    longest = np.maximum.reduceat(found[np.ix_(paths, order)], starts, axis=1) if len(paths) else found[:0, starts]
    found[:, threads > 0] = 0.0
    found[np.ix_(paths, firsts)] = longest
    return found


def _are_timed(experiment: Experiment, slowest: Values, in_teams: Flags) -> Flags:
    """Return which call paths are in teams whose slowest threads were recorded: ``bool[call path, process]``.

    If no slowest thread executed a call path of such a team, the call path is not on the critical path, although its
    threads were busy.
    """
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


def _with_paths_below(experiment: Experiment, found: Flags) -> Flags:
    """Add to ``found`` all parallel regions, and all call paths below those in it; return the result."""
    for index, path in enumerate(experiment.call_paths):  # call paths come after their parents
        found[index] |= path.region.kind == "parallel" or (path.parent is not None and found[path.parent])
    return found
