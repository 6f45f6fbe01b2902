"""Messages that become neither smaller nor fewer with more ranks, although the total work stays the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...experiment import Region
from ..run.criteria import THRESHOLD
from .series import Series

__all__ = ["KeptMessages", "kept_messages"]

_BYTES: Final = "mpi_bytes_sent"


@dataclass(frozen=True, slots=True)
class KeptMessages:
    """Messages of a region that become neither smaller nor fewer.

    Attributes:
        region: The region that sends.
        ranks: The smallest number of ranks with which the region sends, and the largest number of ranks.
        per_rank: The mean number of bytes that a rank sends in the region, for each of these two numbers of ranks.
    """

    region: Region
    ranks: tuple[int, int]
    per_rank: tuple[float, float]


def kept_messages(series: Series) -> tuple[KeptMessages, ...]:
    """Return the regions whose message bytes per rank fall by less than a tenth with more ranks, most bytes first.

    Regions that send less than a tenth of the last run's bytes are left out.
    """
    return tuple(sorted(_kept(series), key=lambda each: -each.per_rank[1]))


def _kept(series: Series) -> Iterator[KeptMessages]:
    if _BYTES not in series.counts:
        return
    sums: dict[Region, np.ndarray] = defaultdict(lambda: np.zeros(len(series.ranks)))
    for path, values in zip(series.call_paths, series.counts[_BYTES].T, strict=True):
        sums[path.region] += values / series.ranks
    least = THRESHOLD * sum(float(each[-1]) for each in sums.values())
    for region, per_rank in sums.items():
        first = int(np.flatnonzero(per_rank)[0]) if per_rank.any() else -1
        if 0 <= first < len(per_rank) - 1 and per_rank[-1] >= max(least, (1 - THRESHOLD) * per_rank[first]):
            ends = float(per_rank[first]), float(per_rank[-1])
            yield KeptMessages(region, (series.ranks[first], series.ranks[-1]), ends)
