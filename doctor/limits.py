"""Check the system's limits for processes: processors, memory, files."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from typing import Final

from .finding import Finding, Outcome

__all__ = ["limit_findings"]

_AREA: Final = "limits"

_RECORD: Final = 256 << 20  # bytes; the default of --max-memory, which is also the size of a process's largest file
_ADDRESSES: Final = 4 << 30  # bytes of address space that Valgrind needs to start
_FILES: Final = 256  # number of open files that a run needs
_KINDS: Final = (
    ("open files", resource.RLIMIT_NOFILE, "n", _FILES, 1),
    ("stack", resource.RLIMIT_STACK, "s", 1 << 20, 1024),
    ("address space", resource.RLIMIT_AS, "v", _ADDRESSES, 1024),
    ("size of a file", resource.RLIMIT_FSIZE, "f", _RECORD, 1024),
)


def limit_findings() -> Iterator[Finding]:
    """Yield findings: the usable processors, each limit that is too low for a run, and all other limits in one."""
    allowed, present = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    advice = "to allow more, use srun -c or taskset" if allowed == 1 < present else ""
    yield Finding(_AREA, "processors", Outcome.NOTE, f"{allowed} of {present} can be used", advice)
    fine = []
    for name, number, letter, least, unit in _KINDS:
        soft, hard = resource.getrlimit(number)
        text = "unlimited" if soft == resource.RLIM_INFINITY else f"{soft // unit}{'' if unit == 1 else ' KiB'}"
        if soft == resource.RLIM_INFINITY or soft >= least:
            fine.append(f"{name} {text}")
            continue
        may = hard == resource.RLIM_INFINITY or hard >= least
        advice = f"ulimit -{letter} {least // unit}" if may else "ask the administrator for a higher limit"
        if number == resource.RLIMIT_FSIZE:
            advice += ", or give autoanalyzer run a smaller --max-memory"
        found = f"{text}, expected {least // unit}{'' if unit == 1 else ' KiB'} or more"
        yield Finding(_AREA, name, Outcome.FAILS, found, advice)
    if fine:
        yield Finding(_AREA, "ulimit", Outcome.NOTE, ", ".join(fine))
