"""Agglomerative hierarchical clustering: the tree of merges, and where to cut it (Ahn and Vetter, 4.5.1)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import numpy as np

from ..analyze.run.arrays import Indices, Values
from ..errors import UsageError
from .chance import against_chance
from .metric_space import MetricSpace, Scale
from .partition import Labels, Partition
from .single_threaded_blas import single_threaded_blas

__all__ = ["LONE", "Hierarchy", "Linkage", "cuts", "hierarchy"]

Linkage = Literal["ward", "average", "complete", "single", "weighted", "centroid", "median"]

LONE: Final = 1.5  # a cut is clear if the merge just above the cut is this many times as high as the merge just below

_MOST_POINTS: Final = 10_000  # largest number of points without sampling; all their distances take 0.4 GB
_SAMPLE: Final = 2_000
_MOST_CLUSTERS: Final = 10  # largest number of clusters that is suggested
_FLOOR: Final = 1e-3  # heights below this share of the highest merge or of the largest distance count as equal
_USUAL: Final = 0.99  # quantile of nearest-neighbour distances in the sample; three times this distance is far
_FAR: Final = 3.0


@dataclass(frozen=True)
class Hierarchy:
    """A tree of merges and the clusters from a cut through it.

    Attributes:
        space: The points.
        method: The linkage, which defines the distance of clusters.
        merges: scipy's linkage matrix, ``float64[merge, 4]``, of the points in ``sample``.
        sample: Positions of the points in the tree: all points or a sample of them.
        far: Positions of points outside the sample that are far from all points in it.
        partition: The clusters; points outside the sample join the cluster of the nearest point in it.
        height: The height of the cut.
        drop: The ratio of the heights of the merges just above and just below the cut.
        suggested: Whether the number of clusters was chosen automatically.
    """

    space: MetricSpace
    method: Linkage
    merges: Values
    sample: Indices
    far: Indices
    partition: Partition
    height: float
    drop: float
    suggested: bool

    @property
    def sampled(self) -> bool:
        """Whether the tree contains only a sample of the points."""
        return len(self.sample) < len(self.space.points)


@single_threaded_blas
def hierarchy(
    space: MetricSpace,
    *,
    method: Linkage = "ward",
    clusters: int | None = None,
    scale: Scale = "standard",
    seed: int = 0,
) -> Hierarchy:
    """Cluster points by merging the two nearest clusters repeatedly, in O(points²).

    With more than 10,000 points, the tree contains a sample of 2,000 points, and each other point joins the cluster of
    the nearest sample point. A point is far from the sample if its distance to this sample point exceeds three times
    the 99th percentile of nearest-neighbour distances in the sample.

    Args:
        space: The points.
        method: The linkage, which defines the distance of clusters.
        clusters: The number of clusters; if None, the number from 2 to 10 at the largest relative drop in merge height.
        scale: How metrics are scaled.
        seed: Seed of the sample and of the simulated points for comparison.

    Raises:
        UsageError: More clusters than points in the tree are requested, or fewer than one cluster.
    """
    scaled = space.scaled(scale)
    sample = np.arange(len(scaled))
    if len(sample) > _MOST_POINTS:
        sample = np.sort(np.random.default_rng(seed).choice(len(scaled), _SAMPLE, replace=False))
    if clusters is not None and not 1 <= clusters <= len(sample):
        raise UsageError(f"expected 1 to {len(sample)} clusters, at most one per location, found {clusters}")
    merges = _merges(scaled[sample], method)
    heights = merges[:, 2]
    tried = _cuts(heights) if clusters is None else [clusters]
    count = max(tried, key=lambda each: _drop(heights, each))
    above, below = _around(heights, count)
    found = {each: _cut(merges, each) for each in tried}
    chance = against_chance(space.values[sample], found, partial(cuts, method=method), scale=scale, seed=seed)
    labels, far = _assigned(scaled, sample, found[count])
    return Hierarchy(
        space,
        method,
        merges,
        sample,
        far,
        Partition.of(space, labels, scaled, chance=chance.likelihood if chance else None, seed=seed),
        float((above + below) / 2),
        _drop(heights, count),
        clusters is None,
    )


def cuts(points: Values, counts: Collection[int], method: Linkage = "ward") -> dict[int, Labels]:
    """Cluster points hierarchically; map each requested number of clusters to the labels, ``int[point]``.

    Args:
        points: ``float64[point, metric]``, scaled.
        counts: The numbers of clusters.
        method: The linkage, which defines the distance of clusters.
    """
    merges = _merges(points, method)
    return {count: _cut(merges, count) for count in counts}


def _merges(points: Values, method: Linkage) -> Values:
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 - takes half a second

    return np.asarray(linkage(points, method))


def _cuts(heights: Values) -> range:
    """Return the numbers of clusters that may be suggested, from the heights of the merges."""
    most = min(_MOST_CLUSTERS, len(heights))  # one cluster per point is suggested only for two points
    return range(2, max(most, 2) + 1)


def _drop(heights: Values, count: int) -> float:
    above, below = _around(heights, count)
    floor = _FLOOR * float(heights.max())
    return float(above / max(below, floor)) if above > 0 else 1.0


def _around(heights: Values, count: int) -> tuple[float, float]:
    """Return the heights of the merges just above and just below a cut into ``count`` clusters."""
    ordered = np.maximum.accumulate(heights)  # with centroid and median linkage, heights may decrease
    above = float(ordered[-(count - 1)]) if count > 1 else float(ordered[-1]) * 1.1
    below = float(ordered[-count]) if count <= len(ordered) else 0.0
    return above, below


def _cut(merges: Values, count: int) -> Labels:
    """Return the labels, ``int[point]``, after undoing the last merges until ``count`` clusters remain.

    Merges are undone in reverse order, not by height, because heights may decrease.
    """
    points = len(merges) + 1
    owners = list(range(points + len(merges)))
    kept = merges[: points - count, :2].astype(np.intp).tolist()
    for node, (first, second) in reversed(list(enumerate(kept, start=points))):
        owners[first] = owners[second] = owners[node]
    # Clusters are numbered in the order of their first points.
    numbers = {owner: number for number, owner in enumerate(dict.fromkeys(owners[:points]))}
    return np.array([numbers[owner] for owner in owners[:points]], dtype=np.intp)


def _assigned(scaled: Values, sample: Indices, labels: Indices) -> tuple[Indices, Indices]:
    """Return every point's label, from the nearest sample point, and the positions of points far from the sample."""
    if len(sample) == len(scaled):
        return labels, np.array([], dtype=np.intp)
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415 - takes a second, and only large sets need it

    there = scaled[sample]
    search = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(there)
    distances, nearest = search.kneighbors(scaled)
    distances[sample] = 0.0
    # The distances of sample points to their nearest neighbours.
    usual = float(np.quantile(search.kneighbors()[0], _USUAL))
    widest = float(np.linalg.norm(there - there.mean(axis=0), axis=1).max())
    far = np.flatnonzero(distances[:, 0] > max(_FAR * usual, _FLOOR * widest))
    return labels[nearest[:, 0]], far
