"""Ranks that behave differently, and the regions that make them differ (paper 001, sections 4.2.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .clusters import Labels, cluster, members, severity
from .performance import Performance

__all__ = ["Dissimilarity", "find_dissimilarity"]


@dataclass(frozen=True)
class Dissimilarity:
    """What tells ranks apart.

    Attributes:
        clusters: Columns of the performance vectors, by cluster.
        severity: S; see ``clusters.severity``.
        ccr: Positions of the critical code regions, parents before children.
        cccr: Those of them that have no critical child: their core.
        composite: Whether only several adjacent regions together made the difference.
        odd_one: A column without which all others are one cluster.
    """

    clusters: tuple[tuple[int, ...], ...]
    severity: float
    ccr: tuple[int, ...] = ()
    cccr: tuple[int, ...] = ()
    composite: bool = False
    odd_one: int | None = None

    @property
    def exists(self) -> bool:
        """Whether there is more than one cluster."""
        return len(self.clusters) > 1


def find_dissimilarity(performance: Performance, *, floor: float) -> Dissimilarity:
    """Cluster the ranks and search the regions that part them (Algorithms 1 and 2).

    Cost: one clustering a region, at most two for composites.

    Args:
        performance: The vectors.
        floor: A difference in seconds that is never one; see ``clusters.cluster``.
    """
    search = _Search(performance, floor)
    clusters = tuple(tuple(each) for each in members(search.original))
    spread = severity(search.vectors)
    if len(clusters) == 1:
        return Dissimilarity(clusters, spread)
    found = search.single_regions()
    composite = not found
    if composite:
        found = search.composite_regions()
    critical = set(found)
    core = [each for each in found if critical.isdisjoint(performance.regions[each].children)]
    return Dissimilarity(clusters, spread, tuple(found), tuple(core), composite, _odd_one(performance, clusters, floor))


class _Search:
    """Algorithm 2: regions are set to 0 and restored in turn, and the clusters compared with the original ones."""

    def __init__(self, performance: Performance, floor: float) -> None:
        self.performance = performance
        self.floor = floor
        self.top = performance.top
        self.vectors = performance.values[list(self.top)].T.copy()
        self.original = self.partition(self.vectors)

    def partition(self, vectors: npt.NDArray[np.float64]) -> Labels:
        return cluster(vectors, floor=self.floor)

    def alone(self, region: int) -> Labels:
        """Cluster by one region alone."""
        return self.partition(self.performance.values[region][:, None])

    def single_regions(self) -> list[int]:
        """Find the 1-code regions without which the clusters change, and what is critical below them.

        Beyond the paper, such a region must part the ranks when it is alone, too: to set a large balanced one to 0
        shrinks every vector, and with it the threshold, until noise elsewhere counts as a change.
        """
        found: list[int] = []
        for column, region in enumerate(self.top):
            without = self._zeroed([column])
            changed = not np.array_equal(self.partition(without), self.original)
            if changed and self.alone(region).any():
                found.append(region)
                found.extend(self._restored(region, without, column, self.original))
        return found

    def composite_regions(self) -> list[int]:
        """Find the members of the smallest composite of adjacent 1-code regions that changes the clusters."""
        count = len(self.top)
        for size in range(2, count + 1):
            for start in range(0, count, size):
                columns = list(range(start, min(start + size, count)))
                if not np.array_equal(self.partition(self._zeroed(columns)), self.original):
                    return list(self._members_that_part(columns))
        return []

    def _members_that_part(self, columns: list[int]) -> Iterator[int]:
        nothing = np.zeros_like(self.vectors)
        for column in columns:
            alone = self.alone(self.top[column])
            if alone.any():
                yield self.top[column]
                yield from self._restored(self.top[column], nothing, column, alone)

    def _restored(self, parent: int, vectors: npt.NDArray[np.float64], column: int, wanted: Labels) -> Iterator[int]:
        """Restore each child alone in its parent's place: critical if the wanted clusters come back."""
        for child in self.performance.regions[parent].children:
            restored = vectors.copy()
            restored[:, column] = self.performance.values[child]
            if np.array_equal(self.partition(restored), wanted) and self.alone(child).any():
                yield child
                yield from self._restored(child, vectors, column, wanted)

    def _zeroed(self, columns: list[int]) -> npt.NDArray[np.float64]:
        vectors = self.vectors.copy()
        vectors[:, columns] = 0.0
        return vectors


def _odd_one(performance: Performance, clusters: tuple[tuple[int, ...], ...], floor: float) -> int | None:
    """Find the one location without which there is one cluster (definitions 12)."""
    if len(performance.columns) < 3:
        return None
    for each in clusters:
        if len(each) == 1:
            rest = performance.without(each[0])
            if not cluster(rest.values[list(rest.top)].T, floor=floor).any():
                return each[0]
    return None
