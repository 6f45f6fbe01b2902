"""The places where OpenMP threads wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

__all__ = ["BARRIERS", "LOCKS", "ThreadWait", "added", "longest_waits"]

LOCKS = ("critical", "atomic", "lock")
BARRIERS = ("barrier", "single")


@dataclass(frozen=True, slots=True)
class ThreadWait:
    """How long threads waited at one place, summed over processes; tuples have one value per thread in ``threads``.

    Attributes:
        region: Descriptor of the innermost region around the place; empty if there is none.
        kind: ``critical``, ``atomic``, ``lock``, ``ordered``, ``barrier``, ``single`` (for its copies) or ``tasks``.
        file: The source file of the place; empty if unknown.
        line: The line in this file; 0 if unknown.
        processes: The number of processes that reached the place.
        threads: The numbers of the threads that reached the place.
        entries: The number of times that each thread reached the place.
        contended: The number of times that each thread requested the lock while another thread held it or waited for
            it; 0 for kinds outside ``LOCKS``.
        seconds: The time that each thread waited.
        cpu_seconds: The part of ``seconds`` that each thread spent on a core.
    """

    region: str
    kind: str
    file: str
    line: int
    processes: int
    threads: tuple[int, ...]
    entries: tuple[float, ...]
    contended: tuple[float, ...]
    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]

    @property
    def is_lock(self) -> bool:
        """Whether threads wait until others leave the place, as at a lock, rather than until others arrive."""
        return self.kind in LOCKS

    @property
    def per_thread(self) -> float:
        """Mean waiting time in seconds per thread that reached the place."""
        return sum(self.seconds) / (len(self.threads) * self.processes)

    def part(self, entries: float, seconds: float) -> ThreadWait:
        """Return the waits with scaled numbers of entries and waiting times.

        Args:
            entries: The share of the entries to keep, 0 to 1.
            seconds: The share of the waiting time to keep, 0 to 1.
        """
        return replace(
            self,
            entries=tuple(each * entries for each in self.entries),
            contended=tuple(each * entries for each in self.contended),
            seconds=tuple(each * seconds for each in self.seconds),
            cpu_seconds=tuple(each * seconds for each in self.cpu_seconds),
        )


def added(waits: Iterable[ThreadWait], *, runs: int = 1, same: bool = False) -> tuple[ThreadWait, ...]:
    """Add up the waits at each place.

    Args:
        waits: The waits of several processes, threads or runs.
        runs: The number of runs by which sums are divided.
        same: Whether all waits belong to the same processes, as in several runs or in several threads of one process.

    Returns:
        The waits at each place, longest first.
    """
    places: dict[tuple[str, str, str, int], list[ThreadWait]] = {}
    for each in waits:
        places.setdefault((each.region, each.kind, each.file, each.line), []).append(each)
    return longest_waits(_sum(of_place, runs, max if same else sum) for of_place in places.values())


def longest_waits(waits: Iterable[ThreadWait]) -> tuple[ThreadWait, ...]:
    """Return the waits sorted by their time, longest first."""
    return tuple(sorted(waits, key=lambda each: (-sum(each.seconds), each.file, each.line, each.kind, each.region)))


def _sum(waits: Sequence[ThreadWait], runs: int, combined: Callable[[Iterable[int]], int]) -> ThreadWait:
    threads = sorted({thread for each in waits for thread in each.threads})

    def total(name: str) -> tuple[float, ...]:
        sums = dict.fromkeys(threads, 0.0)
        for each in waits:
            for thread, value in zip(each.threads, getattr(each, name), strict=True):
                sums[thread] += value
        return tuple(each / runs for each in sums.values())

    return replace(
        waits[0],
        processes=combined(each.processes for each in waits),
        threads=tuple(threads),
        entries=total("entries"),
        contended=total("contended"),
        seconds=total("seconds"),
        cpu_seconds=total("cpu_seconds"),
    )
