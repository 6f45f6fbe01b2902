"""Threads as separate locations: the work that they share, and the serial parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment
from .arrays import Flags, Indices, Values
from .location_blocks import over_locations

__all__ = ["Part", "Threads", "busy_threads", "find_threads", "has_nested_teams"]


@dataclass(frozen=True, slots=True)
class Part:
    """A parallel call path of one process, with all call paths below it, and the threads that worked in it.

    Attributes:
        paths: The call paths.
        working: Columns of the threads that worked in it.
        others: Columns of the process's other threads.
    """

    paths: list[int]
    working: list[int]
    others: list[int]


@dataclass(frozen=True)
class Threads:
    """How the threads of each process divide its call paths.

    Attributes:
        first: ``int[location]``: the column of the first thread of each location's process.
        serial: ``bool[call path, location]``: whether the first thread represents all threads: outside parallel call
            paths, and in nested teams, whose threads the OpenMP library may number differently in each execution.
        compared: ``bool[location]``: whether a thread works in a call path that is compared.
        parts: Parallel call paths that only some threads of their process entered.
    """

    first: Indices
    serial: Flags
    compared: Flags
    parts: tuple[Part, ...] = ()

    @property
    def own(self) -> Flags:
        """Whether values are the thread's own, not those of another thread; ``bool[call path, location]``."""
        own: Flags = np.logical_not(self.serial) | (self.first == np.arange(len(self.first)))
        for part in self.parts:
            own[np.ix_(part.paths, part.others)] = False
        return own

    def vectors(self, exclusive: Values) -> Values:
        """Return values of call paths for the comparison of threads; ``float64[call path, location]``.

        In serial call paths, every thread gets the value of the first thread. In parallel call paths, a thread that
        does not work gets the values of the median of the working threads, so that it does not stand out.
        """
        values = np.where(self.serial, exclusive[:, self.first], exclusive)
        for part in self.parts:
            totals = exclusive[np.ix_(part.paths, part.working)].sum(axis=0)
            middle = part.working[int(np.argsort(totals, kind="stable")[(len(totals) - 1) // 2])]
            values[np.ix_(part.paths, part.others)] = exclusive[part.paths, middle][:, None]
        return values


def find_threads(experiment: Experiment) -> Threads | None:
    """Find the parallel call paths, that is, those that threads other than the first enter, and all below them.

    Returns:
        How threads divide the call paths; None if no process has several threads that can be compared.
    """
    if _are_single(experiment):
        return None
    places = _Places(experiment)
    parallel = places.parallel & ~places.nested
    if not parallel.any():
        return None
    parts = tuple(places.parts(parallel))
    compared = np.logical_and(places.active, parallel[:, places.process]).any(axis=0).reshape(-1)
    firsts = np.unique(places.first)
    if len(firsts) > 1:  # first threads are always compared, because their serial work distinguishes processes
        compared[firsts] = True
    return Threads(places.first, ~parallel[:, places.process], compared, parts)


def has_nested_teams(experiment: Experiment) -> bool:
    """Return whether threads of teams have opened nested teams, whose threads are not compared."""
    return not _are_single(experiment) and bool(_Places(experiment).nested.any())


def busy_threads(experiment: Experiment) -> int:
    """Return the number of threads that entered at least one region."""
    return sum(over_locations(experiment, _busy))


def _busy(part: Experiment, _: slice) -> int:
    return int(_active(part).any(axis=0).sum())


def _are_single(experiment: Experiment) -> bool:
    """Return whether each process has only one thread."""
    return len({place.process for place in experiment.locations}) == len(experiment.locations)


class _Places:
    """The call paths that each thread entered.

    Attributes:
        process: ``int[location]``: the process, numbered from 0.
        first: ``int[location]``: the column of the first thread of each location's process.
        active: ``bool[call path, location]``: whether each location entered the call path. Work of threads outside all
            regions is recorded at the root, and does not count.
        parallel: ``bool[call path, process]``: whether threads other than the first entered the call path, or one
            around it.
        outermost: ``bool[call path, process]``: whether the call path is parallel, and no call path around it is.
        nested: ``bool[call path, process]``: whether the call path was entered by threads that were not in the parallel
            call path around it.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        places = experiment.locations
        self.process = np.unique([place.process for place in places], return_inverse=True)[1].reshape(-1)
        by_thread = sorted(range(len(places)), key=lambda column: -places[column].thread)
        first = np.zeros(len(places), dtype=np.intp)
        first[self.process[by_thread]] = by_thread  # written in descending order, so that the lowest column remains
        self.first = first[self.process]
        self.active = _active(experiment)
        workers = np.flatnonzero(self.first != np.arange(len(places)))
        self.parallel = self._by_process(self.active[:, workers], workers)
        self.outermost = np.zeros_like(self.parallel)
        for index, path in enumerate(experiment.call_paths):
            above = self.parallel[path.parent] if path.parent is not None else np.zeros_like(self.parallel[index])
            self.outermost[index] = self.parallel[index] & ~above
            self.parallel[index] |= above
        self.nested = self._nested()

    def parts(self, parallel: Flags) -> Iterator[Part]:
        """Yield the outermost parallel call paths in which not all threads of a process worked."""
        there = self.experiment.summed_up((self.active & parallel[:, self.process]).astype(np.float64)) > 0
        columns = np.split(np.argsort(self.process, kind="stable"), np.cumsum(np.bincount(self.process))[:-1])
        for index in np.flatnonzero((self.outermost & parallel).any(axis=1)).tolist():
            paths = np.array(list(self.experiment.walk(index)))
            for process in np.flatnonzero(self.outermost[index] & parallel[index]).tolist():
                own = columns[process]
                working = there[index, own]
                if not working.all():
                    kept = paths[parallel[paths, process]]
                    yield Part(kept.tolist(), own[working].tolist(), own[~working].tolist())

    def _nested(self) -> Flags:
        """Return which call paths in a team's parallel region are entered by threads from outside the team.

        All call paths below such a call path are included: ``bool[call path, process]``.
        """
        nested = np.zeros_like(self.parallel)
        if not self.outermost.any():
            return nested
        team = np.zeros_like(self.active)  # the threads in the outermost enclosing parallel call path
        for index, path in enumerate(self.experiment.call_paths):
            outermost = self.outermost[index, self.process]
            if path.parent is None:
                team[index] = outermost & self.active[index]
                continue
            team[index] = np.where(outermost, self.active[index], team[path.parent])
            within = self.parallel[index, self.process] & ~outermost
            strangers = np.flatnonzero(self.active[index] & ~team[index] & within)
            nested[index] = nested[path.parent]
            nested[index, self.process[strangers]] = True
        return nested

    def _by_process(self, values: Flags, columns: Indices) -> Flags:
        """Return for each process whether a value of its given threads is true: ``bool[call path, process]``."""
        found = np.zeros((len(values), int(self.process.max(initial=0)) + 1), dtype=bool)
        np.logical_or.at(found.T, self.process[columns], values.T)
        return found


def _active(experiment: Experiment) -> Flags:
    active = np.zeros((len(experiment.call_paths), len(experiment.locations)), dtype=bool)
    for metric in ("visits", "wall_time"):
        if metric in experiment:
            active |= np.nan_to_num(experiment.exclusive(metric)) > 0
    active[list(experiment.roots)] = False
    return active
