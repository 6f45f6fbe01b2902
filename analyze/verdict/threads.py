"""OpenMP threads that wait for each other long enough to report: queues at locks, and too many barriers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...experiment.thread_wait import ThreadWait
from ..run.criteria import CRITERIA, THRESHOLD, TICK
from ..run.preparation import Prepared
from ..run.thread_waits import Barriers, barriers_of_teams, waits_by_path, waits_by_paths

__all__ = ["ThreadWaits"]

# Seconds per barrier if it was not calibrated: with a core for each thread, a barrier takes 1 to 10 us for 4 to 64
# threads (EPCC's microbenchmarks).
_BARRIER: Final = 1e-5
_ALIKE: Final = 2.0  # if two numbers of threads differ by at most this factor, their barriers take about equally long


@dataclass(frozen=True)
class ThreadWaits:
    """The waiting of threads that is long enough to report.

    Attributes:
        run: The run.
        least: The shortest waiting to report, in seconds.
        shared: Whether threads also wait for cores, so that a part of their waiting may be for a core.
    """

    run: Prepared
    least: float
    shared: bool

    @cached_property
    def queues(self) -> Mapping[int, tuple[ThreadWait, ...]]:
        """Position of a region → its locks at which threads queue, the longest wait first.

        A region with several call paths appears once, with all its waits, at the position of the call path on which
        threads wait longest. A lock is included if at least a quarter of the entries found it taken. On a busy machine,
        locks with few entries are left out, because the holder of a lock may have waited for a core.
        """
        least = 1 / THRESHOLD if self.shared else 0.0
        found = {
            paths[0]: tuple(each for each in waits if _is_queue(each, least))
            for paths, waits in waits_by_paths(self.run.experiment).items()
        }
        return {
            self._positions[path]: waits
            for path, waits in found.items()
            if path in self._positions and sum(each.per_thread for each in waits) >= max(self.least, TICK)
        }

    @cached_property
    def barriers(self) -> Mapping[int, Barriers]:
        """The regions with too many barriers, by position.

        Threads work so little between barriers that barriers would take a quarter of the time even on an idle machine.
        This is derived from counts and CPU time, which do not change on a busy machine.
        """
        return {
            self._positions[each.path]: each
            for each in barriers_of_teams(self.run.experiment)
            if each.path in self._positions and self._are_too_many(each)
        }

    def _are_too_many(self, barriers: Barriers) -> bool:
        price = self._price(barriers.team)
        shortest = price * (1 - CRITERIA.part) / CRITERIA.part
        return barriers.work <= shortest and barriers.number * price >= self.least

    def _price(self, team: float) -> float:
        """Return the seconds per barrier of ``team`` threads: calibrated, if for a similar number of cores."""
        notes = self.run.experiment.notes
        cores = notes.calibrated.get("cores", "")
        is_alike = cores.isdecimal() and 1 / _ALIKE <= team / max(int(cores), 1) <= _ALIKE
        return notes.prices.get("omp_barrier", _BARRIER) if is_alike else _BARRIER

    @cached_property
    def by_path(self) -> Mapping[int, tuple[ThreadWait, ...]]:
        """Call path → where threads wait in its region, the longest wait first."""
        return waits_by_path(self.run.experiment)

    @cached_property
    def _positions(self) -> Mapping[int, int]:
        return {region.id: index for index, region in enumerate(self.run.weighed.regions)}


def _is_queue(wait: ThreadWait, least: float) -> bool:
    """Return whether threads queue at a lock that each thread enters at least ``least`` times on average."""
    entries = sum(wait.entries)
    enough = entries >= least * len(wait.threads) * wait.processes
    return wait.is_lock and enough and sum(wait.contended) >= CRITERIA.part * entries
