"""Delays: how long ranks wait in one region because other ranks are late in another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["Delay", "longest_first"]

_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Delay:
    """The waiting of ranks in one region that another region caused.

    Attributes:
        waiting: Descriptor of the region in which the ranks waited.
        late: Descriptor of the region in which the late ranks were.
        seconds: Waiting time in seconds, summed over all ranks, as far as the late ranks' busy time explains it.
        by_messages: The part of ``seconds`` from waits that ended with a message rather than a collective.
    """

    waiting: str
    late: str
    seconds: float
    by_messages: float = 0.0


def longest_first(delays: Iterable[Delay]) -> tuple[Delay, ...]:
    """Return the longest delays, at most 100, without those of 0 seconds."""
    found = sorted(delays, key=lambda each: (-each.seconds, each.waiting, each.late))
    return tuple(each for each in found[:_MOST] if each.seconds > 0)
