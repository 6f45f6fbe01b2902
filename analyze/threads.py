"""Threads as locations of their own: what they do together, and what one of them does for all (definitions 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment

__all__ = ["Threads", "find_threads"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Threads:
    """How the threads of each process share its call paths.

    Attributes:
        first: ``int[location]``: the column of the first thread of each location's process.
        serial: ``bool[call path, location]``: where the first thread works alone, outside of all that is parallel.
        apart: Call paths of threads that work on their own, as those that ``pthread_create`` starts, while the first
            thread is elsewhere; the columns of those that do, and of the process's other threads.
    """

    first: npt.NDArray[np.intp]
    serial: npt.NDArray[np.bool_]
    apart: tuple[tuple[list[int], list[int], list[int]], ...] = ()

    def compared(self, exclusive: Values) -> Values:
        """Give values of call paths as they are compared between threads; ``float64[call path, location]``.

        In serial call paths every thread has the value of the first. Where threads work on their own, those that do
        not have the mean of those that do: neither is a difference between threads.
        """
        values = np.where(self.serial, exclusive[:, self.first], exclusive)
        for paths, working, others in self.apart:
            values[np.ix_(paths, others)] = exclusive[np.ix_(paths, working)].mean(axis=1, keepdims=True)
        return values


def find_threads(experiment: Experiment) -> Threads | None:
    """Find what is parallel: call paths that a thread other than the first was in, and all below them.

    Returns:
        None if no process has several threads that do anything.
    """
    places = experiment.locations
    numbers = np.unique([place.process for place in places], return_inverse=True)[1].reshape(-1)
    by_thread = sorted(range(len(places)), key=lambda column: -places[column].thread)
    first = np.zeros(len(places), dtype=np.intp)
    first[numbers[by_thread]] = by_thread  # of each process; the last written is the lowest
    first = first[numbers]
    workers = np.flatnonzero(first != np.arange(len(places)))
    active = _active(experiment)
    parallel = np.zeros((len(experiment.call_paths), int(numbers.max(initial=0)) + 1), dtype=bool)
    np.logical_or.at(parallel.T, numbers[workers], active[:, workers].T)
    if not parallel.any():
        return None
    for index, path in enumerate(experiment.call_paths):
        if path.parent is not None:
            parallel[index] |= parallel[path.parent]
    return Threads(first, ~parallel[:, numbers], tuple(_apart(experiment, active, parallel, numbers, first)))


def _active(experiment: Experiment) -> npt.NDArray[np.bool_]:
    """Tell where each location was; what threads do outside of all regions stands at the root, and does not count."""
    active = np.zeros((len(experiment.call_paths), len(experiment.locations)), dtype=bool)
    for metric in ("visits", "wall_time"):
        if metric in experiment:
            active |= np.nan_to_num(experiment.exclusive(metric)) > 0
    active[list(experiment.roots)] = False
    return active


def _apart(
    experiment: Experiment,
    active: npt.NDArray[np.bool_],
    parallel: npt.NDArray[np.bool_],
    numbers: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
) -> list[tuple[list[int], list[int], list[int]]]:
    there = experiment.summed_up(active.astype(np.float64)) > 0
    apart = []
    for index, path in enumerate(experiment.call_paths):
        above = parallel[path.parent] if path.parent is not None else np.zeros_like(parallel[index])
        for process in np.flatnonzero(parallel[index] & ~above):
            columns = np.flatnonzero(numbers == process)
            if not there[index, first[columns[0]]]:
                working = there[index, columns]
                paths = list(experiment.walk(index))
                apart.append((paths, columns[working].tolist(), columns[~working].tolist()))
    return apart
