"""Waiting of ranks for each other, by the regions that waited and those that made others late."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Delay"]


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
