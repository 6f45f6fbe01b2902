"""Waiting of ranks for each other, by the regions that waited and those that made others late."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Delay", "longest_delays"]

_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Delay:
    """What ranks waited for in one region because of another.

    Attributes:
        waiting: Descriptor of the region in which they waited.
        late: Of the region for whose sake others were late.
        seconds: How long all of them together, by what those that were late were busy with.
    """

    waiting: str
    late: str
    seconds: float


def longest_delays(seconds: Mapping[tuple[str, str], float]) -> tuple[Delay, ...]:
    """Return the longest of all delays, at most 100.

    Args:
        seconds: How long each is, by the descriptors of the waiting and the late region.
    """
    found = [Delay(waiting, late, value) for (waiting, late), value in seconds.items() if value > 0]
    return tuple(sorted(found, key=lambda each: (-each.seconds, each.waiting, each.late))[:_MOST])
