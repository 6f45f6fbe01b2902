"""Where OpenMP threads wait for each other, and how much they work between two barriers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment
from ...experiment.thread_wait import BARRIERS, ThreadWait, added, longest_waits
from .arrays import Values
from .selection import complete
from .summary import summary

__all__ = ["Barriers", "barriers_of_teams", "shares_of_waiting", "waits_by_path", "waits_by_paths"]


@dataclass(frozen=True, slots=True)
class Barriers:
    """The barriers in a parallel region and in the regions below it, and the barrier at its end.

    Attributes:
        path: The call path of the region, or of the region below it that contains most of the barriers.
        team: Number of threads per process, mean over the entries of the region.
        number: Barriers per thread, mean over the processes.
        work: Mean CPU time of a thread before a barrier, in seconds, outside MPI, file I/O and waiting.
        waited: Total waiting per thread at barriers, in seconds, mean over the threads.
        places: The waits at each barrier, starting with the barrier that has the most entries.
    """

    path: int
    team: float
    number: float
    work: float
    waited: float
    places: tuple[ThreadWait, ...]


def waits_by_paths(experiment: Experiment) -> Mapping[tuple[int, ...], tuple[ThreadWait, ...]]:
    """Map the call paths of each region to the waits of threads in this region, the longest wait first.

    In each key, the call path on which threads wait longest comes first.
    """
    if not complete(experiment, "omp_time"):
        return {}
    waited, of_regions = summary(experiment, "omp_time").sums, _paths_of_regions(experiment)
    found: dict[tuple[int, ...], list[ThreadWait]] = {}
    for each in experiment.notes.thread_waits:
        if paths := of_regions.get(each.region):
            found.setdefault(tuple(sorted(paths, key=lambda path: -waited[path])), []).append(each)
    return {paths: longest_waits(waits) for paths, waits in found.items()}


def waits_by_path(experiment: Experiment) -> Mapping[int, tuple[ThreadWait, ...]]:
    """Map each call path to the waits of threads in its region, the longest wait first.

    If a region has several call paths, its waits are divided among them: seconds in proportion to the time that threads
    wait in OpenMP, and entries in proportion to visits. Entries of barriers are attributed only to call paths with
    waiting, because barriers that a thread reaches alone may not be counted.
    """
    found: dict[int, list[ThreadWait]] = {}
    for paths, waits in waits_by_paths(experiment).items():
        waited = summary(experiment, "omp_time").sums[[*paths]].clip(min=0.0)
        visits = summary(experiment, "visits").sums[[*paths]] if complete(experiment, "visits") else waited
        met = visits * (waited > 0) if waited.any() else visits
        for each in waits:
            entries = _shares(visits if each.is_lock else met)
            for path, *shares in zip(paths, entries, _shares(waited), strict=True):
                if any(shares):
                    found.setdefault(path, []).append(each.part(*shares))
    return {path: longest_waits(each) for path, each in found.items()}


def shares_of_waiting(experiment: Experiment) -> Mapping[str, Values]:
    """Return the shares of first threads' time in OpenMP spent waiting for locks and at barriers.

    Returns:
        ``omp_locks`` and ``omp_barriers`` → ``float64[call path]``, from 0 to 1, with a sum of at most 1; empty if
        unknown.
    """
    waits = experiment.notes.thread_waits
    if not waits or not complete(experiment, "omp_time"):
        return {}
    first = summary(experiment, "omp_time").first
    of_regions = _paths_of_regions(experiment)
    shares = {"omp_locks": np.zeros_like(first), "omp_barriers": np.zeros_like(first)}
    for each in waits:
        paths = of_regions.get(each.region, [])
        name = "omp_locks" if each.is_lock else "omp_barriers"
        if 0 in each.threads and (each.is_lock or each.kind in BARRIERS) and (whole := first[paths].sum()) > 0:
            shares[name][paths] += each.seconds[each.threads.index(0)] / whole
    together = np.sum([*shares.values()], axis=0).clip(min=1.0)
    return {name: each / together for name, each in shares.items()}


def barriers_of_teams(experiment: Experiment) -> Iterator[Barriers]:
    """Yield the barriers of each outermost parallel region that several threads execute."""
    needed = ("visits", "omp_time", "cpu_time", "omp_cpu_time")
    if not all(complete(experiment, name) for name in needed):
        return
    visits, waits = summary(experiment, "visits"), waits_by_path(experiment)
    processes = len({place.process for place in experiment.locations})
    for path in _outermost_teams(experiment):
        entered = float(visits.first[path])
        team = float(visits.sums[path]) / entered if entered > 0 else 0.0
        if team <= 1:
            continue
        below = [*experiment.walk(path)]
        inside = {each: [wait for wait in waits.get(each, ()) if wait.kind in BARRIERS] for each in below}
        entries = {each: sum(map(_entries, of_path)) / team for each, of_path in inside.items()}
        number = (entered + sum(entries.values())) / processes
        most = max(entries, key=lambda each: entries[each] + (entered if each == path else 0.0))
        places = added((each for of_path in inside.values() for each in of_path), same=True)
        most_first = tuple(sorted(places, key=_entries, reverse=True))
        threads = team * processes
        work = _computing(experiment, below) / (threads * number)
        waited = float(summary(experiment, "omp_time").sums[below].sum()) / threads
        in_locks = sum(sum(each.seconds) for one in below for each in waits.get(one, ()) if each.is_lock) / threads
        yield Barriers(most, team, number, work, max(waited - in_locks, 0.0), most_first)


def _shares(values: Values) -> list[float]:
    """Return the share of each value in the sum; equal shares if the sum is 0."""
    whole = float(values.sum())
    return [float(each) / whole if whole > 0 else 1 / len(values) for each in values]


def _paths_of_regions(experiment: Experiment) -> dict[str, list[int]]:
    """Map each region's descriptor to its call paths, and an empty string to the roots."""
    found: dict[str, list[int]] = {}
    for index, path in enumerate(experiment.call_paths):
        found.setdefault(path.region.descriptor, []).append(index)
    return {**found, "": [*experiment.roots]}


def _entries(wait: ThreadWait) -> float:
    return sum(wait.entries)


def _outermost_teams(experiment: Experiment) -> Iterator[int]:
    inside = set[int]()
    for index, path in enumerate(experiment.call_paths):  # parents before children
        if path.parent in inside:
            inside.add(index)
        elif path.region.kind == "parallel":
            inside.add(index)
            yield index


def _computing(experiment: Experiment, paths: Sequence[int]) -> float:
    found = float(summary(experiment, "cpu_time").sums[paths].sum())
    for name in ("mpi_cpu_time", "io_cpu_time", "omp_cpu_time"):
        if complete(experiment, name):
            found -= float(summary(experiment, name).sums[paths].sum())
    return max(found, 0.0)
