"""Delays: how long ranks wait in one region because other ranks are late in another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["Delay", "longest_first"]

_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Delay:
    """The time that ranks wait in one region because other ranks are late in another.

    Attributes:
        waiting: Descriptor of the region in which the ranks waited.
        late: Descriptor of the region in which the other ranks were late.
        seconds: Waiting time in seconds that the late ranks' busy time explains, summed over all ranks.
        by_messages: The part of ``seconds`` in which ranks waited for a message rather than a collective.
    """

    waiting: str
    late: str
    seconds: float
    by_messages: float = 0.0


def longest_first(delays: Iterable[Delay]) -> tuple[Delay, ...]:
    """Return up to 100 delays, longest first, without delays of 0 seconds."""
    found = sorted(delays, key=lambda each: (-each.seconds, each.waiting, each.late))
    return tuple(each for each in found[:_MOST] if each.seconds > 0)
