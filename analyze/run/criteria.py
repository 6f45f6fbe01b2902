"""The thresholds behind the verdict, each with its unit, reason and source.

Two thresholds from Liu et al. 2011 are not in ``Criteria``: 10 % in Algorithm 1 (``THRESHOLD``), and a miss rate of 1 %
(``LEAST_RATE`` in ``evidence/attributes.py``).
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any, Final

__all__ = ["CRITERIA", "SAMPLING", "THRESHOLD", "TICK", "Criteria", "criterion_fields"]

THRESHOLD: Final = 0.1  # Algorithm 1, line 7: share of a vector's length; also the minimum share that is reported
# Numbers of samples are Poisson distributed, so a - b has the variance a + b. The limit is three standard deviations,
# plus 1 % because the sampling clock is not exact.
SAMPLING: Final = 3.03

_SUITE = "the suite"
_HARDWARE = "current processors"


def _number(value: float, unit: str, reason: str, source: str) -> Any:
    return field(default=value, metadata={"unit": unit, "reason": reason, "source": source})


@dataclass(frozen=True, slots=True)
class Criteria:
    """The thresholds; ``criterion_fields`` returns each with its unit, reason and source."""

    least_gain: float = _number(0.01, "of the run", "a fix that saves less is not worth looking at", _SUITE)
    least_weight: float = _number(
        0.03,
        "of the run",
        "a region that takes less is not critical, whatever its severity class",
        'see "Regions that take much time" in docs/design.md',
    )
    part: float = _number(
        0.25,
        "of a time",
        "a cause must explain at least this share of a region's time, or of a difference; a region that takes at least"
        " this share of the run is always named; in sequential access to values of up to 16 bytes, at most this share"
        " of accesses misses (with cache lines of 64 bytes)",
        _SUITE,
    )
    outweighs: float = _number(
        2.0,
        "times",
        "a region stands out if it takes at least this many times as long as a typical region, or as long as the rest"
        " of its enclosing region",
        'see "Regions that take much time" in docs/design.md',
    )
    same_work: float = _number(
        0.01,
        "of a count",
        "ranks whose counts differ by at most this share did the same work",
        'see "Ranks that differ" in docs/design.md',
    )
    resolution: float = _number(
        0.01,
        "s",
        "scheduler ticks and cold caches make ranks with equal work differ by up to this much; they do not affect"
        " counts",
        "Linux ticks: 1 to 10 ms",
    )
    noise: float = _number(
        6.0,
        "standard deviations",
        "noise alone makes the fastest and the slowest rank differ by no more than this in a region of equal work; four"
        " normally distributed values differ by more in one of 10,000 regions",
        "the normal distribution",
    )
    most_noise: float = _number(
        2 / 3,
        "of a region's longest time",
        "noise alone never makes a rank take more than three times as long as another rank",
        _SUITE,
    )
    unknown_noise: float = _number(
        0.25,
        "of a region's time",
        "noise of a shared machine; used if a run has too few regions to estimate its own noise, or no counts confirm a"
        " time",
        _SUITE,
    )
    burst: float = _number(
        0.1,
        "s",
        "another program on the same core, or the first use of memory, can cost one rank this much; without counts,"
        " smaller differences are doubtful",
        "control programs of the suite",
    )
    swift: float = _number(
        1 / 3,
        "cycles per instruction",
        "code that needs no more cycles than this never waits for memory, so its misses cost nothing",
        _HARDWARE,
    )
    dependent: float = _number(
        2.0,
        "cycles per instruction",
        "code without misses needs no more cycles than this, even if it waits for its own results, as in sums and"
        " ordered linked lists",
        _HARDWARE,
    )
    miss: float = _number(
        5e-7,
        "s per miss",
        "a miss that goes to the farthest memory takes at most this long; longer delays, such as page faults, are not"
        " due to misses",
        _HARDWARE,
    )
    call: float = _number(
        1e-4,
        "s per call",
        "a call that takes longer than this is waiting for something other than the network or disk, such as a core",
        "Ethernet: 50 us; Linux time slices: 0.75 ms",
    )
    byte: float = _number(
        1e-8,
        "s per byte",
        "a call that takes longer than this per byte is waiting for something other than the network or disk; below"
        " 10 kB, the call itself takes longer than the transfer",
        "Ethernet: 118 MB/s",
    )


CRITERIA = Criteria()
# Seconds. A rank may lose a Linux tick by chance, so a shorter time is neither a finding nor waiting.
TICK: Final = THRESHOLD * CRITERIA.resolution


def criterion_fields() -> tuple[Field[Any], ...]:
    """Return the fields: name, default, and in ``metadata`` ``unit``, ``reason`` and ``source``."""
    return fields(Criteria)
