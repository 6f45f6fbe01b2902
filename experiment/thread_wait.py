"""Where threads of OpenMP wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

__all__ = ["BARRIERS", "LOCKS", "ThreadWait", "added", "longest_waits"]

LOCKS = ("critical", "atomic", "lock")
BARRIERS = ("barrier", "single")


@dataclass(frozen=True, slots=True)
class ThreadWait:
    """The waits of threads in one place, summed over processes; several values are in the order of threads.

    Attributes:
        region: Descriptor of the innermost region around it; empty outside of all.
        kind: ``critical``, ``atomic``, ``lock``, ``ordered``, ``barrier``, ``single`` (its copies) or ``tasks``.
        file: Its source; empty if unknown.
        line: Its line there; 0 if unknown.
        processes: The number of processes that entered the place.
        threads: Numbers of the threads that did.
        entries: How often.
        contended: How often another thread held the lock, or waited for it, when it was wanted; 0 but of ``LOCKS``.
        seconds: How long they waited.
        cpu_seconds: Of this on a core.
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
        """Whether threads wait for others to leave it, and not for others to come."""
        return self.kind in LOCKS

    @property
    def per_thread(self) -> float:
        """Seconds of a thread, a mean over the threads that entered the place."""
        return sum(self.seconds) / (len(self.threads) * self.processes)

    def part(self, entries: float, seconds: float) -> ThreadWait:
        """Return a part of it, by the shares of the entries and of the seconds, 0 to 1."""
        return replace(
            self,
            entries=tuple(each * entries for each in self.entries),
            contended=tuple(each * entries for each in self.contended),
            seconds=tuple(each * seconds for each in self.seconds),
            cpu_seconds=tuple(each * seconds for each in self.cpu_seconds),
        )


def added(waits: Iterable[ThreadWait], *, runs: int = 1, same: bool = False) -> tuple[ThreadWait, ...]:
    """Add up what threads did in the same place.

    Args:
        waits: What they did.
        runs: The number of runs by which sums are divided.
        same: Whether the processes are the same ones: those of several runs, or one with several threads.

    Returns:
        Each place once, the longest waits first.
    """
    places: dict[tuple[str, str, str, int], list[ThreadWait]] = {}
    for each in waits:
        places.setdefault((each.region, each.kind, each.file, each.line), []).append(each)
    return longest_waits(_sum(of_place, runs, max if same else sum) for of_place in places.values())


def longest_waits(waits: Iterable[ThreadWait]) -> tuple[ThreadWait, ...]:
    """Order waits: the longest first."""
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
