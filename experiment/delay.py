"""Waiting of ranks for each other, by the regions that waited and those that made others late."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Delay", "longest_first"]

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


def longest_first(delays: Mapping[tuple[str, str], float]) -> tuple[Delay, ...]:
    """Give the longest of all waiting.

    Args:
        delays: Descriptors of the region that waits and of the one that is late → seconds.
    """
    found = [Delay(waiting, late, seconds) for (waiting, late), seconds in delays.items()]
    return tuple(sorted(found, key=lambda each: (-each.seconds, each.waiting, each.late))[:_MOST])
