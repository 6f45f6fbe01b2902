"""Delays: how long ranks wait in one region because other ranks are late in another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from .call_path import CallPath

__all__ = ["Delay", "between_regions", "longest_first", "path_numbers"]

_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Delay:
    """The waiting of ranks in one region that another region caused.

    Attributes:
        waiting: Descriptor of the region in which the ranks waited.
        late: Descriptor of the region in which the late ranks were.
        seconds: Waiting time in seconds, summed over all ranks, as far as the late ranks' busy time explains it.
        by_messages: The part of ``seconds`` from waits that ended with a message rather than a collective.
        waiting_path: The number of the call path in which the ranks waited (see ``path_numbers``); 0: any of the
            region's call paths.
        late_path: The number of the call path in which the late ranks were; 0: any of the region's call paths.
    """

    waiting: str
    late: str
    seconds: float
    by_messages: float = 0.0
    waiting_path: int = 0
    late_path: int = 0


def path_numbers(call_paths: Sequence[CallPath]) -> list[int]:
    """Return a number for each call path: a checksum of its regions, which does not depend on other call paths.

    Args:
        call_paths: The call paths, parents before children.
    """
    numbers = list[int]()
    for path in call_paths:
        text = f"{path.region.descriptor}|{path.site}"
        above = 0 if path.parent is None else numbers[path.parent]
        numbers.append(crc32(text.encode("utf-8", "surrogateescape"), above))
    return numbers


def between_regions(delays: Iterable[Delay], names: Mapping[str, str]) -> tuple[Delay, ...]:
    """Add up delays between the same two regions, whatever their call paths.

    Args:
        delays: The delays.
        names: Descriptor of a region → descriptor of the region that replaces it.
    """
    found: dict[tuple[str, str], list[Delay]] = {}
    for each in delays:
        pair = names.get(each.waiting, each.waiting), names.get(each.late, each.late)
        found.setdefault(pair, []).append(each)
    return longest_first(
        Delay(*pair, sum(each.seconds for each in same), sum(each.by_messages for each in same))
        for pair, same in found.items()
    )


def longest_first(delays: Iterable[Delay]) -> tuple[Delay, ...]:
    """Return the longest delays, at most 100, without those of 0 seconds."""
    found = sorted(delays, key=lambda each: (-each.seconds, each.waiting, each.late, each.waiting_path, each.late_path))
    return tuple(each for each in found[:_MOST] if each.seconds > 0)
