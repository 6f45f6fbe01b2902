"""Measure how much CPU time a run, and all other programs on the machine, used."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["ProcessorUse", "busy_ticks"]

_STATISTICS: Final = Path("/proc/stat")
# user, nice, system, irq, softirq; and steal, the time taken by other virtual machines
_BUSY: Final = (0, 1, 2, 5, 6, 7)


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """The cumulative CPU use up to some moment.

    Attributes:
        elapsed: Seconds of a monotonic clock.
        busy: Seconds in which the cores that this process may use were busy with any program, summed over the cores.
        own: CPU seconds of this process, and of its descendants that have ended.
    """

    elapsed: float
    busy: float
    own: float

    @classmethod
    def now(cls) -> ProcessorUse | None:
        """Return the current values; None if the kernel does not report them."""
        try:
            ticks = busy_ticks(_STATISTICS.read_text(), os.sched_getaffinity(0))
        except OSError:
            return None
        if ticks is None:
            return None
        usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        own = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        return cls(time.monotonic(), ticks / os.sysconf("SC_CLK_TCK"), own)

    def since(self, before: ProcessorUse | None) -> dict[str, float]:
        """Return the seconds since an earlier moment, by attribute; empty if that moment is unknown."""
        if before is None:
            return {}
        return {name: getattr(self, name) - getattr(before, name) for name in ("elapsed", "busy", "own")}


def busy_ticks(statistics: str, processors: Collection[int]) -> int | None:
    """Return the total busy ticks of some cores, from the text of ``/proc/stat``; None if a core is not listed."""
    found = {}
    for line in statistics.splitlines():
        name, *values = line.split() or [""]
        number = name.removeprefix("cpu")
        if name.startswith("cpu") and number.isdecimal() and len(values) > max(_BUSY):
            found[int(number)] = sum(int(values[each]) for each in _BUSY)
    return sum(found[each] for each in processors) if found.keys() >= set(processors) else None
