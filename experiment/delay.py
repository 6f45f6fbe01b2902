"""Waiting of ranks for each other, by the regions that waited and those that made others late."""

from __future__ import annotations

from collections.abc import Iterable
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
        by_messages: What of these ended with a message, and not with a collective.
    """

    waiting: str
    late: str
    seconds: float
    by_messages: float = 0.0


def longest_first(delays: Iterable[Delay]) -> tuple[Delay, ...]:
    """Give the longest of all delays, at most 100; none that takes no time."""
    found = sorted(delays, key=lambda each: (-each.seconds, each.waiting, each.late))
    return tuple(each for each in found[:_MOST] if each.seconds > 0)
