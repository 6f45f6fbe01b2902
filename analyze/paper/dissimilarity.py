"""Algorithms 1 and 2 of Liu et al. 2011 as printed: ranks that behave differently, and the regions responsible.

Liu et al. call regions of depth 1 "1-code regions". Several adjacent 1-code regions form a composite region.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from ..dissimilarity.clusters import members, severity
from ..dissimilarity.dissimilarity import Dissimilarity, odd_one
from ..dissimilarity.rank_vectors import RankVectors
from ..run.arrays import Indices, Values

__all__ = ["are_clusters", "cluster", "search_dissimilarity"]

Labels = Indices

_THRESHOLD: Final = 0.1  # Algorithm 1, line 7: share of the length of the vector
_ROUNDING: Final = 1 + 1e-12  # a distance of exactly the threshold counts as within it


def cluster(vectors: Values, programs: Labels | None = None) -> Labels:
    """Label each vector with the number of its cluster.

    The first vector p without a cluster forms a cluster with all other vectors that have no cluster yet and whose
    distance from p is at most a tenth of p's length. Liu et al. write "less", which would separate vectors of length 0.
    They also give no value for ``count_threshold``; here it is 0, so that a single vector is a cluster, as in their
    Fig. 9.

    Args:
        vectors: ``float64[location, region]``; not changed.
        programs: ``int[location]``: only vectors of the same program are compared. If None, all vectors are of one
            program.

    Returns:
        ``int[location]``, numbered from 0 in the order of their first members.
    """
    labels = np.full(len(vectors), -1, dtype=np.intp)
    for number, near in enumerate(_clusters(vectors, labels, programs)):
        labels[near] = number
    return labels


def are_clusters(labels: Labels, vectors: Values, programs: Labels | None = None) -> bool:
    """Return whether ``cluster`` would return these labels; faster, because it stops at the first difference."""
    sizes = np.bincount(labels)
    found = np.full(len(vectors), -1, dtype=np.intp)
    for number, near in enumerate(_clusters(vectors, found, programs)):
        if number >= len(sizes) or len(near) != sizes[number] or (labels[near] != number).any():
            return False
        found[near] = number
    return True


def _clusters(vectors: Values, labels: Labels, programs: Labels | None) -> Iterator[Indices]:
    """Yield the members of each cluster: the first vector without a label (below 0), and vectors close to it.

    The caller must label these members before it requests the next cluster. Only vectors of about the same length are
    compared, because other vectors cannot be close. So a million vectors in a few clusters take seconds.

    Args:
        vectors: ``float64[location, region]``.
        labels: ``int[location]``; below 0 for vectors that have no cluster yet.
        programs: ``int[location]``: only vectors of the same program can be in one cluster. If None, all vectors are of
            one program.
    """
    lengths = np.linalg.norm(vectors, axis=1)
    order = np.argsort(lengths, kind="stable")
    in_order = lengths[order]
    for first in range(len(vectors)):
        if labels[first] >= 0:
            continue
        reach = _THRESHOLD * lengths[first] * _ROUNDING
        low = np.searchsorted(in_order, lengths[first] - reach, side="left")
        high = np.searchsorted(in_order, lengths[first] + reach, side="right")
        near = order[low:high]
        near = near[labels[near] < 0]
        if programs is not None:
            near = near[programs[near] == programs[first]]
        near = near[np.linalg.norm(vectors[near] - vectors[first], axis=1) <= reach]
        yield near if len(near) else np.array([first])  # NaN is not close to anything


def search_dissimilarity(vectors: RankVectors) -> Dissimilarity:
    """Cluster the ranks, and search for the regions that separate them (section 4.3).

    Cost: one clustering per tested region, and one per tested composite of adjacent 1-code regions.
    """
    search = _Search(vectors)
    clusters = tuple(tuple(each) for each in members(search.original))
    programs = len(vectors.groups)
    spread = max(severity(search.compared[columns]) for columns in vectors.groups)
    if len(clusters) == programs:
        return Dissimilarity(clusters, spread, programs=programs)
    found = search.single_regions()
    composite = not found
    if composite:
        found = search.composite_regions()
    critical = set(found)
    culprit = tuple(each for each in found if critical.isdisjoint(vectors.regions[each].children))
    return Dissimilarity(clusters, spread, tuple(found), culprit, composite, odd_one(clusters), programs)


class _Search:
    """A search that sets regions to 0 one by one, and compares the clusters with the original clusters (lines 3-31)."""

    def __init__(self, vectors: RankVectors) -> None:
        self.vectors = vectors
        self.top = vectors.top
        self.compared = vectors.values[list(self.top)].T.copy()
        self.original = cluster(self.compared, vectors.programs)

    def single_regions(self) -> list[int]:
        """Return the 1-code regions without which the clusters change, and the critical regions below them."""
        return [
            each
            for column, region in enumerate(self.top)
            if self._changes(slice(column, column + 1))
            for each in (region, *self._restored(region, self.compared.copy(), column))
        ]

    def composite_regions(self) -> list[int]:
        """Search for composites of s adjacent 1-code regions: s = 2, 3, … until some are critical (lines 32 to 39).

        A composite's children are its members. If none of them is critical, the composite is a culprit itself. Liu et
        al. do not name composites, so the members that separate the ranks on their own are named instead.
        """
        count = len(self.top)
        for size in range(2, max(count - 1, 2) + 1):
            composites = (slice(start, min(start + size, count)) for start in range(0, count, size))
            if changing := [each for each in composites if self._changes(each)]:
                return [region for each in changing for region in self._members(each)]
        return []

    def _changes(self, columns: slice) -> bool:
        """Return whether the clusters change if these 1-code regions are set to 0 (lines 12 to 14)."""
        before = self.compared[:, columns].copy()
        self.compared[:, columns] = 0.0
        changed = not self._restores(self.compared)
        self.compared[:, columns] = before
        return changed

    def _restores(self, values: Values) -> bool:
        return are_clusters(self.original, values, self.vectors.programs)

    def _restored(self, parent: int, values: Values, column: int) -> Iterator[int]:
        """Restore each child in its parent's place, and yield those that keep the clusters unchanged (lines 16-27)."""
        for child in self.vectors.regions[parent].children:
            values[:, column] = self.vectors.values[child]
            if self._restores(values):
                yield child
                yield from self._restored(child, values, column)

    def _members(self, columns: slice) -> list[int]:
        """Return the critical members of a composite, and the critical regions below them."""
        found: list[int] = []
        for column in range(columns.start, columns.stop):
            values = self.compared.copy()
            values[:, columns] = 0.0
            values[:, column] = self.compared[:, column]
            if self._restores(values):
                found += [self.top[column], *self._restored(self.top[column], values, column)]
        return found or self._parting(range(columns.start, columns.stop))

    def _parting(self, columns: Sequence[int]) -> list[int]:
        programs = len(self.vectors.groups)
        alone = {column: cluster(self.compared[:, [column]], self.vectors.programs) for column in columns}
        return [self.top[column] for column, labels in alone.items() if _count(labels) > programs]


def _count(labels: Labels) -> int:
    return int(labels.max(initial=-1)) + 1
