"""The metrics of system use, which ``AUTOANALYZER_USAGE`` selects."""

from __future__ import annotations

from typing import Final

from ...errors import UsageError, way_out
from ...experiment.metric import USAGE_METRICS

__all__ = [
    "ALLOCATION",
    "ALLOCATION_FLAGS",
    "ALLOCATION_LIBRARY",
    "ENERGY",
    "MOST_USAGE",
    "USAGE",
    "USAGE_VARIABLE",
    "usage_of",
]

USAGE_VARIABLE: Final = "AUTOANALYZER_USAGE"  # the same as WANTED in runtime/probe/usage.c
MOST_USAGE: Final = 6  # per run, including named PAPI events; the same as AA_MOST_EVENTS in runtime/probe/shard.h
USAGE: Final = tuple(metric.name for metric in USAGE_METRICS)
ENERGY: Final = ("energy", "dram_energy")
ALLOCATION_LIBRARY: Final = "libaamalloc.so"  # in the probe library's folder; see ../probe/malloc/malloc.c
ALLOCATION_FLAGS: Final = (
    *("-std=gnu11", "-O2", "-g0", "-Wall", "-Wextra", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec"),
    "-fno-builtin",  # otherwise the compiler could implement one allocation function with another
    *("-shared", "-Wl,-z,defs", "-Wl,-z,now"),
)
"""Flags to compile and link the library that counts allocations."""
ALLOCATION: Final = ("allocated_bytes", "allocations", "freed_bytes", "frees")


def usage_of(text: str) -> tuple[str, ...]:
    """Return the metrics of system use that a text names.

    Raises:
        UsageError: A word is not a metric or appears twice, or there are too many.
    """
    names = tuple(text.split(",")) if text else ()
    for name in names:
        if name not in USAGE:
            raise UsageError(f"no metric {name!r} can be counted; {way_out(name, USAGE)}")
        if names.count(name) > 1:
            raise UsageError(f"expected each metric once, found {name} twice")
    if len(names) > MOST_USAGE:
        raise UsageError(f"expected at most {MOST_USAGE} metrics per run, found {len(names)}")
    return names
